"""The packages for courses, made from a built site: SCORM 1.2 and 2004, complete or thin, and Common Cartridge.

A package is a dict from a file's path to its bytes, and then a zip. Nothing here knows MkDocs. Used at build time only.
"""

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Any

from lxml import html as parser

from tokenwalk import render
from tokenwalk.assets import EARLY, Files, digest
from tokenwalk.pages import STEPS, Step

KEPT = re.compile(rb"(<py-panel\b[^>]*?) keep(?=[ >])")
CHECK = "check_"  # how the names of the question panels begin


@dataclass(frozen=True)
class Version:
    """A version of SCORM: the template of its manifest, and what it calls the things that scorm.js handles."""

    manifest: str
    names: dict[str, object]


SCORM12 = Version("imsmanifest12.xml", {
    "api": "API", "prefix": "LMS", "finish": "Finish", "status": "cmi.core.lesson_status", "score": "cmi.core.score.",
    "marks": "min max raw", "exit": "cmi.core.exit", "time": "cmi.core.session_time", "response": "student_response",
    "moment": "time", "clock": 11, "right": "correct", "wrong": "wrong", "limit": 4096})
SCORM2004 = Version("imsmanifest2004.xml", {
    "api": "API_1484_11", "prefix": "", "finish": "Terminate", "status": "cmi.completion_status", "score": "cmi.score.",
    "marks": "min max raw scaled", "exit": "cmi.exit", "time": "cmi.session_time", "response": "learner_response",
    "moment": "timestamp", "clock": 0, "right": "correct", "wrong": "incorrect", "limit": 64000})


@dataclass(frozen=True)
class Item:
    """One entry of a course: a panel of a page, or the page's questions."""

    panel: str
    page: str
    title: str

    @property
    def graded(self) -> bool:
        """Whether it is a page's questions."""
        return self.panel.startswith(CHECK)

    @property
    def name(self) -> str:
        """Its name among the files: no two in a package have the same."""
        return f"{self.page}-check" if self.graded else self.panel

    @property
    def frame(self) -> str:
        """The path of its bare page in the site."""
        return f"embed/{self.name}.html"

    @property
    def start(self) -> str:
        """The path of the page that a course opens: it holds the frame and talks with the course."""
        return f"course-{self.name}.html"


@dataclass(frozen=True)
class Course:
    """What is packed: the folder of the built site, its address, and the steps with their items."""

    site: Path
    address: str
    steps: Sequence[tuple[Step, Sequence[Item]]]

    @property
    def items(self) -> list[Item]:
        """All items in their order."""
        return [item for _, items in self.steps for item in items]


def course(site: Path, only: str = "") -> Course:
    """The course that the site in a folder gives, or one step's part of it: `only` is a page's name without its number.

    Raises LookupError with a sentence if no page is called `only`.
    """
    steps = [step for step in STEPS if (site / step.page / "index.html").exists()]
    if only and only not in map(name, steps):
        raise LookupError(f"No page is called {only}. There are: {', '.join(map(name, steps))}.")
    address = str(parser.parse(str(site / "index.html")).xpath("string(//link[@rel='canonical']/@href)"))
    return Course(site, address, [(step, items(step, site)) for step in steps if only in ("", name(step))])


def name(step: Step) -> str:
    """A page's name without its number: `embeddings`."""
    return step.page.split("-", 1)[1]


def items(step: Step, site: Path) -> list[Item]:
    """The panels of a step's page that have a frame, its questions first: some hosts play the first item only."""
    page = parser.parse(str(site / step.page / "index.html"))
    found = [Item(panel, step.page, " ".join(page.xpath("string(//*[@id=$id])", id=f"{panel}-title").split()))
             for panel in page.xpath("//py-panel/@name")]
    return sorted((item for item in found if (site / item.frame).exists()), key=lambda item: not item.graded)


def files(course: Course, pattern: str) -> Files:
    """The files of the site that fit a pattern, by their paths."""
    found = (file for file in sorted(course.site.glob(pattern)) if file.is_file())
    return {file.relative_to(course.site).as_posix(): file.read_bytes() for file in found}


def shared(course: Course) -> Files:
    """What every frame loads: the folders of the site that are named by their content, without what one panel needs."""
    return {path: data for path, data in files(course, "*-????????????/**/*").items()
            if not path.endswith((".states.json", "/scorm.js"))}


def frame(course: Course, item: Item) -> Files:
    """The files of one item's frame. Only the course keeps its answers, not the browser of a machine that many use."""
    page = KEPT.sub(rb"\1", (course.site / item.frame).read_bytes())
    return {item.frame: page} | files(course, f"app-*/{item.panel}.states.json")


def filled(template: str, **values: Any) -> bytes:
    """The named template, filled, as a file."""
    return render.html(template, **values).encode()


def start(course: Course, item: Item, version: Version, thin: bool) -> Files:
    """The page that a course opens for an item."""
    root = course.address if thin else ""
    return {item.start: filled("course.html", item=item, root=root, address=course.address, names=version.names)}


def scorm(course: Course, version: Version, thin: bool = False) -> Files:
    """A SCORM package. A thin one frames the site; the other one holds the frames and needs no network."""
    (script,) = files(course, "app-*/scorm.js").values()
    runtime = {"scorm.js": script} | ({} if thin else shared(course))
    own = {item: start(course, item, version, thin) | ({} if thin else frame(course, item)) for item in course.items}
    identifier = f"tokenwalk-{digest(repr((course.address, thin, list(own))).encode())[:12]}"
    manifest = filled(version.manifest, course=course, own=own, runtime=sorted(runtime), identifier=identifier)
    return reduce(or_, own.values(), {"imsmanifest.xml": manifest} | runtime)


def zipped(files: Files) -> bytes:
    """The files as a zip: the same bytes whenever it is made."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as target:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, EARLY)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            target.writestr(entry, content, compresslevel=9)
    return data.getvalue()


def packages(course: Course) -> Files:
    """Every package by its file's name."""
    made = {"scorm12.zip": scorm(course, SCORM12), "scorm12-thin.zip": scorm(course, SCORM12, thin=True),
            "scorm2004.zip": scorm(course, SCORM2004)}
    part = f"-{name(course.steps[0][0])}" if len(course.steps) == 1 else ""
    return {f"tokenwalk{part}-{ending}": zipped(files) for ending, files in made.items()}
