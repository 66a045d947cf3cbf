"""Firefox and WebKitGTK: found on this machine, or installed as root on Debian; and one way to drive either."""

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Playwright
from selenium import webdriver
from selenium.webdriver.webkitgtk.service import Service

from browsers import works

FIREFOXES = ["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox",
             r"C:\Program Files\Mozilla Firefox\firefox.exe"]
ADVICE = {
    "firefox": "No Firefox: install one (Debian: apt-get install firefox-esr).",
    "webkit": "No WebKitGTK: install its driver and a display (Debian: apt-get install webkit2gtk-driver xvfb). Other "
              "systems than Linux have none.",
}
Run = Callable[[str], object]


def install(*packages: str) -> None:
    """Has Debian's packages installed, if this is Debian and root; else, or without a network, it does nothing."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"apt-get installs {' and '.join(packages)}.", file=sys.stderr, flush=True)
        env = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for words in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
            subprocess.call(["apt-get", *words], env=env, stdout=subprocess.DEVNULL, timeout=600)


def firefox() -> str:
    """The path of a Firefox. Raises FileNotFoundError with a sentence that says what to do."""
    for ready in (lambda: None, lambda: install("firefox-esr")):
        ready()
        for path in filter(None, map(shutil.which, FIREFOXES)):
            if works(path):
                return path
    raise FileNotFoundError(ADVICE["firefox"])


def webkit() -> tuple[str, str]:
    """The paths of WebKit's driver and of Xvfb. Raises FileNotFoundError with a sentence that says what to do."""
    for ready in (lambda: None, lambda: install("webkit2gtk-driver", "xvfb")):
        ready()
        driver, display = shutil.which("WebKitWebDriver"), shutil.which("Xvfb")
        if driver and display:
            return driver, display
    raise FileNotFoundError(ADVICE["webkit"])


@contextmanager
def running_firefox(playwright: Playwright) -> Iterator[tuple[Callable[[str], object], Run]]:
    """A page of Firefox: what opens an address in it, and what gives the value of an expression there."""
    with playwright.firefox.launch(channel="moz-firefox", executable_path=firefox()) as browser:
        page = browser.new_page()
        yield page.goto, page.evaluate


@contextmanager
def running_webkit(_: Playwright) -> Iterator[tuple[Callable[[str], object], Run]]:
    """The same of WebKitGTK's MiniBrowser, on a display of its own."""
    driver, display = webkit()
    screen = subprocess.Popen([display, "-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert screen.stdout
    try:
        env = os.environ | {"DISPLAY": f":{screen.stdout.readline().strip()}"}
        with warnings.catch_warnings(action="ignore"):  # Selenium warns of how it calls itself
            browser = webdriver.WebKitGTK(service=Service(driver, env=env))
        try:
            yield browser.get, lambda expression: browser.execute_script(f"return {expression}")
        finally:
            browser.quit()
    finally:
        screen.terminate()
        screen.wait()


RUNNING = {"firefox": running_firefox, "webkit": running_webkit}
