"""The longer panel, through its door: pairs, wavelengths, attention factor and published configurations, by hand."""

import json
import math
import re

import numpy as np
import pytest
from lxml.html import HtmlElement

from test_panels import parsed, respond
from tokenwalk.panels import longer as module
from tokenwalk.presets import PRESETS

FIRST = vars(module.State())
KEPT, BLENDED, INTERPOLATED = "kept", "blended", "interpolated"


def answer(action: dict[str, str], **settings: object) -> dict[str, str]:
    return respond("longer", state=json.dumps(FIRST | settings), action=action)


def drawn(**settings: object) -> HtmlElement:
    link = "&".join(f"{k}={v}" for k, v in settings.items())
    html = respond("longer", link=link)["html"]
    assert "could not be used" not in html
    return parsed(html)


def said(root: HtmlElement) -> str:
    return " ".join(root.xpath("string(.//*[@id='longer-say'])").split())


def rows(root: HtmlElement) -> dict[int, list[str]]:
    """The table of pairs: number of the pair → turns, λ before, λ after, what becomes of it."""
    lines = root.xpath(".//*[@id='longer-table']//tr")[1:]
    return {int(tr.findtext("th")): [td.text for td in tr.iter("td")] for tr in lines}


def fates(root: HtmlElement) -> list[str]:
    return [row[-1] for row in rows(root).values()]


def curve(root: HtmlElement, chart: str, kind: str) -> np.ndarray:
    """The points of a curve as it is drawn: per cent from the left, per cent from the bottom."""
    d = root.xpath(f"string(.//*[@id='longer-{chart}']//*[@class='curve {kind}']/@d)")
    return np.array(re.findall(r"[\d.]+", d), float).reshape(-1, 2) * [1, -1] + [0, 100]


# --- the four schemes, by hand: width 24, base 10,000, L = 2,048, s = 4


def test_yarn_keeps_four_pairs_blends_four_and_interpolates_four():
    # j(r) = 12 ln(2048 / 2πr) / ln 10,000: 3.02 for r = 32, 7.54 for r = 1; so the ramp runs from j = 3 to j = 8
    root = drawn()
    assert fates(root) == [KEPT] * 4 + [BLENDED] * 4 + [INTERPOLATED] * 4
    assert "pairs 1 to 4 of 12 are kept, 5 to 8 are blended, 9 to 12 are interpolated" in said(root)
    assert "No pairs meet angles" in said(root) and "turns 1 rad, as before" in said(root)
    pace = 1 / (2 * math.pi) * 10_000 ** (-4 / 12)  # of pair 5, which keeps 4/5 of it and has the rest slowed 4 times
    assert rows(root)[5] == [f"{2048 * pace:.2f}", f"{1 / pace:.0f}", f"{1 / (pace * (0.8 + 0.2 / 4)):.0f}", BLENDED]
    assert curve(root, "ramp", "one")[:, 1] == pytest.approx([100] * 4 + [80, 60, 40, 20] + [0] * 4)


def test_yarn_multiplies_q_and_k_by_a_factor_that_depends_on_the_stretch():
    assert "0.1 ln 4 + 1 = 1.139: q and k are multiplied by it, so each score by 1.296" in said(drawn())
    assert "0.1 ln 40 + 1 = 1.369" in said(drawn(factor=40.0))
    for scaling in ("none", "linear", "ntk", "llama3"):
        assert "attention factor" not in said(drawn(scaling=scaling))


def test_interpolation_slows_every_pair_and_shows_no_new_angle():
    root = drawn(scaling="linear")
    assert set(fates(root)) == {INTERPOLATED} and "all 12 pairs are interpolated" in said(root)
    assert rows(root)[1][1:3] == ["6.3", "25.1"]  # 2π and 8π
    assert "No pairs meet angles" in said(root) and "turns 0.25 rad, before it was 1" in said(root)


def test_ntk_keeps_the_fastest_slows_the_slowest_and_lets_three_meet_new_angles():
    root = drawn(scaling="ntk")
    assert fates(root) == [KEPT] + [BLENDED] * 10 + [INTERPOLATED]
    assert f"The base is now {10_000 * 4 ** (24 / 22):,.0f}" in said(root)
    base = 10_000 * 4 ** (24 / 22)
    new = [j for j in range(12) if 2048 * 10_000 ** (-j / 12) < 2 * math.pi
           and 8192 * base ** (-j / 12) > 2048 * 10_000 ** (-j / 12) * (1 + 1e-9)]
    assert len(new) == 3 and "Three pairs meet angles" in said(root)


def test_without_scaling_every_pair_that_did_not_turn_once_meets_new_angles():
    root = drawn(scaling="none")
    slow = sum(2 * math.pi * 10_000 ** (j / 12) > 2048 for j in range(12))
    assert slow == 4 and "Four pairs meet angles" in said(root)
    assert set(fates(root)) == {KEPT}
    assert (curve(root, "score", "one") == curve(root, "score", "two")).all()


def test_llama_3_1_has_a_ramp_of_its_own_linear_in_the_turns():
    shares = []
    for j in range(12):
        r = 2048 * 10_000 ** (-j / 12) / (2 * math.pi)
        shares.append(min(max((r - 1) / 3, 0), 1))
    assert curve(drawn(scaling="llama3"), "ramp", "one")[:, 1] == pytest.approx(100 * np.array(shares), abs=0.006)


# --- the charts


def test_wavelengths_stand_where_their_numbers_say():
    root = drawn(scaling="linear")
    top = math.log(2 * 4 * 2 * math.pi * 10_000 ** (11 / 12) / 4)
    j = np.arange(12)
    heights = 100 * np.log(2 * math.pi * 10_000 ** (j / 12) / 4) / top
    assert curve(root, "waves", "two") == pytest.approx(np.stack([100 * j / 11, heights], axis=1), abs=0.006)
    marks = root.xpath("string(.//*[@class='dots one interpolated']/@d)")
    from_top = np.array(re.findall(r" ([\d.]+)h0", marks), float)
    assert 100 - from_top == pytest.approx(heights + 100 * math.log(4) / top, abs=0.011)


def test_scores_stand_where_their_numbers_say():
    points = curve(drawn(scaling="linear"), "score", "two")
    distances = np.rint(8192 ** (points[:, 0] / 100))
    angles = distances[:, None] * 10_000.0 ** (-np.arange(12) / 12)
    clear = distances < 500  # beyond, two decimals of a per cent do not tell neighbours apart
    assert (-0.5 + 1.5 * points[:, 1] / 100)[clear] == pytest.approx(np.cos(angles).mean(axis=1)[clear], abs=2e-4)
    assert distances[0] == 1 and distances[-1] == 8192


def test_interpolated_scores_are_the_old_ones_stretched():
    theta = 10_000.0 ** (-np.arange(12) / 12)
    distances = np.arange(1, 500)
    assert module.equal_score(4 * distances, theta / 4) == pytest.approx(module.equal_score(distances, theta))
    assert module.equal_score([0], theta) == 1


@pytest.mark.parametrize(("x", "mark"), [(10, "10"), (1e4, "10,000"), (1e5, "10⁵"), (1e12, "10¹²")])
def test_large_powers_are_written_short(x, mark):
    assert module.power(x) == mark


# --- published configurations


@pytest.mark.parametrize("name", PRESETS)
def test_a_published_configuration_is_drawn_as_the_model_computes_it(name):
    p = PRESETS[name]
    after = answer({"preset": name})
    state = json.loads(after["state"])
    root = parsed(after["html"])
    theta, attention = p.frequencies()
    table = rows(root)
    for j, (_, _, wave, _) in table.items():
        assert float(wave.replace(",", "")) == pytest.approx(2 * math.pi / theta[j - 1], rel=6e-3)
    assert max(table) == p.d // 2 == state["width"] // 2
    assert root.xpath(".//*[@id='longer-preset']/option[@selected]/@value") == [name]
    text = said(root)
    before = " before any angle was stretched" if p.scaling != "none" else ""
    assert f"{p.name}, {p.date}: trained on {p.original:,} positions{before}, offered for {p.target:,}" in text
    assert p.words in text and "not the one shown here" not in text
    assert p.source in root.text_content()
    assert ("attention factor is" in text) == (attention != 1)


def test_another_scheme_on_published_numbers_is_said_to_be_another():
    state = json.loads(answer({"preset": "deepseek_v3"})["state"])
    html = answer({"scaling": "linear"}, **state)["html"]
    assert "DeepSeek-V3" in html and "published with the scheme “YaRN” and s = 40, not the one shown here" in html


def test_other_numbers_are_no_published_configuration():
    state = json.loads(answer({"preset": "llama_2"})["state"])
    root = parsed(answer({"factor": "2,5"}, **state)["html"])
    assert root.xpath("string(.//*[@id='longer-preset']/option[@selected])") == "none has these numbers"
    assert "for 10,240 positions" in said(root)  # 4,096 × 2.5


# --- what cannot be, and the ends of what can


@pytest.mark.parametrize(("action", "sentence"), [
    ({"width": "65"}, "columns are turned in pairs, so the width must be even, not 65"),
    ({"width": "2"}, "width cannot be 2, only a whole number from 4 to 256 in steps of 2"),
    ({"factor": "0,5"}, "factor cannot be 0.5, only a number from 1 to 128"),
    ({"base": "1"}, "base cannot be 1, only a whole number from 2 to 1,000,000,000"),
    ({"original": "long"}, "original needs a whole number, and “long” is none"),
    ({"preset": "gpt_9"}, "choose one of the published configurations"),
    ({"factor": "nan"}, "factor cannot be nan, only a number from 1 to 128"),
])
def test_what_cannot_be_is_told_and_nothing_changes(action, sentence):
    after = answer(action)
    assert json.loads(after["state"]) == FIRST
    assert f"That was not done: {sentence}." in after["html"]


@pytest.mark.parametrize("scaling", module.SCHEMES)
@pytest.mark.parametrize("width", [4, 256])
@pytest.mark.parametrize("base", [2, 10**9])
@pytest.mark.parametrize("original", [16, 2**21])
@pytest.mark.parametrize("factor", [1.0, 1.5, 128.0])
def test_the_ends_of_every_number_are_drawn(scaling, width, base, original, factor):
    root = drawn(scaling=scaling, width=width, base=base, original=original, factor=factor)
    table = rows(root)
    assert max(table) == width // 2 and len(table) <= module.ROWS
    assert f"for {original * factor:,.0f} positions" in said(root)
