"""For everyone: axe-core finds nothing, nothing is wider than a small phone, and fingers hit the controls."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from conftest import PAGE, ROOT
from site_server import Site
from tokenwalk import walk

AXE = ROOT / "node_modules/axe-core/axe.min.js"
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
STATES = {
    "build_x": ["", "shown=3&scheme=rope", "shown=5&scheme=alibi&swapped=swap", "shown=5&swapped=swap_far",
                "shown=2&scheme=sinusoidal", "shown=4&scheme=none&playing=True"],
}
STEPS = [f"{file.stem}/" for file in sorted((ROOT / "docs").glob("[1-7]-*.md"))]


def links(name: str) -> list[str]:
    """The links of some of the panel's states: those chosen above, or three or four spread over its table."""
    table = [link for link, *_ in walk.states(name).values()]
    return STATES.get(name, table[::max(1, len(table) // 3)])


def each(page: Page) -> Iterator[tuple[str, str]]:
    """Brings the page's panels into some of their states, one after another: which panel it is, and its link."""
    for name in page.eval_on_selector_all("py-panel", "panels => panels.map((panel) => panel.id)"):
        for link in links(name):
            bring(page, name, link)
            yield name, link


def bring(page: Page, name: str, link: str) -> None:
    """Puts the panel into a state, as a link does, and waits for its picture."""
    page.evaluate("hash => { location.hash = hash }", f"{name}?{link}")
    page.wait_for_selector(f"#{name} a.copy[href$='#{name}{'?' + link if link else ''}']")


def found(page: Page, where: str = "html") -> str:
    """What axe-core finds, a line for each element: the rule, the element, what is wrong with it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text())
    answer = page.evaluate("where => axe.run(where, { resultTypes: ['violations'] })", where)
    return "\n".join(f"{rule['id']}: {' '.join(node['html'].split())[:90]} {node['failureSummary'].splitlines()[1]}"
                     for rule in answer["violations"] for node in rule["nodes"])


@pytest.fixture(params=["light", "dark"])
def visit(request, open_page) -> Callable[..., Page]:
    """Opens a page in the light and in the dark palette, without motion."""
    return lambda where, size: open_page(where, viewport=size, color_scheme=request.param, reduced_motion="reduce")


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("where", ["", *STEPS])
def test_axe_finds_nothing_on_a_page(visit, where: str, size: dict[str, int]):
    page = visit(where, size)
    page.eval_on_selector_all("article details", "all => all.forEach((details) => { details.open = true })")
    assert found(page) == ""


@pytest.mark.parametrize("where", STEPS)
def test_axe_finds_nothing_in_any_state_of_a_panel(visit, site: Site, where: str):
    with site.holding(".wasm"):
        page = visit(where, PHONE)
        for name, link in each(page):
            assert found(page, f"#{name}") == "", (name, link)


def test_axe_finds_nothing_when_python_failed_and_a_choice_was_refused(visit, site: Site):
    with site.answering(".wasm", b"", status=200):
        page = visit(PAGE, DESK)
        page.wait_for_selector("#build_x [data-when=failed] .load:visible")
        assert found(page, "#build_x") == ""
    page.click("#build_x [data-when=failed] .load")
    page.wait_for_selector("#build_x[python=ready]", timeout=60_000)
    page.evaluate("location.hash = 'build_x?scheme=broken'")
    page.wait_for_selector("#build_x .notice")
    assert found(page, "#build_x") == ""


@pytest.mark.parametrize("where", ["", *STEPS])
def test_no_page_is_wider_than_a_small_phone(open_page, site: Site, where: str):
    small = {"width": 320, "height": 640}
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    with site.holding(".wasm"):
        page = open_page(where, viewport=small)
        assert page.evaluate(wider) == 0
        for name, link in each(page):
            assert page.evaluate(wider) == 0, (name, link)


@pytest.mark.parametrize("where", STEPS)
def test_fingers_hit_every_control(open_page, site: Site, where: str):
    with site.holding(".wasm"):
        page = open_page(where, viewport=PHONE, has_touch=True)
        for name, link in each(page):
            kinds = "button, select, textarea, input[type=text], label:has(input)"
            controls = page.locator(f"#{name} :is({kinds}):visible:not(td label)")
            heights = controls.evaluate_all("all => all.map((node) => node.getBoundingClientRect().height)")
            assert min(heights) >= 40, (name, link, heights)
            numbers = page.locator(f"#{name} td label:visible")  # each tells where it came from; WCAG 2.2 asks for 24
            boxes = numbers.evaluate_all("all => all.map((node) => node.getBoundingClientRect())")
            assert all(min(box["height"], box["width"]) >= 24 for box in boxes), (name, link)


@pytest.mark.parametrize(("where", "link"), [
    ("", "whole?cell=Y+4+1"), ("3-query-key-value/", "head?cell=weights+1+4+1")])
def test_axe_finds_nothing_where_a_number_tells_where_it_came_from(visit, where: str, link: str):
    name = link.split("?")[0]
    page = visit(f"{where}#{link}", PHONE)
    page.wait_for_selector(f"#{name} .from.found")
    assert found(page, f"#{name}") == ""


# What has the focus, if it is of the page's content, and whether its first line can be seen.
SEEN = """() => {
  const held = document.activeElement.closest(".md-content *");
  const box = held?.getClientRects()[0];
  const top = box && document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, 20) / 2);
  const shown = (node) => node && (node.contains(held) || held.contains(node));
  return held && [!!(shown(top) || shown(top?.closest("label"))), held.outerHTML.slice(0, 120)];
}"""


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_what_gets_the_focus_is_not_hidden(open_page, size: dict[str, int], key: str):
    page = open_page("3-query-key-value/#head?cell=weights+1+4+1", viewport=size, reduced_motion="reduce")
    page.wait_for_selector("#head .from.found")  # it stays at the bottom, as the header does at the top
    page.wait_for_load_state()  # until then the browser may still scroll to the panel
    start = page.locator(".md-content a")
    (start.first if key == "Tab" else start.last).focus()
    seen = []
    for _ in range(120):
        page.keyboard.press(key)
        visible, html = page.evaluate(SEEN) or [True, ""]
        if not visible:  # the page may still be on its way there
            page.wait_for_timeout(500)
            visible, html = page.evaluate(SEEN)
        seen.append((visible, html))
    assert len({html for _, html in seen}) > 40
    assert "\n".join(html for visible, html in seen if not visible) == ""
