"""Step 1: text -> ids -> text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import tokens, toy

WORDS = [token.replace("␣", " ") for token in toy.TOKENS]


def test_the_sentence_has_the_ids_of_the_chapter():
    assert tokens.encode(toy.TEXT) == [0, 2, 4, 5, 1] == toy.IDS.tolist()


def test_a_leading_space_makes_another_token():
    assert tokens.encode("the the") == [0, 1]


def test_ids_are_plain_integers():
    assert all(type(i) is int for i in tokens.encode("the dog climbed the wall."))


def test_the_longest_token_wins(monkeypatch):
    monkeypatch.setattr(tokens, "PIECES", ("a", "ab", "abc", "b", "c"))
    assert tokens.encode("abcaba") == [2, 1, 0]


@given(st.lists(st.sampled_from(WORDS)).map("".join))
def test_decoding_gives_the_text_back(text):
    assert tokens.decode(tokens.encode(text)) == text


@given(st.text(alphabet="the cadolimbrwfs.|<>n␣", max_size=12))
def test_any_text_comes_back_or_is_refused_with_a_letter_of_its_own(text):
    try:
        assert tokens.decode(tokens.encode(text)) == text
    except ValueError as error:
        place = int(str(error).split("place ")[1].split(" ")[0])
        assert f"the letter {text[place - 1]!r} at place {place} " in str(error)


@pytest.mark.parametrize(
    ("text", "letter", "place"),
    [
        ("cat", "c", 1),
        ("The cat", "T", 1),
        ("the cats", "s", 8),
        ("the bird", "b", 5),     # not the space before it, which many tokens begin with
        ("the cat?", "?", 8),
        ("the cat ", " ", 8),     # the text ends inside a token
        ("the ca", "a", 6),
        ("the␣cat", "␣", 4),      # ␣ is how a space is printed, not how it is written
        ("the cat\n", "\n", 8),
    ],
)
def test_an_uncovered_letter_is_named_with_its_place(text, letter, place):
    with pytest.raises(ValueError) as error:
        tokens.encode(text)
    assert f"{letter!r} at place {place} " in str(error.value)


@pytest.mark.parametrize("i", [12, -1, 1000])
def test_an_id_without_a_token_is_refused(i):
    with pytest.raises(IndexError, match=f"id {i}: ids run from 0 to 11"):
        tokens.decode([0, i])
