"""The files a site has besides its pages: the runtime, the Python archive, the tables of states, styles and scripts.

They lie in folders named by their content, so that an update can never mix two versions. Used at build time only.
"""

import errno
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2
import markupsafe

from tokenwalk import panel, render, walk

PACKED = ".bin"
EARLY = (1980, 1, 1, 0, 0, 0)  # every file's time in the archive, so that its bytes depend on its contents only
OTHER_FORMATS = re.compile(r",url\(fonts/[\w-]+\.(woff|ttf)\) format\([^)]*\)")
FOR_COURSES = ("cartridge.py", "course.py", "packages.py", "scorm.py")
HERE = Path(__file__).parent
Files = dict[str, bytes]


@dataclass(frozen=True)
class Assets:
    """All files by their path in the site, the folders that pages name, and the bytes that a reader downloads."""

    files: Files
    app: str
    katex: str
    download: int


def digest(data: bytes) -> str:
    """The SHA-256 of `data`, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def sent(name: str, data: bytes) -> int:
    """The bytes that travel: servers compress code, and leave archives as they are."""
    return len(data if name.endswith(PACKED) else gzip.compress(data, 6, mtime=0))  # 6: what servers use


def packed(files: Files) -> Files:
    """The files compressed, each under its name with one more ending. Not .gz: some servers would unpack that."""
    return {name + PACKED: gzip.compress(data, 9, mtime=0) for name, data in files.items()}


def zipped(packages: Sequence[Path], more: Files | None = None) -> bytes:
    """The code and data of some packages, and `more`, as one zip: the same bytes whenever and wherever it is made."""
    files = {f"{package.name}/{file.relative_to(package).as_posix()}": file.read_bytes() for package in packages
             for file in package.rglob("*") if file.suffix in (".py", ".json") and in_browser(file.name)}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as target:
        for name, content in sorted((files | (more or {})).items()):
            target.writestr(zipfile.ZipInfo(name, EARLY), content)
    return data.getvalue()


def in_browser(name: str) -> bool:
    """Whether a file of a package, or a template, is of use in the browser. What packs courses or makes data is not."""
    return not name.startswith(("make_", "course/")) and name not in FOR_COURSES


def archive() -> bytes:
    """The Python of this project that the browser runs, as one zip; the templates in it are Python already."""
    with tempfile.TemporaryDirectory() as folder:
        render.ENV.compile_templates(folder, filter_func=in_browser, zip=None, ignore_errors=False)
        made = {f"tokenwalk/templates/compiled/{file.name}": file.read_bytes() for file in Path(folder).iterdir()}
    return zipped([HERE], made)


def libraries(pyodide: Path, wheel: Path) -> Files:
    """What our Python imports: its own library, NumPy, and Jinja2 with MarkupSafe (without its compiled part)."""
    return {"python_stdlib.zip": (pyodide / "python_stdlib.zip").read_bytes(), wheel.name: wheel.read_bytes(),
            "jinja2.zip": zipped([Path(str(module.__file__)).parent for module in (jinja2, markupsafe)])}


def read(folder: Path) -> Files:
    """The files of a folder."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def write(folder: Path, files: Files) -> None:
    """Makes a folder with these files."""
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def cached(folder: Path, made: Callable[[], Files]) -> Files:
    """The files of a folder in the cache. If it is not there it is made, whole or not at all.

    Its name tells its content, so if two builds make it at once the first one's stays.
    """
    if not folder.is_dir():
        files = made()
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            write(Path(temporary, "whole"), files)
            try:
                Path(temporary, "whole").rename(folder)
            except OSError:
                if not folder.is_dir():
                    raise
    return read(folder)


def compiled(sources: Files, cache: Path, node: Sequence[Path]) -> Files:
    """The archives, byte-compiled, cut down to what is imported (compiled.py) and packed: made once, kept in the cache.

    `node` is the command that runs a Python file under Pyodide. Raises OSError for a full disk, and RuntimeError if it
    fails for another reason.
    """
    script, kept = HERE / "compiled.py", HERE / "data/imported.json"
    made_from = {file.name: file.read_bytes() for file in (script, kept)} | sources

    def made() -> Files:
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            given, taken = Path(temporary, "given"), Path(temporary, "taken")
            write(given, sources)
            write(taken, {})
            words = [*node, *(path.resolve() for path in (cache, script, kept, given, taken))]
            answer = subprocess.run([str(word) for word in words], capture_output=True, text=True)
            if answer.returncode:
                if shutil.disk_usage(cache).free < sum(map(len, sources.values())):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                said = [line for line in answer.stderr.splitlines() if "Error" in line and len(line) < 300]
                raise RuntimeError(f"Python's library could not be compiled: {' '.join(said) or answer.returncode}")
            return packed(read(taken))

    return cached(cache / named("packed", made_from), made)


def tables(code: bytes, cache: Path) -> Files:
    """The table of states of each panel: made once for the code that answers, then kept in the cache.

    Raises OSError for a full disk.
    """

    def made() -> Files:
        for old in cache.glob("tables-*"):
            shutil.rmtree(old, ignore_errors=True)
        return {f"{name}.states.json": walk.table(name).encode() for name in panel.names()}

    return cached(cache / named("tables", {"code": code, "walk": Path(walk.__file__).read_bytes()}), made)


def runtime(pyodide: Path, code: Files) -> Files:
    """Pyodide's files and the compiled libraries. `.mjs` becomes `.js`: old servers do not know the other ending."""
    files = {"pyodide.js": "pyodide.mjs", "pyodide.asm.js": "pyodide.asm.mjs", "pyodide.asm.wasm": "pyodide.asm.wasm"}
    return {name: (pyodide / old).read_bytes() for name, old in files.items()} | code


def lock_file(pyodide: Path) -> bytes:
    """Pyodide's lock file without its list of packages: the one that the site ships is in the manifest."""
    return json.dumps(json.loads((pyodide / "pyodide-lock.json").read_text()) | {"packages": {}}).encode()


def manifest(folder: str, runtime: Files, own: Files) -> bytes:
    """What the worker downloads: each file's address as seen from the app's folder, its length and SHA-256."""
    listed = [{"name": name, "at": at + name, "bytes": len(data), "sha256": digest(data)}
              for at, files in ((f"../{folder}/", runtime), ("", own)) for name, data in files.items()]
    return json.dumps(listed, indent=0).encode()


def katex(dist: Path) -> Files:
    """KaTeX's style sheet and its fonts, in the one format that every browser with WebAssembly reads."""
    css = OTHER_FORMATS.sub("", (dist / "katex.min.css").read_text())
    return {"katex.css": css.encode()} | {f"fonts/{f.name}": f.read_bytes() for f in sorted(dist.glob("fonts/*.woff2"))}


def named(prefix: str, files: Files) -> str:
    """The name of a folder that holds `files`: it changes when any of them does."""
    return f"{prefix}-{digest(repr(sorted((name, digest(data)) for name, data in files.items())).encode())[:12]}"


def all_files(modules: Path, wheel: Path, static: Path, node: Path) -> Assets:
    """All files of the site besides its pages: from node_modules, from NumPy’s wheel in the cache and from `static`."""
    pyodide, formulas, words = modules / "pyodide", katex(modules / "katex/dist"), [node, static / "under_pyodide.mjs"]
    code = compiled(libraries(pyodide, wheel), wheel.parent, words)
    answering = archive()
    ours = compiled({"tokenwalk.zip": answering}, wheel.parent, words)
    run = runtime(pyodide, code)
    own = {"pyodide-lock.json": lock_file(pyodide)} | ours
    app = own | {f.name: f.read_bytes() for f in sorted(static.iterdir()) if f.suffix in (".js", ".css")}
    app |= tables(answering, wheel.parent)
    # The short form of the library is a script and not a module: what it defines must be handed on.
    app["idiomorph.js"] = (modules / "idiomorph/dist/idiomorph.min.js").read_bytes() + b"\nexport { Idiomorph };\n"
    run_folder, katex_folder = named("runtime", run), named("katex", formulas)
    app["manifest.json"] = manifest(run_folder, run, own)
    app_folder = named("app", app)
    folders = {run_folder: run, app_folder: app, katex_folder: formulas}
    return Assets({f"{folder}/{name}": data for folder, files in folders.items() for name, data in files.items()},
                  app_folder, katex_folder, sum(sent(name, data) for name, data in (run | own).items()))
