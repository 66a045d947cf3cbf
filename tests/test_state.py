"""A state as text and as a link: every reachable one survives, and nothing that is not one gets in."""

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenwalk import panel, walk
from tokenwalk.panels.build_x import State
from tokenwalk.state import LONGEST, BadInput, from_link, from_text, to_link, to_text

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
    ('{"shown":"3"}', "cannot be 3"), ('{"shown":3.0}', "cannot be 3.0"), ('{"shown":6}', "cannot be 6"),
    ('{"shown":true}', "cannot be True"), ('{"shown":NaN}', "cannot be nan"), ('{"shown":-1}', "cannot be -1"),
    ('{"shown":1e999}', "shown cannot be inf"), ('{"shown":' + "9" * 400 + "}", "shown cannot be 999"),
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
    ("scheme=<b>", "scheme cannot be <b>"), ("scheme=%00", "scheme cannot be"), ("shown=-1", "shown cannot be -1"),
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
