"""What the browser tests share: one built site, one Chromium, and pages that report whatever goes wrong in them."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from browsers import chromium
from site_server import Site

ROOT = Path(__file__).parent.parent
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]
PAGE = "2-embeddings/"
NOTHING = "(?!)"  # the pattern that matches nothing


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The site as `mkdocs build --strict` makes it, served under another address than the one it was built for."""
    served = Site(tmp_path_factory.mktemp("site"))
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(served.folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr
    return served


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    expect.set_options(timeout=30_000)  # a shared machine may be slow; a test that passes does not wait
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def launch(playwright: Playwright, site: Site) -> Iterator[Callable[..., Browser]]:
    """Starts a Chromium that reaches no host but the site: everything else goes to a proxy that refuses it."""
    started = []

    def launched(*more: str) -> Browser:
        proxy = {"server": site.origin, "bypass": "127.0.0.1"}
        started.append(playwright.chromium.launch(executable_path=chromium(), args=[*QUIET, *more], proxy=proxy))
        return started[-1]

    yield launched
    for browser in started:
        browser.close()


@pytest.fixture(scope="session")
def browser(launch: Callable[..., Browser]) -> Browser:
    return launch()


class Watch:
    """A context, and what went wrong in it: errors, and requests to another origin (which were refused, too)."""

    def __init__(self, context: BrowserContext, site: Site, expected: str = NOTHING) -> None:
        self.context, self.site, self.trouble = context, site, []
        self.expected = re.compile(expected)
        context.set_default_timeout(30_000)
        context.on("weberror", lambda event: self.note(f"uncaught: {event.error}"))
        context.on("console", lambda message: message.type == "error" and self.note(f"console: {message.text}"))
        context.on("request", lambda request: self.at_home(request.url) or self.note(f"foreign: {request.url}"))
        context.on("dialog", lambda dialog: (self.note(f"dialog: {dialog.message}"), dialog.dismiss()))

    def at_home(self, url: str) -> bool:
        return url.startswith((self.site.url, "data:", "blob:", "about:"))

    def note(self, what: str) -> None:
        if not self.expected.search(what):
            self.trouble.append(what[:500])

    def check(self) -> None:
        trouble, self.trouble = self.trouble, []
        assert not trouble, "\n".join(trouble)


def go_to(page: Page, address: str) -> Page:
    """Opens the address and goes to the panel, if there is one: Python starts when a panel comes near."""
    page.goto(address)
    if page.locator("#build_x").count():
        page.locator("#build_x").scroll_into_view_if_needed()
    return page


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator[Callable[..., Page]]:
    """Opens a page of the site in a fresh context: open_page("", expected=…, script=…, any option of a context).

    `expected` is a pattern for the errors that the test provokes; any other one, or a foreign request, fails the test.
    """
    watches = []

    def opened(where=PAGE, *, within: Browser = browser, expected=NOTHING, script="", **more) -> Page:
        watch = Watch(within.new_context(**more), site, expected)
        watches.append(watch)
        if script:
            watch.context.add_init_script(script)
        page = watch.context.new_page()
        return go_to(page, site.url + where)

    yield opened
    for watch in watches:
        watch.context.close()
    for watch in watches:
        watch.check()


@pytest.fixture(scope="session")
def warm_watch(browser: Browser, site: Site) -> Iterator[Watch]:
    """The one page that many tests share, with its Python ready."""
    watch = Watch(browser.new_context(), site)
    page = watch.context.new_page()
    go_to(page, site.url + PAGE).wait_for_selector("#build_x[python=ready]", state="attached")
    yield watch
    watch.context.close()


@pytest.fixture
def warm(warm_watch: Watch) -> Iterator[Page]:
    """The shared page with build_x in its first state."""
    page = warm_watch.context.pages[0]
    page.mouse.move(0, 0)
    if '"shown":0,"scheme":"learned","swapped":"no","playing":false' not in page.get_attribute("#build_x", "state"):
        page.click("#build_x-reset")
        page.wait_for_selector('#build_x[state*=\'"shown":0,"scheme":"learned","swapped":"no","playing":false\']')
    yield page
    warm_watch.check()
