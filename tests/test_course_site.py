"""The packages of the site itself: whole, small enough, and played with its real panels and questions."""

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest
from lxml import etree
from playwright.sync_api import Browser, Locator, expect

from conftest import Watch
from site_server import Site
from test_lms import RAW, STATUS, VERSIONS, Lms, kept, questions, says, told
from tokenwalk import cartridge, course, panel
from tokenwalk.packages import packages
from tokenwalk.scorm import scorm
from toy_course import published

QTI = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"
TYPES = {".html": "text/html", ".js": "application/x-javascript", ".json": "application/json", ".css": "text/css",
         ".svg": "image/svg+xml", ".zip": "application/zip", ".xml": "application/xml"}  # all that Moodle knows of ours


@pytest.fixture(scope="module")
def whole(site: Site) -> course.Course:
    """The course that the built site gives."""
    return course.course(site.folder)


def graded(made: course.Course) -> list[course.Item]:
    return [item for item in made.items if item.graded]


def test_every_frame_of_the_site_is_an_item(whole: course.Course):
    assert sorted(item.frame for item in whole.items) == sorted(course.files(whole, "embed/*.html"))


# Reported as overhangio/openedx-scorm-xblock#121, chamilo/chamilo-lms#3305.
def test_the_packages_keep_to_their_sizes_and_names(whole: course.Course):
    made = packages(whole)
    limits = {"-scorm12.zip": 12e6, "-scorm12-thin.zip": 50e3, "-scorm2004.zip": 12e6, ".imscc": 50e3}
    assert {name.removeprefix("tokenwalk") for name in made} == set(limits)
    for name, limit in limits.items():
        assert len(made[f"tokenwalk{name}"]) <= limit
        held = zipfile.ZipFile(io.BytesIO(made[f"tokenwalk{name}"])).namelist()
        assert not [path for path in held if path.endswith(".mjs") or set(path) & set("\\?#% ")]
        assert max(Counter(PurePosixPath(path).name for path in held).values()) == 1
        root = etree.fromstring(zipfile.ZipFile(io.BytesIO(made[f"tokenwalk{name}"])).read("imsmanifest.xml"))
        assert sorted([*(file.get("href") for file in root.iterfind(".//{*}file")), "imsmanifest.xml"]) == held


def test_the_manifests_of_each_page_are_valid(whole: course.Course, tmp_path: Path):
    schemas = published(tmp_path)
    for step, items in whole.steps:
        part = course.course(whole.site, course.name(step))
        for kind, version in zip(("scorm12", "scorm2004"), VERSIONS.values(), strict=True):
            manifest = etree.fromstring(scorm(part, version, thin=True)["imsmanifest.xml"])
            assert not items or schemas[kind].validate(manifest), schemas[kind].error_log


def scored(test: etree._Element, given: set[str]) -> bool:
    """Whether QTI's own rule gives the points of a question to an answer: `and`, `not`, and one of several values."""
    def holds(node: etree._Element) -> bool:
        kind = etree.QName(node).localname
        parts = [holds(part) for part in node] if kind != "varequal" else []
        results = {"varequal": node.text in given, "not": not any(parts), "and": all(parts), "conditionvar": any(parts)}
        return results[kind]

    return holds(test)


def test_in_the_cartridge_the_right_answer_and_no_other_has_the_points(whole: course.Course):
    for one in graded(whole):
        root = etree.fromstring(cartridge.quiz(one))
        asked = {q.name: q for q in panel.module(one.panel).QUESTIONS if q.kind in cartridge.KINDS}
        assert [node.get("ident") for node in root.iter(f"{QTI}item")] == list(asked)
        for node in root.iter(f"{QTI}item"):
            question = asked[node.get("ident")]
            (rule,) = node.xpath(".//*[local-name()='setvar']/../*[local-name()='conditionvar']")
            if question.kind == "number":
                assert all(question.fits(question.read(text.text)) for text in rule)
                unit = 10**-question.digits
                for step in range(-12, 13):
                    text = f"{question.answer + step * unit:.{question.digits}f}"
                    assert scored(rule, {text}) == question.fits(question.read(text)), (question.name, text)
                continue
            assert [label.get("ident") for label in node.iter(f"{QTI}response_label")] == list(question.options)
            right = question.answer if question.kind == "several" else {question.answer}
            assert scored(rule, right)
            assert not any(scored(rule, right ^ {option}) for option in question.options if question.kind == "several")
            assert not any(scored(rule, {option}) for option in question.options if {option} != right)


def test_numbers_may_be_written_in_several_ways():
    assert cartridge.spellings(-0.5, 2, 0.004) == ["-0,5", "-0,50", "-0.5", "-0.50", "−0,5", "−0,50", "−0.5", "−0.50"]
    assert cartridge.spellings(1.0, 0, 0) == ["1"]
    assert cartridge.spellings(38597376, 0, 0) == ["38 597 376", "38,597,376", "38597376"]
    assert cartridge.spellings(2 / 3, 2, 0.005) == ["0,67", "0.67"]
    assert cartridge.spellings(82.2, 0, 1) == ["82", "83"]
    assert "1.12" in cartridge.spellings(1.1203, 3, 0.005)


def moodle(handler) -> bool:
    """Sends a file with the type that Moodle's table gives to its ending; it has none for most of ours."""
    file = Path(handler.translate_path(handler.path))
    return handler.answer(file.read_bytes(), TYPES.get(file.suffix, "document/unknown"), 200)


@pytest.fixture
def lms(browser: Browser, whole: course.Course, tmp_path: Path) -> Iterator[Lms]:
    """scorm-again with the site's complete package, on a server that types files as Moodle does."""
    context = browser.new_context()
    host = Lms(tmp_path, context)
    host.packed(whole, "12")
    watch = Watch(context, host.server, expected="foreign: http://localhost:.*/a/b/")
    with host.server.changed("", moodle):
        yield host
    context.close()
    host.server.server.shutdown()
    watch.check()


def answered(page, number: int) -> Locator:
    """Answers the page's first question of one choice with an option, and checks it."""
    field = questions(page).locator("[data-kind=choice]").first
    field.locator("input").nth(number).check()
    field.get_by_role("button", name="Check", exact=True).click()
    return field


def test_real_questions_are_recorded_and_come_back(lms: Lms, whole: course.Course):
    for one in graded(whole)[:2]:
        page = lms.visit("12", one.start)
        says(page, "Connected to the course")
        expect(answered(page, 0)).not_to_have_attribute("data-result", "", timeout=60_000)
        says(page, "has recorded your answers")
        shown = questions(page).locator("[data-max]")
        share = float(shown.get_attribute("data-score")) / float(shown.get_attribute("data-max"))
        assert float(kept(page)[RAW["12"]]) == pytest.approx(100 * share, abs=0.005)
        assert kept(page)[STATUS["12"]] == "incomplete"
        result = questions(page).locator("[data-kind=choice]").first.get_attribute("data-result")
        page.close()
        page = lms.visit("12", one.start)
        again = questions(page).locator("[data-kind=choice]").first
        expect(again).to_have_attribute("data-result", result, timeout=60_000)
        assert all(call[-2:] == ["true", "0"] for call in told(page))
        page.evaluate("localStorage.clear()")
        page.close()


def test_a_thin_package_records_what_is_answered_on_the_site(lms: Lms, whole: course.Course, site: Site):
    elsewhere = replace(whole, address=site.url.replace("127.0.0.1", "localhost"))
    lms.packed(elsewhere, "2004", thin=True)
    for one in graded(whole)[:1]:
        page = lms.visit("2004", one.start)
        expect(answered(page, 0)).not_to_have_attribute("data-result", "", timeout=60_000)
        says(page, "has recorded your answers")
        assert 0 <= float(kept(page)["cmi.score.scaled"]) <= 1 and kept(page)["cmi.suspend_data"].startswith(one.panel)
        assert all(call[-2:] == ["true", "0"] for call in told(page))
