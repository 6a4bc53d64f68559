"""A hundred small programs in one `dagrad test` against a hundred calls of `dagrad run`."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

COUNT = 100
DAGRAD = [sys.executable, "-m", "dagrad.cli"]


def seconds(commands):
    began = time.perf_counter()
    for command in commands:
        subprocess.run([*DAGRAD, *command], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"p{number}.dg" for number in range(COUNT)]
        for number, file in enumerate(files):
            file.write_text(f"param w = {number}\nbackward(w^2 + sin(w))\nassert_close(w.grad, 2*{number} + cos({number}))\n")
        together = min(seconds([["test", folder]]) for _ in range(3))
        apart = seconds([["run", "-q", str(file)] for file in files])
    print(f"{COUNT} programs: {together:.2f} s in one call, {apart:.2f} s in {COUNT} calls, {apart / together:.0f} times")


if __name__ == "__main__":
    main()
