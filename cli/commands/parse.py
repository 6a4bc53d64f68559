"""`dagrad parse`: how a program was read."""

from typing import Annotated

from ..options import Script
from ..parameters import Option
from ..screen import Screen
from ..status import Failure


def command(
    screen: Screen,
    script: Script,
    ast: Annotated[bool, Option("--ast", help="Print the syntax tree instead.")] = False,
) -> None:
    """Prints a program with parentheses around every operation; the result means the same.

    dagrad parse -c 'y = -x^2 + 3*x'       # y = ((-(x^2)) + (3 * x))
    dagrad parse samples/xor.dg --ast      # the syntax tree, one line a node
    dagrad parse -c 'y = 2^-1' --json      # for scripts; with --ast the tree as nested objects
    """
    from dagrad.grammar import Diagnostic, as_data, outline, parenthesised, read_program

    from ..program import guarded, read

    source = guarded(lambda: read(script), {})
    tree = guarded(lambda: read_program(source), {source.name: source})
    text = parenthesised(tree, source)
    if screen.json:
        try:
            screen.document(file=source.name, text=text, **({"tree": as_data(tree, source)} if ast else {}))
        except RecursionError:
            raise Failure([Diagnostic("nesting", "the tree is nested too deeply for JSON", file=source.name)], {}) from None
    elif text:
        screen.line(outline(tree, source) if ast else text.rstrip("\n"))
