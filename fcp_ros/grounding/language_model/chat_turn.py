# SPDX-License-Identifier: Apache-2.0
"""A turn of a chat with a language model, of a server or of this machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turn:
    """The words of one side in a chat."""

    role: str  # "system", "user" or "assistant"
    content: str
