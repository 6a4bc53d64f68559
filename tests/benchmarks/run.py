"""Measures speed and memory: `python tests/benchmarks/run.py --help`.

Ratios from runs that take turns are what counts; seconds of a shared machine are not. Nothing here is part of the tests.
"""

from __future__ import annotations

import argparse
import os
import sys

from compare import compare
from frontend import frontend
from observation import observation
from startup import startup


def main() -> None:
    parser = argparse.ArgumentParser(description="Workloads, as whole processes in turn, against peers.")
    parser.add_argument("--only", metavar="NAME", help="workloads, separated by commas")
    parser.add_argument("--repeats", type=int, default=5, metavar="N", help="rounds (default 5)")
    parser.add_argument("--peers", default="torch,hips,floor", help="which of torch, hips, floor (default all that are installed)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers")
    for part, text in (("startup", "commands that do nothing much"), ("frontend", "long programs"), ("observation", "being observed")):
        parser.add_argument(f"--{part}", action="store_true", help=f"instead of the workloads: {text}")
    asked = parser.parse_args()
    if asked.startup:
        startup(asked.repeats)
    elif asked.frontend:
        frontend(asked.repeats)
    elif asked.observation:
        observation(asked.repeats)
    else:
        compare(asked.only, [peer for peer in asked.peers.split(",") if peer], asked.python, asked.repeats)
    print(f"\n{asked.repeats} rounds; load of the machine at the end {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; one thread each")


main()
