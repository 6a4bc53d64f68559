"""The forms that have a value: arithmetic, comparison, logic, names and literals. Class name = rule name in dagrad.lark."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from .builtins import DERIVING
from .source import normal_name
from .syntax import Expression, Mistake, end_of, start_of

if TYPE_CHECKING:
    from .emitter import Emitter
    from .scope import Scope, Symbol


class Number(Expression):
    """A literal number."""

    value: float

    @classmethod
    def build(cls, children: list[Any]) -> Number:
        token = children[0]
        return cls(token.start_pos, token.end_pos, float(token))

    def check(self, scope: Scope) -> None:
        pass

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.constant(self.value, self)

    def whole(self, emitter: Emitter) -> ast.expr | None:
        if self.value.is_integer() and abs(self.value) < 2**53:
            return emitter.constant(int(self.value), self)
        return None


class Truth(Expression):
    """`true` or `false`."""

    value: bool

    @classmethod
    def build(cls, children: list[Any]) -> Truth:
        token = children[0]
        return cls(token.start_pos, token.end_pos, token.type == "TRUE")

    def check(self, scope: Scope) -> None:
        pass

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.name("r_TRUE" if self.value else "r_FALSE", self)

    def condition(self, emitter: Emitter) -> ast.expr:
        return emitter.constant(self.value, self)


class Name(Expression):
    """A name that is read. `symbol` is what the check found behind it."""

    id: str
    symbol: Symbol | None = None

    @classmethod
    def build(cls, children: list[Any]) -> Name:
        token = children[0]
        return cls(token.start_pos, token.end_pos, name_of(token))

    def check(self, scope: Scope) -> None:
        self.symbol = scope.resolve(self.id, self)
        if self.symbol is not None and self.symbol.kind == "builtin":
            scope.check_value_of(self.symbol, self)
            # What it will be called with is not known.
            scope.unit.derives |= self.symbol.name in DERIVING or self.symbol.name == "backward"

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.read(self)

    def bound(self, emitter: Emitter) -> ast.expr:
        value = self.emit(emitter)
        keep = {"param": "r_alias", "parameter": "r_keep"}.get(self.symbol.kind if self.symbol is not None else "")
        return value if keep is None else emitter.call(keep, [value], self)

    def whole(self, emitter: Emitter) -> ast.expr | None:
        return emitter.counter(self)


class Unary(Expression):
    """`-x` and `+x`."""

    operator: str
    operand: Expression

    @classmethod
    def build(cls, children: list[Any]) -> Unary:
        sign, operand = children
        return cls(sign.start_pos, operand.end, str(sign), operand)

    def check(self, scope: Scope) -> None:
        self.operand.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        if (found := emitter.fused(self)) is not None:
            return found
        value = self.operand.emit(emitter)
        return emitter.place(ast.UnaryOp(op=ast.USub() if self.operator == "-" else ast.UAdd(), operand=value), self, value)

    def whole(self, emitter: Emitter) -> ast.expr | None:
        value = self.operand.whole(emitter)
        if value is None or self.operator == "+":
            return value
        return emitter.place(ast.UnaryOp(op=ast.USub(), operand=value), self, value)


# Python's own operators, and the engine's functions where Python raises and IEEE does not.
NATIVE: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod}
CALLS = {"/": "r_div", "//": "r_floordiv", "%": "r_mod", "^": "r_pow", "**": "r_pow", "@": "r_matmul"}


class Pair(Expression):
    """Two operands with an operator between them."""

    left: Expression
    operator: str
    right: Expression

    @classmethod
    def build(cls, children: list[Any]) -> Pair:
        left, operator, right = children
        return cls(left.start, right.end, left, str(operator), right)

    def check(self, scope: Scope) -> None:
        self.left.check(scope)
        self.right.check(scope)


class Binary(Pair):
    """Arithmetic on two values: `+ - * / // % ^ @`."""

    def emit(self, emitter: Emitter) -> ast.expr:
        if (found := emitter.fused(self)) is not None:
            return found
        left, right = emitter.pair(self.left, self.right)
        return emitter.binary(self.operator, left, right, self, safe=nonzero(self.right))

    def whole(self, emitter: Emitter) -> ast.expr | None:
        if self.operator not in {"+", "-", "*", "//", "%"} or (self.operator in {"//", "%"} and not nonzero(self.right)):
            return None
        left = self.left.whole(emitter)
        if left is None:
            return None
        right = self.right.whole(emitter)
        if right is None:
            return None
        return emitter.place(ast.BinOp(left=left, op=NATIVE[self.operator](), right=right), self, left, right)


# A conditional of more branches is computed by statements.
LONG = 20

COMPARE: dict[str, type[ast.cmpop]] = {"<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq}


class Comparison(Expression):
    """`a < b`, and chains `a < b <= c` in which each operand is evaluated once."""

    operands: list[Expression]
    operators: list[str]

    @classmethod
    def build(cls, children: list[Any]) -> Comparison:
        return cls(children[0].start, children[-1].end, children[::2], [str(o) for o in children[1::2]])

    def check(self, scope: Scope) -> None:
        for operand in self.operands:
            operand.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.call("r_boolean", [self.condition(emitter)], self)

    def condition(self, emitter: Emitter) -> ast.expr:
        if len(self.operands) == 2:
            left, right = emitter.compared(self.operands)
            return emitter.compare(left, COMPARE[self.operators[0]](), right, self)
        return self._chain(emitter)

    def _chain(self, emitter: Emitter) -> ast.expr:
        """`t = a < (m := b)`, then for each further one, unless it has failed: `t = both(t, m < (m := c))`."""
        whole, middle = emitter.temporary(), emitter.temporary()
        left = self.operands[0].emit(emitter)
        for at, operator in enumerate(self.operators):

            def link(inner: Emitter, at: int = at, operator: str = operator, left: ast.expr = left) -> ast.expr:
                mark = inner.mark()
                right = self.operands[at + 1].emit(inner)
                last = at + 1 == len(self.operators)
                return inner.compare(
                    inner.settle(left, mark), COMPARE[operator](), right if last else inner.walrus(middle, right, self), self
                )

            if at == 0:
                emitter.keep(whole, link(emitter), self)
            else:
                emitter.extend(whole, link, self)
            left = emitter.name(middle, self)
        return emitter.name(whole, self)


class Logical(Pair):
    """`a and b`, `a or b`: the second is evaluated only where it decides."""

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.boolean(self.condition(emitter), self)

    def condition(self, emitter: Emitter) -> ast.expr:
        return emitter.logical(self.operator, [operand.condition for operand in self._operands()], self)

    def _operands(self) -> list[Expression]:
        """All operands of a chain of the same operator, however it is nested."""
        found: list[Expression] = []
        waiting: list[Expression] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, Logical) and node.operator == self.operator:
                waiting += [node.right, node.left]
            else:
                found.append(node)
        return found


class Negation(Expression):
    """`not a`."""

    operand: Expression

    def check(self, scope: Scope) -> None:
        self.operand.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.boolean(self.condition(emitter), self)

    def condition(self, emitter: Emitter) -> ast.expr:
        value = self.operand.condition(emitter)
        return emitter.negated(value, self)


class Conditional(Expression):
    """`a if c else b`: only the chosen branch runs."""

    then: Expression
    test: Expression
    otherwise: Expression

    def check(self, scope: Scope) -> None:
        self.test.check(scope)
        self.then.check(scope)
        self.otherwise.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        return self._choose(emitter, "emit")

    def condition(self, emitter: Emitter) -> ast.expr:
        return self._choose(emitter, "condition")

    def bound(self, emitter: Emitter) -> ast.expr:
        return self._choose(emitter, "bound")

    def _choose(self, emitter: Emitter, how: str) -> ast.expr:
        """The branches emitted by the method `how`; a long `a if c else b if d else …` by statements."""
        cases = []
        node: Expression = self
        while isinstance(node, Conditional):
            cases.append((node.test.condition, getattr(node.then, how)))
            node = node.otherwise
        if len(cases) > LONG:
            return emitter.chosen(cases, getattr(node, how), self)
        return emitter.choose(self.test.condition(emitter), getattr(self.then, how), getattr(self.otherwise, how), self)


class Bare(Expression):
    """A tuple: `a, b`, with or without parentheses."""

    items: list[Expression]

    @classmethod
    def build(cls, children: list[Any]) -> Bare:
        return cls(children[0].start, children[-1].end, children)

    def check(self, scope: Scope) -> None:
        for item in self.items:
            item.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.call("r_several", [self.bare(emitter)], self)

    def bare(self, emitter: Emitter) -> ast.expr:
        """A Python tuple, for what is taken apart at once."""
        return emitter.several(emitter.values([item.bound for item in self.items]), self)


class Group(Expression):
    """Parentheses. They leave no node: what stands inside them takes their span."""

    @classmethod
    def build(cls, children: list[Any]) -> Any:
        left, inner, right = children
        if not isinstance(inner, (Name, Number)):
            inner.start, inner.end = left.start_pos, right.end_pos
        return inner


class List(Expression):
    """`[a, b]`: a vector, or from nested ones a matrix."""

    items: list[Expression]

    @classmethod
    def build(cls, children: list[Any]) -> List:
        return cls(start_of(children[0]), end_of(children[-1]), children[1:-1])

    def check(self, scope: Scope) -> None:
        for item in self.items:
            item.check(scope)

    def emit(self, emitter: Emitter) -> ast.expr:
        return emitter.call("r_vector", [self.nested(emitter)], self)

    def elements(self, emitter: Emitter) -> ast.expr:
        """A Python list of the elements as they are, for functions that take several tensors."""
        items = emitter.values([item.emit for item in self.items])
        return emitter.place(ast.List(elts=items, ctx=ast.Load()), self, *items)

    def nested(self, emitter: Emitter) -> ast.expr:
        """A Python list; the literals inside it too are lists, so that one call makes the whole tensor."""
        items = emitter.values([item.nested if isinstance(item, List) else item.emit for item in self.items])
        return emitter.place(ast.List(elts=items, ctx=ast.Load()), self, *items)


def nonzero(node: Expression) -> bool:
    """Whether it is certain that dividing by this cannot raise."""
    return isinstance(node, Number) and node.value != 0


def name_of(token: Any) -> str:
    """The normal form of a name; Mistake for what no identifier is."""
    name = normal_name(str(token))
    if not name.isascii() and not name.isidentifier():
        at, odd = next((i, c) for i, c in enumerate(name) if not name[: i + 1].isidentifier())
        help = f"write {name[:at]}^{unicode_digit(odd)}" if unicode_digit(odd) and at else None
        raise Mistake("bad-character", f"'{odd}' cannot stand in a name", token.start_pos + at, token.start_pos + at + 1, help)
    return name


def unicode_digit(character: str) -> str:
    """The plain digit of a superscript one, else nothing."""
    return str("⁰¹²³⁴⁵⁶⁷⁸⁹".find(character)) if character in "⁰¹²³⁴⁵⁶⁷⁸⁹" else ""
