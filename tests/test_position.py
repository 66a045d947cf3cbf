"""Step 2: every position scheme. RoPE's angles are in test_scaling.py, other people's values in test_reference.py."""

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
BASE = st.floats(2, 1e6)
LAYOUT = st.sampled_from(["interleaved", "halves"])


# --- sinusoidal and learned

@given(st.integers(0, 40), EVEN, BASE)
def test_a_wave_is_the_formula(n, d, base):
    table = position.sinusoidal(n, d, base)
    assert table.shape == (n, d)
    for t, j in np.ndindex(n, d // 2):
        angle = t / base ** (2 * j / d)
        assert table[t, 2 * j : 2 * j + 2].tolist() == pytest.approx([math.sin(angle), math.cos(angle)], abs=1e-9)


@pytest.mark.parametrize("d", [3, 0, -2])
def test_columns_come_in_pairs(d):
    with pytest.raises(ValueError, match=f"must be even, not {d}"):
        position.sinusoidal(4, d)


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("d", [1, 3])
def test_an_odd_row_cannot_be_turned(d, layout):
    for refused in (position.rope, position.rotate):
        with pytest.raises(ValueError, match=f"must be even, not {d}"):
            refused(np.ones((2, d)), np.zeros(2), layout=layout)


@pytest.mark.parametrize(
    "refused",
    [lambda n: position.sinusoidal(n, 4), lambda n: position.learned(toy.P, n), lambda n: position.alibi_bias(n, 2)],
)
def test_a_text_has_no_fewer_than_no_tokens(refused):
    assert refused(0).size == 0
    with pytest.raises(ValueError, match="0 tokens or more, not -1"):
        refused(-1)


def test_a_learned_table_ends():
    assert np.array_equal(position.learned(toy.P, 8), toy.P)
    with pytest.raises(IndexError, match="ends at position 8, counted from 1, and this text has 9"):
        position.learned(toy.P, 9)


# --- RoPE

def random_rows(seed, n, d):
    return np.random.default_rng(seed).normal(size=(n, d))


@given(SEEDS, EVEN, st.integers(1, 6), BASE)
def test_rope_multiplies_pairs_by_a_power_of_e(seed, d, n, base):
    x, positions = random_rows(seed, n, d), np.random.default_rng(seed + 1).integers(0, 500, n)
    turned = position.rope(x, positions, base)
    for row, j in np.ndindex(n, d // 2):
        z = complex(*x[row, 2 * j : 2 * j + 2]) * cmath.exp(1j * positions[row] * base ** (-2 * j / d))
        assert turned[row, 2 * j : 2 * j + 2].tolist() == pytest.approx([z.real, z.imag], abs=1e-9)


@given(SEEDS, EVEN, BASE, LAYOUT, st.integers(0, 10_000))
def test_rope_keeps_norms(seed, d, base, layout, start):
    x = random_rows(seed, 5, d)
    turned = position.rope(x, start + np.arange(5) * 7, base, layout)
    assert np.linalg.norm(turned, axis=1) == pytest.approx(np.linalg.norm(x, axis=1))


@given(SEEDS, EVEN, BASE, LAYOUT, st.integers(0, 200), st.integers(0, 200), st.integers(0, 1000))
def test_the_score_depends_only_on_the_offset(seed, d, base, layout, a, b, shift):
    q, k = random_rows(seed, 2, d)

    def score(a, b):
        turned_q, turned_k = (position.rope([row], [at], base, layout)[0] for row, at in ((q, a), (k, b)))
        return float(turned_q @ turned_k)

    assert score(a + shift, b + shift) == pytest.approx(score(a, b), abs=1e-9)
    back = position.rotate([k], [(b - a) * base ** (-np.arange(0, d, 2) / d)], layout)[0]  # ⟨q, R_{b−a} k⟩
    assert score(a, b) == pytest.approx(float(q @ back), abs=1e-9)


@given(SEEDS, EVEN, BASE, st.integers(0, 10_000))
def test_the_layouts_are_the_same_up_to_the_order_of_columns(seed, d, base, start):
    x, t = random_rows(seed, 4, d), start + np.arange(4)
    columns = np.concatenate([np.arange(0, d, 2), np.arange(1, d, 2)])  # all first numbers, then all second ones
    halves = position.rope(x[:, columns], t, base, "halves")
    assert halves == pytest.approx(position.rope(x, t, base)[:, columns])


@pytest.mark.parametrize(("positions", "one"), [([0, -1], "-1"), ([-3, 2], "-3"), ([1, math.nan], "nan")])
def test_a_negative_position_is_refused(positions, one):
    with pytest.raises(ValueError, match=f"none may be negative, and here one is {one}"):
        position.rope(np.ones((2, 4)), positions)


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
