"""The questions of the panels `check_…`: action in, picture out; right answers against the text or by hand."""

import gzip
import json
from dataclasses import fields
from urllib.parse import urlencode

import pytest
from lxml import html as parser
from lxml.html import HtmlElement

from tokenwalk import checking, pages, panel, walk
from tokenwalk.questions import LONGEST
from tokenwalk.state import BadInput, from_link, to_link

NAMES = [name for name in panel.names() if name.startswith("check_")]
# The right answers, as a reader would give them: from the text (chapter), or computed by hand.
RIGHT = {
    "check_tokens": {"space": "bare", "letter": "8", "order": "2", "merges": "50,000", "overlap": "7 4"},
    "check_embeddings": {
        "swap": "trade", "learned": "2 3", "moved": "1 0 0 −1", "geometry": "nothing", "first": "0 1 0 1",
        "order": "mask", "universal": "part", "scale": "1.41", "sums": "ed3", "sign": "−0.841", "period": "12.57",
        "layout": "order", "million": "some", "batch": "untiedread tiedall", "rare": "82", "adam": "4.36",
        "tables": "llama"},
    # score: the query and the key as the page prints them, multiplied by hand; alone: the value of the first token
    "check_head": {"sum": "v", "even": "0.5", "alone": "−0.816 −1.225", "score": "1.12", "rope": "q k"},
    "check_heads": {"first": "1 0 0 0 0", "lift": "1 2 3 4", "scores": "above", "alone": "part", "subject": "3"},
    # writes: 2.742 × (1 0 −0.5 −0.5) + (0 2 0 −2); size: 2 × 64 × 256 + 256 + 64
    "check_block": {
        "sees": "2", "writes": "2.742 2 −1.371 −3.371", "sum": "kept zero", "both": "roof", "size": "33,088"},
    # odds: √5.06; between: ½ (2.685 + 9.375) and √(0.0010 × 0.8101); never: what the text shows of ids 9 and 11
    "check_output": {
        "training": "all", "hot": "greedy gain", "odds": "2.25", "between": "6.03 0.0285", "never": "9 11"},
    # share: 0.810 / (0.810 + 0.160); cache: 3 d a, n a, n a, a d with n = 6 and d = a = 4
    "check_generation": {
        "greedy": "one hot", "share": "0.835", "order": "more", "edit": "3 4 5", "cache": "48 24 24 16"},
}
QUESTIONS = {(name, q.name): q for name in NAMES for q in panel.module(name).QUESTIONS}
every_panel = pytest.mark.parametrize("name", NAMES)
every_question = pytest.mark.parametrize(("name", "which"), QUESTIONS)


def words(node: HtmlElement) -> str:
    return " ".join(node.text_content().split())


def parsed(html: str) -> HtmlElement:
    return parser.fragment_fromstring(html, create_parent="div")


def respond(name: str, **request: object) -> dict[str, str]:
    return json.loads(panel.respond(json.dumps({"panel": name} | request)))


def after(name: str, *actions: dict[str, str], link: str = "") -> dict[str, str]:
    """The answer after the reader took these actions, beginning from a link."""
    answer = respond(name, link=link)
    for action in actions:
        answer = respond(name, state=answer["state"], action=action)
    return answer


def giving(name: str, which: str, answer: str) -> list[dict[str, str]]:
    """The controls that give an answer: a choice, a text, or a tick for each word of it."""
    if QUESTIONS[name, which].kind in ("several", "rows"):
        return [{f"{which}.{option}": "on"} for option in answer.split()]
    return [{which: answer}]


def check(which: str) -> dict[str, str]:
    return {"do": f"check-{which}"}


def asked(html: str, which: str) -> HtmlElement:
    """The question in the picture."""
    (node,) = parsed(html).xpath(f".//fieldset[@data-question='{which}']")
    return node


def outcome(html: str, which: str) -> tuple[str, str, str]:
    """What course packages read of a question: its answer, its result, its tries."""
    node = asked(html, which)
    return node.get("data-answer"), node.get("data-result"), node.get("data-tries")


def explained(html: str, which: str) -> str:
    """The explanation that the question is described by, "" if there is none yet."""
    described = asked(html, which).get("aria-describedby")
    return words(parsed(html).get_element_by_id(described)) if described else ""


def said(html: str) -> str:
    return words(parsed(html).xpath("//*[@class='say']")[0])


def score(html: str) -> tuple[str, str]:
    (node,) = parsed(html).xpath("//*[@data-score]")
    return node.get("data-score"), node.get("data-max")


# --- every question


def test_every_question_has_an_answer_here():
    assert {(name, which) for name, answers in RIGHT.items() for which in answers} == set(QUESTIONS)
    assert {q.kind for q in QUESTIONS.values()} == {"choice", "several", "number", "row", "rows"}
    assert all(which.isalnum() and which.islower() for _, which in QUESTIONS)


@every_question
def test_the_right_answer_is_judged_right_and_explained(name: str, which: str):
    html = after(name, *giving(name, which, RIGHT[name][which]), check(which))["html"]
    assert outcome(html, which) == (RIGHT[name][which], "right", "1")
    assert explained(html, which).startswith("Right. ") and len(explained(html, which)) > 20
    assert score(html) == ("1", str(len(RIGHT[name])))
    assert f": right. 1 of {len(RIGHT[name])} right, {len(RIGHT[name]) - 1} open." in said(html)


@every_question
def test_the_answer_that_is_shown_is_right_and_counts_as_none(name: str, which: str):
    html = after(name, {"do": f"show-{which}"})["html"]
    assert outcome(html, which) == ("", "", "0") and explained(html, which).startswith("The answer:")
    assert score(html) == ("0", str(len(RIGHT[name]))) and said(html).endswith("1 shown.")
    html = after(name, {"do": f"show-{which}"}, *giving(name, which, RIGHT[name][which]), check(which))["html"]
    assert score(html)[0] == "0"


@every_question
def test_each_wrong_choice_has_an_explanation_of_its_own(name: str, which: str):
    question = QUESTIONS[name, which]
    options = getattr(question, "options", ()) if question.kind != "rows" else ()
    wrong = [option for option in options if option not in RIGHT[name][which].split()]
    texts = [explained(after(name, *giving(name, which, option), check(which))["html"], which) for option in wrong]
    assert len(set(texts)) == len(texts) and all(text.startswith("Not right. ") and len(text) > 30 for text in texts)
    assert question.kind not in ("choice", "several") or wrong


@every_question
def test_a_proof_is_a_state_of_a_panel_on_the_same_page(name: str, which: str):
    html = after(name, *giving(name, which, RIGHT[name][which]), check(which))["html"]
    links = asked(html, which).xpath(".//a/@href")
    for href in links:
        shows, _, link = href.removeprefix("#").partition("?")
        assert to_link(from_link(panel.module(shows).State, link)) == link
        page = panel.module(name).PAGE
        with open(f"docs/{page}.md", encoding="utf-8") as file:
            assert f'panel("{shows}")' in file.read()
    assert len(links) == (QUESTIONS[name, which].proof is not None)


@every_panel
def test_nothing_is_revealed_before_a_check(name: str):
    module = panel.module(name)
    given = [action for which, answer in RIGHT[name].items() for action in giving(name, which, answer)]
    for html in (panel.first(name), after(name, *given)["html"]):
        root = parsed(html)
        assert not root.find_class("explained") and score(html)[0] == "0"
        assert set(root.xpath(".//@data-result")) == set(root.xpath(".//@data-answer")) == {""}
        assert not root.xpath(".//a[not(@class)]") and "Show the answer" not in words(root)
    asking = [len(asked(html, q.name).xpath(".//button")) for q in module.QUESTIONS]
    assert asking == [1] * len(module.QUESTIONS)


@every_panel
def test_a_link_carries_every_answer_and_stays_short(name: str):
    actions = [a for which, answer in RIGHT[name].items() for a in (*giving(name, which, answer), check(which))]
    answer = after(name, *actions)
    link = to_link(panel.module(name).State(**json.loads(answer["state"])))
    assert score(answer["html"]) == (str(len(RIGHT[name])),) * 2 and "0 open" in said(answer["html"])
    assert len(link) < 2000 and respond(name, link=link) == answer
    assert f"?{link}" in parser.fragment_fromstring(answer["html"], create_parent="div").xpath(
        "string(.//a[@class='copy']/@href)")
    assert after(name, {"do": "reset"}, link=link)["html"] == panel.first(name)


@every_panel
def test_the_longest_state_fits_into_a_courses_memory(name: str):
    """SCORM 1.2 has 4,096 characters for it; "−" takes nine of a link, more than any other sign of a number."""
    answers = {q.name: "\N{MINUS SIGN}" * LONGEST for q in panel.module(name).QUESTIONS if q.kind in ("number", "row")}
    answers |= {q.name: max(q.options, key=len) for q in panel.module(name).QUESTIONS if q.kind == "choice"}
    answers |= {q.name: " ".join(q.options) for q in panel.module(name).QUESTIONS if q.kind in ("several", "rows")}
    known = {f.name: f for f in fields(panel.module(name).State)}
    others = {f.name: max(known[f.name].metadata["options"], key=lambda value: len(str(value)))
              for f in known.values() if f.name not in answers}
    link = to_link(panel.module(name).State(**answers, **others))
    assert respond(name, link=link)["html"].count('class="notice"') == 0
    assert len(f"{name}?{link}") <= 4096


@every_panel
def test_the_table_of_states_is_small_and_knows_the_first_choices_and_their_checks(name: str):
    assert len(gzip.compress(walk.table(name).encode())) <= 7_000
    choices = [q.name for q in panel.module(name).QUESTIONS if q.kind == "choice"][:2]
    results = {which: {outcome(html, which)[:2] for _, html, _ in walk.states(name).values()} for which in choices}
    for which in choices:
        judged = {(o, "right" if o == RIGHT[name][which] else "wrong") for o in QUESTIONS[name, which].options}
        assert judged <= results[which]


# --- each kind


@pytest.mark.parametrize(("which", "answer", "result"), [
    ("period", "12.57", "right"), ("period", "12,57", "right"), ("period", " 12.56 ", "right"),
    ("period", "12.55", "wrong"), ("period", "12.5763", "right"), ("period", "12.5765", "wrong"),
    ("period", "-12.57", "wrong"), ("sign", "-0.841", "right"), ("sign", "−0,841", "right"),
    ("sign", "–0.841", "right"), ("sign", "- 0.8415", "right"), ("sign", "0.841", "wrong"),
    ("rare", "79.1", "right"), ("rare", "79", "wrong"), ("rare", "85", "right"),
    ("adam", "4.361", "right"), ("adam", "4.3616", "wrong"), ("scale", "1.41421356", "right")])
def test_a_number_may_have_a_comma_or_a_point_and_be_as_far_off_as_the_question_says(which, answer, result):
    html = after("check_embeddings", {which: answer}, check(which))["html"]
    assert outcome(html, which) == (answer, result, "1")


@pytest.mark.parametrize(("answer", "result"), [
    ("50000", "right"), ("50,000", "right"), ("50 000", "right"), ("50001", "wrong"), ("-50000", "wrong")])
def test_a_whole_number_may_have_its_thousands_apart(answer, result):
    assert outcome(after("check_tokens", {"merges": answer}, check("merges"))["html"], "merges")[1] == result


@pytest.mark.parametrize("answer", [
    "1 0 0 -1", "1 0 0 −1", "1, 0, 0, -1", "1; 0; 0; -1", "[1.0, 0, 0, -1]", "1,0 0,0 0 -1,0", "  1  0  0  −1 ",
    "(1 0 0 -1)"])
def test_a_row_may_be_written_in_many_ways(answer):
    assert outcome(after("check_embeddings", {"moved": answer}, check("moved"))["html"], "moved")[1] == "right"


def test_a_wrong_row_says_how_many_of_its_numbers_are_right():
    html = after("check_embeddings", {"moved": "1 -0.5 0 -1"}, check("moved"))["html"]
    assert "Not right. 3 of 4 numbers are right." in explained(html, "moved")
    html = after("check_embeddings", {"learned.2": "on"}, {"learned.4": "on"}, check("learned"))["html"]
    assert outcome(html, "learned") == ("2 4", "wrong", "1")
    assert "3 of 5 boxes are right." in explained(html, "learned")  # 1, 2 and 5
    html = after("check_embeddings", {"batch.tiedall": "on"}, check("batch"))["html"]
    assert "Not right. 3 of 4 boxes are right." in explained(html, "batch")


@pytest.mark.parametrize(("which", "answer", "sentence"), [
    ("period", "", "Nothing is entered yet"), ("period", "  ", "Nothing is entered yet"),
    ("moved", " [] ", "Nothing is entered"),
    ("swap", "", "Nothing is chosen yet"), ("batch", "", "Nothing is ticked yet"),
    ("period", "about 12", "needs a number, and “about 12” is none"), ("period", "nan", "“nan” is none"),
    ("period", "inf", "“inf” is none"),
    ("moved", "1 0 0", "four numbers, with a space between two, and here are three"),
    ("moved", "1,0,0,-1", "“1,0,0,-1” is none"), ("moved", "1", "here is one number"),
    ("moved", "1 0 x 1", "“x” is none"),
    ("period", "<b>12</b>", "“<b>12</b>” is none")])
def test_what_cannot_be_read_gets_a_sentence_and_is_kept(which, answer, sentence):
    actions = giving("check_embeddings", which, answer) if answer else []
    html = after("check_embeddings", *actions, check(which))["html"]
    assert sentence in explained(html, which) and sentence in said(html) and "not checked" in said(html)
    assert outcome(html, which) == ("", "", "0") and score(html) == ("0", "17")
    typed = asked(html, which).xpath(".//input[@type='text']/@value")
    assert typed == [answer] * len(typed)


def test_a_text_that_is_too_long_is_refused_and_what_stood_there_stays():
    answer = after("check_embeddings", {"moved": "1 0 0"}, {"moved": "1" * 41})
    assert "moved has 41 characters, and 40 are the most" in words(parsed(answer["html"]))
    assert json.loads(answer["state"])["moved"] == "1 0 0"


def test_ticking_and_unticking_gives_the_options_in_their_order():
    answer = after("check_embeddings", {"batch.tiedall": "on"}, {"batch.untiedread": "on"}, {"batch.tiedread": "on"},
                   {"batch.tiedread": "off"}, {"batch.tiedread": "off"})
    assert json.loads(answer["state"])["batch"] == "untiedread tiedall"


@pytest.mark.parametrize("action", [
    {"swap": "everything"}, {"swap.trade": "on"}, {"batch.some": "on"}, {"batch.tiedall": "maybe"},
    {"batch.tiedall": ["on"]},
    {"swap_done": "checked"}, {"swap_tries": "0"}, {"last": "swap"}, {"do": "check-nothing"}, {"do": "tell-swap"},
    {"batch": "tiedall untiedread"}, {"swap": ["trade"]}, {"swap": "trade", "sums": "ed3"}])
def test_what_no_control_does_is_refused_and_nothing_is_lost(action):
    before = after("check_embeddings", {"swap": "new"}, check("swap"))
    answer = respond("check_embeddings", state=before["state"], action=action)
    assert answer["state"] == before["state"] and "That was not done: " in answer["html"]


# --- trying again


def test_after_a_wrong_check_the_reader_may_try_again():
    wrong = after("check_embeddings", {"swap": "new"}, check("swap"))
    assert outcome(wrong["html"], "swap") == ("new", "wrong", "1") and "16 open, 1 wrong" in said(wrong["html"])
    assert "Show the answer" in words(asked(wrong["html"], "swap"))
    again = respond("check_embeddings", state=wrong["state"], action=check("swap"))
    assert again == wrong  # the same answer is no new try
    changed = respond("check_embeddings", state=wrong["state"], action={"swap": "trade"})
    assert outcome(changed["html"], "swap") == ("", "", "1") and not explained(changed["html"], "swap")
    right = respond("check_embeddings", state=changed["state"], action=check("swap"))
    assert outcome(right["html"], "swap") == ("trade", "right", "2")
    assert "Question 1, try 2: right. 1 of 17 right, 16 open." in said(right["html"])
    assert "Show the answer" not in words(asked(right["html"], "swap"))


def test_the_button_that_was_pressed_stays_so_that_the_keyboard_does_not_lose_its_place():
    for actions, button in (([{"swap": "trade"}, check("swap")], "check"), ([{"do": "show-swap"}], "show")):
        (node,) = asked(after("check_embeddings", *actions)["html"], "swap").xpath(f".//button[@value='{button}-swap']")
        assert node.get("aria-disabled") == "true"


# --- links of older questions


def test_what_is_still_valid_in_an_old_link_is_kept_and_the_rest_starts_empty():
    old = {"swap": "trade", "swap_tries": 1, "swap_done": "checked", "sums": "ed7", "sums_tries": 2,
           "sums_done": "checked", "gone": "a", "gone_tries": 1, "period": "12,57",
           "last": "gone", "adam": "4.36", "adam_tries": 1000}
    answer = respond("check_embeddings", link=urlencode(old))
    assert "could not be used" not in answer["html"]
    state = json.loads(answer["state"])
    kept = {name: value for name, value in state.items() if value}
    assert kept == {"swap": "trade", "swap_tries": 1, "swap_done": "checked", "period": "12,57"}
    assert score(answer["html"]) == ("1", "17")


def test_a_link_of_which_nothing_is_valid_is_told_once():
    answer = respond("check_embeddings", link="gone=a&gone_tries=1")
    assert "This link could not be used" in answer["html"]
    stored_next = parsed(answer["html"]).xpath("string(.//a[@class='copy']/@href)")
    assert stored_next == "#check_embeddings"


@pytest.mark.parametrize("link", ["swap_tries=x", "swap=" + "a" * 5000, "%&"])
def test_a_link_that_cannot_be_read_is_refused(link):
    with pytest.raises(BadInput):
        checking.kept(panel.module("check_embeddings").State, link)


# --- without scripts, and on paper


@every_panel
def test_the_page_holds_questions_and_answers_once_more_for_paper_and_no_scripts(name: str):
    page = panel.module(name).PAGE
    root = parsed(pages.render(f'{{{{ panel("{name}") }}}}', page, {page}, 9_000_000))
    assert root.xpath(".//py-panel/@keep") == [""]
    folded = root.xpath(".//section[@class='paper']/details[@class='question']")
    answers = root.xpath(".//section[@class='paper']/div[@class='answers']//li")
    assert len(folded) == len(answers) == len(RIGHT[name])
    for which, details, answer in zip(RIGHT[name], folded, answers, strict=True):
        question = asked(panel.first(name), which)
        assert words(details.find("summary")) == words(question.find("legend"))
        assert words(details.xpath("p[@class='answer']")[0]) == f"Answer: {words(answer)}"
        explanation = explained(after(name, {"do": f"show-{which}"})["html"], which)
        assert words(answer) in explanation.replace("The answer: ", "", 1)
        assert details.get("open") is None
