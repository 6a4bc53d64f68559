"""A short run of the fuzzer with fixed seeds; `python -m tests.fuzz --count 200000` is the long one (docs/fuzzing.md)."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import inputs, target


@pytest.mark.parametrize("kind", inputs.KINDS)
def test_an_input_gives_a_result_or_a_diagnostic(kind):
    known = inputs.texts()
    outcomes = {target.outcome(inputs.input_of(kind, seed, known)) for seed in range(250)}
    assert len(outcomes) > 5


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_bytes(data):
    target.outcome(data)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(inputs.PIECES), max_size=25).map("".join))
def test_pieces_of_programs(text):
    target.outcome(text.encode("utf-8", "surrogatepass"))
