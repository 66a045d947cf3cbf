"""The whole path against tests/reference/toy.json, which was computed apart from this code, and its parts by name."""

import json
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import path, position, tokens, toy
from tokenwalk.given import is_written
from tokenwalk.path import ids_of, walk

EXPECTED = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
TEXTS = ("the cat climbed the", "the dog climbed the")
WHOLE = {"X": "X", "ln1": "h", "after_attention": "residual", "ln2": "norm2", "after_mlp": "Y", "logits": "logits",
         "p": "p"}
OF_A_HEAD = {"q": "q", "k": "k", "v": "v", "weights": "weights", "out": "heads"}
IDS = st.lists(st.integers(0, 11), min_size=1, max_size=8).map(tuple)
near = partial(pytest.approx, rel=0, abs=1e-9)


def test_the_file_names_every_stage_that_is_compared():
    for text in TEXTS:
        assert EXPECTED[text].keys() == {*WHOLE, "head1", "head2"}
        assert all(EXPECTED[text][head].keys() == OF_A_HEAD.keys() for head in ("head1", "head2"))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("stage", WHOLE)
def test_a_stage_has_its_expected_values(text, stage):
    assert getattr(walk(ids_of(text)), WHOLE[stage]) == near(np.array(EXPECTED[text][stage]))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("stage", OF_A_HEAD)
@pytest.mark.parametrize("head", [1, 2])
def test_a_head_has_its_expected_values(text, stage, head):
    values = getattr(walk(ids_of(text)), OF_A_HEAD[stage])[head - 1]
    assert values == near(np.array(EXPECTED[text][f"head{head}"][stage]))


def test_head_2_looks_back_at_the_cat():
    weights = walk(ids_of("the cat climbed the")).weights[1, -1]
    assert toy.TOKENS[toy.IDS[weights.argmax()]] == "␣cat" and round(weights.max(), 2) == 0.62


@pytest.mark.parametrize("name", ["E", "P", "W_O", "W_2", "B_2"])
def test_what_writes_into_X_sums_to_zero_in_each_row(name):
    assert (getattr(toy, name).sum(axis=-1) == 0).all()


# --- the schemes

def by_hand(ids, scheme, h):
    """Scores of head 2 in loops, for one h: RoPE turns the only pair of w = 2 by one radian a position."""
    q, k = h @ toy.W_Q[1], h @ toy.W_K[1]
    scores = np.empty((len(ids), len(ids)))
    for i, j in np.ndindex(scores.shape):
        a, b = q[i], k[j]
        if scheme == "rope":
            a, b = (np.array([x * np.cos(t) - y * np.sin(t), x * np.sin(t) + y * np.cos(t)])
                    for (x, y), t in ((a, i), (b, j)))
        scores[i, j] = (a[0] * b[0] + a[1] * b[1]) / np.sqrt(2) - (abs(i - j) / 256 if scheme == "alibi" else 0)
    return scores


@given(IDS, st.sampled_from(sorted(position.SCHEMES)))
def test_a_scheme_acts_in_its_place(ids, scheme):
    run = walk(ids, scheme)
    added = {"learned": toy.P[:len(ids)], "sinusoidal": position.sinusoidal(len(ids), 4)}.get(scheme, 0)
    assert near(run.X) == toy.E[list(ids)] + added
    centred = run.X - run.X.mean(axis=1, keepdims=True)  # a sinusoid's row does not sum to zero
    assert run.h == near(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5))
    assert run.scores[1] == near(by_hand(ids, scheme, run.h))
    ahead = ~np.tri(len(ids), dtype=bool)
    assert np.isneginf(run.masked[:, ahead]).all() and (run.weights[:, ahead] == 0).all()


@given(IDS, st.sampled_from(sorted(position.SCHEMES)))
def test_a_later_token_changes_nothing_before_it(ids, scheme):
    assert walk(ids, scheme).p[:-1] == near(walk(ids[:-1], scheme).p if ids[:-1] else np.empty((0, 12)))


@given(IDS)
def test_the_stream_is_a_running_sum(ids):
    run = walk(ids)
    assert run.X + run.attn + run.mlp == near(run.Y)
    assert run.attn == near(run.heads[0] @ toy.W_O[:2] + run.heads[1] @ toy.W_O[2:])
    assert run.hidden.min() >= 0 and run.mlp == near(run.hidden @ toy.W_2 + toy.B_2)


# --- what is left out

def left_out(*parts):
    return walk(ids_of("the cat climbed the"), "learned", frozenset(parts))


def test_without_heads_and_mlp_the_rows_of_X_come_out():
    run = left_out("head 1", "head 2", "mlp")
    assert np.array_equal(run.Y, run.X)


def test_a_part_left_out_adds_nothing_and_the_rest_stays():
    whole = left_out()
    assert left_out("head 1").attn == near(whole.heads[1] @ toy.W_O[2:])
    assert left_out("head 2").attn == near(whole.heads[0] @ toy.W_O[:2])
    assert left_out("neuron 2").mlp == near(whole.mlp - np.outer(whole.hidden[:, 1], toy.W_2[1]))
    assert np.array_equal(left_out("norm 1").h, whole.X)
    assert np.array_equal(left_out("norm 2").norm2, whole.residual)
    assert (left_out("mask").weights > 0).all() and np.array_equal(left_out("mask").masked, whole.scores)


def test_every_part_has_a_use_and_another_is_refused():
    assert all(not np.array_equal(left_out(part).p, left_out().p) for part in path.PARTS)
    with pytest.raises(ValueError, match="no part called head 3"):
        left_out("head 3")


def test_no_stage_can_be_written_to():
    run = walk((0,))
    for field in fields(run):
        with pytest.raises(ValueError, match="read-only"):
            getattr(run, field.name)[...] = 0


# --- the ids of a text

@given(IDS)
def test_ids_and_words_name_the_same_text(ids):
    assert ids_of(path.written(ids)) == ids and is_written(path.written(ids))
    words = tokens.decode(ids)
    if tokens.encode(words) == [*ids]:  # not every row of ids is what greedy longest match finds
        assert ids_of(words) == ids


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "1 to 8 tokens, and this one has 0"),
        ("0 1 2 3 4 5 6 7 8", "this one has 9"),
        ("the cat climbed the cat climbed the", "this one has 9"),
        ("0 12", "no token has the id 12: ids run from 0 to 11"),
        ("the bird", "'b' at place 5"),
        ("0 −1", "no token covers the letter '0'"),
        ("٣", "no token covers"),
    ],
)
def test_another_text_is_refused_with_a_sentence(text, why):
    with pytest.raises(ValueError, match=why):
        ids_of(text)
