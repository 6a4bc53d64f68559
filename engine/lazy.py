"""NumPy on demand: a program of plain numbers never pays for importing it."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# What is to be done before the first array is made, once: settings of the process that a program of plain numbers does not need.
when_numpy_is_imported: list[Callable[[], None]] = []

NORMAL = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}  # of a NumPy that nobody has set otherwise


class LazyModule:
    """Stands for a module until its first attribute is asked for; each attribute found is kept, so later look-ups are plain ones."""

    quiet = False  # a program is running, in which inf and nan are results and no reason to warn

    def __init__(self, name: str) -> None:
        self.__name = name

    def __getattr__(self, attribute: str) -> Any:
        if self.__name == "numpy":
            while when_numpy_is_imported:
                when_numpy_is_imported.pop()()
        module = importlib.import_module(self.__name)
        if LazyModule.quiet and self.__name == "numpy":
            module.seterr(all="ignore")
        value = getattr(module, attribute)
        setattr(self, attribute, value)
        return value


# One NumPy for the whole engine. Its type is Any: NumPy's stubs cannot follow settings, such as keepdims, that are known at run time only.
np: Any = LazyModule("numpy")
special: Any = LazyModule("scipy.special")
linalg: Any = LazyModule("scipy.linalg")


@contextlib.contextmanager
def no_warnings() -> Iterator[None]:
    """Keeps NumPy from warning of overflow and its like, also where it is imported only inside."""
    before, LazyModule.quiet = LazyModule.quiet, True
    numpy = sys.modules.get("numpy")
    settings = numpy.seterr(all="ignore") if numpy is not None else NORMAL
    try:
        yield
    finally:
        LazyModule.quiet = before
        if "numpy" in sys.modules:
            sys.modules["numpy"].seterr(**settings)
