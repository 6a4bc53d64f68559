"""`dagrad grad --data`: gradients of a sum over the rows of a file, in pieces or at once."""

import subprocess
import sys

import pytest


@pytest.fixture
def data(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("x,y\n" + "".join(f"{i / 7},{(i * 37 % 101) / 10}\n" for i in range(1000)))
    return file


def test_pieces_add_up(dagrad, data):
    command = ["grad", "(y - a*exp(-b*x))^2", "--data", data, "--at", "a=2", "--at", "b=0.5", "--sum", "--json"]
    whole = dagrad(*command).json
    for rows in (1, 7, 1000, 5000):
        pieces = dagrad(*command, "--chunk", rows).json
        assert pieces["value"] == pytest.approx(whole["value"], rel=1e-12)
        assert pieces["gradients"] == pytest.approx(whole["gradients"], rel=1e-12)


def test_without_a_sum_it_asks_for_one(dagrad, data):
    answer = dagrad("grad", "y - a*x", "--data", data, "--at", "a=2")
    assert answer.code == 2
    assert "--sum" in answer.err


def test_a_sum_in_the_expression_will_do(dagrad, data):
    assert dagrad("grad", "sum(a*x)", "--data", data, "--at", "a=2", "--format", "value").out.startswith("71357")


def test_sum_without_data(dagrad):
    assert dagrad("grad", "x^2", "--at", "x=[1,2]", "--sum").lines == ["value\t5", "x\t[2, 4]"]


@pytest.mark.parametrize(("words", "message"), [(["a*z"], "no column"), (["a*x"], "no value for a"), (["x", "--wrt", "x"], "--wrt x")])
def test_usage(dagrad, data, words, message):
    answer = dagrad("grad", *words, "--data", data, "--sum")
    assert answer.code == 2
    assert message in answer.err


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="measures memory")
def test_memory_stays_bounded(environment, command_line, tmp_path):
    """Two million rows in pieces take no more than a hundred thousand do, give or take a piece."""
    file = tmp_path / "big.csv"
    block = "".join(f"{i % 97 / 10},{i % 89 / 10}\n" for i in range(100_000))
    peaks = []
    for blocks in (1, 20):
        with file.open("w") as out:
            out.write("x,y\n")
            out.writelines([block] * blocks)
        command = [*command_line, "fit", "-e", "a + b*x", "--data", str(file), "--chunk", "50000", "--start", "a=0", "--start", "b=0"]
        peak = "resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss"
        script = f"import resource, subprocess; subprocess.run({command!r}, check=True); print({peak})"
        done = subprocess.run([sys.executable, "-c", script], env=environment(), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        peaks.append(int(done.stdout.splitlines()[-1]))
    assert peaks[1] < peaks[0] + 20_000
