"""The panel sparse_update by its front door: what is drawn, what moves, and what it says of both."""

import json
import re
import time

import numpy as np
import pytest

from test_panels import parsed, respond, words
from tokenwalk import training, zipf
from tokenwalk.panels import sparse_update

NAME = "sparse_update"
GPT2 = {"V": "50257", "d": "64", "n": "1024"}


def answer(action=None, **state):
    return respond(NAME, state=json.dumps(state), **({"action": action} if action else {}))


def root(reply):
    return parsed(reply["html"])


def said(reply):
    return words(root(reply).xpath(f"//*[@id='{NAME}-say']")[0])


def notice(reply):
    return words(root(reply).xpath("//*[@class='notice']")[0])


def table(reply, name):
    rows = root(reply).xpath(f"//table[@id='{NAME}-{name}']//tr[td[normalize-space()]]")
    return [[words(cell) for cell in row.iter("td")] for row in rows]


def value(text):
    return float(text.replace("−", "-").replace(",", ""))


def image(reply):
    (picture,) = root(reply).xpath(f"//img[@id='{NAME}-rows']")
    return picture


# --- the toy, by hand


def test_the_first_step_of_the_toy_moves_each_row_read_toward_its_place():
    """By hand: numpy's generator at (0, 1) draws; a row read c times of 8 goes 0.1 c/8 of the way to its place."""
    reply, rng = answer(), np.random.default_rng((0, 0))
    rng.standard_normal((12, 4))
    way = rng.standard_normal((12, 4))
    shares = np.cumsum(1 / np.arange(1, 13)) / (1 / np.arange(1, 13)).sum()
    drawn = [next(i for i in range(12) if u < shares[i]) for u in np.random.default_rng((0, 1)).random(8)]
    counts = np.array([drawn.count(i) for i in range(12)])
    start = np.array([[-0.5, -0.5, 0, 1], [-0.5, 0, -0.5, 1], [1, -0.5, 0, -0.5], [1, -0.5, -0.5, 0],
                      [-0.5, 1, 0, -0.5], [0, 0.5, -0.5, 0], [0, -0.5, 1, -0.5], [1, 0, -1, 0],
                      [0.5, -0.5, -0.5, 0.5], [0.5, 0, -0.5, 0], [0, 0, 1, -1], [0.5, -0.5, 0.5, -0.5]])
    rows = np.array([[value(cell) for cell in row] for row in table(reply, "E")])
    np.testing.assert_allclose(rows, start + 0.1 * counts[:, None] / 8 * way, atol=0.00051)
    assert f"drew 8 tokens: {(counts > 0).sum()} different ids of 12" in said(reply)
    lit = root(reply).xpath(f"//table[@id='{NAME}-E']//tr[@class='now']/@id")
    assert lit == [f"{NAME}-row-{i}" for i in range(12) if counts[i]]


def test_observed_stands_beside_expected():
    rows = {words(tr.find("th")): [words(td) for td in tr.iter("td")]
            for tr in root(answer(**GPT2, tick=4)).xpath(f"//table[@id='{NAME}-figures']//tr[td[normalize-space()]]")}
    p = 1 / np.arange(1, 50_258)
    p /= p.sum()
    assert rows["ids in this step"][1] == "606"  # as in the page's table, for 1,024 draws
    assert rows["ids so far"][1] == f"{(1 - (1 - p) ** 4096).sum():,.0f}"
    assert rows["draws of id 0"][1] == f"{4096 * p[0]:.0f}"
    assert rows["draws of id 50,256"][1] == f"{4096 * p[-1]:.3f}"
    drawn = np.concatenate([zipf.batch(50_257, 1024, 1.0, 0, tick) for tick in (1, 2, 3, 4)])
    assert rows["ids so far"][0] == f"{len(set(drawn.tolist())):,}"
    assert rows["draws of id 0"][0] == str((drawn == 0).sum())


# --- the surprise


@pytest.mark.parametrize(("tick", "moved"), [(1, "1"), (11, "4.36"), (60, "5.99")])  # as on the page
def test_under_adam_a_row_read_once_at_step_1_moves_on(tick, moved):
    text = said(answer(**GPT2, tick=tick, optimiser="adam"))
    assert re.search(rf"numbers have moved by {moved}(\.00)? learning rates", text), text
    assert tick == 1 or "without a gradient moved all the same: Adam remembers" in text


@pytest.mark.parametrize("optimiser", ["sgd", "sparse_adam"])
def test_under_sgd_and_sparse_adam_a_row_without_a_gradient_rests(optimiser):
    pictures = [answer(**GPT2, tick=tick, optimiser=optimiser) for tick in (11, 60)]
    assert all("None of those moved" in said(reply) and "all of it at step 1" in said(reply) for reply in pictures)


def test_adamw_moves_every_row():
    text = said(answer(**GPT2, tick=30, optimiser="adamw"))
    (none, moved) = re.search(r"and ([\d,]+) rows got none. ([\d,]+) rows without a gradient moved", text).groups()
    assert none == moved


def test_a_tied_table_has_no_row_without_a_gradient():
    reply = answer(V="200", d="16", n="64", tick=3, tied=True)
    assert "All 200 rows got a gradient" in said(reply) and "200 of 200 rows have moved" in image(reply).get("alt")
    assert "measure" not in reply["html"]


def test_what_is_too_large_to_tie_says_so_and_is_untied():
    assert "No tied table at this size" in words(root(answer(**GPT2)))
    assert '"tied":false' in answer({"V": "50257"}, tied=True)["state"]
    assert "got none" in said(answer(**GPT2, tied=True))  # by a link


# --- the pictures


@pytest.mark.parametrize("V", ["12800", "50257", "128256"])
def test_a_large_table_is_one_image_with_a_pixel_a_row(V):
    picture = image(answer(V=V, d="16", n="256", tick=3))
    assert int(picture.get("width")) * int(picture.get("height")) >= int(V)
    assert (int(picture.get("width")) - 1) ** 2 < int(V)
    moved = re.search(r"([\d,]+) rows have moved", picture.get("alt"))[1]
    drawn = np.concatenate([zipf.batch(int(V), 256, 1.0, 0, tick) for tick in (1, 2, 3)])
    assert int(moved.replace(",", "")) == len(set(drawn.tolist()))


def test_pixels_are_clear_for_rows_that_rest_and_marked_for_rows_read():
    picture = sparse_update.one_pixel_a_row(np.array([0.5, 0, 1e-3, 2.0, 0]), np.array([1]), 1e-3)
    assert picture.tolist() == [[0.875, -1, 0.125], [1, 0, 0]]


def test_columns_stand_in_bands_under_their_marks():
    picture = sparse_update.one_column_a_row(np.array([[1.0, -4.0], [0, 0]]), np.array([1]), 4)
    assert picture.tolist() == [[0, -1], [0.5, 0], [-1, 0], [0, 0]]


def test_points_are_means_of_neighbouring_ranks():
    assert sparse_update.grouped(np.array([4.0, 1, 3, 5]), np.array([0, 1])).tolist() == [4, 3]


@pytest.mark.parametrize(("x", "text"), [(1e-5, "10⁻⁵"), (0.01, "10⁻²"), (0.1, "0.1"), (1000, "1,000"), (1e6, "10⁶")])
def test_marks_are_powers_that_can_be_read(x, text):
    assert sparse_update.power(x) == text


# --- time, and what must not depend on it


def test_a_link_to_step_300_shows_it_whatever_was_seen_before():
    link = "tick=300&V=50257&d=64&n=1024&optimiser=adam"
    training.KEPT.clear()
    first = respond(NAME, link=link)
    answer(V="200", tick=5)  # another run takes the one place of the cache
    training.KEPT.clear()
    steps = answer(**GPT2, tick=299, optimiser="adam")
    went_on = respond(NAME, state=steps["state"], action={"do": "next"})
    assert "Step 300 of 300" in said(first) and went_on == first


def test_playing_goes_on_to_the_last_step_and_stops():
    reply = answer({"do": "tick"}, tick=299, playing=True)
    assert '"tick":300,"playing":false' in reply["state"] and "data-every" not in reply["html"]
    assert "Step 1 of 300" in said(answer({"do": "play"}, tick=300))
    for speed, every in (("slow", "1500"), ("fast", "150")):
        assert f'data-every="{every}"' in answer({"speed": speed}, playing=True)["html"]
    assert answer({"do": "reset"}, **GPT2, tick=7)["state"] == answer()["state"]


def test_a_measurement_stays_until_a_setting_changes():
    reply = answer({"do": "measure"}, V="12800", d="16", n="64")
    state = json.loads(reply["state"])
    assert state["dense_ms"] > 0 and state["sparse_ms"] > 0
    assert 0 < state["ratio_low"] <= state["ratio"] <= state["ratio_high"]
    assert "Measured when the button was pressed" in words(root(reply))
    again = answer(**state)
    assert again["html"] == reply["html"]  # the picture measures nothing itself
    assert json.loads(answer({"do": "next"}, **state)["state"])["ratio"] == state["ratio"]
    assert json.loads(answer({"V": "200"}, **state)["state"])["ratio"] == 0


def test_the_sparse_form_is_smaller_by_what_was_not_read():
    reply = answer(**GPT2)
    m = int(re.search(r"tokens: (\d+) different", said(reply))[1])
    assert f"takes 12,865,792 bytes as a table of zeros and rows, {m * (64 * 4 + 8):,} as ids" in words(root(reply))


@pytest.mark.parametrize(("action", "why"), [
    ({"s": "3"}, "s cannot be 3, only a number from 0 to 2"), ({"seed": "x"}, "seed needs a whole number"),
    ({"tick": "0"}, "tick cannot be 0, only a whole number from 1 to 300"), ({"n": "9"}, "n cannot be 9"),
    ({"do": "measure"}, "the panel has no such control")])
def test_what_is_out_of_range_is_refused_with_a_sentence(action, why):
    reply = answer(action, tied=True)
    assert why in notice(reply) and reply["state"] == answer(tied=True)["state"]


def test_a_step_of_a_real_size_with_its_picture_is_quick():
    state, times = answer(**GPT2, tick=20)["state"], []
    for _ in range(9):
        start = time.perf_counter()
        state = answer({"do": "next"}, **json.loads(state))["state"]
        times.append(time.perf_counter() - start)
    assert min(times) < 0.015


@pytest.mark.parametrize(("optimiser", "shown"), [
    ("sgd", {"sgd"}), ("momentum", {"momentum"}), ("adam", {"adam"}), ("adamw", {"adamw", "adam"})])
def test_the_python_that_is_shown_is_that_of_the_optimiser(optimiser, shown):
    html = respond("sparse_update", link=f"optimiser={optimiser}")["html"]
    (used,) = parsed(html).xpath("//@data-used")
    assert set(used.split()) & {"sgd", "momentum", "adam", "adamw"} == shown
