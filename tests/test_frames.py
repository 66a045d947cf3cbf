"""Wherever the page is opened: in a course's frame, without storage, from an old server, under a policy, as a file."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from conftest import PAGE, Watch
from site_server import Handler, Site

HOST = """<!doctype html><title>A course</title><link rel="icon" href="data:,">
<input value="An answer"><div style="height: 900px"></div>
<iframe {sandbox} width="600" height="400" src="{address}"></iframe><div style="height: 900px"></div>"""


@pytest.fixture
def embed(browser: Browser, site: Site, tmp_path: Path) -> Iterator[Callable[..., tuple[Page, Frame]]]:
    """Opens the page in a frame of 600 × 400 px of a page of another site; nothing may go wrong in either."""
    course = Site(tmp_path)
    address = course.url.replace("127.0.0.1", "localhost")
    watch = Watch(browser.new_context(), site, expected=f"foreign: {address}")

    def embedded(sandbox: str = "", after: str = "") -> tuple[Page, Frame]:
        (tmp_path / "index.html").write_text(HOST.format(sandbox=sandbox, address=f"{site.url}{PAGE}{after}"))
        host = watch.context.new_page()
        host.goto(address)
        return host, host.frames[1]

    yield embedded
    watch.context.close()
    course.server.shutdown()
    watch.check()


def ready(host: Page, frame: Frame) -> Frame:
    """The frame, scrolled to build_x, once its Python is ready."""
    host.locator("iframe").scroll_into_view_if_needed()
    frame.locator("#build_x").scroll_into_view_if_needed()
    frame.wait_for_selector("#build_x[python=ready], #build_x[python=failed]", timeout=60_000)
    assert "computed live" in frame.inner_text("#build_x .status")
    return frame


def the_theme_works(page: Page | Frame) -> None:
    """The palette changes, and the search finds the clock of RoPE."""
    before = page.get_attribute("body", "data-md-color-scheme")
    page.locator("label[for^=__palette]:visible").first.click()
    expect(page.locator("body")).not_to_have_attribute("data-md-color-scheme", before)
    if not page.is_visible(".md-search__input"):
        page.locator("label[for=__search]:visible").click()
    page.locator(".md-search__input").press_sequentially("clock")
    expect(page.locator(".md-search-result__item")).not_to_have_count(0)


def test_all_works_in_a_frame_without_an_origin(embed, site: Site):
    with site.sending("Access-Control-Allow-Origin", "*"):  # as GitHub Pages and most static hosts do
        frame = ready(*embed('sandbox="allow-scripts"'))
        assert frame.evaluate("origin") == "null"
        the_theme_works(frame)


STORAGE = """() => {
    const inner = document.body.appendChild(document.createElement("iframe")).contentWindow; // no stand-in there
    try { return inner.localStorage.length; } catch ({ name }) { return name; }
}"""


def test_all_works_in_a_frame_of_another_site_without_storage(embed):
    frame = ready(*embed())
    assert frame.evaluate(STORAGE) == "SecurityError", "the browser forbids storage there"
    the_theme_works(frame)


def test_the_frame_takes_no_focus_and_does_not_scroll_its_host(embed):
    host, frame = embed(after="#build_x?shown=3&scheme=rope")
    host.focus("input")
    frame.wait_for_selector("#build_x[state*='\"shown\":3']", state="attached")
    frame.eval_on_selector("#build_x .load", "load => load.click()")
    frame.wait_for_selector("#build_x[python=ready]", state="attached", timeout=60_000)
    frame.evaluate("location.hash = 'build_x?shown=4'")
    frame.wait_for_selector("#build_x[state*='\"shown\":4']", state="attached")
    frame.eval_on_selector("#build_x-next", "next => next.click()")
    frame.wait_for_selector("#build_x[state*='\"shown\":5']", state="attached")
    assert host.evaluate("[scrollY, document.activeElement.tagName]") == [0, "INPUT"]


def test_a_frame_that_is_lower_than_the_page_scrolls(embed):
    host, frame = embed()
    host.locator("iframe").scroll_into_view_if_needed()
    host.locator("iframe").hover()
    host.mouse.wheel(0, 500)
    frame.wait_for_function("scrollY > 300")
    frame.locator(".md-footer").scroll_into_view_if_needed()
    expect(frame.locator(".md-footer")).to_be_in_viewport()


def typed(kind: str) -> Callable[[Handler], bool]:
    """What sends the file with this type."""
    return lambda handler: handler.answer(Path(handler.translate_path(handler.path)).read_bytes(), kind, 200)


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "document/unknown"])
def test_python_starts_from_a_server_that_knows_no_type_but_those_of_pages(open_page, site: Site, kind: str):
    assert not list(site.folder.rglob("*.mjs")), "a module with a wrong type is not run, so no file has that ending"
    with ExitStack() as stack:
        for ending in (".wasm", ".whl.bin", ".zip.bin", "pyodide-lock.json", "manifest.json", ".states.json"):
            stack.enter_context(site.changed(ending, typed(kind)))
        open_page().wait_for_selector("#build_x[python=ready]", timeout=60_000)


@contextmanager
def strict(site: Site) -> Iterator[None]:
    """While this lasts, scripts come from the site only, but for WebAssembly and the theme's inline scripts."""
    inline = re.findall(r"<script>(.*?)</script>", (site.folder / PAGE / "index.html").read_text(), re.DOTALL)
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in inline)
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    with site.sending("Content-Security-Policy", f"script-src 'self' 'wasm-unsafe-eval' {allowed}"):
        yield


def test_all_works_under_a_policy_that_allows_only_scripts_of_the_site(open_page, site: Site):
    with strict(site):
        page = open_page(script="""window.refused = [];
            addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) =>
                refused.push([violatedDirective, blockedURI, sourceFile].join(" ")));""")
        page.wait_for_selector("#build_x[python=ready]", timeout=60_000)
        the_theme_works(page)
        assert page.evaluate("refused") == []


BLOCKED = r"console: (Access to script at 'file:.*/\w+\.js'|Failed to load resource: net::ERR_FAILED)"


def test_opened_from_a_file_the_page_reads_well_and_says_what_needs_http(browser: Browser, site: Site):
    watch = Watch(browser.new_context(), site, expected=rf"foreign: file:|{BLOCKED}")
    page = watch.context.new_page()
    page.goto((site.folder / PAGE / "index.html").as_uri())
    expect(page.locator("h1")).to_contain_text("from ids to X")
    for name in ("build_x", "lookup"):
        assert page.locator(f"#{name} table").first.is_visible()
        lines = page.locator(f"#{name} [data-when]:visible")
        expect(lines).to_have_count(1)
        assert "serve the folder over http" in lines.inner_text()
    watch.context.close()
    watch.check()
