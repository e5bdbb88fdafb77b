# SPDX-License-Identifier: Apache-2.0
"""The questions to a language model and its answers, as text for people."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fcp_ros.abstraction.proposers.written.prompt import PromptStep
from fcp_ros.foundation.wording import to_printable


@dataclass(frozen=True, slots=True)
class ModelExchange:
    """A question to a model, and its answer."""

    step: PromptStep
    task: str  # the part of the prompt that is the same for all questions
    question: str  # the rest of the prompt
    answer: str
    seconds: float


def write_transcript(model: str, exchanges: Iterable[ModelExchange]) -> str:
    """Write all questions and answers; control characters are shown, not sent to a terminal."""
    parts = [f"# Transcript of {to_printable(model)}"]
    last_task = ""
    for number, one in enumerate(exchanges, 1):
        parts.append(f"\n## {number}. {one.step.value} ({one.seconds:.1f} s)")
        if one.task != last_task:
            parts.append(f"\n### Task\n\n{_clean(one.task)}")
            last_task = one.task
        parts.append(f"\n### Question\n\n{_clean(one.question)}")
        parts.append(f"\n### Answer\n\n{_clean(one.answer)}")
    return "\n".join(parts) + "\n"


def _clean(text: str) -> str:
    return "\n".join(to_printable(line) for line in text.splitlines())
