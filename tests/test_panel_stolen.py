"""A token that cannot win, by the panel's door: whatever the row, <|endoftext|> is never alone in front."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from door import Door
from test_panel_output import near, softmax
from test_panels import notice, parsed, respond, said, words
from tokenwalk import output, toy

CAT, ROOF, FLOOR, END = 2, 6, 9, 11
table = Door("stolen").table
THOUSANDTHS = st.tuples(*[st.integers(-8000, 8000)] * 4)


def shown(h, **action):
    state = json.dumps(dict(zip(("h1", "h2", "h3", "h4"), map(float, h), strict=True)))
    return respond("stolen", state=state, **({"action": action} if action else {}))


def products(h):
    """The logits, by hand."""
    return [sum(a * b for a, b in zip(h, row, strict=True)) for row in toy.E.tolist()]


def test_the_row_is_half_of_two_others():
    assert toy.E[END].tolist() == [(a + b) / 2 for a, b in zip(toy.E[CAT], toy.E[ROOF], strict=True)]


@given(THOUSANDTHS)
@example((2000, -2000, 2000, -2000))
@example((8000, -8000, 8000, 0))
@example((333, 3000, 333, 0))
@example((0, 0, 0, 0))
def test_end_of_text_is_never_alone_in_front_whatever_the_row(thousandths):
    z = products([2 * x for x in thousandths])  # whole numbers, so nothing is rounded; the logits in parts of 2,000
    assert 2 * z[END] == z[CAT] + z[ROOF] and z[END] <= max(z[CAT], z[ROOF])
    html = shown([x / 1000 for x in thousandths])["html"]
    assert [row[4] for row in table(parsed(html), "logits")] == near([x / 2000 for x in z])
    p, shares = [row[1] for row in table(parsed(html), "p")], softmax([x / 2000 for x in z])
    assert p == near(shares)
    assert p[END] == near(math.sqrt(shares[CAT] * shares[ROOF])) and p[END] <= 0.333
    first = [toy.TOKENS[i] for i in range(12) if z[i] == max(z)]
    assert first != ["<|endoftext|>"]
    *others, last = first
    names = f"{', '.join(others)} and {last} tie" if others else f"{last} wins"
    assert said(html).startswith(f"{names if len(first) < 12 else 'All 12 tokens tie'}, with the logit ")


@given(st.tuples(*[st.integers(-10**6, 10**6)] * 4))
def test_neither_mixture_of_the_table_is_ever_alone_in_front(h):
    # ␣floor is half ␣wall, and a sixth each of three rows that add up to zero.
    assert not (toy.E[0] + toy.E[CAT] + toy.E[4]).any() and (toy.E[7] / 2 == toy.E[FLOOR]).all()
    z = output.logits(h, toy.E)  # halves of whole numbers, exactly
    assert all(np.delete(z, i).max() >= z[i] for i in (FLOOR, END))


def test_it_ties_exactly_where_the_page_says():
    steps = (-2, -1, -0.5, 0, 0.5, 1, 2)
    for h in itertools.product(steps, repeat=4):
        z = products(h)
        assert (z[END] == max(z)) == (h[0] == h[2] >= h[3] >= h[1]), h


def test_all_tokens_tie_with_zeros_only_or_equal_numbers():
    assert said(shown((0, 0, 0, 0))["html"]).startswith("All 12 tokens tie, with the logit 0.")
    assert said(shown((3, 3, 3, 3))["html"]).startswith("All 12 tokens tie, with the logit 0.")  # rows of E sum to 0


def test_its_own_row_leaves_it_level_with_three_others():
    html = respond("stolen", link="")["html"]
    assert said(html).startswith("␣cat, ␣roof, . and <|endoftext|> tie, with the logit 4.")
    assert "½ (4 + 4) = 4" in said(html)


def test_a_little_more_of_one_number_puts_one_of_the_two_ahead():
    assert said(shown((8, -8, 8, 0), h3="7.5")["html"]).startswith("␣cat wins")
    assert said(shown((8, -8, 8, 0), h1="7.5")["html"]).startswith("␣roof wins")


def test_who_has_more_is_named():
    text = said(shown((1, 0, -1, 0))["html"])  # ␣wall 2, ␣cat 1, ␣roof −1
    assert text.startswith("␣wall wins, with the logit 2. <|endoftext|> has ½ (1 − 1) = 0, the mean of ␣cat and ␣roof")
    assert "A mean cannot be above both: ␣cat has more." in text
    text = said(shown((0, 2, 0, 0))["html"])  # ␣climb 2, ␣cat and ␣roof −1 each
    assert "<|endoftext|> has ½ (−1 − 1) = −1, the same as ␣cat and ␣roof." in text


def test_the_button_for_its_best_gives_more_than_any_whole_numbers_within_the_sliders():
    state = json.loads(shown((1, 2, 3, 4), do="best")["state"])
    best = softmax(products(list(state.values())))[END]
    axis = np.arange(-8, 9.0)
    rows = np.stack(np.meshgrid(axis, axis, axis, axis), axis=-1).reshape(-1, 4)
    powers = np.exp(rows @ toy.E.T)
    assert (powers[:, END] / powers.sum(axis=1)).max() == pytest.approx(best, abs=1e-12)
    assert 0.32 < best < 1 / 3


@pytest.mark.parametrize(("button", "row"), [("own", [2, -2, 2, -2]), ("best", [8, -8, 8, 0]), ("zero", [0, 0, 0, 0])])
def test_a_button_puts_its_row_in_and_is_pressed(button, row):
    answer = shown((1, 2, 3, 4), do=button)
    assert list(json.loads(answer["state"]).values()) == row
    pressed = parsed(answer["html"]).xpath(".//button[@aria-pressed='true']/@value")
    assert pressed == [button]
    assert not parsed(shown((1, 2, 3, 4))["html"]).xpath(".//button[@aria-pressed='true']")


def test_every_product_is_written_out():
    lines = [words(node) for node in parsed(shown((2, -2, 1, 0.5))["html"]).xpath(".//*[@class='written']")]
    assert len(lines) == 12
    assert lines[END] == "<|endoftext|>: 2 × 0.5 + (−2) × (−0.5) + 1 × 0.5 + 0.5 × (−0.5) = 2.25"


@pytest.mark.parametrize(("action", "why"), [
    ({"h1": "9"}, "h1 cannot be 9, only a number from −8 to 8"), ({"h4": "many"}, "h4 needs a number"),
    ({"h2": "nan"}, "h2 cannot be nan"), ({"do": "win"}, "no such control"), ({"h5": "1"}, "no such control")])
def test_what_is_not_valid_is_refused_and_the_row_stays(action, why):
    answer = shown((1, 2, 3, 4), **action)
    assert list(json.loads(answer["state"]).values()) == [1, 2, 3, 4]
    assert why in notice(answer["html"])
