"""The panel Merges, from action to picture. What is learnt is held to another package in test_merges.py."""

import html as escapes
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_panels import matrix, notice, parsed, respond, said, words
from tokenwalk.panels.merges import EXAMPLES, State
from tokenwalk.render import visible
from tokenwalk.state import from_text, to_link

CATS = EXAMPLES["Cats and dogs"]


def picture(**settings):
    return respond("merges", link=to_link(State(**settings)))["html"]


def state(**settings):
    return respond("merges", link=to_link(State(**settings)))["state"]


def after(action, **settings):
    return respond("merges", state=state(**settings), action=action)


def cut(html):
    """The text as it is drawn: words of tokens."""
    return [[words(token) for token in piece] for piece in parsed(html).xpath("//p[@class='recut']/span")]


def heads(html, caption):
    return [words(th) for table in parsed(html).iter("table") if words(table[0]) == caption
            for th in table.xpath(".//th[@scope='row']")]


def test_it_begins_with_bytes():
    html = picture()
    assert f"The text has {len(CATS)} characters, which UTF-8 writes with {len(CATS)} bytes." in said(html)
    assert ["".join(piece) for piece in cut(html)] == re.findall(r"␣?[^␣]+", CATS.replace(" ", "␣"))
    assert heads(html, "Commonest pairs")[0] == "h + e" and CATS.count("he") == CATS.count("th") == 12
    assert matrix(html, "Commonest pairs")[:2] == [["104, 101", "12"], ["116, 104", "12"]]  # the tie: h before t
    assert "Two pairs come as often" in said(html)


def test_three_merges_make_a_word_with_its_space():
    html = picture(merges=3)
    assert heads(html, "Merges") == ["3 ␣ + the", "2 t + he", "1 h + e"]
    # 154 − 12 − 12 − 11: the first `the` of the text has no space before it
    assert [" ".join(row) for row in matrix(html, "Merges")] == ["␣the 258 11 119", "the 257 12 130", "he 256 12 142"]
    assert "␣ and the stand side by side 11 times. They become ␣the, with id 258." in said(html)
    assert "The text shrinks from 130 to 119 tokens." in said(html)
    assert [words(b) for b in parsed(html).xpath("//p[@class='recut']//b")] == ["␣the"] * 11
    assert "The vocabulary has 256 bytes + 3 = 259 tokens." in words(parsed(html))


def test_the_steps_that_the_page_tells_of():
    assert heads(picture(merges=12), "Merges")[0] == "12 b + ed"
    assert heads(picture(merges=19), "Merges")[0] == "19 ␣clim + bed"
    assert any("␣" in token[1:] for piece in cut(picture(merges=31, across=True)) for token in piece)
    html = picture(text=EXAMPLES["猫 and 👋"], merges=200)
    assert "⟨81⟩ + 犬" in " ".join(heads(html, "Merges") + heads(html, "Earlier merges"))
    html = picture(text="aaaaaaaa", merges=1)
    assert "7 times" in said(html) and "only four are merged" in said(html) and "from 8 to 4 tokens" in said(html)
    assert "only one is merged" in said(picture(text="aaa", merges=1))


def test_buttons_go_on_and_back():
    assert after({"do": "next"})["state"] == state(merges=1)
    assert after({"do": "ten"}, merges=1)["state"] == state(merges=11)
    assert after({"do": "all"})["state"] == after({"do": "ten"}, merges=30)["state"] == state(merges=31)
    assert "No pair comes twice any more" in said(picture(merges=31))
    assert after({"do": "back"}, merges=31)["state"] == after({"do": "back"}, merges=200)["state"] == state(merges=30)
    assert after({"do": "back"})["state"] == after({"do": "reset"}, merges=9)["state"] == state()
    assert after({"across": "on"}, merges=9)["state"] == state(merges=9, across=True)


def test_a_new_text_begins_without_merges():
    assert after({"text": "abab"}, merges=9)["state"] == state(text="abab")
    assert "The text is empty" in said(after({"text": ""})["html"])
    assert "No pair comes twice, so there is nothing to learn" in said(after({"text": "abc"})["html"])


def test_two_hundred_merges_are_the_most():
    text = "".join(f"{k:03d}{k:03d}" for k in range(333))
    answer = after({"do": "all"}, text=text, across=True)
    assert answer["state"] == state(text=text, across=True, merges=200)
    assert "The panel stops at 200 merges." in said(answer["html"])


@pytest.mark.parametrize("text", ["\U0010ffff" * 2000, "x" * 2000, "é👋🏽\n" * 500, "ab" * 1000])
def test_the_longest_texts_are_drawn_and_come_back_from_their_links(text):
    for across in (False, True):
        html = picture(text=text, across=across)
        assert notice(html) is None
        drawn = sum(map(len, cut(html)))
        more = len(text.encode()) - drawn
        assert drawn == min(len(text.encode()), 2000)
        assert (f"{more:,} more tokens are not drawn" in words(parsed(html))) == (more > 0)
        assert from_text(State, after({"do": "ten"}, text=text, across=across)["state"]).text == text


def test_a_text_that_is_too_long_is_refused_and_the_last_one_stays():
    answer = after({"text": "x" * 2001}, merges=3)
    assert notice(answer["html"]) == "That was not done: text has 2,001 characters, and 2,000 are the most."
    assert answer["state"] == state(merges=3)


@given(st.text(max_size=40) | st.text(alphabet="<>&\"' \n\t\r\0é\u0301\u05d0👋", max_size=40), st.integers(0, 9),
       st.booleans())
@settings(deadline=None)
def test_any_text_is_shown_as_text(text, merges, across):
    answer = respond("merges", state=json.dumps({"text": text, "merges": merges, "across": across}))
    area = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", answer["html"], re.S)
    assert not re.search("[<>]", area[1]) and escapes.unescape(area[1]) == text
    tokens = "".join(re.findall(r"<[ib]>(.*?)</[ib]>", answer["html"], re.S))
    assert not re.search("[<>]", tokens)
    if text.isascii():
        assert escapes.unescape(tokens) == visible(text)


@pytest.mark.parametrize(("text", "shown"), [
    ("a b", "a␣b"), ("\n\t", "↵⇥"), ("\0\u200d\u2028", "U+0000U+200DU+2028"),
    ("e\u0301", "e\u0301"), ("\u0301", "◌\u0301"),
    ("नमस्ते", "नमस्ते"), (b"\xc3\xcc\x81".decode("utf-8", "surrogateescape"), "⟨C3⟩◌\u0301"),
    (b"\x80\xff\xe7\x8c".decode("utf-8", "surrogateescape"), "⟨80⟩⟨FF⟩⟨E7⟩⟨8C⟩"),
    ("猫👋", "猫👋"), ("\u00a0", "U+00A0")])
def test_every_character_has_something_to_see(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize("action", [{"do": "tick"}, {"merges": "3"}, {"text": 5}, {"do": "explode"}])
def test_what_is_no_control_is_refused_in_words(action):
    answer = after(action, merges=2)
    assert answer["state"] == state(merges=2) and notice(answer["html"]).startswith("That was not done: ")
