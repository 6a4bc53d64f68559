"""Which name means what: the check of a program's names before anything runs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from .builtins import CONSTANTS, Signature, signatures
from .calls import check_call
from .diagnostic import Diagnostic, Label
from .functions import gives_value, leaves_nothing
from .names import suggestion
from .record import Record, field
from .syntax import Block, Mistake, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .control import For, Import
    from .functions import Define
    from .postfix import Attribute, Call, Prime
    from .statements import Declaration, Evaluate
    from .units import Unit

MAX_BLOCKS = 80
CROWDED = 30  # unknown names after which no more suggestions are sought: only the first ten are shown
MAX_LOOPS = 18
ATTRIBUTE_NAMES = ("grad", "T", "shape", "ndim", "size", "requires_grad", "is_leaf", "grad_fn")


class Symbol(Record):
    """What a name stands for. `python` is what it is called in the compiled code."""

    name: str
    kind: str  # variable, param, input, function, parameter, builtin, constant
    python: str = ""
    start: int = 0
    end: int = 0
    unit: Unit | None = None
    definition: Define | None = None
    signature: Signature | None = None
    bindings: list[str] = field(default_factory=list)
    last: int = 0  # where it is assigned last
    leaky: bool = False  # a function of the program that returns nothing on some path
    shared: bool = False  # read by functions or other files, so a global of the compiled code

    @property
    def counter(self) -> bool:
        """Whether only `for … in range(…)` sets it, so that it can be an int beside a float."""
        return self.kind == "variable" and not self.shared and bool(self.bindings) and all(b == "counted" for b in self.bindings)

    @property
    def fixed(self) -> bool:
        """Whether it is a function for certain."""
        return self.kind == "builtin" or (self.kind == "function" and not self.bindings)

    @property
    def may_be_nothing(self) -> bool:
        """Whether a call may come back without a value."""
        return not self.fixed or self.leaky


class Scope:
    """The names of a file, or of a function within it (`outer` is then the file's scope)."""

    def __init__(self, unit: Unit, outer: Scope | None = None) -> None:
        self.unit = unit
        self.outer = outer
        self.names: dict[str, Symbol] = {}
        self.imported: dict[str, Symbol] = {}
        self._blocks = 0
        self._loops = 0

    # ---- errors

    def error(self, kind: str, message: str, at: Node, help: str | None = None, labels: list[Label] | None = None) -> None:
        """Reports a fault at a node."""
        self.unit.report(Diagnostic.at(self.unit.source.span(at.start, at.end), kind, message, help, labels))

    def text(self, node: Node) -> str:
        """A node as it was written."""
        return self.unit.source.text[node.start : node.end]

    def label(self, symbol: Symbol, text: str) -> list[Label]:
        """A label at the place where a name of the program is defined."""
        if symbol.unit is None or symbol.end == 0:
            return []
        return [Label.at(symbol.unit.source.span(symbol.start, symbol.end), text)]

    # ---- definitions

    def declare_program(self, program: Block) -> None:
        """Finds the names that a file defines; settings, functions and imports first, since they rule what assignment means."""
        for statement in sorted(program.statements, key=lambda s: type(s).__name__ not in {"Param", "Input", "Define", "Import"}):
            try:
                statement.declare(self)
            except Mistake as mistake:
                self.unit.report(mistake.diagnostic(self.unit.source))

    def bind(self, name: Any, how: str) -> Symbol:
        """A name that is assigned, unpacked into, or runs through a loop."""
        if name.id in CONSTANTS:
            self.error("constant", f"'{name.id}' is a constant and cannot be assigned", name)
        found = self.names.get(name.id)
        if found is None and self.outer is not None:
            above = self.outer.names.get(name.id) or self.outer.imported.get(name.id)
            if above is not None and above.kind == "param":
                message = f"'{name.id}' is a param, which a function cannot change"
                self.error(
                    "param-rule", message, name, "return the new value and assign it at top level", self.label(above, "declared here")
                )
        elif found is None:
            above = self.imported.get(name.id)
            found = above if above is not None and above.kind == "param" else None
        if found is None:
            found = self.names[name.id] = self._symbol(name.id, "variable", name.start, name.end)
        if found.kind == "param" and how != "assigned":
            what = "a loop variable" if how in {"looped", "counted"} else "a target of unpacking"
            self.error("param-rule", f"the param '{name.id}' cannot be {what}", name, "assign it in a statement of its own")
        found.bindings.append(how)
        found.last = max(found.last, name.start)
        return found

    def _symbol(self, name: str, kind: str, start: int, end: int) -> Symbol:
        prefix = "v_" if self.outer is not None else self.unit.prefix
        return Symbol(name, kind, prefix + name, start, end, self.unit, shared=self.outer is None and self.unit.exported)

    def declare_setting(self, declaration: Declaration) -> Symbol:
        """A `param` or `input`."""
        at = _name_node(declaration)
        if declaration.name in CONSTANTS:
            self.error("constant", f"'{declaration.name}' is a constant and cannot be declared", at)
        before = self.names.get(declaration.name) or self.imported.get(declaration.name)
        if before is not None and before.kind in {"param", "input", "function"}:
            self.error("param-rule", f"'{declaration.name}' is declared twice", at, labels=self.label(before, "first declared here"))
        symbol = self._symbol(declaration.name, declaration.kind, at.start, at.end)
        if before is not None and before.kind == "variable":
            symbol.bindings = before.bindings
        self.names[declaration.name] = symbol
        self.unit.settings.append(symbol)
        return symbol

    def declare_function(self, define: Define) -> Symbol:
        """A function; a later definition of the name replaces it."""
        at = _name_node(define)
        if define.name in CONSTANTS:
            self.error("constant", f"'{define.name}' is a constant and cannot be defined", at)
        before = self.names.get(define.name)
        if before is not None and before.kind in {"param", "input"}:
            self.error("param-rule", f"'{define.name}' is declared twice", at, labels=self.label(before, "first declared here"))
        symbol = before if before is not None and before.kind == "function" else self._symbol(define.name, "function", at.start, at.end)
        symbol.start, symbol.end = at.start, at.end
        symbol.shared = True
        symbol.definition = define
        symbol.leaky = leaves_nothing(define.body)
        symbol.signature = Signature(tuple(p.name for p in define.parameters), define.required, returns=gives_value(define.body))
        self.names[define.name] = symbol
        return symbol

    def declare_import(self, statement: Import) -> None:
        """The names of another file."""
        statement.unit = self.unit.imports(statement)
        if statement.unit is not None:
            self.imported.update(statement.unit.scope.imported)
            self.imported.update(statement.unit.scope.names)

    # ---- uses

    def knows(self, name: str) -> bool:
        """Whether the program itself defines the name."""
        return any(name in scope.names or name in scope.imported for scope in (self, self.outer) if scope is not None)

    def find(self, name: str) -> Symbol | None:
        """What a name means here."""
        if name in self.names:
            return self.names[name]
        top = self.outer or self
        found = top.names.get(name) or top.imported.get(name)
        if found is not None:
            if self.outer is not None:
                found.shared = True
            return found
        return self.builtin(name)

    def builtin(self, name: str) -> Symbol | None:
        """What a name means in the language itself."""
        if name in CONSTANTS:
            return Symbol(name, "constant")
        signature = signatures().get(name)
        if signature is None:
            return None
        python = f"b{self.unit.index}_{name}" if name == "load" else f"b_{name}"
        return Symbol(name, "builtin", python, signature=signature)

    def resolve(self, name: str, at: Node, called: bool = False) -> Symbol | None:
        """What a name means here; reports it where it means nothing."""
        symbol = self.find(name)
        if symbol is None:
            self.unknown(name, at, called)
        elif called and symbol.kind == "builtin" and name == "range":
            self.error("not-a-function", "range belongs into 'for i in range(…)'", at, "arange(n) makes a vector")
            return None
        return symbol

    def unknown(self, name: str, at: Node, called: bool = False) -> None:
        """Reports a name without meaning, once."""
        if name in self.unit.reported:
            return
        self.unit.reported.add(name)
        what = "function" if called else "name"
        crowded = len(self.unit.diagnostics) > CROWDED
        help = None if crowded else suggestion(name, self.visible(functions_only=called))
        self.error("unknown-name", f"unknown {what} '{name}'", at, help)

    def visible(self, functions_only: bool = False) -> list[str]:
        """All names that could be meant here, the program's own first."""
        own = [n for scope in (self, self.outer) if scope is not None for n in (*scope.names, *scope.imported)]
        return [*own, *signatures(), *(() if functions_only else CONSTANTS)]

    def resolve_method(self, attribute: Attribute) -> Symbol | None:
        """The function that `x.name(…)` calls."""
        symbol = self.find(attribute.name)
        if symbol is not None and symbol.kind not in {"constant", "param", "input"} and attribute.name != "range":
            if symbol.kind == "variable" and symbol.unit is not None and (hidden := self.builtin(attribute.name)) is not None:
                return hidden
            return symbol
        self.unknown_attribute(attribute)
        return None

    def unknown_attribute(self, attribute: Attribute) -> None:
        """Reports `x.name` where no attribute or function has that name."""
        at = Node(attribute.name_start, attribute.end)
        symbol = self.find(attribute.name)
        if symbol is not None and (symbol.kind == "builtin" or symbol.kind == "function"):
            help: str | None = f"to call it, write .{attribute.name}()"
        else:
            help = suggestion(attribute.name, [*ATTRIBUTE_NAMES, *self.visible(functions_only=True)])
        self.error("unknown-attribute", f"there is no attribute or method '{attribute.name}'", at, help)

    def check_value_of(self, symbol: Symbol, at: Node) -> None:
        """A builtin that is read as a value."""
        if symbol.name == "range":
            self.error("not-a-function", "range belongs into 'for i in range(…)'", at, "arange(n) makes a vector")

    def check_call(self, call: Call, symbol: Symbol) -> None:
        """Whether a call fits what it calls, as far as that is known before the run."""
        check_call(self, call, symbol)

    def check_prime(self, prime: Prime, symbol: Symbol) -> None:
        """`f'` needs a function of one argument."""
        if symbol.kind in {"constant", "param", "input"} or symbol.counter:
            self.error("not-a-function", f"'{symbol.name}' is not a function, so it has no derivative {symbol.name}'", prime)
        elif symbol.fixed and symbol.signature is not None:
            wanted = symbol.signature.required
            if wanted != 1 or symbol.signature.variadic:
                message = f"{symbol.name}' needs a function of one argument, {symbol.name} takes {symbol.signature.describe()}"
                self.error("arguments", message, prime, labels=self.label(symbol, "defined here"))

    def check_change(self, symbol: Symbol | None, at: Node, how: str) -> None:
        """`+=` and element assignment change a variable that must be one's own."""
        if symbol is None:
            return
        if symbol.kind in {"constant", "builtin", "function"}:
            what = "a constant" if symbol.kind == "constant" else "a function"
            self.error("constant", f"'{symbol.name}' is {what}, but {how}", at, labels=self.label(symbol, "defined here"))
        elif self.outer is not None and self.names.get(symbol.name) is not symbol:
            kind = "param-rule" if symbol.kind == "param" else "read-only"
            what = "a param" if symbol.kind == "param" else "a name of the program"
            self.error(kind, f"'{symbol.name}' is {what}, which a function cannot change", at,
                       "work on a copy in a local name, or return the new value", self.label(symbol, "defined here"))  # fmt: skip

    def check_used(self, statement: Evaluate) -> None:
        """A statement that is only an expression must be a call."""
        value = statement.value
        if type(value).__name__ == "Call" or self.unit.interactive:
            return
        text = self.text(value)
        help = None
        if text[:1] in "+-":
            help = "to continue the line above, end it with the operator or put the whole in ( )"
        elif type(value).__name__ == "Comparison" and "==" in value.operators:  # type: ignore[attr-defined]
            help = "= binds a name, == compares"
        elif type(value).__name__ == "Name" and (found := self.find(value.id)) is not None and found.fixed:  # type: ignore[attr-defined]
            help = f"to call it, write {text}()"
        else:
            help = "bind it to a name, or print(…) it"
        self.error("unused-value", "the value is not used", value, help)

    # ---- places

    @contextlib.contextmanager
    def in_loop(self) -> Iterator[None]:
        """Inside, break and continue have a meaning."""
        self._loops += 1
        yield
        self._loops -= 1

    def check_block(self, block: Block) -> None:
        """All statements of a block."""
        self._blocks += 1
        if self._blocks > MAX_BLOCKS or self._loops > MAX_LOOPS:
            what, most = ("loops", MAX_LOOPS) if self._loops > MAX_LOOPS else ("blocks", MAX_BLOCKS)
            if not self.unit.too_deep:
                self.unit.too_deep = True
                self.error("nesting", f"more than {most} {what} inside each other", block.statements[0] if block.statements else block)
        for statement in block.statements:
            if self._blocks > 1 or self.outer is not None:
                self._check_top(statement)
            statement.check(self)
        self._blocks -= 1

    def _check_top(self, statement: Any) -> None:
        word = {"Param": "param", "Input": "input", "Define": "a function definition", "Import": "import"}.get(type(statement).__name__)
        if word is not None:
            self.error("misplaced", f"{word} stands at top level, not inside a block", statement)

    def check_in_loop(self, statement: Node, word: str) -> None:
        """break and continue."""
        if not self._loops:
            self.error("misplaced", f"'{word}' outside of a loop", statement)

    def check_return(self, statement: Node) -> None:
        """return."""
        if self.outer is None:
            self.error("misplaced", "'return' outside of a function", statement)

    def check_range(self, loop: For) -> None:
        """The values of a loop; `range` is known here only."""
        values: Any = loop.values
        if not loop.counts or self.knows("range"):
            values.check(self)
            for symbol in loop.symbols:
                symbol.bindings.append("looped")
            return
        loop.over_range = True
        values.symbol = self.builtin("range")
        for argument in values.arguments:
            argument.check(self)
        if not 1 <= len(values.arguments) <= 3 or any(type(a).__name__ == "Keyword" for a in values.arguments):
            self.error("arguments", "range takes 1 to 3 arguments: range(n), range(a, b) or range(a, b, step)", values)

    def check_function(self, define: Define) -> None:
        """A definition: its defaults in this scope, its body in one of its own."""
        scope = define.scope = Scope(self.unit, self.outer or self)
        optional = False
        for parameter in define.parameters:
            parameter.check(self)
            if parameter.name in scope.names:
                self.error("duplicate", f"the parameter '{parameter.name}' stands twice", parameter)
            if parameter.name in CONSTANTS:
                self.error("constant", f"'{parameter.name}' is a constant and cannot be a parameter", parameter)
            if optional and parameter.default is None:
                self.error("arguments", f"the parameter '{parameter.name}' without a default follows one with a default", parameter)
            optional = optional or parameter.default is not None
            scope.names[parameter.name] = Symbol(
                parameter.name, "parameter", "v_" + parameter.name, parameter.start, parameter.end, self.unit
            )
        define.body.declare(scope)
        define.body.check(scope)


def _name_node(statement: Any) -> Node:
    """The place of the name in a declaration."""
    return Node(statement.name_start, statement.name_start + len(statement.name))
