"""Steps 3 and 4: weights, mask, bias, axes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk.attention import attention, causal, concatenated, per_head, softmax

SEEDS = st.integers(0, 2**32 - 1)


def by_hand(q, k, v, mask=None, bias=None):
    """Attention in loops, for one head."""
    n, m, d = len(q), len(k), len(q[0])
    weights = np.zeros((n, m))
    for i, j in np.ndindex(n, m):
        if mask is None or mask[i][j]:
            score = sum(q[i][c] * k[j][c] for c in range(d)) / math.sqrt(d)
            weights[i, j] = math.exp(score + (0 if bias is None else bias[i][j]))
    weights /= weights.sum(axis=1)[:, None]
    return weights @ v, weights


@given(SEEDS, st.integers(1, 6), st.integers(1, 6), st.integers(1, 4), st.integers(1, 4), st.booleans(), st.booleans())
def test_it_is_the_sum_written_out(seed, n, m, d, e, masked, biased):
    rng = np.random.default_rng(seed)
    q, k, v = rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.normal(size=(m, e))
    mask = (rng.random((n, m)) < 0.5) | (np.arange(m) == 0) if masked else None
    bias = rng.normal(size=(n, m)) if biased else None
    for ours, theirs in zip(attention(q, k, v, mask, bias), by_hand(q, k, v, mask, bias), strict=True):
        assert ours == pytest.approx(theirs)


@given(SEEDS, st.integers(1, 8), st.integers(1, 5), st.randoms(use_true_random=False))
def test_without_a_mask_it_is_permutation_equivariant(seed, n, d, random):
    rng = np.random.default_rng(seed)
    x, W_Q, W_K, W_V = rng.normal(size=(n, d)), *rng.normal(size=(3, d, d))
    order = random.sample(range(n), n)
    here, there = (attention(h @ W_Q, h @ W_K, h @ W_V)[0] for h in (x, x[order]))
    assert there == pytest.approx(here[order])


@given(SEEDS, st.integers(2, 8))
def test_with_a_causal_mask_nothing_depends_on_what_follows(seed, n):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    changed = x.copy()
    changed[-1] += 5
    before, after = (attention(h, h, h, causal(n))[0] for h in (x, changed))
    assert np.array_equal(before[:-1], after[:-1])
    assert before[0] == pytest.approx(x[0])  # the first token sees only itself


def test_batch_and_head_axes_are_carried():
    rng = np.random.default_rng(1)
    q, k, v = rng.normal(size=(3, 2, 3, 5, 4))  # batch 2, heads 3, n 5, d 4
    bias = rng.normal(size=(3, 5, 5))           # one for each head
    output, weights = attention(q, k, v, causal(5), bias)
    assert output.shape == (2, 3, 5, 4) and weights.shape == (2, 3, 5, 5)
    for b, h in np.ndindex(2, 3):
        expected = by_hand(q[b, h], k[b, h], v[b, h], causal(5), bias[h])
        assert output[b, h] == pytest.approx(expected[0]) and weights[b, h] == pytest.approx(expected[1])


def test_one_set_of_keys_serves_all_heads():
    rng = np.random.default_rng(2)
    q, k, v = rng.normal(size=(3, 5, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 4))
    assert attention(q, k, v)[0][2] == pytest.approx(by_hand(q[2], k, v)[0])


def test_large_scores_do_not_overflow():
    output, weights = attention([[1e4]], [[1e4], [1.0]], [[1.0], [2.0]])
    assert weights.tolist() == [[1.0, 0.0]] and output.tolist() == [[1.0]]


def test_what_is_masked_gets_exactly_nothing():
    x = np.ones((4, 2))
    weights = attention(x, x, x, causal(4))[1]
    assert weights == pytest.approx(np.array([[1, 0, 0, 0], [1 / 2] * 2 + [0] * 2, [1 / 3] * 3 + [0], [1 / 4] * 4]))
    assert (weights[~causal(4)] == 0).all()


def test_the_causal_mask_allows_the_past_and_the_present():
    assert causal(3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]


@pytest.mark.parametrize("how", ["mask", "bias"])
def test_a_query_that_may_look_nowhere_is_refused(how):
    x, allowed = np.ones((2, 2)), np.array([[True, True], [False, False]])
    block = {"mask": {"mask": allowed}, "bias": {"bias": np.where(allowed, 0, -np.inf)}}[how]
    with pytest.raises(ValueError, match="at one token at least"):
        attention(x, x, x, **block)


def test_no_tokens_give_no_output():
    assert attention(np.ones((0, 2)), np.ones((0, 2)), np.ones((0, 2)))[0].shape == (0, 2)


@given(SEEDS, st.floats(-1e3, 1e3))
def test_softmax_does_not_see_a_shift(seed, shift):
    scores = np.random.default_rng(seed).normal(size=(3, 4))
    assert softmax(scores + shift) == pytest.approx(softmax(scores), rel=1e-9)
    assert softmax(scores) == pytest.approx(np.exp(scores) / np.exp(scores).sum(axis=1)[:, None])


def test_each_head_has_a_matrix_of_its_own_and_fills_its_own_columns():
    h = [[1, 2], [3, 4], [5, 6]]            # (n, d) = (3, 2)
    W = [[[1, 0], [0, 0]], [[0, 10], [1, 0]]]  # (H, d, w)
    q = per_head(h, W)
    assert q.tolist() == [[[1, 0], [3, 0], [5, 0]], [[2, 10], [4, 30], [6, 50]]]
    assert concatenated(q).tolist() == [[1, 0, 2, 10], [3, 0, 4, 30], [5, 0, 6, 50]]
    assert per_head([h, h], W).shape == (2, 2, 3, 2) and concatenated(per_head([h, h], W)).shape == (2, 3, 4)
