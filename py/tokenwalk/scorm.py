"""SCORM packages, 1.2 and 2004 (4th edition): complete ones, which need no network, and thin ones around the site.

Each item has a page of its own, which holds the frame; static/scorm.js in it talks with the host. Source: SCORM 1.2 and
SCORM 2004 4th edition, Content Aggregation Model and Run-Time Environment. Used at build time only.
"""

import re
from dataclasses import dataclass
from functools import reduce
from operator import or_

from tokenwalk.assets import Files
from tokenwalk.course import Course, Item, files, filled, identifier

CONTENT = f"*-{'[0-9a-f]' * 12}/**/*"  # what lies in the folders that assets.named names
KEPT = re.compile(rb"(<py-panel\b[^>]*?) keep(?=[ >])")


@dataclass(frozen=True)
class Version:
    """A version of SCORM: the template of its manifest, and what it calls the things that scorm.js handles."""

    manifest: str
    names: dict[str, object]


SCORM12 = Version("course/imsmanifest12.xml", {
    "api": "API", "prefix": "LMS", "finish": "Finish", "status": "cmi.core.lesson_status", "score": "cmi.core.score.",
    "marks": "min max raw", "exit": "cmi.core.exit", "time": "cmi.core.session_time", "response": "student_response",
    "moment": "time", "clock": 11, "right": "correct", "wrong": "wrong", "limit": 4096})
SCORM2004 = Version("course/imsmanifest2004.xml", {
    "api": "API_1484_11", "prefix": "", "finish": "Terminate", "status": "cmi.completion_status", "score": "cmi.score.",
    "marks": "min max raw scaled", "exit": "cmi.exit", "time": "cmi.session_time", "response": "learner_response",
    "moment": "timestamp", "clock": 0, "right": "correct", "wrong": "incorrect", "limit": 64000})


def shared(course: Course) -> Files:
    """What every frame loads: the folders of the site that are named by their content, without what one panel needs."""
    return {path: data for path, data in files(course, CONTENT).items()
            if not path.endswith((".states.json", "/scorm.js"))}


def frame(course: Course, item: Item) -> Files:
    """The files of one item's frame. Only the course keeps its answers, not the browser of a machine that many use."""
    page = KEPT.sub(rb'\1 keep="course"', (course.site / item.frame).read_bytes())
    return {item.frame: page} | files(course, f"app-*/{item.panel}.states.json")


def start(course: Course, item: Item, version: Version, thin: bool) -> Files:
    """The page that a course opens for an item."""
    root = course.address if thin else ""
    return {item.start: filled("course/item.html", item=item, root=root, address=course.address, names=version.names)}


def scorm(course: Course, version: Version, thin: bool = False) -> Files:
    """A SCORM package. A thin one frames the site; the other one holds the frames and needs no network."""
    (script,) = files(course, "app-*/scorm.js").values()
    runtime = {"scorm.js": script} | ({} if thin else shared(course))
    own = {item: start(course, item, version, thin) | ({} if thin else frame(course, item)) for item in course.items}
    manifest = filled(version.manifest, course=course, own=own, runtime=sorted(runtime),
                      identifier=identifier(course.address, thin, list(own)))
    return reduce(or_, own.values(), {"imsmanifest.xml": manifest} | runtime)
