"""`dagrad grad`: expressions, points, and every kind of derivative."""

import pytest


def value(dagrad, *arguments):
    answer = dagrad("grad", "--json", *arguments)
    assert answer.code == 0, answer.err
    return answer.json


def test_lines_are_name_tab_value(dagrad):
    answer = dagrad("grad", "x^2 * y", "--at", "x=3", "--at", "y=2")
    assert answer.out == "value\t18\nx\t12\ny\t9\n"


def test_names_come_in_the_order_of_their_first_appearance(dagrad):
    answer = dagrad("grad", "b * a + b", "--at", "a=1", "--at", "b=2")
    assert [line.split("\t")[0] for line in answer.lines] == ["value", "b", "a"]


def test_bare_values_for_scripts(dagrad):
    assert dagrad("grad", "x^2", "--at", "x=3", "--format", "value").out == "6\n"
    assert dagrad("grad", "x * y", "--at", "x=3", "--at", "y=5", "--format", "value", "--wrt", "y", "--wrt", "x").out == "3\n5\n"


def test_the_document(dagrad):
    assert value(dagrad, "x^2", "--at", "x=3") == {
        "schema": 1,
        "command": "grad",
        "ok": True,
        "nonfinite": 0,
        "expression": "x^2",
        "value": 9,
        "gradients": {"x": 6},
    }


def test_json_by_format(dagrad):
    assert dagrad("grad", "x", "--at", "x=1", "--format", "json").json["value"] == 1


def test_what_is_not_finite_is_a_string_and_counted(dagrad):
    found = value(dagrad, "log(x)", "--at", "x=0")
    assert found["value"] == "-Infinity"
    assert found["gradients"] == {"x": "Infinity"}
    assert found["nonfinite"] == 2


@pytest.mark.parametrize(
    ("arguments", "gradient"),
    [
        (["-x^2", "--at", "x=3"], -6),
        (["--at", "x=3", "-x^2"], -6),
        (["-e", "-x^2", "--at", "x=3"], -6),
        (["--at", "x=3", "--", "-x^2"], -6),
        (["-(x)", "--at=x=3"], -1),
        (["--x", "--at", "x=3"], None),
        (["-x", "--at", "x=3"], -1),
        (["-e", "x", "--at", "x=-3"], 1),
        (["--(-x)", "--at", "x=1"], -1),
    ],
)
def test_an_expression_may_begin_with_a_minus_sign(dagrad, arguments, gradient):
    if gradient is None:
        assert dagrad("grad", *arguments).code == 2
    else:
        assert value(dagrad, *arguments)["gradients"] == {"x": gradient}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x=pi/6", 0.5235987755982988),
        ("x=-2", -2),
        ("x = 3", 3),
        ("x=1e-3", 0.001),
        ("x=arange(3)", [0, 1, 2]),
        ("x=[[1,2],[3,4]]", [[1, 2], [3, 4]]),
    ],
)
def test_a_point_is_a_constant_expression(dagrad, text, wanted):
    assert value(dagrad, "x", "--at", text, "--jacobian")["value"] == wanted


def test_points_from_files(dagrad, tmp_path, monkeypatch):
    import numpy as np

    monkeypatch.chdir(tmp_path)
    np.save("v.npy", np.array([1.0, 2.0]))
    np.savez("v.npz", a=np.array([3.0]))
    (tmp_path / "p.csv").write_text("t,y\n0,5\n1,7\n")
    assert value(dagrad, "sum(x)", "--at", "x=@v.npy")["value"] == 3
    assert value(dagrad, "sum(x)", "--at", "x=@v.npz:a")["value"] == 3
    assert value(dagrad, "sum(x)", "--at", "x=@p.csv:y")["value"] == 12
    assert value(dagrad, "sum(x)", "--at", "x=@p.csv")["value"] == 13
    assert dagrad("grad", "sum(x)", "--at", "x=@nosuch.npy").code == 2


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["x^2"], "--at x"),
        (["x*y", "--at", "x=1"], "y"),
        (["x", "--at", "x=1", "--at", "x=2"], "twice"),
        (["x", "--at", "x=1", "--at", "z=2"], "z"),
        (["x", "--at", "x=1", "--wrt", "z"], "z"),
        (["x", "--at", "x"], "--at"),
        (["x", "--at", "x="], "--at"),
        (["x", "--at", "x=1 +"], "--at"),
        (["x", "--at", "x=yy"], "yy"),
        (["x", "y", "--at", "x=1"], "y"),
        (["x", "-e", "x", "--at", "x=1"], "-e"),
        (["x", "--at", "x=1", "--order", "0"], "--order"),
        (["x", "--at", "x=1", "--format", "xml"], "xml"),
    ],
)
def test_usage_errors(dagrad, arguments, word):
    answer = dagrad("grad", *arguments)
    assert answer.code == 2
    assert word in answer.err
    assert answer.out == ""


def test_a_syntax_error_ends_with_3_and_points(dagrad):
    answer = dagrad("grad", "2x", "--at", "x=1")
    assert answer.code == 3
    assert "2*x" in answer.err


def test_a_tensor_needs_sum_or_jacobian(dagrad):
    answer = dagrad("grad", "x^2", "--at", "x=[1,2]")
    assert answer.code == 1
    assert "sum()" in answer.err
    assert "--jacobian" in answer.err
    assert value(dagrad, "x^2", "--at", "x=[1,2]", "--jacobian")["jacobian"] == {"x": [[2, 0], [0, 4]]}


def test_a_name_off_the_path_has_gradient_0(dagrad):
    found = value(dagrad, "detach(x) * y + sum(detach(v))", "--at", "x=3", "--at", "y=2", "--at", "v=[1,2]")
    assert found["gradients"] == {"x": 0, "y": 3, "v": [0, 0]}
    assert value(dagrad, "detach(x)", "--at", "x=3")["gradients"] == {"x": 0}


def test_a_constant_expression(dagrad):
    found = value(dagrad, "2 + 3")
    assert (found["value"], found["gradients"]) == (5, {})


def test_hessian_blocks_are_nested_by_name(dagrad):
    found = value(dagrad, "x^2 * y", "--at", "x=3", "--at", "y=2", "--hessian")
    assert found["hessian"] == {"x": {"x": 4, "y": 6}, "y": {"x": 6, "y": 0}}
    assert value(dagrad, "x^2", "--at", "x=3", "--hessian")["hessian"] == {"x": {"x": 2}}


def test_hessian_of_a_vector(dagrad):
    assert value(dagrad, "sum(x^3)", "--at", "x=[1,2]", "--hessian")["hessian"] == {"x": {"x": [[6, 0], [0, 12]]}}


def test_orders(dagrad):
    assert value(dagrad, "x^4", "--at", "x=2", "--order", "4")["orders"] == {"x": [32, 48, 48, 24]}
    assert value(dagrad, "x", "--at", "x=2", "--order", "3")["orders"] == {"x": [1, 0, 0]}


def test_hessian_times_a_direction(dagrad):
    found = value(dagrad, "sum(x^3)", "--at", "x=[1,2,3]", "--hvp", "x=[1,0,2]")
    assert found["hvp"] == {"x": [6, 0, 36]}
    assert dagrad("grad", "sum(x^3)", "--at", "x=[1,2,3]", "--hvp", "x=1").code == 2


def test_every_derivative_has_its_line(dagrad):
    answer = dagrad("grad", "x^2*y", "--at", "x=3", "--at", "y=2", "--hessian", "--order", "2", "--hvp", "x=1")
    assert answer.lines == [
        "value\t18", "x\t12", "y\t9", "x''\t4", "y''\t0",
        "hessian x x\t4", "hessian x y\t6", "hessian y x\t6", "hessian y y\t0", "hvp x\t4", "hvp y\t6",
    ]  # fmt: skip


def test_names_are_compared_in_one_unicode_form(dagrad):
    assert value(dagrad, "é^2", "--at", "é=3")["gradients"] == {"é": 6}
    assert value(dagrad, "θ", "--at", "θ=3", "--wrt", "θ")["gradients"] == {"θ": 1}


def test_an_error_inside_the_expression(dagrad):
    answer = dagrad("grad", "sum(x[5])", "--at", "x=[1,2]", "--json")
    assert answer.code == 1
    assert answer.json["error"]["line"] == 1
    assert "5" in answer.json["error"]["message"]


@pytest.mark.parametrize("text", ['"a"', '("a", "b")', "(1, (2, 3))", "sin"])
def test_what_is_no_point_is_refused(dagrad, text):
    answer = dagrad("grad", "sum(x)", "--at", f"x={text}")
    assert (answer.code, "neither a number nor a tensor" in answer.err) == (2, True)


def test_a_tuple_of_numbers_is_a_vector(dagrad):
    assert dagrad("grad", "sum(x^2)", "--at", "x=(1, 2)").out == "value\t5\nx\t[2, 4]\n"


def test_names_of_a_choice_come_in_the_order_they_are_written(dagrad):
    answer = dagrad("grad", "a if c else b", "--at", "a=1", "--at", "b=2", "--at", "c=0")
    assert answer.out == "value\t2\na\t0\nc\t0\nb\t1\n"


def test_one_expression_only(dagrad):
    answer = dagrad("grad", "x; x", "--at", "x=1")
    assert (answer.code, "one expression" in answer.err) == (3, True)


def test_a_direction_of_no_name_names_its_option(dagrad):
    assert "--hvp z: the expression has no such name" in dagrad("grad", "x^2", "--at", "x=2", "--hvp", "z=1").err
