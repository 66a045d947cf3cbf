"""Common Cartridge 1.3 of a course: pages with the frames, links, and the questions as an LMS's own (QTI 1.2).

Questions with one choice, several choices or a number go along. A row of numbers and rows of a matrix have no
counterpart in the cartridge's profile of QTI and are left out, which the page of frames says. Source: IMS Common
Cartridge 1.3, its section on questions and tests. Used at build time only.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from tokenwalk import panel, render
from tokenwalk.assets import Files
from tokenwalk.course import Course, Item, filled, identifier

KINDS = ("choice", "several", "number")


def spellings(value: float, digits: int, tolerance: float) -> list[str]:
    """The texts that count as a number: all with up to so many decimals that lie within the tolerance.

    Each has a point or a comma, either minus, and commas, spaces or nothing between thousands.
    """
    texts = set()
    for decimals in range(digits + 1):
        unit = 10**decimals
        low, high = (value - tolerance) * unit, (value + tolerance) * unit
        for n in range(math.ceil(low - render.EXACT), math.floor(high + render.EXACT) + 1):
            plain = f"{n / unit:.{decimals}f}"
            texts |= {plain, plain.replace(".", ","), *({f"{n:,}", f"{n:,}".replace(",", " ")} if not decimals else ())}
    return sorted({text.replace("-", minus) for text, minus in product(texts, f"-{render.MINUS}")})


def quiz(item: Item) -> bytes:
    """The questions of a page as QTI. The template of the question panel gives the texts, here in another layout."""
    module = panel.module(item.panel)
    asked = [question for question in module.QUESTIONS if question.kind in KINDS]
    more: dict[str, Any] = {"layout": "course/qti.xml", "item": item, "questions": asked, "spellings": spellings}
    return filled(f"{item.panel}.html", **module.view(module.State()) | more)


def left_out(items: Sequence[Item]) -> int:
    """How many of the questions among the items cannot go along."""
    return sum(question.kind not in KINDS for item in items if item.graded
               for question in panel.module(item.panel).QUESTIONS)


def cartridge(course: Course) -> Files:
    """The cartridge's files by their paths."""
    made: Files = {}
    for step, items in course.steps:
        page = {"step": step, "items": items, "address": course.address, "left_out": left_out(items)}
        made[f"{step.page}-frames.html"] = filled("course/frames.html", **page)
        made[f"{step.page}-link.xml"] = filled("course/link.xml", **page)
        made |= {f"{item.name}.xml": quiz(item) for item in items if item.graded}
    manifest = filled("course/cc.xml", course=course, identifier=identifier(course.address, list(made)))
    return {"imsmanifest.xml": manifest} | made
