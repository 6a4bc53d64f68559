"""`dagrad test`: programs as tests, their records, and the reports that CI reads."""

import os
import subprocess
from xml.etree import ElementTree

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models" / "deep").mkdir(parents=True)
    (tmp_path / "models" / "good.dg").write_text("param w = 2\nbackward(w^2)\nprint(w.grad)\nassert w.grad == 4\n")
    (tmp_path / "models" / "deep" / "also.dg").write_text("print(1)\n")
    return tmp_path / "models"


def test_all_below_a_folder(dagrad, folder):
    answer = dagrad("test", "models")
    assert answer.code == 0
    assert answer.lines[:2] == ["ok\tmodels/deep/also.dg", "ok\tmodels/good.dg"]
    assert answer.lines[2].startswith("2 passed in ")


def test_failures_are_1_and_say_where(dagrad, folder):
    (folder / "bad.dg").write_text("x = 1\nassert x > 2\n")
    (folder / "typo.dg").write_text("x = = 1\n")
    answer = dagrad("test", "models", "--error-format", "github")
    assert answer.code == 1
    assert "FAILED\tmodels/bad.dg" in answer.lines
    assert "::error file=models/bad.dg,line=2,col=8," in answer.err
    assert "::error file=models/typo.dg,line=1" in answer.err
    document = dagrad("test", "models", "--json").json
    assert (document["passed"], document["failed"], document["ok"]) == (2, 2, False)


def test_a_record(dagrad, folder):
    assert dagrad("test", "models", "--record").code == 0
    assert (folder / "good.out").read_text() == "4\n"
    assert dagrad("test", "models").code == 0
    (folder / "good.out").write_text("5\n")
    answer = dagrad("test", "models")
    assert answer.code == 1
    assert "differs from good.out in line 1" in answer.err
    assert "-5" in answer.err
    assert "+4" in answer.err


def test_a_recorded_failure_is_a_pass_from_wherever(dagrad, folder, monkeypatch):
    (folder / "bad.dg").write_text("print(1)\ny = zeros(2)[5]\n")
    dagrad("test", "models", "--record")
    assert "bad.dg:2:5" in (folder / "bad.out").read_text()
    assert "models" not in (folder / "bad.out").read_text()
    assert dagrad("test", "models").code == 0
    monkeypatch.chdir(folder)
    assert dagrad("test").code == 0
    (folder / "bad.dg").write_text("print(1)\n")
    assert dagrad("test").code == 1


def test_junit(dagrad, folder):
    (folder / "bad.dg").write_text('print("a\x0cb <&>")\nassert 1 > 2\n')
    dagrad("test", "models", "--junit", "out.xml")
    (suite,) = ElementTree.parse("out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    case = suite.find("testcase[@name='bad.dg']")
    assert case.find("failure").get("message") == "assertion failed: 1 > 2"
    assert case.find("system-out").text.startswith("a?b <&>")


@pytest.mark.parametrize(("words", "message"), [(["none"], "cannot read none"), (["empty"], "no .dg file")])
def test_usage(dagrad, folder, words, message):
    (folder.parent / "empty").mkdir()
    answer = dagrad("test", *words)
    assert answer.code == 2
    assert message in answer.err


def test_a_limit(dagrad, folder):
    (folder / "endless.dg").write_text("while true { x = 1 }\n")
    answer = dagrad("test", "models", "--max-steps", 1000)
    assert answer.code == 1
    assert "more than 1000 steps" in answer.err


def test_processes(process, folder):
    assert process("test", "models", "--jobs", 2, "-q", cwd=folder.parent).lines[0].startswith("2 passed")


def test_many_programs_run_in_one_process(dagrad, folder, monkeypatch):
    """That is what makes one call many times faster than one for each program."""
    for number in range(20):
        (folder / f"p{number}.dg").write_text(f"param w = {number + 1}\nbackward(w^2)\nassert w.grad == {2 * number + 2}\n")
    for module, name in ((subprocess, "Popen"), (os, "fork"), (os, "posix_spawn")):
        monkeypatch.setattr(module, name, None)
    assert dagrad("test", "models").code == 0


def test_a_fault_of_our_own_fails_its_test_only(dagrad, folder, monkeypatch):
    from dagrad.cli.testing import cases

    def broken(source):
        if "good" in source.name:
            raise AssertionError("broken")
        return compile_program(source)

    compile_program = cases.compile_program
    monkeypatch.setattr(cases, "compile_program", broken)
    answer = dagrad("test", "models")
    assert answer.code == 1
    assert answer.lines[:2] == ["ok\tmodels/deep/also.dg", "FAILED\tmodels/good.dg"]
    assert "internal error: AssertionError: broken" in answer.err


def test_what_is_no_file_is_no_test(dagrad, folder):
    os.mkfifo(folder / "pipe.dg")
    (folder / "folder.dg").mkdir()
    assert dagrad("test", "models").lines[-1].startswith("2 passed in ")
