"""Bare pages for frames, as they are built: each panel has one, all it needs is there, a course can be told of it."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from lxml import html as parser
from lxml.html import HtmlElement

from conftest import ROOT
from site_server import Site
from tokenwalk import embed, pages, panel
from tokenwalk.state import BadInput

BUILT_FOR = "http://127.0.0.1:8000/tokenwalk/"  # what mkdocs.yml says where nothing else is said
KEPT = {"src", "width", "height", "title", "allowfullscreen", "loading"}  # no style, no script, no allow


@pytest.fixture(scope="module")
def built(site: Site) -> dict[str, HtmlElement]:
    """Every bare page of the built site, by its name."""
    return {file.stem: parser.parse(str(file)).getroot() for file in (site.folder / "embed").glob("*.html")}


@pytest.fixture(scope="module")
def there(site: Site) -> Callable[[str], Path]:
    """The file of the site that an address in it leads to."""
    return lambda path: site.folder / unquote(urlsplit(path).path).lstrip("/")


# --- a page's Markdown in, frames out


def made(**sources: str) -> list[tuple[str, str, str]]:
    return [(frame.panel, frame.page, frame.file) for frame in embed.frames(sources, "https://x.org/y/")]


def test_a_page_gives_a_frame_for_each_of_its_panels_and_none_for_a_typing_error():
    text = 'One. {{ panel("lookup") }} Two. {{ panel("order") }} {{ panel("nothing") }}'
    assert made(b=text, a='{{ panel("cut") }}') == [
        ("cut", "a", "embed/cut.html"), ("lookup", "b", "embed/lookup.html"), ("order", "b", "embed/order.html")]


def test_the_questions_of_a_page_are_called_after_the_page(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(panel.module("lookup"), "PAGE", "b", raising=False)
    assert made(b='{{ panel("lookup") }} {{ panel("order") }}', a="") == [
        ("order", "b", "embed/order.html"), ("lookup", "b", "embed/b-check.html")]


def test_an_address_carries_a_state_and_refuses_one_that_the_panel_cannot_have():
    (frame,) = embed.frames({"index": '{{ panel("build_x") }}'}, "https://x.org/y/")
    assert frame.at() == "https://x.org/y/embed/build_x.html"
    assert frame.at(shown=3, scheme="rope") == "https://x.org/y/embed/build_x.html#build_x?shown=3&scheme=rope"
    assert frame.full == "../"
    with pytest.raises(BadInput):
        frame.at(scheme="ropes")


# --- the built site


def test_every_panel_has_a_bare_page_and_all_lie_side_by_side(site: Site, built: dict[str, HtmlElement]):
    shown = [name for root in built.values() for name in root.xpath("//py-panel/@name")]
    assert sorted(shown) == panel.names()
    assert all(file.is_file() for file in (site.folder / "embed").iterdir())
    elsewhere = {file.name for file in site.folder.rglob("*") if file.parent.name != "embed"}
    assert elsewhere.isdisjoint(file.name for file in (site.folder / "embed").iterdir())


def test_all_that_a_bare_page_loads_is_there_and_is_named_relative_to_it(built: dict[str, HtmlElement], there):
    for name, root in built.items():
        (base,) = root.xpath("//base/@href")
        loaded = root.xpath("//script/@src | //img/@src | //link[@rel!='alternate' and @rel!='icon']/@href")
        assert len(loaded) >= 6
        for address in loaded:
            assert not address.startswith(("/", "http")), (name, address)
            assert address.startswith("data:") or there(urljoin(f"/embed/{base}", address)).is_file(), (name, address)


def test_every_link_of_a_bare_page_leads_to_a_full_page_and_to_its_anchor(built: dict[str, HtmlElement], there):
    for name, root in built.items():
        (base,) = root.xpath("//base/@href")
        assert root.xpath("//base/@target") == ["_blank"]
        (full,) = root.xpath("//p[@class='full']/a/@href")
        assert full == f"#{root.xpath('string(//py-panel/@name)')}"
        for href in root.xpath("//a/@href"):
            address = urlsplit(urljoin(f"http://here/embed/{base}", href))
            if address.netloc == "here":
                page = parser.parse(str(there(address.path) / "index.html")).getroot()
                assert page.xpath("//*[@id=$id]", id=address.fragment.split("?")[0]), (name, href)


def test_a_bare_page_says_what_it_is(built: dict[str, HtmlElement]):
    for name, root in built.items():
        title = " ".join(root.xpath("string(//py-panel//h3)").split())
        assert root.xpath("string(//title)") == f"{title} · Tokenwalk"
        assert (root.get("lang"), root.xpath("//meta[@name='robots']/@content")) == ("en", ["noindex"]), name
        assert root.xpath("//meta[@name='viewport']/@content") == ["width=device-width, initial-scale=1"]
        assert not root.xpath("//*[@autofocus] | //nav | //form[@role='search']")


def test_before_python_a_bare_page_is_small(built: dict[str, HtmlElement], site: Site, there):
    for name, root in built.items():
        (base,) = root.xpath("//base/@href")
        loaded = root.xpath("//script/@src | //link[@rel='stylesheet' or @rel='modulepreload']/@href")
        addresses = [urljoin(f"/embed/{base}", address) for address in loaded]
        files = [site.folder / f"embed/{name}.html", *map(there, addresses)]
        sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in files}
        assert sum(sizes.values()) <= 45_000, (name, sizes)


def test_oembed_is_told_of_the_frame(built: dict[str, HtmlElement], site: Site, there):
    for name, root in built.items():
        (href,) = root.xpath("//link[@rel='alternate'][@type='application/json+oembed']/@href")
        assert href.startswith(BUILT_FOR)
        said = json.loads(there(href.removeprefix(BUILT_FOR)).read_text())
        assert (said["version"], said["type"], said["provider_url"]) == ("1.0", "rich", BUILT_FOR)
        frame = parser.fragment_fromstring(said["html"])
        assert (frame.tag, frame.get("src")) == ("iframe", f"{BUILT_FOR}embed/{name}.html")
        assert frame.get("title") == f"Tokenwalk: {said['title']}"
        assert (int(frame.get("height")), type(said["width"])) == (said["height"], int)


def test_the_page_for_teachers_has_a_frame_to_copy_and_a_link_for_each_panel(site: Site, built: dict[str, HtmlElement]):
    root = parser.parse(str(site.folder / "teach/index.html")).getroot()
    codes = [code.text_content().strip() for code in root.xpath("//article//code")]
    frames = [parser.fragment_fromstring(code) for code in codes if code.startswith("<iframe")]
    assert {frame.get("src").split("#")[0] for frame in frames} == {f"{BUILT_FOR}embed/{name}.html" for name in built}
    assert all(set(frame.keys()) == KEPT for frame in frames)
    opened = {href for href in root.xpath("//article//a/@href") if href.startswith("../embed/")}
    assert opened == {f"../embed/{name}.html" for name in built}
    assert len(root.xpath("//iframe[not(ancestor::details)]")) == 1, "more would start Python once each"
    previews = root.xpath("//details[not(@open)]/iframe")
    assert {frame.get("src") for frame in previews} == {f"../embed/{name}.html" for name in built}
    assert all(frame.get("loading") == "lazy" and frame.get("title") for frame in previews)


def test_the_readme_shows_a_frame_of_the_height_that_is_measured():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert f'embed/build_x.html" width="100%" height="{embed.HEIGHTS["build_x"]}"' in readme


@pytest.mark.parametrize("place", ["", "../packages/"])
def test_where_the_packages_lie_on_the_site_teachers_can_download_them(place: str):
    source = (ROOT / "docs/teach.md").read_text(encoding="utf-8")
    sources = {file.stem: file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("*.md")}
    frames = embed.frames(sources, BUILT_FOR)
    text = pages.render(source.split("---", 2)[2], "teach", {"teach"}, 0, frames=frames, packages=place)
    names = ["tokenwalk-scorm12.zip", "tokenwalk-scorm12-thin.zip", "tokenwalk-scorm2004.zip", "tokenwalk.imscc"]
    assert re.findall(r'href="([^"]+)" download', text) == [place + name for name in names if place]
    assert all(name in text for name in names) and ("Download one here" in text) == bool(place)


def test_teachers_are_told_the_versions_that_the_tests_lock():
    told = (ROOT / "docs/teach.md").read_text(encoding="utf-8")
    npm = json.loads((ROOT / "package.json").read_text())["devDependencies"]
    hosts = dict(re.findall(r"^([\w-]+)==(\S+)", (ROOT / "tests/hosts/requirements.lock").read_text(), re.M))
    for name, version in (("scorm-again", npm["scorm-again"]), ("scormhost", hosts["scormhost"]),
                          ("Open edX’s SCORM XBlock", hosts["openedx-scorm-xblock"])):
        assert re.findall(rf"{name} (\d[\d.]*\d)", told) == [version]
    for name, package in (("iframe-resizer", "iframe-resizer"), ("open-iframe-resizer", "@open-iframe-resizer/core")):
        assert set(re.findall(rf"(?<!-){name} (\d+)", told)) == {npm[package].split(".")[0]}
