"""Gradients and updates of a table, against PyTorch, finite differences and, for the rows that a batch reads, sampling.

The files torch_*.json in reference/ hold what PyTorch gave; make_torch.py made those read here. All is float64.
"""

import json
from decimal import Decimal, localcontext
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_optimise import updates
from tokenwalk import lookup, toy, worked, zipf

REFERENCE = {path.stem: json.loads(path.read_text(encoding="utf-8"))
             for path in (Path(__file__).parent / "reference").glob("torch_*.json")
             if path.stem not in ("torch_path", "torch_sampling")}
EMBEDDING, TIED = REFERENCE["torch_embedding"]["cases"], REFERENCE["torch_tied"]
STEPS = REFERENCE["torch_optimisers"]


def test_every_file_says_what_made_it():
    assert len(REFERENCE) == 3
    for file in REFERENCE.values():
        assert file["made_by"] == "make_torch.py" and file["packages"]["torch"].startswith("2.13.0")


# --- the gradient of a lookup


@pytest.mark.parametrize("name", EMBEDDING)
def test_the_dense_and_the_sparse_gradient_are_those_of_nn_embedding(name):
    case = EMBEDDING[name]
    ids, G = np.array(case["ids"]), np.array(case["G"])
    assert lookup.scatter(ids, G, 12) == pytest.approx(np.array(case["dense"]), rel=1e-14, abs=1e-15)
    rows, sums = lookup.sparse(ids, G)
    assert rows.tolist() == case["rows"]
    assert sums == pytest.approx(np.array(case["sums"]), rel=1e-14, abs=1e-15)


def test_the_cases_hold_repeats_and_a_batch_of_texts():
    assert {np.array(case["ids"]).ndim for case in EMBEDDING.values()} == {1, 2}
    assert sum(np.unique(case["ids"]).size < np.size(case["ids"]) for case in EMBEDDING.values()) == 3


# --- the tied model


@pytest.mark.parametrize("name", TIED["cases"])
def test_the_tied_gradient_of_the_toy_is_pytorchs_on_both_paths(name):
    case = TIED["cases"][name]
    assert (TIED["E"], TIED["P"]) == (toy.E.tolist(), toy.P[:5].tolist())
    X = toy.E[case["ids"]] + toy.P[:5]
    loss, at_X, at_output = lookup.tied(X, toy.E, TIED["targets"])
    at_rows = lookup.scatter(case["ids"], at_X, 12)
    assert loss == pytest.approx(case["loss"], rel=1e-14)
    assert at_rows == pytest.approx(np.array(case["lookup"]), rel=1e-12, abs=1e-15)
    assert at_output == pytest.approx(np.array(case["output"]), rel=1e-12, abs=1e-15)
    assert at_rows + at_output == pytest.approx(np.array(case["both"]), rel=1e-12, abs=1e-15)


def test_the_norms_of_the_page_are_those_of_pytorchs_gradients():
    case = TIED["cases"]["no repeat"]
    assert case["ids"] == toy.IDS.tolist() and TIED["targets"] == toy.TARGETS.tolist()
    for norms, path in zip(worked.tied_norms(), ("lookup", "output"), strict=True):
        assert norms == pytest.approx(np.linalg.norm(case[path], axis=1), rel=1e-12)


# --- finite differences of each path alone (test_lookup.py has both at once)


def slope(f, at, step=1e-6):
    """The gradient of f at this array, by central differences."""
    nudges = step * np.eye(at.size).reshape(at.size, *at.shape)
    return np.array([(f(at + nudge) - f(at - nudge)) / (2 * step) for nudge in nudges]).reshape(at.shape)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(2, 6), st.integers(1, 4))
def test_the_lookups_and_the_outputs_gradient_are_slopes(seed, n, V, d):
    rng = np.random.default_rng(seed)
    E, P, ids, targets = rng.normal(size=(V, d)), rng.normal(size=(n, d)), rng.integers(0, V, n), rng.integers(0, V, n)

    def loss(reads, output):  # written apart from the module
        logits = (reads[ids] + P) @ output.T
        return np.mean([np.log(np.exp(row).sum()) - row[y] for row, y in zip(logits, targets, strict=True)])

    _, at_X, at_output = lookup.tied(E[ids] + P, E, targets)
    assert lookup.scatter(ids, at_X, V) == pytest.approx(slope(lambda reads: loss(reads, E), E), abs=1e-7)
    assert at_output == pytest.approx(slope(lambda output: loss(E, output), E), abs=1e-7)


# --- ten steps of each optimiser


def ten_steps(name):
    """The table after each of ten steps from the file's start, with the file's ids and gradients, at lr 0.1."""
    batches = zip(STEPS["ids"], np.array(STEPS["G"]), strict=True)
    return np.array([*updates(name, np.array(STEPS["start"]), batches, lr=0.1)])  # (10, V, d)


# PyTorch's SparseAdam adds ε before it corrects the mean square, Adam and ours after. Of a step of at most lr that is a
# part of ε / √(0.001 g²) < 6.4e-7 while |g| ≥ 0.5, so over ten steps the rows differ by less than 6.4e-7.
@pytest.mark.parametrize(("name", "within"), [("sgd", 1e-14), ("momentum", 1e-14), ("adam", 1e-13), ("adamw", 1e-13),
                                              ("sparse_adam", 6.4e-7)])
def test_all_rows_are_pytorchs_after_each_of_ten_steps(name, within):
    expected = np.array(STEPS["optimisers"][name]["rows"])
    assert expected.shape == (10, 8, 3) and np.abs(STEPS["G"]).min() >= 0.5
    assert ten_steps(name) == pytest.approx(expected, rel=0, abs=within)


@pytest.mark.parametrize(("name", "never_read", "read_once"), [
    ("sgd", False, False), ("momentum", False, True), ("adam", False, True), ("adamw", True, True),
    ("sparse_adam", False, False)])
def test_which_rows_move_without_a_gradient(name, never_read, read_once):
    for after in (ten_steps(name), np.array(STEPS["optimisers"][name]["rows"])):
        moved = (np.diff(after, axis=0) != 0).any(axis=(0, 2))  # after the first step
        assert (moved[7], moved[5]) == (never_read, read_once)


# --- how many rows a batch reads: the four figures of the page

CHAPTER = {1024: 606, 4000: 1891, 8192: 3360, 500_000: 41_225}
V = 50_257


@pytest.mark.parametrize(("n", "printed"), CHAPTER.items())
def test_the_expected_number_of_rows_is_the_closed_form_in_forty_digits(n, printed):
    with localcontext(prec=40):
        harmonic = sum(1 / Decimal(rank) for rank in range(1, V + 1))
        exact = V - sum((1 - 1 / (rank * harmonic)) ** n for rank in map(Decimal, range(1, V + 1)))
    assert round(exact) == printed
    assert zipf.expected_distinct(V, n) == pytest.approx(float(exact), rel=1e-12)


# With q the chance that a row is read at all, the number of rows read has a variance of at most Σ q (1 − q), because
# one row being read makes each other less likely. The mean of so many batches must lie within four standard deviations
# of such a mean: the seed is fixed, and of all seeds fewer than 7 in 100,000 would fail.
@pytest.mark.parametrize(("n", "batches"), [(1024, 400), (4000, 200), (8192, 100), (500_000, 4)])
def test_sampled_batches_read_as_many_rows_as_expected(n, batches):
    p = (1 / np.arange(1, V + 1)) / sum(1 / np.arange(1, V + 1))
    missed = (1 - p) ** n
    deviation = np.sqrt((missed * (1 - missed)).sum() / batches)
    read = [np.unique(zipf.batch(V, n, 1.0, seed=11, tick=tick)).size for tick in range(batches)]
    assert abs(np.mean(read) - CHAPTER[n]) < 4 * deviation + 0.5  # the page's figure is rounded
    assert deviation < 0.02 * CHAPTER[n]                          # and the bound is worth something
