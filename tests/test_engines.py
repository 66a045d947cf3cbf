"""Firefox and WebKitGTK: Python starts, NumPy gives the build's numbers, every control of every panel works."""

import json
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Playwright

from conftest import PAGE, ROOT
from engines import RUNNING, Run
from site_server import Site
from tokenwalk import panel, walk
from tokenwalk.panels.build_x import State
from tokenwalk.state import to_link, to_text

# Before all other scripts of the page: keeps what goes wrong, and in a frame tells the host.
WATCH = """<script>{
    const wrong = window.wrong = [], note = (what) => wrong.push(String(what?.stack ?? what)), error = console.error;
    addEventListener("error", (event) => note(event.message ?? `${event.target.outerHTML} did not load`), true);
    addEventListener("unhandledrejection", (event) => note(event.reason));
    console.error = (...words) => (note(words.join(" ")), error(...words));
    if (parent !== window) setInterval(() => {
        const panel = document.querySelector("#build_x");
        if (panel) parent.postMessage({ python: panel.getAttribute("python"), wrong, origin }, "*");
        if (panel?.getAttribute("python") === "off") panel.scrollIntoView();
    }, 300);
}</script>"""
# The page that each panel stands on.
PAGES = {name: f"{file.stem}/".replace("index/", "") for file in (ROOT / "docs").glob("*.md") for name in panel.names()
         if f'panel("{name}")' in file.read_text(encoding="utf-8")}
HOST = """<!doctype html><title>A course</title>
<script>addEventListener("message", ({ data }) => { window.told = data })</script>
<iframe sandbox="allow-scripts" width="600" height="400" src="%s"></iframe>"""


SHOWS = """(([name, state, html]) => {
    const panel = document.querySelector(`#${name}`), shown = panel.querySelector(".body").cloneNode(true);
    const drawn = shown.cloneNode();
    drawn.innerHTML = html.trim();
    shown.innerHTML = shown.innerHTML.trim();
    return shown.isEqualNode(drawn) && panel.getAttribute("state") === state; // whatever the order of attributes
})(%s)"""


@dataclass
class Reader:
    """A page of an engine: `go` opens an address, `run` gives the value of an expression."""

    go: Callable[[str], object]
    run: Run

    def wait(self, condition: str, seconds: float = 60) -> None:
        """Waits until the expression is true."""
        end = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < end, (condition, self.run("document.body.innerText"))
            time.sleep(0.05)

    def shows(self, name: str, state: str, html: str) -> None:
        """Waits until the panel is in this state with the picture that the build drew for it."""
        self.wait(SHOWS % json.dumps([name, state, html]), 20)


@pytest.fixture(scope="module", params=RUNNING)
def reader(request, playwright: Playwright, site: Site) -> Iterator[Reader]:
    """A reader with this engine, on a page that keeps what goes wrong in it."""
    with ExitStack() as stack:
        try:
            go, run = stack.enter_context(RUNNING[request.param](playwright))
        except FileNotFoundError as missing:
            warnings.warn(f"NOT TESTED in {request.param}. {missing}", stacklevel=1)
            pytest.skip(str(missing))
        for where in set(PAGES.values()):
            page = (site.folder / where / "index.html").read_bytes().replace(b"<head>", b"<head>" + WATCH.encode())
            stack.enter_context(site.answering(urlsplit(site.url + where).path, page))
        stack.enter_context(site.sending("Access-Control-Allow-Origin", "*"))  # as GitHub Pages and most hosts do
        yield Reader(go, run)


def goes_to(reader: Reader, site: Site, name: str) -> None:
    """Brings the reader to the page with this panel, and waits until Python is ready there."""
    if reader.run(f"document.querySelector('#{name}')?.getAttribute('python')") != "ready":
        reader.go(site.url + PAGES[name])
        reader.run(f"document.querySelector('#{name}').scrollIntoView()")
        reader.wait(f"document.querySelector('#{name}[python=ready], #{name}[python=failed]')")
    assert "computed live" in reader.run(f"document.querySelector('#{name} .status').innerText")


@pytest.fixture
def ready(reader: Reader, site: Site) -> Iterator[Reader]:
    """The reader on the Embeddings page, Python ready; after the test, nothing may have gone wrong."""
    goes_to(reader, site, "build_x")
    yield reader
    assert reader.run("wrong") == []


def follow(reader: Reader, name: str, link: str) -> None:
    """Puts a picture's link into the address."""
    reader.run(f"(location.hash = '', location.hash = {json.dumps(f'{name}?{link}')})")


USE = """(([panel, name, value]) => {
    const find = (selector) => document.querySelector(`#${panel} ${selector}`);
    const control = find(`:is(button, input[type=radio])[name="${name}"][value="${value}"]`);
    if (control) return control.click();
    const field = find(`:is(select, input)[name="${name}"]`);
    if (field.type === "checkbox") return field.click();
    field.value = value;
    field.dispatchEvent(new Event("change", { bubbles: true }));
})(%s)"""


def use(reader: Reader, panel: str, action: dict[str, str]) -> None:
    """Uses the control of the panel that does this."""
    ((name, value),) = action.items()
    reader.run(USE % json.dumps([panel, name, value]))


def uses(name: str) -> Iterator[tuple[str, str, str]]:
    """Each button, and of each other control one choice: a state that has it, the action, the state after it.

    Pictures that play are left out. That each choice gives the same picture everywhere is tested in Chromium.
    """
    table = walk.states(name)
    still = [state for state, (_, html, _) in table.items() if "data-every" not in html]
    actions = dict.fromkeys(action for state in still for action in table[state][2])
    changing = [action for action in actions if any(table[state][2].get(action, state) != state for state in still)]
    kinds = {action if action.startswith('{"do":') else action.split(":")[0]: action for action in reversed(changing)}
    for action in kinds.values():
        follower, state = next(((table[state][2][action], state) for state in still
                                if table[state][2].get(action) in still and table[state][2][action] != state), ("", ""))
        if state:
            yield state, action, follower


def test_numpys_known_number_is_there(ready: Reader):
    state = State(shown=3, scheme="rope")
    follow(ready, "build_x", to_link(State(shown=2, scheme="rope")))
    ready.wait("document.querySelector('#build_x').getAttribute('state').includes('\"shown\":2,\"scheme\":\"rope\"')")
    use(ready, "build_x", {"do": "next"})
    ready.shows("build_x", to_text(state), walk.states("build_x")[to_text(state)][1])
    assert "−0.701" in ready.run("document.querySelector('#build_x .body').innerText")


@pytest.mark.parametrize("name", sorted(panel.names(), key=lambda name: PAGES[name]))
def test_every_link_opens_and_every_control_gives_the_picture_of_the_build(reader: Reader, site: Site, name: str):
    goes_to(reader, site, name)
    table = walk.states(name)
    done = list(uses(name))
    for state, action, follower in done:
        follow(reader, name, table[state][0])
        reader.shows(name, state, table[state][1])
        use(reader, name, json.loads(action))
        reader.shows(name, follower, table[follower][1])
    assert done and reader.run("wrong") == []


def test_what_plays_goes_on_by_itself_and_stops_at_the_end(ready: Reader):
    follow(ready, "build_x", to_link(State(shown=3)))
    ready.wait("document.querySelector('#build_x').getAttribute('state').includes('\"shown\":3')")
    use(ready, "build_x", {"do": "play"})
    state = to_text(State(shown=5))
    ready.shows("build_x", state, walk.states("build_x")[state][1])


def test_python_becomes_ready_in_a_frame_without_an_origin(reader: Reader, site: Site, tmp_path: Path):
    (tmp_path / "index.html").write_text(HOST % f"{site.url}{PAGE}")
    course = Site(tmp_path)
    reader.go(course.url.replace("127.0.0.1", "localhost"))
    reader.wait("window.told?.python === 'ready' || window.told?.python === 'failed'")
    assert reader.run("told") == {"python": "ready", "wrong": [], "origin": "null"}
    course.server.shutdown()
