"""What went wrong for others who bring Python to a page, by the numbers of our list of their reports.

In this file 4, 7, 9–13, 16, 18–20, 22, 24 and 35. In test_browser 1–3 (a runtime that does not arrive), 8 (another host
is out of reach), 21 (shortcuts), 25 (no reload), 32 (a copied link), 33 (announced once) and 34 (reduced motion). In
test_setup 5 and 6 (the files are those of the lists). In test_frames 2, 23, 26, 28 and 29. In test_engines 14, 15 and
27. In test_chart 36 (greyscale). 17 needs no test as long as no page runs a reader's code; 29–31 belong to the course.
"""

import gzip
import io
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from lxml import html
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from conftest import PAGE, go_to
from site_server import SUB, Handler, Site
from test_access import STEPS, found
from test_browser import has, is_in, press, ready, shows, status, to_the_page, workers
from tokenwalk import walk
from tokenwalk.panels.build_x import State
from tokenwalk.state import to_link, to_text

LOADING, FAILED = "#build_x[python=loading]", "#build_x[python=failed]"
OUTSIDE = State(shown=5, playing=True, scheme="none")  # valid, but no control leads to it: only Python can answer
KEEP = """window.workers = [];
    window.Worker = class extends Worker {
        constructor(address, options) {
            super(address, options);
            if (`${address}`.includes("worker.js")) workers.push(this);
        }
    };"""
BREAK = "workers.at(-1).dispatchEvent(new ErrorEvent('error', { message: 'Memory is full.' }))"


def pages(site: Site) -> list[str]:
    """The addresses of all pages, from the start on."""
    return ["", *sorted(f"{file.parent.name}/" for file in site.folder.glob("[0-9]-*/index.html"))]


def to_the_start(page: Page, site: Site) -> None:
    page.locator(f"a[href='{site.url}']:visible").first.click()
    page.wait_for_url(site.url)
    expect(page.locator("#build_x")).to_have_count(0)


# --- slow


class Slow:
    """A server with gzip behind a connection of `rate` bytes a second, which all its answers share."""

    def __init__(self, rate: float) -> None:
        self.rate, self.lock = rate, threading.Lock()

    def __call__(self, handler: Handler) -> bool:
        file = Path(handler.translate_path(handler.path))
        if file.is_dir():
            file /= "index.html"
        if not file.is_file():
            return False
        data = gzip.compress(file.read_bytes(), 1)
        handler.send_response(200)
        for name, value in (("Content-Type", handler.guess_type(str(file))), ("Content-Encoding", "gzip"),
                            ("Content-Length", str(len(data)))):
            handler.send_header(name, value)
        handler.end_headers()
        for start in range(0, len(data), 8192):
            with self.lock:
                time.sleep(len(data[start:start + 8192]) / self.rate)
            handler.wfile.write(data[start:start + 8192])
        return True


SHARES = """new MutationObserver(() => {
    const share = document.querySelector("#build_x .share");
    if (share) seen.push([share.closest("py-panel").getAttribute("python"), Number(share.textContent)]);
}).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["python"] });
window.seen = [];"""


def test_at_a_phones_speed_the_words_come_soon_go_on_and_tell_the_truth(open_page, site: Site):
    """The first 15 seconds at 1.6 Mbit/s, the rest at once."""
    slow, words = Slow(200_000), []
    page = open_page("", script=SHARES)
    with site.changed("", slow):
        start = time.monotonic()
        page.goto(f"{site.url}{PAGE}#build_x", wait_until="commit")
        while time.monotonic() < start + 15:
            if page.locator("#build_x .status").count() and (not words or words[-1][1] != status(page)):
                words.append((time.monotonic() - start, status(page)))
            page.wait_for_timeout(200)
        slow.rate = 1e9
        ready(page)
    times = [seconds for seconds, _ in words]
    assert times[0] < 3
    assert max(after - before for before, after in zip(times, [*times[1:], 15], strict=True)) < 5, words
    seen = page.evaluate("seen")
    shares = [share for _, share in seen]
    assert shares == sorted(shares) and shares[-1] == 100 and ["ready", 100] in seen
    assert len({share for word, share in seen if word == "loading"}) > 20
    assert list(dict.fromkeys(word for word, _ in seen)) == ["off", "loading", "starting", "ready"]


@pytest.fixture
def timed(open_page) -> Page:
    """A page without Python, whose clock can be put forward: page.clock.fast_forward(milliseconds)."""
    page = open_page("", script=KEEP)
    page.clock.install()
    return page


def test_only_two_minutes_of_silence_count_as_failure(timed: Page, site: Site):
    with site.holding(".wasm"), site.holding(".whl.bin") as release:
        go_to(timed, site.url + PAGE)
        timed.wait_for_function("document.querySelector('#build_x .share').textContent > 10")
        timed.clock.fast_forward(100_000)
        has(timed, LOADING)
        share = timed.locator("#build_x .share").text_content()
        release()
        timed.wait_for_function("before => document.querySelector('#build_x .share').textContent !== before", arg=share)
        timed.wait_for_timeout(500)
        timed.clock.fast_forward(100_000)
        timed.wait_for_timeout(500)
        has(timed, LOADING)
        timed.clock.fast_forward(21_000)
        has(timed, FAILED, 5_000)
        assert "120 seconds" in status(timed)
    timed.click("#build_x [data-when=failed] .load")
    ready(timed)


def test_a_start_on_a_slow_machine_has_two_minutes_too(timed: Page, site: Site):
    with site.answering("/worker.js", b"postMessage({ word: 'starting', share: 100 })", "text/javascript"):
        go_to(timed, site.url + PAGE)
        timed.wait_for_selector("#build_x[python=starting]", state="attached")
        timed.clock.fast_forward(100_000)
        timed.wait_for_timeout(500)
        has(timed, "#build_x[python=starting]")
        timed.clock.fast_forward(21_000)
        has(timed, FAILED, 5_000)
        assert "120 seconds" in status(timed)
    timed.click("#build_x [data-when=failed] .load")
    ready(timed)


def test_reading_and_scrolling_go_on_while_python_loads_which_is_never_on_the_pages_own_thread(open_page, site: Site):
    count = """window.used = [];
        for (const name of Object.getOwnPropertyNames(WebAssembly)) {
            const real = WebAssembly[name];
            if (typeof real === "function")
                WebAssembly[name] = new Proxy(real, {
                    apply: (...call) => (used.push(name), Reflect.apply(...call)),
                    construct: (...call) => (used.push(name), Reflect.construct(...call)),
                });
        }"""
    with site.holding(".wasm") as release:
        page = open_page(script=count)
        has(page, LOADING)
        before = page.evaluate("scrollY")
        page.mouse.move(640, 400)
        page.mouse.wheel(0, -300)
        page.wait_for_function("before => scrollY < before", arg=before)
        release()
        ready(page)
    assert page.evaluate("[used, 'loadPyodide' in window]") == [[], False]
    assert workers(page) == 1
    assert [worker.url for worker in page.workers if not worker.url.startswith(site.url)] == []


# --- the wrong thing


@pytest.mark.parametrize("elsewhere", [False, True], ids=["of the site", "of another site"])
@pytest.mark.parametrize("file", ["worker.js", "manifest.json", ".wasm", "tokenwalk.zip.bin"])
def test_a_redirect_to_a_login_is_told_in_words(open_page, site: Site, file: str, elsewhere: bool):
    login = f"{site.origin.replace('127.0.0.1', 'localhost') if elsewhere else ''}{SUB}/login"
    with site.answering(file, b"", status=302, location=login), site.answering("/login", b"<!doctype html><p>Who?"):
        page = open_page(expected="foreign: http://localhost|console: ")
        has(page, FAILED, 15_000)
        assert ("worker" if file == "worker.js" else file) in status(page)
        press(page, "next")
        shows(page, shown=1)


def flipped(data: bytes) -> bytes:
    """The same but for one bit in the middle."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:]


@pytest.mark.parametrize("file", ["pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip.bin",
                                  ".whl.bin", "pyodide-lock.json", "tokenwalk.zip.bin"])
def test_a_file_of_another_version_is_told_in_words(open_page, site: Site, file: str):
    (right,) = site.folder.glob(f"*/*{file}")
    with site.answering(file, flipped(right.read_bytes()), "application/octet-stream"):
        page = open_page(expected="console: ")
        has(page, FAILED, 15_000)
        assert f"{file} is not the file that this page was built with" in status(page)


def test_files_of_two_versions_under_each_others_names_are_told_in_words(open_page, site: Site):
    (other,) = site.folder.glob("app-*/tokenwalk.zip.bin")
    with site.answering("python_stdlib.zip.bin", other.read_bytes(), "application/zip"):
        page = open_page()
        has(page, FAILED, 15_000)
        assert "python_stdlib.zip.bin is not the file that this page was built with" in status(page)
    page.click("#build_x [data-when=failed] .load")
    ready(page)


# --- workers


def test_a_worker_that_breaks_is_replaced_and_if_it_breaks_again_the_reader_is_asked(open_page, site: Site):
    with site.answering("states.json", b"", status=404):  # only Python can answer
        page = ready(open_page(script=KEEP, expected="404"))
        press(page, "next")
        shows(page, shown=1)
        page.evaluate("workers[0].postMessage = () => {}")  # it breaks while answers are due
        press(page, "next", "scheme-rope")
        page.evaluate(BREAK)
        shows(page, shown=2, scheme="rope")
        ready(page)
        assert (page.evaluate("workers.length"), workers(page)) == (2, 1)
        page.evaluate(BREAK)
        again = page.locator("#build_x [data-when=failed] .load")
        expect(again).to_be_visible()
        assert "Memory is full." in status(page)
        press(page, "swap")
        shows(page, shown=2, scheme="rope")
        again.click()
        shows(page, shown=2, scheme="rope", swapped="swap")
        assert (page.evaluate("workers.length"), workers(page)) == (3, 1)


def test_a_worker_that_does_not_answer_is_replaced(timed: Page, site: Site):
    go_to(timed, site.url + PAGE)
    ready(timed)
    timed.evaluate("workers[0].postMessage = () => {}")
    press(timed, "next")
    timed.wait_for_timeout(300)
    timed.clock.fast_forward(25_000)
    timed.wait_for_timeout(300)
    assert timed.evaluate("workers.length") == 1
    timed.clock.fast_forward(21_000)
    shows(timed, shown=1)
    ready(timed)
    assert (timed.evaluate("workers.length"), workers(timed)) == (2, 1)


def test_a_choice_that_only_python_can_answer_is_kept_through_a_failure(open_page, site: Site):
    assert to_text(OUTSIDE) not in walk.states("build_x")
    with site.answering(".wasm", b"", status=404):
        page = open_page(f"{PAGE}#build_x?{to_link(OUTSIDE)}", expected="404")
        has(page, FAILED)
        shows(page)
    page.click("#build_x [data-when=failed] .load")
    ready(page)
    shows(page, shown=5, scheme="none")


def test_after_thirty_restarts_there_is_one_worker(open_page, site: Site):
    quick = b"postMessage({ word: 'ready', share: 100 })"
    with site.answering("worker.js", quick, "text/javascript"):
        page = ready(open_page(script=KEEP))
        for count in range(1, 31):
            page.evaluate(BREAK)
            if page.get_attribute("#build_x", "python") == "failed":
                page.click("#build_x [data-when=failed] .load")
            ready(page)
            assert (page.evaluate("workers.length"), workers(page)) == (count + 1, 1)


def test_after_thirty_navigations_there_is_one_worker_and_it_was_fetched_once(open_page, site: Site):
    before = len(site.asked)
    with site.sending("Cache-Control", "max-age=600"):  # as GitHub Pages does
        page = open_page("")
        to_the_page(page)
        ready(page)
        for _ in range(15):
            to_the_start(page, site)
            to_the_page(page)
            has(page, "#build_x[python=ready]")
    assert workers(page) == 1
    asked = Counter(path for path in site.asked[before:] if "/runtime-" in path or path.endswith("worker.js"))
    assert len(asked) > 5 and set(asked.values()) == {1}, asked


def test_a_page_that_is_left_gives_its_memory_back(open_page, site: Site):
    with site.answering("worker.js", b"", "text/javascript"):
        page = open_page("")
        page.wait_for_load_state("networkidle")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")

        def nodes_after(trips: int) -> float:
            for _ in range(trips):
                for link, there in ((f".md-content a[href*='{PAGE}']", "!!"), ("a.md-logo", "!")):
                    page.evaluate("link => document.querySelector(link).click()", link)
                    page.wait_for_function(f"{there}document.querySelector('#build_x')").dispose()
                    page.wait_for_timeout(300)
            session.send("HeapProfiler.collectGarbage")
            metrics = session.send("Performance.getMetrics")["metrics"]
            return next(metric["value"] for metric in metrics if metric["name"] == "Nodes")

        before = nodes_after(2)
        assert nodes_after(3) - before < 3 * 2000, "one visit to the page makes more than 5,000"


def test_the_table_of_states_goes_before_pythons_files(open_page, site: Site):
    before = len(site.asked)
    with site.holding(".states.json") as release:
        page = open_page(f"{PAGE}#build_x")
        has(page, "#build_x[python=off]")
        page.wait_for_timeout(1500)
        assert not [path for path in site.asked[before:] if path.endswith("worker.js")]
        release()
        ready(page)


def test_a_reader_who_saves_data_loads_python_by_the_button_only(open_page, site: Site):
    before = len(site.asked)
    frugal = "Object.defineProperty(Navigator.prototype, 'connection', { value: { saveData: true } })"
    page = open_page(f"{PAGE}#build_x?{to_link(OUTSIDE)}", script=frugal)
    has(page, "#build_x[waiting]")
    press(page, "next")
    page.wait_for_timeout(1000)
    assert re.search(r"not loaded \(about \d+\.\d MB\)", status(page))
    assert not [path for path in site.asked[before:] if "/runtime-" in path or path.endswith("worker.js")]
    page.get_by_role("button", name="Load Python").last.click()
    ready(page)
    shows(page, shown=5, scheme="none")


LINE = "Object.defineProperty(Navigator.prototype, 'connection', {{ value: {{ effectiveType: '{}', type: '{}' }} }})"


@pytest.mark.parametrize(("kind", "medium", "starts"), [("4g", "wifi", True), ("4g", "cellular", False),
                                                       ("3g", "wifi", False)])
def test_only_on_a_fast_unmetered_line_python_starts_when_idle(open_page, site: Site, kind, medium, starts):
    page = open_page("", script=LINE.format(kind, medium), viewport={"width": 1280, "height": 100})
    page.goto(site.url + PAGE)
    if starts:
        ready(page)
    else:
        page.wait_for_timeout(2000)
        has(page, "#build_x[python=off]")
    assert page.evaluate("scrollY") == 0


# --- the site as it was built


RESOURCES = ("script", "link", "img", "iframe", "source", "embed", "object", "video", "audio")


def addresses(site: Site) -> Iterator[tuple[str, str]]:
    """(page or style sheet, address of a resource that it names), for all of the site but 404.html.

    That page may be sent for any address, so it names everything from the root of the address the site was built for.
    """
    for file in {*site.folder.rglob("*.html")} - {site.folder / "404.html"}:
        page = f"{SUB}/{file.relative_to(site.folder).as_posix().removesuffix('index.html')}"
        tree = html.parse(file)
        page = urljoin(page, tree.xpath("string(//base/@href)"))
        for node in tree.iter(RESOURCES):
            if node.get("rel") not in ("canonical", "next", "prev", "alternate"):
                yield from ((page, node.get(name)) for name in ("src", "href", "data", "poster") if node.get(name))
    for file in site.folder.rglob("*.css"):
        page = f"{SUB}/{file.relative_to(site.folder).as_posix()}"
        for address in re.findall(r"""(?:url\(|@import\s*)["']?([^"')]+)""", file.read_text()):
            if not address.startswith(("data:", "#")):
                yield page, address


def is_there(site: Site, path: str) -> bool:
    """Whether the site has this page or file."""
    file = site.folder / unquote(path).removeprefix(f"{SUB}/")
    return path.startswith(f"{SUB}/") and (file.is_file() or (path.endswith("/") and (file / "index.html").is_file()))


def test_every_page_and_style_sheet_names_only_files_of_the_site(site: Site):
    named = list(addresses(site))
    assert len(named) > 30
    files = [(page, address) for page, address in named if not address.startswith("data:")]  # an image in the page
    wrong = [(page, address) for page, address in files if urlsplit(address).netloc
             or not is_there(site, urlsplit(urljoin(page, address)).path)]
    assert wrong == []


def test_the_search_knows_the_pages_and_not_what_the_panels_show(site: Site):
    texts = [entry["text"] for entry in json.loads((site.folder / "search/search_index.json").read_text())["docs"]]
    assert any("An id is a name" in entry or "coat hooks" in entry for entry in texts)
    assert not [entry for entry in texts if "Show the Python" in entry or "Copy link to this picture" in entry]


def test_whatever_the_scripts_ask_for_is_there(open_page, site: Site):
    before = len(site.asked)
    page = open_page("")
    for where in pages(site):
        page.goto(site.url + where)
        for panel in page.locator("py-panel").all():
            panel.scroll_into_view_if_needed()
            panel.locator("input[type=radio], button[name=do]:not([aria-disabled=true])").last.click(force=True)
            expect(panel).to_have_attribute("python", "ready", timeout=60_000)
    page.locator(".md-search__input").press_sequentially("clock")
    expect(page.locator(".md-search-result__item")).not_to_have_count(0)
    asked = {path for path in site.asked[before:] if path.startswith(SUB)}  # Chromium asks others, and is refused
    assert len(asked) > 20 and [path for path in asked if not is_there(site, path)] == []


# --- navigation and theme


TEX = r"""() => {
    const article = document.querySelector("article").cloneNode(true);
    article.querySelectorAll(".katex, code, pre").forEach((node) => node.remove());
    return article.textContent.match(/\\[a-zA-Z([]+|\$\$?[^$\n]+\$/g) ?? [];
}"""


def test_formulas_are_set_on_every_page_that_one_clicks_through(open_page, site: Site):
    page = open_page("")
    page.evaluate("window.marker = 1")
    for where in [*pages(site), *reversed(pages(site))]:
        page.evaluate("""address => {
            const link = Object.assign(document.createElement("a"), { href: address });
            document.querySelector("article").append(link);
            link.click();
        }""", site.url + where)
        page.wait_for_url(site.url + where)
        count = len(html.parse(site.folder / where / "index.html").xpath("//*[@class='katex-html']"))
        expect(page.locator(".katex-html")).to_have_count(count)
        assert page.evaluate(TEX) == []
        assert page.locator(".katex-html").evaluate_all("all => all.every((node) => node.offsetHeight > 0)")
    assert page.evaluate("window.marker") == 1


STYLES = """() => [...document.querySelectorAll("#build_x, #build_x .body *")].map((node) => {
    const style = getComputedStyle(node);
    return [node.tagName, ...Array.from(style, (name) => `${name}: ${style.getPropertyValue(name)}`)];
})"""


def test_a_panel_looks_the_same_after_a_round_trip(open_page, site: Site):
    page = ready(open_page(reduced_motion="reduce"))
    page.mouse.move(0, 0)
    before = page.evaluate(STYLES)
    to_the_start(page, site)
    to_the_page(page)
    ready(page)
    page.mouse.move(0, 0)
    after = page.evaluate(STYLES)
    assert len(after) == len(before) > 100
    assert [(old[0], set(old) ^ set(new)) for old, new in zip(before, after, strict=True) if old != new] == []


def test_back_and_forward_agree_with_the_address(open_page, site: Site):
    page = open_page("")
    to_the_page(page)
    page.locator("article a[href*='#build_x?']").first.click()
    shows(page, shown=5, swapped="swap_far")
    there = page.url
    to_the_start(page, site)
    for step, address in (("", site.url), ("back", there), ("back", site.url + PAGE), ("back", site.url),
                          ("forward", site.url + PAGE), ("forward", there)):
        if step:
            getattr(page, f"go_{step}")()
        expect(page).to_have_url(address)
        expect(page.locator("h1")).to_contain_text("Tokenwalk" if address == site.url else "from ids to X")
        if address == there:
            shows(page, shown=5, swapped="swap_far")
            expect(page.locator("#build_x .say")).to_contain_text("equal")


def test_a_step_within_the_page_leaves_its_panels_alone(open_page):
    page = ready(open_page())
    press(page, "next", "scheme-rope")
    shows(page, shown=1, scheme="rope")
    page.select_option("#lookup-any", "7")
    is_in(page, "lookup", '{"id":"7","column":"2"}')
    for step in (page.locator("a.headerlink[href$='#rope']").click, page.go_back, page.go_forward):
        step()
        page.wait_for_timeout(500)
        shows(page, shown=1, scheme="rope")
        is_in(page, "lookup", '{"id":"7","column":"2"}')
    press(page, "next")
    shows(page, shown=2, scheme="rope")


def test_what_is_not_answered_yet_is_kept_at_a_step_within_the_page(open_page, site: Site):
    with site.answering("states.json", b"", status=404), site.holding(".wasm") as release:
        page = open_page(expected="404")
        press(page, "next", "scheme-rope")
        has(page, "#build_x[waiting]")
        page.locator("a.headerlink[href$='#rope']").click()
        page.wait_for_timeout(500)
        release()
        shows(page, shown=1, scheme="rope")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_picture_follows_the_palette(open_page, scheme: str):
    page = ready(open_page(color_scheme=scheme, reduced_motion="reduce"))
    press(page, "next", "scheme-rope", "swap")
    shows(page, shown=1, scheme="rope", swapped="swap")
    before = page.get_attribute("body", "data-md-color-scheme")
    page.locator("label[for^=__palette]:visible").first.click()
    expect(page.locator("body")).not_to_have_attribute("data-md-color-scheme", before)
    page.mouse.move(0, 0)
    assert found(page, "#build_x") == found(page, "#lookup") == ""


# --- paper


@contextmanager
def paper(page: Page) -> Iterator[Page]:
    """The page as it is printed on A4, with margins of 1 cm."""
    page.set_viewport_size({"width": 718, "height": 1047})
    page.emulate_media(media="print")
    yield page
    page.emulate_media(media="screen")


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def dark(request, open_page) -> Page:
    """The page in the dark palette."""
    return open_page(color_scheme="dark", java_script_enabled=request.param)


ANSWERS = ["Through the causal mask. The first token sees one token", "The paper gives no reason"]
NUMBERS = ["−0.5 1 0 −0.5", "48 multiplications"]


def test_on_paper_every_answer_can_be_read(dark: Page):
    with paper(dark):
        text = " ".join(dark.inner_text("article").split())
        questions, answers = dark.locator("details.question:visible"), dark.locator(".answers li:visible")
        assert questions.count() == answers.count() == dark.locator("details.question").count() > 10
        assert [words for words in [*ANSWERS, *NUMBERS] if words not in text] == []


CUT = """all => all.filter((node) => node.offsetHeight &&
    (node.scrollWidth > node.clientWidth + 1 || node.getBoundingClientRect().right > innerWidth)
).map((node) => node.innerText.slice(0, 80))"""


def test_on_paper_nothing_is_cut_off_and_the_ink_is_dark(open_page, site: Site):
    with site.holding(".wasm"):
        page = open_page(color_scheme="dark")
        press(page, "next", "next", "scheme-rope")
        shows(page, shown=2, scheme="rope")
        with paper(page):
            assert page.locator("article :is(table, pre)").evaluate_all(CUT) == []
            assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
            assert found(page, "article") == ""


def printed(page: Page) -> str:
    """The text of the page's PDF file, without spaces: a file has places, and no words."""
    read = PdfReader(io.BytesIO(page.pdf(format="A4")))
    return "".join("".join(sheet.extract_text() for sheet in read.pages).split())


def test_a_printed_file_holds_the_answers_and_the_numbers(open_page):
    page = open_page(color_scheme="dark")
    press(page, "next", "next", "next", "scheme-rope")
    shows(page, shown=3, scheme="rope")
    text = printed(page)
    assert [words for words in [*ANSWERS, *NUMBERS, "−0.701"] if "".join(words.split()) not in text] == []


@pytest.mark.parametrize("where", STEPS)
def test_a_printed_page_holds_the_words_of_its_questions_and_answers_and_tables(open_page, site: Site, where: str):
    with site.holding(".wasm"):
        page = open_page(where, color_scheme="dark")
        asked = page.locator("details.question > summary").all_text_contents()
        answers = page.locator(".answers li").all_text_contents()
        rows = page.locator("py-panel:not([keep]) table.matrix tr:first-child th").all_text_contents()
        text = printed(page)
    assert len(asked) == len(answers) >= 5
    said = {word for words in [*asked, *answers] for word in re.findall("[A-Za-z]{5,}", words)}
    assert len(said) > 20 and sorted(word for word in said if word not in text) == []
    assert [words for words in rows if "".join(words.split()) not in text] == []
