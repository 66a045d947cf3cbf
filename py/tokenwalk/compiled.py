"""Python code in a zip, byte-compiled and cut down to what the panels import. Runs under Pyodide's own Python.

Reading source and compiling it takes most of Python's start in a browser. Docstrings and asserts are left out. Which
files of the libraries are imported was observed (tests/observe.py) and stands in data/imported.json; a test holds the
two together. The zip is not compressed: the browser unpacks it as a whole, faster than Python could file by file.
"""

import io
import json
import sys
import zipfile
from collections.abc import Collection
from importlib._bootstrap_external import _code_to_hash_pyc as code_to_pyc  # type: ignore[attr-defined]
from pathlib import Path

EARLY = (1980, 1, 1, 0, 0, 0)


def compiled(data: bytes, kept: Collection[str]) -> bytes:
    """The zip with each Python file in `kept` as byte code that is used without looking for its source.

    Python files and libraries that are not in `kept` are left out, other files stay. The same bytes for the same files.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(out, "w") as target:
        for name in sorted(n for n in source.namelist() if n in kept or needed(n)):
            body = source.read(name)
            if name.endswith(".py"):
                code = compile(body, name, "exec", dont_inherit=True, optimize=2)
                name, body = name + "c", bytes(code_to_pyc(code, bytes(8), checked=False))
            target.writestr(zipfile.ZipInfo(name, EARLY), body)
    return out.getvalue()


def needed(name: str) -> bool:
    """Whether a file stays that is not in the list: ours do, and a package's own records and licences."""
    return name.startswith("tokenwalk/") or (".dist-info/" in name and not name.endswith("/"))


if __name__ == "__main__":
    imported, given, made = (Path("/host" + name) for name in sys.argv[1:])
    for file in given.iterdir():
        (made / file.name).write_bytes(compiled(file.read_bytes(), set(json.loads(imported.read_text()))))
