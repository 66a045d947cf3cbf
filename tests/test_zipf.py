"""Zipf's law: its values, its draws, and the expected number of different ids."""

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import zipf


def test_the_law_is_one_over_the_rank():
    assert zipf.law(4) == pytest.approx(np.array([12, 6, 4, 3]) / 25)
    assert zipf.law(3, s=2) == pytest.approx(np.array([36, 9, 4]) / 49)
    assert zipf.law(5, s=0) == pytest.approx(np.full(5, 0.2))


def test_an_empty_vocabulary_is_refused():
    with pytest.raises(ValueError, match="at least one id, not 0"):
        zipf.law(0)


@given(st.integers(1, 500), st.integers(0, 200), st.floats(0, 3), st.integers(0, 99), st.integers(0, 99))
def test_a_batch_holds_n_ids_and_comes_again_for_the_same_seed_and_tick(V, n, s, seed, tick):
    ids = zipf.batch(V, n, s, seed, tick)
    assert ids.shape == (n,) and ids.dtype.kind == "i"
    assert n == 0 or (ids.min() >= 0 and ids.max() < V)
    zipf.cumulative.cache_clear()  # a cache may vanish at any time
    assert np.array_equal(ids, zipf.batch(V, n, s, seed, tick))


@pytest.mark.parametrize("V", [1, 3, 50_257, 128_256])
@pytest.mark.parametrize("s", [0.5, 1.0, 1.5])
def test_no_draw_falls_past_the_last_id(V, s):
    assert zipf.cumulative(V, s)[-1] == 1


def test_another_seed_or_tick_draws_another_batch():
    draws = [zipf.batch(1000, 50, 1.0, seed, tick).tolist() for seed, tick in [(0, 0), (0, 1), (1, 0)]]
    assert draws[0] != draws[1] != draws[2] != draws[0]


def test_draws_follow_the_law():
    n, V = 200_000, 20
    counts = np.bincount(zipf.batch(V, n, 1.0, seed=3, tick=0), minlength=V)
    p = (1 / np.arange(1, V + 1)) / sum(1 / np.arange(1, V + 1))
    assert (np.abs(counts - n * p) < 5 * np.sqrt(n * p * (1 - p))).all()  # five standard deviations


@pytest.mark.parametrize(("V", "n", "s"), [(1, 0, 1), (1, 1, 0), (1, 7, 1), (3, 1, 1), (3, 5, 2), (9, 4, 1), (6, 0, 1)])
def test_the_expected_number_is_exact_for_small_vocabularies(V, n, s):
    weights = [Fraction(1, rank**s) for rank in range(1, V + 1)]
    exact = sum(1 - (1 - w / sum(weights)) ** n for w in weights)
    assert zipf.expected_distinct(V, n, s) == pytest.approx(float(exact))


def test_the_expected_number_is_stable_for_tiny_probabilities():
    # With s = 3 most of a million ids have p below 1e-16, where 1 − p is 1. For one draw the answer is 1 whatever p is.
    assert zipf.expected_distinct(1_000_000, 1, 3.0) == pytest.approx(1, rel=1e-12)


def test_the_expected_number_is_what_batches_hold():
    held = [len(set(zipf.batch(50_257, 4000, 1.0, 5, tick).tolist())) for tick in range(20)]
    assert np.mean(held) == pytest.approx(zipf.expected_distinct(50_257, 4000), rel=0.02)


def test_a_batch_over_the_vocabulary_of_llama_3_is_quick():
    times = []
    for tick in range(5):  # the first also fills the cache
        start = time.perf_counter()
        zipf.batch(128_256, 4096, 1.0, 0, tick)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01
