"""The browser that the tests drive."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
PLACES = ["/Applications/Chromium.app/Contents/MacOS/Chromium",
          "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
          r"C:\Program Files\Google\Chrome\Application\chrome.exe",
          r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe"]
ADVICE = ("No browser to test with: install Chromium or Chrome (Debian: apt-get install chromium; macOS: brew install "
          "--cask chromium), or set the variable CHROMIUM to the path of one.")


def works(path: str) -> bool:
    """Whether a browser is at `path` and starts. (Windows would open a window: there it need only be.)"""
    if os.name == "nt":
        return os.path.isfile(path)
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def on_this_machine() -> Iterator[str]:
    """The places where a browser may be already."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from PLACES


def playwrights() -> Iterator[str]:
    """Playwright's own browser: as it is, then after a download."""
    ask = "from playwright.sync_api import sync_playwright as s\nwith s() as p: print(p.chromium.executable_path)"
    path = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True).stdout.strip()
    yield path
    print("No Chromium found. Playwright tries to download its own (about 170 MB):", flush=True)
    subprocess.call([sys.executable, "-m", "playwright", "install", "chromium"])
    yield path


def debians() -> Iterator[str]:
    """Debian's Chromium, installed if this is root."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print("Playwright has none for this machine: apt-get installs Debian's.", flush=True)
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "-y", "chromium"]):
            subprocess.call(["apt-get", *words], env=env)
        yield from filter(None, [shutil.which("chromium")])


WAYS: list[Callable[[], Iterator[str]]] = [on_this_machine, playwrights, debians]


def chromium() -> str:
    """The path of a Chromium: the variable CHROMIUM, else one that is here, else one that this installs.

    Raises FileNotFoundError with a sentence that says what to do.
    """
    chosen = os.environ.get("CHROMIUM")
    if chosen:
        if works(chosen):
            return chosen
        raise FileNotFoundError(f"CHROMIUM is set to {chosen}, but `{chosen} --version` does not work.")
    for way in WAYS:
        for path in way():
            if works(path):
                return path
    raise FileNotFoundError(ADVICE)
