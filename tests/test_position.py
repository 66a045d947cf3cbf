"""Step 2: every position scheme."""

import cmath
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import position, toy
from tokenwalk.attention import attention

SEEDS = st.integers(0, 2**32 - 1)
EVEN = st.integers(1, 8).map(lambda pairs: 2 * pairs)
LAYOUT = st.sampled_from(["interleaved", "halves"])


# --- sinusoidal and learned

@given(st.integers(0, 40), EVEN, st.floats(2, 1e6))
def test_a_wave_is_the_formula(n, d, base):
    table = position.sinusoidal(n, d, base)
    assert table.shape == (n, d)
    for t, j in np.ndindex(n, d // 2):
        angle = t / base ** (2 * j / d)
        assert table[t, 2 * j : 2 * j + 2].tolist() == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-9)


@pytest.mark.parametrize("d", [3, 0, -2])
def test_columns_come_in_pairs(d):
    for refused in (lambda: position.sinusoidal(4, d), lambda: position.frequencies(d)):
        with pytest.raises(ValueError, match=f"must be even, not {d}"):
            refused()
    with pytest.raises(ValueError, match="must be even, not 3"):
        position.rope(np.ones((2, 3)), [0, 1])


def test_a_learned_table_ends():
    assert np.array_equal(position.learned(toy.P, 8), toy.P)
    with pytest.raises(IndexError, match="ends at position 8, counted from 1, and this text has 9"):
        position.learned(toy.P, 9)


# --- frequencies

@given(EVEN, st.floats(2, 1e6))
def test_unscaled_frequencies_are_the_formula(d, base):
    theta, factor = position.frequencies(d, base)
    assert factor == 1
    assert theta.tolist() == pytest.approx([base ** (-2 * j / d) for j in range(d // 2)])


@pytest.mark.parametrize("scaling", ["none", "linear", "ntk", "yarn"])
@given(st.integers(2, 32).map(lambda pairs: 2 * pairs), st.integers(64, 8192))
def test_a_factor_of_one_changes_nothing(scaling, d, original):
    theta, factor = position.frequencies(d, scaling=scaling, factor=1, original=original)
    assert factor == 1
    assert theta == pytest.approx(position.frequencies(d)[0])


@given(EVEN, st.floats(1, 64), st.integers(0, 100_000))
def test_interpolation_divides_positions(d, s, t):
    theta, factor = position.frequencies(d, scaling="linear", factor=s)
    assert factor == 1
    assert theta * t == pytest.approx(np.array([t / s * 10000 ** (-2 * j / d) for j in range(d // 2)]))


@given(st.integers(2, 64).map(lambda pairs: 2 * pairs), st.floats(1, 64))
def test_ntk_keeps_the_fastest_pair_and_slows_the_slowest_s_times(d, s):
    theta, factor = position.frequencies(d, scaling="ntk", factor=s)
    plain = 10000.0 ** (-np.arange(0, d, 2) / d)
    assert factor == 1
    assert (theta[0], theta[-1]) == pytest.approx((1, plain[-1] / s))
    assert (np.diff(plain / theta) >= -1e-9).all()  # the slower a pair, the more it is slowed


# transformers 5.24.0: ROPE_INIT_FUNCTIONS["yarn"](LlamaConfig(head_dim=d, rope_parameters={"rope_type": "yarn",
# "factor": factor, "original_max_position_embeddings": original, "rope_theta": base}), "cpu"), float32, seven digits
YARN = [
    (16, 10000.0, 16.0, 64, 1.2772588722239782, [
        1.0, 0.2174066, 0.0375, 0.001976424, 0.000625, 0.0001976424, 6.25e-05, 1.976424e-05,
    ]),
    (64, 10000.0, 4.0, 2048, 1.138629436111989, [
        1.0, 0.7498942, 0.5623413, 0.4216965, 0.3162278, 0.2371374, 0.1778279, 0.1333521, 0.1, 0.0706631, 0.04974557,
        0.03487106, 0.02432521, 0.01687323, 0.01162721, 0.007949839, 0.005384615, 0.003605261, 0.002379136,
        0.001540814, 0.0009730086, 0.0005928435, 0.0004445699, 0.0003333804, 0.00025, 0.0001874735, 0.0001405853,
        0.0001054241, 7.905695e-05, 5.928435e-05, 4.445699e-05, 3.333804e-05,
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("d", "base", "factor", "original", "attention_factor", "theta"), YARN)
def test_yarn_is_that_of_transformers(d, base, factor, original, attention_factor, theta):
    ours, ours_factor = position.frequencies(d, base, "yarn", factor, original)
    assert ours == pytest.approx(np.array(theta), rel=2e-6)
    assert ours_factor == pytest.approx(attention_factor, rel=1e-12)


@given(st.integers(16, 64).map(lambda pairs: 2 * pairs), st.integers(512, 16384), st.floats(1.5, 32))
def test_yarn_keeps_fast_pairs_and_interpolates_slow_ones(d, L, s):
    theta, factor = position.frequencies(d, scaling="yarn", factor=s, original=L)
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
    theta, _ = position.frequencies(64, scaling="yarn", factor=2, original=2 * math.pi * 320 * nudge)
    w = np.clip((np.arange(32) - low) / (21 - low), 0, 1)
    assert theta == pytest.approx(10000.0 ** (-np.arange(32) / 32) * (1 - w / 2))


def test_yarn_does_not_sharpen_a_context_that_is_not_stretched():
    assert position.frequencies(8, scaling="yarn", factor=0.5, original=64)[1] == 1


def test_yarn_keeps_more_of_theta_on_the_ramp_than_the_paper():
    d, L, s = 128, 4096, 16
    ours, _ = position.frequencies(d, scaling="yarn", factor=s, original=L)
    plain = 10000.0 ** (-np.arange(0, d, 2) / d)
    kept = np.clip((L * plain / (2 * math.pi) - 1) / (32 - 1), 0, 1)  # the paper's γ, linear in r
    paper = plain * kept + plain / s * (1 - kept)
    middle = (kept > 0.05) & (kept < 0.95)
    assert middle.sum() > 10 and (ours[middle] > paper[middle]).all()


def test_yarn_guards_against_a_ramp_of_no_width():
    # One pair and a context so long that both bounds are cut to d − 1 = 1: the pair is fast and stays as it is.
    assert position.frequencies(2, scaling="yarn", factor=4, original=10**9)[0].tolist() == [1]


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"scaling": "dynamic"}, "'dynamic'; there are none, linear, ntk, yarn"),
        ({"scaling": "yarn", "factor": 4}, "original length"),
        ({"scaling": "linear", "factor": 0}, "above 0, not 0"),
        ({"scaling": "ntk", "factor": 2, "d": 2}, "a width of 4"),
    ],
)
def test_a_wrong_scaling_is_refused_in_words(choice, words):
    with pytest.raises(ValueError, match=words):
        position.frequencies(**{"d": 8, **choice})


# --- RoPE

def random_rows(seed, n, d):
    return np.random.default_rng(seed).normal(size=(n, d))


@given(SEEDS, EVEN, st.integers(1, 6), st.floats(2, 1e6))
def test_rope_multiplies_pairs_by_a_power_of_e(seed, d, n, base):
    x, positions = random_rows(seed, n, d), np.random.default_rng(seed + 1).integers(-50, 500, n)
    turned = position.rope(x, positions, base)
    for row, j in np.ndindex(n, d // 2):
        z = complex(*x[row, 2 * j : 2 * j + 2]) * cmath.exp(1j * positions[row] * base ** (-2 * j / d))
        assert turned[row, 2 * j : 2 * j + 2].tolist() == pytest.approx([z.real, z.imag], abs=1e-9)


@given(SEEDS, EVEN, LAYOUT)
def test_rope_keeps_norms(seed, d, layout):
    x = random_rows(seed, 5, d)
    turned = position.rope(x, np.arange(5) * 7, layout=layout)
    assert np.linalg.norm(turned, axis=1) == pytest.approx(np.linalg.norm(x, axis=1))


@given(SEEDS, EVEN, LAYOUT, st.integers(-100, 100), st.integers(-100, 100), st.integers(-1000, 1000))
def test_the_score_depends_only_on_the_offset(seed, d, layout, a, b, shift):
    q, k = random_rows(seed, 2, d)

    def score(a, b):
        return float(position.rope(q[None], [a], layout=layout)[0] @ position.rope(k[None], [b], layout=layout)[0])

    assert score(a + shift, b + shift) == pytest.approx(score(a, b), abs=1e-9)
    assert score(a, b) == pytest.approx(float(q @ position.rope(k[None], [b - a], layout=layout)[0]), abs=1e-9)


@given(SEEDS, EVEN)
def test_the_layouts_are_the_same_up_to_the_order_of_columns(seed, d):
    x, t = random_rows(seed, 4, d), np.arange(4)
    columns = np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])  # all first numbers, then all second ones
    assert position.rope(x[:, columns], t, layout="halves") == pytest.approx(position.rope(x, t)[:, columns])


def test_halves_is_rotate_half():
    x, t = random_rows(3, 4, 6), np.arange(4)
    angles = np.tile(np.outer(t, 10000.0 ** (-np.arange(0, 6, 2) / 6)), 2)
    half = np.concatenate([-x[:, 3:], x[:, :3]], axis=1)
    assert position.rope(x, t, layout="halves") == pytest.approx(x * np.cos(angles) + half * np.sin(angles))


def test_rope_at_position_0_and_with_leading_axes():
    x = np.random.default_rng(4).normal(size=(2, 3, 5, 4))
    assert np.array_equal(position.rope(x, np.zeros(5)), x)
    turned = position.rope(x, np.arange(5))
    assert turned.shape == x.shape
    assert turned[1, 2] == pytest.approx(position.rope(x[1, 2], np.arange(5)))


def test_an_unknown_layout_is_refused_with_the_choices():
    with pytest.raises(ValueError, match="'neox'; there are interleaved, halves"):
        position.rope(np.ones((1, 2)), [0], layout="neox")


# --- ALiBi

@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        (1, [1 / 256]),
        (2, [1 / 16, 1 / 256]),
        (3, [1 / 16, 1 / 256, 1 / 4]),
        (8, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]),
        (12, [2.0**-h for h in range(1, 9)] + [2.0**-h for h in (0.5, 1.5, 2.5, 3.5)]),
        (16, [2 ** (-h / 2) for h in range(1, 17)]),
    ],
)
def test_slopes(heads, slopes):
    assert position.alibi_slopes(heads).tolist() == pytest.approx(slopes)


@given(st.integers(1, 130))
def test_each_head_has_a_slope_of_its_own(heads):
    slopes = position.alibi_slopes(heads)
    assert len(set(slopes.tolist())) == heads and (slopes > 0).all() and (slopes < 1).all()


@given(SEEDS, st.integers(1, 6))
def test_with_a_bias_by_distance_a_text_read_backwards_gives_the_outputs_backwards(seed, n):
    x = random_rows(seed, n, 4)
    here, there = (attention(h, h, h, bias=position.alibi_bias(n, 2))[0] for h in (x, x[::-1]))
    assert there == pytest.approx(here[:, ::-1])


def test_no_heads_are_refused():
    with pytest.raises(ValueError, match="at least one head, not 0"):
        position.alibi_slopes(0)


def test_the_bias_is_minus_slope_times_distance():
    bias = position.alibi_bias(4, 2)
    assert bias.shape == (2, 4, 4)
    for h, i, j in np.ndindex(2, 4, 4):
        assert bias[h, i, j] == -abs(i - j) * (1 / 16, 1 / 256)[h]
    assert not np.signbit(bias[:, 0, 0]).any()  # 0, not −0


# --- by name

def test_the_schemes_in_the_order_of_the_menu():
    assert list(position.SCHEMES) == ["none", "learned", "sinusoidal", "rope", "alibi"]
    assert [s.title for s in position.SCHEMES.values()] == ["none", "learned", "sinusoidal", "RoPE", "ALiBi"]
    assert [s.acts_on for s in position.SCHEMES.values()] == ["nothing", "X", "X", "q and k", "scores"]


@pytest.mark.parametrize("name", position.SCHEMES)
def test_a_scheme_has_a_table_if_and_only_if_it_acts_on_X(name):
    scheme = position.SCHEMES[name]
    assert (scheme.signal is not None) == (scheme.acts_on == "X")
    assert scheme.signal is None or scheme.signal(5, 4, toy.P).shape == (5, 4)
    assert all(text.strip() for text in (scheme.mechanism, scheme.standing, scheme.source))
