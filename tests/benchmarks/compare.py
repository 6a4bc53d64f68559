"""The workloads, each a folder: the same computation as a program and in the peers, run in turn as whole processes."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from process import WORKLOADS, Cost, dagrad, interleaved, net, ratio, table

IMPORTED = {"torch": "torch", "hips": "autograd", "floor": "sys"}


@dataclass
class Workload:
    """A folder of `workloads`: how it is run, and how much work a run is."""

    name: str
    title: str
    size: str
    full: int
    operations: str
    null: int = 1
    unit: str = "operation"
    growth: tuple[int, int] | None = None
    missing: str = ""

    @classmethod
    def read(cls, folder: Path) -> Workload:
        return cls(folder.name, **tomllib.loads((folder / "workload.toml").read_text("utf-8")))

    def count(self, size: int) -> int:
        """How many operations a run of this size records."""
        return int(eval(self.operations, {}, {self.size: size}))

    def command(self, who: str, python: str, size: int) -> list[str]:
        setting, folder = f"{self.size}={size}", WORKLOADS / self.name
        if who == "dagrad":
            return dagrad("run", "-q", folder / "program.dg", "--set", setting)
        # -P: the folder holds a torch.py of its own, which must not be what `import torch` finds.
        return [sys.executable if who == "floor" else python, "-P", str(folder / f"{who}.py"), setting]


def known() -> list[Workload]:
    return [Workload.read(file.parent) for file in sorted(WORKLOADS.glob("*/workload.toml"))]


def present(peers: list[str], python: str) -> list[str]:
    """The peers that can be imported; the others are left out and named."""
    found = []
    for peer in peers:
        done = subprocess.run([sys.executable if peer == "floor" else python, "-c", f"import {IMPORTED[peer]}"], capture_output=True)
        if done.returncode:
            print(f"{peer} is left out: {python} cannot import {IMPORTED[peer]}\n")
        else:
            found.append(peer)
    return found


def compare(only: str | None, peers: list[str], python: str, rounds: int) -> None:
    """One row a workload, as each is done."""
    chosen = [w for w in known() if not only or w.name in only.split(",")]
    if not chosen:
        raise SystemExit(f"no workload is called {only}; there are {', '.join(w.name for w in known())}")
    peers = present(peers, python)
    head = ["workload", "CPU s", "net s", "µs/op", "growth", "MB"]
    rows = (row(workload, peers, python, rounds) for workload in chosen)
    table([*head, *(f"net / {peer}" for peer in peers), *(f"whole / {peer}" for peer in peers)], rows)
    for workload in chosen:
        if workload.missing:
            print(f"\n{workload.title}: {workload.missing}")


def row(workload: Workload, peers: list[str], python: str, rounds: int) -> list[str]:
    runners = ["dagrad", *(p for p in peers if (WORKLOADS / workload.name / f"{p}.py").exists())]
    commands = {}
    for who in runners:
        commands[f"{who} null"] = workload.command(who, python, workload.null)
        commands[who] = workload.command(who, python, workload.full)
    costs = interleaved(commands, rounds)
    agree(workload, {who: costs[who][0] for who in runners})
    works = {who: net(costs[who], costs[f"{who} null"]) for who in runners}
    ours = statistics.median(works["dagrad"])
    whole = {who: [cost.seconds for cost in costs[who]] for who in runners}
    of = "" if workload.unit == "operation" else f" a {workload.unit}"
    return [
        workload.title,
        f"{statistics.median(whole['dagrad']):.3f}",
        f"{ours:.3f}",
        f"{ours / workload.count(workload.full) * 1e6:.3g}{of}",
        growth(workload, rounds),
        f"{max(cost.megabytes for cost in costs['dagrad']):.0f}",
        *(ratio(works["dagrad"], works[p]) if p in works else "–" for p in peers),
        *(ratio(whole["dagrad"], whole[p]) if p in whole else "–" for p in peers),
    ]


def growth(workload: Workload, rounds: int) -> str:
    """The time per element at the largest size over that at a small one: 1 where the work is linear."""
    if workload.growth is None:
        return "–"
    sizes = (workload.null, *workload.growth)
    costs = interleaved({str(size): workload.command("dagrad", "", size) for size in sizes}, rounds)
    start, few, many = costs.values()
    small, large = (statistics.median(net(part, start)) for part in (few, many))
    return f"{large / small * sizes[1] / sizes[2]:.2f}"


def agree(workload: Workload, costs: dict[str, Cost]) -> None:
    """A fast wrong answer is no answer: all must print the same value and gradient."""
    told = {who: {word: float(number) for word, number in map(str.split, cost.output.splitlines())} for who, cost in costs.items()}
    for who, numbers in told.items():
        for word, number in numbers.items():
            expected: Any = told["dagrad"][word]
            if not math.isclose(number, expected, rel_tol=1e-6, abs_tol=1e-9):
                raise SystemExit(f"{workload.name}: {who} has {word} {number}, dagrad {expected}")
