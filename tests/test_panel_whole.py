"""The whole path in one picture, by the panel's door: every stage against the numbers of tests/reference/toy.json."""

import json
from pathlib import Path

import pytest

from door import Door, said
from test_panels import notice, parsed, respond, words

TOY = json.loads((Path(__file__).parent / "reference/toy.json").read_text(encoding="utf-8"))
TEXTS = {"0 2 4 5 1": "the cat climbed the", "0 3 4 5 1": "the dog climbed the"}
CAT, DOG = TEXTS
DOOR = Door("whole")
answer, picture, table = DOOR.answer, DOOR.picture, DOOR.table


def state(ids=CAT, scheme="learned", cell=""):
    return {"ids": ids, "scheme": scheme, "cell": cell}


def near(rows):
    return [pytest.approx(row, rel=0, abs=0.0501) for row in rows]


@pytest.mark.parametrize("ids", TEXTS)
def test_every_stage_shows_the_numbers_of_the_path(ids):
    expected, root = TOY[TEXTS[ids]], picture(state(ids))
    assert table(root, "ids") == [[int(i)] for i in ids.split()]
    assert table(root, "X") == near(expected["X"])
    assert table(root, "head") == near(expected["head2"]["out"])
    assert table(root, "attn") == near([[a - x for a, x in zip(*rows, strict=True)]
                                        for rows in zip(expected["after_attention"], expected["X"], strict=True)])
    assert table(root, "Y") == near(expected["after_mlp"])
    assert table(root, "p") == near([[p] for p in sorted(expected["p"][-1], reverse=True)[:3]])


def test_seven_stages_lead_to_seven_pages_with_the_sentence_and_the_scheme():
    links = picture(state(DOG, "rope")).xpath(".//ol[@class='path']//h4/a/@href")
    assert [link.split("/")[0][:2] for link in links] == ["1-", "2-", "3-", "4-", "5-", "6-", "7-"]
    for page, link in (link.split("/#") for link in links):
        name, settings = link.split("?")
        html = respond(name, link=settings)["html"]
        text = words(parsed(html))
        assert notice(html) is None and "␣dog" in text and "␣cat climb" not in text, (page, link)
        assert json.loads(respond(name, link=settings)["state"])["scheme"] == "rope"


@pytest.mark.parametrize(("ids", "goes_on"), [(CAT, "␣roof"), (DOG, "␣wall")])
def test_it_says_how_the_sentence_goes_on_and_why_it_stops(ids, goes_on):
    text = said(picture(state(ids)))
    assert f"goes on with {goes_on}, probability 0." in text and "then .. It stops after .." in text
    assert "complete" in said(picture(state("0 10"))) and "as many as" in said(picture(state("0 2 4 5 1 6 6 6")))


def test_another_scheme_is_said_to_mean_nothing():
    assert "means nothing" in said(picture(state(), scheme="alibi")) and "means nothing" not in said(picture(state()))


def test_a_number_tells_where_it_came_from_step_by_step_back_to_the_table():
    root = picture(state(), cell="X 2 1")
    (box,) = root.xpath(".//*[@id='whole-from']")
    assert "x32 = 1.5 Close x32 = E[4]2 + P32 = 1 + 0.5 = 1.5" in words(box)
    assert root.xpath(".//input[@name='cell'][@checked]/@value") == ["X 2 1"]
    back = box.xpath(".//button[@name='cell']/@value")
    assert back == ["", "E 2 1", "P 2 1"]
    leaf = picture(state(cell="X 2 1"), cell=back[1])
    (box,) = leaf.xpath(".//*[@id='whole-from']")
    assert "E[4]2 = 1 is learned, a number of the table of embeddings." in words(box)
    assert "Press a number" in words(picture(state(cell="E 2 1"), cell=""))


def test_a_number_that_the_sentence_does_not_have_is_asked_for_in_vain():
    assert "Press a number" in words(picture(state("0 2", cell="X 2 1")))
    assert answer(state("0 2", cell="X 2 1"))["state"] == json.dumps(state("0 2", cell="X 2 1"), separators=(",", ":"))


@pytest.mark.parametrize("cell", ["X 8 0", "X", "<b>", "X 0 0 0"])
def test_a_place_that_there_is_not_is_refused(cell):
    after = answer(state(), cell=cell)
    assert "cell cannot be" in notice(after["html"]) and "<b>" not in after["html"].split("</form>")[0]
