"""The built site on a server of its own, under a sub-path, whose answers a test may hold back or replace."""

import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

SUB = "/a/b"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder under SUB. It is the browser's proxy, too: what is asked of another host ends here, refused."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # as web servers do; else each small file waits 40 ms for an acknowledgement

    def __init__(self, site: "Site", *args, **options) -> None:
        self.site = site
        super().__init__(*args, directory=str(site.folder), **options)

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.removeprefix(SUB))

    def do_GET(self) -> None:
        path = self.path.split("?")[0]
        self.site.asked.append(path)
        if not path.startswith(SUB + "/"):
            return self.send_error(403)
        for ending, change in list(self.site.changes.items()):
            if path.endswith(ending) and change(self):
                return None
        return super().do_GET()

    def do_CONNECT(self) -> None:
        self.send_error(403)

    def answer(self, body: bytes, kind: str, status: int, location: str = "") -> bool:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)
        return True

    def hang_up(self) -> bool:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
        return True

    def end_headers(self) -> None:
        for name, value in self.site.headers.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Nothing: a browser that goes away in the middle of an answer is no error."""


class Site:
    """The server. `url` ends in a slash; `asked` holds every path that it was asked for; `folder` is what it serves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self.changes: dict[str, Callable[[Handler], bool]] = {}
        self.server = Server(("127.0.0.1", 0), partial(Handler, self))
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.url = f"{self.origin}{SUB}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @contextmanager
    def changed(self, ending: str, change: Callable[[Handler], bool]) -> Iterator[None]:
        """While this lasts, `change` answers for every path that ends so; where it returns False, the file is sent."""
        self.changes[ending] = change
        try:
            yield
        finally:
            del self.changes[ending]

    def answering(self, ending: str, body: bytes, kind: str = "text/html", status: int = 200, location: str = ""):
        """While this lasts, every path that ends so is answered with this."""
        return self.changed(ending, lambda handler: handler.answer(body, kind, status, location))

    def hanging_up(self, ending: str):
        """While this lasts, the connection breaks for every path that ends so."""
        return self.changed(ending, Handler.hang_up)

    @contextmanager
    def sending(self, name: str, value: str) -> Iterator[None]:
        """While this lasts, every answer has this header."""
        self.headers[name] = value
        try:
            yield
        finally:
            del self.headers[name]

    @contextmanager
    def holding(self, ending: str) -> Iterator[Callable[[], None]]:
        """While this lasts, every path that ends so waits, until the function that this gives is called."""
        go = threading.Event()
        with self.changed(ending, lambda _: not go.wait(60)):
            try:
                yield go.set
            finally:
                go.set()
