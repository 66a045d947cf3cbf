"""One head, by the panel's door: the numbers of tests/reference/toy.json, and sums done here."""

import json
import math
from pathlib import Path

import pytest

from door import Door, said
from test_panels import notice, words
from tokenwalk import toy

TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
CAT, DOG, TRADED = "0 2 4 5 1", "0 3 4 5 1", "0 4 2 5 1"
TEXTS = {CAT: "the cat climbed the", DOG: "the dog climbed the"}
TOKENS = ["the", "␣cat", "␣climb", "ed", "␣the"]
DOOR = Door("head")
answer, picture, table = DOOR.answer, DOOR.picture, DOOR.table


def state(ids=CAT, **settings):
    return {"ids": ids, "scheme": "learned", "cell": "", "t": 5, "head": "2"} | settings


def near(expected):
    return pytest.approx(expected, rel=0, abs=5.01e-4)


# --- the numbers

@pytest.mark.parametrize("ids", TEXTS)
@pytest.mark.parametrize("head", ["1", "2"])
@pytest.mark.parametrize("t", range(1, 6))
def test_every_table_has_the_expected_numbers(ids, head, t):
    whole = TOY[TEXTS[ids]]
    expected = whole[f"head{head}"]
    root = picture(state(ids, head=head, t=t))
    assert table(root, "norm") == [near(whole["X"][t - 1]), near(whole["ln1"][t - 1])]
    assert table(root, "qk") == [near(q + k) for q, k in zip(expected["q"], expected["k"], strict=True)]
    assert table(root, "v") == [near(v) for v in expected["v"]]
    query, rows = expected["q"][t - 1], table(root, "scores")
    assert len(rows) == t
    for (product, score, weight), k, a in zip(rows, expected["k"], expected["weights"][t - 1], strict=False):
        dot = query[0] * k[0] + query[1] * k[1]
        assert [product, score, weight] == [near(dot), near(dot / math.sqrt(2)), near(a)]
    *taken, (one, *total) = table(root, "output")
    for row, v, a in zip(taken, expected["v"], expected["weights"][t - 1], strict=False):
        assert row == near([a, *v, a * v[0], a * v[1]])
    assert one == 1 and total == near(expected["out"][t - 1])


def test_the_products_of_the_query_are_written_out():
    root = picture(state())
    text = words(root.get_element_by_id("head-qkv-sums"))
    assert "q1 = (−0.577) × 0 + (−0.577) × 0 + (−0.577) × 0 + 1.732 × 0.5 = 0.866" in text
    assert "q2 = (−0.577) × 0 + (−0.577) × (−2) + (−0.577) × 0 + 1.732 × 0 = 1.155" in text
    assert text.count(" × ") == 6 * 4
    assert table(root, "W") == [[*q, *k, *v] for q, k, v in zip(toy.W_Q[1], toy.W_K[1], toy.W_V[1], strict=True)]


def test_the_softmax_is_written_out():
    text = words(picture(state(head="1", t=2)).get_element_by_id("head-softmax"))
    # q = 2.598 0; k of the first is −0.816, its own 1.155: scores −1.5 and 2.121, and e to −3.621 is 0.027
    assert "␣cat: (2.598 × 1.155 + 0 × 0.577) / √2 = 2.121" in text
    assert "the: e−3.621 / 1.027 = 0.027 / 1.027 = 0.026" in text and "␣cat: e0 / 1.027 = 1 / 1.027 = 0.974" in text


def test_what_the_norm_divides_by_is_written_out():
    text = words(picture(state()).get_element_by_id("head-norm-sums"))
    assert "mean = 0" in text and "√(((−0.5)² + (−0.5)² + (−0.5)² + 1.5²) / 4 + 1/100,000) = 0.866" in text


def test_a_row_with_a_mean_has_it_taken_off_first():
    x, centred, h = table(picture(state(scheme="sinusoidal", t=1)), "norm")
    assert x == [-0.5, 0.5, 0, 2]  # E[0] + 0 1 0 1
    assert centred == [-1, 0, -0.5, 1.5] and h == near([c / math.sqrt(3.5 / 4 + 1e-5) for c in centred])


# --- the schemes

def test_rope_turns_q_and_k_by_one_radian_a_position_and_not_v():
    root = picture(state(scheme="rope", t=3))
    plain, turned = table(root, "qk"), table(root, "turned")
    for t, (a, b) in enumerate(zip(plain, turned, strict=True)):
        turn = complex(math.cos(t), math.sin(t))
        for pair in (slice(0, 2), slice(2, 4)):
            z = complex(*a[pair]) * turn
            assert b[pair] == pytest.approx([z.real, z.imag], abs=2e-3)
    assert table(root, "v") == table(picture(state(scheme="none", t=3)), "v")
    assert "by 2 rad" in said(root) and len(root.xpath(".//svg")) == 2


def test_alibi_takes_slope_times_distance_off_each_score():
    rows = table(picture(state(scheme="alibi", head="1")), "scores")
    for place, (dot, fit, bias, score, _) in enumerate(rows, start=1):
        assert fit == pytest.approx(dot / math.sqrt(2), abs=1e-3)
        assert bias == near((place - 5) / 16) and score == pytest.approx(fit + bias, abs=1.1e-3)
    weights = [math.exp(row[3]) for row in rows]
    assert [row[4] for row in rows] == pytest.approx([w / sum(weights) for w in weights], abs=1e-3)
    assert "1/16 × distance" in said(picture(state(scheme="alibi", head="1")))
    assert "1/256 × distance" in said(picture(state(scheme="alibi")))


# --- what it says, and its controls

def test_it_says_whom_the_last_token_finds():
    assert "␣the at 5 has the query 0.866 1.155. It fits the key of ␣cat at 2 best: weight 0.616." in said(
        picture(state()))
    assert "the key of ␣dog at 2 best: weight 0.501" in said(picture(state(), ids=DOG))
    assert "the key of ␣cat at 3 best" in said(picture(state(), ids=TRADED))
    assert "has nobody before it" in said(picture(state(), t="1"))


def test_back_and_next_stop_at_the_ends():
    places, now = [], json.dumps(state(t=4))
    for do in ("next", "next", *["back"] * 5):
        now = answer(json.loads(now), do=do)["state"]
        places.append(json.loads(now)["t"])
    assert places == [5, 5, 4, 3, 2, 1, 1]


def test_another_sentence_is_looked_at_from_its_last_token():
    short = answer(state(t=2), ids="0 3")["state"]
    assert json.loads(short) == state("0 3", t=2)
    long = answer(state(), ids="0 1 2 3 4 5 6 11")["state"]
    assert json.loads(long)["t"] == 8 and json.loads(answer(state(t=2), ids=CAT)["state"])["t"] == 2


def test_a_place_beyond_the_sentence_is_its_last():
    root = picture(state("0 2", t=7))
    assert len(table(root, "scores")) == 2 and root.xpath(".//input[@name='t'][@checked]/@value") == ["2"]
    assert json.loads(answer(state("0 2", t=7), do="back")["state"])["t"] == 1


@pytest.mark.parametrize(("action", "why"), [
    ({"ids": "0 12"}, "only 1 to 8 ids from 0 to 11"), ({"ids": "the cat"}, "only 1 to 8 ids"), ({"ids": ""}, "only 1"),
    ({"t": "9"}, "only a whole number from 1 to 8"), ({"head": "3"}, "head cannot be 3"),
    ({"scheme": "ropes"}, "scheme cannot be ropes"), ({"do": "jump"}, "no such control")])
def test_what_is_not_valid_is_refused_and_the_picture_stays(action, why):
    after = answer(state(t=3), **action)
    assert json.loads(after["state"]) == state(t=3)
    assert why in notice(after["html"])


@pytest.mark.parametrize(("before", "link"), [
    (state(), ""), (state(t=2, head="1"), ""), (state(DOG, scheme="rope"), "?ids=0+3+4+5+1&scheme=rope")])
def test_sentence_and_scheme_go_on_to_the_next_page(before, link):
    assert picture(before).xpath(".//a[starts-with(@href, '..')]/@href") == [f"../4-mask-and-heads/#heads{link}"]
