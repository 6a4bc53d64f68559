"""Results as JUnit's XML, which CI systems read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from dagrad.grammar import render

from .cases import Result

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML cannot hold


def document(results: Sequence[Result]) -> str:
    """The whole report."""
    failures = sum(not result.ok for result in results)
    total = f"{sum(result.seconds for result in results):.3f}"
    suite = ElementTree.Element("testsuite", name="dagrad", tests=str(len(results)), failures=str(failures), errors="0", time=total)
    for result in results:
        case(suite, result)
    root = ElementTree.Element("testsuites", tests=str(len(results)), failures=str(failures), time=total)
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, "unicode") + "\n"


def case(suite: ElementTree.Element, result: Result) -> None:
    path = Path(result.file)
    made = ElementTree.SubElement(
        suite, "testcase", classname=str(path.parent), name=path.name, file=result.file, time=f"{result.seconds:.3f}"
    )
    if not result.ok:
        message = result.diagnostics[0].message if result.diagnostics else "failed"
        text = "\n".join(render(diagnostic, result.sources) for diagnostic in result.diagnostics)
        ElementTree.SubElement(made, "failure", message=FORBIDDEN.sub("?", message)).text = FORBIDDEN.sub("?", text)
    if result.text:
        ElementTree.SubElement(made, "system-out").text = FORBIDDEN.sub("?", result.text)
