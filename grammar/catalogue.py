"""Every class of error: its code, what it means, and a program that shows it."""
# ruff: noqa: E501 - a table with an entry a paragraph

from __future__ import annotations

from .record import Value


class Entry(Value):
    """A class of error. `wrong` is a program or a command line with the mistake, `right` the same one without it."""

    code: str
    kind: str
    category: str
    title: str
    explanation: str
    wrong: str
    right: str

    @property
    def is_command(self) -> bool:
        """Whether the mistake is one of a command line, not of a program."""
        return self.wrong.startswith("dagrad ")


def entry(kind: str) -> Entry:
    """The entry of a kind; an unknown kind is an error of the run."""
    return BY_KIND.get(kind) or BY_KIND["runtime"]


def _syntax(number: int, kind: str, title: str, explanation: str, wrong: str, right: str) -> Entry:
    return Entry(f"DG{number:03}", kind, "syntax", title, explanation, wrong, right)


def _name(number: int, kind: str, title: str, explanation: str, wrong: str, right: str) -> Entry:
    return Entry(f"DG{number:03}", kind, "name", title, explanation, wrong, right)


def _run(number: int, kind: str, title: str, explanation: str, wrong: str, right: str) -> Entry:
    return Entry(f"DG{number:03}", kind, "runtime", title, explanation, wrong, right)


def _limit(number: int, kind: str, title: str, explanation: str, wrong: str, right: str) -> Entry:
    return Entry(f"DG{number:03}", kind, "limit", title, explanation, wrong, right)


ENTRIES = [
    # ---- the text is no program
    _syntax(1, "unexpected", "something stands where it cannot", "The text up to the caret reads well; what follows fits no form of the language.",
            "x = 1 in 2", "x = 1"),
    _syntax(2, "unclosed-bracket", "a bracket is never closed", "A newline inside ( ) or [ ] does not end a statement, so the mistake shows only later; the caret is at the opening bracket.",
            "y = (1 + 2\nz = 3", "y = (1 + 2)\nz = 3"),
    _syntax(3, "stray-bracket", "a bracket closes nothing, or one of another kind", "Each ) ] } closes the latest ( [ {.",
            "y = (1 + 2]", "y = (1 + 2)"),
    _syntax(4, "unclosed-string", "a string has no closing quote", "A string stands on one line; write \\n for a line break.",
            'print("hello)', 'print("hello")'),
    _syntax(5, "bad-number", "text that begins like a number", "Numbers are 1, 1_000, 1.5, .5, 1e-3. There is no implicit multiplication and no hexadecimal.",
            "x = 3; y = 2x", "x = 3; y = 2*x"),
    _syntax(6, "missing-operator", "two values side by side", "There is no implicit multiplication: 2 x could mean several things, so write the *.",
            "x = 3; y = 2 x", "x = 3; y = 2*x"),
    _syntax(7, "missing-expression", "a value is missing", "An operator, a comma or an = must be followed by an expression.",
            "y = 1 +", "y = 1 + 2"),
    _syntax(8, "missing-block", "a { is missing", "The body of if, elif, else, for, while, def and no_grad stands in { }, which opens on the same line.",
            "x = 1\nif x > 0\n    y = 1", "x = 1\nif x > 0 {\n    y = 1\n}"),
    _syntax(9, "reserved-word", "a word of the language used as a name", "param input def return if elif else for in while break continue and or not true false no_grad assert import are reserved.",
            "for = 3", "count = 3"),
    _syntax(10, "assignment-in-expression", "= where a comparison is meant", "= binds a name, == compares. A statement has one =.",
            "x = 1\nif x = 1 { print(x) }", "x = 1\nif x == 1 { print(x) }"),
    _syntax(11, "foreign-operator", "an operator of another language", "The logical operators are words: and, or, not.",
            "x = 1\nif x > 0 && x < 2 { print(x) }", "x = 1\nif x > 0 and x < 2 { print(x) }"),
    _syntax(12, "stray-else", "else or elif without its if", "else and elif follow the } of an if or elif.",
            "x = 1\nelse { x = 2 }", "x = 1\nif x > 3 { x = 1 } else { x = 2 }"),
    _syntax(13, "bad-string", "a mistake inside a string", 'The escapes are \\n \\t \\\\ \\". Braces hold an expression; write {{ and }} for the characters themselves.',
            'print("50% {")', 'print("50% {{")'),
    _syntax(14, "bad-target", "a left side that cannot be assigned", "A name, an element v[i], a tuple of these, or f(x) to define a function can stand left of =.",
            "3 = x", "x = 3"),
    _syntax(15, "misplaced", "a statement in a place where it has no meaning", "return belongs into a function, break and continue into a loop; param, input, def and import stand at top level.",
            "x = 2\nreturn x", "def f(x) { return x }"),
    _syntax(16, "unused-value", "a value that nothing uses", "A statement that is only an expression must be a call.",
            "x = 1\nx + 1", "x = 1\nprint(x + 1)"),
    _syntax(17, "bad-character", "a character that the language does not know", "Outside strings and comments only names, numbers, operators and brackets can stand.",
            "x = 1\ny = $x", "x = 1\ny = x"),
    _syntax(18, "bad-format", "a number format that does not exist", "After the colon stands Python's format for numbers: {x:.3f}, {x:>10}, {x:e}; width and precision up to 1000.",
            'x = 1\nprint("{x:.3y}")', 'x = 1\nprint("{x:.3f}")'),
    # ---- the names do not fit together
    _name(20, "unknown-name", "a name that nothing defines", "Names are checked before the program runs: each must be assigned somewhere, be a parameter, or be built in.",
          "length = 3\ny = 2 * lenght", "length = 3\ny = 2 * length"),
    _name(21, "unknown-attribute", "an attribute or method that does not exist", "Attributes are .grad .T .shape .ndim .size .requires_grad .is_leaf .grad_fn; any function can be called as a method.",
          "x = 2\ny = x.sinn()", "x = 2\ny = x.sin()"),
    _name(22, "arguments", "a call that does not fit the function", "The number and names of arguments are checked against the definition before the program runs.",
          "f(x, y) = x * y\nz = f(1)", "f(x, y) = x * y\nz = f(1, 2)"),
    _name(23, "constant", "a constant is assigned", "pi, e, inf, nan, true and false have fixed values.",
          "pi = 3", "p = 3"),
    _name(24, "param-rule", "a param or input is used against its rules", "They are declared once; a param is updated by assignment at top level, and is no loop variable or unpack target.",
          "param w = 1\nparam w = 2", "param w = 1\nw = 2"),
    _name(25, "read-only", "a function changes a name of the program", "A function sees the program's names but cannot change them; a plain assignment makes a name of its own.",
          "total = 0\ndef add(x) { total += x; return total }", "total = 0\ndef add(t, x) { return t + x }\ntotal = add(total, 1)"),
    _name(26, "no-value", "the result of a function that returns nothing", "Only a call whose function returns a value can stand in an expression.",
          "def show(x) { print(x) }\ny = show(1)", "def show(x) { print(x) }\nshow(1)"),
    _name(27, "not-a-function", "a call of something that is no function", "Only functions can be called; a product needs its *.",
          "param w = 2\ny = w(3)", "param w = 2\ny = w*(3)"),
    _name(28, "import", "an imported file cannot be used", "import takes a path relative to the file that names it; files cannot import each other in a circle.",
          'import "nosuch.dg"', 'import "lib.dg"'),
    _name(29, "duplicate", "the same name twice in one list of parameters", "Each parameter and each named argument stands once.",
          "f(x, x) = x", "f(x, y) = x"),
    # ---- the run failed
    _run(40, "runtime", "the run failed", "An operation could not be carried out.",
         "param A = [[1, 2, 3], [4, 5, 6]]\nQ, R = qr(A)\nbackward(sum(R))", "param A = [[1, 4], [2, 5], [3, 6]]\nQ, R = qr(A)\nbackward(sum(R))"),
    _run(41, "shape", "shapes that do not fit", "Shapes are matched from the last axis; each pair of lengths must be equal or 1.",
         "c = [1, 2, 3] + [1, 2]", "c = [1, 2, 3] + [1, 2, 0]"),
    _run(42, "index", "an index outside its axis", "Indices count from 0, and from the end where negative.", "v = [1, 2, 3]\ny = v[5]", "v = [1, 2, 3]\ny = v[2]"),
    _run(43, "value", "a value that the operation cannot take", "The message says what is needed.", "for i in range(0.5) { print(i) }", "for i in range(5) { print(i) }"),
    _run(44, "type", "a kind of value that the operation cannot take", "Arithmetic takes numbers and tensors; strings and tuples know == and != only.",
         'y = "a" + 1', 'y = "a{1}"'),
    _run(45, "condition", "a condition with several elements", "if, while, and, or, not need one truth value: reduce with any() or all(), or choose elementwise with where().",
         "v = [1, 2]\nif v > 1 { print(v) }", "v = [1, 2]\nif any(v > 1) { print(v) }"),
    _run(46, "backward", "a backward pass that cannot start", "backward takes one element that depends on a param; otherwise it needs gradient=.",
         "param w = [1, 2]\nbackward(w * 2)", "param w = [1, 2]\nbackward(sum(w * 2))"),
    _run(47, "freed", "a second backward pass through the same graph", "backward dismantles the graph it ran through; retain_graph=true keeps it.",
         "param w = 2\ny = w^3\nbackward(y)\nbackward(y)", "param w = 2\ny = w^3\nbackward(y, retain_graph=true)\nbackward(y)"),
    _run(48, "version", "a value was changed after the graph had saved it", "An update of a param makes graphs that saved the old value unusable: compute again after it.",
         "param w = 2\ny = w^2\nw = 3\nbackward(y)", "param w = 2\ny = w^2\nbackward(y)\nw = 3"),
    _run(49, "no-grad", "a gradient that does not exist", ".grad belongs to a param after a backward; for other values use grad(y, x).",
         "param w = 2\nprint(w.grad)", "param w = 2\nbackward(w^2)\nprint(w.grad)"),
    _run(50, "singular", "a matrix without the factorisation or inverse asked for", "inv and solve need a regular matrix, cholesky a positive definite one.",
         "B = inv([[1, 2], [2, 4]])", "B = inv([[1, 2], [2, 5]])"),
    _run(51, "argument", "an argument of the wrong kind", "The message names the function and what it takes.", 'y = sin("a")', "y = sin(1)"),
    _run(52, "assertion", "an assertion does not hold", "assert and assert_close stop the program when their condition is false.", "assert 1 > 2", "assert 2 > 1"),
    _run(53, "unset-name", "a name that is not set yet", "The name is assigned elsewhere, but not on the path that the program took.",
         "a = b\nb = 1", "b = 1\na = b"),
    _run(54, "non-finite", "an infinite or undefined value", "--check-finite stops at the first operation that makes inf or nan.", "y = log(0)", "y = log(1)"),
    _run(55, "file", "a data file that cannot be read or written", "load reads csv, npy and npz; save writes only where --allow-write permits it.",
         'x = load("nosuch.csv")', 'x = load("points.csv")'),
    _run(56, "call", "a call that does not fit the function", "A function that is called through a variable is checked when the call happens.",
         "f(x) = x\ng = f\ny = g(1, 2)", "f(x) = x\ng = f\ny = g(1)"),
    _run(57, "wrong-gradient", "a gradient that differences contradict", "dagrad check compares each gradient with a numerical one; at a kink or where rounding decides, it says so instead.",
         "dagrad check -e 'detach(x) * x' --at x=2", "dagrad check -e 'x * x' --at x=2"),
    _run(58, "not-converged", "a fit without an answer", "dagrad fit stopped before it found a minimum, or the data do not determine every parameter: start nearer, or bound the parameters.",
         "dagrad fit model.dg --data points.csv --max-evaluations 1", "dagrad fit model.dg --data points.csv"),
    _run(59, "test-failed", "a test program that failed", "dagrad test runs every program of a folder; each must end well and print what was recorded beside it.",
         "dagrad test samples/errors", "dagrad test samples/nist"),
    # ---- a limit was reached
    _limit(60, "depth", "calls nested too deeply", "The recursion depth is limited (--max-depth).", "f(n) = f(n + 1)\ny = f(0)", "f(n) = n if n > 9 else f(n + 1)\ny = f(0)"),
    _limit(61, "steps", "too many steps", "--max-steps counts statements and turns of loops.", "while true { x = 1 }", "for i in range(3) { x = 1 }"),
    _limit(62, "time", "the time is up", "--timeout limits the seconds of a run.", "while true { x = 1 }", "for i in range(3) { x = 1 }"),
    _limit(63, "limit", "a tensor larger than the limit", "--max-elements limits the elements of one tensor.", "x = zeros(1e12)", "x = zeros(1e3)"),
    _limit(64, "memory", "not enough memory", "An operation asked for more memory than there is, or than --max-memory allows.",
           "v = ones(1e6)\nA = reshape(v, [-1, 1]) + v", "v = ones(1e3)\nA = reshape(v, [-1, 1]) + v"),
    _limit(65, "nesting", "a program nested too deeply", "Brackets and expressions may nest some ten thousand levels, blocks about eighty, loops twenty.",
           "# thousands of nested brackets", "# name the parts"),
    # ---- it could not begin
    Entry("DG070", "unreadable-file", "file", "a program that cannot be read", "A program is a UTF-8 text file.", "dagrad run nosuch.dg", "dagrad run model.dg"),
    Entry("DG071", "setting", "usage", "a setting that does not fit the program", "--set gives a value to a param or input of the program, --at to a name of the expression; both take name=EXPR with a constant expression.", "dagrad run model.dg --set nosuch=3", "dagrad run model.dg --set w=3"),
    Entry("DG072", "stdin", "usage", "standard input is asked for twice", 'A program that is itself read from standard input cannot load("-").', "dagrad run - < load.dg", "dagrad run load.dg < data.csv"),
    Entry("DG073", "usage", "usage", "a command line that does not fit", "The message names the option or argument; --help shows what there is.", "dagrad grad 'x^2'", "dagrad grad 'x^2' --at x=3"),
]  # fmt: skip

BY_KIND = {e.kind: e for e in ENTRIES}
for _alias, _kind in {"no-gradient": "no-grad", "non-leaf": "no-grad", "unused": "no-grad"}.items():  # finer kinds of the engine
    BY_KIND[_alias] = BY_KIND[_kind]
BY_CODE = {e.code: e for e in ENTRIES}
