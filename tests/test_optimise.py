"""One update of each optimiser, against values by hand and from PyTorch."""

import numpy as np
import pytest

from tokenwalk import lookup, optimise


def updates(optimiser, rows, batches, lr):
    """The table after each update; a batch is its ids and a gradient for each."""
    means, velocity = optimise.start(rows), np.zeros_like(rows)
    for step, (ids, G) in enumerate(batches, 1):
        dense = lookup.scatter(ids, G, len(rows))
        match optimiser:
            case "sgd":
                rows = optimise.sgd(rows, dense, lr)
            case "momentum":
                rows, velocity = optimise.momentum(rows, dense, velocity, lr)
            case "adam":
                rows, means = optimise.adam(rows, dense, means, step, lr)
            case "adamw":
                rows, means = optimise.adamw(rows, dense, means, step, lr)
            case "sparse_adam":
                rows, means = optimise.sparse_adam(rows, *lookup.sparse(ids, G), means, step, lr)
        yield rows


def moved(optimiser, steps):
    """How far rows 0 and 1 have moved, in learning rates, when row 1 was read at the first step only."""
    batches = [([1], [[1.0]])] + [([], np.zeros((0, 1)))] * (steps - 1)
    *_, rows = updates(optimiser, np.zeros((2, 1)), batches, lr=1)
    return (-rows[:, 0]).tolist()


# torch 2.13.0, float64: torch.optim.Adam(lr=1), .SparseAdam(lr=1), .SGD(lr=1), .SGD(lr=1, momentum=0.9), a gradient
# of 1 at the first step and 0 after. SparseAdam places eps otherwise and stops at 0.9999997.
@pytest.mark.parametrize(
    ("optimiser", "after_1", "after_11", "after_60"),
    [
        ("adam", 0.99999999, 4.356564412875169, 5.9902262112414295),
        ("sparse_adam", 1, 1, 1),
        ("sgd", 1, 1, 1),
        ("momentum", 1, 6.8618940391, 9.98202989700086),
    ],
)
def test_a_row_that_was_read_once(optimiser, after_1, after_11, after_60):
    for steps, expected in [(1, after_1), (11, after_11), (60, after_60)]:
        assert moved(optimiser, steps) == pytest.approx([0, expected], rel=1e-6)


def test_momentum_is_a_geometric_sum():
    assert moved("momentum", 11)[1] == pytest.approx((1 - 0.9**11) / (1 - 0.9))


def test_adamw_shrinks_a_row_that_was_never_read():
    # torch 2.13.0, float64: torch.optim.AdamW(lr=0.1, weight_decay=0.01), rows 2 and 1, slopes of row 1: 0.5, −1, 0.25
    rows, means = np.array([[2.0], [1.0]]), optimise.start(np.zeros((2, 1)))
    expected = [[1.998, 0.899000002], [1.996002, 0.9347113542385653], [1.994005998, 0.9474457089827375]]
    for step, slope in enumerate([0.5, -1, 0.25], 1):
        rows, means = optimise.adamw(rows, np.array([[0.0], [slope]]), means, step, lr=0.1)
        assert rows[:, 0].tolist() == pytest.approx(expected[step - 1], rel=1e-12)


def test_sparse_adam_touches_only_what_was_read():
    # torch 2.13.0, float64: torch.optim.SparseAdam(lr=0.1), three rows from 0, sparse gradients as below
    rows, means = np.zeros((3, 1)), optimise.start(np.zeros((3, 1)))
    expected = [
        [-0.09999993675448679, 0, 0.09999996837723339],
        [-0.09999993675448679, 0, 0.05058098998967],
        [-0.1800240229845669, 0, 0.05058098998967],
    ]
    for step, (ids, G) in enumerate([([0, 2], [[0.5], [-1]]), ([2], [[3]]), ([0], [[0.25]])], 1):
        rows, means = optimise.sparse_adam(rows, ids, np.array(G, float), means, step, lr=0.1)
        assert rows[:, 0].tolist() == pytest.approx(expected[step - 1], rel=1e-5)  # eps stands elsewhere in PyTorch


def test_nothing_given_is_changed():
    rows, means, G = np.ones((2, 1)), optimise.Means(np.ones((2, 1)), np.ones((2, 1))), np.ones((2, 1))
    for array in (rows, G, *means):
        array.setflags(write=False)
    optimise.sgd(rows, G, lr=1)
    optimise.momentum(rows, G, means.mean, lr=1)
    optimise.adam(rows, G, means, 1, lr=1)
    optimise.adamw(rows, G, means, 1, lr=1)
    optimise.sparse_adam(rows, [0, 1], G, means, 1, lr=1)


def test_sparse_adam_refuses_an_id_outside_the_table():
    with pytest.raises(IndexError, match="id 2: ids run from 0 to 1"):
        optimise.sparse_adam(np.zeros((2, 1)), [2], np.ones((1, 1)), optimise.start(np.zeros((2, 1))), 1, lr=1)
