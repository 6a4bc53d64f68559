"""Digits that `dagrad fit` shares with NIST's certified values, per set, start and method, as the table of docs/fitting.md."""

import csv
import json
import subprocess
import sys
from itertools import groupby
from math import log10
from pathlib import Path

ROOT = Path(__file__).parents[2]
NIST = ROOT / "samples" / "nist"


def digits(found, wanted):
    """Significant digits of the worst pair; NIST gives 11."""
    return min(min(-log10(abs(a - b) / abs(b) or 1e-17) for a, b in zip(found, wanted, strict=True)), 11.0)


def fitted(name, rows, start, method):
    command = [sys.executable, "-m", "dagrad.cli", "fit", str(NIST / f"{name}.dg"), "--method", method, "--json"]
    for row in rows:
        command += ["--start", f"{row['parameter']}={row[start]}"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)
    estimates = [found["estimates"][row["parameter"]] for row in rows]
    values = digits([e["value"] for e in estimates], [float(row["value"]) for row in rows])
    errors = digits([e["std_error"] for e in estimates], [float(row["std_error"]) for row in rows])
    return values, errors, found["evaluations"]


def main():
    print("| set | start | lm: parameters | std. errors | evaluations | trf: parameters | std. errors | evaluations |")
    print("|---|---|---|---|---|---|---|---|")
    rows = csv.DictReader((NIST / "certified.csv").read_text("utf-8").splitlines())
    for name, group in groupby(rows, lambda row: row["set"]):
        rows_of = list(group)
        for start in ("start1", "start2"):
            cells = [f"{v:.1f} | {e:.1f} | {n}" for v, e, n in (fitted(name, rows_of, start, method) for method in ("lm", "trf"))]
            print(f"| {name} | {start[-1]} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
