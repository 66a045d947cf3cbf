"""What the tests of course packages share: a small site with two panels and ten questions, and SCORM's schemas."""

import shutil
from pathlib import Path

from lxml import etree

from tokenwalk import course

ROOT = Path(__file__).parent.parent
SCHEMAS = ROOT / ".cache/hosts/schemas/lib/schemas/definitionFiles"
PAGE = """<!doctype html><py-panel name="build_x"><h3 id="build_x-title">Build
X</h3></py-panel><py-panel name="scatter"><h3 id="scatter-title">A &amp; B</h3></py-panel><py-panel name="check_toy">
<h3 id="check_toy-title">Ten questions</h3></py-panel>"""
SCRIPT = (ROOT / "static/scorm.js").read_text()
FILES = {"index.html": '<!doctype html><link rel="canonical" href="{address}">',
         "2-embeddings/index.html": PAGE, "embed/build_x.html": "<title>X</title>",
         "embed/scatter.html": "<title>S</title>", "embed/scatter.oembed.json": "{}", "assets/theme.js": "",
         "embed/2-embeddings-check.html": (ROOT / "tests/hosts/questions.html").read_text(),
         "app-0123456789ab/scorm.js": SCRIPT, "app-0123456789ab/panel.js": "export {}",
         "app-0123456789ab/build_x.states.json": "[]", "app-0123456789ab/scatter.states.json": "[]",
         "app-0123456789ab/check_toy.states.json": "[]", "runtime-0123456789ab/pyodide.asm.wasm": "wasm"}


def built(folder: Path, address: str = "https://example.org/tokenwalk/") -> course.Course:
    """The small site, written into a folder, as a course."""
    for path, text in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text.replace("{address}", address))
    return course.course(folder)


def published(folder: Path) -> dict[str, etree.XMLSchema]:
    """The published schemas of both versions of SCORM; those of 2004 are read together, in a folder."""
    shutil.copytree(SCHEMAS / "scorm20044thedition", folder, dirs_exist_ok=True)
    shutil.copy(ROOT / "tests/hosts/scorm2004.xsd", folder)
    files = {"scorm12": SCHEMAS / "scorm12edition/adlcp_rootv1p2.xsd", "scorm2004": folder / "scorm2004.xsd"}
    return {version: etree.XMLSchema(etree.parse(str(file))) for version, file in files.items()}
