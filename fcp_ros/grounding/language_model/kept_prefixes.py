# SPDX-License-Identifier: Apache-2.0
"""What the model made of the shared beginnings of prompts, kept for the next batch. Bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from fcp_ros.grounding.language_model.packing import common_prefix_length

Tokens = tuple[int, ...]
KeysAndValues = Sequence[tuple[Any, Any]]
"""Of each layer the keys and the values; shape (1, heads, tokens, width) each."""


class KeptPrefixes:
    """Keys and values of prefixes, the least recently used go first.

    A prefix that another one begins with is a slice of what is kept of that one.

    Args:
        count: prefixes that are kept; a domain has a handful of predicates.
    """

    def __init__(self, count: int = 8) -> None:
        self._count = count
        self._kept: OrderedDict[Tokens, KeysAndValues] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, prefix: Tokens, compute: Callable[[], KeysAndValues]) -> KeysAndValues:
        """The prefix's keys and values, computed where nothing that begins with it is kept."""
        for tokens in self._kept:
            if common_prefix_length((tokens, prefix)) == len(prefix):
                self._kept.move_to_end(tokens)
                length = len(prefix)
                return [(k[..., :length, :], v[..., :length, :]) for k, v in self._kept[tokens]]
        made = compute()
        self._kept[prefix] = made
        while len(self._kept) > self._count:
            self._kept.popitem(last=False)
        return made

    def clear(self) -> None:
        """Forget all of them, when memory is short."""
        self._kept.clear()
