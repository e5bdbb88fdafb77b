# SPDX-License-Identifier: Apache-2.0
"""The protocol of readers and what they are given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.model import Domain
from fcp_ros.language.reading import Interpretation


def never_stop() -> None:
    """The check of a caller that does not stop a reader."""


@dataclass(frozen=True)
class ReadingContext:
    """The subject of an instruction: domain, state, speaker."""

    domain: Domain  # its words (`phrases`, `tasks`), types, labels and predicates
    instance: Instance
    speaker: str = ""  # the element that speaks ("me"); empty if that is not known
    robot: str = ""  # the element that is spoken to ("you"); empty for the only robot
    # compares unknown words with known ones in meaning; None: they stay unknown
    similarity: LabelSimilarity | None = None
    # says that nobody has seen either way whether a fact holds, which counts as false
    is_unseen: Callable[[Fact], bool] = lambda fact: False
    check: Callable[[], None] = never_stop  # called often; may raise to stop the reader
    # an answer that comes later is of no use (s, of `time.monotonic`); readers that wait for others
    # give up by then
    until: float = math.inf


MODEL_SECONDS = 20.0
"""Seconds that a language model behind another reader may take for one instruction."""
MOST_CHARACTERS = 4_000
"""Longest instruction that is read (characters)."""


def find_excess(instruction: str) -> str:
    """Return a sentence if an instruction has too many characters to be read; "" if it has not."""
    if len(instruction) <= MOST_CHARACTERS:
        return ""
    return (
        f"The instruction has {len(instruction)} characters, more than {MOST_CHARACTERS}: say it "
        "in several shorter ones."
    )


class InstructionReader(Protocol):
    """Anything that reads instructions; deterministic: equal questions get equal answers."""

    @property
    def name(self) -> str:
        """The kind of reader, such as "domain"."""
        ...

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction; every failure is a status with a sentence, only `check` raises."""
        ...
