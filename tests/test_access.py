"""For everyone: axe-core finds nothing, nothing is wider than a small phone, and fingers hit the controls."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from conftest import PAGE, ROOT
from site_server import Site

AXE = ROOT / "node_modules/axe-core/axe.min.js"
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
STATES = {  # by page and panel: links to states that are in the table
    PAGE: {
        "build_x": ["", "shown=3&scheme=rope", "shown=5&scheme=alibi&swapped=swap", "shown=5&swapped=swap_far",
                    "shown=2&scheme=sinusoidal", "shown=4&scheme=none&playing=True"],
        "lookup": ["", "id=9&column=4", "id=11"],
        "order": ["", "mask=causal", "order=4+3+2+1+0&scheme=alibi", "picked=2", "order=0+1+2+3+4"],
        "collide": ["", "first_token=11", "second_position=2"],
        "nearest": ["", "width=768", "share=50", "seed=3"],
        "longer": ["", "scaling=ntk", "scaling=none&factor=1.0"],
        "hands": ["", "pair=1", "taken=found"],
        "real_table": ["", "word=the", "word=henry"],
        "scatter": ["", "shown=3&source=loss", "shown=5&sentence=once&source=tied"],
    },
    "3-query-key-value/": {"head": ["", "t=1", "head=1", "scheme=rope", "scheme=alibi", "scheme=sinusoidal"]},
    "4-mask-and-heads/": {"heads": ["", "mask=False", "t=1", "scheme=alibi"]},
}
every_page = pytest.mark.parametrize("where", STATES)


def states(where: str) -> list[tuple[str, str]]:
    """The panels of a page, each with every link of its own."""
    return [(name, link) for name, links in STATES[where].items() for link in links]


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
@pytest.mark.parametrize("where", ["", *STATES])
def test_axe_finds_nothing_on_a_page(visit, where: str, size: dict[str, int]):
    page = visit(where, size)
    page.eval_on_selector_all("article details", "all => all.forEach((details) => { details.open = true })")
    assert found(page) == ""


@every_page
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_axe_finds_nothing_in_any_state_of_a_panel(visit, site: Site, size: dict[str, int], where: str):
    with site.holding(".wasm"):
        page = visit(where, size)
        for name, link in states(where):
            bring(page, name, link)
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


@pytest.mark.parametrize("where", ["", *STATES])
def test_no_page_is_wider_than_a_small_phone(open_page, site: Site, where: str):
    wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    with site.holding(".wasm"):
        page = open_page(where, viewport={"width": 320, "height": 640})
        assert page.evaluate(wider) == 0
        for name, link in states(where) if where else ():
            bring(page, name, link)
            assert page.evaluate(wider) == 0, (name, link)


@every_page
def test_fingers_hit_every_control(open_page, site: Site, where: str):
    with site.holding(".wasm"):
        page = open_page(where, viewport=PHONE, has_touch=True)
        for name, link in states(where):
            bring(page, name, link)
            controls = page.locator(f"#{name} :is(button, select, label:has(input)):visible")
            heights = controls.evaluate_all("all => all.map((node) => node.getBoundingClientRect().height)")
            assert min(heights) >= 40, (name, link, heights)
