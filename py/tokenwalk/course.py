"""What a course is made of: the steps of a built site, with the panels and questions of each that have a frame.

scorm.py and cartridge.py pack it. A package is a dict from a file's path to its bytes, and then a zip. Nothing here
knows MkDocs. Used at build time only.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import html as parser

from tokenwalk import embed, render
from tokenwalk.assets import EARLY, Files, digest
from tokenwalk.pages import STEPS, Step

CHECK = "check_"  # how the names of the question panels begin
START = Step("index", "The whole path", "", "")


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
    def height(self) -> int:
        """The height of its first picture in a frame, in px."""
        return embed.height(self.name)

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
    steps = [step for step in (*STEPS, START) if (site / place(step) / "index.html").exists()]
    if only and only not in map(name, steps):
        raise LookupError(f"No page is called {only}. There are: {', '.join(map(name, steps))}.")
    address = str(parser.parse(str(site / "index.html")).xpath("string(//link[@rel='canonical']/@href)"))
    return Course(site, address, [(step, items(step, site)) for step in steps if only in ("", name(step))])


def name(step: Step) -> str:
    """A page's name without its number: `embeddings`."""
    return step.page.split("-", 1)[-1]


def place(step: Step) -> str:
    """Where a page lies in the site: `2-embeddings/`."""
    return "" if step == START else f"{step.page}/"


def heading(step: Step) -> str:
    """What a page is called in a list: `2 Embeddings`."""
    return step.name if step == START else f"{step.page[0]} {step.name}"


def items(step: Step, site: Path) -> list[Item]:
    """The panels of a step's page that have a frame, its questions first: some hosts play the first item only."""
    page = parser.parse(str(site / place(step) / "index.html"))
    titles = {panel: " ".join(page.xpath("string(//*[@id=$id])", id=f"{panel}-title").split())
              for panel in page.xpath("//py-panel/@name")}
    found = [Item(panel, step.page, f"{step.name}: {title}") for panel, title in titles.items()]
    return sorted((item for item in found if (site / item.frame).exists()), key=lambda item: not item.graded)


def files(course: Course, pattern: str) -> Files:
    """The files of the site that fit a pattern, by their paths."""
    found = (file for file in sorted(course.site.glob(pattern)) if file.is_file())
    return {file.relative_to(course.site).as_posix(): file.read_bytes() for file in found}


def filled(template: str, **values: Any) -> bytes:
    """The named template, filled, as a file."""
    return render.html(template, heading=heading, place=place, **values).encode()


def identifier(*made_of: object) -> str:
    """A package's name for itself, from its address and what it holds."""
    return f"tokenwalk-{digest(repr(made_of).encode())[:12]}"


def zipped(files: Files) -> bytes:
    """The files as a zip: the same bytes whenever it is made."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as target:
        for path, content in sorted(files.items()):
            entry = zipfile.ZipInfo(path, EARLY)
            entry.compress_type, entry.create_system, entry.external_attr = zipfile.ZIP_DEFLATED, 3, 0o644 << 16
            target.writestr(entry, content, compresslevel=9)
    return data.getvalue()
