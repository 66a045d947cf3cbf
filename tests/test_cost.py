"""The multiplications of a run, against a run in plain Python that counts each one it makes; and the KV cache."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import cost, facts, path, position, toy

IDS = st.lists(st.integers(0, 11), min_size=1, max_size=8).map(tuple)
HEADS = [[W[h].tolist() for W in (toy.W_Q, toy.W_K, toy.W_V)] for h in range(2)]


class Plain:
    """The toy's path with learned positions, row by row, in plain Python; it keeps keys and values and counts."""

    def __init__(self):
        self.counts, self.kept = Counter(), [[], []]  # of each head: (k, v) of each row so far

    def dot(self, part, a, b):
        self.counts[part] += len(a)
        return sum(x * y for x, y in zip(a, b, strict=True))

    def times(self, part, row, W):
        return [self.dot(part, row, column) for column in zip(*W, strict=True)]

    def head(self, h, row):
        q, k, v = (self.times("q, k, v", row, W) for W in HEADS[h])
        self.kept[h].append((k, v))
        powers = [math.exp(self.dot("scores", q, k) / math.sqrt(2)) for k, _ in self.kept[h]]
        weights = [power / sum(powers) for power in powers]
        return [self.dot("weights × v", weights, values) for values in zip(*(v for _, v in self.kept[h]), strict=True)]

    def row(self, i):
        x = [a + b for a, b in zip(toy.E[i].tolist(), toy.P[len(self.kept[0])].tolist(), strict=True)]
        h = norm(x)
        x = added(x, self.times("W_O", self.head(0, h) + self.head(1, h), toy.W_O.tolist()))
        lit = [max(0, z) for z in added(self.times("MLP", norm(x), toy.W_1.tolist()), toy.B_1.tolist())]
        return added(x, self.times("MLP", lit, toy.W_2.tolist()), toy.B_2.tolist())

    def logits(self, ids):
        """Of the last row, after a run of these ids on top of the kept ones."""
        *_, last = [self.row(i) for i in ids]
        return self.times("logits", [4 * value for value in norm(last)], toy.E.T.tolist())


def added(*rows):
    return [sum(values) for values in zip(*rows, strict=True)]


def norm(row):
    centred = [x - sum(row) / len(row) for x in row]
    return [x / math.sqrt(sum(y * y for y in centred) / len(row) + 1e-5) for x in centred]


# --- counted

@given(IDS)
def test_a_run_without_a_cache_takes_what_a_plain_run_counts(ids):
    plain = Plain()
    logits = plain.logits(ids)
    assert cost.run(len(ids)) == plain.counts
    assert path.walk(ids).logits[-1] == pytest.approx(logits, abs=1e-9)  # what is counted is the toy itself


@given(IDS, st.data())
def test_a_run_with_a_cache_takes_what_a_plain_run_of_the_new_rows_counts(ids, data):
    kept = data.draw(st.integers(0, len(ids) - 1))
    plain = Plain()
    if kept:
        plain.logits(ids[:kept])
        plain.counts.clear()
    logits = plain.logits(ids[kept:])
    assert cost.run(len(ids), kept) == plain.counts
    assert path.walk(ids).logits[-1] == pytest.approx(logits, abs=1e-9)  # and the cache gives the same


@pytest.mark.parametrize(("start", "end"), [(2, 7), (5, 7), (1, 8), (7, 8)])
def test_a_generation_is_the_sum_of_its_runs(start, end):
    ids, without, kept = (0, 2, 4, 5, 1, 6, 10, 3), Counter(), Plain()
    for n in range(start, end):
        fresh = Plain()
        fresh.logits(ids[:n])
        without += fresh.counts
        kept.logits(ids[:n] if n == start else ids[n - 1 : n])
    assert cost.generation(start, end, False) == without and cost.generation(start, end, True) == kept.counts


def test_with_a_cache_all_runs_cost_one_run_but_for_the_logits():
    every, one = cost.generation(2, 7, True), cost.run(6)
    assert every.pop("logits") == 5 * one.pop("logits") and every == one


def test_gpt2_by_its_weights():
    # For one row the products with a matrix multiply with each of its weights once; biases, norms, positions add none.
    one = cost.run(1, 0, cost.GPT2)
    pairs = 2 * 12 * 768  # the row's own score and value, in each of 12 layers
    weights = facts.GPT2.total - facts.GPT2.position_table - 12 * (9 * 768 + 4 * 768) - 2 * 768
    assert sum(one.values()) == weights + pairs == 12 * 12 * 768**2 + 50_257 * 768 + pairs


# --- the cache is exact

@pytest.mark.parametrize("scheme", position.SCHEMES)
@pytest.mark.parametrize("n", [1, 5, 7])
def test_later_tokens_change_no_earlier_row(scheme, n):
    assert cost.difference((0, 2, 4, 5, 1, 6, 10, 3), n, scheme) < 1e-12


def test_a_difference_would_be_seen(monkeypatch):
    whole = path.walk
    monkeypatch.setattr(path, "walk", lambda ids, scheme: whole(ids, scheme, ("mask",)))
    assert cost.difference((0, 2, 4, 5, 1, 6, 10, 3), 5) > 0.01
