"""NumPy on demand: a program of plain numbers never pays for importing it."""

from __future__ import annotations

import importlib
from typing import Any


class LazyModule:
    """Stands for a module until its first attribute is asked for; each attribute found is kept, so later look-ups are plain ones."""

    def __init__(self, name: str) -> None:
        self.__name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self.__name), attribute)
        setattr(self, attribute, value)
        return value


# One NumPy for the whole engine. Its type is Any: NumPy's stubs cannot follow settings, such as keepdims, that are known at run time only.
np: Any = LazyModule("numpy")
special: Any = LazyModule("scipy.special")
linalg: Any = LazyModule("scipy.linalg")
