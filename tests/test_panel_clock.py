"""RoPE's clock, through the panel's door: hands, scores and curve against cosines, and both layouts."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from test_panels import notice, parsed, respond


def ask(*actions, **settings):
    """The last answer after the actions, from the first state with these settings: (state, root of the picture)."""
    state = json.dumps(settings)
    for action in actions:
        state = respond("clock", state=state, action=action)["state"]
    answer = respond("clock", state=state)
    return json.loads(answer["state"]), parsed(answer["html"])


def told(action, **settings):
    """The state and the sentence after one action that is not valid."""
    answer = respond("clock", state=json.dumps(settings), action=action)
    return json.loads(answer["state"]), notice(answer["html"]) or ""


def words(root, path="."):
    return " ".join(root.xpath(f"string({path})").split())


def said(root):
    return words(root, ".//*[@id='clock-say']")


def table(root):
    """The rows of q·k, column by column: [head, q, q turned, k turned, product], and the sum."""
    rows = [[words(cell) for cell in row] for row in root.xpath(".//table[@id='clock-columns']//tr[th[@scope='row']]")]
    assert rows[-1][0] == "sum"
    return rows[:-1], rows[-1][-1]


def read(text):
    return float(text.replace("−", "-"))


def tips(root, kind):
    """Where the hands of one kind end, as angles in degrees from 0 to 360, anticlockwise from the right."""
    ends = [(float(line.get("x2")), -float(line.get("y2"))) for line in root.xpath(f".//line[@class='{kind}']")]
    return [math.degrees(math.atan2(y, x)) % 360 for x, y in ends]


@pytest.mark.parametrize(("m", "n", "start", "score"), [
    (3, 1, "alike", "0.540"), (10, 8, "alike", "0.540"), (4, 1, "alike", "0.071"), (14, 1, "alike", "0.977"),
    (3, 1, "across", "0.841"), (1, 3, "across", "−0.841"), (5, 5, "alike", "1"), (5, 5, "across", "0")])
def test_the_published_scores_of_one_pair(m, n, start, score):
    _, root = ask(position_of_q=m, position_of_k=n, start=start)
    assert f"= {score}." in said(root) and table(root)[1] == score
    (note,) = root.find_class("note")
    assert words(note) == score


def test_the_arithmetic_of_one_pair_is_on_its_face():
    _, root = ask()
    assert "cos(2 × 0.5) = cos 1 = 0.540" in said(root) and "2π/0.5 = 12.57 positions" in said(root)
    caption = words(root, ".//figcaption")
    assert "q: 3 × 0.5 = 1.5 rad" in caption and "k: 1 × 0.5 = 0.5 rad" in caption
    rows, _ = table(root)  # cos 1.5 × cos 0.5 + sin 1.5 × sin 0.5
    assert rows == [["1: pair 1, x", "1", "0.071", "0.878", "0.062"], ["2: pair 1, y", "0", "0.997", "0.479", "0.478"]]
    assert tips(root, "after") == pytest.approx([math.degrees(1.5)], abs=0.2)
    assert tips(root, "before") == pytest.approx([math.degrees(0.5)], abs=0.2)


def test_moved_together_the_hands_turn_and_the_score_stays():
    _, before = ask()
    state, after = ask(*[{"do": "on"}] * 5, {"do": "back"})
    assert (state["position_of_q"], state["position_of_k"]) == (7, 5)
    assert table(after)[1] == table(before)[1] and tips(after, "after") != tips(before, "after")
    assert after.xpath("string(.//path[@class='dots now']/@d)") == before.xpath("string(.//path[@class='dots now']/@d)")


def test_exchanged_the_offset_changes_its_sign():
    state, root = ask({"do": "exchange"}, start="across")
    assert (state["position_of_q"], state["position_of_k"]) == (1, 3)
    assert "two positions before k" in said(root) and "sin(−2 × 0.5) = sin (−1) = −0.841" in said(root)


@pytest.mark.parametrize(("do", "places"), [("3_1", (3, 1)), ("10_8", (10, 8)), ("4_1", (4, 1)), ("14_1", (14, 1))])
def test_the_examples_set_both_positions(do, places):
    state, root = ask({"do": do}, position_of_q=30, position_of_k=40)
    assert (state["position_of_q"], state["position_of_k"]) == places
    assert root.xpath(".//button[@aria-pressed='true']/@value") == [do]


def test_at_the_ends_both_cannot_go_on():
    for do, at in (("on", 64), ("back", 0)):
        _, root = ask(position_of_q=at, position_of_k=30)
        assert root.xpath(f".//button[@value='{do}']/@aria-disabled") == ["true"]
        state, notice = told({"do": do}, position_of_q=at, position_of_k=30)
        assert state["position_of_q"] == at and "only a whole number from 0 to 64" in notice


@pytest.mark.parametrize("theta", [0.01, 0.2, 0.5, 1.3, 3.14])
@pytest.mark.parametrize("offset", [-40, -3, 0, 13, 64])
def test_the_small_points_are_whole_turns_away_and_lie_on_the_curve(theta, offset):
    m, n = max(offset, 0), max(-offset, 0)
    _, root = ask(position_of_q=m, position_of_k=n, theta=theta)
    reach = 24 if abs(offset) <= 24 else 64
    drawn = re.findall(r"M([\d.]+) ([\d.]+)h0", root.xpath("string(.//path[@class='dots two']/@d)"))
    turn = 2 * math.pi / theta
    expected = [offset + k * turn for k in range(-99, 100) if k and -reach <= offset + k * turn <= reach]
    assert [float(x) * reach / 50 - reach for x, _ in drawn] == pytest.approx(expected, abs=0.01)
    assert [1 - float(y) / 50 for _, y in drawn] == pytest.approx([math.cos(offset * theta)] * len(drawn), abs=1e-3)


@pytest.mark.parametrize("start", ["alike", "across"])
@pytest.mark.parametrize(("pairs", "base"), [("1", "10"), ("2", "10000"), ("4", "10")])
def test_the_curve_is_a_sum_of_waves(start, pairs, base):
    """With q = [1, 0] the score is Σ cos(offset θ) for k = [1, 0], and Σ sin(offset θ) for k = [0, 1]."""
    _, root = ask(start=start, pairs=pairs, base=base)
    points = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", root.xpath("string(.//path[@class='curve one']/@d)"))
    x, y = np.array(points, float).T
    p = int(pairs)
    theta = [0.5] if p == 1 else [float(base) ** (-j / p) for j in range(p)]
    wave = np.cos if start == "alike" else np.sin
    offsets = np.round(x * 96 / 100 - 48) / 2  # every half position
    assert offsets.tolist() == np.arange(-24, 24.5, 0.5).tolist()
    assert p * (1 - y / 50) == pytest.approx(sum(wave(offsets * a) for a in theta), abs=1e-3 * p)


def test_a_fast_hands_curve_has_points_enough_for_each_turn():
    _, root = ask(theta=3.14)
    points = re.findall(r"[ML]([-\d.]+) ([-\d.]+)", root.xpath("string(.//path[@class='curve one']/@d)"))
    assert len(points) / (48 * 3.14 / (2 * math.pi)) > 12


def test_several_pairs_add_up_by_hand():
    _, root = ask(pairs="2")  # θ = 1 and 0.01: cos 2 + cos 0.02
    assert "−0.416 + 1.000 = 0.584" in said(root) and "6.3 and 628.3 positions" in said(root)
    assert [row[1] for row in table(root)[0]] == ["1", "0", "1", "0"]
    assert tips(root, "after") == pytest.approx([math.degrees(3), math.degrees(0.03)], abs=0.2)


@pytest.mark.parametrize("pairs", ["2", "3", "4"])
@pytest.mark.parametrize("start", ["alike", "across"])
def test_halves_is_interleaved_with_its_columns_in_another_order(pairs, start):
    settings = {"pairs": pairs, "start": start, "position_of_q": 9, "position_of_k": 2, "base": "10"}
    (rows, total), (halved, same) = (table(ask(**settings, layout=layout)[1]) for layout in ("interleaved", "halves"))
    order = [*range(0, len(rows), 2), *range(1, len(rows), 2)]
    assert [row[1:] for row in halved] == [rows[j][1:] for j in order] and total == same
    assert [row[0].split(": ")[1] for row in halved] == [rows[j][0].split(": ")[1] for j in order]
    text = words(ask(**settings)[1], ".//*[@class='picture']")
    assert f"are columns {' '.join(str(j + 1) for j in order)} of interleaved" in text


def test_the_wrong_layout_gives_another_score():
    """q = k = 1 0 1 0 read as halves has the pairs (1, 1) and (0, 0): the score is 2 cos(offset θ_1)."""
    _, root = ask(pairs="2", base="10")
    text = words(root, ".//*[@class='picture']")
    turned = [math.cos(3) - math.sin(3), math.cos(3) + math.sin(3)]
    assert f"q at 3 is {turned[0]:.3f} 0 {turned[1]:.3f} 0, with a score of {2 * math.cos(2):.3f} instead of".replace(
        "-", "−") in text


@given(m=st.integers(0, 64), n=st.integers(0, 64), shift=st.integers(-64, 64), pairs=st.sampled_from("1234"),
       base=st.sampled_from(["10", "100", "10000"]), start=st.sampled_from(["alike", "across"]))
def test_only_the_offset_counts(m, n, shift, pairs, base, start):
    settings = {"pairs": pairs, "base": base, "start": start}
    moved = min(max(m + shift, 0), 64), min(max(n + shift, 0), 64)
    here, there = (table(ask(position_of_q=a, position_of_k=b, **settings)[1])[1] for a, b in ((m, n), moved))
    if moved[0] - moved[1] == m - n:
        assert here == there
    assert abs(read(here)) <= int(pairs)


def test_numbers_are_typed_with_comma_or_point():
    for text in ("0,25", "0.25"):
        state, root = ask({"theta": text})
        assert state["theta"] == 0.25 and "cos(2 × 0.25) = cos 0.5 = 0.878" in said(root)


@pytest.mark.parametrize(("action", "reason"), [
    ({"position_of_q": "65"}, "position of q cannot be 65, only a whole number from 0 to 64"),
    ({"position_of_k": "-1"}, "position of k cannot be −1, only a whole number from 0 to 64"),
    ({"position_of_k": "2,5"}, "position of k needs a whole number, and “2,5” is none"),
    ({"theta": "0"}, "theta cannot be 0, only a number from 0.01 to 3.14"), ({"theta": "fast"}, "“fast” is none"),
    ({"theta": "1e-7"}, "cannot be 0.0000001, only"), ({"theta": "-2000,5"}, "cannot be −2,000.5, only"),
    ({"base": "7"}, "base cannot be 7"), ({"do": "11_1"}, "no such control")])
def test_what_cannot_be_is_refused_and_nothing_changes(action, reason):
    state, notice = told(action, position_of_q=9)
    assert reason in notice and state["position_of_q"] == 9 and state["theta"] == 0.5
