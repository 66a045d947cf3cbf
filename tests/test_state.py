"""A state as text and as a link: every reachable one survives, and nothing that is not one gets in."""

import json
import re
from dataclasses import dataclass, fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import panel, walk
from tokenwalk.panels.build_x import State
from tokenwalk.state import (
    LONGEST,
    WIDEST,
    BadInput,
    between,
    chosen,
    flag,
    from_link,
    from_text,
    one_of,
    real,
    to_link,
    to_text,
    up_to,
    valid,
)

EVERY = [(panel.module(name).State, text) for name in panel.names() for text in walk.states(name)]


def test_every_reachable_state_survives_as_text_and_as_a_link():
    assert len(EVERY) > 200
    for kind, text in EVERY:
        state = from_text(kind, text)
        assert to_text(state) == text
        assert from_link(kind, to_link(state)) == state
        assert json.loads(text) == {f.name: getattr(state, f.name) for f in fields(kind)}


def test_every_state_has_a_link_of_its_own():
    for kind in {kind for kind, _ in EVERY}:
        texts = [text for k, text in EVERY if k is kind]
        assert len({to_link(from_text(kind, text)) for text in texts}) == len(texts)


def test_a_link_names_only_what_differs_from_the_first_state():
    assert to_link(State()) == ""
    assert to_link(State(shown=3, scheme="rope")) == "shown=3&scheme=rope"
    assert from_link(State, "scheme=rope&shown=3") == State(shown=3, scheme="rope")


@pytest.mark.parametrize(("text", "reason"), [
    ("", "cannot be read"), ("{", "cannot be read"), ("null", "cannot be read"), ("[]", "cannot be read"),
    ('"shown"', "cannot be read"), ("NaN", "cannot be read"), (None, "cannot be read"), ("9" * 5000, "cannot be read"),
    ("[" * 100_000, "cannot be read"), ('{"shown":' + "9" * 5000 + "}", "cannot be read"),
    ('{"size":1}', "no setting called size"), ('{"__class__":1}', "no setting called __class__"),
    ('{"shown":"3"}', "cannot be 3"), ('{"shown":3.0}', "cannot be 3,"), ('{"shown":9}', "cannot be 9"),
    ('{"shown":true}', "cannot be True"), ('{"shown":NaN}', "cannot be nan"), ('{"shown":-1}', "cannot be −1,"),
    ('{"shown":1e999}', "shown cannot be inf"), ('{"shown":' + "9" * 400 + "}", "shown cannot be [9,]{39}…, only"),
    ('{"shown":null}', "cannot be None"), ('{"shown":[[]]}', "cannot be"), ('{"scheme":"RoPE"}', "cannot be RoPE"),
    ('{"playing":1}', "playing cannot be 1"), ('{"playing":"True"}', "playing cannot be True"),
    ('{"scheme":["rope"]}', "scheme cannot be"), ('{"scheme":{"rope":1}}', "scheme cannot be"),
    ('{"scheme":"' + "x" * 10_000_000 + '"}', "scheme cannot be xxx"),
])
def test_a_text_that_is_no_state_is_refused_in_words(text, reason):
    with pytest.raises(BadInput, match=reason) as refused:
        from_text(State, text)
    assert len(str(refused.value)) < 100


@pytest.mark.parametrize(("link", "reason"), [
    ("scheme", "cannot be read"), ("&", "cannot be read"), ("shown=", "cannot be read"), ("shown=x", "cannot be read"),
    ("shown=3.0", "cannot be read"), ("playing=true", "cannot be read"), ("shown=%", "cannot be read"),
    ("=", "no setting called"), ("size=1", "no setting called size"), ("scheme=", "scheme cannot be"),
    ("scheme=<b>", "scheme cannot be <b>"), ("scheme=%00", "scheme cannot be"), ("ids=", "ids cannot be"),
    ("ids=0+12", "ids cannot be 0 12, only 1 to 8 ids from 0 to 11"), ("ids=0++2", "ids cannot be 0  2"),
    ("ids=0+0+0+0+0+0+0+0+0", "ids cannot be 0 0"), ("ids=00", "ids cannot be 00"), ("ids=+1", "ids cannot be  1"),
    ("shown=-1", "shown cannot be −1"),
    ("shown=" + "9" * 1900, "shown cannot be"), ("scheme=" + "x" * LONGEST, "too long"), ("x" * 10_000_000, "too long"),
])
def test_a_link_that_is_no_state_is_refused_in_words(link, reason):
    with pytest.raises(BadInput, match=reason) as refused:
        from_link(State, link)
    assert len(str(refused.value)) < 100


@given(st.text(max_size=50) | st.from_regex(r"(shown|scheme|swapped|playing|size)=[^&]{0,8}(&[a-z]{1,7}=\w{0,5})*"))
def test_any_link_gives_a_valid_state_or_is_refused(link):
    try:
        state = from_link(State, link)
    except BadInput:
        return
    assert all(getattr(state, f.name) in f.metadata["options"] for f in fields(State))
    assert from_link(State, to_link(state)) == state


@dataclass(frozen=True)
class Kinds:
    """One field of each kind."""

    scheme: str = one_of(("rope", "none"), "rope")
    context_length: int = between(1, 200_000, 4096)
    angle: float = real(-2, 2, 0.5)
    masked: bool = flag()


@pytest.mark.parametrize(("action", "value"), [
    ({"scheme": "none"}, "none"), ({"masked": "on"}, True), ({"masked": "off"}, False),
    ({"context_length": "128000"}, 128_000), ({"context_length": "128,000"}, 128_000),
    ({"context_length": " 128 000 "}, 128_000), ({"context_length": "128\u202f000"}, 128_000),
    ({"angle": "1.5"}, 1.5), ({"angle": "1,5"}, 1.5), ({"angle": "\u22120,25"}, -0.25), ({"angle": "-2"}, -2.0),
])
def test_what_a_reader_types_is_read(action, value):
    (name,) = action
    state = valid(Kinds, vars(chosen(Kinds(), action)))
    assert getattr(state, name) == value and type(getattr(state, name)) is type(value)
    assert from_link(Kinds, to_link(state)) == from_text(Kinds, to_text(state)) == state


@pytest.mark.parametrize(("action", "reason"), [
    ({"angle": "abc"}, "angle needs a number, and “abc” is none"),
    ({"angle": ""}, "angle needs a number, and “” is none"),
    ({"context_length": "1,5"}, "context length needs a whole number, and “1,5” is none"),
    ({"context_length": "9" * 5000}, "context length cannot be [9,]{39}…, only"),
    ({"angle": "2,001"}, "angle cannot be 2.001, only a number from −2 to 2"),
    ({"angle": "nan"}, "angle cannot be nan"), ({"angle": "inf"}, "angle cannot be inf"),
    ({"context_length": "0"}, "context length cannot be 0, only a whole number from 1 to 200,000"),
    ({"scheme": "RoPE"}, "scheme cannot be RoPE"), ({"size": "1"}, "no such control"), ({}, "no such control"),
    ({"angle": "1", "masked": "on"}, "no such control"),
])
def test_what_no_field_can_be_is_refused_in_words(action, reason):
    with pytest.raises(BadInput, match=reason):
        valid(Kinds, vars(chosen(Kinds(), action)))


@dataclass(frozen=True)
class Free:
    """A field of free text beside another one."""

    text: str = up_to(2000, "the cat")
    merges: int = between(0, 9, 0)


@pytest.mark.parametrize("text", [
    "", " ", "\n\n", "\0", "a=b&c=d", "50%", "+", "<b>&amp;\"'", "\u202e", "\U0001f44b\U0001f3fd", "x" * 2000,
    "\U0010ffff" * 2000, "é" * 2000, "\n" * 2000], ids=lambda text: ascii(text)[:20])
def test_any_text_of_the_right_length_survives_as_text_and_as_a_link(text):
    state = valid(Free, vars(chosen(Free(), {"text": text})))
    assert state.text == text
    assert from_text(Free, to_text(state)) == from_link(Free, to_link(state)) == state
    assert to_link(state).isascii() and not re.search(r"[\s<>\"'#]", to_link(state))  # as it is, in an address


@given(st.text(max_size=2000))
def test_any_text_at_all_survives_as_text_and_as_a_link(text):
    state = Free(text, 3)
    assert from_text(Free, to_text(state)) == from_link(Free, to_link(state)) == state


def test_the_widest_character_takes_as_many_of_a_link_as_is_said():
    assert max(len(to_link(Free(chr(c))).removeprefix("text=")) for c in (0x7F, 0x7FF, 0xFFFF, 0x10FFFF)) == WIDEST


@pytest.mark.parametrize(("text", "reason"), [
    ("x" * 2001, "text has 2,001 characters, and 2,000 are the most"),
    ("\U0001f44b" * 2001, "text has 2,001 characters"), ("x" * 10_000_000, "text has 10,000,000 characters"),
    ("\ud83d", "text holds a character that was cut in half"), ("a\udc4bb", "cut in half")])
def test_a_text_that_is_too_long_or_no_text_is_refused_in_words(text, reason):
    with pytest.raises(BadInput, match=reason) as refused:
        valid(Free, vars(chosen(Free(), {"text": text})))
    assert len(str(refused.value)) < 100
    with pytest.raises(BadInput, match=reason):
        from_text(Free, json.dumps({"text": text}))


@pytest.mark.parametrize("value", [5, None, ["a"], {"a": 1}, True])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(BadInput, match="text cannot be"):
        from_text(Free, json.dumps({"text": value}))
    with pytest.raises(BadInput, match="text cannot be"):
        chosen(Free(), {"text": value})


def test_a_link_is_too_long_only_beyond_what_its_texts_can_take():
    most = LONGEST + WIDEST * 2000
    with pytest.raises(BadInput, match="too long"):
        from_link(Free, "text=" + "x" * (most - 4))
    with pytest.raises(BadInput, match="text has"):
        from_link(Free, "text=" + "x" * (most - 5))
