"""Course packages in scorm-again, which others wrote and which checks each value, under the conditions of real hosts.

The ten questions in them speak as the site's frames do (hosts/questions.html). Other hosts: test_hosts.py.
"""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from conftest import Watch
from site_server import Site
from tokenwalk import course, scorm
from toy_course import ROOT, built

ITEM = "course-2-embeddings-check.html"
RAW = {"12": "cmi.core.score.raw", "2004": "cmi.score.raw"}
STATUS = {"12": "cmi.core.lesson_status", "2004": "cmi.completion_status"}
DOING = ("Initialize", "SetValue", "Commit", "Finish", "Terminate")
FOLDER = "a package"  # a name with a space, and a page asked for with a query: LiaScript/LiaScript#246, frappe/lms#2341
VERSIONS = {"12": scorm.SCORM12, "2004": scorm.SCORM2004}
BOTH = pytest.mark.parametrize("version", ["12", "2004"])


class Lms:
    """scorm-again with a package: opens the item, answers its questions, and tells what the host was told and keeps."""

    def __init__(self, folder: Path, context: BrowserContext) -> None:
        self.server, self.context = Site(folder), context
        for name in ("scorm12.min.js", "scorm2004.min.js"):
            shutil.copy(ROOT / "node_modules/scorm-again/dist" / name, folder)
        shutil.copy(ROOT / "tests/hosts/lms.html", folder)

    def packed(self, made: course.Course, version: str, thin: bool = False) -> None:
        """Puts the files of a package where the host has its packages."""
        for path, data in scorm.scorm(made, VERSIONS[version], thin).items():
            file = self.server.folder / FOLDER / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)

    def visit(self, version: str, item: str = ITEM, **options: object) -> Page:
        """The host's page with the item open."""
        page = self.context.new_page()
        given = {"version": version, "wait": 0, "refusals": 0, "fake": False, "blank": []} | options
        page.goto(f"{self.server.url}lms.html#{quote(json.dumps(given))}")
        page.evaluate("address => { item.src = address; }", f"{quote(FOLDER)}/{item}?x=1")
        return page


@pytest.fixture
def lms(browser: Browser, site: Site, tmp_path: Path) -> Iterator[Callable[..., Lms]]:
    """A host with the packages of a version; nothing may go wrong in its pages but what is expected."""
    toy, watches = built(tmp_path / "toy"), []
    (tmp_path / "lms").mkdir()

    def made(version: str, expected: str = "(?!)") -> Lms:
        context = browser.new_context()
        host = Lms(tmp_path / "lms", context)
        host.packed(toy, version)
        watches.append((Watch(context, host.server, expected), host))
        return host

    yield made
    for watch, host in watches:
        watch.context.close()
        host.server.server.shutdown()
        watch.check()


def item(page: Page):
    return page.frame_locator("#item")


def questions(page: Page):
    return item(page).frame_locator("iframe")


def answer(page: Page, right: int = 0, wrong: int = 0, start: int = 0) -> None:
    """Answers so many of the ten questions rightly and, after those, so many wrongly."""
    for n in range(start, start + right + wrong):
        questions(page).locator(f"#{'right' if n < start + right else 'wrong'}-{n}").click()
    expect(questions(page).locator("[data-result='']")).to_have_count(10 - start - right - wrong)


def says(page: Page, words: str) -> None:
    expect(item(page).locator("[data-when]:visible")).to_contain_text(words)


def told(page: Page, *methods: str) -> list[list[str]]:
    """The calls that the host got, as [method, words …, result, error code], without 1.2's prefix."""
    calls = [[name.removeprefix("LMS"), *more] for name, *more in page.evaluate("calls")]
    return [call for call in calls if call[0] in (methods or DOING)]


def kept(page: Page) -> dict[str, str]:
    """What the host holds, element by element, once it has taken what the reader did."""
    page.wait_for_timeout(200)
    return page.evaluate("JSON.parse(localStorage.getItem('cmi'))")


def results(page: Page) -> str:
    """The results of the ten questions, as the reader sees them: r, w or - for each."""
    found = questions(page).locator("[data-question]").evaluate_all("all => all.map(({ dataset }) => dataset.result)")
    return "".join(result[:1] or "-" for result in found)


def second_visit(host: Lms, version: str, data: str) -> Page:
    """The host's page after a visit that left this suspend data, and 80 of 100."""
    page = host.visit(version)
    says(page, "Connected to the course")
    left = {"cmi.suspend_data": data, RAW[version]: "80"}
    page.evaluate("left => localStorage.setItem('cmi', JSON.stringify(left))", left)
    page.close()
    page = host.visit(version)
    says(page, "Connected to the course")
    return page


@BOTH
def test_every_call_is_accepted_and_the_score_is_kept_after_each_answer(lms, version: str):
    page = lms(version).visit(version)
    says(page, "Connected to the course")
    for n in range(10):
        answer(page, right=n < 8, wrong=n >= 8, start=n)
        says(page, "has recorded your answers")
        assert kept(page)[RAW[version]] == str(10 * min(n + 1, 8))
        assert kept(page)[STATUS[version]] == ("completed" if n == 9 else "incomplete")
    refused = [call for call in told(page) if call[-2:] != ["true", "0"]]
    assert refused == []
    assert len(told(page, "Commit")) == 11


@BOTH
def test_the_answers_come_back_and_are_not_told_twice(lms, version: str):
    host = lms(version)
    page = host.visit(version)
    answer(page, right=3, wrong=2)
    page.wait_for_timeout(500)
    page.close()
    page = host.visit(version)
    expect(questions(page).locator("[data-result=right]")).to_have_count(3)
    assert results(page) == "rrrww-----"
    assert [name for _, name, *_ in told(page, "SetValue")] in ([], [STATUS[version]])
    answer(page, right=1, start=5)
    says(page, "has recorded your answers")
    assert kept(page)[RAW[version]] == "40"
    rows = [value for name, value in kept(page).items() if re.fullmatch(r"cmi\.interactions\.\d+\.id", name)]
    assert rows == [f"q-{n}" for n in range(6)]
    assert all(call[-2:] == ["true", "0"] for call in told(page))


@BOTH
def test_a_host_that_does_not_tell_the_status_keeps_it(lms, version: str):
    """openedx-scorm-xblock answers "" when it is asked for the status."""
    host, blank = lms(version), [STATUS[version]]
    page = host.visit(version, blank=blank)
    answer(page, right=10)
    says(page, "has recorded your answers")
    page.close()
    page = host.visit(version, blank=blank)
    expect(questions(page).locator("[data-result=right]")).to_have_count(10)
    assert kept(page)[STATUS[version]] == "completed" and told(page, "SetValue") == []


def test_a_host_that_does_not_count_interactions_keeps_the_older_ones(lms):
    """scormhost gives back what was written, and no count."""
    host, blank = lms("2004"), ["cmi.interactions._count"]
    page = host.visit("2004", blank=blank)
    answer(page, right=3)
    page.wait_for_timeout(500)
    page.close()
    page = host.visit("2004", blank=blank)
    expect(questions(page).locator("[data-result=right]")).to_have_count(3)
    answer(page, wrong=1, start=3)
    says(page, "has recorded your answers")
    assert [kept(page)[f"cmi.interactions.{n}.id"] for n in range(4)] == ["q-0", "q-1", "q-2", "q-3"]


@BOTH
def test_when_the_api_is_late_nobody_answers_before_the_older_answers_are_there(lms, version: str):
    host = lms(version)
    page = host.visit(version)
    answer(page, right=3, wrong=2)
    says(page, "has recorded your answers")
    page.close()
    page = host.visit(version, wait=2000)
    says(page, "Looking for the course")
    page.frame_locator("#item").locator("iframe").click()
    expect(questions(page).locator("[data-result=right]")).to_have_count(3)
    assert results(page) == "rrrww-----" and kept(page)[RAW[version]] == "30"


# Reported as pipwerks/scorm-api-wrapper#45, numbas/Numbas#170.
@BOTH
def test_a_page_that_is_killed_after_an_answer_has_lost_nothing(lms, version: str):
    host = lms(version)
    page = host.visit(version)
    answer(page, right=4)
    page.wait_for_timeout(500)
    with page.expect_event("crash"), pytest.raises(Error):
        page.goto("chrome://crash")
    page = host.visit(version)
    expect(questions(page).locator("[data-result=right]")).to_have_count(4)


# Reported as overhangio/openedx-scorm-xblock PR #78.
@BOTH
def test_an_api_that_comes_late_is_awaited(lms, version: str):
    """openedx-scorm-xblock's PR 78."""
    page = lms(version).visit(version, wait=2000)
    says(page, "Looking for the course")
    answer(page, right=2)
    says(page, "has recorded your answers")
    assert kept(page)[RAW[version]] == "20" and results(page) == "rr--------"


# Reported as catalyst/moodle-mod_scormremote#82.
@BOTH
def test_a_refused_commit_is_said_and_tried_again(lms, version: str):
    """mod_scormremote's 20, Numbas's 170."""
    page = lms(version).visit(version, refusals=3)
    answer(page, right=1)
    says(page, "did not accept the last answer")
    answer(page, right=1, start=1)
    says(page, "has recorded your answers")
    assert kept(page)[RAW[version]] == "20" and results(page) == "rr--------"


# Reported as numbas/Numbas#774, #809.
@BOTH
@pytest.mark.parametrize("data", ["", "?", "0=right", "%%", "build_x?shown=3", "check_toy", "check_toy?77=x&&=&a=b"])
def test_suspend_data_that_says_nothing_starts_clean_and_keeps_the_score_till_an_answer(lms, version: str, data: str):
    """Numbas's 774 and 809."""
    page = second_visit(lms(version), version, data)
    page.wait_for_timeout(700)
    assert results(page) == "----------"
    assert RAW[version] not in [name for _, name, *_ in told(page, "SetValue")]
    answer(page, right=1)
    says(page, "has recorded your answers")
    assert kept(page)[RAW[version]] == "10"


@BOTH
def test_of_older_suspend_data_what_is_still_a_question_is_kept(lms, version: str):
    page = second_visit(lms(version), version, "check_toy?0=right&77=right&3=wrong&5=maybe")
    expect(questions(page).locator("[data-result=right]")).to_have_count(1)
    assert results(page) == "r--w------"
    page.wait_for_timeout(300)
    assert kept(page)[RAW[version]] == "80", "what the reader did not do changes no score"


# Reported as thexerteproject/xerteonlinetoolkits#847.
@BOTH
@pytest.mark.parametrize("more", [0, 1])
def test_the_state_is_kept_up_to_the_length_that_the_version_allows(lms, version: str, more: int):
    """Xerte's 847, mod_scormremote's 82."""
    page, limit = lms(version).visit(version), {"12": 4096, "2004": 64000}[version]
    answer(page, right=1)
    says(page, "has recorded your answers")
    link = "x" * (limit - len("check_toy?") + more)
    questions(page).locator("body").evaluate("""(_, link) => parent.postMessage(
        { subject: "SPLICE.reportScoreAndState", score: 0.5, state: { link }, questions: [] }, "*")""", link)
    says(page, "too long for it" if more else "has recorded your answers")
    page.wait_for_function(f"JSON.parse(localStorage.getItem('cmi'))['{RAW[version]}'] === '50'")
    assert len(kept(page)["cmi.suspend_data"]) == (len("check_toy?0=right") if more else limit)
    assert all(call[-2:] == ["true", "0"] for call in told(page))


def test_a_frame_that_does_not_say_what_is_answered_never_completes_the_item(lms):
    page = lms("12").visit("12")
    answer(page, right=1)
    questions(page).locator("body").evaluate("""() => parent.postMessage(
        { subject: "SPLICE.reportScoreAndState", score: 7, state: { link: "new" } }, "*")""")
    page.wait_for_function("JSON.parse(localStorage.getItem('cmi'))['cmi.suspend_data'] === 'check_toy?new'")
    assert (kept(page)[RAW["12"]], kept(page)[STATUS["12"]]) == ("100", "incomplete")


def test_a_question_that_was_given_up_is_not_open(lms):
    page = lms("12").visit("12")
    questions(page).locator("body").evaluate("() => { fields[9].dataset.done = 'shown'; }")
    answer(page, right=9)
    page.wait_for_timeout(200)
    assert (kept(page)[RAW["12"]], kept(page)[STATUS["12"]]) == ("90", "completed")


def test_without_a_course_it_says_so_and_works(lms):
    host = lms("12")
    page = host.visit("2004")
    says(page, "Not connected to a course")
    answer(page, right=2, wrong=1)
    assert results(page) == "rrw-------" and told(page) == []
    says(page, "Not connected to a course")


def test_an_api_without_the_methods_of_its_name_is_refused(lms):
    """wagtail-lms has 1.2's methods under the name of 2004."""
    page = lms("2004").visit("12", fake=True)
    says(page, "Not connected to a course")
    assert told(page) == []


# Reported as pipwerks/scorm-api-wrapper#20, exelearning/iteexe#472.
@BOTH
def test_a_course_on_another_site_gives_no_error(lms, version: str, tmp_path: Path):
    """The 20, 21 and 44 of pipwerks' scorm-api-wrapper, eXeLearning's 472."""
    host = lms(version, expected="foreign: http://localhost")
    page = host.context.new_page()
    (tmp_path / "lms/other.html").write_text(
        '<link rel="icon" href="data:,"><script>API = API_1484_11 = 1</script>'
        f'<iframe id="item" src="{host.server.url}{quote(FOLDER)}/{ITEM}"></iframe>')
    page.goto(f"{host.server.url.replace('127.0.0.1', 'localhost')}other.html")
    says(page, "Not connected to a course")
    answer(page, right=1)
    assert results(page) == "r---------"


# Reported as LiaScript/LiaScript-Exporter#33.
def test_the_api_is_found_through_frames_and_openers(lms):
    """LiaScript-Exporter's 33."""
    host = lms("12")
    page = host.visit("12", item="course-build_x.html")
    (host.server.folder / "nested.html").write_text(
        '<link rel="icon" href="data:,"><iframe src="two.html"></iframe>')
    (host.server.folder / "two.html").write_text(
        f'<link rel="icon" href="data:,"><iframe id="item" src="{quote(FOLDER)}/{ITEM}"></iframe>')
    with host.context.expect_page() as opened:
        page.evaluate("() => { window.open('nested.html', 'window') }")
    inner = opened.value.frame_locator("iframe").frame_locator("iframe")
    expect(inner.locator("[data-when]:visible")).to_contain_text("Connected to the course")


@BOTH
def test_a_panel_without_questions_is_completed_when_it_is_opened_and_has_no_score(lms, version: str):
    page = lms(version).visit(version, item="course-build_x.html")
    says(page, "Connected to the course")
    assert kept(page)[STATUS[version]] == "completed"
    assert [name for _, name, *_ in told(page, "SetValue")] == [STATUS[version]]


# Reported as exelearning/exelearning#1831.
@BOTH
def test_leaving_adds_the_time_and_needs_no_unload(lms, version: str):
    """eXeLearning's 1831: Chrome's policy forbids unload. scorm-again's 472: a frame that is taken away."""
    host = lms(version)
    with host.server.sending("Permissions-Policy", "unload=()"):
        page = host.visit(version)
        answer(page, right=1)
        says(page, "has recorded your answers")
        page.evaluate("() => item.remove()")
    last = told(page)[-2:]
    assert [call[0] for call in last] == ["SetValue", "Finish" if version == "12" else "Terminate"]
    assert all(call[-2:] == ["true", "0"] for call in last)
    assert "unload" not in (ROOT / "static/scorm.js").read_text()


def test_links_to_pages_lead_to_the_site(lms):
    page = lms("12").visit("12")
    for name, address in (("away", "3-query-key-value/#head"), ("here", "2-embeddings/#build_x?scheme=rope")):
        link = questions(page).locator(f"#{name}")
        link.evaluate("link => link.addEventListener('click', (event) => event.preventDefault())")
        link.click()
        assert link.evaluate("link => link.href") == f"https://example.org/tokenwalk/{address}"
