"""The site in a real Chromium, under a sub-path, with the real Pyodide and NumPy, and no way to any other host."""

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, TimeoutError, expect

from conftest import PAGE, Watch
from site_server import Handler, Site
from tokenwalk import panel, walk
from tokenwalk.panels.build_x import State
from tokenwalk.state import from_text, to_link, to_text

# --- what a reader does and sees


def shows(page: Page, **state: object) -> None:
    """Waits until build_x is in this state; a field left out has its first value."""
    is_in(page, "build_x", to_text(State(**state)))


def is_in(page: Page, name: str, state: str) -> None:
    """Waits until the panel is in this state."""
    with suppress(TimeoutError):
        has(page, f"#{name}[state='{state}']", 20_000)
    assert page.get_attribute(f"#{name}", "state") == state


def has(page: Page, selector: str, milliseconds: int = 60_000) -> None:
    """Waits until the page has an element like this, be it visible or not."""
    page.wait_for_selector(selector, state="attached", timeout=milliseconds)


def press(page: Page, *controls: str) -> None:
    """Clicks controls of build_x, by the ends of their ids, one after another and without waiting for an answer."""
    for control in controls:
        page.locator(f"#build_x-{control}").click(force=control.startswith("scheme"))


def ready(page: Page) -> Page:
    has(page, "#build_x[python=ready]")
    return page


def picture(page: Page, name: str = "build_x") -> str:
    """The panel's picture as the browser writes it."""
    return page.eval_on_selector(f"#{name} .body", "body => body.innerHTML.trim()")


def follow(page: Page, link: str, name: str = "build_x") -> None:
    """Puts a state's link into the address, as a reader does who edits it."""
    page.evaluate("hash => { location.hash = hash }", f"#{name}?{link}")


def status(page: Page) -> str:
    """The words at the panel's foot."""
    return " ".join(page.locator("#build_x .status").inner_text().split())


def notice(page: Page) -> str:
    return page.locator("#build_x .notice").inner_text()


def workers(page: Page) -> int:
    """How many Pythons run for this page; the theme has a worker of its own for the search."""
    return sum("/app-" in worker.url for worker in page.workers)


def from_the_table(site: Site):
    """While this lasts, what the table of states answers can be told from what Python answers: by its title."""
    (file,) = site.folder.glob("app-*/build_x.states.json")
    table = file.read_bytes().replace(b">Build X<", b">Build X, tabled<")
    return site.answering("build_x.states.json", table, "application/json")


# --- Python answers


def from_worker(page: Page, questions: list[dict]) -> list[dict]:
    """What the page's Python answers, past the panels."""
    (worker,) = [worker for worker in page.workers if "/app-" in worker.url]
    return worker.evaluate("""questions => {
        const post = self.postMessage, answers = [];
        self.postMessage = (message) => answers.push(message);
        for (const text of questions) self.onmessage({ data: { id: 0, text } });
        self.postMessage = post;
        return answers;
    }""", [json.dumps(question) for question in questions])


@pytest.mark.parametrize("link", ["V=50257&n=1024&optimiser=adam", "V=12800&n=256&optimiser=adamw&law=words",
                                  "V=200&n=64&tied=True"])
def test_the_browsers_python_replays_a_table_to_the_picture_of_the_build(warm: Page, link: str):
    question = {"panel": "sparse_update", "link": f"tick=40&d=16&{link}"}
    (answer,) = from_worker(warm, [question])
    assert json.loads(answer["text"]) == json.loads(panel.respond(json.dumps(question)))


@pytest.mark.parametrize("name", panel.names())
def test_the_browsers_python_gives_the_same_picture_as_the_build_for_every_state(warm: Page, name: str):
    table = {state: (html, actions) for state, (_, html, actions) in walk.states(name).items()}
    asked = [(state, action) for state, (_, actions) in table.items() for action in actions]
    questions = [{"panel": name, "state": state, "action": json.loads(action)} for state, action in asked]
    answers = from_worker(warm, questions)
    assert len(answers) == len(asked) >= len(table) > 1
    for (state, action), answer in zip(asked, answers, strict=True):
        follower = table[state][1][action]
        assert json.loads(answer["text"]) == {"state": follower, "html": table[follower][0]}, (state, action)


def test_before_python_is_ready_the_table_answers_and_then_python_does(open_page, site: Site):
    with from_the_table(site), site.holding(".wasm") as release:
        page = open_page()
        title = page.locator("#build_x-title")
        press(page, "next")
        shows(page, shown=1)
        expect(title).to_have_text("Build X, tabled")
        assert "from a table" in status(page)
        release()
        ready(page)
        assert "computed live" in status(page)
        press(page, "next")
        shows(page, shown=2)
        expect(title).to_have_text("Build X")


def test_clicks_during_the_start_are_all_carried_out_in_order(open_page, site: Site):
    actions = ["next", "scheme-rope", "next", "next", "swap", "back", "scheme-none", "next", "next"]
    with site.holding("build_x.states.json") as table, site.holding(".wasm") as release:
        page = open_page()
        page.evaluate("""() => {
            const panel = document.querySelector("#build_x"), attributeFilter = ["state"];
            window.seen = [];
            new MutationObserver(() => seen.push(panel.getAttribute("state"))).observe(panel, { attributeFilter });
        }""")
        press(page, *actions[:5])
        shows(page)
        table()
        press(page, *actions[5:])
        shows(page, shown=4, scheme="none", swapped="swap")
        release()
        ready(page)
        press(page, "next")
        shows(page, shown=5, scheme="none", swapped="swap")
        seen = [from_text(State, text) for text in page.evaluate("seen")]
    assert [(s.shown, s.scheme) for s in seen] == [
        (1, "learned"), (1, "rope"), (2, "rope"), (3, "rope"), (3, "rope"), (2, "rope"), (2, "none"), (3, "none"),
        (4, "none"), (5, "none")]


def test_what_is_not_in_the_table_is_kept_announced_and_carried_out_in_order(open_page, site: Site):
    outside = State(shown=5, playing=True, scheme="none")  # valid, but no control leads to it
    assert to_text(outside) not in walk.states("build_x")
    with site.holding(".wasm") as release:
        page = open_page(f"{PAGE}#build_x?{to_link(outside)}")
        has(page, "#build_x[waiting]")
        press(page, "scheme-alibi", "swap")
        assert "kept and carried out as soon as Python is ready" in status(page)
        shows(page)
        release()
        ready(page)
        shows(page, shown=5, scheme="alibi", swapped="swap", playing=False)
        expect(page.locator("#build_x[waiting]")).not_to_be_attached()
        assert "kept" not in status(page)


def test_a_missing_table_only_means_waiting_for_python(open_page, site: Site):
    with site.answering("states.json", b"gone", status=404), site.holding(".wasm") as release:
        page = open_page(expected="404")
        press(page, "next", "next")
        has(page, "#build_x[waiting]")
        release()
        shows(page, shown=2)


def test_the_runtime_is_fetched_only_for_a_page_with_a_panel(open_page, site: Site):
    before, page = len(site.asked), (site.folder / "index.html").read_text(encoding="utf-8")
    without = re.sub(r'<div class="panel-frame".*?</py-panel>', "<div>", page, flags=re.S)
    assert without != page
    with site.answering("index.html", without.encode(), "text/html"):
        open_page("index.html").wait_for_load_state("networkidle")
    assert not [path for path in site.asked[before:] if "/runtime-" in path or "worker.js" in path.split("/app-")[-1]]


def test_another_host_is_out_of_reach_and_whoever_asks_it_is_noticed(browser: Browser, site: Site):
    watch = Watch(browser.new_context(), site, expected="console")
    page = watch.context.new_page()
    page.goto(site.url)
    ask = "fetch('https://example.com/{}').then(() => 'reached', () => 'refused')"
    assert page.evaluate(ask.format("page")) == "refused"
    assert page.evaluate("""code => new Promise((resolve) => {
        const worker = new Worker(URL.createObjectURL(new Blob([`${code}.then((word) => postMessage(word))`])));
        worker.onmessage = ({ data }) => resolve(data);
    })""", ask.format("worker")) == "refused"
    watch.context.close()
    assert watch.trouble == ["foreign: https://example.com/page", "foreign: https://example.com/worker"]


# --- when Python does not come


FILES = ["worker.js", "manifest.json", "pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip.bin",
         ".whl.bin", "pyodide-lock.json", "tokenwalk.zip.bin"]


def cut_off(handler: Handler) -> bool:
    """Sends the beginning of an answer and breaks the connection."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(b"x" * 1000)
    handler.wfile.flush()
    return handler.hang_up()


WAYS = {
    "a page instead of the file": lambda site, file: site.answering(file, b"<!doctype html><p>Not found"),
    "not found": lambda site, file: site.answering(file, b"", status=404),
    "a login": lambda site, file: site.answering(file, b"", status=401),
    "no answer": lambda site, file: site.hanging_up(file),
    "cut off": lambda site, file: site.changed(file, cut_off),
}


@pytest.mark.parametrize(("way", "file"), [("a page instead of the file", file) for file in FILES] + [
    (way, file) for way in list(WAYS)[1:] for file in ("worker.js", "manifest.json", ".wasm")])
def test_a_runtime_that_does_not_arrive_is_told_in_words(open_page, site: Site, way: str, file: str):
    with WAYS[way](site, file):
        page = open_page(expected="Failed to load|MIME|ERR_|401|404")
        has(page, "#build_x[python=failed]", 15_000)
        words = status(page)
        assert "Python did not start." in words and "answers from a table" in words
        named = "worker" if file == "worker.js" else file
        assert named in words, words
        press(page, "next", "scheme-rope")
        shows(page, shown=1, scheme="rope")


def test_after_a_failure_the_reader_can_try_again(open_page, site: Site):
    with site.hanging_up(".wasm"):
        page = open_page(expected="Failed to load|ERR_")
        again = page.locator("#build_x [data-when=failed] .load")
        expect(again).to_be_visible(timeout=15_000)
        again.click()
        has(page, "#build_x[python=loading]")
        expect(again).to_be_visible(timeout=15_000)
    press(page, "next")
    again.click()
    ready(page)
    press(page, "next")
    shows(page, shown=2)
    assert workers(page) == 1


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream"])
def test_python_starts_whatever_type_the_server_gives_the_wasm(open_page, site: Site, kind: str):
    (file,) = site.folder.glob("runtime-*/*.wasm")
    with site.answering(".wasm", file.read_bytes(), kind):
        ready(open_page())


@pytest.fixture(scope="module")
def without_jit(launch: Callable[..., Browser]) -> Browser:
    """A Chromium that has no WebAssembly."""
    return launch("--js-flags=--jitless")


@pytest.fixture(params=["not in the browser", "forbidden by the site"])
def no_wasm(request, open_page, without_jit: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Opens pages where WebAssembly cannot be used, in workers neither."""
    if request.param == "not in the browser":
        yield partial(open_page, within=without_jit)
    else:
        with site.sending("Content-Security-Policy", "script-src 'self' 'unsafe-inline'"):
            yield open_page


def test_without_webassembly_all_of_build_x_works_from_the_table(no_wasm: Callable[..., Page], site: Site):
    before = len(site.asked)
    page = no_wasm()
    wrong, met = page.evaluate("""async (steps) => {
        const panel = document.querySelector("#build_x"), met = new Set(), wrong = [];
        for (const [control, state, html] of steps) {
            panel.querySelector(control).click();
            for (let i = 0; i < 500 && panel.getAttribute("state") !== state; i++)
                await new Promise((resolve) => setTimeout(resolve));
            const drawn = Object.assign(document.createElement("div"), { innerHTML: html });
            const same = panel.querySelector(".body").innerHTML.trim() === drawn.innerHTML.trim();
            if (!same || panel.getAttribute("state") !== state) wrong.push([control, state]);
            met.add(state);
        }
        return [wrong, met.size];
    }""", list(tour()))
    assert (wrong, met) == ([], 90)  # 5 schemes × 3 orders × 6 rows: every state in which nothing plays
    has(page, "#build_x[python=failed]", 15_000)
    assert "WebAssembly" in status(page)
    assert not [path for path in site.asked[before:] if "/runtime-" in path], "nothing was downloaded for nothing"


def tour() -> Iterator[tuple[str, str, str]]:
    """The controls that lead through every state in which nothing plays, with the state and the picture after each."""
    table = walk.states("build_x")
    state = first = to_text(State())
    for scheme in ("none", "learned", "sinusoidal", "rope", "alibi"):
        for order in ("", "swap", "swap_far"):
            start = [("do", "reset")] if state != first else []
            swap = [("do", order)] if order else []
            for name, value in [*start, ("scheme", scheme), *swap, *[("do", "next")] * 5]:
                state = table[state][2][walk.key({name: value})]
                control = value if name == "do" else f"{name}-{value}"
                yield f"#build_x-{control}", state, table[state][1]


def test_without_webassembly_a_broken_link_does_not_stop_the_panel(no_wasm: Callable[..., Page]):
    page = no_wasm(f"{PAGE}#build_x?scheme=broken")
    has(page, "#build_x[python=failed]", 15_000)
    press(page, "next")
    shows(page, shown=1)


def test_without_scripts_the_page_is_complete(open_page):
    page = open_page(java_script_enabled=False)
    finished = page.locator("table", has=page.locator("caption", has_text="X, finished"))
    row = " ".join(finished.locator("tr", has_text="climb").inner_text().split())
    assert row.endswith("␣climb −0.5 = −0.5 + 0 1.5 = 1 + 0.5 0 = 0 + 0 −1 = −0.5 − 0.5")
    assert "Build X" in page.inner_text("#build_x") and page.locator("#build_x table").first.is_visible()
    assert page.locator("#build_x-table tr").count() == 12


# --- links


BROKEN = ["scheme=<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>", "javascript:alert(1)",
          "scheme=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E", "shown=three", "shown=9", "shown[]=1&shown[]=2", "playing=1",
          "%", "%E0%A4%A", "%ff%fe", "\\", "'\"]", "[", "__proto__=1", "constructor=x", "scheme=", "=", "&&", "?", "#",
          "\u202e\ud83d", '{"shown":1}', "x" * 1_000_000]


@pytest.mark.parametrize("link", BROKEN, ids=lambda link: ascii(link[:40]))
def test_a_broken_link_shows_the_first_picture_and_a_sentence_and_runs_nothing(warm: Page, link: str):
    press(warm, "next", "scheme-none")
    shows(warm, shown=1, scheme="none")
    follow(warm, link)
    shows(warm)
    assert "could not be used" in notice(warm)
    assert warm.locator("#build_x img, #build_x script").count() == 0
    assert warm.evaluate("window.hacked") is None
    press(warm, "next")
    shows(warm, shown=1)
    assert warm.locator("#build_x .notice").count() == 0
    follow(warm, "")


def test_a_link_of_ten_megabytes_is_harmless(open_page):
    page = ready(open_page(expected="XMLHttpRequest|ERR_|Failed to"))  # the theme asks for the page again, in vain
    page.evaluate("location.hash = '#build_x?scheme=' + 'x'.repeat(1e7)")
    expect(page.locator("#build_x .notice")).to_contain_text("too long")
    press(page, "next")
    shows(page, shown=1)


@pytest.mark.parametrize("link", [*BROKEN[:-1], "x" * 1_900_000], ids=lambda link: ascii(link[:40]))
def test_a_page_opened_with_a_broken_address_stays_usable(cold: Callable[[str], Page], link: str):
    page = cold(f"#build_x?{link}")
    assert page.evaluate("window.hacked") is None
    has(page, "#build_x[waiting]")
    page.locator("#lookup-column-3").click(force=True)  # the other panel does not wait
    is_in(page, "lookup", '{"id":"4","column":"3"}')


@pytest.fixture
def cold(open_page, site: Site) -> Iterator[Callable[[str], Page]]:
    """Opens the page with this after its address, in a context whose Python never arrives."""
    with site.holding(".wasm"):
        yield lambda hash: open_page(PAGE + hash)


@pytest.mark.parametrize("hash", ["#", "#?", "#build_x", "#build_x?", "#no?shown=1", "#\\", '#"]', "#%", "#lookup?id="])
def test_any_other_address_leaves_build_x_alone(cold: Callable[[str], Page], hash: str):
    page = cold(hash)
    press(page, "next")
    shows(page, shown=1)


def test_a_copied_link_opens_the_same_picture_at_the_panel(open_page, warm: Page, site: Site):
    warm.context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(warm, "next", "next", "next", "scheme-rope", "swap")
    shows(warm, shown=3, scheme="rope", swapped="swap")
    address = warm.url
    warm.click("#build_x .copy")
    has(warm, "#build_x[link=copied]")
    assert "The link is copied" in status(warm)
    link = warm.evaluate("navigator.clipboard.readText()")
    assert warm.url == address != link
    page = open_page(link.removeprefix(site.url))
    shows(page, shown=3, scheme="rope", swapped="swap")
    assert picture(page) == picture(warm)
    page.wait_for_timeout(300)
    top = page.eval_on_selector("#build_x", "panel => panel.getBoundingClientRect().top")
    assert 0 <= top < 150, "the panel is at the top of the window"
    assert picture(ready(page)) == picture(warm)


def test_a_link_that_cannot_be_copied_goes_into_the_address(open_page):
    page = open_page(script="delete Navigator.prototype.clipboard")
    press(page, "next", "scheme-alibi")
    shows(page, shown=1, scheme="alibi")
    page.click("#build_x .copy")
    has(page, "#build_x[link=address]")
    assert page.url.endswith("#build_x?shown=1&scheme=alibi")
    page.reload()
    shows(page, shown=1, scheme="alibi")


def test_the_controls_show_the_state_that_a_link_brings(warm: Page):
    press(warm, "scheme-alibi")
    shows(warm, scheme="alibi")
    assert warm.is_checked("#build_x-scheme-alibi")
    press(warm, "reset")
    shows(warm)
    assert warm.is_checked("#build_x-scheme-learned") and not warm.is_checked("#build_x-scheme-alibi")
    warm.select_option("#lookup-any", "7")
    is_in(warm, "lookup", '{"id":"7","column":"2"}')
    assert not warm.locator("#lookup input[name=id]:checked").count()
    warm.locator("#lookup-id-2").click(force=True)
    is_in(warm, "lookup", '{"id":"2","column":"2"}')
    assert warm.input_value("#lookup-any") == "2"
    follow(warm, "id=9", "lookup")
    is_in(warm, "lookup", '{"id":"9","column":"2"}')
    assert warm.input_value("#lookup-any") == "9" and not warm.locator("#lookup input[name=id]:checked").count()


# --- between pages


def to_the_page(page: Page) -> None:
    page.locator(f"a[href*='{PAGE}']:visible").first.click()
    page.wait_for_url(f"**/{PAGE}")
    page.locator("#build_x").scroll_into_view_if_needed()


STYLE = """() => ["border-top-width", "border-radius", "padding"].map((name) =>
    getComputedStyle(document.querySelector("#build_x")).getPropertyValue(name))"""


def test_back_and_forward_move_between_pages_and_python_stays_warm(open_page, site: Site):
    page = open_page("")
    page.evaluate("window.marker = 1")
    to_the_page(page)
    ready(page)
    for scheme, shown in (("rope", 1), ("none", 2)):
        press(page, f"scheme-{scheme}", "next")
        shows(page, shown=shown, scheme=scheme)
    page.evaluate("delete Navigator.prototype.clipboard")
    page.click("#build_x .copy")
    has(page, "#build_x[link=address]")
    style, formulas = page.evaluate(STYLE), page.locator(".katex-html").count()
    for _ in range(2):
        page.go_back()
        page.wait_for_url(site.url)
        expect(page.locator("h1")).to_have_text(re.compile("Tokenwalk"))
        expect(page.locator("#build_x")).to_have_count(0)
        page.go_forward()
        page.wait_for_url(re.compile(PAGE))
        ready(page)
    assert page.evaluate("window.marker") == 1
    assert workers(page) == 1
    assert page.evaluate(STYLE) == style
    assert page.locator(".katex-html").count() == formulas
    state = json.loads(page.get_attribute("#build_x", "state"))
    press(page, "swap")
    is_in(page, "build_x", to_text(State(**state | {"swapped": "swap"})))
    assert workers(page) == 1


def test_the_theme_changes_pages_without_a_reload_and_its_shortcuts_work_outside_a_panel(open_page):
    page = open_page("")
    page.evaluate("window.marker = 1")
    to_the_page(page)
    assert page.evaluate("window.marker") == 1
    page.keyboard.press("/")
    page.wait_for_function("document.querySelector('#__search').checked")


@pytest.mark.parametrize("control", ["#build_x-next", "#build_x-scheme-learned", "#build_x details.code summary",
                                     "#build_x .copy", "#lookup-any", "#lookup-column-2"])
def test_the_themes_shortcuts_do_nothing_in_a_panel(warm: Page, control: str):
    warm.evaluate("window.marker = 1")
    url, state = warm.url, warm.get_attribute("#build_x", "state")
    warm.focus(control)
    for key in "npsf/.,":
        warm.keyboard.press(key)
    warm.wait_for_timeout(100)
    assert warm.evaluate("document.activeElement.matches('py-panel *')")
    assert not warm.evaluate("document.querySelector('#__search').checked")
    assert (warm.url, warm.get_attribute("#build_x", "state"), warm.evaluate("window.marker")) == (url, state, 1)
    if control == "#lookup-any":  # a select does what its own keys do, and the panel's answer is awaited
        warm.select_option(control, "4")


@pytest.mark.parametrize("field", ["#clock-theta-typed", "#real_table-typed"])
def test_what_is_typed_into_a_field_stands_there_and_is_no_shortcut(warm: Page, field: str):
    url, before = warm.url, warm.input_value(field)
    warm.fill(field, "")
    warm.locator(field).press_sequentially("nps,.f/")
    assert warm.input_value(field) == "nps,.f/" and warm.url == url
    assert not warm.evaluate("document.querySelector('#__search').checked")
    warm.fill(field, before)


# --- keyboard, voice, motion


def test_the_keyboard_alone_builds_x_and_the_focus_stays(warm: Page):
    warm.focus("xpath=//*[@id='build_x']/preceding::a[@class='copy'][1]")  # the foot of the panel before it
    for _ in range(20):
        warm.keyboard.press("Tab")
        if warm.evaluate("document.activeElement.id") == "build_x-next":
            break
    for row in range(1, 6):
        warm.keyboard.press("Enter" if row % 2 else "Space")
        shows(warm, shown=row)
        assert warm.evaluate("document.activeElement.id") == "build_x-next"
    assert warm.get_attribute("#build_x-next", "aria-disabled") == "true"
    warm.keyboard.press("Enter")
    warm.wait_for_timeout(100)
    shows(warm, shown=5)
    warm.focus("#build_x-scheme-learned")
    warm.keyboard.press("ArrowRight")
    shows(warm, shown=5, scheme="sinusoidal")
    assert warm.evaluate("document.activeElement.id") == "build_x-scheme-sinusoidal"


def test_each_action_is_announced_once(warm: Page):
    warm.evaluate("""() => {
        const all = { subtree: true, childList: true, characterData: true };
        window.region = document.querySelector("#build_x-say");
        window.told = [];
        new MutationObserver(() => told.push(region.innerText)).observe(region, all);
    }""")
    assert warm.get_attribute("#build_x-say", "aria-live") == "polite"
    for number, (control, state) in enumerate([
            ("next", {"shown": 1}), ("next", {"shown": 2}), ("scheme-rope", {"shown": 2, "scheme": "rope"}),
            ("swap", {"shown": 2, "scheme": "rope", "swapped": "swap"})], start=1):
        press(warm, control)
        shows(warm, **state)
        assert warm.evaluate("told.length") == number
    assert warm.evaluate("region === document.querySelector('#build_x-say')")


def test_play_goes_by_itself_says_nothing_meanwhile_and_stops_at_the_end(warm: Page):
    press(warm, "play")
    shows(warm, playing=True)
    assert warm.get_attribute("#build_x-say", "aria-live") == "off"
    assert warm.evaluate("document.activeElement.id") == "build_x-play"
    shows(warm, shown=1, playing=True)
    press(warm, "play")  # the same button, which now says Pause
    shows(warm, shown=1)
    warm.wait_for_timeout(1500)
    shows(warm, shown=1)
    press(warm, "play")
    started = time.monotonic()
    shows(warm, shown=5)
    assert time.monotonic() - started > 3, "it can be followed"
    assert warm.get_attribute("#build_x-say", "aria-live") == "polite"


def test_nothing_plays_or_moves_under_reduced_motion(open_page):
    page = open_page(f"{PAGE}#build_x?shown=3&playing=True", reduced_motion="reduce")
    shows(page, shown=3, playing=True)
    assert not page.is_visible("#build_x-play")
    page.wait_for_timeout(1600)
    shows(page, shown=3, playing=True)
    press(page, "swap")
    shows(page, shown=3, playing=True, swapped="swap")
    assert page.evaluate(MOVING) == []
    press(page, "next", "next")
    shows(page, shown=5, swapped="swap")


MOVING = """() => document.getAnimations().filter((a) => !(a instanceof CSSTransition)).map((a) => a.effect.target.id)
    .filter((id) => id.startsWith("build_x"))"""


def test_the_rows_that_a_swap_trades_move(warm: Page):
    press(warm, *["next"] * 5)
    shows(warm, shown=5)
    warm.wait_for_timeout(400)
    assert warm.evaluate(MOVING) == []
    warm.evaluate("""(moving) => {
        const panel = document.querySelector("#build_x"), attributeFilter = ["state"];
        window.moving = new Promise((resolve) => {
            new MutationObserver(() => setTimeout(() => resolve(eval(moving)()))).observe(panel, { attributeFilter });
        });
    }""", MOVING)
    press(warm, "swap")
    assert set(warm.evaluate("moving")) >= {"build_x-token-2", "build_x-token-4", "build_x-x-2", "build_x-x-4"}
    shows(warm, shown=5, swapped="swap")


def test_details_stay_open_over_answers(warm: Page):
    press(warm, "next", "next")
    shows(warm, shown=2)
    for details in ("#build_x-sums", "#build_x details.code"):
        warm.locator(f"{details} > summary").click()
        expect(warm.locator(details)).to_have_attribute("open", "")
    press(warm, "next")
    shows(warm, shown=3)
    assert warm.locator("#build_x-sums").get_attribute("open") == ""
    assert warm.locator("#build_x details.code").get_attribute("open") == ""
    shown = warm.locator("#build_x [data-function]:visible").evaluate_all("all => all.map((f) => f.dataset.function)")
    assert "lookup" in shown and "rope" not in shown
    press(warm, "scheme-rope")
    expect(warm.locator("#build_x [data-function=rope]")).to_be_visible()
    warm.locator("#build_x details.code > summary").click()


@pytest.mark.parametrize("text", ['{"scheme":"\\ud800"}', "{", '{"nonsense":1}'])
def test_a_broken_state_in_the_element_is_harmless(warm: Page, text: str):
    warm.evaluate("state => document.querySelector('#build_x').setAttribute('state', state)", text)
    press(warm, "swap")
    shows(warm)
    assert "could not be used" in notice(warm)
    assert "computed live" in status(warm)


# --- sliders


@pytest.fixture
def clock(open_page) -> Page:
    """A page of its own with Python ready, at the panel whose first state is q at 3, k at 1, θ = 0.5."""
    page = ready(open_page())
    page.locator("#clock").scroll_into_view_if_needed()
    return page


def stands(page: Page, field: str, value: str) -> None:
    """Waits until the clock's field has this value."""
    has(page, f"#clock[state*='\"{field}\":{value},']", 20_000)


def test_a_slider_moves_by_the_keys_and_follows_the_pointer_before_it_is_let_go(clock: Page):
    clock.focus("#clock-position_of_q")
    for value in (4, 5, 6):
        clock.keyboard.press("ArrowRight")
        stands(clock, "position_of_q", str(value))
    assert clock.evaluate("document.activeElement.id") == "clock-position_of_q"
    assert clock.input_value("#clock-position_of_q-typed") == "6"
    clock.eval_on_selector("#clock-position_of_k", "slider => slider.scrollIntoView({ block: 'center' })")
    box = clock.locator("#clock-position_of_k").bounding_box()
    assert box
    clock.mouse.move(box["x"] + 9, box["y"] + box["height"] / 2)
    clock.mouse.down()
    clock.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=12)
    clock.wait_for_function("document.querySelector('#clock-position_of_k').value > 24")
    held = clock.input_value("#clock-position_of_k")
    assert 24 < int(held) < 40
    stands(clock, "position_of_k", held)
    clock.wait_for_timeout(300)
    assert clock.input_value("#clock-position_of_k") == held
    clock.mouse.up()


@pytest.mark.parametrize(("typed", "value"), [("0,25", "0.25"), ("1.5", "1.5"), (" 2 ", "2.0")])
def test_a_number_can_be_typed_with_a_comma_or_a_point(clock: Page, typed: str, value: str):
    clock.fill("#clock-theta-typed", typed)
    clock.keyboard.press("Enter")
    stands(clock, "theta", value)
    assert clock.locator("#clock .notice").count() == 0


@pytest.mark.parametrize(("typed", "sentence"), [
    ("abc", "theta needs a number, and “abc” is none"), ("7", "theta cannot be 7, only a number from 0.01 to 3.14"),
    ("<b>", "theta needs a number, and “<b>” is none")])
def test_what_is_no_number_is_told_and_the_last_state_stays(clock: Page, typed: str, sentence: str):
    clock.fill("#clock-theta-typed", typed)
    clock.keyboard.press("Enter")
    expect(clock.locator("#clock .notice")).to_contain_text(sentence)
    stands(clock, "theta", "0.5")


# --- from page to page


def test_a_sentence_walks_from_page_to_page_with_the_same_python(open_page):
    page = open_page("1-tokens/")
    page.locator("#cut").scroll_into_view_if_needed()
    has(page, "#cut[python=ready]")
    page.evaluate("window.marker = true")
    page.fill("#cut [name=text]", "the dog climb")
    page.keyboard.press("Enter")
    page.locator("#cut a[href*='0+3+4']").click()
    for name in ("build_x", "head", "heads", "block", "output", "generation"):
        has(page, f"#{name}[python=ready][state*='\"ids\":\"0 3 4\"']")
        if name != "generation":
            page.locator(f"#{name} a[href*='?ids=0+3+4']:not(.copy)").last.click()
    assert page.evaluate("window.marker") and workers(page) == 1


# --- where a number came from


def test_a_number_tells_where_it_came_from_by_pointer_and_by_key(open_page):
    page = open_page("3-query-key-value/")
    page.locator("#head").scroll_into_view_if_needed()
    has(page, "#head[python=ready]")
    page.locator("#head-norm label").nth(4).click()  # the first number of h
    expect(page.locator("#head-from")).to_contain_text("h51 = x51 / root")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#head-from")).to_contain_text("h52 = x52 / root")
    assert page.evaluate("document.activeElement.value") == "h 4 1"
    page.locator("#head-from button[value='X 4 1']").first.click()
    expect(page.locator("#head-from")).to_contain_text("x52 = E[1]2 + P52")
    page.locator("#head-from button[value='']").click()
    expect(page.locator("#head-from")).to_contain_text("Press a number")


# --- memory


def test_after_the_largest_tables_a_new_worker_gives_their_memory_back_and_nothing_is_lost(open_page):
    page = open_page(f"{PAGE}#sparse_update")
    has(page, "#sparse_update[python=ready]")
    (first,) = [worker for worker in page.workers if "/app-" in worker.url]
    page.evaluate("location.hash = 'sparse_update?V=128256&d=64&n=8&optimiser=adam&tick=1'")
    has(page, "#sparse_update[state*='128256']")
    page.evaluate("document.querySelector('#sparse_update').do({ action: { d: '16' } })")
    with page.expect_worker() as second:
        page.evaluate("document.querySelector('#sparse_update').do({ action: { V: '200' } })")
    has(page, "#sparse_update[python=ready][state*='\"V\":\"200\"']")
    assert first not in page.workers and second.value in page.workers and workers(page) == 1
    page.evaluate("document.querySelector('#sparse_update').do({ action: { do: 'next' } })")
    has(page, "#sparse_update[state*='\"tick\":2']")
