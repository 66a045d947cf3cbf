"""Pages: Markdown in, HTML out; and what must hold for every page of the built site."""

import importlib
import inspect
import re
from collections import Counter
from urllib.parse import unquote, urljoin, urlsplit

import jinja2
import pytest
from lxml import html as parser
from lxml.html import HtmlElement

from site_server import Site
from tokenwalk import pages, panel, walk
from tokenwalk.state import BadInput, from_link, to_link

ALL = {"index", "1-tokens", "2-embeddings"}


def render(markdown: str, page: str = "2-embeddings") -> str:
    return pages.render(markdown, page, ALL, 9_000_000)


def parsed(html: str) -> HtmlElement:
    return parser.fragment_fromstring(html, create_parent="div")


# --- Markdown in, HTML out


def test_a_page_states_the_models_own_numbers():
    assert render("{{ number(toy.E[4, 1] / 3) }} of {{ number(facts.GPT2.table) }}") == "0.333 of 38,597,376"


@pytest.mark.parametrize("typo", ["{{ nothing }}", "{{ toy.NOTHING }}", "{{ toy.E | nofilter }}", "{{ panel }"])
def test_a_typo_fails_the_build(typo: str):
    with pytest.raises((jinja2.UndefinedError, jinja2.TemplateSyntaxError)):
        render(typo)


def test_a_panel_that_does_not_exist_fails_the_build():
    with pytest.raises(BadInput, match="no panel called nothing"):
        render('{{ panel("nothing") }}')


def test_an_anchor_and_a_formula_are_left_alone():
    text = "## The lookup {#lookup}\n$x_{i}$ and {: .wide }"
    assert render(text) == text


def test_a_link_to_a_state_is_one_that_the_panel_knows():
    (link,) = parsed(render('{{ show("build_x", "so", shown=3, scheme="rope") }}')).iter("a")
    assert (link.get("href"), link.text) == ("#build_x?shown=3&scheme=rope", "so")
    with pytest.raises(BadInput):
        render('{{ show("build_x", "so", scheme="ropes") }}')


@pytest.mark.parametrize(("page", "root", "here"), [("index", "", []), ("2-embeddings", "../", ["2 Embeddings"])])
def test_the_strip_marks_the_step_and_links_only_what_exists(page: str, root: str, here: list[str]):
    strip = parsed(render("{{ steps() }}", page))
    assert [" ".join(li.text_content().split()) for li in strip.iter("li")] == [
        f"{k} {step.name}" for k, step in enumerate(pages.STEPS, start=1)]
    assert [" ".join(li.text_content().split()) for li in strip.xpath(".//li[@aria-current='step']")] == here
    assert strip.xpath(".//a/@href") == [f"{root}{name}/" for name in sorted(ALL - {"index", page})]


@pytest.mark.parametrize("name", panel.names())
def test_the_python_shown_is_the_python_that_runs(name: str):
    root = parsed(render(f'{{{{ panel("{name}") }}}}'))
    figures = root.xpath(".//figure[@data-function]")
    for figure in figures:
        (file,) = figure.xpath("./figcaption/code/text()")
        module = importlib.import_module("tokenwalk." + file.removesuffix(".py").replace("/", "."))
        function = getattr(module, figure.get("data-function"))
        assert figure.xpath("string(.//pre)").strip() == inspect.getsource(function).strip()
    used = {f for _, html, _ in walk.states(name).values() for f in parsed(html).xpath("string(.//@data-used)").split()}
    shown = {figure.get("data-function") for figure in figures}
    assert used == shown or (used < shown and "CAP" in vars(panel.module(name)))  # a table with a cap is not all states


@pytest.mark.parametrize("name", panel.names())
def test_a_panel_stands_in_its_page_with_its_first_picture(name: str):
    (element,) = parsed(render(f'{{{{ panel("{name}") }}}}')).iter("py-panel")
    state, (_, picture, _) = next(iter(walk.states(name).items()))
    assert (element.get("name"), element.get("state")) == (name, state)
    (body,) = element.find_class("body")
    assert body.text_content().split() == parsed(picture).text_content().split()
    assert "about 9 MB" in element.text_content()


# --- the built site


@pytest.fixture(scope="module")
def built(site: Site) -> dict[str, HtmlElement]:
    """Every page of the built site, by its path; test_embed.py has the bare ones."""
    files = list(site.folder.rglob("index.html"))
    assert len(files) >= 2
    return {file.parent.relative_to(site.folder).as_posix(): parser.parse(str(file)).getroot() for file in files}


def test_no_page_repeats_an_id(built: dict[str, HtmlElement]):
    for path, root in built.items():
        assert [i for i, n in Counter(root.xpath("//body//@id")).items() if n > 1] == [], path


def test_nothing_that_a_page_loads_lies_on_another_host(built: dict[str, HtmlElement], site: Site):
    for path, root in built.items():
        loaded = root.xpath("//@src | //@srcset | //@poster | //link[not(@rel='canonical')]/@href")
        assert [address for address in loaded if urlsplit(address).netloc] == [], path
        for address in (a for a in loaded if not a.startswith("data:")):  # an image within the page loads nothing
            file = urljoin(f"/{path}/x", address).split("?")[0]
            assert (site.folder / unquote(file).lstrip("/")).exists(), (path, address)
    for sheet in site.folder.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(https?:)?//|@import", sheet.read_text()), sheet


def test_every_link_within_the_site_leads_somewhere(built: dict[str, HtmlElement], site: Site):
    for path, root in built.items():
        for href in root.xpath("//body//a/@href"):
            address = urlsplit(href)
            if address.netloc or address.scheme:
                continue
            target = urljoin(f"/{path}/", address.path).strip("/") or "."
            assert target in built or (site.folder / target).is_file(), (path, href)
            anchor, _, link = address.fragment.partition("?")
            assert not anchor or unquote(anchor) in built[target].xpath("//@id"), (path, href)
            if link:
                assert to_link(from_link(panel.module(anchor).State, link)) == link, (path, href)


def test_no_formula_is_left_as_source(built: dict[str, HtmlElement]):
    formulas = 0
    for path, root in built.items():
        for node in root.xpath("//script | //style | //annotation | //pre | //code"):
            node.drop_tree()
        formulas += len(root.find_class("katex"))
        assert not re.search(r"\$|\\[(\[a-z]|\{\{|\}\}", root.text_content()), path
    assert formulas
