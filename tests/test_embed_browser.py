"""Bare pages in frames of a course: heights in every host's words, nothing taken from the host, scores handed on."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page, expect

from conftest import PAGE, ROOT, Watch
from site_server import Site
from test_access import DESK, PHONE, found
from test_frames import STORAGE, ready
from tokenwalk import embed

HOST = """<!doctype html><title>A course</title><link rel="icon" href="data:,">
<script>
const heard = [], all = document.getElementsByTagName("iframe");
const find = (source) => [...all].find(({{ contentWindow }}) => contentWindow === source);
addEventListener("message", ({{ data }}) => heard.push([performance.now(), data]));
</script>
<script src="iframeResizer.min.js"></script>
<input value="An answer">
<div id="around" {around}><iframe {attributes} width="{width}" height="400" src="{address}"></iframe></div>
<div style="height: 1500px"></div>
{script}"""

PARENTS = {
    "iframe-resizer 4": "<script>iFrameResize({ log: false }, 'iframe')</script>",
    "open-iframe-resizer 2": """<script type="module">
        import { initialize } from "./index.js";
        initialize({}, "iframe");
    </script>""",
    # The next four are ours, after what the hosts' sources and documents say.
    "Canvas": """<script>addEventListener("message", ({ source, data }) => {
        let said = data;
        try { said = JSON.parse(data); } catch { }
        if (said.subject !== "lti.frameResize") return;
        find(source).style.height = `${said.height}px`;
        source.postMessage({ subject: "lti.frameResize.response" }, "*");
    });</script>""",
    "a host that listens late": """<script>setTimeout(() => addEventListener("message", ({ source, data }) => {
        const said = typeof data === "string" && data[0] === "{" ? JSON.parse(data) : {};
        if (said.subject === "lti.frameResize") find(source).height = said.height;
    }), 1200);</script>""",
    "Open edX": """<script>addEventListener("message", ({ source, data }) => {
        if (data.type === "plugin.resize") find(source).height = data.payload.height;
    });</script>""",
    "H5P": """<script>const met = new Set();
    addEventListener("message", ({ source, origin, data }) => {
        if (data.context !== "h5p") return;
        if (data.action === "hello") source.postMessage({ context: "h5p", action: "hello" }, met.add(source) && origin);
        if (data.action === "resize" && met.has(source)) find(source).style.height = `${data.scrollHeight}px`;
    });</script>""",
}

FORBIDDEN = "console: (Permissions policy violation: The Clipboard API|Blocked opening)"  # where a frame tries to copy


@pytest.fixture
def host(browser: Browser, site: Site, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page of another site with a frame in it; nothing may go wrong in either, nor leave these two."""
    for file in ("iframe-resizer/js/iframeResizer.min.js", "@open-iframe-resizer/core/dist/index.js"):
        shutil.copy(ROOT / "node_modules" / file, tmp_path)
    course = Site(tmp_path)
    address = course.url.replace("127.0.0.1", "localhost")
    watch = Watch(browser.new_context(reduced_motion="reduce"), site, expected=f"foreign: {address}|{FORBIDDEN}")

    def opened(frame="embed/build_x.html", *, script="", attributes="", around="", width=740) -> Page:
        page = HOST.format(script=script, attributes=attributes, around=around, width=width, address=site.url + frame)
        (tmp_path / "index.html").write_text(page)
        host = watch.context.new_page()
        host.goto(address)
        return host

    yield opened
    watch.context.close()
    course.server.shutdown()
    watch.check()


def inner(host: Page) -> Frame:
    """The frame, once its scripts run."""
    frame = host.frames[1]
    frame.wait_for_selector("py-panel[python]")
    return frame


def content(frame: Frame) -> float:
    return frame.evaluate("document.documentElement.getBoundingClientRect().height")


def fits(host: Page, seconds: float = 5) -> None:
    """Waits until the frame is as high as its content, to two pixels."""
    for _ in range(int(10 * seconds)):
        own, given = content(inner(host)), host.evaluate("document.querySelector('iframe').clientHeight")
        if abs(own - given) <= 2:
            return
        host.wait_for_timeout(100)
    raise AssertionError(f"the content is {own} px high, the frame {given}")


# --- heights


@pytest.mark.parametrize("parent", PARENTS)
def test_the_frame_follows_its_content_up_and_down_and_comes_to_rest(host, site: Site, parent: str):
    with site.holding(".wasm"):  # so that Python's own line does not change meanwhile
        course = host(script=PARENTS[parent])
        fits(course)
        before = content(inner(course))
        inner(course).locator("summary", has_text="Show the Python").click()
        assert content(inner(course)) > before + 100
        fits(course)
        inner(course).locator("summary", has_text="Show the Python").click()
        fits(course)
        start = course.evaluate("performance.now()")
        heights = []
        for _ in range(12):
            course.wait_for_timeout(250)
            heights.append(course.evaluate("document.querySelector('iframe').clientHeight"))
        assert max(heights) - min(heights) <= 1
        sent = course.evaluate("start => heard.filter(([at]) => at > start).length", start)
        assert sent <= 5 * 3, "a few messages a second at most"


@pytest.mark.parametrize("frame", ["embed/build_x.html", "embed/3-query-key-value-check.html"])
def test_never_more_than_five_messages_come_within_a_second(host, frame: str):
    course = host(frame, script=PARENTS["Canvas"])
    inner(course).wait_for_selector("py-panel[python=ready]", timeout=60_000)
    course.wait_for_timeout(6500)  # it speaks three times to hosts that listen late
    times = course.evaluate("heard.map(([at]) => at)")
    assert len(times) > 6
    assert max(sum(start <= at < start + 1000 for at in times) for start in times) <= 5, times


@pytest.mark.parametrize("attributes", ["", 'sandbox="allow-scripts"'])
def test_a_frame_that_is_shown_later_has_its_height_then(host, site: Site, attributes: str):
    with site.holding(".wasm"), site.sending("Access-Control-Allow-Origin", "*"):
        course = host(script=PARENTS["Canvas"], around="hidden", attributes=attributes)
        course.wait_for_timeout(2500)
        heights = course.evaluate("heard.map(([, data]) => /height/.test(JSON.stringify(data)))")
        assert not any(heights), "a hidden frame has no height to tell"
        course.evaluate("document.querySelector('#around').hidden = false")
        fits(course)


def test_where_nobody_listens_the_frame_scrolls(host):
    course = host()
    course.wait_for_timeout(2500)
    frame = inner(course)
    assert course.evaluate("document.querySelector('iframe').clientHeight") == 400
    course.locator("iframe").hover()
    course.mouse.wheel(0, 5000)
    frame.wait_for_function("Math.abs(scrollY + innerHeight - document.documentElement.scrollHeight) <= 1")
    assert frame.locator(".full a").is_visible()


def test_what_others_say_changes_nothing(host, site: Site):
    course = host()
    frame = inner(course)
    course.wait_for_timeout(2500)
    course.evaluate("""() => {
        for (const data of [null, 0, "", "[iFrameSizer]", [], { type: { length: 1 } }, { type: 1, context: {} },
            { message_id: "0", state: null }, { message_id: "0", state: { link: "scheme=rope" } }])
            document.querySelector("iframe").contentWindow.postMessage(data, "*");
    }""")
    frame.evaluate("postMessage('[iFrameSizer]x:8:false:true', '*'), postMessage({ type: 'iframe-child-init' }, '*')")
    course.wait_for_timeout(500)
    assert course.evaluate("heard.filter(([, data]) => /iFrameSizer|iframe-resized/.test(JSON.stringify(data)))") == []
    assert frame.is_checked("[name=scheme][value=learned]")


def test_the_height_that_a_course_is_given_fits_the_first_picture(open_page, site: Site):
    with site.holding(".wasm"):
        page = open_page("", viewport={"width": embed.WIDTH, "height": 400})
        for name, height in embed.HEIGHTS.items():
            page.goto(f"{site.url}embed/{name}.html")
            own = content(page.main_frame)
            assert abs(own - height) <= 0.15 * own, (name, own, "tests/heights.py measures them anew")


# --- kinds of frames


KINDS = ["", 'sandbox="allow-scripts"', 'sandbox="allow-scripts allow-same-origin"', "allowfullscreen loading='lazy'"]


@pytest.mark.parametrize("attributes", KINDS)
def test_all_works_in_every_kind_of_frame_and_the_host_keeps_its_focus_and_place(host, site: Site, attributes: str):
    with site.sending("Access-Control-Allow-Origin", "*"):
        course = host("embed/build_x.html#build_x?scheme=rope", attributes=attributes)
        course.focus("input")
        course.evaluate("scrollTo(0, 30)")
        frame = inner(course)
        assert frame.evaluate(STORAGE) == "SecurityError"
        expect(frame.locator("[name=scheme][value=rope]")).to_be_checked()
        frame.wait_for_selector("#build_x[python=ready]", timeout=60_000)
        assert course.evaluate("[document.activeElement.tagName, scrollY]") == ["INPUT", 30]
        ready(course, frame)
        frame.click("#build_x-next")
        expect(frame.locator("#build_x-say")).to_contain_text("Row 1 is the’s row of E.")


def test_python_waits_until_the_frame_comes_into_view(host, site: Site):
    course = host(around='style="margin-top: 4000px"')
    course.wait_for_timeout(3000)
    assert inner(course).get_attribute("#build_x", "python") == "off"
    ready(course, inner(course))


def test_links_open_the_full_page_in_a_tab_of_its_own(host, site: Site):
    course = host("embed/build_x.html#build_x?scheme=rope")
    frame = inner(course)
    expect(frame.locator("[name=scheme][value=rope]")).to_be_checked()
    for link, address in {
        ".full a": "2-embeddings/#build_x",
        ".picture > p:last-child a": "3-query-key-value/#head?scheme=rope",
        ".foot .copy": "2-embeddings/#build_x?scheme=rope",  # since the browser forbids such a frame to copy
    }.items():
        with course.context.expect_page() as tab:
            frame.click(link)
        tab.value.wait_for_load_state()
        assert tab.value.url == site.url + address
        assert course.url in (page.url for page in course.context.pages)
        tab.value.close()
    expect(frame.locator("#build_x .status")).to_contain_text("The link is now in the address bar.")


def test_where_no_tab_may_open_the_panel_says_so(host, site: Site):
    with site.sending("Access-Control-Allow-Origin", "*"):
        frame = inner(host(attributes='sandbox="allow-scripts"'))
        frame.click(".foot .copy")
        expect(frame.locator("#build_x [data-when=forbidden]")).to_be_visible()


def test_it_works_from_any_folder_and_with_a_query(browser: Browser, site: Site, tmp_path: Path):
    (tmp_path / "My course, week 1").symlink_to(site.folder, target_is_directory=True)
    course = Site(tmp_path)
    watch = Watch(browser.new_context(), course)
    page = watch.context.new_page()
    page.goto(f"{course.url}My%20course,%20week%201/embed/build_x.html?x=1#build_x?scheme=alibi")
    page.wait_for_selector("#build_x[python=ready]", timeout=60_000)
    expect(page.locator("[name=scheme][value=alibi]")).to_be_checked()
    with watch.context.expect_page() as tab:
        page.click(".full a")
    assert tab.value.url.endswith("/My%20course,%20week%201/2-embeddings/#build_x")
    watch.context.close()
    course.server.shutdown()
    watch.check()


# --- scores


SPLICE = """<script>addEventListener("message", ({ source, data }) => {
    if (data.subject === "SPLICE.getState")
        source.postMessage({ subject: "SPLICE.getState.response", message_id: data.message_id, state: %s }, "*");
});</script>"""
REPORTS = "heard.map(([, data]) => data).filter(({ subject }) => subject === 'SPLICE.reportScoreAndState')"


QUESTIONS = "embed/3-query-key-value-check.html"


@pytest.fixture
def scored(host, site: Site) -> Iterator[Callable[..., Page]]:
    """Opens another site's page with the questions of step 3 in a frame. Their table answers; Python does not come."""
    with site.holding(".wasm"):
        yield lambda frame=QUESTIONS, **more: host(frame, **more)


def answers(frame: Frame, choice: str) -> None:
    """Gives an answer to the first question, which is right with v, and has it checked."""
    frame.check(f"[name=sum][value={choice}]", force=True)
    expect(frame.locator(f"[name=sum][value={choice}]")).to_be_checked()
    frame.click("[value=check-sum]")
    expect(frame.locator("[data-question=sum]")).to_have_attribute("data-answer", choice)


def test_a_host_gets_score_and_state_after_each_answer(scored):
    course = scored()
    answers(inner(course), "k")
    answers(inner(course), "v")
    course.wait_for_function(f"{REPORTS}.at(-1)?.score > 0")
    *_, said = course.evaluate(REPORTS)
    assert said["score"] == 0.2  # one of five
    assert {"sum=v", "sum_tries=2"} <= set(said["state"]["link"].split("&"))
    assert len({each["message_id"] for each in course.evaluate(REPORTS)}) == len(course.evaluate(REPORTS))
    question = next(each for each in said["questions"] if each["question"] == "sum")
    assert (question["answer"], question["result"], question["tries"]) == ("v", "right", "2")


def test_the_address_of_a_frame_stays_its_own(scored):
    frame = inner(scored(f"{QUESTIONS}#check_head?sum=k"))
    expect(frame.locator("[name=sum][value=k]")).to_be_checked()
    answers(frame, "k")
    assert frame.evaluate("location.pathname").endswith(f"/{QUESTIONS}")
    assert "sum_tries=1" in frame.evaluate("location.hash")


def test_a_host_gives_back_the_state_that_it_kept(scored):
    frame = inner(scored(script=SPLICE % '{ link: "sum=k" }'))
    expect(frame.locator("[name=sum][value=k]")).to_be_checked()
    answers(frame, "v")


@pytest.mark.parametrize("state", ["null", "{}", "7", "{ link: 7 }", "{ link: null }", "[]"])
def test_a_host_that_kept_nothing_leaves_the_first_picture(scored, state: str):
    course = scored(script=SPLICE % state)
    course.wait_for_timeout(1000)
    assert not inner(course).locator("[name=sum]:checked").count()
    assert not inner(course).locator(".notice").count()


def test_what_the_reader_did_meanwhile_is_not_lost_to_a_late_host(scored):
    late = (SPLICE % '{ link: "sum=q" }').replace("source.postMessage(", "setTimeout(() => source.postMessage(")
    course = scored(script=late.replace('"*");', '"*"), 1500);'))
    answers(inner(course), "k")
    course.wait_for_timeout(2500)
    assert inner(course).is_checked("[name=sum][value=k]")


def test_a_state_that_waits_for_python_is_not_reported_over(host, site: Site):
    stored = "even=0.5&even_tries=1&even_done=checked&last=even"
    with site.answering(".wasm", b"", status=200):
        course = host(QUESTIONS, script=SPLICE % json.dumps({"link": stored}))
        inner(course).wait_for_selector("#check_head[python=failed]", timeout=90_000)
        inner(course).check("[name=sum][value=k]", force=True)  # the table answers this
        inner(course).wait_for_selector("#check_head[state*='\"sum\":\"k\"']", state="attached")
        course.wait_for_timeout(500)
        assert course.evaluate(REPORTS) == []
    inner(course).click("[data-when=failed] .load")
    course.wait_for_function(f"{REPORTS}.length", timeout=90_000)
    *_, said = course.evaluate(REPORTS)
    assert said["score"] == 0.2 and "even=0.5" in said["state"]["link"]


def test_a_panel_without_questions_says_nothing_of_scores(host, site: Site):
    course = host()
    inner(course).click("#build_x-next")
    course.wait_for_timeout(2500)
    assert not re.search("SPLICE", json.dumps(course.evaluate("heard")))


# --- how it looks


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_bare_page_has_the_colours_of_the_full_one(open_page, site: Site, scheme: str):
    colours = """() => ["", ".question", "td", ".say", "a", "button.strong", "h3", "small", ".tok", ".highlight .c1"]
        .map((place) => getComputedStyle(document.querySelector(`#build_x ${place}`)))
        .flatMap(({ color, backgroundColor, fontSize }) => [color, backgroundColor, fontSize])"""
    with site.holding(".wasm"):
        full, bare = (open_page(where, color_scheme=scheme).evaluate(colours) for where in (PAGE, "embed/build_x.html"))
    assert full == bare


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("where", ["embed/build_x.html", "teach/"])
def test_axe_finds_nothing(open_page, site: Site, size: dict[str, int], scheme: str, where: str):
    with site.holding(".wasm"):
        page = open_page(where, viewport=size, color_scheme=scheme, reduced_motion="reduce")
        page.eval_on_selector_all("details", "all => all.forEach((details) => { details.open = true })")
        themes = 'landmark-unique: <nav class="md-code__nav">'  # the theme gives no names to its copy buttons' frames
        assert [line for line in found(page).splitlines() if not line.startswith(themes)] == []


def test_nothing_is_wider_than_a_small_phone(open_page, site: Site):
    with site.holding(".wasm"):
        page = open_page("", viewport={"width": 320, "height": 640})
        bare = sorted(f"embed/{file.name}" for file in (site.folder / "embed").glob("*.html"))
        for where in ("teach/", *bare):
            page.goto(site.url + where)
            assert page.evaluate("document.documentElement.scrollWidth") == 320, where
