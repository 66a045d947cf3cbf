"""Step 5: layer norm and MLP against their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk.block import hidden, layer_norm, mlp, relu, root

SEEDS = st.integers(0, 2**32 - 1)


def test_a_row_by_hand():
    # 1 3 5 7: mean 4, variance (9 + 1 + 1 + 9) / 4 = 5
    assert layer_norm([[1, 3, 5, 7]], 0)[0] == pytest.approx(np.array([-3, -1, 1, 3]) / math.sqrt(5))
    assert root([[1, 3, 5, 7]], 4).tolist() == [[3]]


@given(SEEDS, st.integers(2, 64), st.floats(-50, 50), st.floats(0.5, 50))
def test_it_sees_neither_a_shift_nor_a_factor(seed, d, shift, factor):
    x = np.random.default_rng(seed).normal(size=(3, d)) + 2 * np.arange(d)
    normed = layer_norm(x, 0)
    assert normed.mean(axis=1) == pytest.approx(np.zeros(3), abs=1e-12)
    assert (normed**2).mean(axis=1) == pytest.approx(np.ones(3))
    assert layer_norm(factor * x + shift, 0) == pytest.approx(normed, abs=1e-9)


def test_epsilon_keeps_a_row_of_equal_numbers_finite():
    assert layer_norm([[2.0, 2.0]]).tolist() == [[0, 0]]
    assert layer_norm([[-1e-3, 1e-3]])[0, 1] == pytest.approx(1e-3 / math.sqrt(1e-6 + 1e-5))


def test_a_neuron_is_fed_a_sum_and_gives_nothing_below_zero():
    assert hidden([[1, 2]], [[3, -1], [1, -1]], [0.5, 0.5]).tolist() == [[5.5, -2.5]]
    assert relu([5.5, -2.5, 0]).tolist() == [5.5, 0, 0]


@given(SEEDS, st.integers(1, 5), st.integers(1, 6), st.integers(1, 8))
def test_the_mlp_is_its_sums_written_out(seed, n, d, f):
    rng = np.random.default_rng(seed)
    x, W_1, b_1, W_2, b_2 = (rng.normal(size=s) for s in ((n, d), (d, f), f, (f, d), d))
    for t, c in np.ndindex(n, d):
        lit = [max(0, b_1[j] + sum(x[t, i] * W_1[i, j] for i in range(d))) for j in range(f)]
        assert mlp(x, W_1, b_1, W_2, b_2)[t, c] == pytest.approx(b_2[c] + sum(lit[j] * W_2[j, c] for j in range(f)))
