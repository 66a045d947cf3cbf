"""A bare page for each panel, to stand in a frame of a course, and what oEmbed asks for. Used at build time only.

The pages lie side by side in embed/. Their links are read as if they stood on the full page, which lies as deep, so
what a panel links to is right in both places.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup

from tokenwalk import pages, panel
from tokenwalk.assets import Assets, Files
from tokenwalk.render import html
from tokenwalk.state import to_link, valid

PANEL = re.compile(r'\{\{ panel\("(\w+)"\) \}\}')
TITLE = re.compile(r"<h3[^>]*>(.*?)</h3>", re.S)
DARK = re.compile(r'^\[data-md-color-scheme="slate"\]\S* \{(.*?)\}', re.S | re.M)
WIDTH, HEIGHT = 740, 1200  # px; a host gets them that sets the size itself, the height for a panel not measured yet
HEIGHTS = json.loads((Path(__file__).parent / "data/heights.json").read_text())  # px, by tests/heights.py


@dataclass(frozen=True)
class Frame:
    """A panel, the page that it belongs to, the name of its bare page, the site's address with a slash at its end."""

    panel: str
    page: str
    name: str
    site: str
    width: int = WIDTH

    @property
    def title(self) -> str:
        """The panel's title, as plain text."""
        return title(self.panel)

    @property
    def file(self) -> str:
        """The path of the bare page in the site."""
        return f"embed/{self.name}.html"

    @property
    def full(self) -> str:
        """The full page, as seen from the bare one."""
        return "../" if self.page == "index" else f"../{self.page}/"

    @property
    def root(self) -> str:
        """The site, as seen from the full page."""
        return "" if self.page == "index" else "../"

    @property
    def height(self) -> int:
        """The height of its first picture in a frame of WIDTH, in px."""
        return height(self.name)

    def at(self, **settings: object) -> str:
        """The address of the bare page with the panel in one state. Raises BadInput for one that it cannot have."""
        link = to_link(valid(panel.module(self.panel).State, settings))
        return f"{self.site}{self.file}" + (f"#{self.panel}?{link}" if link else "")

    def snippet(self, **settings: object) -> Markup:
        """The `<iframe>` that shows it in a page of a course. Raises BadInput, as `at`."""
        return Markup(html("iframe.html", frame=self, address=self.at(**settings)).strip())


def height(name: str) -> int:
    """The height of a bare page's first picture in a frame of WIDTH, in px."""
    return int(HEIGHTS.get(name, HEIGHT))


@cache
def title(name: str) -> str:
    """The title of the panel `name`, as plain text."""
    found = TITLE.search(panel.first(name))
    return Markup(found.group(1) if found else name).striptags()


def frames(sources: Mapping[str, str], site: str) -> list[Frame]:
    """A Frame for each panel that a page shows, in reading order; `sources` holds each page's Markdown by its name.

    A panel that names its own PAGE holds the questions of that page, and its frame is called after the page.
    """
    shown = [(page, name) for page, text in sorted(sources.items()) for name in PANEL.findall(text)]
    known = panel.names()
    placed = [Frame(name, page, name, site) for page, name in shown if name in known and not own_page(name)]
    checks = [Frame(name, page, f"{page}-check", site) for name in known if (page := own_page(name)) in sources]
    return sorted([*placed, *checks], key=lambda frame: frame.page)


def own_page(name: str) -> str:
    """The page whose questions the panel `name` holds; nothing for any other panel."""
    return str(getattr(panel.module(name), "PAGE", ""))


def bare(frame: Frame, assets: Assets) -> str:
    """The bare page's HTML."""
    element = pages.element(frame.panel, assets.download)
    dark = "".join(DARK.findall(assets.files[f"{assets.app}/panel.css"].decode()))
    return html("embed.html", frame=frame, element=element, app=assets.app, dark=dark)


def oembed(frame: Frame) -> str:
    """What oEmbed calls a rich embed (oembed.com, section 2.3.4.4), as JSON."""
    said = {"version": "1.0", "type": "rich", "title": frame.title, "width": frame.width, "height": frame.height,
            "html": frame.snippet(), "provider_name": "Tokenwalk", "provider_url": frame.site}
    return json.dumps(said, indent=1)


def files(made: Iterable[Frame], assets: Assets) -> Files:
    """All bare pages and their oEmbed descriptions, by their path in the site."""
    texts = {frame.file: bare(frame, assets) for frame in made}
    texts |= {f"embed/{frame.name}.oembed.json": oembed(frame) for frame in made}
    return {path: text.encode() for path, text in texts.items()}
