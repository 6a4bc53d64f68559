"""The Python that programs become: what it may refer to, and where its nodes stand."""

from __future__ import annotations

import ast

from dagrad.grammar import Source, compile_program
from dagrad.grammar.blocks import module
from dagrad.grammar.emitter import Checks
from dagrad.grammar.program import python_code
from dagrad.grammar.runtime import OPERATORS, SHARED

PROGRAM = """
param w = [1, 2]
input n = 3
def f(x, k=n) { if x > 0 and k < 5 { return x * k } elif not x { return -x }; while true { break }; return w @ w }
g(x) = f'(x) / x // 2
v = zeros(3); s = 0
for i in range(3) { v[i] = w[0] ^ i; s += v[i] % 2 }
a, b = (f(1, k=2), "text {s:.2f} {v[1:2]}")
h = g
y = h(2) if s < 3 < 4 else w.T.shape[0]
no_grad { w -= 1; w[0] = 2 }
assert y == y, "message"
print(sum(v, axis=0), [[1, 2], [3, 4]])
"""


def compiled(text: str, checks: Checks = Checks()) -> ast.Module:  # noqa: B008 - frozen
    return module(compile_program(Source("test.dg", text)).unit, checks)


def test_names_cannot_reach_python():
    for node in ast.walk(compiled(PROGRAM)):
        if isinstance(node, ast.Name):
            assert node.id.startswith(("v_", "b_", "b0_", "r_", "t_", "i_")), node.id
        if isinstance(node, ast.Attribute):
            assert node.attr == "__defaults__"


def test_runtime_names_exist():
    names = {
        node.id for node in ast.walk(compiled(PROGRAM, Checks(True, True, True))) if isinstance(node, ast.Name) and node.id.startswith("r_")
    }
    assert names - {*SHARED, *OPERATORS} <= {"r_param", "r_input", "r_step", "r_enter", "r_leave"}


def test_every_node_stands_in_the_text():
    lines = PROGRAM.split("\n")
    for node in ast.walk(compiled(PROGRAM)):
        if hasattr(node, "lineno"):
            assert 1 <= node.lineno <= node.end_lineno <= len(lines)
            assert 0 <= node.col_offset <= len(lines[node.lineno - 1])
            assert (node.lineno, node.col_offset) <= (node.end_lineno, node.end_col_offset)


def test_columns_count_code_points():
    program = compile_program(Source("t", 's = "数学θ"; y = [1][2]'))
    error = program.run().error
    assert error is not None
    assert error.diagnostics[0].column == 16


def test_plain_loops_are_plain_python():
    text = ast.unparse(compiled("s = 0\nfor i in range(10) { s += i }\nfor j in range(10) { if j % 2 == 0 { s -= 1 } }"))
    assert "v_i = i_i * 1.0\n        v_s = v_s + v_i" in text
    assert "if i_j % 2 == 0:" in text
    assert "v_j" not in text


def test_checks_are_compiled_in_only_where_asked():
    plain = ast.unparse(compiled(PROGRAM))
    assert not any(word in plain for word in ("r_step", "r_enter", "r_finite"))
    watched = ast.unparse(compiled(PROGRAM, Checks(True, True, True)))
    assert all(word in watched for word in ("r_step", "r_enter", "r_finite"))


def test_compiled_functions_have_no_package():
    program = compile_program(Source("t", "f(x) = x"))
    names: dict[str, object] = {}
    exec(python_code(module(program.unit, Checks()), program.unit), names)
    assert "__package__" not in names
