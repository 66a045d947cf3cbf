"""The panels, through their door: action in, picture out. Every state that a reader can reach, and what none should."""

import gzip
import json
import random
import re
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as parser
from lxml.html import HtmlElement

from tokenwalk import merges, panel, path, render, toy, training, walk
from tokenwalk.state import from_text, to_text

NAMES = panel.names()
REACHED = {name: walk.states(name) for name in NAMES}
FIRST = {name: next(iter(REACHED[name])) for name in NAMES}
every_panel = pytest.mark.parametrize("name", NAMES)

RUNNING_EXAMPLE = [  # X of the five tokens with learned positions, by hand
    ["−0.5", "−0.5", "0", "1"], ["1.5", "−0.5", "−0.5", "−0.5"], ["−0.5", "1.5", "0", "−1"],
    ["−0.5", "0.5", "0", "0"], ["−0.5", "−0.5", "−0.5", "1.5"]]
ROWS_OF_E = ["−0.5 −0.5 0 1", "−0.5 0 −0.5 1", "1 −0.5 0 −0.5", "1 −0.5 −0.5 0", "−0.5 1 0 −0.5", "0 0.5 −0.5 0",
             "0 −0.5 1 −0.5", "1 0 −1 0", "0.5 −0.5 −0.5 0.5", "0.5 0 −0.5 0", "0 0 1 −1", "0.5 −0.5 0.5 −0.5"]


# --- reading a picture


def parsed(html: str) -> HtmlElement:
    return parser.fragment_fromstring(html, create_parent="div")


def pictures(name: str) -> Iterator[tuple[str, HtmlElement]]:
    """Every reachable state of a panel, as text, with its picture."""
    for state, (_, html, _) in REACHED[name].items():
        yield state, parsed(html)


def words(node: HtmlElement) -> str:
    """The text in `node`, as one line."""
    return " ".join(node.text_content().split())


def seen(root: HtmlElement) -> list[str]:
    """Everything a reader sees or hears: texts, labels, captions' shapes."""
    return [*root.itertext(), *root.xpath(".//@aria-label | .//@data-shape | .//@alt | .//@title")]


def matrix(html: str, caption: str, shape: str = "") -> list[list[str]]:
    """The numbers of the table with this caption, row by row; rows that are still empty are left out."""
    tables = [table for table in parsed(html).iter("table") for c in table.iter("caption")
              if words(c) == caption and shape in c.get("data-shape", "")]
    assert len(tables) == 1, f"{len(tables)} tables have the caption {caption}"
    rows = [[words(cell) for cell in row.iter("td") if words(cell)] for row in tables[0].iter("tr")]
    return [row for row in rows if row]


def said(html: str) -> str:
    """What the panel says of the last action, in words."""
    return words(parsed(html).xpath("//*[@class='say']")[0])


def notice(html: str) -> str | None:
    """The sentence for a reader whose input was not valid."""
    return next((words(node) for node in parsed(html).xpath("//*[@class='notice']")), None)


def without_notice(html: str) -> str:
    return re.sub(r'<p class="notice".*?</p>\n', "", html, flags=re.S)


def respond(name: str, **request: object) -> dict[str, str]:
    return json.loads(panel.respond(json.dumps({"panel": name} | request)))


def used(name: str, *values: str) -> str:
    """The picture after the reader has used these controls, one after another: a scheme's name, or a button's value."""
    state = FIRST[name]
    for value in values:
        action = {"scheme": value} if value in SCHEMES else {"do": value}
        answer = respond(name, state=state, action=action)
        state = answer["state"]
    return answer["html"]


SCHEMES = ("none", "learned", "sinusoidal", "rope", "alibi")
FULL = ("next",) * 5


# --- every reachable state


@every_panel
def test_every_picture_is_free_of_raw_and_negative_zero_numbers(name):
    for state, root in pictures(name):
        for text in seen(root):
            text = re.sub(r"arXiv \d{4}\.\d{5}|\b[A-Za-z][\w.]*(-[\w.]+)+", "", text)  # papers, and names like gpt-2
            assert not re.search(r"\d\.\d{5,}|\d[eE][-+]?\d|\bnan\b|\binf\b", text), (state, text)
            assert not re.search(r"(?<![A-Za-z])-\s*\d", text), (state, text, "an ASCII minus")
            assert not re.search(r"[-−]\s?0(\.0+)?(?![\d.])", text.replace("− 0 ", "")), (state, text, "a −0")


@every_panel
def test_every_control_has_a_name_and_every_picture_a_text(name):
    for state, root in pictures(name):
        for node in root.iter("button", "a", "summary", "caption", "legend", "option", "th"):
            assert words(node), (state, node.tag, dict(node.attrib))
        for node in root.iter("input", "select", "textarea"):
            label = [*node.iterancestors("label"), *root.xpath(f"//label[@for='{node.get('id')}']")]
            assert label and words(label[0]), (state, dict(node.attrib))
        for node in root.xpath(".//svg | .//img"):
            assert node.tag == "img" or node.get("role") == "img", state
            assert node.get("aria-label") or node.get("alt"), state
        for node in root.iter("table", "fieldset"):
            assert node[0].tag == {"table": "caption", "fieldset": "legend"}[node.tag], state
        assert all(node.get("aria-label") for node in root.xpath(".//*[@role='group']")), state
        assert all(node.get("scope") for node in root.iter("th")), state


@every_panel
def test_every_id_is_unique_and_the_panels_own_and_every_reference_resolves(name):
    for state, root in pictures(name):
        ids = root.xpath(".//@id")
        assert len(ids) == len(set(ids)), state
        assert all(i.startswith(f"{name}-") for i in ids), state
        kinds = ("for", "aria-labelledby", "aria-describedby", "aria-controls", "data-move")
        references = root.xpath(" | ".join(f".//@{kind}" for kind in kinds))
        assert {i for reference in references for i in reference.split()} <= set(ids), state


@every_panel
def test_every_state_has_one_live_region_that_is_silent_only_while_the_panel_plays(name):
    for state, root in pictures(name):
        (region,) = root.xpath(f".//*[@id='{name}-say']")
        plays = json.loads(state).get("playing", False)
        assert bool(root.xpath(".//@data-every")) == plays, state
        assert region.get("aria-live") == ("off" if plays else "polite"), state
        assert words(region), state


@every_panel
def test_the_controls_show_the_state(name):
    for state, root in pictures(name):
        for field, value in json.loads(state).items():
            control = f".//*[@name='{field}']/descendant-or-self::*"
            for box in root.xpath(f"{control}[@type='checkbox']"):
                assert (box.get("checked") is not None) == value, (state, field)
            typed = root.xpath(f"{control}[@type='text']/@value")
            typed += [box.text.removeprefix("\n") for box in root.xpath(f"{control}[self::textarea]")]
            assert set(typed) <= {value if isinstance(value, str) else render.number(value)}, (state, field)
            chosen = root.xpath(f"{control}[@checked or @selected or @type='range']/@value")
            chosen += root.xpath(f"{control}[@aria-pressed='true']/@value")
            assert set(chosen) <= {str(value)}, (state, field)
            assert chosen or typed or value == "" or not root.xpath(f"{control}[not(@type='checkbox')]"), (state, field)


@every_panel
def test_the_table_of_states_answers_as_python_does(name):
    text = walk.table(name)
    assert len(gzip.compress(text.encode())) <= 60_000
    table = json.loads(text)
    states = {state: "\n".join(table["lines"][i] for i in lines) for state, _, lines, _ in table["states"]}
    for state, link, _, actions in table["states"]:
        assert respond(name, link=link) == {"state": state, "html": states[state]}
        for action, number in actions.items():
            answer = respond(name, state=state, action=json.loads(action))
            assert answer == {"state": (follower := table["states"][number][0]), "html": states[follower]}


@every_panel
def test_the_table_of_states_knows_every_control_that_leads_to_one_of_its_states(name):
    for state, root in pictures(name):
        live = "[not(ancestor-or-self::*[@data-live])]"  # Python's alone
        buttons = root.xpath(f".//button[not(@aria-disabled='true')]{live} | .//input[@type='radio']{live}")
        offered = [(node.get("name"), node.get("value")) for node in buttons]
        offered += [(s.get("name"), o.get("value")) for s in root.xpath(f".//select{live}")
                    for o in s.xpath("option[not(@disabled)]")]
        for control, value in offered:
            known = walk.key({control: value}) in REACHED[name][state][2]
            assert known or follower(name, state, {control: value}) not in REACHED[name], (state, control, value)


def follower(name: str, state: str, action: dict[str, str]) -> str:
    """The state that follows when Python answers, which a capped table need not hold."""
    return to_text(panel.after(name, from_text(panel.module(name).State, state), action))


@every_panel
def test_steps_and_pictures_depend_on_nothing_but_their_input(name):
    states = list(REACHED[name].items())
    random.Random(7).shuffle(states)
    module = panel.module(name)
    for text, (_, html, actions) in states:
        state = from_text(module.State, text)
        assert panel.draw(name, state) == html
        for action in map(json.loads, actions):
            before = dict(action)
            assert module.step(state, action) == module.step(state, action)
            assert action == before and to_text(state) == text


@every_panel
def test_the_functions_shown_as_used_are_the_ones_that_ran(name):
    shown = {f.__name__: f for f in panel.module(name).CODE}
    for state, root in pictures(name):
        ran = set()
        for kept in (training.KEPT, merges.KEPT):
            kept.clear()  # a cache may vanish at any time, and the functions run again
        path.walk.cache_clear()
        sys.setprofile(lambda frame, event, _: ran.add(frame.f_code) if event == "call" else None)  # noqa: B023
        try:
            panel.draw(name, from_text(panel.module(name).State, state))
        finally:
            sys.setprofile(None)
        used = root.xpath("string(.//@data-used)").split()
        assert used, state
        assert all(shown[f].__code__ in ran for f in used), (state, used)


# --- build_x, against numbers computed by hand


def test_five_steps_build_x_of_the_running_example():
    for steps in range(1, 6):
        assert matrix(used("build_x", *FULL[:steps]), "X") == RUNNING_EXAMPLE[:steps]


def test_the_arithmetic_of_a_row_is_written_out():
    html = used("build_x", "next", "next")
    assert "1.5 = 1 + 0.5" in html and "−0.5 = 0 − 0.5" in html
    assert [" ".join(row) for row in matrix(html, "Row 2")] == ["1 −0.5 0 −0.5", "0.5 0 −0.5 0", "1.5 −0.5 −0.5 −0.5"]


@pytest.mark.parametrize(("scheme", "x"), [
    ("none", ROWS_OF_E[2]), ("learned", "1.5 −0.5 −0.5 −0.5"), ("sinusoidal", "1.841 0.040 0.010 0.500"),
    ("rope", ROWS_OF_E[2]), ("alibi", ROWS_OF_E[2])])
def test_what_each_scheme_does_to_the_second_row_of_x(scheme, x):
    assert " ".join(matrix(used("build_x", scheme, *FULL), "X")[1]) == x


def test_the_menu_is_the_five_schemes_and_seven_actions():
    root = parsed(used("build_x", "play"))
    assert root.xpath(".//input[@name='scheme']/@value") == list(SCHEMES)
    buttons = [parsed(used("build_x", play)).xpath(".//button[@name='do']/@value") for play in ("play", "pause")]
    assert {*buttons[0], *buttons[1]} >= {"next", "back", "play", "pause", "reset", "swap"}


def test_back_undoes_next_and_reset_starts_over():
    assert used("build_x", "next", "next", "back") == used("build_x", "next")
    assert used("build_x", "rope", "swap", *FULL, "play", "reset") == panel.first("build_x")
    assert used("build_x", "back") == panel.first("build_x")
    assert used("build_x", *FULL, "next") == used("build_x", *FULL)


def test_play_goes_through_all_rows_and_stops():
    html = used("build_x", "play")
    for row in range(1, 6):
        assert 'data-every="' in html and 'value="pause"' in html
        html = used("build_x", "play", *["tick"] * row)
        assert matrix(html, "X") == RUNNING_EXAMPLE[:row]
    assert 'data-every="' not in html and 'value="play"' in html
    assert matrix(used("build_x", *FULL, "play", "tick"), "X") == RUNNING_EXAMPLE[:1]  # at the end it begins again


def test_a_swap_without_positions_only_trades_two_rows():
    html = used("build_x", "none", *FULL, "swap")
    assert "rows 2 and 3 traded places, nothing else changed" in said(html)
    assert [" ".join(row) for row in matrix(html, "X")] == [ROWS_OF_E[i] for i in (0, 4, 2, 5, 1)]


def test_a_swap_with_learned_positions_makes_two_new_rows():
    html = used("build_x", *FULL, "swap")
    assert "two rows are new" in said(html)
    assert "␣cat at 3 is 1 0 0 −1" in said(html) and "␣climb at 2 is 0 1 −0.5 −0.5" in said(html)
    assert [" ".join(row) for row in matrix(html, "X")[1:3]] == ["0 1 −0.5 −0.5", "1 0 0 −1"]
    assert used("build_x", *FULL, "swap", "swap") == used("build_x", *FULL)


@pytest.mark.parametrize("scheme", ["rope", "alibi"])
def test_a_swap_under_rope_or_alibi_changes_the_scores_and_not_x(scheme):
    text = said(used("build_x", scheme, *FULL, "swap"))
    assert "rows 2 and 3 traded places, nothing else changed" in text and "The scores did change" in text


def test_two_equal_rows_are_found_and_named():
    html = used("build_x", *FULL, "swap_far")
    assert matrix(html, "X")[3] == matrix(html, "X")[4] == ["−0.5", "0.5", "0", "0"]
    assert "Two rows of X are equal: ed at 4 and ␣climb at 5, both −0.5 0.5 0 0" in said(html)
    for other in ("none", "sinusoidal", "rope", "alibi"):
        assert "are equal" not in said(used("build_x", other, *FULL, "swap_far"))
    assert "are equal" not in said(used("build_x", *FULL[:4], "swap_far"))  # the second one is not built yet


def test_rope_turns_the_pairs_of_the_third_row_by_two_and_by_two_hundredths():
    html = used("build_x", "rope", "next", "next", "next")
    # −0.5 cos 2 − sin 2, −0.5 sin 2 + cos 2, 0.5 sin 0.02, −0.5 cos 0.02
    assert matrix(html, "q = k") == [["−0.5", "−0.5", "0", "1"], ["0.961", "0.571", "0.005", "−0.500"],
                                     ["−0.701", "−0.871", "0.010", "−0.500"]]
    assert "−0.701 = −0.5 × (−0.416) − 1 × 0.909" in " ".join(words(parsed(html)).split())
    assert "RoPE does not change X" in said(html)


def test_alibi_lowers_the_scores_by_slope_times_distance():
    html = used("build_x", "alibi", "next", "next", "next")
    for head, part in ((1, 16), (2, 256)):
        expected = [["0"], [f"−1/{part}", "0"], [f"−2/{part}", f"−1/{part}", "0"]]
        assert matrix(html, "bias", f"head {head}")[-3:] == expected
    # ␣climb · the / √4 = (0.25 − 0.5 + 0 − 0.5) / 2, and the bias −2/16
    assert "−0.375 − 0.125 = −0.5" in words(parsed(html))
    assert "ALiBi does not change X" in said(html)


# --- lookup


@pytest.mark.parametrize("i", range(12))
def test_both_forms_of_the_lookup_give_the_row_of_e(i):
    html = respond("lookup", state=FIRST["lookup"], action={"id": str(i)})["html"]
    product = matrix(html, f"one_hot({i})ᵀ E")
    assert " ".join(product[-1]) == ROWS_OF_E[i] and len(product) == 13
    assert [k for k, row in enumerate(product[:-1]) if row != ["0"] * 4] == [i]
    assert [" ".join(row) for row in matrix(html, "E")] == ROWS_OF_E
    assert f"Reading row {i} gives {ROWS_OF_E[i]}. Multiplying gives {ROWS_OF_E[i]}: the same" in said(html)


def test_one_column_of_the_product_is_written_out():
    html = words(parsed(respond("lookup", state=FIRST["lookup"], action={"column": "4"})["html"]))
    assert ("−0.5 = 0 × 1 + 0 × 1 + 0 × (−0.5) + 0 × 0 + 1 × (−0.5) + 0 × 0 + 0 × (−0.5) + 0 × 0 + 0 × 0.5 + 0 × 0 "
            "+ 0 × (−1) + 0 × (−0.5)") in html


# --- what no reader should send


BROKEN = ["", "{", "null", "[]", "[[[[1]]]]", "NaN", '{"scheme":NaN}', '{"shown":1e999}', '{"id":4}',
          '{"column":["2"]}', '{"playing":"yes"}', '{"nonsense":1}', '{"id":{"4":4}}', '{"shown":' + "9" * 300 + "}",
          "[" * 100_000,
          '{"scheme":"<img src=x onerror=alert(1)>","id":"<img src=x onerror=alert(1)>"}', "x" * 10_000_000,
          '{"\ud800":1}', 7, None, {"shown": 1}]


@every_panel
@pytest.mark.parametrize("state", BROKEN, ids=lambda state: str(state)[:20].encode("ascii", "replace").decode())
def test_a_broken_state_gives_the_first_picture_and_a_sentence(name, state):
    answer = respond(name, state=state, action={"do": "next"})
    assert answer["state"] == FIRST[name]
    assert "could not be used" in notice(answer["html"]) and len(notice(answer["html"])) < 200
    assert without_notice(answer["html"]) == panel.first(name)


@every_panel
@pytest.mark.parametrize("link", ["<script>alert(1)</script>", "scheme=<img src=x onerror=alert(1)>", "id='\"><b>x</b>",
                                  "%", "&&&", "shown=9", "id=12", "column=0", "x" * 10_000_000, 5, None, [], {"a": 1}])
def test_a_broken_link_gives_the_first_picture_and_a_sentence(name, link):
    answer = respond(name, link=link)
    assert answer["state"] == FIRST[name]
    assert "could not be used" in notice(answer["html"]) and len(notice(answer["html"])) < 200
    assert without_notice(answer["html"]) == panel.first(name)


@every_panel
@pytest.mark.parametrize("action", [
    {"do": "explode"}, {"do": 1}, {"do": None}, {"do": ["next"]}, {"scheme": "<b>"}, {"scheme": ["rope"]}, {"id": 4},
    {"id": "99"}, {"column": "٣"}, {"": ""}, {}, [], None, "next", 5, float("nan"), [["do", "next"]], {"nonsense": "1"},
    {"scheme": "x" * 10_000_000}], ids=lambda action: str(action)[:30])
def test_a_broken_action_leaves_the_state_as_it_is_and_says_so(name, action):
    for state in (FIRST[name], list(REACHED[name])[-1]):
        answer = respond(name, state=state, action=action)
        assert answer["state"] == state
        assert notice(answer["html"]).startswith("That was not done: ") and len(notice(answer["html"])) < 200
        assert without_notice(answer["html"]) == REACHED[name][state][1]


def test_a_notice_shows_markup_as_text():
    html = respond("build_x", link="scheme=%3Cimg%20src%3Dx%3E")["html"]
    assert "scheme cannot be <img src=x>" in notice(html)
    assert not list(parsed(html).iter("img"))


NAMES_SENT = st.sampled_from(["do", "scheme", "shown", "swapped", "playing", "id", "column"]) | st.text(max_size=5)
VALUES_SENT = st.sampled_from(["next", "tick", "swap", *SCHEMES, "no", "1", "4", 2, True]) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=6)
SENT = st.dictionaries(NAMES_SENT, VALUES_SENT, max_size=3)


@given(name=st.sampled_from(NAMES), state=SENT.map(json.dumps) | st.text(max_size=20),
       link=st.none() | st.text(max_size=30), action=SENT | VALUES_SENT)
@settings(deadline=None)
def test_whatever_is_sent_the_answer_is_a_picture_of_a_valid_state(name, state, link, action):
    request = {"link": link} if link is not None else {"state": state, "action": action}
    answer = respond(name, **request)
    valid = from_text(panel.module(name).State, answer["state"])
    assert without_notice(answer["html"]) == panel.draw(name, valid)


def test_the_running_example_cannot_be_written_to():
    for array in (toy.E, toy.P, toy.IDS):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_the_sentence_that_goes_on_to_step_3_is_the_one_on_screen():
    html = respond("build_x", link="shown=5&swapped=swap")["html"]
    assert parsed(html).xpath("//a[starts-with(@href, '../3-')]/@href") == ["../3-query-key-value/#head?ids=0+4+2+5+1"]
