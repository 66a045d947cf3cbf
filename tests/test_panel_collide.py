"""The panel Add or concatenate, from action to picture, against sums by hand and counts by plain loops."""

import pytest

from test_panels import matrix, notice, parsed, respond, said, words
from tokenwalk import toy, worked
from tokenwalk.panels.collide import State
from tokenwalk.state import to_link

SUMS = {(i, t): tuple(e + p for e, p in zip(toy.E[i].tolist(), toy.P[t].tolist(), strict=True))
        for i in range(12) for t in range(8)}
EQUAL = [(a, b) for a in SUMS for b in SUMS if a < b and SUMS[a] == SUMS[b]]


def picture(**settings):
    return respond("collide", link=to_link(State(**settings)))["html"]


def test_climb_at_2_and_ed_at_3_have_one_sum_and_two_concatenations():
    html = respond("collide", link="")["html"]
    assert "The sums are equal: ␣climb at 2 and ed at 3 both give 0 1 −0.5 −0.5." in said(html)
    assert matrix(html, "␣climb at 2") == [["−0.5", "1", "0", "−0.5"], ["0.5", "0", "−0.5", "0"],
                                           ["0", "1", "−0.5", "−0.5"]]
    assert matrix(html, "ed at 3") == [["0", "0.5", "−0.5", "0"], ["0", "0.5", "0", "−0.5"], ["0", "1", "−0.5", "−0.5"]]
    assert matrix(html, "Concatenated", "not equal") == [["−0.5", "1", "0", "−0.5", "0.5", "0", "−0.5", "0"],
                                                         ["0", "0.5", "−0.5", "0", "0", "0.5", "0", "−0.5"]]


def test_all_pairs_of_the_toy_are_counted():
    assert len(SUMS) == 96 and len(EQUAL) > 2
    assert worked.equal_sums() == EQUAL
    text = words(parsed(picture()))
    assert f"make 96 sums, of which only {len(set(SUMS.values()))} are different: {len(EQUAL)} pairs of them" in text
    assert f"These two are number {EQUAL.index(((4, 1), (5, 2))) + 1}." in text
    assert "The 96 concatenated rows are all different." in text


def test_next_goes_through_all_equal_pairs_and_begins_again():
    state, shown = respond("collide", link="")["state"], []
    for _ in EQUAL:
        answer = respond("collide", state=state, action={"do": "next"})
        state = answer["state"]
        assert said(answer["html"]).startswith("The sums are equal")
        shown.append(state)
    assert len(set(shown)) == len(EQUAL) and shown[-1] == respond("collide", link="")["state"]


@pytest.mark.parametrize(("settings", "sentence"), [
    # 1 −0.5 0 −0.5 and, at 1 again, 1 −0.5 −0.5 0
    (dict(first_token="2", first_position="1", second_token="3", second_position="1"),
     "The sums of ␣cat at 1 and ␣dog at 1 differ, in columns 3 and 4. Concatenated they differ too."),
    (dict(second_token="4", second_position="2"), "Both sides are ␣climb at 2"),
])
def test_sides_that_differ_and_sides_that_are_one(settings, sentence):
    assert sentence in said(picture(**settings))


def test_either_side_may_come_first():
    html = picture(first_token="5", first_position="3", second_token="4", second_position="2")
    assert "The sums are equal: ed at 3 and ␣climb at 2" in said(html) and "These two are number" in words(parsed(html))


@pytest.mark.parametrize("action", [{"first_position": "9"}, {"first_position": "0"}, {"second_token": "12"},
                                    {"second_token": "␣cat"}, {"do": "back"}])
def test_a_place_that_the_toy_has_not_is_refused_in_words(action):
    state = respond("collide", link="")["state"]
    answer = respond("collide", state=state, action=action)
    assert answer["state"] == state and notice(answer["html"]).startswith("That was not done: ")
