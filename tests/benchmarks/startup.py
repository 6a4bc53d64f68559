"""What a command costs before it does any work, against importing NumPy."""

from __future__ import annotations

import statistics
import sys

from process import dagrad, interleaved, median, ratio, table

TEN_LINES = """param a = 2
param b = 3
c = a * b
d = c + sin(a)
if d > 3 { d = d * 2 }
for i in range(3) { d += c / (i + 1) }
loss = d^2
backward(loss)
print("loss", loss)
print("slope", a.grad)
"""
WITH_ARRAYS = TEN_LINES.replace("param a = 2", "param a = [1, 2]").replace("d > 3", "sum(d) > 3").replace("d^2", "sum(d^2)")


def startup(rounds: int) -> None:
    commands = {
        "python -c 'import numpy'": [sys.executable, "-c", "import numpy"],
        "python -c pass": [sys.executable, "-c", "pass"],
        "dagrad --version": dagrad("--version"),
        "dagrad grad 'x^2 * sin(y)' --at x=2 --at y=3": dagrad("grad", "x^2 * sin(y)", "--at", "x=2", "--at", "y=3"),
        "dagrad run, 10 lines on scalars": dagrad("run", "-c", TEN_LINES),
        "dagrad run, 10 lines on arrays": dagrad("run", "-c", WITH_ARRAYS),
    }
    costs = interleaved(commands, rounds)
    against = [cost.seconds for cost in next(iter(costs.values()))]
    rows = []
    for name, found in costs.items():
        memory = statistics.median(cost.megabytes for cost in found)
        rows.append([f"`{name}`", f"{median(found) * 1e3:.0f}", ratio([cost.seconds for cost in found], against), f"{memory:.0f}"])
    table(["command", "CPU ms", "/ import numpy", "MB"], rows)
