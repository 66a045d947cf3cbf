"""One Jinja2 environment and one number format, for prose, panels and formulas alike.

A number that three decimals hold exactly is printed short (`1`, `0.5`); a number that had to be rounded shows
all three (`0.540`, `1.000`). So trailing zeros always mean "rounded". There is never a −0.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any
from unicodedata import category

import jinja2
import numpy as np
from markupsafe import Markup

from tokenwalk import toy

MINUS = "\u2212"
EXACT = 1e-9  # how close a value must be to its rounded form to count as exact: far below any printed digit
TINTS = 8
BLANKS = {" ": "␣", "\n": "↵", "\t": "⇥"}


def number(x: float, digits: int = 3) -> str:
    """`x` as text: at most `digits` decimals, U+2212 for minus, a comma between thousands.

    Raises ValueError for what is not a finite number: a picture never shows `nan`.
    """
    value = float(x)
    if not np.isfinite(value):
        raise ValueError(f"{x!r} is not a finite number")
    ulp = 10.0**-digits
    rounded = math.copysign(math.floor(abs(value) / ulp + 0.5 + EXACT) * ulp, value)  # halves go away from zero
    text = f"{rounded:,.{digits}f}"
    if abs(value - rounded) < EXACT and "." in text:
        text = text.rstrip("0").rstrip(".")
    negative = text.startswith("-") and any(c in text for c in "123456789")  # a −0 is a 0
    return MINUS * negative + text.lstrip("-")


def rounded(p: float) -> str:
    """`p`, not below 0, as text, always with three decimals: no probability of a softmax is exactly 0 or 1."""
    return f"{float(p):.3f}"


def whole(x: float) -> str:
    """`x` rounded to a whole number, as text, with a comma between thousands."""
    return number(round(float(x)))


def percent(share: float, digits: int = 1) -> str:
    """A share from 0 to 1 as text in per cent, always with `digits` decimals: 0.0376 → `3.8 %`."""
    return f"{100 * float(share):.{digits}f}\u202f%".replace("-", MINUS)


def tex(text: str) -> str:
    """A printed number as KaTeX wants it: a comma between thousands takes no space after it."""
    return text.replace(",", "{,}").replace(MINUS, "-")


def row(values: Iterable[float]) -> str:
    """A row of numbers as text, one space between two: `1 0 0 −1`."""
    return " ".join(number(v) for v in values)


def over(value: float, denominator: int) -> str:
    """`value` as so many parts of `denominator`, not reduced, so that multiples can be read off: `−2/16`."""
    parts = Fraction(float(value)).limit_denominator(1 << 20) * denominator
    if parts.denominator != 1:
        raise ValueError(f"{value} is not a multiple of 1/{denominator}")
    return "0" if parts == 0 else f"{parts.numerator}/{denominator}".replace("-", MINUS)


def plus(x: float, digits: int = 3) -> str:
    """`x` as the second term of a sum: `+ 0.5`, `− 0.5`."""
    text = number(x, digits)
    return f"{MINUS} {text[1:]}" if text.startswith(MINUS) else f"+ {text}"


def factor(x: float) -> str:
    """`x` as a factor in a product: a negative one stands in brackets, `(−0.5)`."""
    return f"({number(x)})" if number(x).startswith(MINUS) else number(x)


def tint(x: float, most: float) -> str:
    """The class of a cell's tint: n1 … n8 below zero, p1 … p8 above, nothing at zero; `most` is the strongest."""
    level = round(TINTS * min(abs(float(x)) / most, 1.0)) if most > 0 else 0
    if level == 0:
        return ""
    return f"{'p' if x > 0 else 'n'}{level}"


def words(items: Iterable[object]) -> str:
    """A list in words: `a`, `a and b`, `a, b and c`."""
    *head, last = [str(i) for i in items]
    return f"{', '.join(head)} and {last}" if head else last


def count(n: int, one: str, many: str | None = None) -> str:
    """`n` things in words, spelt out up to twelve: `one row`, `two rows`, `48 products`."""
    names = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return f"{names[n] if n < len(names) else number(n)} {one if n == 1 else many or one + 's'}"


def subscript(n: int) -> Markup:
    """A whole number set below the line."""
    return Markup("<sub>{}</sub>").format(n)


def token(i: int) -> Markup:
    """The token with id `i` as a reader sees it everywhere: monospace, faint ␣, its own underline."""
    text = toy.TOKENS[i]
    space, rest = ("<i>␣</i>", text[1:]) if text.startswith("␣") else ("", text)
    return Markup('<span class="tok t{}">{}{}</span>').format(i, Markup(space), rest)


def visible(text: str) -> str:
    """The text with something to see for each character: ␣ for a space, ↵ and ⇥ for a break and a tab.

    A mark that has no letter to sit on sits on ◌. What has no picture is named by its number, as U+200D. A byte that is
    no character by itself, which decoding with surrogateescape leaves as U+DC80 … U+DCFF, is written ⟨80⟩.
    """
    alone = (category(before)[0] in "ZC" for before in " " + text)
    return "".join("◌" * (bare and category(c)[0] == "M") + seen(c) for c, bare in zip(text, alone, strict=False))


def seen(c: str) -> str:
    """One character as `visible` writes it."""
    if "\udc80" <= c <= "\udcff":
        return f"⟨{ord(c) - 0xDC00:02X}⟩"
    return BLANKS.get(c) or (c if c.isprintable() else f"U+{ord(c):04X}")


def head(k: int, i: int) -> Markup:
    """The head of a row that belongs to the token with id `i`: a small number (its position or id), and the token."""
    return Markup("<small>{}</small> {}").format(k, token(i))


def environment() -> jinja2.Environment:
    """The one Jinja2 environment: strict about names, escaping, `{#` left to Markdown's attribute lists."""
    folder = Path(__file__).parent / "templates"
    made = (folder / "compiled").is_dir()  # in the browser: see assets.archive
    env = jinja2.Environment(
        loader=jinja2.ModuleLoader(folder / "compiled") if made else jinja2.FileSystemLoader(folder),
        autoescape=True, undefined=jinja2.StrictUndefined, comment_start_string="{##", comment_end_string="##}",
        trim_blocks=True, lstrip_blocks=True, cache_size=400,
    )
    helpers = (number, rounded, whole, percent, tex, row, over, plus, factor, tint, words, count, subscript, token,
               head, visible)
    env.globals.update({f.__name__: f for f in helpers}, toy=toy, np=np, zip=zip, enumerate=enumerate)
    env.filters.update({f.__name__: f for f in helpers})
    return env


ENV = environment()


def html(template: str, **values: Any) -> str:
    """The named template, filled."""
    return ENV.get_template(template).render(values)
