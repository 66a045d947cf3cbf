"""The panel real_table and its file, against the figures over all words and ranks counted one by one."""

import gzip
import json
import math
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from test_panels import FIRST, notice, parsed, respond, said, words
from tokenwalk import trained, walk
from tokenwalk.render import number

DATA = Path(__file__).parents[1] / "py/tokenwalk/data"
STORED = json.loads((DATA / "minilm_words.json").read_text(encoding="utf-8"))
ALL = json.loads((DATA / "minilm.json").read_text(encoding="utf-8"))
WORDS = STORED["words"].split()
STEP = [STORED["steps"][0] - sum(STORED["steps"][1:k + 1]) for k in range(len(WORDS))]
DISTANCE = dict(zip(WORDS, STORED["distances"], strict=True))  # in thousandths
FREQUENCY = {word: 10 ** (step / 100 - 3) for word, step in zip(WORDS, STEP, strict=True)}  # in a million
WEIGHT = [1] * 2000 + [20] * (len(WORDS) - 2000)


def shown(word):
    return respond("real_table", state=FIRST["real_table"], action={"word": word})


# --- the file


def test_the_file_is_small_and_holds_about_three_thousand_words_and_every_unused_row():
    assert len(gzip.compress((DATA / "minilm_words.json").read_bytes(), mtime=0)) <= 40_000
    assert len(WORDS) == len(set(WORDS)) == 2986 and len(STORED["unused"]) == ALL["unused_rows"]
    assert sorted(STEP, reverse=True) == STEP
    assert STORED["source"] == ALL["source"] and "CC BY-SA 4.0" in STORED["licence"]
    assert sum(WEIGHT) == pytest.approx(ALL["vocabulary_words"], abs=STORED["every"])


@pytest.mark.parametrize(("name", "low", "high"), [("1_to_100", 0, 100), ("101_to_5000", 100, 5000),
                                                   ("5001_to_15000", 5000, 15_000), ("above_15000", 15_000, 99_999)])
def test_the_words_of_the_file_stand_for_all_words(name, low, high):
    rank = np.cumsum(WEIGHT)
    inside = (rank > low) & (rank <= high)
    distances, weights = np.array(STORED["distances"])[inside] / 1000, np.array(WEIGHT)[inside]
    mean = np.average(distances, weights=weights)
    error = math.sqrt((weights**2).sum()) / weights.sum() * distances.std()  # of a mean with such weights
    assert abs(mean - ALL[f"distance_mean_ranks_{name}"]) < (0.01 if name == "1_to_100" else 4 * error)


def test_the_distances_of_the_unused_rows_agree_with_their_norms_and_cosines():
    # Of rows with mean square S, whose centre has the square c, the mean square distance from the centre is S − c.
    square = ALL["unused_norm_mean"] ** 2 + ALL["unused_norm_sd"] ** 2
    distance = np.mean(np.square(np.array(STORED["unused"]) / 1000))
    assert distance == pytest.approx(square * (1 - ALL["unused_mean_cosine_of_pairs"]), rel=0.03)  # norms hardly differ


# --- the rank correlation


def counted(values, weights):
    """Ranks by counting: how many stand below, and half of those that are equal, each as often as it weighs."""
    below = [sum(w for other, w in zip(values, weights, strict=True) if other < v) for v in values]
    equal = [sum(w for other, w in zip(values, weights, strict=True) if other == v) for v in values]
    return [b + (e + 1) / 2 for b, e in zip(below, equal, strict=True)]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 4)), min_size=2, max_size=20))
def test_the_rank_correlation_is_that_of_ranks_counted_one_by_one(rows):
    a, b, weights = zip(*rows, strict=True)
    assume(len(set(a)) > 1 and len(set(b)) > 1)
    ranks = np.repeat([counted(a, weights), counted(b, weights)], weights, axis=1)
    assert trained.mean_ranks(a, weights) == pytest.approx(counted(a, weights))
    assert trained.rank_correlation(a, b, weights) == pytest.approx(np.corrcoef(ranks)[0, 1])


@given(st.permutations(range(9)))
def test_without_equal_values_it_is_spearmans_formula(order):
    squares = sum((k - place) ** 2 for k, place in enumerate(order))
    assert trained.rank_correlation(range(9), order, [1] * 9) == pytest.approx(1 - 6 * squares / (9 * (81 - 1)))


def test_the_rank_correlations_that_the_panel_states():
    text = words(parsed(shown("cat")["html"]))
    here, everywhere, common = re.search(
        r"counted 20 times, is ([\d.]+)\. Over all 21,712 words it is ([\d.]+)\. Among the 2,000 .*? is (−[\d.]+):",
        text).groups()
    assert everywhere == "0.82" == f"{ALL['frequency_distance_rank_correlation']:.2f}"
    # A correlation of ranks from n words is off by about (1 − ρ²) / √n; 986 words stand for all but the commonest.
    assert abs(float(here) - ALL["frequency_distance_rank_correlation"]) < 3 * (1 - 0.82**2) / math.sqrt(986)
    ranks = [(x[:, None] > x).sum(axis=1) + (x[:, None] == x).sum(axis=1) / 2
             for x in map(np.array, (STORED["distances"][:2000], STEP[:2000]))]
    assert common.replace("−", "-") == f"{np.corrcoef(ranks)[0, 1]:.2f}"


# --- the picture


def places(html, kind):
    """The points of a path on its grid of 1000 × 1000, from the left and from the top."""
    (path,) = parsed(html).xpath(f"//path[@class='dots {kind}']/@d")
    steps = [(int(x), int(y)) for x, y in re.findall(r"m(-?\d+) (-?\d+)h0", path)]
    assert "".join(f"m{x} {y}h0" for x, y in steps) == path
    return {tuple(place) for place in np.cumsum(steps, axis=0).tolist()}


def test_every_word_and_every_unused_row_is_a_point_where_it_belongs():
    html = shown("cat")["html"]
    across = {word: 1000 * math.log(FREQUENCY[word] / 0.002) / math.log(1e5 / 0.002) for word in WORDS}
    expected = {(round(across[word]), round(1000 - DISTANCE[word] / 1.9)) for word in WORDS}
    assert {(x, y) for x, y in places(html, "words")} == expected
    unused = places(html, "unused")
    assert {y for _, y in unused} == {round(1000 - distance / 1.9) for distance in STORED["unused"]}
    assert max(x for x, _ in unused) < 1000 * math.log(0.008 / 0.002) / math.log(1e5 / 0.002) < min(across.values())


def test_the_points_to_choose_are_a_finger_apart_on_a_phone():
    style = parsed(shown("cat")["html"]).xpath("//span[@class='note point']/@style")
    points = [tuple(map(float, re.findall(r"[\d.]+", text))) for text in style]
    assert len(points) == 9
    for (x, y), (u, v) in combinations(points, 2):  # the drawing is 252 × 360 px on a phone 360 px wide
        assert max(abs(x - u) * 2.52, abs(y - v) * 3.6) >= 40


@pytest.mark.parametrize(("word", "times"), [("the", "53,703.2"), ("cat", "60.3"), ("geometridae", "0.013")])
def test_a_word_has_its_frequency_and_its_distance(word, times):
    assert f"{FREQUENCY[word]:,.{3 if FREQUENCY[word] < 1 else 1}f}" == times
    text = said(shown(word)["html"])
    assert f"“{word}” comes {times} times in a million words. Its row lies {DISTANCE[word] / 1000:.2f} from" in text


@pytest.mark.parametrize("word", ["henry", "cat", "aachen", "the", "geology"])
def test_words_of_equal_frequency_are_compared(word):
    html = shown(word)["html"]
    same = sorted((DISTANCE[w], w) for w in WORDS if FREQUENCY[w] == FREQUENCY[word])
    listed = parsed(html).xpath("//button[@name='word']/@value")
    assert listed[0] == same[0][1] and listed[-1] == same[-1][1] and word in listed
    assert [DISTANCE[w] for w in listed] == sorted(DISTANCE[w] for w in listed)
    assert set(listed) <= {w for _, w in same} and len(listed) >= min(len(same), 7)
    ends = [number(end[0] / 1000, 2) for end in (same[0], same[-1])]
    if len(same) == 1:
        assert "No other word here has exactly its frequency" in said(html)
    else:
        assert f"distance runs from {ends[0]} to {ends[1]}:" in said(html)


@pytest.mark.parametrize(("typed", "word"), [("the", "the"), (" The ", "the"), ("JANUARY", "january")])
def test_a_word_is_found_by_typing_it(typed, word):
    answer = shown(typed)
    assert answer["state"] == json.dumps({"word": word}, separators=(",", ":")) and notice(answer["html"]) is None
    assert parsed(answer["html"]).xpath("//input[@type='text']/@value") == [word]


@pytest.mark.parametrize("typed", ["climb", "", "zzzz", "<b>", "a" * 5000, "Ölfass"])
def test_a_word_that_is_not_there_is_refused_with_two_near_it(typed):
    answer = shown(typed)
    before, after = re.search(r"not among the 2,986 words drawn here, but “(\w+)” and “(\w+)” are",
                              notice(answer["html"])).groups()
    alphabet = sorted(WORDS)
    assert alphabet.index(after) == alphabet.index(before) + 1
    if alphabet[0] < typed.lower() < alphabet[-1]:
        assert before < typed.lower() < after
    assert answer["state"] == FIRST["real_table"]


def test_it_says_what_it_does_not_prove():
    text = words(parsed(shown("cat")["html"]))
    assert "What this does not prove." in text and "fine-tuned" in text and "not counted in the texts" in text


def test_the_table_of_states_is_small_and_holds_every_point():
    table = walk.table("real_table")
    assert len(gzip.compress(table.encode())) < 15_000
    reached = {json.loads(state)["word"] for state in walk.states("real_table")}
    assert set(parsed(shown("cat")["html"]).xpath("//input[@type='radio']/@value")) <= reached
