"""Measures how high each panel's bare page is and writes py/tokenwalk/data/heights.json. Run by hand, after a build:

python3 build.py && PYTHONPATH=py .venv/bin/python tests/heights.py
"""

import json
from pathlib import Path

from playwright.sync_api import sync_playwright

from browsers import chromium
from site_server import Site
from tokenwalk import embed

ROOT = Path(__file__).parent.parent
HEIGHT = "document.documentElement.getBoundingClientRect().height"


def heights(site: Site) -> dict[str, int]:
    """The height of each bare page in a frame of embed.WIDTH, in px, rounded up to tens."""
    found = {}
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium()) as browser:
        page = browser.new_page(viewport={"width": embed.WIDTH, "height": 400})
        for file in sorted((site.folder / "embed").glob("*.html")):
            page.goto(f"{site.url}embed/{file.name}")
            found[file.stem] = -int(-page.evaluate(HEIGHT) // 10) * 10
    return found


if __name__ == "__main__":
    text = json.dumps(heights(Site(ROOT / "site")), indent=0)
    (ROOT / "py/tokenwalk/data/heights.json").write_text(text + "\n")
