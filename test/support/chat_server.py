# SPDX-License-Identifier: Apache-2.0
"""A real HTTP server in the test's process that speaks the OpenAI protocol.

`ScriptedModel` answers from a stated distribution over texts, token by token, with alternatives,
seeds and temperatures, as model servers do; `ChatServer` can also misbehave in the ways they do.
"""

from __future__ import annotations

import json
import math
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

END = "<|end|>"

USUAL = {"70": 0.5, "80": 0.25, "20": 0.125, "I think": 0.125}
"""Answers of a model that says 0.7 of most things, with their probabilities."""


def whole_numbers(text: str) -> list[str]:
    """Tokens of a tokenizer that writes numbers whole."""
    return [*re.findall(r"\d+|\D+", text), END]


def single_digits(text: str) -> list[str]:
    """Tokens of a tokenizer that writes digit by digit."""
    return [*re.findall(r"\d|\D+", text), END]


class ScriptedModel:
    """Answers with the given texts at the given probabilities.

    Args:
        answers: probability by text, or what gives them for a prompt; they add up to 1.
        tokens: how a text is cut into tokens.
        shows_end: whether the end of an answer is one of the tokens told.
    """

    def __init__(
        self,
        answers: Mapping[str, float] | Callable[[str], Mapping[str, float]],
        tokens: Callable[[str], list[str]] = whole_numbers,
        *,
        shows_end: bool = False,
    ) -> None:
        self._answers = answers if callable(answers) else lambda prompt: answers
        self._tokens = tokens
        self._shows_end = shows_end

    def complete(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON of a chat completion."""
        answers = self._answers(body["messages"][-1]["content"])
        count = body.get("n", 1)
        choices = []
        for index in range(count):
            generator = random.Random(f"{body.get('seed')}/{index}")
            choices.append(self._choice(answers, body, generator, index))
        return {"object": "chat.completion", "model": body["model"], "choices": choices}

    def _choice(
        self,
        answers: Mapping[str, float],
        body: Mapping[str, Any],
        generator: random.Random,
        index: int,
    ) -> dict[str, Any]:
        paths = [(tuple(self._tokens(text)), p) for text, p in answers.items()]
        written: list[str] = []
        positions = []
        while len(written) < body.get("max_tokens", 16):
            following: dict[str, float] = {}
            for path, p in paths:
                if path[: len(written)] == tuple(written):
                    token = path[len(written)]
                    following[token] = following.get(token, 0.0) + p
            total = sum(following.values())
            chances = {token: p / total for token, p in following.items()}
            token = self._pick(chances, body.get("temperature", 1.0), generator)
            if token != END or self._shows_end:
                positions.append(self._position(token, chances, body.get("top_logprobs", 0)))
            if token == END:
                break
            written.append(token)
        ended = token == END
        return {
            "index": index,
            "message": {"role": "assistant", "content": "".join(written)},
            "finish_reason": "stop" if ended else "length",
            "logprobs": {"content": positions} if body.get("logprobs") else None,
        }

    @staticmethod
    def _pick(chances: Mapping[str, float], temperature: float, generator: random.Random) -> str:
        tokens = list(chances)
        if temperature == 0.0:
            return max(tokens, key=lambda token: chances[token])
        weights = [chances[token] ** (1.0 / temperature) for token in tokens]
        return generator.choices(tokens, weights)[0]

    @staticmethod
    def _position(token: str, chances: Mapping[str, float], top: int) -> dict[str, Any]:
        def told(text: str) -> dict[str, Any]:
            return {"token": text, "logprob": math.log(chances[text]), "bytes": list(text.encode())}

        likeliest = sorted(chances, key=lambda text: -chances[text])[:top]
        return {**told(token), "top_logprobs": [told(text) for text in likeliest]}


class _QuietServer(ThreadingHTTPServer):
    """Says nothing when a client hangs up, which is what many tests are about."""

    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """Quiet."""


Behaviour = Callable[[BaseHTTPRequestHandler, dict[str, Any]], bool]
"""Answers a request itself and returns True, or leaves it to the model."""


class ChatServer:
    """Serves a model on a free port of this machine, until closed.

    Args:
        model: answers.
        names: of the models that it lists.
    """

    def __init__(self, model: ScriptedModel, names: tuple[str, ...] = ("tiny",)) -> None:
        self.model = model
        self.names = names
        self.behaviour: Behaviour = lambda handler, body: False
        self.delay = 0.0
        self.hangs = False
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.most_at_once = 0
        self._at_once = 0
        self._is_closed = False
        self._lock = threading.Lock()
        self._server = _QuietServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """What goes into the option endpoint url."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        """Stop listening; requests under way, and connections that are kept, are dropped."""
        self._is_closed = True
        self._server.shutdown()
        self._server.server_close()

    def serve(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        """Answer one request."""
        if self._is_closed:
            handler.close_connection = True
            return
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
        try:
            time.sleep(self.delay)
            while self.hangs and not self._is_closed:
                time.sleep(0.02)
            if self.behaviour(handler, body):
                return
            if handler.path == "/v1/models":
                send(handler, 200, {"data": [{"id": name} for name in self.names]})
            elif handler.path == "/v1/chat/completions":
                send(handler, 200, self.model.complete(body))
            else:
                send(handler, 404, {"error": {"message": f"no such path {handler.path}"}})
        finally:
            with self._lock:
                self._at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server.serve(self, {})

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.serve(self, json.loads(content))

            def log_message(self, *_: Any) -> None:
                """Quiet."""

        return Handler


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    content: Any,
    headers: Mapping[str, str] | None = None,
) -> bool:
    """Answer with a JSON, or with a text or bytes as they are; returns True."""
    body = content if isinstance(content, bytes) else None
    if body is None:
        body = (content if isinstance(content, str) else json.dumps(content)).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(len(body)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
    return True
