# SPDX-License-Identifier: Apache-2.0
"""Pairs by an author who trains nothing, and never saw what a model says of them (fresh/README.md).

- *context*: things in a state, without a part or denied ("mug with a hole"), each in a group with
  the plain thing, so that the change by the words can be measured as well as the degree;
- *unusual uses*, and *unlisted safety* (safety and stability of things that no judgement is about);
- *captions*: the same thing in other forms of words, which should leave its degree where it is;
  like any label of a scene they are read before a judge is asked (`request_reading.py`).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import groupby
from pathlib import Path

from benchmark.grounding.questions import HERE, JUDGEMENTS, Column, Question, mix
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest
from fcp_ros.grounding.judgement_set import read_judgements, to_plain
from fcp_ros.grounding.known_words import load_known_words
from fcp_ros.grounding.request_reading import RequestReader

FRESH = HERE / "fresh"
CONTEXT_TRAINING = JUDGEMENTS / "context"
CONTEXT_HELD_OUT = FRESH / "context"
SECOND_PASS = FRESH / "second_pass.csv"
"""What the same author said of a sample, asked again."""
FIRST_PASS = (CONTEXT_TRAINING, CONTEXT_HELD_OUT, FRESH / "unusual", FRESH / "safety")

CONTEXT, CONTEXT_CHANGE, CONTEXT_KEPT = "context", "context, change", "context, no change"
UNUSUAL, UNLISTED = "unusual uses", "unlisted safety"
CAPTIONS, CAPTIONS_LOWER, CAPTIONS_EITHER = "captions", "captions, denied", "captions, photo"
NO_CHANGE = 0.05
"""Words that change a degree by no more say nothing about the use."""


@dataclass(frozen=True, slots=True)
class ContextGroup:
    """A thing and the same thing in other states, for one purpose.

    Args:
        plain: the thing without any context.
        variants: the others; `thing` is the plain item.
    """

    plain: Question
    variants: tuple[Question, ...]

    @property
    def changes(self) -> tuple[Question, ...]:
        """The variants, with the wanted change of the degree instead of the degree."""
        before = self.plain.degree
        return tuple(replace(one, degree=round(one.degree - before, 4)) for one in self.variants)


class About(Enum):
    """What a caption says of the thing that is wanted for the purpose."""

    THING = "thing"
    NEIGHBOUR = "neighbour"  # It shows the neighbour, and has the thing's name in it
    LOWER = "lower"  # It is no such thing
    EITHER = "either"  # Words of a picture's caption, or a name of the picture


@dataclass(frozen=True, slots=True)
class Caption:
    """A thing in other words.

    Args:
        change: the question, with the wanted change of the degree.
        before: the question about the plain word.
    """

    about: About
    change: Question
    before: Question


def read_context(folder: Path = CONTEXT_HELD_OUT) -> list[ContextGroup]:
    """Read the groups: successive rows with the same other side, the plain thing first."""
    groups = []
    for file in sorted(folder.glob("*.csv")):
        kind = file.stem.split("_")[0]
        for _, rows in groupby(_read_rows(file), key=lambda row: row[1]):
            first, *rest = (
                Question(kind, to_plain(item), to_plain(other), float(degree))
                for item, other, degree in rows
            )
            plain, *variants = (replace(one, thing=first.item) for one in (first, *rest))
            groups.append(ContextGroup(plain, tuple(variants)))
    return groups


def read_captions(folder: Path = FRESH / "captions") -> list[Caption]:
    """Put each thing into each form."""
    forms = list(_read_rows(folder / "forms.csv"))
    return [
        _make_caption(form, About(about), *row)
        for row in _read_rows(folder / "things.csv")
        for form, about in forms
    ]


def read_fresh_columns() -> list[Column]:
    """Read all columns of the fresh pairs."""
    groups = read_context()
    changes = [(change, group.plain) for group in groups for change in group.changes]
    kept = [pair for pair in changes if abs(pair[0].degree) <= NO_CHANGE + 1e-9]
    captions: dict[About, list[tuple[Question, Question]]] = {about: [] for about in About}
    reader = RequestReader(load_known_words)
    for one in read_captions():
        captions[one.about].append((_read_label(one.change, reader), one.before))
    every = (q for group in groups for q in (group.plain, *group.variants))
    return [
        Column(CONTEXT, mix(every)),
        _order_changes(CONTEXT_CHANGE, changes, ("error", "rank")),
        _order_changes(CONTEXT_KEPT, kept, ("error", "moved")),
        Column(UNUSUAL, mix(_read_pairs(FRESH / "unusual"))),
        Column(UNLISTED, mix(_read_pairs(FRESH / "safety"))),
        _order_changes(
            CAPTIONS, [*captions[About.THING], *captions[About.NEIGHBOUR]], ("error", "moved")
        ),
        _order_changes(CAPTIONS_LOWER, captions[About.LOWER], ("error",)),
        _order_changes(CAPTIONS_EITHER, captions[About.EITHER], ("error", "moved")),
    ]


def _make_caption(
    form: str,
    about: About,
    thing: str,
    purpose: str,
    degree: str,
    neighbour: str,
    neighbour_degree: str,
) -> Caption:
    item = to_plain(form.format(thing=thing, neighbour=neighbour, purpose=purpose))
    shown, known = thing, float(degree)
    if about is About.NEIGHBOUR:
        shown, known = neighbour, float(neighbour_degree)
    before = Question("function", to_plain(shown), to_plain(purpose), known, to_plain(thing))
    change = -known if about is About.LOWER else 0.0
    return Caption(about, replace(before, item=item, degree=change), before)


def _read_label(question: Question, reader: RequestReader) -> Question:
    """Ask about a thing of the scene with this label, in the words that an oracle gets."""
    item = ArgumentContext("item", "thing_1", question.item)
    request = JudgementRequest(question.kind, (item, ArgumentContext("other", question.other)))
    (read,) = reader.read_all([request])
    return replace(question, item=to_plain(read.request.arguments[0].words))


def _order_changes(
    name: str, changes: Sequence[tuple[Question, Question]], measures: tuple[str, ...]
) -> Column:
    before = {change.asked: plain for change, plain in changes}
    ordered = mix(change for change, _ in changes)
    return Column(
        name, ordered, before=tuple(before[one.asked] for one in ordered), measures=measures
    )


def _read_pairs(folder: Path) -> Iterator[Question]:
    for name, kind in read_judgements([folder]).items():
        for judgement in kind.judgements:
            yield Question(name, judgement.item, judgement.other, judgement.degree)


def _read_rows(file: Path) -> Iterator[list[str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        rows = csv.reader(stream)
        next(rows)  # The header
        yield from rows
