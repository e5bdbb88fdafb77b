# SPDX-License-Identifier: Apache-2.0
"""Graded judgements in CSV files, from which heads are trained, and the held-out part.

A folder holds files ``<set>.csv`` or ``<set>_<part>.csv``; the set is the name up to the first
underscore. Each file has a header of three columns: the judged thing, the other side, and
``degree``, such as ``item,purpose,degree``. config/judgements/README.md defines the degrees.

*Split.* Judgements are split by item into a part that trains a head and a part that measures it. An
item goes by the hash of its head word (its last word), so that "coffee mug" and "mugs" are always
on the side of "mug", whatever else is in the set.

No leak: no item of the held-out part stands in the training part, in any column, and no item of
the training part has the head word of a held-out item. Judgements whose *other* side is an item of
the held-out part are therefore in neither part.

Possible leak: the other sides. The purposes, wanted things, supports and persons of the held-out
part are mostly known from training ("drinking" with other items), so the figures say how well a
head judges *new things* for purposes that it mostly knows. Words inside a phrase can also be
shared ("coffee" of "coffee mug" and of "coffee table"), and so can the other side's head word: the
wanted "wine glass" may be in training while "glass" is held out.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fcp_ros.domain.model import GradedPredicate
from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.grounding.judgement import (
    ArgumentContext,
    GroundingCode,
    GroundingError,
    JudgementRequest,
)

Places = tuple[int, ...]


def to_plain(text: str) -> str:
    """Write text in lower case with single spaces for underscores and hyphens.

    Judgements, rubric examples and questions are compared in this spelling.
    """
    return " ".join(text.replace("_", " ").replace("-", " ").lower().split())


def to_singular(word: str) -> str:
    """Remove a plural s ("mugs" -> "mug"; "glass" stays); a rule of thumb."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def find_head_word(text: str) -> str:
    """Return the last word, the kind of thing in English: "coffee mugs" -> "mug"."""
    return to_singular(text.split()[-1]) if text.split() else ""


def read_arguments(request: JudgementRequest) -> tuple[str, ...]:
    """Return the words of each argument, in plain spelling."""
    return tuple(_describe(argument) for argument in request.arguments)


def read_all_arguments(requests: Sequence[JudgementRequest]) -> list[tuple[str, ...]]:
    """Return the words of each argument of each request; each distinct text is read once."""
    plain: dict[str, str] = {}
    rows = []
    for request in requests:
        words = []
        for argument in request.arguments:
            if argument.attributes:
                words.append(_describe(argument))
                continue
            text = argument.category or argument.text
            found = plain.get(text)
            if found is None:
                found = plain[text] = to_plain(text)
            words.append(found)
        rows.append(tuple(words))
    return rows


def split_sides(words: Sequence[str], is_text: Sequence[bool]) -> tuple[str, str]:
    """Join the elements' words (left) and the texts' words (right)."""
    left = " and ".join(word for word, text in zip(words, is_text, strict=True) if not text)
    right = " and ".join(word for word, text in zip(words, is_text, strict=True) if text)
    return to_plain(left), to_plain(right)


def find_side_places(
    predicate: GradedPredicate, columns: tuple[str, str]
) -> tuple[Places, Places] | None:
    """Find the places of the arguments on the two sides of judgements; None if there are more.

    By name if the parameters are named like the columns of the judgements, in any order; else
    elements on the left and texts on the right, or, with two elements or two texts, in order.
    """
    names = [parameter.name for parameter in predicate.parameters]
    if sorted(names) == sorted(columns):
        left, right = (names.index(column) for column in columns)
        return (left,), (right,)
    is_text = [parameter.is_text for parameter in predicate.parameters]
    if any(is_text) and not all(is_text):
        return (
            tuple(place for place, text in enumerate(is_text) if not text),
            tuple(place for place, text in enumerate(is_text) if text),
        )
    return ((0,), (1,)) if len(names) == 2 else None


def take_sides(
    rows: Sequence[Sequence[str]], places: tuple[Places, Places]
) -> list[tuple[str, str]]:
    """Take the two sides of rows of arguments, in plain spelling."""
    left, right = places
    if len(left) == len(right) == 1:
        (a,), (b,) = left, right
        return [(row[a], row[b]) for row in rows]
    return [
        (" and ".join([row[a] for a in left]), " and ".join([row[b] for b in right]))
        for row in rows
    ]


def join_statement(words: Sequence[str]) -> str:
    """Join all arguments to one phrase: "a knife and a child"."""
    return " and ".join(f"a {to_plain(word)}" for word in words)


def _describe(argument: ArgumentContext) -> str:
    """Join the argument's words, with those of its declared attributes before them.

    Text values ("glass") and names of true attributes ("dirty") count as words; numbers and
    element names are not part of what people judged, and are left out.
    """
    words = []
    for name, value in argument.attributes:
        if value is True:
            words.append(name)
        elif isinstance(value, str) and name != "name":
            words.append(value)
    return to_plain(" ".join([*words, argument.words]))


# --- agreement of degrees with judgements: error, rank correlation, and area under the curve ---
#
# scipy is imported in the functions: only training and benchmarks need them.

HIGH, LOW = 0.7, 0.15  # The area under the curve compares degrees >= HIGH with degrees <= LOW


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of degrees with judgements."""

    count: int
    mean_error: float  # mean absolute difference, in degrees
    rank: float  # Spearman's rank correlation; 0 if all are equal
    # under the ROC curve of judgements >= HIGH against those <= LOW; 0.5 is chance, and the value
    # if there are none
    area: float


def measure_agreement(judged: list[float], given: list[float]) -> Agreement:
    """Compare degrees with judgements, in the same order; at least one."""
    from scipy.stats import rankdata

    ours, theirs = np.array(judged), np.array(given)
    ranks, others = rankdata(ours), rankdata(theirs)
    varied = ranks.std() > 0 and others.std() > 0
    return Agreement(
        len(given),
        float(np.abs(ours - theirs).mean()),
        float(np.corrcoef(ranks, others)[0, 1]) if varied else 0.0,
        compute_area(ours[theirs >= HIGH - 1e-9], ours[theirs <= LOW + 1e-9]),
    )


def compute_area(high: np.ndarray, low: np.ndarray) -> float:
    """Compute the chance that one of `high` is above one of `low`; ties count half."""
    from scipy.stats import rankdata

    if not len(high) or not len(low):
        return 0.5
    ranks = rankdata(np.concatenate([high, low]))[: len(high)]
    return float((ranks.sum() - len(high) * (len(high) + 1) / 2) / (len(high) * len(low)))


# --- graded judgements in CSV files, from which heads are trained, and the held-out part ---

DEGREE = "degree"
CONTRADICTION = 0.4  # The largest difference between two authors of one folder; their mean counts


@dataclass(frozen=True, slots=True)
class Judgement:
    """The degree to which a thing fits the other side."""

    item: str  # words of the judged thing, in plain spelling
    other: str  # words of the purpose, of the wanted thing, of the support
    degree: float  # in [0, 1]
    place: str = ""  # file and line, for messages

    @property
    def pair(self) -> tuple[str, str]:
        """Both sides."""
        return self.item, self.other


@dataclass(frozen=True, slots=True)
class JudgementSet:
    """All judgements of one kind, sorted by their words, each pair once."""

    name: str  # "substitution"
    columns: tuple[str, str]  # names of the two sides: ("item", "wanted")
    judgements: tuple[Judgement, ...]  # at least one


def read_judgements(folders: Sequence[Path]) -> dict[str, JudgementSet]:
    """Read the sets in these folders, by name.

    A later folder overrules an earlier one, so that one's own judgements overrule those of the
    package. Within one folder, a pair may be in two files (by two authors; the mean counts), but
    only once in each file. INVALID_OPTION, with file and line, for a missing or invalid file.
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


def hash_judgements(sets: Mapping[str, JudgementSet]) -> str:
    """Hash all pairs and degrees to 16 hexadecimal digits, independent of files and order."""
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
        raise _build_unusable(
            f"{folder} holds no judgements: give a folder with files such as function.csv "
            "(header item,purpose,degree)"
        )
    opinions: dict[str, dict[tuple[str, str], list[Judgement]]] = {}
    for file in files:
        name = file.stem.split("_")[0]
        sides, judgements = _read_file(file)
        known, first = columns.setdefault(name, (sides, file))
        if sides != known:
            raise _build_unusable(
                f"{file}, line 1: the columns are {', '.join(sides)}, but those of the same set "
                f"in {first} are {', '.join(known)}; use the same, or another set's name"
            )
        for judgement in judgements:
            opinions.setdefault(name, {}).setdefault(judgement.pair, []).append(judgement)
    return {
        name: {pair: _average(given) for pair, given in pairs.items()}
        for name, pairs in opinions.items()
    }


def _average(opinions: Sequence[Judgement]) -> Judgement:
    """Average the judgements of several authors on one pair."""
    lowest = min(opinions, key=lambda judgement: judgement.degree)
    highest = max(opinions, key=lambda judgement: judgement.degree)
    if highest.degree - lowest.degree > CONTRADICTION + 1e-9:
        raise _build_unusable(
            f"{highest.place} says {highest.degree:g} of {highest.item!r}, {highest.other!r}, "
            f"but {lowest.place} says {lowest.degree:g}; settle which it is"
        )
    mean = sum(judgement.degree for judgement in opinions) / len(opinions)
    return Judgement(lowest.item, lowest.other, round(mean, 4), lowest.place)


def _read_file(file: Path) -> tuple[tuple[str, str], list[Judgement]]:
    """Read the names of the two sides, and the judgements in order."""
    try:
        rows = list(csv.reader(io.StringIO(read_text(file), newline=""), strict=True))
    except FileError as error:
        raise _build_unusable(str(error)) from error
    except csv.Error as error:
        raise _build_unusable(f"{file} can't be read as CSV in UTF-8 ({error})") from error
    header = [name.strip() for name in rows[0]] if rows else []
    if len(header) != 3 or header[2] != DEGREE or len(set(header)) != 3 or not all(header):
        raise _build_unusable(
            f"{file}, line 1: the header is {','.join(header)!r}; it must name three columns, the "
            f"judged thing, the other side and {DEGREE!r}, such as item,purpose,{DEGREE}"
        )
    judgements: list[Judgement] = []
    seen: dict[tuple[str, str], str] = {}
    for number, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        judgement = _read_judgement(row, header, f"{file}, line {number}")
        if judgement.pair in seen:
            raise _build_unusable(
                f"{judgement.place}: {judgement.item!r}, {judgement.other!r} stands already in "
                f"{seen[judgement.pair]}; keep one of them"
            )
        seen[judgement.pair] = judgement.place
        judgements.append(judgement)
    if not judgements:
        raise _build_unusable(f"{file} has a header but no judgements; add some or remove the file")
    return (header[0], header[1]), judgements


def _read_judgement(row: Sequence[str], header: Sequence[str], place: str) -> Judgement:
    if len(row) != 3:
        raise _build_unusable(
            f"{place}: {len(row)} columns, but the header has 3 ({','.join(header)}); put words "
            "with a comma into quotation marks"
        )
    item, other = to_plain(row[0]), to_plain(row[1])
    if not item or not other:
        raise _build_unusable(f"{place}: {header[0] if not item else header[1]} is empty")
    try:
        degree = float(row[2])
    except ValueError:
        degree = math.nan
    if not 0.0 <= degree <= 1.0:  # not a number is not in the range either
        raise _build_unusable(
            f"{place}: the degree is {row[2].strip()!r}; it must be a number in [0, 1]"
        )
    return Judgement(item, other, degree, place)


def _build_unusable(sentence: str) -> GroundingError:
    return GroundingError(GroundingCode.INVALID_OPTION, sentence)


HELD_OUT_SHARE = 0.2  # The share of head words that is held out


@dataclass(frozen=True, slots=True)
class JudgementSplit:
    """The two parts, and the number of judgements in neither."""

    training: tuple[Judgement, ...]
    held_out: tuple[Judgement, ...]
    left_out: int


def split(judgements: Sequence[Judgement]) -> JudgementSplit:
    """Split judgements by item, as described above."""
    held_out = tuple(j for j in judgements if is_held_out(j.item))
    items = {j.item for j in held_out}
    training = tuple(j for j in judgements if not is_held_out(j.item) and j.other not in items)
    return JudgementSplit(training, held_out, len(judgements) - len(training) - len(held_out))


def is_held_out(item: str) -> bool:
    return compute_fraction("held out", item) < HELD_OUT_SHARE


def compute_fraction(salt: str, item: str) -> float:
    """Hash the item's head word and the salt to a number in [0, 1)."""
    digest = hashlib.sha256(f"{salt}:{find_head_word(item)}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2.0**64
