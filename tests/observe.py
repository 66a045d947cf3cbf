"""Runs under Pyodide: which files of Python's library and of NumPy are imported once every panel was in every state.

argv: the archive of our Python, that of Jinja2, the requests to answer as JSON, the file for the list.
"""

import json
import sys
import zipfile
from pathlib import Path

archive, libraries, requests, out = (Path("/host" + name) for name in sys.argv[1:])
zipfile.ZipFile(archive).extractall("/tokenwalk")
zipfile.ZipFile(libraries).extractall("/libraries")
sys.path[:0] = ["/tokenwalk", "/libraries"]

from tokenwalk.door import respond, start  # noqa: E402

start()
for request in json.loads(requests.read_text()):
    respond(json.dumps(request))
roots = ("/lib/python314.zip/", "/lib/python3.14/site-packages/", "/libraries/")
files = (str(getattr(module, "__file__", None) or "") for module in sys.modules.values())
imported = {file.removeprefix(root) for file in files for root in roots if file.startswith(root)}
out.write_text(json.dumps(sorted(imported), indent=0) + "\n")
