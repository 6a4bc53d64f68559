"""How a command says what it takes: by the annotations of its parameters, and of the groups of options among them.

Two readers serve a command line from this one declaration: direct.py the plain ones, tree.py with Typer all the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

if TYPE_CHECKING:
    from pathlib import Path


class Option:
    """`Annotated[int, Option("--digits", ...)]`: a parameter that is given by name."""

    def __init__(
        self,
        *names: str,
        help: str,
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        parser: Callable[[str], Any] | None = None,
        show_default: bool = True,
    ) -> None:
        self.names = names
        self.help = help
        self.metavar = metavar
        self.min = min
        self.max = max
        self.parser = parser  # from text to value, ValueError with what to say where that cannot be
        self.show_default = show_default


class Argument:
    """`Annotated[str, Argument(...)]`: a parameter that is given by its position."""

    def __init__(self, *, metavar: str, help: str) -> None:
        self.metavar = metavar
        self.help = help


@dataclass_transform(kw_only_default=True)
class Options:
    """Options that belong together: a command takes an instance of a subclass as one parameter. Groups may hold groups."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def replace(self, **changes: Any) -> Self:
        """The same options with some of them changed."""
        return type(self)(**{**vars(self), **changes})

    @classmethod
    def hints(cls) -> dict[str, Any]:
        """The annotations of its fields, those of a base class first."""
        return {name: hint for base in reversed(cls.__mro__) for name, hint in vars(base).get("__annotations__", {}).items()}

    @classmethod
    def gather(cls, values: dict[str, Any]) -> Self:
        """The group whose fields are among `values`."""
        return cls(**{name: hint.gather(values) if is_group(hint) else values[name] for name, hint in cls.hints().items()})


class File(str):
    """The name of a file or folder; a Path only where it is asked for, since that takes time to import."""

    def __fspath__(self) -> str:
        return self

    @property
    def path(self) -> Path:
        from pathlib import Path

        return Path(self)


REQUIRED: Any = object()  # the default of what has none


class Parameter:
    """One option or argument."""

    def __init__(self, name: str, mark: Option | Argument, hint: Any, default: Any) -> None:
        self.name = name
        self.mark = mark
        self.hint = hint  # the type as it was written: list[str] | None
        found = next(part for part in hint.__args__ if part is not type(None)) if isinstance(hint, UnionType) else hint
        self.many = isinstance(found, GenericAlias)  # whether a list of values is given
        self.type = found.__args__[0] if self.many else found  # of one value
        self.default = default


def is_negative(word: str) -> bool:
    """Whether a word that is no option may be an expression that begins with a minus sign: two dashes and a letter never are."""
    return word.startswith("-") and len(word) > 1 and not (word.startswith("--") and word[2:3].isalpha())


def is_group(hint: Any) -> bool:
    """Whether an annotation says that several options are taken as one parameter."""
    return isinstance(hint, type) and issubclass(hint, Options)


def spread(hints: dict[str, Any], defaults: dict[str, Any]) -> Iterator[Parameter]:
    """The options and arguments that annotations declare, those of groups in their place."""
    for name, hint in hints.items():
        if is_group(hint):
            yield from spread(hint.hints(), {field: getattr(hint, field) for field in hint.hints() if hasattr(hint, field)})
        else:
            yield Parameter(name, hint.__metadata__[0], hint.__origin__, defaults.get(name, REQUIRED))
