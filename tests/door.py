"""A panel's door as tests use it: an action goes in, a picture comes out, and its tables are read."""

import json
from dataclasses import dataclass

from lxml.html import HtmlElement

from test_panels import parsed, respond, words


def said(root: HtmlElement) -> str:
    """What the panel says of its picture, in words."""
    return words(root.xpath(".//*[@class='say']")[0])


def number(text: str) -> float:
    """A number as the pages print it."""
    return float(text.replace("−", "-").replace(",", "").replace("∞", "inf"))


@dataclass(frozen=True)
class Door:
    """The door of the panel `name`."""

    name: str

    def answer(self, before: dict[str, object], **action: str) -> dict[str, str]:
        """The answer in a state, or to an action there: the state after it, and the HTML."""
        return respond(self.name, state=json.dumps(before), **({"action": action} if action else {}))

    def picture(self, before: dict[str, object], **action: str) -> HtmlElement:
        """The picture in a state, or after an action there."""
        return parsed(self.answer(before, **action)["html"])

    def cells(self, root: HtmlElement, table: str) -> list[list[str]]:
        """The texts of a table's cells, row by row; cells without a text, and rows without such cells, are left out."""
        (node,) = root.xpath(f".//table[@id='{self.name}-{table}']")
        rows = [[words(cell) for cell in row.iter("td") if words(cell)] for row in node.iter("tr")]
        return [row for row in rows if row]

    def table(self, root: HtmlElement, table: str) -> list[list[float]]:
        """The numbers of a table, row by row, as `cells`."""
        return [[number(text) for text in row] for row in self.cells(root, table)]
