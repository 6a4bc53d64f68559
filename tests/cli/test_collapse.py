"""`dagrad graph dump` of what repeats: folded to ×N, with nothing hidden unsaid; and the forms for other tools."""

import os
import re
import resource
import shutil
import subprocess

import pytest

CHAIN = "param x = 1\ny = x\nfor i in range(600) { y = sin(y) * x }\nbackward(y)\n"
NESTED = "param x = 1\ny = x\nfor i in range(30) {\n  for j in range(10) { y = y * x }\n  y = sin(y)\n}\nbackward(y)\n"
BRANCHES = "param x = 1\ny = x\nfor i in range(400) {\n  if rand() > 0.5 { y = y * x } else { y = sin(y) + x }\n}\nbackward(y)\n"
RECURSION = "param x = 0.5\ndef f(n) { if n <= 1 { return x }; return x * f(n - 1) + n }\nbackward(f(400))\n"
UNROLLED = "param x = 1\ny = x\n" + "y = sin(y)\n" * 600 + "backward(y)\n"


@pytest.fixture
def dump(dagrad, tmp_path):
    def run(source, *options):
        file = tmp_path / "model.dg"
        file.write_text(source)
        answer = dagrad("graph", "dump", file, *options)
        assert answer.code == 0, answer.err
        return answer

    return run


def groups(answer):
    return [(g["least"], g["most"], g["parent"], g["lines"], g["nodes"]) for g in answer.json["collapsed"]["groups"]]


def test_a_loop_is_drawn_once(dump):
    found = dump(CHAIN, "--json", "--collapse")
    assert groups(found) == [(600, 600, None, [3], 1200)]
    assert [(node["op"], node["count"]) for node in found.json["nodes"]] == [
        ("AccumulateGrad", 1),
        ("SinBackward0", 600),
        ("MulBackward0", 600),
    ]
    assert found.json["summary"]["nodes"] == 1201
    assert sum(edge["count"] for edge in found.json["edges"]) == found.json["summary"]["edges"] == 1800


def test_a_loop_in_a_loop(dump):
    assert groups(dump(NESTED, "--json", "--collapse")) == [(30, 30, None, [4, 5], 330), (10, 10, "g1", [4], 300)]


def test_loops_of_different_length_are_one_group(dump):
    source = NESTED.replace("range(10)", "range(2 + i)")
    assert groups(dump(source, "--json", "--collapse"))[1][:3] == (2, 31, "g1")


def test_the_levels_of_a_recursion(dump):
    assert groups(dump(RECURSION, "--json", "--collapse")) == [(399, 399, None, [2], 798)]


def test_branches_fall_together_by_place(dump):
    found = dump(BRANCHES, "--json", "--collapse").json
    assert len(found["nodes"]) == 4
    assert sum(node["count"] for node in found["nodes"]) == found["summary"]["nodes"]


def test_a_run_of_equal_operations_on_different_lines(dump):
    assert groups(dump(UNROLLED, "--json", "--collapse"))[0][0] == 600


def test_small_graphs_are_shown_as_they_are(dump):
    source = CHAIN.replace("600", "200")
    assert len(dump(source).lines) == 401
    assert len(dump(source, "--collapse").lines) < 10


def test_large_ones_are_folded_and_it_is_said(dump):
    answer = dump(CHAIN)
    assert len(answer.lines) == 5
    assert "1,201 nodes are drawn as 3" in answer.lines[-1]
    assert len(dump(CHAIN, "--no-collapse").lines) == 1201
    assert len(dump(CHAIN, "--json").json["nodes"]) == 1201


@pytest.mark.parametrize("form", ["text", "tree", "dot", "mermaid", "svg", "html"])
def test_what_max_nodes_leaves_out_is_said(dump, form):
    answer = dump(CHAIN, "--no-collapse", "--max-nodes", "10", "--format", form)
    assert "1,191 nodes" in answer.out
    assert "--max-nodes" in answer.out


@pytest.mark.parametrize("source", [CHAIN, NESTED, BRANCHES, RECURSION, UNROLLED])
@pytest.mark.parametrize("form", ["text", "tree", "dot", "mermaid", "svg", "html"])
def test_forms_say_how_often(dump, source, form):
    assert "×" in dump(source, "--collapse", "--format", form).out


@pytest.mark.slow
def test_a_hundred_thousand_nodes(process, tmp_path):
    (tmp_path / "model.dg").write_text(
        "param w = 0.5\nparam b = 0.1\nloss = 0\n"
        "for i in range(20000) {\n  p = w * i + b\n  r = p - sin(i)\n  loss += r^2\n}\nbackward(loss)\n"
    )
    for form in ("text", "html"):
        answer = process("graph", "dump", "model.dg", "--format", form)
        assert answer.code == 0
        assert "100,002 nodes" in answer.out
        assert len(answer.lines) <= 60 or form == "html"
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 500_000


@pytest.mark.skipif(not shutil.which("dot"), reason="needs Graphviz")
@pytest.mark.parametrize("source", [CHAIN, NESTED, BRANCHES])
def test_graphviz_accepts_dot(dump, source):
    text = dump(source, "--collapse", "--saved", "--values", "--format", "dot").out
    done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True)
    assert done.returncode == 0
    assert not done.stderr


STATEMENT = re.compile(
    r"flowchart TD|  %% .*|\s+end|\s+subgraph g\d+\[\"[^\"]*\"\]|\s+n\d+(\(\[\"[^\"]*\"\]\)|\[\"[^\"]*\"\])"
    r"|  n\d+ -->(\|×\d+\|)? n\d+|  classDef \w+ \S+|  class [n\d,]+ \w+"
)


@pytest.mark.parametrize("source", [CHAIN, NESTED, BRANCHES, 'param x = 2\nbackward(where(x < 3, x, -x) * x) # "a" <b>\n'])
def test_mermaid_is_well_formed(dump, source):
    """Each line is one of the statements that Mermaid's own parser was seen to accept, and subgraphs are closed."""
    lines = dump(source, "--collapse", "--saved", "--values", "--format", "mermaid").lines
    assert [line for line in lines if not STATEMENT.fullmatch(line)] == []
    assert sum(line.strip().startswith("subgraph") for line in lines) == sum(line.strip() == "end" for line in lines)


MERMAID = """
import { pathToFileURL } from "node:url"; import { readFileSync } from "node:fs"; import { join } from "node:path";
const from = (name) => import(pathToFileURL(join(process.env.MERMAID_MODULES, name)).href);
const { JSDOM } = await from("jsdom/lib/api.js"); globalThis.window = new JSDOM("").window; globalThis.document = window.document;
await (await from("mermaid/dist/mermaid.core.mjs")).default.parse(readFileSync(0, "utf8"));
"""


@pytest.mark.skipif("MERMAID_MODULES" not in os.environ, reason="needs the npm packages mermaid and jsdom, their folder in MERMAID_MODULES")
@pytest.mark.parametrize("source", [CHAIN, NESTED, BRANCHES, 'param x = 2\nbackward(where(x < 3, x, -x) * x) # "a" <b>\n'])
def test_mermaids_own_parser_accepts_it(dump, source):
    text = dump(source, "--collapse", "--saved", "--values", "--format", "mermaid").out
    done = subprocess.run(["node", "--input-type=module", "-e", MERMAID], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
