"""A page's Markdown, filled in with the model's own values: str -> str. Nothing here knows MkDocs."""

import inspect
import json
import re
import subprocess
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cache, partial
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from tokenwalk import checking, panel, toy, worked
from tokenwalk.render import ENV, head, html, number
from tokenwalk.state import to_text

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
MODEL = {name: import_module(f"tokenwalk.{name}") for name in (
    "attention", "block", "cost", "facts", "generate", "lookup", "merges", "output", "path", "position", "tokens",
    "toy", "worked", "zipf")}


@dataclass(frozen=True)
class Step:
    """One of the seven steps: its page, its name, what comes in and what goes out."""

    page: str
    name: str
    takes: str
    gives: str


STEPS = (
    Step("1-tokens", "Tokens", "a text", "ids"),
    Step("2-embeddings", "Embeddings", "ids", "X, one row of numbers for each token"),
    Step("3-query-key-value", "Query, key, value", "X", "what one head hands on for each token"),
    Step("4-mask-and-heads", "Mask and heads", "X", "what all heads hand on together"),
    Step("5-block", "Block", "X, and what the heads hand on", "Y, one row for each token"),
    Step("6-output", "Output", "Y", "a probability for each id"),
    Step("7-generation", "Generation", "probabilities", "the next token, then the next"),
)


@cache
def code(function: Any) -> dict[str, Any]:
    """A function of the model as a reader sees it: its name, its file, its source with its name and comments marked."""
    source = inspect.getsource(function)
    file = Path(inspect.getsourcefile(function) or "").relative_to(Path(__file__).parent).as_posix()
    marked = highlight(source, PythonLexer(), HtmlFormatter(nowrap=True))
    lines = TOKEN.sub(lambda m: m.group(0) if m.group(1) in ("nf", "sd", "c1") else m.group(2), marked)
    return {"name": function.__name__, "file": file, "html": lines}


@cache
def element(name: str, download: int) -> Markup:
    """The `<py-panel>` element with the panel's first picture drawn in it, complete without scripts.

    Questions stand beside it once more, in a form that needs no scripts, and for paper.
    """
    module = panel.module(name)
    paper = checking.paper(name) if hasattr(module, "QUESTIONS") else ""
    return Markup(html("element.html", panel=name, text=to_text(module.State()), body=panel.first(name), paper=paper,
                       keep=getattr(module, "KEEP", False), code=[code(f) for f in module.CODE],
                       megabytes=download / 1e6))


def steps(page: str, pages: Set[str]) -> Markup:
    """The strip of seven steps with `page` marked; a step whose page does not exist is plain text."""
    return Markup(html("steps.html", steps=STEPS, page=page, pages=pages))


def show(name: str, text: str, /, **settings: object) -> Markup:
    """A link to the panel `name` in one state. Raises BadInput for a state that the panel cannot have."""
    return Markup('<a href="{}">{}</a>').format(panel.address(name, **settings), text)


def matrix(name: str, values: Any, heads: Sequence[object], shape: str, columns: Sequence[object] = (),
           text: Callable[[float], str] = number) -> Markup:
    """A matrix in the prose, as a table: its name and shape, the head of each row, and of each column if given."""
    values = np.asarray(values, float)
    rows, most = list(zip(heads, values, strict=True)), np.abs(values).max()
    anchor = re.sub(r"\W+", "-", f"matrix {name}").lower()
    return Markup(html("matrix.html", id=anchor, name=name, shape=shape, rows=rows, columns=columns, most=most,
                       text=text))


def sums() -> Markup:
    """The finished X of the running example, each number with the sum that made it."""
    return Markup(html("sums.html", ids=toy.IDS, rows=toy.E[toy.IDS], added=toy.P[:worked.n], X=worked.X,
                       most=np.abs(worked.X).max()))


def token_heads(ids: Iterable[int], start: int = 0) -> list[Markup]:
    """Heads for rows that belong to tokens: a number that counts from `start`, and the token."""
    return [head(k, i) for k, i in enumerate(ids, start)]


def render(markdown: str, page: str, pages: Set[str], download: int, **more: object) -> str:
    """The Markdown with every expression in it evaluated. Raises jinja2.UndefinedError for a name that is not known.

    `page` is the page's name without an ending, `pages` all the names that exist, `download` the runtime's bytes;
    `more` are further names that the Markdown may use.
    """
    helpers = {f.__name__: f for f in (show, matrix, sums, token_heads)}
    here = {"panel": partial(element, download=download), "steps": partial(steps, page, pages), "STEPS": STEPS}
    return ENV.from_string(markdown, globals=ENV.globals | MODEL | helpers | here | more).render()


def typeset(page: str, katex: Sequence[object]) -> str:
    """The page's HTML with each formula set by KaTeX, which runs here, at build time, and not in the reader's browser.

    `katex` is the command that takes formulas as JSON and gives their HTML. Raises ValueError for a formula it refuses.
    """
    formulas = [{"tex": unescape(tex), "display": tag == "div"} for tag, tex in FORMULA.findall(page)]
    if not formulas:
        return page
    command = [str(word) for word in katex]
    answer = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True, encoding="utf-8")
    if answer.returncode:
        raise ValueError(next((line for line in answer.stderr.splitlines() if "Error:" in line), answer.stderr))
    done = iter(json.loads(answer.stdout))
    return FORMULA.sub(lambda _: next(done), page)
