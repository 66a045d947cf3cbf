"""Step 2: the angles of RoPE and what each scaling does to them. Other people's values are in test_reference.py."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import position
from tokenwalk.scaling import SCALINGS, dynamic_factor, frequencies, llama3, yarn

EVEN = st.integers(1, 8).map(lambda pairs: 2 * pairs)


@given(EVEN, st.floats(2, 1e6))
def test_unscaled_frequencies_are_the_formula(d, base):
    theta, factor = frequencies(d, base)
    assert factor == 1
    assert theta.tolist() == pytest.approx([base ** (-2 * j / d) for j in range(d // 2)])


@pytest.mark.parametrize("scaling", ["none", "linear", "ntk", "yarn"])
@given(st.integers(2, 32).map(lambda pairs: 2 * pairs), st.floats(2, 1e6), st.integers(64, 8192))
def test_a_factor_of_one_changes_nothing(scaling, d, base, original):
    theta, factor = frequencies(d, base, scaling, 1, original)
    assert factor == 1
    assert theta == pytest.approx(frequencies(d, base)[0])


@given(EVEN, st.floats(1, 64), st.integers(0, 100_000))
def test_interpolation_divides_positions(d, s, t):
    theta, factor = frequencies(d, scaling="linear", factor=s)
    assert factor == 1
    assert theta * t == pytest.approx(np.array([t / s * 10000 ** (-2 * j / d) for j in range(d // 2)]))


@given(st.integers(2, 64).map(lambda pairs: 2 * pairs), st.floats(1, 64))
def test_ntk_keeps_the_fastest_pair_and_slows_the_slowest_s_times(d, s):
    theta, factor = frequencies(d, scaling="ntk", factor=s)
    plain = 10000.0 ** (-np.arange(0, d, 2) / d)
    assert factor == 1
    assert (theta[0], theta[-1]) == pytest.approx((1, plain[-1] / s))
    assert (np.diff(plain / theta) >= -1e-9).all()  # the slower a pair, the more it is slowed


@given(st.integers(2, 64).map(lambda pairs: 2 * pairs), st.floats(1.5, 64))
def test_ntk_slows_the_slowest_pair_as_an_exponent_of_1_does_and_every_other_pair_less(d, s):
    theta, _ = frequencies(d, scaling="ntk", factor=s)
    other = (10000.0 * s) ** (-np.arange(0, d, 2) / d) / s ** (2 / d)  # vLLM's NTKScalingRotaryEmbedding
    assert theta[-1] == pytest.approx(other[-1]) and other[0] == pytest.approx(s ** (-2 / d))
    assert (theta[:-1] > other[:-1]).all()


@given(st.floats(1, 64), st.integers(1, 10_000), st.floats(0, 1))
def test_dynamic_scaling_begins_where_training_ended(s, L, part):
    assert dynamic_factor(math.floor(part * L), s, L) == pytest.approx(1)
    assert dynamic_factor(3 * L, s, L) == pytest.approx(2 * s + 1)


@given(st.integers(16, 64).map(lambda pairs: 2 * pairs), st.integers(512, 16384), st.floats(1.5, 32))
def test_yarn_keeps_fast_pairs_and_interpolates_slow_ones(d, L, s):
    theta, factor = frequencies(d, scaling="yarn", factor=s, original=L)
    plain = 10000.0 ** (-np.arange(0, d, 2) / d)
    turns = L * plain / (2 * math.pi)
    step = 10000 ** (2 / d)  # bounds are rounded outwards to a whole pair
    assert theta[turns > 32 * step] == pytest.approx(plain[turns > 32 * step])
    assert theta[turns < 1 / step] == pytest.approx(plain[turns < 1 / step] / s)
    assert (theta <= plain * (1 + 1e-12)).all() and (theta >= plain / s * (1 - 1e-12)).all()
    assert factor == pytest.approx(1 + math.log(s) / 10)


@pytest.mark.parametrize(("nudge", "low"), [(0.999, 7), (1.001, 8)])
def test_the_ramp_of_yarn_begins_at_32_turns_and_ends_at_1(nudge, low):
    # With d = 64, pair 8 turns by 1/10, so it makes 32 turns in 2π · 320 positions. One turn is then made at j = 20.03.
    theta, _ = frequencies(64, scaling="yarn", factor=2, original=2 * math.pi * 320 * nudge)
    w = np.clip((np.arange(32) - low) / (21 - low), 0, 1)
    assert theta == pytest.approx(10000.0 ** (-np.arange(32) / 32) * (1 - w / 2))


def test_yarn_with_bounds_that_are_not_rounded_reaches_its_ends_within_a_pair():
    # As above, but the ramp runs from j = 8 to j = 8 + 32 log 32 / log 10000 exactly.
    theta, _ = yarn(64, 10_000, 2, 2 * math.pi * 320, rounded=False)
    w = np.clip((np.arange(32) - 8) / (32 * math.log(32, 10_000)), 0, 1)
    assert theta == pytest.approx(10000.0 ** (-np.arange(32) / 32) * (1 - w / 2))


def test_yarn_keeps_more_of_theta_on_the_ramp_than_the_paper():
    d, L, s = 128, 4096, 16
    ours, _ = frequencies(d, scaling="yarn", factor=s, original=L)
    plain = 10000.0 ** (-np.arange(0, d, 2) / d)
    kept = np.clip((L * plain / (2 * math.pi) - 1) / (32 - 1), 0, 1)  # the paper's γ, linear in r
    paper = plain * kept + plain / s * (1 - kept)
    middle = (kept > 0.05) & (kept < 0.95)
    assert middle.sum() > 10 and (ours[middle] > paper[middle]).all()


def test_yarn_guards_against_a_ramp_of_no_width():
    # One pair and a context so long that both bounds are cut to d − 1 = 1: the pair is fast and stays as it is.
    assert frequencies(2, scaling="yarn", factor=4, original=10**9)[0].tolist() == [1]


# --- Llama 3.1's own

@given(EVEN, st.floats(2, 1e6), st.floats(1, 64), st.integers(1, 100_000))
def test_llama3_goes_by_the_turns_of_each_pair(d, base, s, L):
    theta, factor = llama3(d, base, s, L)
    assert factor == 1
    for j in range(d // 2):
        plain = base ** (-2 * j / d)
        r = L * plain / (2 * math.pi)
        expected = plain if r > 4 else plain / s if r < 1 else plain / s + (r - 1) / 3 * (plain - plain / s)
        assert theta[j] == pytest.approx(expected)


# --- what is refused

@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"d": 7}, "must be even, not 7"),
        ({"d": 0}, "must be even, not 0"),
        ({"d": -2}, "must be even, not -2"),
        ({"scaling": "dynamic"}, "'dynamic'; there are none, linear, ntk, yarn"),
        ({"scaling": "ntk", "factor": 2, "d": 2}, "a width of 4"),
        ({"base": 1}, "above 1, not 1"),
        ({"base": math.nan}, "above 1, not nan"),
        *[({"scaling": name, "factor": factor, "original": 64}, f"1 or more, not {factor}")
          for name in SCALINGS for factor in (0.5, 0, -2, math.inf, math.nan)],
        *[({"scaling": "yarn", "factor": 4, "original": L}, f"a number above 0, not {L}") for L in (None, 0, -64)],
    ],
)
def test_what_is_refused_is_said_with_what_is_allowed(choice, words):
    with pytest.raises(ValueError, match=words):
        frequencies(**{"d": 8, **choice})


@pytest.mark.parametrize(
    ("choice", "words"),
    [({"d": 7}, "even"), ({"base": 1}, "above 1"), ({"s": 0.5}, "1 or more"), ({"L": None}, "original length")],
)
def test_llama3_refuses_the_same(choice, words):
    with pytest.raises(ValueError, match=words):
        llama3(**{"d": 8, "base": 500_000, "s": 8, "L": 8192, **choice})


def test_position_has_them_too():
    assert position.frequencies is frequencies and position.SCALINGS is SCALINGS
    assert list(SCALINGS) == ["none", "linear", "ntk", "yarn"]
