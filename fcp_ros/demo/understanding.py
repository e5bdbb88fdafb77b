# SPDX-License-Identifier: Apache-2.0
"""An instruction as it was understood, for the report."""

from __future__ import annotations

from collections.abc import Iterator

from fcp_ros.language.reading import Interpretation, WordUse
from fcp_ros.report.demo_report import SpokenWords, UnderstoodInstruction


def describe_understanding(interpretation: Interpretation) -> UnderstoodInstruction:
    """Describe how an instruction was understood, by its best reading."""
    reading = interpretation.readings[0] if interpretation.readings else None
    text = interpretation.instruction
    return UnderstoodInstruction(
        text,
        interpretation.status.value,
        interpretation.message,
        () if reading is None else tuple(split_instruction(text, reading.words)),
        "" if reading is None else reading.paraphrase,
        0.0 if reading is None else reading.degree,
        interpretation.question,
        interpretation.choices,
        interpretation.reader,
    )


def split_instruction(text: str, words: tuple[WordUse, ...]) -> Iterator[SpokenWords]:
    """Split an instruction at the uses of its words, without overlaps; the rest has no role."""
    done = 0
    for use in sorted(words, key=lambda use: (use.start, -use.end)):
        if use.start < done or use.end <= use.start:
            continue
        if use.start > done:
            yield SpokenWords(text[done : use.start])
        yield SpokenWords(text[use.start : use.end], use.role.value, use.meaning, use.degree)
        done = use.end
    if done < len(text):
        yield SpokenWords(text[done:])
