"""What `python3 build.py bench` measures: the site in a real Chromium, beside a bare page that only starts Python.

One local server sends both as GitHub Pages would, and each run of a page has a new browser with a new profile. What is
compared is measured in turn, so that a ratio holds on a busy machine too. Nothing fails for being slow.
"""

import gzip
import json
import mimetypes
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Error, Page, Playwright, TimeoutError, sync_playwright

from browsers import chromium
from conftest import PAGE, QUIET, ROOT
from site_server import SUB, Handler, Site

WANTED = {"cold_ratio": "≤ 0.45", "bytes_ratio": "≤ 1.10", "longest_task_ms": "≤ 200", "first_paint_kb": "≤ 350",
          "first_click_ratio": "≤ 0.125", "table_click_p95_ms_cpu4": "≤ 50", "python_step_p95_ms": "≤ 50",
          "second_page_boots": "0", "zipf_sparse_ms": "≤ 4", "zipf_growth": "≤ 1.5", "zipf_dense_growth": "about 10",
          "zipf_tick_ms": "≤ 40", "zipf_longest_task_ms": "≤ 50", "zipf_click_p95_ms": "≤ 100", "zipf_stale": "0",
          "zipf_largest_mb": "≤ 400", "zipf_reset_mb": "as before", "zipf_again_mb": "no more",
          **{f"{kind}_after_30_{what}": "flat" for what in ("navigations", "restarts")
             for kind in ("dom_nodes", "heap_mb", "process_mb")}}
PAIRS, SLOW_PAIRS, CLICKS = 5, 2, 40
SLOW: dict[str, Any] = {"rate": 200_000, "delay": 0.15, "cpu": 4}  # 1.6 Mbit/s, and 150 ms for each request
OURS, BARE = f"{PAGE}#build_x", "bare/"  # the # scrolls to the panel: Python starts when a panel comes near
LIVE, READY = "#build_x:defined", "#build_x[python=ready], #bare[python=ready]"
NEEDED = re.compile(r"/(runtime-\w+|bare)/(?!index)|/app-\w+/(\w+\.zip\.bin|pyodide-lock|manifest|worker\.js)").match
BARE_PAGE = b"""<!doctype html><title>Bare</title><p id="bare">starting</p><script type="module">
import { loadPyodide } from "./pyodide.mjs";
const pyodide = await loadPyodide();
await pyodide.loadPackage("numpy");
pyodide.runPython("import numpy");
document.querySelector("#bare").outerHTML = `<p id="bare" python="ready">ready</p>`;</script>"""
NOTE_TASKS = """window.tasks = [0];
new PerformanceObserver((list) => tasks.push(...list.getEntries().map((task) => task.duration)))
  .observe({ type: "longtask", buffered: true });"""
CLICK_TIME = """(panel) => new Promise((done) => {
  const start = performance.now();
  const after = new MessageChannel();  // its message comes as the next task after the frame
  after.port1.onmessage = () => done(performance.now() - start);
  const answered = () => requestAnimationFrame(() => after.port2.postMessage(0));
  new MutationObserver(answered).observe(panel, { attributeFilter: ["state"] });
  (panel.querySelector("[value=next]:not([aria-disabled=true])") ?? panel.querySelector("[value=reset]")).click();
})"""
# Until the panel's state holds a text, after a wish that its table or Python answers.
ANSWER_TIME = """(panel, [wish, text]) => new Promise((done) => {
  const start = performance.now();
  const has = () => panel.getAttribute("state").includes(text) && done(performance.now() - start);
  new MutationObserver(has).observe(panel, { attributeFilter: ["state"] });
  panel.do(wish);
})"""
SIZES = ("12800", "50257", "128256")
Figures = Iterator[tuple[str, float, list[Any]]]  # name, value, and the values or [ours, bare, ratio] it comes from


def travelling(path: str, data: bytes) -> tuple[bytes, int, dict[str, str]]:
    """A file as GitHub Pages sends it, its size on disk, and its headers."""
    kind = mimetypes.MimeTypes().guess_type(path)[0] or "application/octet-stream"
    small = re.search("text|javascript|json|wasm|xml", kind)
    headers = {"Content-Type": kind, "Cache-Control": "max-age=600", "ETag": f'"{hash(data):x}"'}
    body, more = (gzip.compress(data, 6), {"Content-Encoding": "gzip"}) if small else (data, {})
    return body, len(data), {**headers, **more, "Content-Length": str(len(body))}


def files() -> dict[str, tuple[bytes, int, dict[str, str]]]:
    """All files by path: the site as MkDocs makes it now, and the bare page with Pyodide's and NumPy's own files."""
    pyodide = ROOT / "node_modules/pyodide"
    numpy = json.loads((pyodide / "pyodide-lock.json").read_text())["packages"]["numpy"]["file_name"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "mkdocs", "build", "-sqd", folder], cwd=ROOT, check=True,
                       env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
        found = {f"/{f.relative_to(folder).as_posix()}": f.read_bytes() for f in Path(folder).rglob("*") if f.is_file()}
    found |= {f"/{BARE}{f.name}": f.read_bytes() for f in (*pyodide.iterdir(), ROOT / ".cache" / numpy)}
    return {path: travelling(path, data) for path, data in {**found, f"/{BARE}index.html": BARE_PAGE}.items()}


class Bench:
    """The files, their server, the browser, and the line to the page that is open now."""

    def __init__(self, playwright: Playwright) -> None:
        self.files, self.site, self.lock, self.browsers = files(), Site(ROOT), threading.Lock(), playwright.chromium
        self.site.changes[""] = self.answer  # for every path

    @contextmanager
    def opened(self, path: str, cpu: int = 1, rate: float = 1e12, delay: float = 0, block: bool = False
               ) -> Iterator[Page]:
        """The page as its navigation starts. Its requests share `rate` bytes a second; each waits `delay` seconds."""
        self.rate, self.delay, self.block, self.free, self.sent = rate, delay, block, 0.0, Counter[str]()
        with self.browsers.launch(executable_path=chromium(), args=QUIET) as browser:
            page = browser.new_page()
            page.add_init_script(NOTE_TASKS)
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": cpu})
            page.goto(self.site.url + path, wait_until="commit")
            yield page

    def answer(self, handler: Handler) -> bool:
        """Sends what the handler was asked for, piece by piece as the line allows. True: the answer is complete."""
        sent, path = self.sent, re.sub("/$", "/index.html", handler.path.split("?")[0].removeprefix(SUB))
        known = path in self.files and not (self.block and NEEDED(path))
        body, _, headers = self.files[path] if known else (b"", 0, {"Content-Length": "0"})
        time.sleep(self.delay)
        handler.send_response(200 if known else 404)
        for header in headers.items():
            handler.send_header(*header)
        handler.end_headers()
        size = 4096 if self.rate < 1e9 else len(body) + 1
        for piece in (body[start:start + size] for start in range(0, len(body), size)):
            with self.lock:
                sent[path] += len(piece)
                self.free = max(self.free, time.monotonic()) + len(piece) / self.rate  # when the line is free again
            time.sleep(max(0, self.free - time.monotonic()))
            handler.wfile.write(piece)
        return True

    def needed(self) -> int:
        """The bytes sent so far of what Python needs."""
        return sum(count for path, count in self.sent.items() if NEEDED(path))


def reached(page: Page, selector: str = READY, seconds: int = 400) -> float:
    """The milliseconds from the start of the navigation until the page has such an element; looked at once a frame."""
    has = "selector => document.querySelector(selector) && performance.now()"  # a handle would keep the page in memory
    return float(page.wait_for_function(has, arg=selector, timeout=1000 * seconds).json_value())


def cold(bench: Bench) -> Figures:
    """Cold start: the time until Python is ready, the bytes, the longest task of the page's main thread"""
    times, sizes, longest = [], [], []
    for _ in range(PAIRS):
        with bench.opened(BARE) as page:
            bare, least = reached(page), bench.needed()
        with bench.opened(OURS) as page:
            ours = reached(page)
            times.append([ours, bare, ours / bare])
            sizes.append([bench.needed(), least, bench.needed() / least])
            page.wait_for_timeout(200)  # a task is reported after its end
            longest.append(page.evaluate("Math.max(...tasks)"))
            panels = page.eval_on_selector_all("py-panel", "panels => panels.map((panel) => panel.id)")
    yield "cold_ratio", median(ratio for *_, ratio in times), times
    yield "bytes_ratio", median(ratio for *_, ratio in sizes), sizes
    yield "longest_task_ms", median(longest), longest
    tables = {path for path in bench.files if path.endswith(tuple(f"/{panel}.states.json" for panel in panels))}
    for name, python in (("first_paint", False), ("runtime", True)):
        paths = {path for path in bench.sent if bool(NEEDED(path)) == python} | (set() if python else tables)
        yield f"{name}_kb", sum(len(bench.files[path][0]) for path in paths) / 1000, []
        yield f"{name}_raw_kb", sum(bench.files[path][1] for path in paths) / 1000, []


def first_click(bench: Bench) -> Figures:
    """First click: 1.6 Mbit/s and 150 ms by the server, CPU ÷ 4 by CDP (the page's thread; no worker can be slowed)"""
    times = []
    for _ in range(SLOW_PAIRS):
        with bench.opened(BARE, **SLOW) as page:
            bare = reached(page)
        with bench.opened(OURS, **SLOW) as page:
            reached(page, LIVE)
            page.wait_for_load_state("domcontentloaded")  # a panel listens once the page is whole
            state = page.get_attribute("#build_x", "state")
            page.eval_on_selector("#build_x-next", "button => button.click()")
            ours = reached(page, f"#build_x:not([state='{state}'])")
            times.append([ours, bare, ours / bare])
    yield "first_click_ratio", median(ratio for *_, ratio in times), times


def clicks(bench: Bench) -> Figures:
    """Clicks: until the first task after the frame with the answer; from the table (Python blocked) and from Python"""
    for name, selector in (("table_click", LIVE), ("python_step", READY)):
        for end, cpu in (("", 1), ("_cpu4", 4)):
            times: list[float] = []
            with bench.opened(OURS, cpu, block=selector == LIVE) as page:
                reached(page, selector)
                while len(times) < CLICKS:
                    page.wait_for_timeout(400)  # the animation of the click before takes 280
                    times.append(page.eval_on_selector("#build_x", CLICK_TIME))
            yield f"{name}_p50_ms{end}", median(times), []
            yield f"{name}_p95_ms{end}", quantiles(times, n=20)[-1], times


def arrive(page: Page) -> None:
    """Goes to the panels by a link, from the first page, and waits for Python."""
    if page.locator(LIVE).count():
        page.eval_on_selector("a.md-logo", "link => link.click()")
    reached(page, f"body:not(:has(#build_x)) .md-content a[href*='{PAGE}']")
    page.eval_on_selector(f".md-content a[href*='{PAGE}']", "link => link.click()")
    reached(page, LIVE)
    page.eval_on_selector(LIVE, "panel => panel.scrollIntoView()")
    reached(page)


def restart(page: Page) -> None:
    """Breaks the worker by an error in it and waits for the next, by the button where the panel asks for that."""
    next(worker for worker in page.workers if "/app-" in worker.url).evaluate("setTimeout(() => { throw 'bench' })")
    reached(page, "#build_x:not([python=ready])", 10)
    page.evaluate("document.querySelector('#build_x[python=failed] [data-when=failed] button')?.click()")
    reached(page)


def memory(page: Page) -> Iterator[tuple[str, float]]:
    """The page's nodes and JavaScript heap after a collection; on Linux its process's own memory, worker included.

    Own: resident and not shared with other processes, as the browser's task manager counts it.
    """
    session = page.context.new_cdp_session(page)
    for method in ("HeapProfiler.collectGarbage", "Performance.enable"):
        session.send(method)
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    yield from (("dom_nodes", metrics["Nodes"]), ("heap_mb", metrics["JSHeapUsedSize"] / 1e6))
    assert page.context.browser
    processes = page.context.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    if sys.platform == "linux":
        statm = [Path(f"/proc/{p['id']}/statm").read_text().split() for p in processes if p["type"] == "renderer"]
        pages = max(int(resident) - int(shared) for _, resident, shared, *_ in statm)
        yield "process_mb", pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def long_visit(bench: Bench) -> Figures:
    """A long visit: Python's workers after the first, and the memory after 5 and 30 navigations and restarts"""
    started: list[str] = []
    with bench.opened("") as page:
        page.on("worker", lambda worker: started.append(worker.url))
        page.wait_for_load_state("networkidle")  # the theme knows its pages
        for what, action in (("navigations", arrive), ("restarts", restart)):
            for count in range(1, 31):
                try:
                    action(page)
                except TimeoutError:
                    print(f"The {what} end before the {count}th, which did not lead to Python again.")
                    break
                if (what, count) == ("navigations", 2):
                    yield "second_page_boots", sum("/app-" in url for url in started) - 1, []
                if count in (5, 30):
                    yield from ((f"{kind}_after_{count}_{what}", size, []) for kind, size in memory(page))


def answered(page: Page, text: str = "", **wish: Any) -> float:
    """The milliseconds until sparse_update has answered, so that its state holds the text."""
    return float(page.eval_on_selector("#sparse_update", ANSWER_TIME, [wish, text]))


def shown_state(page: Page) -> dict[str, Any]:
    """The state that sparse_update shows."""
    state: dict[str, Any] = json.loads(page.get_attribute("#sparse_update", "state") or "{}")
    return state


def sparse_updates(bench: Bench) -> Figures:
    """Sparse updates: both ways by the panel's own button, a step with its picture, while playing, the largest table"""
    sparse: dict[str, list[float]] = {V: [] for V in SIZES}
    dense: dict[str, list[float]] = {V: [] for V in SIZES}
    with bench.opened(f"{PAGE}#sparse_update") as page:
        reached(page, "#sparse_update[python=ready]")
        for _ in range(PAIRS):
            for V in SIZES:
                answered(page, link=f"V={V}&d=64&n=1024")
                answered(page, action={"do": "measure"})
                sparse[V].append(shown_state(page)["sparse_ms"])
                dense[V].append(shown_state(page)["dense_ms"])
        yield "zipf_sparse_ms", median(sparse["50257"]), sparse["50257"]
        yield "zipf_dense_ms", median(dense["50257"]), dense["50257"]
        for name, times in (("zipf_growth", sparse), ("zipf_dense_growth", dense)):
            ends = [list(pair) for pair in zip(times["128256"], times["12800"], strict=True)]
            turns = [[large, small, large / small] for large, small in ends]
            yield name, median(ratio for *_, ratio in turns), turns
        answered(page, link="V=50257&d=64&n=1024")
        ticks = [answered(page, action={"do": "next"}) for _ in range(CLICKS)]
        yield "zipf_tick_ms", median(ticks), ticks
        yield from while_playing(page)
    with bench.opened(f"{PAGE}#sparse_update") as page:
        reached(page, "#sparse_update[python=ready]")
        for name in ("before", "largest", "reset", "again"):
            if name in ("largest", "again"):
                answered(page, link="V=128256&d=64&n=8192&optimiser=adamw&tick=20")
                answered(page, action={"do": "measure"})
            elif name == "reset":
                answered(page, action={"do": "reset"})
                page.wait_for_timeout(500)  # a new worker begins
                reached(page, "#sparse_update[python=ready]")
            yield from ((f"zipf_{name}_mb", size, []) for kind, size in memory(page) if kind == "process_mb")


def while_playing(page: Page) -> Figures:
    """The longest task of the page's main thread, the time to pause, and the choices of V that had no picture."""
    page.evaluate("tasks = [0]")
    clicks, stale = [], 0
    for turn in range(CLICKS // 2):
        V = SIZES[turn % len(SIZES)]
        answered(page, '"playing":true', link="V=50257&d=64&n=1024&speed=fast&playing=True")
        page.wait_for_timeout(400)
        clicks.append(answered(page, '"playing":false', action={"do": "pause"}))
        answered(page, '"playing":true', action={"do": "play"})
        answered(page, f'"V":"{V}"', action={"V": V})
        stale += f"{int(V):,}" not in page.inner_text("#sparse_update-say")
    answered(page, '"playing":false', action={"do": "pause"})
    page.wait_for_timeout(200)  # a task is reported after its end
    longest = page.evaluate("Math.max(...tasks)")
    yield "zipf_longest_task_ms", longest, []
    yield "zipf_click_p95_ms", quantiles(clicks, n=20)[-1], clicks
    yield "zipf_stale", stale, []


def origin(raw: list[Any]) -> str:
    """The least and the greatest of the values or ratios, and if they are few, all of them as ours / bare = ratio."""
    rows = [row if isinstance(row, list) else [row] for row in raw]
    ends = [f"{end(row[-1] for row in rows):.4g}" for end in (min, max) if rows]
    few = [re.sub(" (.*) ", r" / \1 = ", " ".join(f"{x:.4g}" for x in row)) for row in rows if len(rows) <= PAIRS]
    return f"{' – '.join(ends):18}{',  '.join(few)}"


def main() -> int | str:
    """The exit code, or why something could not be measured."""
    found: dict[str, Any] = {}
    try:
        with sync_playwright() as playwright:
            bench = Bench(playwright)
            for part in (cold, first_click, clicks, sparse_updates, long_visit):
                print(f"\n{part.__doc__}", flush=True)
                for name, value, raw in part(bench):
                    found |= {name: value, **({f"{name}_raw": raw} if raw else {})}
                    print(f"{name:32}{value:9.4g}  {WANTED.get(name, ''):8}{origin(raw)}", flush=True)
    except (Error, OSError, subprocess.CalledProcessError) as error:
        return f"Could not measure: {error}"
    (ROOT / "bench.json").write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
