"""What it costs to be observed: source places, memory statistics, and the trace, on the scalar loop."""

from __future__ import annotations

import statistics
import sys

from process import HERE, WORKLOADS, dagrad, interleaved, net, ratio, table

PROGRAM = WORKLOADS / "scalar_loop" / "program.dg"
OPTIONS = {"plain": [], "memory statistics (--memory)": ["--memory"], "trace to a file (--trace -o FILE)": ["--trace", "-o", "/dev/null"]}


def observation(rounds: int) -> None:
    """Each against the plain run, net of start-up."""
    rows = [places(rounds)]
    turns = 100_000
    for name in ("memory statistics (--memory)", "trace to a file (--trace -o FILE)"):
        commands = {}
        for who in ("plain", name):
            for size in (1, turns):
                commands[f"{who} {size}"] = dagrad("run", "-q", PROGRAM, "--set", f"n={size}", *OPTIONS[who])
        costs = interleaved(commands, rounds)
        off, on = (net(costs[f"{who} {turns}"], costs[f"{who} 1"]) for who in ("plain", name))
        rows.append([name, f"{turns:,}", f"{statistics.median(off):.3f}", f"{statistics.median(on):.3f}", ratio(on, off)])
    table(["observed by", "turns", "off, net s", "on, net s", "ratio"], rows)


def places(rounds: int) -> list[str]:
    """The place in the source that every node keeps: always on, so it is an engine without it that must be made."""
    turns, commands = 100_000, {}
    for who, script in (("with", ["-m", "dagrad.cli"]), ("without", [str(HERE / "without_places.py")])):
        for size in (1, turns):
            commands[f"{who} {size}"] = [sys.executable, "-P", *script, "run", "-q", str(PROGRAM), "--set", f"n={size}"]
    costs = interleaved(commands, rounds)
    on, off = (net(costs[f"{who} {turns}"], costs[f"{who} 1"]) for who in ("with", "without"))
    return ["source places (always on)", f"{turns:,}", f"{statistics.median(off):.3f}", f"{statistics.median(on):.3f}", ratio(on, off)]
