"""Results as one strict JSON document: non-finite numbers are strings, and counted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

SCHEMA = 1
NONFINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def number(x: float) -> float | int | str:
    """Integral floats lose their `.0`, as in the language; -0.0 keeps its sign; NaN and the infinities become strings."""
    if not isfinite(x):
        return NONFINITE[repr(x)]
    # Beyond 1e15 the exponent form is the shortest that reads back to the same float.
    return int(x) if x.is_integer() and abs(x) < 1e15 and (x or repr(x) == "0.0") else x


def plain(value: Any) -> Any:
    """Numbers, tensors, arrays, lists and mappings as what the json module writes strictly."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return number(float(value))
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return plain(value.data)


def count_nonfinite(value: Any) -> int:
    """How many non-finite numbers a plain value holds."""
    if isinstance(value, dict):
        return sum(map(count_nonfinite, value.values()))
    if isinstance(value, list):
        return sum(map(count_nonfinite, value))
    return value in ("NaN", "Infinity", "-Infinity")


def dump(command: str, ok: bool, fields: Mapping[str, Any]) -> str:
    """The document as text: the keys every command shares, then its own."""
    body = plain(fields)
    head = {"schema": SCHEMA, "command": command, "ok": ok, "nonfinite": count_nonfinite(body)}
    return text({**head, **body})


def text(value: Any) -> str:
    """A plain value as strict JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
