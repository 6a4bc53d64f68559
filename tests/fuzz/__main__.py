"""The fuzzer: `python -m tests.fuzz --count 200000`; what breaks a promise is written into --found, the counts are printed."""

from __future__ import annotations

import argparse
import collections
import sys
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "import_root"))

SHARES = {"generated": 0.4, "broken": 0.35, "soup": 0.15, "raw": 0.1}


def batch(kind: str, seeds: range) -> tuple[collections.Counter[str], list[tuple[int, str]]]:
    """The outcomes of some inputs, and the seeds of those that break a promise."""
    from . import inputs, target

    warnings.simplefilter("error")
    known = inputs.texts()
    counts: collections.Counter[str] = collections.Counter()
    found = []
    for seed in seeds:
        try:
            counts[target.outcome(inputs.input_of(kind, seed, known))] += 1
        except Exception:
            counts["BROKEN"] += 1
            found.append((seed, traceback.format_exc()))
    return counts, found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first input of each kind")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"))
    options = parser.parse_args()
    began = time.time()
    total: collections.Counter[str] = collections.Counter()
    broken = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        jobs = []
        for kind, share in SHARES.items():
            last = options.seed + int(options.count * share)
            pieces = [range(first, min(first + 500, last)) for first in range(options.seed, last, 500)]
            jobs += [(kind, pool.submit(batch, kind, piece)) for piece in pieces]
        for done, (kind, job) in enumerate(jobs, 1):
            counts, found = job.result()
            total.update({f"{kind}: {outcome}": n for outcome, n in counts.items()})
            for seed, trace in found:
                broken += 1
                options.found.mkdir(exist_ok=True)
                (options.found / f"{kind}-{seed}.txt").write_text(trace, "utf-8")
            print(f"\r{done}/{len(jobs)} batches, {sum(total.values())} inputs, {broken} broken", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for outcome, count in sorted(total.items(), key=lambda item: (item[0].split(":")[0], -item[1])):
        print(f"{count:>8}  {outcome}")
    print(f"{sum(total.values()):>8}  inputs in {time.time() - began:.0f} seconds, {broken} broken promises")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
