"""The panel Cut, from action to picture, against a matcher that tries all ways to cut a text."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_panels import notice, parsed, respond, said, words
from tokenwalk import tokens, toy
from tokenwalk.panels import build_x
from tokenwalk.panels.cut import State
from tokenwalk.state import from_link, to_link

PIECES = ["the", " the", " cat", " dog", " climb", "ed", " roof", " wall", " sofa", " floor", ".", "<|endoftext|>"]
TEXTS = st.lists(st.sampled_from([*PIECES, " ", "c", "T", "é", "<b>", "👋", "\n"]), max_size=9).map("".join)


def typed(text):
    return respond("cut", state=to_state(), action={"text": text})


def to_state(**settings):
    return respond("cut", link=to_link(State(**settings)))["state"]


def pressed(*values, **settings):
    answer = respond("cut", link=to_link(State(**settings)))
    for value in values:
        answer = respond("cut", state=answer["state"], action={"do": value})
    return answer


def found(html):
    """The ids in the row of tokens found."""
    return [int(words(li).split("id ")[1]) for li in parsed(html).xpath("//ol[@class='tokens']/li")]


def agreeing(html):
    """For each token, how many letters the text has: `3 of 4` as (3, 4)."""
    cells = [words(td) for td in parsed(html).xpath("//table/tr/td[last()]") if " of " in words(td)]
    return [tuple(int(part) for part in cell.removesuffix(": fits").split(" of ")) for cell in cells]


def onward(html):
    """Where the link to step 2 leads, and the ids that it carries; None without one."""
    links = parsed(html).xpath("//p[@class='onward']/a/@href")
    if not links:
        return None
    address = urlsplit(links[0])
    name, _, link = address.fragment.partition("?")
    return address.path, name, link


def ways(text):
    """Every way to cut the text into tokens."""
    return [[i, *rest] for i, piece in enumerate(PIECES) if text.startswith(piece)
            for rest in ways(text[len(piece):])] if text else [[]]


def test_no_token_begins_another_so_that_a_text_has_at_most_one_cut():
    assert [(a, b) for a in PIECES for b in PIECES if a != b and b.startswith(a)] == []
    assert ways("the cat climbed the") == [[0, 2, 4, 5, 1]]


def test_next_finds_the_tokens_of_the_example_one_by_one():
    for k in range(6):
        html = pressed(*["next"] * k)["html"]
        assert found(html) == [0, 2, 4, 5, 1][:k]
    assert "␣the fits at place 16: id 1. With its space it is not the, which has id 0." in said(html)
    assert "The text is covered: five tokens, ids 0 2 4 5 1." in said(html)
    assert pressed(*["next"] * 6)["state"] == pressed(*["next"] * 5)["state"]
    assert pressed("all")["state"] == to_state(found=5) and pressed("all", "reset")["state"] == to_state()
    assert pressed("all", "back", "back")["state"] == to_state(found=3) and pressed("back")["state"] == to_state()


def test_the_table_counts_the_letters_that_agree_at_the_place():
    # At place 4 stands " cat climbed the": a space agrees with all that begin with one, " c" with climb, " cat" is all.
    assert agreeing(pressed("next")["html"]) == [
        (0, 3), (1, 4), (4, 4), (1, 4), (2, 6), (0, 2), (1, 5), (1, 5), (1, 5), (1, 6), (0, 1), (0, 13)]
    (row,) = parsed(pressed("next")["html"]).xpath("//tr[@class='now']")
    assert [words(cell) for cell in row] == ["2 ␣cat", "␣cat", "4 of 4: fits"]
    letters = [[words(b) for b in td.iter("b")] for td in parsed(pressed("next")["html"]).find_class("letters")]
    assert letters[2:5] == [["␣cat"], ["␣"], ["␣c"]]


@pytest.mark.parametrize(("text", "place", "what"), [
    ("the bird", 5, "No token covers the letter b at place 5. There are tokens that begin with ␣, but none goes on"),
    ("The cat", 1, "No token covers the letter T at place 1. No token begins with it."),
    ("the cats", 8, "letter s at place 8. No token begins with it."),
    ("the ca", 6, "The text ends inside a token: no token covers the letter a at place 6."),
    ("the caé", 7, "letter é (U+00E9) at place 7. There are tokens that begin with ␣ca"),
    ("the\n", 4, "letter ↵ (U+000A) at place 4"), ("👋", 1, "letter 👋 (U+1F44B) at place 1"),
    ("the\u200d", 4, "letter U+200D (U+200D) at place 4"), ("the␣cat", 4, "letter ␣ (U+2423) at place 4"),
])
def test_what_is_not_in_the_vocabulary_is_named_with_letter_and_place(text, place, what):
    answer = typed(text)
    assert what in said(answer["html"]) and onward(answer["html"]) is None
    with pytest.raises(ValueError, match=f"at place {place} of"):
        tokens.encode(text)


def test_an_empty_text_is_told_as_such():
    assert "The text is empty" in said(typed("")["html"]) and found(typed("")["html"]) == []


@given(TEXTS)
@settings(deadline=None)
def test_any_text_is_cut_as_far_as_it_can_be(text):
    html = typed(text)["html"]
    ids = found(html)
    assert text.startswith("".join(PIECES[i] for i in ids))
    rest = text[sum(len(PIECES[i]) for i in ids):]
    assert not any(rest.startswith(piece) for piece in PIECES)
    assert ([ids] if not rest else []) == ways(text)
    assert (onward(html) is not None) == (not rest and text != "")
    assert ("No token covers" in said(html) or "ends inside" in said(html)) == (rest != "")


@given(st.lists(st.sampled_from(range(12)), min_size=1, max_size=12), st.sampled_from(["learned", "rope", "none"]))
@settings(deadline=None)
def test_the_link_to_step_2_carries_the_first_eight_ids_and_the_scheme(ids, scheme):
    text = "".join(PIECES[i] for i in ids)
    path, name, link = onward(respond("cut", link=to_link(State(text=text, found=200, scheme=scheme)))["html"])
    assert (path, name) == ("../2-embeddings/", "build_x")
    asked = parse_qs(link)
    assert asked.get("ids", ["0 2 4 5 1"]) == [" ".join(map(str, ids[:8]))]
    assert asked.get("scheme", ["learned"]) == [scheme]
    state = from_link(build_x.State, link)
    for shown in range(9):  # step 2 can draw each row of it
        for swapped in ("no", "swap", "swap_far"):
            html = respond("build_x", link=to_link(build_x.State(shown, scheme, swapped, ids=state.ids)))["html"]
            inside = parsed(html)
            assert len(set(inside.xpath(".//@id"))) == len(inside.xpath(".//@id"))
    first = [words(td) for td in inside.xpath("//table[@id='build_x-X']/tr[1]/td")]
    assert len(inside.xpath("//table[@id='build_x-X']/tr")) == len(ids[:8])
    assert [float(x.replace("−", "-")) for x in first] == toy.E[ids[0]].tolist()  # position 1 adds nothing


@pytest.mark.parametrize(("ids", "offered"), [
    ("0 2 4 5 1", ["Swap ␣cat and ␣climb", "Swap ␣climb and ␣the"]), ("0 2", []), ("1 1 1 1 1", []),
    ("0 3 4", ["Swap ␣dog and ␣climb"]), ("1 2 2 0 7", ["Swap ␣cat and ␣wall"])])
def test_step_2_offers_the_swaps_that_change_the_sentence(ids, offered):
    root = parsed(respond("build_x", link=to_link(build_x.State(ids=ids)))["html"])
    assert [words(b) for b in root.iter("button") if words(b).startswith("Swap")] == offered


def test_a_text_that_is_too_long_is_refused_and_the_last_one_stays():
    answer = typed("the" * 67)
    assert notice(answer["html"]) == "That was not done: text has 201 characters, and 200 are the most."
    assert answer["state"] == to_state()
    assert json.loads(typed("the" * 66 + "ed")["state"])["text"] == "the" * 66 + "ed"


def test_markup_in_a_text_is_text():
    html = typed("the<img src=x onerror=alert(1)>\"'")["html"]
    assert not list(parsed(html).iter("img"))
    assert parsed(html).xpath("string(//input[@name='text']/@value)") == "the<img src=x onerror=alert(1)>\"'"
    assert "No token covers the letter i at place 5. There are tokens that begin with <," in said(html)
