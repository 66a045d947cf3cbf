"""Course packages uploaded to hosts that others wrote: scormhost (a server for SCORM), and Open edX's SCORM XBlock.

What a reader did must be stored or published there, and still be there when the page is gone.
"""

import json
import os
import re
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FrameLocator, expect

from site_server import Site
from tokenwalk import course
from tokenwalk.scorm import SCORM12, SCORM2004, scorm
from toy_course import ROOT, built

HOSTS = ROOT / "tests/hosts"
PYTHON = ROOT / ".cache/hosts" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
KINDS = {"scorm12": SCORM12, "scorm12-thin": SCORM12, "scorm2004": SCORM2004}
ITEM = "course-2-embeddings-check.html"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def serving(folder: Path, address: str, *words: object, **env: str) -> Iterator[None]:
    """While this lasts, a server of the hosts' Python runs in the folder; it begins when it answers at the address."""
    log = folder / "log.txt"
    command = [str(word) for word in (PYTHON, *words)]
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=folder, env=os.environ | env, stdout=out, stderr=subprocess.STDOUT)
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(address)
                break
            except OSError:
                assert process.poll() is None, log.read_text()
                time.sleep(0.25)
        yield
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="module")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The small site on a server of its own, for the thin packages."""
    served = Site(tmp_path_factory.mktemp("hosted"))
    built(served.folder, served.url.replace("127.0.0.1", "localhost"))
    yield served
    served.server.shutdown()


@pytest.fixture(scope="module")
def packages(hosted: Site) -> dict[str, bytes]:
    """The packages of the small site by their kind."""
    made = course.course(hosted.folder)
    return {kind: course.zipped(scorm(made, version, "thin" in kind)) for kind, version in KINDS.items()}


def play(questions: FrameLocator) -> None:
    """Answers eight of ten questions rightly."""
    for n in range(10):
        questions.locator(f"#{'right' if n < 8 else 'wrong'}-{n}").click()
    expect(questions.locator("[data-result='']")).to_have_count(0)


def came_back(questions: FrameLocator) -> None:
    """Eight of ten questions are answered rightly."""
    expect(questions.locator("[data-result=right]")).to_have_count(8)
    expect(questions.locator("[data-result=wrong]")).to_have_count(2)


# --- scormhost


@pytest.fixture(scope="module")
def scormhost(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[tuple[str, BrowserContext]]:
    """The address of a scormhost, and a browser in which somebody is signed in there."""
    address, folder = f"http://127.0.0.1:{(port := free_port())}", tmp_path_factory.mktemp("scormhost")
    with serving(folder, f"{address}/health", HOSTS / "scormhost_server.py", port):
        context = browser.new_context()
        ann = {"email": "ann@example.com", "username": "ann", "password": "A-Passw0rd!", "display_name": "Ann"}
        assert context.request.post(f"{address}/api/auth/register", data=ann).ok
        yield address, context
        context.close()


@pytest.mark.parametrize("kind", KINDS)
def test_scormhost_has_80_per_cent_when_the_page_is_gone(scormhost, packages: dict[str, bytes], kind: str):
    address, context = scormhost
    file = {"name": f"{kind}.zip", "mimeType": "application/zip", "buffer": packages[kind]}
    answer = context.request.post(f"{address}/api/packages", multipart={"file": file})
    assert answer.status == 201, answer.text()
    page = context.new_page()
    page.goto(address + answer.json()["launch_url"])
    play(page.frame_locator("iframe").frame_locator("iframe"))
    page.wait_for_timeout(1000)
    page.close()
    names, asked = KINDS[kind].names, f"{address}/api/scorm/{answer.json()['id']}/cmi?launch={ITEM}"
    for _ in range(40):  # what a page sends while it closes may take a moment
        stored = context.request.get(asked).json()["elements"]
        if names["time"] in stored:
            break
        time.sleep(0.25)
    assert (stored[f"{names['score']}raw"], stored[str(names["status"])]) == ("80", "completed")
    if "2004" in kind:
        assert stored["cmi.score.scaled"] == "0.8"
    assert stored["cmi.suspend_data"].startswith("check_toy?0=right&1=right")
    assert re.fullmatch(r"00:00:\d\d|PT\d+S", stored[str(names["time"])])
    page = context.new_page()
    page.goto(address + answer.json()["launch_url"])
    came_back(page.frame_locator("iframe").frame_locator("iframe"))
    page.close()


# --- Open edX


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of xblock-sdk's workbench, and the file that holds what is published there."""
    folder, address = tmp_path_factory.mktemp("workbench"), f"127.0.0.1:{free_port()}"
    env = {"DJANGO_SETTINGS_MODULE": "settings", "PYTHONPATH": str(HOSTS / "workbench")}
    words = ["-m", "django", "migrate", "--run-syncdb", "--verbosity=0"]
    subprocess.run([PYTHON, *words], cwd=folder, env=os.environ | env, check=True, capture_output=True)
    with serving(folder, f"http://{address}", "-m", "django", "runserver", "--noreload", "--insecure", address, **env):
        yield f"http://{address}", folder / "published.jsonl"


def upload(context: BrowserContext, address: str, package: bytes) -> str:
    """Uploads a package as an author does in Studio; the answer."""
    page = context.new_page()
    page.goto(f"{address}/scenario/scorm.0/studio_view/")
    usage = page.locator("[data-usage]").first.get_attribute("data-usage")
    token = next(cookie["value"] for cookie in context.cookies() if cookie["name"] == "csrftoken")
    file = {"name": "course.zip", "mimeType": "application/zip", "buffer": package}
    form = {"display_name": "Questions", "has_score": "1", "weight": "1", "width": "", "height": "450",
            "popup_on_launch": "0", "enable_navigation_menu": "0", "enable_fullscreen_button": "1",
            "navigation_menu_width": "", "file": file}
    page.close()
    return context.request.post(f"{address}/handler/{usage}/studio_submit/?student=student_1", multipart=form,
                                headers={"X-CSRFToken": token, "Referer": address}).text()


# Reported as LiaScript/LiaScript-Exporter#35.
@pytest.mark.parametrize("kind", KINDS)
def test_open_edx_publishes_eight_tenths(workbench, browser: Browser, packages: dict[str, bytes], kind: str):
    address, published = workbench
    published.write_text("")
    context = browser.new_context()
    assert json.loads(upload(context, address, packages[kind])) == {"result": "success", "errors": []}
    page = context.new_page()
    unit = f"{address}/scenario/scorm.0/?student={kind}"
    page.goto(unit)
    play(page.frame_locator("iframe").frame_locator("iframe"))
    page.wait_for_timeout(1500)
    grades = [data for event, data in map(json.loads, published.read_text().splitlines()) if event == "grade"]
    assert grades[-1] == {"value": 0.8, "max_value": 1.0} and {"value": 0, "max_value": 1.0} not in grades
    page.goto("about:blank")
    page.goto(unit)
    came_back(page.frame_locator("iframe").frame_locator("iframe"))
    context.close()
