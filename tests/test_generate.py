"""Step 7: what is kept, what is picked, when it stops."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import generate, path, tokens
from tokenwalk.generate import Rule, chance, continued, ending, generated, most_probable, pick, top_k, top_p
from tokenwalk.path import ids_of

GREEDY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))["greedy"]
WEIGHTS = st.lists(st.integers(1, 6), min_size=1, max_size=12).map(np.array)  # small whole numbers, so that many tie


def kept(mask):
    return np.flatnonzero(mask).tolist()


# --- greedy

@pytest.mark.parametrize(
    ("start", "end"),
    [("the cat", "the cat climbed the roof."), ("the dog", "the dog climbed the wall.")],
)
def test_greedy_ends_both_sentences(start, end):
    picks, why = generated(ids_of(start))
    assert tokens.decode([*ids_of(start), *(p.id for p in picks)]) == end and why == "."


@pytest.mark.parametrize("start", GREEDY)
def test_greedy_gives_the_expected_ids(start):
    assert [*ids_of(start), *(p.id for p in generated(ids_of(start))[0])] == GREEDY[start]


def test_of_equal_logits_greedy_takes_the_lowest_id():
    assert pick([0, 5, 5, 1], Rule(k=4), 0).id == 1


# --- top-k and top-p

def test_top_k_keeps_all_that_tie_with_the_last():
    p = [0.1, 0.3, 0.2, 0.2, 0.2]
    assert [kept(top_k(p, k)) for k in (1, 2, 4, 5, 99)] == [[1], [1, 2, 3, 4], [1, 2, 3, 4], [*range(5)], [*range(5)]]


@pytest.mark.parametrize(
    ("share", "ids"),
    [(0.001, [1]), (0.4, [1]), (0.401, [1, 2, 3]), (0.6, [1, 2, 3]), (0.8, [1, 2, 3]), (0.801, [0, 1, 2, 3]),
     (0.999, [*range(5)]), (1, [*range(5)])],
)
def test_top_p_keeps_the_fewest_that_reach_the_share_and_their_ties(share, ids):
    assert kept(top_p([0.15, 0.4, 0.2, 0.2, 0.05], share)) == ids


def test_a_share_that_is_reached_exactly_takes_no_further_token():
    assert 0.7 + 0.1 + 0.1 < 0.9  # added one by one, doubles fall short
    assert kept(top_p([0.7, 0.1, 0.1, 0.06, 0.04], 0.9)) == [0, 1, 2]


def test_a_tie_of_the_model_is_a_tie_though_doubles_differ():
    p = [0.1 + 0.2, 0.3, 0.4]
    assert p[0] > p[1] and kept(top_k(p, 2)) == kept(top_p(p, 0.5)) == [0, 1, 2]


def test_share_1_keeps_what_doubles_cannot_add():
    assert kept(top_p([1.0, 1e-30], 1)) == [0, 1] and kept(top_p([1.0, 1e-30], 0.999999)) == [0]


@given(WEIGHTS, st.integers(1, 12))
def test_top_k_is_the_sorted_list_cut_at_k_and_its_ties(weights, k):
    least = sorted(weights, reverse=True)[min(k, len(weights)) - 1]
    assert kept(top_k(weights / weights.sum(), k)) == [i for i, w in enumerate(weights) if w >= least]


@given(WEIGHTS, st.integers(1, 99))
def test_top_p_is_the_sorted_list_cut_where_the_share_is_reached_and_its_ties(weights, percent):
    total, running, least = weights.sum(), 0, 0
    for w in sorted(weights.tolist(), reverse=True):
        running, least = running + w, w
        if running * 100 >= percent * total:  # in whole numbers
            break
    assert kept(top_p(weights / total, percent / 100)) == [i for i, w in enumerate(weights) if w >= least]


def test_a_gate_that_keeps_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1 token, not 0"):
        top_k([1.0], 0)
    for share in (0, -0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="a share above 0 and at most 1"):
            top_p([1.0], share)


# --- one pick

@given(st.integers(0, 99), st.integers(0, 7), st.integers(1, 12), st.floats(0.05, 1), st.floats(0.1, 10))
def test_what_is_left_is_the_kept_part_scaled_to_1(seed, step, k, share, T):
    logits = np.random.default_rng(seed).normal(size=12)
    one = pick(logits, Rule(seed, T, k, share), step)
    p = np.exp(logits / T) / np.exp(logits / T).sum()
    assert one.p == pytest.approx(p) and one.left.sum() == pytest.approx(1)
    assert one.kept.sum() <= one.in_top_k.sum() == k and one.kept[one.id]
    assert one.left[one.kept] == pytest.approx(p[one.kept] / p[one.kept].sum()) and (one.left[~one.kept] == 0).all()


def test_top_p_sees_what_top_k_has_left():
    # 0.5 of the whole is 0.5 / 0.8 = 0.625 of the two that top-k keeps, and that reaches 0.6.
    logits = np.log([0.5, 0.3, 0.2])
    assert kept(pick(logits, Rule(1, k=2, share=0.6), 0).kept) == [0]
    assert kept(pick(logits, Rule(1, k=3, share=0.6), 0).kept) == [0, 1]


def test_the_number_drawn_falls_into_the_picked_tokens_stretch():
    logits = np.log([0.2, 0.5, 0.3])
    for step in range(20):
        one = pick(logits, Rule(7, k=3), step)
        assert one.drawn == np.random.default_rng((7, step)).random()
        assert one.id == (0 if one.drawn < 0.2 else 1 if one.drawn < 0.7 else 2)


def test_many_draws_have_the_frequencies_of_p():
    p = np.array([0.1, 0.6, 0.05, 0.25])
    counts = np.bincount([pick(np.log(p), Rule(3, k=4), step).id for step in range(4000)], minlength=4)
    assert (np.abs(counts - 4000 * p) < 4 * np.sqrt(4000 * p * (1 - p))).all()  # four standard deviations


def test_a_seed_repeats_and_another_differs():
    texts = [[p.id for p in generated((0,), rule=Rule(seed, temperature=3))[0]] for seed in (1, 1, *range(2, 12))]
    assert texts[0] == texts[1] and any(text != texts[0] for text in texts[2:])


# --- the end

@pytest.mark.parametrize(
    ("ids", "why"),
    [((0, 10), "."), ((0, 11), "<|endoftext|>"), ((0,) * 8, "8 tokens"), ((0,) * 7 + (10,), "."), ((0,) * 7, None),
     ((10, 0), None)],
)
def test_it_stops_for_a_reason_and_says_which(ids, why):
    assert ending(ids) == why
    if why:
        assert generated(ids) == ([], why)


@given(st.integers(0, 50), st.sampled_from(["none", "rope", "alibi", "sinusoidal"]))
def test_every_generation_ends_within_8_tokens(seed, scheme):
    picks, why = generated((0,), scheme, Rule(seed, temperature=5))
    ids = (0, *(p.id for p in picks))
    assert len(ids) <= 8 and ending(ids) == why and all(ending(ids[:n]) is None for n in range(1, len(ids)))
    assert generate.LAST == (".", "<|endoftext|>")


# --- a whole text and its probability

def every_text(ids, scheme="learned"):
    """All texts that go on from these ids to an ending, with their probabilities, by trying every id at every step."""
    done, open_texts = {}, {ids: 1.0}
    while open_texts:
        longer = {(*text, i): p * path.walk(text, scheme).p[-1, i] for text, p in open_texts.items() for i in range(12)}
        done |= {text: p for text, p in longer.items() if ending(text)}
        open_texts = {text: p for text, p in longer.items() if not ending(text)}
    return done


@pytest.mark.parametrize(("ids", "scheme"), [
    ((0, 2, 4, 5, 1), "learned"), ((0, 3, 4, 5, 1), "learned"), ((8, 4, 5, 5, 1), "learned"), ((0, 2, 4, 5), "rope"),
    ((8, 8, 8, 8, 8, 8, 8), "none")])
def test_the_most_probable_text_is_that_of_all(ids, scheme):
    texts = every_text(ids, scheme)
    assert sum(texts.values()) == pytest.approx(1)
    best = most_probable(ids, scheme)
    assert texts[best] == pytest.approx(max(texts.values()), rel=1e-9)
    assert chance(best, len(ids), scheme) == pytest.approx(texts[best])


def test_from_the_cat_and_the_dog_greedy_is_the_most_probable_text_and_from_a_sofa_it_is_not():
    for start in ("the cat", "the dog", "the cat climbed the"):
        assert continued(ids_of(start)) == most_probable(ids_of(start))
    greedy, best = continued((8,)), most_probable((8,))
    assert (tokens.decode(greedy), tokens.decode(best)) == (" sofa climbeded the wall.", " sofa.")
    assert chance(best, 1) == pytest.approx(path.walk((8,)).p[-1, 10]) and chance(best, 1) > 2 * chance(greedy, 1)


def test_the_probability_of_a_text_is_the_product_of_its_steps():
    picks, _ = generated((0, 2))
    assert chance(continued((0, 2)), 2) == pytest.approx(np.prod([one.p[one.id] for one in picks]))
    assert np.prod([one.p[one.id] for one in picks]) == pytest.approx(np.prod([
        path.walk(tuple(GREEDY["the cat"][:n])).p[-1, GREEDY["the cat"][n]] for n in range(2, 7)]))
