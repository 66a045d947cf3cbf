"""Generation, by the panel's door: the texts and probabilities of tests/reference/toy.json, and sums done here."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from test_panels import matrix, notice, parsed, respond, said, words
from tokenwalk import toy
from tokenwalk.panels.generation import State
from tokenwalk.state import to_link

TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
FIVE, CAT, DOG, SOFA = "0 2 4 5 1", "0 2", "0 3", "8"
P = TOY["the cat climbed the"]["p"][-1]  # after the five tokens


def answer(action=None, **settings):
    given_action = {"action": action} if action else {}
    state = json.loads(respond("generation", link=to_link(State(**settings)))["state"])
    return respond("generation", state=json.dumps(state), **given_action)


def picture(**settings):
    return answer(**settings)["html"]


def sampled(**settings):
    return picture(**{"rule": "sampled", "done": 1} | settings)


def ids(html):
    """The ids of the tokens of the text so far, read off their classes."""
    tokens = parsed(html).xpath(".//ol[@class='tokens']//span/@class")
    return [int(name.removeprefix("tok t")) for name in tokens]


def candidates(html):
    """The rows of the table of candidates by id: the texts of their cells, in the order drawn."""
    rows = parsed(html).xpath(".//table[@id='generation-candidates']//tr[@id]")
    return {int(row.get("id").rsplit("-", 1)[1]): [words(cell) for cell in row.iter("td")] for row in rows}


def number(text):
    return float(text.replace("−", "-").replace(",", ""))


def near(expected):
    return pytest.approx(expected, rel=0, abs=0.000501)


def at(p, temperature=1.0, keep=range(12)):
    """p^(1/T), scaled: softmax(logits / T) for those of `keep`, without the logits."""
    powers = [x ** (1 / temperature) if i in keep else 0 for i, x in enumerate(p)]
    return [x / sum(powers) for x in powers]


# --- greedy

@pytest.mark.parametrize(("start", "name"), [(CAT, "the cat"), (DOG, "the dog")])
def test_greedy_appends_the_expected_tokens_one_by_one(start, name):
    expected, state = TOY["greedy"][name], answer(ids=start)["state"]
    for n in range(3, len(expected) + 1):
        after = respond("generation", state=state, action={"do": "next"})
        state = after["state"]
        assert ids(after["html"]) == expected[:n]
    assert "It stops here: after . nothing is appended" in said(after["html"])
    assert parsed(after["html"]).xpath(".//button[@value='next']/@aria-disabled") == ["true"]
    again = respond("generation", state=state, action={"do": "next"})
    assert again == after  # at the end nothing more happens


def test_the_candidates_are_the_models_probabilities_the_largest_first():
    rows = candidates(picture(done=1))
    assert list(rows) == sorted(range(12), key=lambda i: -P[i])
    assert [number(rows[i][0]) for i in range(12)] == near(P)
    assert [i for i, (_, fate) in rows.items() if fate == "picked"] == [6]
    assert "␣roof, with 0.810" in said(picture(done=1))


def test_before_the_first_step_nothing_is_picked():
    html = picture()
    assert ids(html) == [0, 2, 4, 5, 1] and "The model has run on these 5 tokens" in said(html)
    assert all(fate == "" for _, fate in candidates(html).values()) and "Steps so far" not in words(parsed(html))
    assert "has run on this token" in said(picture(ids="4"))


def test_the_newest_token_and_its_step_are_marked_in_words():
    html = picture(ids=CAT, done=3)
    smalls = [words(li).split()[-1] for li in parsed(html).xpath(".//ol[@class='tokens']/li")]
    assert smalls == ["start", "start", "1", "2", "new"]
    assert parsed(html).xpath("string(.//ol[@class='tokens']/li[@class='now'])").split() == ["5", "␣the", "new"]


# --- why it stops

def test_it_says_which_of_three_reasons_stopped_it():
    assert "the text has 8 tokens, and there is no position for more" in said(picture(ids=DOG, scheme="none", done=7))
    html = sampled(ids=CAT, seed=7, done=7)
    assert ids(html)[-1] == 11 and "It stops here: after <|endoftext|> nothing is appended" in said(html)


@pytest.mark.parametrize(("start", "why"), [
    ("0 2 10", "its last token is ."), ("11", "its last token is <|endoftext|>"),
    ("0 2 4 5 1 6 6 6", "it has 8 tokens, and there is no position for more")])
def test_a_start_that_has_ended_says_so_and_offers_no_step(start, why):
    html = picture(ids=start, done=3)
    assert f"This start has already ended: {why}" in said(html) and not parsed(html).xpath(".//table")
    assert ids(html) == [int(i) for i in start.split()]
    assert set(parsed(html).xpath(".//button[@name='do']/@aria-disabled")) == {"true"}
    assert '"playing":false' in answer({"do": "play"}, ids=start)["state"]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=8), st.sampled_from(["none", "rope", "alibi", "learned"]),
       st.integers(0, 7), st.integers(0, 99))
def test_any_sentence_that_another_page_hands_on_can_be_the_start(start, scheme, done, seed):
    html = sampled(ids=" ".join(map(str, start)), scheme=scheme, done=done, seed=seed)
    assert notice(html) is None and ids(html)[: len(start)] == start and len(ids(html)) <= 8
    (back,) = parsed(html).xpath(".//a[starts-with(@href, '../6-output/#output')]/@href")
    carried = dict(parse_qsl(back.split("?")[-1]))
    before = len(start) + max(len(ids(html)) - len(start) - 1, 0)  # the run that made the last pick had not read it
    assert carried.get("ids", "0 2 4 5 1") == " ".join(map(str, ids(html)[:before]))
    assert (f"scheme={scheme}" in back) == (scheme != "learned")


# --- temperature and the gates

@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0, 5.0])
def test_temperature_is_a_power_of_p(temperature):
    rows = candidates(sampled(temperature=temperature))
    assert [number(rows[i][0]) for i in range(12)] == near(at(P, temperature))


@pytest.mark.parametrize(("k", "share", "temperature"), [
    (2, 1.0, 1.0), (12, 0.9, 1.0), (6, 0.9, 2.0), (1, 1.0, 1.0), (3, 0.5, 5.0), (12, 0.95, 5.0)])
def test_each_gate_says_in_words_what_it_sends_out(k, share, temperature):
    p = at(P, temperature)
    order = sorted(range(12), key=lambda i: -p[i])
    rest, rows = at(P, temperature, order[:k]), candidates(sampled(top_k=k, top_p=share, temperature=temperature))
    stay = [i for j, i in enumerate(order[:k]) if sum(rest[o] for o in order[:j]) < share]
    left = at(P, temperature, stay)
    for j, i in enumerate(order):
        ahead = f"{sum(rest[o] for o in order[:j]):.3f}"
        fate = f"top-k: {j} ahead" if j >= k else "kept" if i in stay else f"top-p: {ahead} ahead"
        assert rows[i][2] in (fate, "picked") and number(rows[i][1]) == near(left[i])
        assert rows[i][2] != "picked" or i in stay


def test_the_bars_are_as_long_as_the_numbers_beside_them():
    root = parsed(sampled(temperature=2.0, top_k=4))
    bars = root.xpath(".//td[@class='odds']")
    assert len(bars) == 24
    lengths = [float(re.sub(r"[^\d.]", "", bar.get("style"))) for bar in bars]
    assert [length / 100 for length in lengths] == near([number(words(bar)) for bar in bars])


# --- the random number

@pytest.mark.parametrize("seed", [0, 3, 4, 7, 9999])
def test_the_random_number_falls_into_the_stretch_of_the_token_that_is_picked(seed):
    html, u = sampled(seed=seed, temperature=2.0), np.random.default_rng((seed, 0)).random()
    sums = np.cumsum(at(P, 2.0))
    picked = next(i for i in range(12) if u < sums[i])
    assert ids(html) == [0, 2, 4, 5, 1, picked]
    assert f"the random number is {u:.3f}, which falls into the stretch of {toy.TOKENS[picked]}" in said(html)
    (strip,) = parsed(html).xpath(".//div[@role='img']")
    assert f"{toy.TOKENS[picked]} from {max(sums[picked] - at(P, 2.0)[picked], 0):.3f} to" in strip.get("aria-label")
    assert "and there the random number falls" in strip.get("aria-label")
    widths = [float(re.search(r"[\d.]+", span.get("style"))[0]) for span in strip.xpath("./span")]
    assert sum(widths) == pytest.approx(100, abs=0.1) and len(widths) == 12
    assert float(re.search(r"[\d.]+", strip.xpath("string(./b/@style)"))[0]) == pytest.approx(100 * u, abs=0.006)


def test_each_step_has_a_number_of_its_own_and_stands_in_the_log():
    html = sampled(ids=CAT, seed=2, temperature=3.0, done=7)
    log = matrix(html, "Steps so far")
    expected = [f"{np.random.default_rng((2, step)).random():.3f}" for step in range(len(log))]
    assert [row[0] for row in log] == expected and len(log) == len(ids(html)) - 2 > 2
    assert [row[2] for row in log] == [toy.TOKENS[i] for i in ids(html)[2:]]


def test_the_same_seed_gives_the_same_text_and_the_next_seed_another():
    first, second = (ids(sampled(ids=CAT, seed=seed, done=7)) for seed in (7, 8))
    assert first == ids(sampled(ids=CAT, seed=7, done=7)) != second
    assert ids(answer({"do": "other"}, ids=CAT, rule="sampled", seed=7, done=7)["html"]) == second
    assert '"seed":0' in answer({"do": "other"}, rule="sampled", seed=9999)["state"]


# --- compared with all other texts

def test_it_says_whether_another_text_is_more_probable():
    assert "No other text from this start is more probable" in said(picture(ids=CAT, done=5))
    html, first = picture(ids=SOFA, done=7), candidates(picture(ids=SOFA, done=1))
    text = said(html)
    assert text.endswith(f"The most probable text from this start is “␣sofa.”, {first[10][0]}.")  # of one step
    chance = number(re.search(r"goes on like this with probability (0\.\d+)\.", text)[1])
    assert chance == pytest.approx(np.prod([number(p) for _, p in matrix(html, "Steps so far")]), abs=0.001)
    assert chance < number(first[10][0])


# --- what a cache saves

def test_the_multiplications_by_hand():
    # Run 5 from two tokens is on six. A row has 3 · 4 · 4 products for q, k, v; six rows look at 1 + 2 + … + 6 = 21.
    html = picture(ids=CAT, done=5)
    costs = matrix(html, "Multiplications")
    rows = 2 + 3 + 4 + 5 + 6
    pairs = 3 + 6 + 10 + 15 + 21
    expected = [[6 * 48, 48, rows * 48, 6 * 48], [21 * 4, 6 * 4, pairs * 4, 21 * 4], [21 * 4, 6 * 4, pairs * 4, 21 * 4],
                [6 * 16, 16, rows * 16, 6 * 16], [6 * 24, 24, rows * 24, 6 * 24], [48, 48, 5 * 48, 5 * 48]]
    assert [[number(cell) for cell in row] for row in costs[:-1]] == expected
    totals = [sum(column) for column in zip(*expected, strict=True)]
    assert [number(cell) for cell in costs[-1]] == totals
    assert f"{totals[2]:,} / {totals[3]:,} = {totals[2] / totals[3]:.2f} times" in words(parsed(html))


def test_the_first_run_has_nothing_kept():
    html = picture(ids=CAT, done=1)
    assert all(row[0] == row[1] for row in matrix(html, "Multiplications"))
    assert "with a cache it makes every row, too" in words(parsed(html))


@pytest.mark.parametrize("head", [1, 2])
def test_the_cache_holds_keys_and_values_and_only_the_newest_row_is_new(head):
    html, expected = picture(ids=CAT, done=4), TOY["the cat climbed the"][f"head{head}"]  # run 4 is on the five tokens
    rows = [[number(cell) for cell in row] for row in matrix(html, "Keys and values", f"head {head}")]
    assert rows == [near(k + v) for k, v in zip(expected["k"], expected["v"], strict=True)]
    marks = parsed(html).xpath(f".//table[@id='generation-cache-{head}']//tr[th[@scope='row']]/@class")
    assert marks == ["quiet"] * 4 + ["now"]


# --- its controls

def test_play_appends_until_there_is_a_reason_to_stop():
    after = answer({"do": "play"}, ids=CAT)
    for n in range(2, 7):
        assert 'data-every="' in after["html"] and len(ids(after["html"])) == n
        after = respond("generation", state=after["state"], action={"do": "tick"})
    assert 'data-every="' not in after["html"] and ids(after["html"]) == TOY["greedy"]["the cat"]
    again = respond("generation", state=after["state"], action={"do": "play"})
    assert ids(again["html"]) == [0, 2] and 'value="pause"' in again["html"]
    paused = respond("generation", state=again["state"], action={"do": "pause"})
    assert 'data-every="' not in paused["html"]


def test_back_takes_one_away_and_from_the_start_all():
    assert answer({"do": "back"}, ids=CAT, done=3)["html"] == picture(ids=CAT, done=2)
    assert answer({"do": "back"}, ids=CAT, done=7)["html"] == picture(ids=CAT, done=4)  # it had only five to take from
    settings = {"ids": CAT, "rule": "sampled", "temperature": 2.0, "seed": 5}
    assert answer({"do": "reset"}, done=3, **settings)["html"] == picture(**settings)


def test_another_start_begins_with_nothing_appended_and_keeps_the_rule():
    after = json.loads(answer({"ids": DOG}, ids=CAT, done=3, rule="sampled", top_k=4, playing=True)["state"])
    assert after == json.loads(answer(ids=DOG, rule="sampled", top_k=4)["state"])


def test_greedy_hides_the_settings_of_chance_and_keeps_them():
    settings = {"rule": "sampled", "temperature": 2.0, "top_k": 3, "seed": 5}
    greedy = answer({"rule": "greedy"}, **settings)
    assert not parsed(greedy["html"]).xpath(".//input[@type='range']")
    assert respond("generation", state=greedy["state"], action={"rule": "sampled"}) == answer(**settings)


@pytest.mark.parametrize(("action", "why"), [
    ({"temperature": "0"}, "temperature cannot be 0, only a number from 0.1 to 5"),
    ({"temperature": "hot"}, "temperature needs a number"), ({"top_k": "0"}, "only a whole number from 1 to 12"),
    ({"top_p": "1.5"}, "only a number from 0.05 to 1"), ({"seed": "-1"}, "only a whole number from 0 to 9,999"),
    ({"seed": "1.5"}, "needs a whole number"), ({"ids": "12"}, "only 1 to 8 ids from 0 to 11"),
    ({"scheme": ""}, "scheme cannot be"), ({"rule": "beam"}, "rule cannot be"), ({"do": "beam"}, "no such control"),
    ({"done": "8"}, "only a whole number from 0 to 7"), ({"x": "1"}, "no such control")])
def test_what_is_not_valid_is_refused_and_the_picture_stays(action, why):
    settings = {"ids": CAT, "rule": "sampled", "seed": 7, "done": 2, "temperature": 1.5}
    after = answer(action, **settings)
    assert after["state"] == answer(**settings)["state"] and why in notice(after["html"])


def test_numbers_may_be_typed():
    assert '"seed":1234' in answer({"seed": "1,234"}, rule="sampled")["state"]
    assert '"temperature":0.75' in answer({"temperature": "0,75"}, rule="sampled")["state"]
