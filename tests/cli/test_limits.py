"""Programs that would take all time or memory end with exit code 4, the line, and memory far below the machine's."""

import os
import subprocess

import pytest

MEGABYTE = 1024 if os.uname().sysname != "Darwin" else 2**20  # in the units of ru_maxrss
LIMIT = ["--max-memory", "512M", "--timeout", "20", "--error-format", "concise"]


@pytest.fixture
def attack(command_line, environment, tmp_path):
    """Runs a program in a process of its own: exit code, what it said, and the most memory it had in megabytes."""

    def run(text, *options):
        file = tmp_path / "attack.dg"
        file.write_text(text, "utf-8")
        with subprocess.Popen(
            [*command_line, "run", file, *LIMIT, *options], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment()
        ) as process:
            said = process.stderr.read()
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, said.replace(str(tmp_path) + os.sep, ""), used.ru_maxrss / MEGABYTE

    return run


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("x = zeros(10^12)", "1:5", "1000000000000 elements"),
        ("y = 1\nx = randn(10^6, 10^6)", "2:5", "elements"),
        ("x = arange(10^18)", "1:5", "elements"),
        ("x = tile(ones(10), 10^10)", "1:5", "elements"),
        ("x = expand(ones(1), [10^6, 10^6])", "1:5", "elements"),
        ("v = ones(10^6)\nx = outer(v, v)", "2:5", "elements"),
        ("v = ones(10^6)\nx = reshape(v, [-1, 1]) + v", "2:5", "memory for a tensor of shape (1000000, 1000000)"),
        ("v = ones(10)\nwhile true { v = concat(v, v) }", "2:18", ""),
        ("param w = ones(10)\nv = w\nwhile true { v = concat(v, v) }", "3:18", ""),
        ("param w = 1\ny = w\nwhile true { y = y * w }", "3:", "memory"),
        ('s = "a"\nwhile true { s = "{s}{s}" }', "2:18", "memory"),
        ("t = (1, 1)\nwhile true { t = (t, t) }", "2:18", "1,000,000 values"),
        ("t = 1\nwhile true { t = (t,) }", "2:18", "100 levels"),
        ("f(n) = f(n + 1)\ny = f(0)", "1:8", "recursion depth above 100000"),
        ("f(n) = g(n) + 1\ng(n) = 2 * f(n)\ny = f(0)", "", "recursion depth"),
        ("param w = ones(10^5)\nh = hessian(sum(w^2), w)", "2:5", "memory"),
        ("x = " + "(" * 10**6 + "1" + ")" * 10**6, "1:20005", "brackets"),
        ("x = " + "[" * 10**6, "1:20005", "brackets"),
        ("if 1 {" * 10**6, "1:120006", "brackets"),
        ("x = " + "-" * 10**5 + "1\ny = zeros(10^12)", "2:5", "elements"),
    ],
    ids=lambda value: value[:40].replace("\n", "; ") if len(value) > 12 else "",
)
def test_an_attack_ends_with_its_line(attack, text, place, said):
    code, message, memory = attack(text)
    assert code == 4, message
    assert message.startswith(f"attack.dg:{place}")
    assert said in message
    assert memory < 512


def test_an_endless_loop_ends_with_the_time(attack):
    code, message, _ = attack("x = 0\nwhile true { x += 1 }", "--timeout", "0.5")
    assert (code, message[:12]) == (4, "attack.dg:2:")
    assert "more than 0.5 seconds" in message


def test_a_deep_recursion_ends_with_the_memory(attack):
    code, message, _ = attack("f(n) = f(n + 1)\ny = f(0)", "--max-depth", "10000000")
    assert (code, "memory" in message) == (4, True), message


def test_an_endless_loop_ends_with_the_steps(attack):
    code, message, _ = attack("for i in range(10^18) { x = i }", "--max-steps", "1000")
    assert (code, message[:12]) == (4, "attack.dg:1:")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("for i in range(10^18) { break }", 0),
        ("x = 2^(10^9)\nassert x == inf", 0),
        ("x = 2^(10^9) // 3 % 7", 0),
        ('x = 1\nprint("{x:1000000000}")', 3),
        ("x = " + "a" * 10**6, 3),
        ("x = " + "1" * 10**6, 0),
        ('x = "' + "a" * 10**6 + '"', 0),
        ("#" + "a" * 10**6, 0),
        ("x = " + "[" * 70 + "1" + "]" * 70, 1),
        ("v = zeros(1)\nfor i in range(100) { v = unsqueeze(v, 0) }", 1),
        ("x = reshape(ones(4), [2^70, -1])", 1),
        ("seed(2^2000)", 1),
    ],
    ids=lambda value: str(value)[:40].replace("\n", "; "),
)
def test_what_is_large_but_harmless(attack, text, code):
    found, message, memory = attack(text)
    assert found == code, message
    assert memory < 512
    assert "ndarray" not in message


def test_reading_counts_towards_the_timeout(attack):
    code, message, _ = attack("x = " + "1 + " * 250_000 + "1", "--timeout", "0.8")
    assert code == 4
    assert "time is up" in message


def test_limits_hold_outside_of_programs(process):
    assert process("grad", "sum(zeros(10^12) * x)", "--at", "x=1").code == 4
    answer = process("grad", "sum(x^2)", "--at", "x=ones(10^5)", "--hessian")
    assert answer.code == 4
    assert "memory" in answer.err


def test_too_little_memory_is_refused(dagrad):
    answer = dagrad("run", "-c", "x = 1", "--max-memory", "10M")
    assert answer.code == 2
    assert "256M" in answer.err
    assert dagrad("run", "-c", "x = 1", "--max-memory", "lots").code == 2


def test_the_help_names_the_defaults(dagrad):
    text = " ".join(dagrad("run", "--help").out.split())
    for default in ("[default: none]", "[default: unlimited]", "[default: 100000;", "[default: 100000000;", "[default: 4G]"):
        assert default in text


def test_the_limits_of_the_process_are_put_back(dagrad):
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_AS)
    assert dagrad("run", "-c", "x = 1", "--timeout", "5").code == 0
    assert resource.getrlimit(resource.RLIMIT_AS) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
