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
    # Whether one id is drawn makes another less likely, so the variance of the number held is at most its mean. The
    # mean of 20 batches lies within five of its standard deviations, and would miss once in a million seeds.
    for n, published in ((1024, 606), (4000, 1891), (8192, 3360)):
        held = [len(set(zipf.batch(50_257, n, 1.0, 5, tick).tolist())) for tick in range(20)]
        expected = zipf.expected_distinct(50_257, n)
        assert round(expected) == published and abs(np.mean(held) - expected) < 5 * np.sqrt(expected / 20)


def test_a_batch_over_the_vocabulary_of_llama_3_is_quick():
    times = []
    for tick in range(5):  # the first also fills the cache
        start = time.perf_counter()
        zipf.batch(128_256, 4096, 1.0, 0, tick)
        times.append(time.perf_counter() - start)
    assert min(times) < 0.01


def test_words_fall_with_their_rank_and_sum_to_one():
    for V in (1, 12, 1000, 128_256):
        p = zipf.words(V)
        assert p.shape == (V,) and p.sum() == pytest.approx(1) and (np.diff(p) <= 0).all()
    for V in (0, 128_257):
        with pytest.raises(ValueError, match="the ranks 1 to 128256"):
            zipf.words(V)


def test_words_pass_through_the_list_and_are_straight_between_in_both_logarithms():
    ranks, frequencies = (np.array(zipf.WORDS[key]) for key in ("ranks", "frequencies"))
    p = zipf.words(128_256)
    assert p[ranks - 1] / p[0] == pytest.approx(frequencies / frequencies[0])
    k = np.flatnonzero(np.diff(ranks) > 100)[0]
    middle = round(np.sqrt(ranks[k] * ranks[k + 1]))
    assert p[middle - 1] == pytest.approx(np.sqrt(p[ranks[k] - 1] * p[ranks[k + 1] - 1]), rel=0.01)


def test_the_commonest_english_word_is_about_one_in_twenty():
    # "the" is 6 to 7 per cent of printed English (Brown corpus: 69,971 of 1,014,312); in speech and on the web less.
    first, second = zipf.WORDS["frequencies"][:2]
    assert 0.04 < first < 0.075 and first / second == pytest.approx(2, rel=0.1)  # Zipf's second rank
