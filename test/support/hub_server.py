# SPDX-License-Identifier: Apache-2.0
"""A hub of models on this machine, with as much of Hugging Face's protocol as a download needs."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "c" * 40


class HubServer(ThreadingHTTPServer):
    """Serves the files of one model, and keeps the names of those that were downloaded."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = dict(files)
        self.announced = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        self.downloaded: list[str] = []

    @property
    def url(self) -> str:
        """The address, for HF_ENDPOINT."""
        return f"http://127.0.0.1:{self.server_port}"


@contextmanager
def serve_hub(files: Mapping[str, bytes]) -> Iterator[HubServer]:
    """Serve the files of a model while the block runs."""
    server = HubServer(files)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: HubServer

    def do_GET(self) -> None:
        """Answer with the list of files, or with one."""
        if self.path.startswith("/api/models/"):
            siblings = [
                {"rfilename": name, "size": len(data), **self._describe_large(name, data)}
                for name, data in self.server.files.items()
            ]
            body = {"id": "maker/tiny", "sha": COMMIT, "siblings": siblings}
            self._send(json.dumps(body).encode(), {"Content-Type": "application/json"})
            return
        name = self._find_name()
        self.server.downloaded.append(name)
        self._send(self.server.files[name], self._make_headers(name))

    def do_HEAD(self) -> None:
        """Answer with the headers of a file."""
        name = self._find_name()
        self._send(self.server.files[name], self._make_headers(name), with_body=False)

    def log_message(self, *_arguments: object) -> None:
        """Print nothing."""

    def _find_name(self) -> str:
        return self.path.split(f"/resolve/{COMMIT}/")[1]

    def _describe_large(self, name: str, data: bytes) -> dict[str, object]:
        if not name.endswith((".safetensors", ".bin")):
            return {}
        return {
            "lfs": {"sha256": self.server.announced[name], "size": len(data), "pointerSize": 100}
        }

    def _make_headers(self, name: str) -> dict[str, str]:
        return {"X-Repo-Commit": COMMIT, "ETag": f'"{self.server.announced[name]}"'}

    def _send(self, body: bytes, headers: Mapping[str, str], *, with_body: bool = True) -> None:
        self.send_response(200)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)
