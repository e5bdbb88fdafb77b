# SPDX-License-Identifier: Apache-2.0
"""Graded judgements in CSV files: what the heads of the embedding oracle are trained from.

A folder holds files ``<set>.csv`` or ``<set>_<part>.csv``; the set is the name up to the first
underscore. Each file has a header of three columns: the judged thing, the other side, and
``degree``, such as ``item,purpose,degree``. config/judgements/README.md says what the degrees mean.
"""

from __future__ import annotations

import csv
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.grounding.embedding.words import plain
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError

DEGREE = "degree"
CONTRADICTION = 0.4
"""Two authors of one folder may differ by this much (their mean counts); more is an error."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """To what degree a thing fits the other side.

    Args:
        item: words of the judged thing, in plain spelling.
        other: words of the purpose, of the wanted thing, of the support ...
        degree: in [0, 1].
        place: file and line, for messages.
    """

    item: str
    other: str
    degree: float
    place: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """Both sides."""
        return self.item, self.other


@dataclass(frozen=True, slots=True)
class JudgementSet:
    """All judgements of one kind, sorted by their words, each pair once.

    Args:
        name: "substitution".
        columns: names of the two sides: ("item", "wanted").
        judgements: at least one.
    """

    name: str
    columns: tuple[str, str]
    judgements: tuple[Judgement, ...]


def read_judgements(folders: Sequence[Path]) -> dict[str, JudgementSet]:
    """The sets in these folders, by name.

    A pair that stands in a later folder counts as it stands there, so that one's own judgements
    overrule those of the package. Within one folder, a pair may stand in two files (by two
    authors; the mean counts) but in one file only once.

    Raises:
        GroundingError: INVALID_OPTION: no such folder, no CSV files in it, or a file that can't be
            used; with file and line.
    """
    columns: dict[str, tuple[tuple[str, str], Path]] = {}
    merged: dict[str, dict[tuple[str, str], Judgement]] = {}
    for folder in folders:
        for name, read in _read_folder(folder, columns).items():
            merged.setdefault(name, {}).update(read)
    return {
        name: JudgementSet(name, columns[name][0], tuple(merged[name][p] for p in sorted(pairs)))
        for name, pairs in sorted(merged.items())
    }


def content_hash(sets: Mapping[str, JudgementSet]) -> str:
    """A hash of all pairs and degrees, 16 hexadecimal digits; files and order don't matter."""
    digest = hashlib.sha256()
    for name in sorted(sets):
        digest.update(repr((name, sets[name].columns)).encode())
        for judgement in sets[name].judgements:
            digest.update(f"{judgement.item}|{judgement.other}|{judgement.degree:.4f}\n".encode())
    return digest.hexdigest()[:16]


def _read_folder(
    folder: Path, columns: dict[str, tuple[tuple[str, str], Path]]
) -> dict[str, dict[tuple[str, str], Judgement]]:
    files = sorted(folder.expanduser().glob("*.csv"))
    if not files:
        raise _unusable(
            f"{folder} holds no judgements: give a folder with files such as function.csv "
            "(header item,purpose,degree)"
        )
    opinions: dict[str, dict[tuple[str, str], list[Judgement]]] = {}
    for file in files:
        name = file.stem.split("_")[0]
        sides, judgements = _read_file(file)
        known, first = columns.setdefault(name, (sides, file))
        if sides != known:
            raise _unusable(
                f"{file}, line 1: the columns are {', '.join(sides)}, but those of the same set "
                f"in {first} are {', '.join(known)}; use the same, or another set's name"
            )
        for judgement in judgements:
            opinions.setdefault(name, {}).setdefault(judgement.pair, []).append(judgement)
    return {
        name: {pair: _agreed(given) for pair, given in pairs.items()}
        for name, pairs in opinions.items()
    }


def _agreed(opinions: Sequence[Judgement]) -> Judgement:
    """The mean of what several authors said of one pair."""
    lowest = min(opinions, key=lambda judgement: judgement.degree)
    highest = max(opinions, key=lambda judgement: judgement.degree)
    if highest.degree - lowest.degree > CONTRADICTION + 1e-9:
        raise _unusable(
            f"{highest.place} says {highest.degree:g} of {highest.item!r}, {highest.other!r}, "
            f"but {lowest.place} says {lowest.degree:g}; settle which it is"
        )
    mean = sum(judgement.degree for judgement in opinions) / len(opinions)
    return Judgement(lowest.item, lowest.other, round(mean, 4), lowest.place)


def _read_file(file: Path) -> tuple[tuple[str, str], list[Judgement]]:
    """The names of the two sides, and the judgements in order."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unusable(f"{file} can't be read as CSV in UTF-8 ({error})") from error
    header = [name.strip() for name in rows[0]] if rows else []
    if len(header) != 3 or header[2] != DEGREE or len(set(header)) != 3 or not all(header):
        raise _unusable(
            f"{file}, line 1: the header is {','.join(header)!r}; it must name three columns, the "
            f"judged thing, the other side and {DEGREE!r}, such as item,purpose,{DEGREE}"
        )
    judgements: list[Judgement] = []
    seen: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        judgement = _judgement(row, header, f"{file}, line {number}")
        if judgement.pair in seen:
            raise _unusable(
                f"{judgement.place}: {judgement.item!r}, {judgement.other!r} stands already in "
                f"{seen[judgement.pair]}; keep one of them"
            )
        seen[judgement.pair] = judgement.place
        judgements.append(judgement)
    if not judgements:
        raise _unusable(f"{file} has a header but no judgements; add some or remove the file")
    return (header[0], header[1]), judgements


def _judgement(row: Sequence[str], header: Sequence[str], place: str) -> Judgement:
    if len(row) != 3:
        raise _unusable(
            f"{place}: {len(row)} columns, but the header has 3 ({','.join(header)}); put words "
            "with a comma into quotation marks"
        )
    item, other = plain(row[0]), plain(row[1])
    if not item or not other:
        raise _unusable(f"{place}: {header[0] if not item else header[1]} is empty")
    try:
        degree = float(row[2])
    except ValueError:
        degree = math.nan
    if not 0.0 <= degree <= 1.0:  # not a number is not in the range either
        raise _unusable(f"{place}: the degree is {row[2].strip()!r}; it must be a number in [0, 1]")
    return Judgement(item, other, degree, place)


def _unusable(sentence: str) -> GroundingError:
    return GroundingError(GroundingCode.INVALID_OPTION, sentence)
