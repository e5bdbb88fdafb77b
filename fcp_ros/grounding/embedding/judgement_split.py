# SPDX-License-Identifier: Apache-2.0
"""Which judgements train a head and which are held out to measure it: split by item.

An item goes by the hash of its head word (its last word), so that "coffee mug" and "mugs" are on
the side of "mug", always, whatever else is in the set.

What can't leak: no item of the held-out part stands in the training part, in any column, and no
item of the training part has the head word of a held-out item. Judgements whose *other* side is
an item of the held-out part are therefore in neither part.

What can leak: the other sides. The purposes, wanted things, supports and persons of the held-out
part are mostly known from training ("drinking" with other items), so the figures say how well a
head judges *new things*, for purposes that it mostly knows. Words inside a phrase can also be
shared ("coffee" of "coffee mug" and of "coffee table"), and so can the other side's head word: the
wanted "wine glass" may be in training while "glass" is held out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.grounding.embedding.judgement_set import Judgement
from fcp_ros.grounding.embedding.words import head_word

HELD_OUT_SHARE = 0.2
"""Share of the head words that are held out."""


@dataclass(frozen=True, slots=True)
class Split:
    """The two parts, and how many judgements belong to neither."""

    training: tuple[Judgement, ...]
    held_out: tuple[Judgement, ...]
    left_out: int


def split(judgements: Sequence[Judgement]) -> Split:
    """Split judgements by item; see the module's text."""
    held_out = tuple(j for j in judgements if is_held_out(j.item))
    items = {j.item for j in held_out}
    training = tuple(j for j in judgements if not is_held_out(j.item) and j.other not in items)
    return Split(training, held_out, len(judgements) - len(training) - len(held_out))


def is_held_out(item: str) -> bool:
    """Whether judgements of this item are held out."""
    return fraction("held out", item) < HELD_OUT_SHARE


def fraction(salt: str, item: str) -> float:
    """A number in [0, 1) that depends on the item's head word and the salt only."""
    digest = hashlib.sha256(f"{salt}:{head_word(item)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2.0**64
