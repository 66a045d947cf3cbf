"""The panel scatter: sums by hand, norms as on the page, and every number of the tied gradient against PyTorch's."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from test_panels import FIRST, matrix, parsed, respond, said, words
from tokenwalk import walk
from tokenwalk.render import number

TIED = json.loads((Path(__file__).parent / "reference/torch_tied.json").read_text(encoding="utf-8"))
CASES = {"repeat": TIED["cases"]["a repeat"], "once": TIED["cases"]["no repeat"]}
ZERO = ["0"] * 4


def shown(link):
    """The picture that a link shows."""
    return respond("scatter", link=link)["html"]


def used(*actions, state=FIRST["scatter"]):
    """The answer after these actions, one after another."""
    for action in actions:
        answer = respond("scatter", state=state, action=action)
        state = answer["state"]
    return answer


def text(values):
    return [[number(v) for v in row] for row in values]


def test_the_gradient_is_built_token_by_token_and_the_repeat_is_added():
    rows = {1: [["0.5", "0", "−0.5", "0"]] * 4 + [["1", "0.25", "−0.75", "−0.5"]],  # ␣the at 1 and at 5
            2: [ZERO] + [["−0.25", "0.5", "0", "−0.25"]] * 4,
            4: [ZERO] * 2 + [["0", "−0.5", "0.25", "0.25"]] * 3, 5: [ZERO] * 3 + [["0.25", "0.25", "−0.5", "0"]] * 2}
    for k in range(1, 6):
        dense = matrix(used(*[{"do": "next"}] * k)["html"], "one_hotᵀ G")
        assert dense == [rows[i][k - 1] if i in rows else ZERO for i in range(12)]


def test_the_row_in_play_is_written_out():
    html = shown("shown=5")
    assert matrix(html, "Row 1") == [["0.5", "0", "−0.5", "0"], ["0.5", "0.25", "−0.25", "−0.5"],
                                     ["1", "0.25", "−0.75", "−0.5"]]
    assert "␣the at 1 sent to this row before, so the two are added" in said(html)
    assert "before" not in said(shown("shown=5&sentence=once"))


@pytest.mark.parametrize(("link", "zero"), [("shown=1", 11), ("shown=4", 8), ("shown=5", 8),
                                            ("shown=5&sentence=once", 7), ("shown=5&sentence=once&source=loss", 7)])
def test_the_rows_that_are_exactly_zero_are_counted(link, zero):
    html = shown(link)
    assert f"{zero} of 12 rows are exactly zero" in said(html)
    assert matrix(html, "one_hotᵀ G").count(ZERO) == zero


def test_the_sparse_form_holds_the_touched_rows_and_its_size_is_told():
    html = shown("shown=5")
    dense = matrix(html, "one_hotᵀ G")
    assert matrix(html, "sparse", "four ids and 4 × 4") == [dense[i] for i in (1, 2, 4, 5)]
    assert "dense 12 × 4 = 48 numbers, zeros included; sparse 4 × 4 = 16 numbers and four ids" in words(parsed(html))


def test_one_hot_has_a_one_where_a_row_was_read():
    columns = np.array(matrix(shown("shown=5"), "one_hotᵀ")[-12:], int).T
    assert [list(column).index(1) for column in columns] == [1, 2, 4, 5, 1] and columns.sum() == 5


def test_the_norms_of_the_tied_gradient_are_those_of_the_page():
    html = shown("shown=5&sentence=once&source=tied")
    lookup, output, _ = zip(*matrix(html, "norms")[-12:], strict=True)
    assert lookup == ("0.295", "0.353", "0.372", "0", "0.143", "0.249", *["0"] * 6)
    assert (min(output), max(output)) == ("0.014", "0.467")
    assert "No row of the sum is exactly zero. By the lookup alone 7 of 12 would be" in said(html)


@pytest.mark.parametrize("sentence", CASES)
def test_both_paths_and_their_sum_are_pytorchs(sentence):
    html = shown(f"shown=5&sentence={sentence}&source=tied" if sentence != "repeat" else "shown=5&source=tied")
    case = CASES[sentence]
    for caption, path in (("by the lookup", "lookup"), ("by the output layer", "output"), ("sum", "both")):
        assert matrix(html, caption) == text(case[path])
    norms = np.linalg.norm([case["lookup"], case["output"], case["both"]], axis=2).T
    assert matrix(html, "norms")[-12:] == text(norms)


def test_untied_only_the_lookups_path_reaches_e():
    html = shown("shown=5&sentence=once&source=loss")
    assert matrix(html, "one_hotᵀ G") == text(CASES["once"]["lookup"])
    assert "norms" not in words(parsed(html))


def test_tied_one_token_reaches_every_row():
    html = shown("shown=1&sentence=once&source=tied")
    x, E = np.array(TIED["E"])[0] + TIED["P"][0], np.array(TIED["E"])
    error = np.exp(E @ x) / np.exp(E @ x).sum() - np.eye(12)[2]  # p − y of the first token, whose target is ␣cat
    assert matrix(html, "by the output layer") == text(np.outer(error, x) / 5)
    lookup, output, _ = zip(*matrix(html, "norms")[-12:], strict=True)
    assert (lookup.count("0"), output.count("0")) == (11, 0)


def test_the_buttons():
    complete = used({"do": "all"})
    assert complete == used(*[{"do": "next"}] * 6) == respond("scatter", link="shown=5")
    assert used({"do": "back"}, state=complete["state"])["html"] == shown("shown=4")
    assert used({"do": "back"}) == used({"source": "tied"}, {"do": "all"}, {"do": "reset"})
    assert used({"do": "back"})["state"] == FIRST["scatter"]


def test_a_gradient_falls_from_its_row_of_g():
    root = parsed(shown("shown=5"))
    assert root.xpath("//tr[@data-move]/@id") == ["scatter-dense-1-2"]
    (source,) = root.xpath("//tr[@id=//tr[@data-move]/@data-move]")
    assert words(source) == "5 ␣the0.50.25−0.25−0.5" and "now" in source.get("class")


def test_the_table_of_states_is_small():
    assert len(gzip.compress(walk.table("scatter").encode())) < 15_000
