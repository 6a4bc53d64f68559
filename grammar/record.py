"""Classes that are their fields. What `dataclass` does, without writing and compiling the methods of each class at import.

There are fifty such classes, one for each form of the language, and to make them took a tenth of a short run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable


class Fresh:
    """The default of a field that every instance has its own of."""

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory


def field(*, default_factory: Callable[[], Any]) -> Any:
    """`items: list[str] = field(default_factory=list)`: a new list for each instance."""
    return Fresh(default_factory)


@dataclass_transform(field_specifiers=(field,))
class Fields(type):
    """Makes the annotations of a class its slots and, in their order, the parameters of its constructor; values are defaults."""

    fields: tuple[str, ...] = ()
    defaults: dict[str, Any] = {}  # noqa: RUF012 - of a class without fields; never changed

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> Fields:
        own = tuple(namespace.get("__annotations__", ()))
        defaults = {field: namespace.pop(field) for field in own if field in namespace}
        namespace["__slots__"] = own
        made = super().__new__(cls, name, bases, namespace)
        parents = [base for base in bases if isinstance(base, Fields)]
        made.fields = tuple(field for base in parents for field in base.fields) + own
        made.defaults = {key: value for base in parents for key, value in base.defaults.items()} | defaults
        return made


class Record(metaclass=Fields):
    """An object that is its fields, and equal to no other."""

    def __init__(self, *values: Any, **named: Any) -> None:
        kind = type(self)
        fields = kind.fields
        if len(values) > len(fields):
            raise TypeError(f"{kind.__name__} has {len(fields)} fields, {len(values)} were given")
        for field, value in zip(fields, values):  # noqa: B905 - the rest comes below
            setattr(self, field, value)
        if len(values) == len(fields) and not named:
            return
        for field in fields[len(values) :]:
            if field in named:
                value = named.pop(field)
            else:
                value = kind.defaults[field]
                if value.__class__ is Fresh:
                    value = value.factory()
            setattr(self, field, value)
        if named:
            raise TypeError(f"{kind.__name__} has no field {next(iter(named))}, or it was given twice")

    def as_tuple(self) -> tuple[Any, ...]:
        """The values of its fields."""
        return tuple(getattr(self, field) for field in type(self).fields)

    def as_dict(self) -> dict[str, Any]:
        """The values of its fields by name."""
        return {field: getattr(self, field) for field in type(self).fields}

    def replace(self, **changes: Any) -> Self:
        """The same with some fields changed."""
        return type(self)(**{**self.as_dict(), **changes})

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.as_tuple()}"


class Value(Record):
    """A record that is equal to those with the same fields."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.__class__ is other.__class__ and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())
