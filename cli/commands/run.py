"""`dagrad run`: runs a program and shows its params and their gradients."""

from typing import TYPE_CHECKING, Any

from ..options import Digits, Program
from ..screen import Screen

if TYPE_CHECKING:
    from dagrad.grammar import Run


def command(screen: Screen, program: Program, digits: Digits = None) -> None:
    """Runs a program: its print lines, then a table of the params with value and gradient.

    dagrad run samples/misra1a.dg                  # a file
    dagrad run model.dg --set lr=0.01 --seed 7     # with other inputs
    dagrad run -c 'param x = 3' -c 'backward(x^2)' # a line of code each
    dagrad run model.dg --json | jq .params        # for scripts
    """
    from .. import program as programs

    compiled = programs.compiled(program)
    run = compiled.run(programs.settings(program, (lambda text: None) if screen.json else screen.line))
    programs.finished(run, compiled.sources, {"output": programs.printed(run)})
    if screen.json:
        document(screen, run)
    elif not screen.quiet:
        table(screen, run, digits)


def document(screen: Screen, run: "Run") -> None:
    from ..program import peak_rss, printed
    from ..values import is_numeric

    screen.document(
        output=printed(run),
        values={name: value for name, value in run.values.items() if is_numeric(value)},
        params={name: {"value": leaf, "grad": leaf.grad} for name, leaf in run.params.items()},
        memory={"process": {"peak_rss_bytes": peak_rss()}},
    )


def table(screen: Screen, run: "Run", digits: int | None) -> None:
    from ..values import cell, text

    def show(value: Any) -> str:
        return cell(value, digits) if screen.is_terminal else text(value)

    screen.table(["param", "value", "gradient"], [[name, show(leaf), show(leaf.grad)] for name, leaf in run.params.items()])
