"""`dagrad sweep`: rows in order, error rows, resuming, several processes, a cluster that loses a worker."""

import json
import os
import signal
import subprocess
import sys
import time
from math import cos, sin

import pytest

SLOW = """
input x = 0
param w = 1
y = x
for i in range(3000) { y = 0.5*y + w*x }
backward(y)
"""
FRAGILE = "input n = 0\nparam w = 2\ny = [1, 2, 3][n] * w^2\nbackward(y)\n"


def rows(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def slow(tmp_path):
    (tmp_path / "slow.dg").write_text(SLOW)
    return tmp_path / "slow.dg"


def test_an_expression_at_each_point(dagrad):
    found = rows(dagrad("sweep", "-e", "a*sin(x)", "--over", "x=linspace(0,1,5)", "--at", "a=2").out)
    assert [row["index"] for row in found] == [0, 1, 2, 3, 4]
    for row in found:
        x = row["point"]["x"]
        assert row["value"] == pytest.approx(2 * sin(x))
        assert row["gradients"] == pytest.approx({"x": 2 * cos(x), "a": sin(x)})


def test_a_program_at_each_point(dagrad):
    found = rows(dagrad("sweep", "-c", FRAGILE, "--over", "n=[0,1]", "--set", "w=3").out)
    assert [row["values"]["y"] for row in found] == [9, 18]
    assert [row["params"]["w"]["grad"] for row in found] == [6, 12]


def test_products_and_pairs(dagrad):
    command = ["sweep", "-e", "x*y", "--over", "x=[1,2]", "--over", "y=[3,4]"]
    assert [row["value"] for row in rows(dagrad(*command).out)] == [3, 4, 6, 8]
    assert [row["value"] for row in rows(dagrad(*command, "--zip").out)] == [3, 8]


def test_points_of_a_file_as_csv(dagrad, tmp_path):
    (tmp_path / "grid.csv").write_text("x,y\n1,2\n3,4\n")
    answer = dagrad("sweep", "-e", "x*y", "--over", tmp_path / "grid.csv", "--format", "csv")
    assert answer.lines == ["index,x,y,value,grad.x,grad.y,error", "0,1,2,2,2,1,", "1,3,4,12,4,3,"]


def test_one_document(dagrad):
    assert [row["value"] for row in dagrad("sweep", "-e", "1/x", "--over", "x=[0,2]", "--json").json["rows"]] == ["Infinity", 0.5]


def test_a_point_that_fails_is_a_row(dagrad):
    answer = dagrad("sweep", "-c", FRAGILE, "--over", "n=[3,1,7]")
    assert answer.code == 1
    assert [row["ok"] for row in rows(answer.out)] == [False, True, False]
    assert rows(answer.out)[0]["error"]["line"] == 3
    assert "2 of 3 points failed" in answer.err
    table = dagrad("sweep", "-c", FRAGILE, "--over", "n=[3,1,7]", "--format", "csv")
    assert table.lines[0] == "index,n,y,w,w.grad,error"
    assert table.lines[1] == "0,3,,,,index 3 is out of range for size 3"


def test_fail_fast(dagrad):
    answer = dagrad("sweep", "-c", FRAGILE, "--over", "n=arange(9)", "--fail-fast")
    assert answer.code == 1
    assert len(rows(answer.out)) == 4
    assert "at n=3: index 3 is out of range" in answer.err


@pytest.mark.parametrize("form", ["jsonl", "csv"])
@pytest.mark.parametrize("damage", [lambda text: text[:-20], lambda text: text[: len(text) // 2], lambda text: "", lambda text: text,
                                    lambda text: "".join(line for i, line in enumerate(text.splitlines(True)) if i != 3)])  # fmt: skip
def test_a_sweep_is_taken_up_where_it_ended(dagrad, tmp_path, form, damage):
    file = tmp_path / "out"
    command = ["sweep", "-e", "x^2", "--over", "x=arange(8)", "--format", form]
    assert dagrad(*command, "-o", file).code == 0
    whole = file.read_text()
    file.write_text(damage(whole))
    assert dagrad(*command, "--resume", file).code == 0
    assert file.read_text() == whole


def test_completed_points_are_not_run_again(dagrad, tmp_path):
    file = tmp_path / "out.jsonl"
    command = ["sweep", "-c", FRAGILE, "--over", "n=[0,1,2]"]
    dagrad(*command, "-o", file)
    marked = file.read_text().replace('"y": 4', '"y": 4444')
    file.write_text(marked[:-5])
    assert dagrad(*command, "--resume", file, "-o", file).code == 0
    assert file.read_text() == marked


def test_rows_of_another_sweep(dagrad, tmp_path):
    file = tmp_path / "out.jsonl"
    dagrad("sweep", "-e", "x", "--over", "x=[1,2]", "-o", file)
    before = file.read_text()
    answer = dagrad("sweep", "-e", "x", "--over", "x=[1,3]", "--resume", file)
    assert answer.code == 2
    assert "another sweep" in answer.err
    assert file.read_text() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-e", "x"], "no points are given"),
        (["-e", "x", "--over", "y=[1]"], "y is no name of the expression"),
        (["-e", "x*a", "--over", "x=[1]"], "no value for a"),
        (["-c", "param a = 1", "--over", "b=[1]"], "no param or input"),
        (["-e", "x", "--over", "x=[1]", "--over", "x=[2]"], "x twice"),
        (["-e", "x*y", "--over", "x=[1]", "--over", "y=[2,3]", "--zip"], "equal lengths"),
        (["-e", "x", "--over", "none.csv"], "cannot read none.csv"),
        (["-e", "x", "--over", "x=[1]", "--dask", "tcp://127.0.0.1:9"], "Dask"),
    ],
)
def test_usage(dagrad, words, message):
    answer = dagrad("sweep", *words)
    assert answer.code == 2
    assert message in answer.err


def test_processes_give_the_same_rows(process, slow):
    command = ["sweep", slow, "--over", "x=linspace(0,1,40)"]
    assert process(*command, "--jobs", 2).out == process(*command).out


def test_imports_travel_with_the_program(process, tmp_path):
    (tmp_path / "lib.dg").write_text("twice(x) = 2*x\n")
    (tmp_path / "main.dg").write_text('import "lib.dg"\ninput x = 0\ny = twice(x)\n')
    answer = process("sweep", "main.dg", "--over", "x=[1,2]", "--jobs", 2)
    assert [row["values"]["y"] for row in rows(answer.out)] == [2, 4]


def begun(command, file, count, environment, **options):
    """The command as a process that has written so many rows."""
    running = subprocess.Popen(command, env=environment(), **options)
    until = time.monotonic() + 60
    while not file.exists() or file.read_bytes().count(b"\n") < count:
        assert running.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    return running


def check_rows(file, count):
    """Every point once, in order, none failed."""
    found = rows(file.read_text())
    assert [row["index"] for row in found] == list(range(count))
    assert all(row["ok"] for row in found)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="finds the worker processes in /proc")
def test_a_process_that_is_killed_loses_nothing(environment, command_line, slow, tmp_path):
    file = tmp_path / "out.jsonl"
    command = [*command_line, "sweep", str(slow), "--over", "x=linspace(0,1,400)", "--jobs", "2", "-o", str(file)]
    running = begun(command, file, 20, environment)
    os.kill(children(running.pid)[-1], signal.SIGKILL)
    assert running.wait(timeout=120) == 0
    check_rows(file, 400)


def children(pid):
    """The worker processes of joblib under a process."""
    found = []
    for folder in os.listdir("/proc"):
        try:
            with open(f"/proc/{folder}/stat") as stat, open(f"/proc/{folder}/cmdline") as line:
                if int(stat.read().rpartition(")")[2].split()[1]) == pid and "popen_loky" in line.read():
                    found.append(int(folder))
        except (OSError, ValueError):
            continue
    return found


@pytest.fixture
def cluster(environment, tmp_path):
    """A scheduler with two workers, each a process: its address, and the workers."""
    pytest.importorskip("distributed")
    address = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment(), "cwd": tmp_path}
    base = [sys.executable, "-m"]
    scheduler = [*base, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(address)]
    started = [subprocess.Popen(scheduler, **quiet)]
    try:
        until = time.monotonic() + 60
        while not address.exists() or not address.read_text().strip():
            assert time.monotonic() < until
            time.sleep(0.05)
        worker = [*base, "distributed.cli.dask_worker", "--scheduler-file", str(address), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        started += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        yield json.loads(address.read_text())["address"], started[1:]
    finally:
        for each in reversed(started):
            each.kill()
            each.wait()


def test_a_cluster_that_loses_a_worker_loses_nothing(environment, command_line, cluster, slow, tmp_path):
    address, workers = cluster
    file = tmp_path / "out.jsonl"
    command = [*command_line, "sweep", str(slow), "--over", "x=linspace(0,1,400)", "--dask", address, "-o", str(file)]
    running = begun(command, file, 20, environment)
    workers[0].kill()
    assert running.wait(timeout=120) == 0
    check_rows(file, 400)


@pytest.mark.parametrize("residual", ["residual = y - a - b*x", "loss = sum((y - a - b*x)^2)"])
def test_a_fit_on_a_cluster_is_the_fit_at_home(process, cluster, tmp_path, residual):
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i / 7},{(i * 37 % 101) / 10 + i / 50}\n" for i in range(1000)))
    (tmp_path / "model.dg").write_text(f"input x = 0\ninput y = 0\nparam a = 0\nparam b = 0\n{residual}\n")
    command = ["fit", "model.dg", "--data", "data.csv", "--json"]
    home, away = process(*command).json, process(*command, "--chunk", 90, "--dask", cluster[0]).json
    for name in "ab":
        for key in ("value", "std_error"):
            assert away["estimates"][name][key] == pytest.approx(home["estimates"][name][key], rel=1e-9)


def test_a_sum_on_a_cluster_is_the_sum_at_home(process, cluster, tmp_path):
    (tmp_path / "data.csv").write_text("x,y\n" + "".join(f"{i / 7},{(i * 37 % 101) / 10}\n" for i in range(1000)))
    command = ["grad", "(y - a*exp(-b[0]*x) - b[1])^2", "--data", "data.csv", "--sum", "--at", "a=2", "--at", "b=[0.5,1]", "--json"]
    home, away = process(*command).json, process(*command, "--chunk", 90, "--dask", cluster[0]).json
    assert away["value"] == pytest.approx(home["value"], rel=1e-12)
    assert away["gradients"]["a"] == pytest.approx(home["gradients"]["a"], rel=1e-12)
    assert away["gradients"]["b"] == pytest.approx(home["gradients"]["b"], rel=1e-12)


class Mortal:
    """A job whose item 3 takes its worker along."""

    def done(self, item):
        return item * 10

    def died(self, item):
        return "died"


def test_an_item_that_kills_every_worker_is_set_aside():
    from dagrad.cli.sweeping.workers import Died, resilient

    def start(job, batches):
        for batch in batches:
            if 3 in batch:
                raise Died
            yield [job.done(item) for item in batch]

    rows = [row for batch in resilient(start, Mortal(), [[0, 1], [2, 3], [4, 5]]) for row in batch]
    assert rows == [0, 10, 20, "died", 40, 50]
