"""Random programs that follow the grammar: names are mostly defined, blanks, comments and line breaks stand wherever they may."""

from __future__ import annotations

from random import Random

ELEMENTWISE = ["sin", "exp", "log", "sqrt", "abs", "tanh", "relu", "floor", "sign", "square", "sigmoid", "erf"]
REDUCTIONS = ["sum", "mean", "max", "min", "norm", "prod", "cumsum", "softmax"]
MAKERS = ["zeros", "ones", "eye", "arange", "rand", "randn"]
ATTRIBUTES = ["T", "shape", "ndim", "size", "requires_grad", "is_leaf", "grad_fn", "grad"]
NUMBERS = ["0", "1", "2", "3", "0.5", ".5", "1.", "1e-3", "1_000", "1e308", "7"]
STRINGS = ['"a"', '"{{}}"', '"x {x:.3f}"', '"{1 + 2}"', '"tab\\t\\"q\\""', '"θ 数 é"']
BINARY = ["+", "-", "*", "/", "//", "%", "^", "**", "@"]
COMPARE = ["<", "<=", ">", ">=", "==", "!="]
NAMES = ["x", "y", "z", "θ", "x_1", "total", "v", "A", "é"]
WORD = "_.\"'"


class Programs:
    """Writes programs by a random source, which may be one of Hypothesis's."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = ["x"]
        self.functions: list[str] = []

    def text(self, statements: int = 6) -> str:
        """A program."""
        lines = ["x = 2"] + (["param w = [1, 2, 3]"] if self.maybe() else [])
        if "w" in lines[-1]:
            self.names.append("w")
        lines += [self.statement(2, top=True) for _ in range(self.random.randint(1, statements))]
        return self.separated(lines)

    def separated(self, lines: list[str]) -> str:
        between = ["\n", "\n", "\n\n\n", ";", " # note\n", "\n  # θ\n", "\r\n", "; ;\t"]
        return "".join(line + self.random.choice(between) for line in lines)

    def maybe(self, share: float = 0.5) -> bool:
        return self.random.random() < share

    # ---- statements

    def statement(self, depth: int, top: bool = False, loop: bool = False) -> str:
        kinds = ["assign"] * 4 + ["augment", "unpack", "print", "element"]
        kinds += ["define", "define_block", "backward"] if top else []
        kinds += ["if", "for", "while", "no_grad", "assert_"] if depth else []
        kinds += ["break_"] if loop else []
        kind = self.random.choice(kinds)
        if kind in {"if", "for", "while", "no_grad"}:
            return self.compound(kind, depth - 1)
        return self.join(getattr(self, kind)())

    def compound(self, kind: str, depth: int) -> str:
        if kind == "no_grad":
            return "no_grad" + self.block(depth)
        if kind == "if":
            text = self.join(["if", *self.expression(2)]) + self.block(depth)
            for _ in range(self.random.randint(0, 2)):
                text += self.random.choice(["", " ", "\n"]) + self.join(["elif", *self.expression(2)]) + self.block(depth)
            return text + ("else" + self.block(depth) if self.maybe() else "")
        if kind == "for":
            name = self.random.choice(["i", "j"])
            values = self.random.choice([["range", "(", "3", ")"], ["[", "1", ",", "2", "]"], self.expression(1)])
            text = self.join(["for", name, "in", *values])
            self.names.append(name)
            return text + self.block(depth, loop=True)
        return self.join(["while", *self.expression(1)]) + self.block(depth, loop=True, last="break")

    def block(self, depth: int, loop: bool = False, last: str | None = None) -> str:
        lines = [self.statement(depth, loop=loop) for _ in range(self.random.randint(0, 2))] + ([last] if last else [])
        if self.maybe():
            return " {" + self.random.choice(["", " ", "\n"]) + "; ".join(lines) + self.random.choice([" ", ""]) + "}"
        return self.random.choice([" {", "{ # open\n", " {\n\n"]) + self.separated(lines) + "\n}"

    def target(self) -> str:
        name = self.random.choice(NAMES)
        self.names.append(name)
        return name

    def assign(self) -> list[str]:
        value = self.expression(3)
        return [self.target(), "=", *value]

    def unpack(self) -> list[str]:
        value = [*self.expression(1), ",", *self.expression(1)]
        return [self.target(), ",", self.target(), "=", *value]

    def augment(self) -> list[str]:
        return [self.random.choice(self.names), self.random.choice(["+=", "-=", "*=", "/=", "^="]), *self.expression(2)]

    def element(self) -> list[str]:
        return [self.random.choice(self.names), "[", *self.key(), "]", "=", *self.expression(1)]

    def print(self) -> list[str]:
        return ["print", "(", *self.arguments(2), ")"]

    def assert_(self) -> list[str]:
        return ["assert", *self.expression(1), *([",", self.random.choice(STRINGS)] if self.maybe() else [])]

    def backward(self) -> list[str]:
        return ["backward", "(", "sum", "(", *self.expression(2), ")", ")"]

    def break_(self) -> list[str]:
        return [self.random.choice(["break", "continue"])]

    def define(self) -> list[str]:
        name = self.function()
        return [name, "(", "x", *([",", "n", "=", "3"] if self.maybe() else []), ")", "=", *self.expression(2)]

    def define_block(self) -> list[str]:
        name = self.function()
        return ["def", name, "(", "x", ")", "{", "return", *self.expression(2), "}"]

    def function(self) -> str:
        name = self.random.choice(["f", "g", "h"])
        self.functions.append(name)
        return name

    # ---- expressions

    def expression(self, depth: int) -> list[str]:
        if depth <= 0 or self.maybe(0.15):
            return [self.atom()]
        kinds = ["binary"] * 5 + ["unary", "unary", "group", "group", "call", "call", "list", "index", "method", "attribute"]
        kinds += ["comparison", "logical", "negation", "conditional", "prime", "user", "bare"]
        made: list[str] = getattr(self, "make_" + self.random.choice(kinds))(depth - 1)
        return made

    def atom(self) -> str:
        return self.random.choice([*self.names, *self.names, *NUMBERS, "pi", "true", "false", *(STRINGS if self.maybe(0.1) else [])])

    def make_binary(self, depth: int) -> list[str]:
        return [*self.expression(depth), self.random.choice(BINARY), *self.expression(depth)]

    def make_unary(self, depth: int) -> list[str]:
        return [self.random.choice("-+"), *self.expression(depth)]

    def make_group(self, depth: int) -> list[str]:
        return ["(", *self.expression(depth), ")"]

    def make_bare(self, depth: int) -> list[str]:
        return ["(", *self.expression(depth), ",", *(self.expression(depth) if self.maybe() else []), ")"]

    def make_comparison(self, depth: int) -> list[str]:
        made = self.expression(depth)
        for _ in range(self.random.randint(1, 2)):
            made = [*made, self.random.choice(COMPARE), *self.expression(depth)]
        return made

    def make_logical(self, depth: int) -> list[str]:
        return [*self.expression(depth), self.random.choice(["and", "or"]), *self.expression(depth)]

    def make_negation(self, depth: int) -> list[str]:
        return ["(", "not", *self.expression(depth), ")"]  # which binds more loosely than arithmetic

    def make_conditional(self, depth: int) -> list[str]:
        return ["(", *self.expression(depth), "if", *self.expression(depth), "else", *self.expression(depth), ")"]

    def make_list(self, depth: int) -> list[str]:
        return ["[", *self.arguments(depth), *([","] if self.maybe(0.2) else []), "]"]

    def arguments(self, depth: int) -> list[str]:
        made = self.expression(depth)
        for _ in range(self.random.randint(0, 2)):
            made = [*made, ",", *self.expression(depth)]
        return made

    def make_call(self, depth: int) -> list[str]:
        if self.maybe(0.2):
            return [self.random.choice(MAKERS), "(", self.random.choice("123"), ")"]
        if self.maybe(0.3):
            return [self.random.choice(REDUCTIONS), "(", *self.expression(depth), ",", "axis", "=", self.random.choice(["0", "-1"]), ")"]
        return [self.random.choice(ELEMENTWISE + REDUCTIONS), "(", *self.expression(depth), ")"]

    def make_user(self, depth: int) -> list[str]:
        return [self.random.choice(self.functions or ["sin"]), "(", *self.expression(depth), ")"]

    def make_prime(self, depth: int) -> list[str]:
        return [self.random.choice([*self.functions, "sin", "exp"]), self.random.choice(["'", "''"]), "(", *self.expression(depth), ")"]

    def make_method(self, depth: int) -> list[str]:
        return [*self.made_postfix(depth), ".", self.random.choice(ELEMENTWISE + REDUCTIONS), "(", ")"]

    def make_attribute(self, depth: int) -> list[str]:
        return [*self.made_postfix(depth), ".", self.random.choice(ATTRIBUTES)]

    def make_index(self, depth: int) -> list[str]:
        return [*self.made_postfix(depth), "[", *self.key(), *([",", *self.key()] if self.maybe(0.2) else []), "]"]

    def made_postfix(self, depth: int) -> list[str]:
        return self.random.choice([[self.random.choice(self.names)], ["(", *self.expression(depth), ")"], ["[", "1", ",", "2", "]"]])

    def key(self) -> list[str]:
        return self.random.choice([["0"], ["-1"], ["1", ":"], [":", ":", "2"], [":"], ["x", ":", "-", "1"], self.expression(1)])

    # ---- tokens to text

    def join(self, tokens: list[str]) -> str:
        """The tokens with blanks where they must stand and here and there where they may, and line breaks inside brackets."""
        text = ""
        depth = 0
        for token in tokens:
            if text and token:
                needed = _wordy(text[-1]) and _wordy(token[0]) and not (token[0] in "'." and not text[-1].isdigit() and text[-1] != ".")
                if depth and token not in "([" and self.maybe(0.04):
                    text += self.random.choice(["\n", " # in brackets\n", "\n\t"])
                text += " " if needed else self.random.choice(["", " ", " ", "  "]) if token not in "'" else ""
            depth += (token in {"(", "["}) - (token in {")", "]"})
            text += token
        return text


def _wordy(character: str) -> bool:
    return character.isalnum() or character in WORD or not character.isascii()
