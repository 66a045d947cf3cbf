"""The numbers that the text states, each typed from the text and compared with what the modules give.

A number is compared to as many decimals as the text prints.
"""

import math

import numpy as np
import pytest

from tokenwalk import facts, lookup, optimise, position, tokens, toy, zipf
from tokenwalk.attention import attention, causal

X = toy.E[toy.IDS] + toy.P[:5]
THE, _THE, CAT, DOG, CLIMB, ED, ROOF, WALL, SOFA, FLOOR, STOP, END = toy.E


def shown(value, decimals=3):
    """The value, or each of its values, rounded as the text prints it."""
    return np.round(value, decimals).tolist()


# --- the running example

def test_the_table_E():
    assert toy.E.shape == (12, 4) and toy.P.shape == (8, 4) and len(toy.TOKENS) == 12
    assert THE.tolist() == [-0.5, -0.5, 0, 1] and _THE.tolist() == [-0.5, 0, -0.5, 1]
    assert CAT.tolist() == [1, -0.5, 0, -0.5] and DOG.tolist() == [1, -0.5, -0.5, 0]
    assert CLIMB.tolist() == [-0.5, 1, 0, -0.5] and ED.tolist() == [0, 0.5, -0.5, 0]
    assert ROOF.tolist() == [0, -0.5, 1, -0.5] and WALL.tolist() == [1, 0, -1, 0]
    assert SOFA.tolist() == [0.5, -0.5, -0.5, 0.5] and FLOOR.tolist() == [0.5, 0, -0.5, 0]
    assert STOP.tolist() == [0, 0, 1, -1] and END.tolist() == [0.5, -0.5, 0.5, -0.5]


def test_the_table_P():
    assert toy.P.tolist() == [
        [0, 0, 0, 0], [0.5, 0, -0.5, 0], [0, 0.5, 0, -0.5], [-0.5, 0, 0.5, 0],
        [0, -0.5, 0, 0.5], [0, -1, 1, 0], [1, 0, 0, -1], [-1, 1, 0, 0],
    ]  # fmt: skip


def test_the_sentence():
    assert tokens.encode("the cat climbed the") == [0, 2, 4, 5, 1] == toy.IDS.tolist()
    assert [toy.TOKENS[i] for i in toy.IDS] == ["the", "␣cat", "␣climb", "ed", "␣the"]
    assert toy.TARGETS.tolist() == [2, 4, 5, 1, 6]


def test_X():
    assert X.tolist() == [
        [-0.5, -0.5, 0, 1], [1.5, -0.5, -0.5, -0.5], [-0.5, 1.5, 0, -1], [-0.5, 0.5, 0, 0], [-0.5, -0.5, -0.5, 1.5],
    ]  # fmt: skip


def test_every_row_sums_to_zero():
    for table in (toy.E, toy.P, X):
        assert not table.sum(axis=1).any()


def test_the_geometry_of_the_toy():
    assert np.linalg.matrix_rank(toy.E) == 3
    assert WALL.tolist() == (2 * FLOOR).tolist()
    assert END.tolist() == (CAT / 2 + ROOF / 2).tolist()
    norms = np.linalg.norm(toy.E, axis=1)
    assert (shown(norms.min(), 2), shown(norms.max(), 2)) == (0.71, 1.41)


def test_dog_lies_nearer_to_wall_than_to_cat_in_direction():
    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    assert shown([cosine(DOG, WALL), cosine(DOG, CAT)]) == [0.866, 0.833]
    # By distance the two are level: both differences are two halves.
    assert np.linalg.norm(DOG - WALL) == np.linalg.norm(DOG - CAT)


def test_the_arrays_cannot_be_changed():
    for array in (toy.E, toy.P, toy.IDS, toy.TARGETS):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


# --- the lookup

def test_both_forms_of_the_lookup():
    assert lookup.lookup(toy.E, toy.IDS).tolist() == [row.tolist() for row in (THE, CAT, CLIMB, ED, _THE)]
    assert (lookup.one_hot(toy.IDS, 12) @ toy.E).tolist() == lookup.lookup(toy.E, toy.IDS).tolist()


def test_the_sizes_of_tables():
    assert facts.GPT2.table == 50_257 * 768 == 38_597_376
    assert facts.GPT2.total == 124_439_808 and shown(100 * facts.GPT2.share, 1) == 31.0
    assert facts.GPT2.position_table == 1024 * 768 == 786_432
    assert facts.GPT2.untied == 163_037_184
    assert facts.LLAMA3_8B.table == 128_256 * 4096 == 525_336_576
    assert shown(facts.LLAMA3_8B.total / 1e9, 2) == 8.03 and shown(100 * facts.LLAMA3_8B.share, 1) == 13.1


# --- where position comes from

@pytest.mark.parametrize(("mask", "difference"), [(None, 0), (causal(5), 0.295)])
def test_a_causal_mask_sees_the_order(mask, difference):
    x = lookup.lookup(toy.E, toy.IDS)
    order = [0, 2, 1, 3, 4]  # ␣cat and ␣climb swapped
    here, there = (attention(h, h, h, mask)[0] for h in (x, x[order]))
    assert shown(np.abs(there[order] - here).max()) == difference


def test_the_rows_of_the_sinusoid():
    rows = [[0, 1, 0, 1], [0.841, 0.540, 0.010, 1.000], [0.909, -0.416, 0.020, 1.000]]
    assert shown(position.sinusoidal(3, 4)) == rows
    assert np.linalg.norm(position.sinusoidal(8, 4), axis=1) == pytest.approx(math.sqrt(2))
    assert facts.sinusoid_norm(4) == pytest.approx(math.sqrt(2))


def test_the_slopes_of_alibi():
    assert position.alibi_slopes(8).tolist() == [2.0**-h for h in range(1, 9)]
    assert (position.alibi_slopes(8)[0], position.alibi_slopes(8)[-1]) == (1 / 2, 1 / 256)
    assert position.alibi_slopes(2).tolist() == [1 / 16, 1 / 256]


def test_how_much_is_rotated():
    assert facts.QWEN3_NEXT.share == facts.GEMMA_4.share == 0.25
    assert (facts.DEEPSEEK_V3.rotated, facts.DEEPSEEK_V3.width) == (64, 192)


def test_adding_is_ambiguous_in_four_numbers():
    assert (CLIMB + toy.P[1]).tolist() == (ED + toy.P[2]).tolist() == [0, 1, -0.5, -0.5]  # at 2 and at 3
    swapped = toy.E[toy.IDS[[0, 1, 4, 3, 2]]] + toy.P[:5]  # positions 3 and 5 swapped
    assert [tuple(row) for row in swapped.tolist()].count((-0.5, 0.5, 0, 0)) == 2
    assert len({tuple(row) for row in X.tolist()}) == 5


# --- the clock: one pair, θ = 0.5

def clock(q, k, a, b):
    """The score of q at position a with k at position b."""
    turn = [position.rotate([hand], [[0.5 * t]])[0] for hand, t in ((q, a), (k, b))]
    return float(turn[0] @ turn[1])


@pytest.mark.parametrize(
    ("q", "k", "a", "b", "score"),
    [
        ([1, 0], [1, 0], 3, 1, 0.540),
        ([1, 0], [1, 0], 10, 8, 0.540),
        ([1, 0], [1, 0], 4, 1, 0.071),
        ([1, 0], [0, 1], 3, 1, 0.841),
        ([1, 0], [0, 1], 1, 3, -0.841),
        ([1, 0], [1, 0], 14, 1, 0.977),
    ],
)
def test_scores_of_the_clock(q, k, a, b, score):
    assert shown(clock(q, k, a, b)) == score


def test_the_clock_repeats():
    period = 2 * math.pi / 0.5
    assert shown(period, 2) == 12.57
    assert clock([1, 0], [1, 0], 1 + period, 1) == pytest.approx(1)


# --- X in the running example

def test_what_the_swap_does():
    order = list(range(5))
    order[toy.SWAP[0]], order[toy.SWAP[1]] = order[toy.SWAP[1]], order[toy.SWAP[0]]
    swapped = toy.E[toy.IDS[order]]
    assert np.array_equal(swapped, toy.E[toy.IDS][order])  # without a position two rows trade places
    assert (swapped + toy.P[:5])[2].tolist() == [1, 0, 0, -1]       # ␣cat at 3
    assert (swapped + toy.P[:5])[1].tolist() == [0, 1, -0.5, -0.5]  # ␣climb at 2


# --- the way back

@pytest.mark.parametrize(("n", "distinct"), [(1024, 606), (4000, 1891), (8192, 3360), (500_000, 41_225)])
def test_how_many_rows_a_batch_reads(n, distinct):
    assert round(zipf.expected_distinct(50_257, n)) == distinct


def test_the_shares_and_the_extremes_of_zipf():
    assert shown(100 * zipf.expected_distinct(50_257, 4000) / 50_257, 1) == 3.8
    assert shown(100 * zipf.expected_distinct(50_257, 500_000) / 50_257, 0) == 82
    p = zipf.law(50_257)
    assert (round(4000 * p[0]), shown(4000 * p[-1])) == (351, 0.007)


def test_tied_tables_are_not_sparse():
    _, at_X, at_output = lookup.tied(X, toy.E, toy.TARGETS)
    by_lookup = np.linalg.norm(lookup.scatter(toy.IDS, at_X, 12), axis=1)
    by_output = np.linalg.norm(at_output, axis=1)
    assert np.flatnonzero(by_lookup).tolist() == [0, 1, 2, 4, 5]
    assert shown(by_lookup[[0, 1, 2, 4, 5]]) == [0.295, 0.353, 0.372, 0.143, 0.249]
    assert (shown(by_output.min()), shown(by_output.max())) == (0.014, 0.467)
    assert np.count_nonzero(by_output) == 12


@pytest.mark.parametrize(("more", "moved"), [(0, 1.00), (10, 4.36), (59, 5.99)])
def test_zero_gradient_is_not_zero_movement(more, moved):
    rows = np.zeros((1, 1))
    means = optimise.start(rows)
    for step in range(1, more + 2):
        rows, means = optimise.adam(rows, np.full((1, 1), float(step == 1)), means, step, lr=1)
    assert shown(-rows[0, 0], 2) == moved
