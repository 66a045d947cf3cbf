"""Step 6: final norm, logits, temperature."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import output, toy

SEEDS = st.integers(0, 2**32 - 1)


def test_the_gain_multiplies_a_row_of_unit_variance():
    rows = output.final([[1, 3, 5, 7]], 4)
    assert rows[0] == pytest.approx(4 * np.array([-3, -1, 1, 3]) / math.sqrt(5), rel=1e-5)  # but for ε


def test_a_logit_is_the_product_of_two_rows():
    assert output.logits([[1, 2], [0, 1]], [[3, 4], [5, 6], [7, 8]]).tolist() == [[11, 17, 23], [4, 6, 8]]


@given(SEEDS, st.floats(0.05, 20))
def test_the_odds_of_two_tokens_follow_the_temperature(seed, T):
    logits = np.random.default_rng(seed).normal(size=5)
    p = output.probabilities(logits, T)
    assert p.sum() == pytest.approx(1)
    assert math.log(p[1] / p[0]) == pytest.approx((logits[1] - logits[0]) / T)


@pytest.mark.parametrize("T", [0, -1, math.nan])
def test_a_temperature_that_is_not_above_zero_is_refused(T):
    with pytest.raises(ValueError, match="a temperature is above 0"):
        output.probabilities([1, 2], T)


@given(SEEDS)
def test_a_mixture_of_two_rows_is_never_the_largest(seed):
    rows = np.random.default_rng(seed).normal(size=(50, 4))
    logits = output.logits(rows, toy.E)
    cat, roof, end = (toy.TOKENS.index(token) for token in ("␣cat", "␣roof", "<|endoftext|>"))
    assert (logits[:, end] <= np.maximum(logits[:, cat], logits[:, roof]) + 1e-12).all()
