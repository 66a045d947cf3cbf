"""Byte-pair merges, against the tokenizers package (reference/merges.json, made by make_merges.py) and by hand."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenwalk import facts, merges, tokens

FILE = json.loads((Path(__file__).parent / "reference/merges.json").read_text(encoding="utf-8"))
CASES = FILE["cases"]


def cut(stage, text, across=False):
    """The tokens of the whole text as it is cut at this stage."""
    return [token for piece in merges.pieces(text, across) for token in stage.cuts[piece]]


def by_letter(text, steps, across=True):
    """The pairs merged, as text, with their counts, and the text as it is cut in the end."""
    stages = merges.learnt(text, steps, across)
    made = [(*(part.decode() for part in stage.pair), stage.count) for stage in stages[1:]]
    return made, "|".join(token.decode() for token in cut(stages[-1], text, across))


def test_the_file_says_what_made_it():
    assert FILE["made_by"] == "make_merges.py" and FILE["packages"] == {"tokenizers": "0.23.3"} and FILE["call"]
    assert len(CASES) == 66 and sum(len(case["merges"]) for case in CASES.values()) > 1000


@pytest.mark.parametrize("name", CASES)
def test_merges_and_ids_are_those_of_tokenizers(name):
    case = CASES[name]
    across = case["split"] is None
    stages = merges.learnt(case["text"], case["most"], across)
    assert [" ".join(part.hex() for part in stage.pair) for stage in stages[1:]] == case["merges"]
    assert [stages[-1].ids[token] for token in cut(stages[-1], case["text"], across)] == case["ids"]


def test_the_textbook_example():
    # From "A new algorithm for data compression" (Gage 1994): aaabdaaabac, with Z = aa, Y = ab or Za, X = ZY.
    made, text = by_letter("aaabdaaabac", 9)
    assert made[0] == ("a", "a", 4)  # aaa has two places of aa
    assert made[1:] == [("a", "b", 2), ("aa", "ab", 2)] and text == "aaab|d|aaab|a|c"


def test_of_pairs_that_come_equally_often_the_one_with_the_smaller_ids_is_first():
    assert by_letter("bcbc acac", 1)[0] == [("a", "c", 2)]  # the left one decides
    assert by_letter("acac abab", 1)[0] == [("a", "b", 2)]  # and if it is the same, the right one
    # ab + z and q + q both come three times; ab, once it is a token, has a larger id than q.
    made, _ = by_letter("ab\nab\nab\nabz\nabz\nabz\nqq\nqq\nqq", 3, across=False)
    assert made == [("a", "b", 6), ("q", "q", 3), ("ab", "z", 3)]


def test_a_pair_that_overlaps_itself_is_merged_from_the_left():
    assert by_letter("aaa", 1) == ([("a", "a", 2)], "aa|a")
    assert by_letter("aaaa", 9) == ([("a", "a", 3)], "aa|aa")


def test_a_merge_needs_a_pair_that_comes_twice():
    assert by_letter("abc", 9) == ([], "a|b|c")
    assert by_letter("", 9) == ([], "")
    assert by_letter("abab", 9) == ([("a", "b", 2)], "ab|ab")  # ab + ab comes once


def test_no_merge_leaves_its_word_unless_it_may():
    text = "to be or not to be\tto be\nto be"
    for stage in merges.learnt(text, 50):
        assert all(re.fullmatch(r" ?[^ \t\n]+|[ \t\n]", token.decode()) for token in cut(stage, text))
    assert any(b"o b" in token for token in cut(merges.learnt(text, 50, across=True)[-1], text, across=True))


@given(st.text(max_size=60) | st.text(alphabet="ab é👋\n", max_size=60), st.booleans())
@settings(deadline=None)
def test_at_each_stage_the_tokens_make_the_text_and_the_count_is_what_the_merge_saves_or_more(text, across):
    stages = merges.learnt(text, 30, across)
    for before, stage in pairwise(stages):
        assert b"".join(cut(stage, text, across)).decode() == text
        assert 1 <= before.n - stage.n <= stage.count and stage.count >= 2
        assert stage.n == len(cut(stage, text, across))
        pair, count = stage.pair, 0
        for piece in merges.pieces(text, across):  # counted once more, place by place
            word = before.cuts[piece]
            count += sum(word[t : t + 2] == pair for t in range(len(word)))
        assert count == stage.count == max(merges.pairs(before).values())
    assert stages[0].n == len(text.encode()) and stages[0].ids == {bytes([b]): b for b in range(256)}


def test_stages_are_the_same_whether_they_are_kept_or_not():
    text = "the cat climbed the wall, the dog climbed the wall"
    whole = merges.learnt(text, 12)
    merges.learnt("another text", 3)
    assert merges.learnt(text, 5) == whole[:6] and merges.learnt(text, 12) == whole


def test_the_vocabulary_of_gpt_2_is_bytes_merges_and_one_more():
    assert list(facts.GPT2_TOKENS.values()) == [256, 50_000, 1] and facts.GPT2.V == 50_257


def test_longest_match_and_merges_can_cut_one_text_differently(monkeypatch):
    word = tuple(bytes([b]) for b in b"abcd")
    for pair in ((b"b", b"c"), (b"bc", b"d"), (b"a", b"b")):
        word = merges.merged(word, pair)
    assert word == (b"a", b"bcd")
    monkeypatch.setattr(tokens, "PIECES", ("a", "b", "c", "d", "bc", "bcd", "ab"))
    assert [tokens.PIECES[i] for i in tokens.encode("abcd")] == ["ab", "c", "d"]
