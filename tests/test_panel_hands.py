"""The hands panel, through its door, and the small file it draws: against closed forms and the stored figures."""

import json
import math
import re
from itertools import pairwise

import numpy as np
import pytest
from lxml.html import HtmlElement

from test_panels import parsed, respond
from tokenwalk import facts, panel, position
from tokenwalk.panels import hands as module

U = np.array(facts.HANDS["directions"]).T / 1000
COSINES = np.array(facts.HANDS["cosines"]) / 1000
FIRST = panel.module("hands").State()


def drawn(**settings: object) -> HtmlElement:
    """The picture of the state that a link with these settings opens."""
    link = "&".join(f"{k}={v}" for k, v in settings.items())
    return parsed(respond("hands", link=link)["html"])


def said(root: HtmlElement) -> str:
    return " ".join(root.xpath("string(.//*[@id='hands-say'])").split())


def table(root: HtmlElement) -> list[list[str]]:
    return [[td.text_content() for td in tr.iter("td")] for tr in root.xpath(".//*[@id='hands-table']//tr")][1:]


def points(root: HtmlElement) -> np.ndarray:
    """The path, read back from what is drawn, as complex numbers about the centre of the square."""
    d = root.xpath("string(.//*[@id='hands-path']//*[@class='curve one']/@d)")
    x, y = np.array(re.findall(r"[\d.]+", d), float).reshape(-1, 2).T
    return (x - 50) + 1j * (50 - y)


# --- the file


def test_the_directions_are_orthonormal_and_sum_to_zero():
    assert U.shape == (510, 10)
    products = U.T @ U
    assert products == pytest.approx(np.eye(10), abs=2e-3)  # of numbers with three decimals
    assert U.sum(axis=0) == pytest.approx(np.zeros(10), abs=0.03)  # the mean row was taken off
    assert (U[0] > 0).all()


def test_the_directions_have_the_stored_periods():
    for wave, stored in zip(U.T, facts.MINILM["position_first_12_dominant_periods"], strict=False):
        amplitude = np.abs(np.fft.rfft(wave, 65_536))
        assert 65_536 / (1 + amplitude[1:].argmax()) == pytest.approx(stored, rel=0.006)


def test_the_cosines_are_the_stored_ones():
    assert COSINES[0] == 1 and len(COSINES) == 401
    for distance in (1, 128):
        assert COSINES[distance] == pytest.approx(facts.MINILM[f"position_mean_cosine_{distance}_apart"], abs=5.1e-4)


def test_both_files_come_from_the_same_package():
    assert facts.HANDS["package"] == facts.MINILM["source"]["model_package"]


# --- hands, against closed forms


def test_waves_mixed_in_any_way_come_apart_into_their_hands():
    periods = np.array([5.0, 17.0, 51.0, 170.0])  # 510 is a whole number of each, so the columns are orthogonal
    angles = 2 * np.pi * np.outer(np.arange(510), 1 / periods)
    waves = np.concatenate([np.sin(angles), np.cos(angles)], axis=1) / math.sqrt(255)
    mixture, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(8, 8)))
    found = module.hands(waves @ mixture)
    assert found == pytest.approx(np.exp(1j * angles.T), abs=1e-9)
    assert [509 / module.turns(z) for z in found] == pytest.approx(periods)


def test_the_fixed_sinusoid_comes_apart_into_its_own_pairs():
    left, _, _ = np.linalg.svd(position.sinusoidal(200, 6, base=50.0), full_matrices=False)
    periods = [199 / module.turns(z) for z in module.hands(left)]
    assert periods == pytest.approx([2 * math.pi * 50 ** (j / 3) for j in range(3)])


def test_directions_that_do_not_turn_are_refused():
    with pytest.raises(ValueError, match="do not turn"):
        module.hands(np.stack([0.5 ** np.arange(40), 0.8 ** np.arange(40)], axis=1))


def test_hands_span_what_the_directions_span():
    z = module.hands(U)
    mixed = np.concatenate([z.real, z.imag]).T
    assert np.linalg.lstsq(U, mixed, rcond=None)[1] == pytest.approx(np.zeros(10), abs=1e-9)
    assert np.linalg.matrix_rank(mixed) == 10
    assert np.abs(np.angle(z[:, 0])).max() < 1e-12


# --- the panel


def test_the_table_pairs_directions_by_period_and_the_shares_are_nearly_all_of_ten_directions():
    rows = table(drawn())
    assert [row[1] for row in rows] == ["1, 2", "8, 9", "5, 7", "4, 6", "3, 10"]
    assert [row[2] for row in rows][:3] == ["5.7, 5.7", "17, 17", "53.9, 53.5"]
    squares = np.square(facts.MINILM["position_first_12_singular_values"])[:10].sum()
    held = 100 * squares / facts.MINILM["position_centred_sum_of_squares"]
    assert sum(float(row[3]) for row in rows) == pytest.approx(held, abs=1)
    ratios = [b / a for a, b in pairwise(float(row[0]) for row in rows)]
    assert ratios == pytest.approx([3] * 4, rel=0.5)


@pytest.mark.parametrize("pair", "12345")
def test_a_hand_goes_round_where_the_same_two_directions_do_not(pair):
    hand, found = points(drawn(pair=pair)), points(drawn(pair=pair, taken="found"))
    assert np.abs(hand).min() > 0.4 * np.abs(hand).mean()
    assert np.abs(hand).std() <= np.abs(found).std() * 1.01
    crosses = np.abs(found).min() < 0.3 * np.abs(found).mean()
    assert ("no clean hand" in said(drawn(pair=pair, taken="found"))) == crosses


def test_the_turns_said_are_those_of_the_path_drawn():
    root = drawn(pair=1, first=1, last=12)
    path = points(root)
    assert len(path) == 12
    steps = np.angle(path[1:] / path[:-1])  # counterclockwise, by about a sixth of a turn
    assert (steps > 0).all()
    turned = steps.sum() / (2 * np.pi)
    assert f"Hand 1 makes {turned:.2f} turns from position 1 to 12: one in {11 / turned:.1f} positions" in said(root)
    labels = [node.text for node in root.xpath(".//*[@id='hands-path']//*[contains(@class,'note')]")]
    assert labels == [str(t) for t in range(1, 13)]


def test_a_hand_that_hardly_turns_is_given_no_period():
    assert "one in" not in said(drawn(pair=5, first=100, last=110)) and "Hand 5 makes" in said(drawn(pair=5, last=10))


def test_the_three_fastest_hands_run_slower_in_the_middle():
    for pair in "123":
        rates = [module.turns(module.hands(U)[int(pair) - 1][a:b]) / (b - a) for a, b in ((128, 256), (256, 384))]
        assert 0.86 < rates[1] / rates[0] < 0.94


def test_rows_a_whole_turn_apart_are_alike_again():
    for period in (6, 17, 52):
        window = COSINES[round(0.8 * period):round(1.2 * period) + 1]
        assert COSINES[period] == window.max()
    assert COSINES[9] == COSINES[7:12].min()  # half a turn of the fastest hand more
    assert "Rows 6 apart have a cosine of 0.692 on average" in said(drawn(distance=6))


def test_periods_of_the_fixed_sinusoid_and_of_rope_are_counted_by_hand():
    sinusoid = sum(2 * math.pi * 10_000 ** (j / 192) > 510 for j in range(192))
    rope = sum(2 * math.pi * 10_000 ** (j / 16) > 510 for j in range(16))
    assert (sinusoid, rope) == (100, 8)
    assert "100 pairs of the sinusoid and eight pairs of RoPE never make a full turn" in " ".join(
        drawn().text_content().split())


@pytest.mark.parametrize(("action", "sentence"), [
    ({"last": "1"}, "the path needs two positions at least, so the first must come before the last"),
    ({"last": "511"}, "last cannot be 511, only a whole number from 1 to 510"),
    ({"distance": "far"}, "distance needs a whole number, and “far” is none"),
    ({"distance": "6.5"}, "distance needs a whole number, and “6.5” is none"),
])
def test_what_cannot_be_is_told_and_nothing_changes(action, sentence):
    answer = respond("hands", state=json.dumps(vars(FIRST)), action=action)
    assert json.loads(answer["state"]) == vars(FIRST)
    assert f"That was not done: {sentence}." in answer["html"]
