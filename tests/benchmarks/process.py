"""One child process and what it cost, and the arithmetic of rounds."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
WORKLOADS = HERE / "workloads"
# One thread each: the question is what an implementation costs, not how many cores it finds. dagrad is that of this working tree.
SETTINGS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
SETTINGS["PYTHONDONTWRITEBYTECODE"] = ""  # who installs it has its modules compiled
SETTINGS["PYTHONPATH"] = f"{ROOT / 'tests' / 'import_root'}{os.pathsep}{WORKLOADS}"


@dataclass
class Cost:
    """Processor seconds (user and system), peak memory in MB, and what was printed."""

    seconds: float
    megabytes: float
    output: str


def measured(command: list[str]) -> Cost:
    """Runs a command to its end; one that fails ends the benchmark."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(command, stdout=output, stderr=errors, cwd=ROOT, env={**os.environ, **SETTINGS})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if child.returncode:
            raise SystemExit(f"{' '.join(command)}\nended with {child.returncode}:\n{errors.read()}")
        return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output.read())


def dagrad(*words: object) -> list[str]:
    """A command line of dagrad, by the script beside this interpreter where it is installed."""
    script = Path(sys.executable).with_name("dagrad")
    start = [str(script)] if script.exists() else [sys.executable, "-P", "-m", "dagrad.cli"]
    return [*start, *map(str, words)]


def interleaved(commands: dict[str, list[str]], rounds: int) -> dict[str, list[Cost]]:
    """Every command once a round, so that a slow moment of the machine meets all of them.

    First the caches are warmed, by what does next to nothing where there is such a run.
    """
    for name in [name for name in commands if name.endswith("null")] or commands:
        measured(commands[name])
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(measured(command))
    return costs


def median(costs: list[Cost]) -> float:
    return statistics.median(cost.seconds for cost in costs)


def net(costs: list[Cost], starts: list[Cost]) -> list[float]:
    """Seconds without start-up, round by round; start-up is taken at its median, or its scatter would enter twice."""
    return [max(cost.seconds - median(starts), 1e-4) for cost in costs]


def ratio(ours: list[float], theirs: list[float]) -> str:
    """The median of the ratios within the rounds, and their range."""
    found = sorted(a / b for a, b in zip(ours, theirs, strict=True))
    return f"{statistics.median(found):.3g} ({found[0]:.3g} … {found[-1]:.3g})"


def table(head: list[str], rows: Iterable[list[str]]) -> None:
    """A Markdown table, so that it can be kept as it is; each row as soon as it is there."""
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head), flush=True)
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)
