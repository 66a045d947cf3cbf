"""Texts that a reader types, in a real Chromium: they reach Python as they are, and the sentence goes on to step 2."""

import json

import pytest
from playwright.sync_api import Page, expect

from tokenwalk.panels import build_x, cut, merges
from tokenwalk.state import to_link, to_text

WHERE = "1-tokens/"


def is_in(page: Page, name: str, state: object) -> None:
    """Waits until the panel is in this state, by its values."""
    wanted = json.loads(to_text(state))
    page.wait_for_function("""([name, wanted]) => {
        const state = JSON.parse(document.querySelector(`#${name}`)?.getAttribute("state") ?? "{}");
        return Object.keys(wanted).every((field) => state[field] === wanted[field]);
    }""", arg=[name, wanted], timeout=60_000)


def test_a_sentence_that_is_typed_is_cut_and_taken_to_step_2(open_page):
    page = open_page(WHERE)
    page.fill("#cut-text", "the dog climbed the wall.")
    page.press("#cut-text", "Enter")
    is_in(page, "cut", cut.State(text="the dog climbed the wall.", found=200))
    expect(page.locator("#cut-say .ids")).to_have_text("0 3 4 5 1 7 10")
    page.locator("#cut .onward a").click()
    is_in(page, "build_x", build_x.State(ids="0 3 4 5 1 7 10"))
    expect(page.locator("#build_x ol.tokens li")).to_have_count(7)


def test_a_letter_that_no_token_covers_is_named_and_the_text_stays_in_the_field(open_page):
    page = open_page(WHERE)
    page.fill("#cut-text", "the cat sat")
    page.press("#cut-text", "Enter")
    expect(page.locator("#cut-say")).to_contain_text("No token covers the letter a at place 10.", timeout=60_000)
    expect(page.locator("#cut-text")).to_have_value("the cat sat")
    page.fill("#cut-text", "x" * 201)
    page.press("#cut-text", "Enter")
    expect(page.locator("#cut .notice")).to_contain_text("text has 201 characters, and 200 are the most")
    is_in(page, "cut", cut.State(text="the cat sat", found=200))


@pytest.mark.parametrize("text", ["\n\nab ab\n", " 猫猫\t👋🏽👋🏽 ", "<b>&amp;</b> \"'", "\U0001f44b" * 2000])
def test_any_text_reaches_python_and_comes_back_from_its_link(open_page, text: str):
    page = open_page(WHERE)
    page.fill("#merges-text", text)
    page.click("#merges-next")  # leaves the field, which is the change
    is_in(page, "merges", merges.State(text=text, merges=1))
    expect(page.locator("#merges-text")).to_have_value(text)
    page.evaluate("hash => { location.hash = hash }", "merges?" + to_link(merges.State(text=text, merges=2)))
    is_in(page, "merges", merges.State(text=text, merges=2))
    expect(page.locator("#merges-text")).to_have_value(text)
