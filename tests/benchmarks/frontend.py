"""What reading a program costs, and what a loop without derivatives costs, against Python."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from process import dagrad, interleaved, net, ratio, table

SIZES = (2_500, 5_000, 10_000)
COMPILE = """
import sys, time
from dagrad.grammar import Source, compile_program
source = Source.read(sys.argv[1])
start = time.process_time()
compile_program(source)
print(time.process_time() - start)
"""
LOOP = "{head}s = 0\n{loop}\nprint(s)\n"


def program(lines: int) -> str:
    """Lines of every kind: parameters, functions, loops, conditions, calls, indexing."""
    block = """param w{i} = {i} / 7
def f{i}(x, y=2) {{ return x*y + sin(x - {i}) / (1 + x^2) }}
v{i} = [w{i}, 1, f{i}(w{i}, y=3)]
for k in range(3) {{
    v{i}[k] += k * w{i} if k > 1 else -k
}}
if sum(v{i}) > 0 and w{i} != 3 {{ t{i} = v{i}[0:2] @ v{i}[1:3] }} else {{ t{i} = norm(v{i}) }}
assert t{i} == t{i} or true, "line {{w{i}:.3f}}"
loss{i} = (t{i} - 1)^2  # the distance
"""
    text = "".join(block.format(i=i) for i in range(lines // 9 + 1))
    return "\n".join(text.split("\n")[: lines // 9 * 9]) + "\n"


def frontend(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        reading(Path(name), rounds)
        looping(Path(name), rounds)


def reading(folder: Path, rounds: int) -> None:
    commands = {}
    for lines in SIZES:
        file = folder / f"{lines}.dg"
        file.write_text(program(lines), "utf-8")
        commands[str(lines)] = [sys.executable, "-P", "-c", COMPILE, str(file)]
    costs = interleaved(commands, rounds)
    seconds = {lines: [float(cost.output) for cost in found] for lines, found in costs.items()}
    rows = []
    for lines, found in seconds.items():
        middle, peak = statistics.median(found), max(cost.megabytes for cost in costs[lines])
        rows.append([lines, f"{middle:.2f}", f"{middle / int(lines) * 1e6:.0f}", f"{peak:.0f}"])
    table(["lines", "parse and compile, CPU s", "µs a line", "MB"], rows)
    print()


def looping(folder: Path, rounds: int) -> None:
    count = 1_000_000
    body = "for i in range(n){open}s = s * 0.5 + i{close}"
    ours, theirs = folder / "loop.dg", folder / "loop.py"
    ours.write_text(LOOP.format(head=f"input n = {count}\n", loop=body.format(open=" { ", close=" }")), "utf-8")
    # Inside a function, where Python is at its fastest, and with floats, as the language has no other numbers.
    lines = ["import sys", "def run(n):", "    s = 0.0", "    for i in range(n):", "        s = s * 0.5 + float(i)", "    return s"]
    theirs.write_text("\n".join([*lines, "print(run(int(sys.argv[1])))", ""]), "utf-8")
    commands = {
        "dagrad null": dagrad("run", "-q", ours, "--set", "n=1"),
        "dagrad": dagrad("run", "-q", ours),
        "python null": [sys.executable, str(theirs), "1"],
        "python": [sys.executable, str(theirs), str(count)],
    }
    costs = interleaved(commands, rounds)
    by_dagrad, by_python = (net(costs[who], costs[f"{who} null"]) for who in ("dagrad", "python"))
    row = [f"{count:,}", f"{statistics.median(by_dagrad):.3f}", f"{statistics.median(by_python):.3f}", ratio(by_dagrad, by_python)]
    table(["turns without derivatives", "net s", "Python's net s", "ratio"], [row])
