"""The lazy table beside the update of all rows, and beside sums by hand."""

import numpy as np
import pytest

from tokenwalk import lazy, lookup, optimise, timing, training

V, d, STEPS, LR = 9, 3, 40, 0.1
EPS = 1e-30  # no ε, as in lazy.py


def batches(seed=0):
    """Some ids and a gradient for each, step by step; row 8 is never read, row 7 only at the first step."""
    rng = np.random.default_rng(seed)
    for step in range(STEPS):
        ids = np.append(rng.integers(0, 7, 4), 7 if step == 0 else 0)
        yield ids, rng.normal(size=(5, d))


def every_row(optimiser, start):
    """The rows after all batches by the update of all rows, and what the last step but one left."""
    rows, before, velocity, means = start, start, np.zeros((V, d)), optimise.start(start)
    for step, (ids, G) in enumerate(batches(), 1):
        before, dense = rows, lookup.scatter(ids, G, V)
        match optimiser:
            case "sgd":
                rows = optimise.sgd(rows, dense, LR)
            case "momentum":
                rows, velocity = optimise.momentum(rows, dense, velocity, LR)
            case "adam":
                rows, means = optimise.adam(rows, dense, means, step, LR, eps=EPS)
            case "adamw":
                rows, means = optimise.adam(rows * (1 - LR * 0.01), dense, means, step, LR, eps=EPS)
            case "sparse_adam":
                rows, means = optimise.sparse_adam(rows, *lookup.sparse(ids, G), means, step, LR)
    return rows, before


def lazily(optimiser, start):
    table = lazy.Table(start, V, optimiser, LR)
    for ids, G in batches():
        read, sums = lookup.sparse(ids, G)
        table.update(read, lambda _, sums=sums: sums)
    return table, read


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("optimiser", lazy.RULES)
def test_it_gives_what_the_update_of_all_rows_gives(optimiser, kind):
    start = np.random.default_rng(1).normal(size=(V, d)).astype(kind)
    rows, before = every_row(optimiser, start.astype(float))
    table, read = lazily(optimiser, start)
    moved, _ = table.brought_up(np.arange(V))
    near = {"rtol": 1e-5, "atol": 1e-6} if optimiser == "sparse_adam" or kind == np.float32 else {"rtol": 1e-9}
    assert moved.dtype == kind
    np.testing.assert_allclose(start + moved, rows, **near)
    np.testing.assert_allclose(table.distance(), np.linalg.norm(rows - start, axis=1), **near)
    idle, last = np.setdiff1d(np.arange(V), read), np.linalg.norm(rows - before, axis=1)
    np.testing.assert_allclose(table.last_move()[idle], last[idle], **near | {"atol": 1e-6})
    assert (table.last_move()[read] == 0).all()


@pytest.mark.parametrize(("optimiser", "moved"), [  # as on the page; a geometric sum; and rows that stay
    ("adam", (1.00, 4.36, 5.99)), ("sgd", (1, 1, 1)), ("sparse_adam", (1, 1, 1)),
    ("momentum", tuple((1 - 0.9**k) / (1 - 0.9) for k in (1, 11, 60)))])
def test_a_row_that_was_read_once_at_the_first_step(optimiser, moved):
    table, found = lazy.Table(np.zeros((2, 1)), 2, optimiser, 1.0), []
    for step in range(1, 61):
        ids = np.array([1] if step == 1 else [], int)
        table.update(ids, lambda m: np.ones_like(m))
        if step in (1, 11, 60):
            found.append(table.distance()[1])
    assert found == pytest.approx(moved, abs=0.005)


def test_decay_alone_shrinks_a_row_by_the_same_part_each_step():
    table = lazy.Table(np.full((1, 1), 2.0), 1, "adamw", 0.5)
    for _ in range(20):
        table.update(np.zeros(0, int), lambda m: m)
    assert 2 - table.distance()[0] == pytest.approx(2 * (1 - 0.5 * 0.01) ** 20)


@pytest.mark.parametrize("ids", [[0], [2, 2, 2], [0, 3, 1, 3, 3, 4], list(range(6)) * 3])
def test_the_tied_gradient_is_that_of_both_paths(ids):
    E, targets = np.random.default_rng(2).normal(size=(6, 3)), np.roll(ids, -1)
    _, at_X, at_E = lookup.tied(E[ids], E, targets)
    both = lookup.scatter(ids, at_X, 6) + at_E
    np.testing.assert_allclose(training.tied_gradient(E, np.array(ids)), both, atol=1e-12)


def test_the_tied_gradient_is_the_slope_of_the_loss():
    E, ids, h = np.random.default_rng(3).normal(size=(4, 2)), np.array([0, 2, 2, 3, 0]), 1e-6

    def loss(E):
        return lookup.tied(E[ids], E, np.roll(ids, -1))[0]

    nudges = h * np.eye(8).reshape(8, 4, 2)
    slopes = [(loss(E + nudge) - loss(E - nudge)) / (2 * h) for nudge in nudges]
    np.testing.assert_allclose(training.tied_gradient(E, ids).ravel(), slopes, atol=1e-8)


def test_a_pull_is_the_slope_of_half_the_squared_distance():
    ids, moved, way, h = np.array([1, 1, 0]), np.array([[0.5], [2.0]]), np.array([[1.0], [-1.0]]), 1e-6

    def loss(m):
        return 0.5 * ((m[ids] - way[ids]) ** 2).sum() / 3

    slopes = [(loss(moved + h * e) - loss(moved - h * e)) / (2 * h) for e in np.eye(2)[:, :, None]]
    np.testing.assert_allclose(training.pull(moved, way, np.array([1, 2]), 3)[:, 0], slopes, rtol=1e-6)
    assert training.pull(moved, way, np.array([1, 2]), 3)[:, 0].tolist() == pytest.approx([-0.5 / 3, 6 / 3])


@pytest.mark.parametrize("optimiser", lazy.RULES)
@pytest.mark.parametrize("tied", [False, True])
def test_a_run_that_is_made_anew_is_the_run_that_went_on(optimiser, tied):
    setting = training.Setting(200, 4, 64, 1.0, optimiser, 0.1, 3, tied)
    training.KEPT.clear()
    for step in range(1, 31):
        run = training.trained(setting, step)
    went_on = run.table.distance(), run.drawn
    training.KEPT.clear()
    again = training.trained(setting, 30)
    assert (again.table.distance() == went_on[0]).all() and (again.drawn == went_on[1]).all()
    assert training.trained(setting, 3).table.t == 3  # and back again


def test_without_a_batch_that_reads_it_no_row_moves_under_sgd_and_sparse_adam():
    for optimiser in ("sgd", "sparse_adam"):
        run = training.trained(training.Setting(12_800, 4, 64, 1.0, optimiser, 0.1, 0), 20)
        assert ((run.table.distance() > 0) == (run.drawn > 0)).all()
        assert not run.table.last_move().any()


def test_only_one_run_is_kept():
    for V in (12, 200):
        training.trained(training.Setting(V, 4, 8, 1.0, "sgd", 0.1, 0), 1)
    assert len(training.KEPT) == 1


# --- what is timed


@pytest.mark.parametrize("optimiser", lazy.RULES)
def test_both_updates_that_are_timed_come_to_the_same(optimiser):
    rng = np.random.default_rng(4)
    start, ids, G = rng.normal(size=(V, d)), np.array([3, 0, 3, 5]), rng.normal(size=(4, d))
    one, other = lazy.Table(start, V, optimiser, LR), lazy.Table(start, V, optimiser, LR)
    timing.sparse_update(one, ids, G)
    timing.dense_update(other, ids, G)
    # AdamW's decay of rows at rest is what the lazy table puts off; the dense update shrinks what they moved, here 0.
    read = [0, 3, 5]
    after, _ = one.brought_up(np.array(read))
    away = (one.keep - 1) * start[read]
    np.testing.assert_allclose(after - away, other.moved[read], atol=1e-12)
    assert not other.moved[[1, 2, 4, 6, 7, 8]].any()


def test_the_sums_of_equal_ids_are_those_of_the_sparse_gradient():
    ids, G = np.array([7, 2, 7, 7, 0]), np.arange(10, dtype=np.float32).reshape(5, 2)
    read, sums = lookup.sparse(ids, G)
    assert read.tolist() == [0, 2, 7] and sums.tolist() == [[8, 9], [2, 3], [10, 13]] and sums.dtype == np.float32
    assert np.array_equal(sums, lookup.scatter(ids, G, 8)[read])


def test_a_short_work_is_repeated_and_quartiles_are_between_the_turns():
    calls = []
    passed = timing.seconds(lambda: calls.append(1))
    assert len(calls) > 100 and passed < timing.SHORTEST / 100
    assert timing.quartiles(np.array([4.0, 1, 3, 2, 5])) == [2, 3, 4]
