"""A server on loopback that answers as a test says."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    announced: int = 0
    """Bytes that are announced beyond the ones that are sent."""
    is_cut_chunk: bool = False
    """The body is a chunk (RFC 9112) after which none ends the answer."""
    drops: bool = False
    """The connection ends instead of an answer."""


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class PlayedServer:
    url: str
    requests: list[Request]


@contextmanager
def play(*answers: Answer) -> Iterator[PlayedServer]:
    """Each request gets the next answer."""
    waiting = iter(answers)
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append(Request(self.command, self.path, headers, body))
            answer = next(waiting, Answer(500, {"error": "internal_error", "message": "No more answers"}))
            # urllib sends one request in a connection.
            self.close_connection = True
            if answer.drops:
                return
            data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if answer.is_cut_chunk:
                self.send_header("Transfer-Encoding", "chunked")
                data = f"{len(data):x}\r\n".encode() + data + b"\r\n"
            else:
                self.send_header("Content-Length", str(len(data) + answer.announced))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield PlayedServer(f"http://127.0.0.1:{server.server_port}", requests)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
