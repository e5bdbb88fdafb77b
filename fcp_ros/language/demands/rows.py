# SPDX-License-Identifier: Apache-2.0
"""Files of rows to train on: clauses with what they ask for, by domain (YAML or JSON).

    licence: "MIT"
    domains:
      cafe:
        phrases:
          serve: ["serve {drink} to {guest}"]
        clauses:
          serve: ["take [the tea]{drink} over to [the lady]{guest}"]
    names: {key chain: {keys: 31, key: 4}}

`phrases` are all that the model learns of a domain; in their place `file` may name a domain file,
relative to this one, or one of the package by its name. In a clause brackets mark what fills a
slot. "not NAME" is the opposite of a relation, "ONE|OTHER" stands for either. A clause may also be
given as `write_clause` writes it.
`names` counts how often people said a noun for a label. Rows whose verb is in `held_out`, of any
file, are only scored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from fcp_ros.binding.label_types import type_of_label
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.expressions.syntax import Not
from fcp_ros.domain.phrases import PhraseError, parse_phrase
from fcp_ros.foundation.bounded_file import MEBIBYTE, read_text
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.language.demands.frames import (
    DemandClause,
    Frame,
    SpokenArgument,
    list_frames,
    make_frames,
)
from fcp_ros.language.demands.roles import Fit
from fcp_ros.language.meanings import Meaning, MeaningSource
from fcp_ros.package_files import find_domain

PACKAGED_ROWS = Path(__file__).with_name("clauses.yaml")
"""Clauses written for this project."""
MOST_BYTES = 64 * MEBIBYTE
_MARKED = re.compile(r"\[([^\[\]]*)\]\{(\w+)\}")
_PERSONS = frozenset(["me", "us", "him", "her", "them", "she", "he", "anna", "peter", "grandma"])
_UNKNOWN, _UNFIT = 0.5, 0.02
Parse = Callable[[str], list[DemandClause]]
"""Returns the clauses of a sentence."""


class _DomainRows(BaseModel):
    model_config = ConfigDict(extra="forbid")
    phrases: dict[str, list[str]] = Field(default_factory=dict)
    file: str = ""
    clauses: dict[str, list[str | dict[str, Any]]] = Field(default_factory=dict)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    licence: str = ""
    held_out: list[str] = Field(default_factory=list)
    domains: dict[str, _DomainRows] = Field(default_factory=dict)
    names: dict[str, dict[str, int]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """A clause, and what it asks for."""

    domain: str
    asks: str  # name of the meaning, as the file gives it
    clause: DemandClause
    slots: Mapping[str, int]  # slot -> position of the argument that fills it
    count: int = 1  # number of times that people said it so


@dataclass(frozen=True)
class TrainingRows:
    """The rows of some files."""

    rows: tuple[Row, ...]  # in the order of the files
    frames: Mapping[str, tuple[Frame, ...]]  # domain -> frames of its phrases
    # label -> noun -> number of times that people said it for that
    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    # domain -> how well a noun fits a type, of those that are files
    fits: Mapping[str, Fit] = field(default_factory=dict)
    sources: tuple[str, ...] = ()  # file, licence and number of rows, a line each
    held_out: tuple[Row, ...] = ()  # rows with verbs that are never trained on
    unread: tuple[str, ...] = ()  # texts in which no clause has the arguments that are marked


def read_rows(files: Iterable[Path], parse: Parse) -> TrainingRows:
    """Read files of rows.

    Args:
        files: YAML, or JSON where the name ends so.
        parse: splits a sentence into clauses.

    Raises:
        InputError: a file can't be read or is not of this form; the message says where.
    """
    rows: list[Row] = []
    frames: dict[str, tuple[Frame, ...]] = {}
    names: dict[str, dict[str, int]] = {}
    sources: list[str] = []
    fits: dict[str, Fit] = {}
    unread: list[str] = []
    verbs: set[str] = set()
    for file in files:
        content = _read_file(file)
        before = len(rows)
        verbs.update(content.held_out)
        for name, domain in content.domains.items():
            if domain.file:
                known_domain = _read_domain(domain, file)
                fits[name] = partial(_fit_label, known_domain)
                frames[name] = (*frames.get(name, ()), *list_frames(known_domain))
            frames[name] = (*frames.get(name, ()), *_read_frames(domain, name, file))
            known = {label for frame in frames[name] for label in list_labels(frame)}
            for asks, clauses in domain.clauses.items():
                wrong = next((a for a in asks.split("|") if a not in known), None)
                if wrong is not None:
                    fix = suggest_name(wrong, known)
                    raise InputError(f"{file}: {name} has no phrase for {wrong!r}; {fix}")
                for clause in clauses:
                    row = _read_row(name, asks, clause, parse, file)
                    if row is None:
                        unread.append(str(clause))
                    else:
                        rows.append(row)
        for label, nouns in content.names.items():
            for noun, count in nouns.items():
                said = names.setdefault(label, {})
                said[noun] = said.get(noun, 0) + count
        licence = content.licence or "licence not given"
        sources.append(f"{file.name}: {len(rows) - before} rows, {licence}")
    if not rows:
        raise InputError("the files have no rows to train on: give some under `clauses`")
    held = tuple(row for row in rows if row.clause.verb in verbs)
    kept = tuple(row for row in rows if row.clause.verb not in verbs)
    return TrainingRows(kept, frames, names, fits, tuple(sources), held, tuple(unread))


def list_labels(frame: Frame) -> tuple[str, ...]:
    """List the names that a row may call the meaning of a frame by."""
    meaning = frame.meaning
    if meaning.source is MeaningSource.RELATION and isinstance(meaning.goal, Not):
        return (f"not {meaning.name}",)
    return (meaning.name,)


def _read_file(file: Path) -> _File:
    text = read_text(file, MOST_BYTES)
    try:
        content = json.loads(text) if file.suffix == ".json" else load_yaml(text)
        return _File.model_validate(content)
    except (json.JSONDecodeError, TextError, RecursionError) as error:
        raise InputError(f"{file} is no file of rows: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        fix = "see docs/language.md for its form"
        raise InputError(
            f"{file} is no file of rows: {place}: {first['msg'].lower()}; {fix}"
        ) from error


def _read_domain(domain: _DomainRows, file: Path) -> Domain:
    beside = file.parent / domain.file
    return load_domain(beside if beside.exists() else find_domain(domain.file))


def _fit_label(domain: Domain, noun: str, type_: str) -> float:
    """Return how well a noun fits a type by the labels of a domain, where there is no scene."""
    schema = domain.schema
    if not schema.has_type(type_):
        return 1.0
    found = "person" if noun in _PERSONS else type_of_label(noun, domain.mapping)
    if found is None or not schema.has_type(found):
        return _UNKNOWN
    return 1.0 if schema.is_subtype(found, type_) else _UNFIT


def _read_frames(domain: _DomainRows, name: str, file: Path) -> list[Frame]:
    frames: list[Frame] = []
    for asks, phrases in domain.phrases.items():
        try:
            parsed = [parse_phrase(phrase) for phrase in phrases]
        except PhraseError as error:
            raise InputError(f"{file}: a phrase of {asks} in {name}: {error}") from error
        slots = {slot: "" for phrase in parsed for slot in phrase.slots}
        meaning = Meaning(asks, MeaningSource.TASK, slots)
        frames += make_frames((meaning, way) for phrase in parsed for way in phrase.variants)
    return frames


def _read_row(
    domain: str, asks: str, said: str | dict[str, Any], parse: Parse, file: Path
) -> Row | None:
    if isinstance(said, dict):
        try:
            clause, slots, count = read_clause(said)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{file}: a clause of {asks} in {domain} is damaged: {error}"
            ) from error
        return Row(domain, asks, clause, slots, count)
    marked = {slot: words.lower().split()[-1:] for words, slot in _MARKED.findall(said)}
    text = _MARKED.sub(lambda match: match[1], said)
    for clause in parse(text):
        slots = {
            slot: place
            for slot, last in marked.items()
            for place, argument in enumerate(clause.arguments)
            if last and _is_form(last[0], argument.noun.split()[-1])
        }
        if len(slots) == len(marked):
            return Row(domain, asks, clause, slots)
    return None


def _is_form(said: str, lemma: str) -> bool:
    """Return True if a word may be a form of a lemma."""
    return said == lemma or (len(lemma) > 2 and said[: len(lemma) - 1] == lemma[:-1])


def write_clause(clause: DemandClause, slots: Mapping[str, int], count: int = 1) -> dict[str, Any]:
    """Write a clause as an entry of a file of rows."""
    return {
        "verb": clause.verb,
        "particle": clause.particle,
        "complement": clause.complement,
        "negated": clause.negated,
        "arguments": [[a.marker, a.noun] for a in clause.arguments],
        "slots": dict(slots),
        "count": count,
    }


def read_clause(entry: Mapping[str, Any]) -> tuple[DemandClause, Mapping[str, int], int]:
    """Read what `write_clause` wrote.

    Raises:
        KeyError, TypeError, ValueError: it is something else.
    """
    arguments = tuple(SpokenArgument(str(m), str(n)) for m, n in entry["arguments"])
    clause = DemandClause(
        str(entry["verb"]),
        str(entry["particle"]),
        arguments,
        str(entry["complement"]),
        bool(entry["negated"]),
    )
    slots = {str(slot): int(place) for slot, place in entry["slots"].items()}
    if any(not 0 <= place < len(arguments) for place in slots.values()):
        raise ValueError("a slot has an argument that the clause lacks")
    return clause, slots, int(entry["count"])
