# SPDX-License-Identifier: Apache-2.0
"""What a model server's refusal means, from its status and its words, and what to do about it."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

LONGEST_AFTER = 60.0
"""Seconds that a server may ask to wait for; more than that is cut to this."""
SHOWN = 200
"""Characters of a server's words that a message repeats."""

_TOO_LONG = re.compile(
    r"context[ _]?(length|window|size)|maximum context|max_model_len|"
    r"(prompt|input|request)[^.]{0,40}\b(too long|exceeds)|too many (input )?tokens",
    re.IGNORECASE,
)


class Refusal(GroundingError):
    """A server that answered, and not with what was asked for.

    `status`: of HTTP; `words`: what it said; `after`: seconds after which it asks to come back.
    """

    status: int = 0
    words: str = ""
    after: float | None = None


def passes(refusal: Refusal) -> bool:
    """Whether the same request may be answered in a moment."""
    busy = refusal.status in (408, 425, 429) or refusal.status >= 500
    return busy and refusal.code is GroundingCode.SERVER_FAILED


def refusal_of(
    server: str,
    status: int,
    body: str,
    key_variable: str,
    *,
    location: str = "",
    after: float | None = None,
    secret: str = "",
) -> Refusal:
    """The error for a status that is no success.

    Args:
        server: in words, begins the sentence.
        status: of HTTP.
        body: what the server sent with it.
        key_variable: environment variable of the key.
        location: where a 3xx leads to.
        after: what it says in `Retry-After`, seconds.
        secret: never appears in the message, whatever the server repeats.
    """
    words = _words(body)
    words = words.replace(secret, "***") if secret else words
    code = GroundingCode.SERVER_FAILED
    if _TOO_LONG.search(words):
        code = GroundingCode.CONTEXT_TOO_LONG
        what = "the question is longer than the context that it reads; shorten the rubric, or give "
        what += "the server a larger context"
    elif status in (401, 403):
        what = f"it wants a key; set the environment variable {key_variable} to one that it knows"
    elif status == 404:
        what = "there is no such address or model; check the options endpoint url and model"
    elif 300 <= status < 400:
        what = f"it sends us to {location[:SHOWN] or 'another address'}; give that as endpoint url"
    elif status == 429:
        what = "it has too much to do; lower the option endpoint concurrency"
    elif status >= 500:
        what = "it failed; see its log"
    else:
        what = "it can't take the request; check the option endpoint model, then its log"
    said = f": {words}" if words else ""
    refusal = Refusal(code, f"{server} refuses with status {status}{said}; {what}")
    refusal.status, refusal.words, refusal.after = status, words, after
    return refusal


def retry_after(header: str) -> float | None:
    """Seconds that `Retry-After` asks for (a number or a date), at most LONGEST_AFTER."""
    try:
        seconds = float(header)
    except ValueError:
        try:
            then = parsedate_to_datetime(header)
        except (TypeError, ValueError, IndexError):
            return None
        aware = then if then.tzinfo is not None else then.replace(tzinfo=timezone.utc)
        seconds = (aware - datetime.now(timezone.utc)).total_seconds()
    return None if math.isnan(seconds) else min(max(seconds, 0.0), LONGEST_AFTER)


def _words(body: str) -> str:
    """What the server says, without the JSON around it, on one line."""
    text = body
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    for key in ("error", "message", "detail"):
        if isinstance(content, dict) and key in content:
            content = content[key]
    if isinstance(content, str):
        text = content
    return " ".join(text.split())[:SHOWN]
