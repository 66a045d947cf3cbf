"""Step 2: ids -> rows, and the gradient that comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import attention, lookup


@st.composite
def tables(draw):
    """A random table, ids into it, and one row of gradient for each id: whole numbers, so that sums are exact."""
    V, d, n = draw(st.integers(1, 8)), draw(st.integers(1, 5)), draw(st.integers(0, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return (*(rng.integers(-99, 100, shape).astype(float) for shape in [(V, d), (n, d)]), rng.integers(0, V, n))


@given(tables())
def test_the_two_forms_of_lookup_agree(table):
    E, _, ids = table
    assert np.array_equal(lookup.lookup(E, ids), lookup.one_hot(ids, len(E)) @ E)
    assert np.array_equal(lookup.lookup(E, ids), np.array([E[i] for i in ids]).reshape(len(ids), E.shape[1]))


@given(tables())
def test_a_one_hot_row_has_one_one(table):
    E, _, ids = table
    H = lookup.one_hot(ids, len(E))
    assert H.shape == (len(ids), len(E))
    assert np.array_equal(H.sum(axis=1), np.ones(len(ids)))
    assert all(H[t, i] == 1 for t, i in enumerate(ids))


@given(tables())
def test_the_dense_gradient_is_the_one_hot_product(table):
    E, G, ids = table
    assert np.array_equal(lookup.scatter(ids, G, len(E)), lookup.one_hot(ids, len(E)).T @ G)


@given(tables())
def test_the_sparse_gradient_is_the_dense_one_less_its_zeros(table):
    E, G, ids = table
    rows, sums = lookup.sparse(ids, G)
    assert rows.tolist() == sorted(set(ids.tolist()))
    dense = np.zeros_like(E)
    dense[rows] = sums
    assert np.array_equal(dense, lookup.one_hot(ids, len(E)).T @ G)


@given(tables(), st.randoms(use_true_random=False))
def test_a_swap_of_tokens_is_a_swap_of_rows(table, random):
    E, _, ids = table
    order = random.sample(range(len(ids)), len(ids))
    assert np.array_equal(lookup.lookup(E, ids[order]), lookup.lookup(E, ids)[order])


@given(tables())
def test_a_row_depends_on_its_own_id_alone(table):
    E, _, ids = table
    for t, i in enumerate(ids):
        assert np.array_equal(lookup.lookup(E, ids)[t], lookup.lookup(E, [i])[0])


def test_repeats_are_added():
    # torch 2.13.0: torch.nn.Embedding(4, 2), ids [1, 3, 1], upstream gradient [[1, 2], [3, 4], [5, 6]]
    G = [[1, 2], [3, 4], [5, 6]]
    assert lookup.scatter([1, 3, 1], G, 4).tolist() == [[0, 0], [6, 8], [0, 0], [3, 4]]
    rows, sums = lookup.sparse([1, 3, 1], G)
    assert (rows.tolist(), sums.tolist()) == ([1, 3], [[6, 8], [3, 4]])


@pytest.mark.parametrize("i", [3, -1, 2**40])
@pytest.mark.parametrize(
    "read",
    [
        lambda ids: lookup.one_hot(ids, 3),
        lambda ids: lookup.lookup(np.eye(3), ids),
        lambda ids: lookup.scatter(ids, np.ones((2, 4)), 3),
        lambda ids: lookup.tied(np.ones((2, 4)), np.ones((3, 4)), ids),
    ],
)
def test_an_id_outside_the_table_is_refused(read, i):
    with pytest.raises(IndexError, match=f"id {i}: ids run from 0 to 2"):
        read([0, i])


def test_a_negative_id_is_refused_without_a_table_too():
    with pytest.raises(IndexError, match=r"id -1: ids run from 0$"):
        lookup.sparse([0, -1], np.ones((2, 4)))


@pytest.mark.parametrize("ids", [[0.0, 1.0], [True, False], ["the", "cat"]])
def test_ids_are_whole_numbers(ids):
    with pytest.raises(TypeError, match="whole numbers"):
        lookup.lookup(np.eye(3), ids)


def test_a_gradient_with_too_few_rows_is_refused():
    with pytest.raises(ValueError, match="one row of gradient"):
        lookup.scatter([0, 1, 2], np.ones((1, 4)), 3)


def slope(f, at, step=1e-6):
    """The gradient of f at this array, by central differences."""
    result = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        nudge = np.zeros_like(at)
        nudge[place] = step
        result[place] = (f(at + nudge) - f(at - nudge)) / (2 * step)
    return result


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(2, 6), st.integers(1, 4))
def test_the_tied_gradient_is_the_slope_of_the_loss(seed, n, V, d):
    rng = np.random.default_rng(seed)
    E, P, ids, targets = rng.normal(size=(V, d)), rng.normal(size=(n, d)), rng.integers(0, V, n), rng.integers(0, V, n)

    def loss(E):  # both paths at once, written apart from the module
        logits = (E[ids] + P) @ E.T
        return np.mean([np.log(np.exp(row).sum()) - row[y] for row, y in zip(logits, targets, strict=True)])

    value, at_X, at_output = lookup.tied(E[ids] + P, E, targets)
    assert value == pytest.approx(loss(E))
    assert lookup.scatter(ids, at_X, V) + at_output == pytest.approx(slope(loss, E), abs=1e-6)


def test_the_tied_loss_survives_large_logits():
    value, at_X, at_output = lookup.tied([[1000.0]], [[1.0], [-1.0]], [1])
    assert value == 2000.0
    assert np.isfinite(at_X).all() and np.isfinite(at_output).all()


@given(tables(), st.randoms(use_true_random=False))
def test_without_positions_attention_cannot_tell_the_order(table, random):
    E, _, ids = table
    order = random.sample(range(len(ids)), len(ids))
    X = lookup.lookup(E, ids) / 50
    here, there = (attention.attention(x, x, x)[0] for x in (X, X[order]))
    assert there == pytest.approx(here[order], abs=1e-9)
