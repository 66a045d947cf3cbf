"""The panel Nearest sums, from action to picture, against distances one by one and the law of χ²."""

import json
import math
import re

import numpy as np
import pytest

from test_panels import parsed, respond, said
from tokenwalk import toy, worked
from tokenwalk.panels import nearest
from tokenwalk.state import to_link

SEEDS = (1, 2, 3, 4, 5)


def picture(**settings):
    return respond("nearest", link=to_link(nearest.State(**settings)))["html"]


def one_by_one(E, P):
    """The nearest distance over the typical one, from all sums and all distances, written out."""
    places = [(i, t) for i in range(len(E)) for t in range(len(P))]
    pairs = [(a, b) for a in places for b in places if a < b]
    squares = [np.square(E[i] + P[t] - E[j] - P[s]).sum() for (i, t), (j, s) in pairs]
    apart = [x for x, ((i, t), (j, s)) in zip(squares, pairs, strict=True) if i != j and t != s]
    return math.sqrt(min(squares) / (sum(apart) / len(apart)))


def below(x, d):
    """P(χ² < x) for an even number d of squares: e^(−x/2) Σ (x/2)^k / k! over k ≥ d/2."""
    return math.exp(-x / 2) * sum((x / 2) ** k / math.factorial(k) for k in range(d // 2, d // 2 + 80))


def chart(html, name):
    return parsed(html).xpath(f"string(//*[@id='nearest-{name}']//svg/@aria-label)")


@pytest.mark.parametrize("seed", SEEDS[:2])
@pytest.mark.parametrize("d", [4, 64, 768])
def test_the_chart_says_the_distances_counted_one_by_one(seed, d):
    E, P = nearest.random_tables(seed)
    values = [one_by_one(e[:, :d], p[:, :d]) for e, p in zip(E[:4], P[:4], strict=True)]
    assert nearest.nearness(E[:4, :, :d], P[:4, :, :d]) == pytest.approx(values)
    text = chart(picture(seed=str(seed)), "distances")
    low, high = map(float, re.search(rf"Width {d}: (\S+) to (\S+)\. ", text).groups())
    assert low - 5e-4 <= min(values) and max(values) <= high + 5e-4


def test_the_entries_are_normal_and_each_seed_has_its_own():
    tables = [np.concatenate(nearest.random_tables(seed), axis=1) for seed in SEEDS]
    assert all(t.shape == (20, 20, 768) for t in tables)
    assert len({float(t[0, 0, 0]) for t in tables}) == len(SEEDS)
    for t in tables:  # 307,200 entries: five standard errors of the mean, the variance and the fourth moment
        assert abs(t.mean()) < 5 / math.sqrt(t.size) and abs(t.var() - 1) < 5 * math.sqrt(2 / t.size)
        assert abs((t**4).mean() - 3) < 5 * math.sqrt(96 / t.size)
    assert picture(seed="1") != picture(seed="2") and picture(seed="2") == picture(seed="2")


def test_the_toy_has_a_collision_at_any_limit():
    assert nearest.nearness(toy.E[None], toy.P[None]).tolist() == [0]
    assert "The nearest pair of the toy itself is 0 apart" in parsed(picture()).text_content()


@pytest.mark.parametrize("share", [10, 25, 50])
def test_the_chance_is_at_most_what_the_law_of_chi_squared_expects(share):
    # The expected number of near pairs is no smaller than the chance of at least one. Pairs that share nothing differ
    # by N(0, 4) in a column; those with a row in common by N(0, 2), 66 ways for two tokens and 28 for two positions.
    text = chart(picture(share=str(share)), "chance")
    c = (share / 100) ** 2
    for d in (4, 8, 16, 32, 64, 128):
        chance = float(re.search(rf"Width {d}: ([\d.]+)\.(?: |$)", text)[1])
        expected = 66 * 56 * below(c * d, d) + (66 + 28) * below(2 * c * d, d)
        bound = min(expected, 1)
        assert chance <= bound + 4 * math.sqrt(bound * (1 - bound) / 20) + 0.05, (d, chance, expected)


def test_the_chance_falls_to_nothing_as_the_width_grows():
    for seed in map(str, SEEDS):
        for share in ("10", "25", "50"):
            text = chart(picture(seed=seed, share=share), "chance")
            chances = [float(x) for x in re.findall(r"Width \d+: (\d(?:\.\d+)?)\.", text)]
            assert len(chances) == 9 and chances == sorted(chances, reverse=True) and chances[-1] == 0
    assert "20 of 20 random tables have a near-collision" in said(picture(width="4"))
    assert "0 of 20 random tables have a near-collision" in said(picture(width="768", share="50"))


def test_the_nearest_two_come_to_lie_just_below_one_over_root_two():
    E, P = nearest.random_tables(1)
    assert ((nearest.nearness(E, P) > 0.6) & (nearest.nearness(E, P) < math.sqrt(0.5))).all()


def test_the_bound_in_the_prose_is_one():
    # against the exact law for tables small enough to sum
    for d, share in ((4, 0.1), (16, 0.25), (32, 0.5), (128, 0.5)):
        sums = 12 * 8
        exact = sums * (sums - 1) / 2 * below(2 * share**2 * d, d)
        assert exact <= 10 ** worked.near_bound(12, 8, d, share)
    # 15.122 + 384 × log10(0.5 e^0.5) = 15.122 − 32.207
    assert worked.near_bound(50_257, 1024, 768, 0.5) == pytest.approx(-17.09, abs=0.01)


def test_the_mark_stands_on_the_chosen_width():
    for d in nearest.WIDTHS:
        html = picture(width=str(d))
        x = 100 * math.log(d / 4) / math.log(768 / 4)
        (place,) = re.findall(r'class="dots now" d="M([\d.]+) ', html)
        assert float(place) == pytest.approx(x, abs=0.006)
        assert said(html).startswith(f"With {d} numbers a row, ")


def test_a_state_with_an_unknown_width_is_the_first_one():
    answer = respond("nearest", link="width=5")
    assert json.loads(answer["state"])["width"] == "4"
