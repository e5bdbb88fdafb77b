# SPDX-License-Identifier: Apache-2.0
"""What the judges are asked, and what the answers are compared with: the columns of the table.

- *held out*: the held-out part of config/judgements, all of it and set by set (new items, mostly
  known purposes);
- *everyday*: the household pairs in pairs.csv;
- *recipes*: substitutions that cooks wrote down twice or more, or ten times or more (never trained
  on; ../shared/bench/recipes), against random pairs of the same words;
- *unrelated*: held-out pairs judged 0.7 or more against random pairs of held-out words.

Of recipe pairs, those that were judged are left out: a head may have been trained on them.
"""

from __future__ import annotations

import csv
import hashlib
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fcp_ros.grounding.judgement_set import (
    JudgementSet,
    find_head_word,
    read_judgements,
    split,
    to_plain,
)

HERE = Path(__file__).resolve().parent
JUDGEMENTS = HERE.parents[1] / "config" / "judgements"
EVERYDAY_PAIRS = HERE / "pairs.csv"
RECIPES = (
    HERE.parents[2] / "shared" / "bench" / "recipes" / "recipe1msubs_train_paircounts_min2.csv"
)
COUNT = 1000
"""Most pairs of each kind in a sample."""
HIGH = 0.7
MIXED = ("function", "substitution")
HELD_OUT, MIXED_NAME, EVERYDAY = "held out", "function and substitution", "everyday"
RECIPES_2, RECIPES_10, UNRELATED = "recipes 2+", "recipes 10+", "unrelated"
SET_OF: Mapping[str, str] = {"serves_as": "function", "suitable_substitute": "substitution"}


@dataclass(frozen=True, slots=True)
class Question:
    """A pair, and what is wanted of it.

    Args:
        kind: the set of judgements that it is judged like.
        item: in plain spelling.
        other: in plain spelling.
        degree: as judged; in a comparison, 1 if it is one that should be above the others, else 0;
            in a column of changes, the wanted change.
        thing: what the item is, if its last word doesn't say it ("mug with a hole").
    """

    kind: str
    item: str
    other: str
    degree: float
    thing: str = ""

    @property
    def asked(self) -> tuple[str, str, str]:
        """What is asked, without what is wanted."""
        return self.kind, self.item, self.other

    @property
    def cluster(self) -> str:
        """The questions that are drawn together have the same."""
        return find_head_word(self.thing or self.item)


@dataclass(frozen=True, slots=True)
class Column:
    """Questions that are measured together.

    Args:
        name: heading.
        questions: in an order that any beginning of is a fair sample.
        compares: if the answers only are compared with each other (area), not with degrees.
        before: in a column of changes, the question that each is compared with, in the same order.
        measures: what is measured, unless it compares.
    """

    name: str
    questions: tuple[Question, ...]
    compares: bool = False
    before: tuple[Question, ...] = ()
    measures: tuple[str, ...] = ("error", "rank")

    def take(self, most: int | None) -> Column:
        """Only the first questions; of a comparison, of each side."""
        if most is None:
            return self
        if not self.compares:
            return replace(self, questions=self.questions[:most], before=self.before[:most])
        sides = [[q for q in self.questions if (q.degree > 0.5) is high] for high in (True, False)]
        return replace(self, questions=(*sides[0][:most], *sides[1][:most]))


def read_columns(recipes: Path = RECIPES) -> list[Column]:
    """Read all columns; without recipes where there is no such file."""
    sets = read_judgements([JUDGEMENTS])
    columns = [*_read_held_out(sets), Column(EVERYDAY, tuple(_read_everyday()))]
    if recipes.is_file():
        columns.append(Column(RECIPES_2, _read_recipes(recipes, 2, sets), compares=True))
        columns.append(Column(RECIPES_10, _read_recipes(recipes, 10, sets), compares=True))
    return [*columns, _draw_unrelated(sets)]


def _read_held_out(sets: Mapping[str, JudgementSet]) -> list[Column]:
    held_out = {
        name: [Question(name, j.item, j.other, j.degree) for j in split(kind.judgements).held_out]
        for name, kind in sets.items()
    }
    groups = {HELD_OUT: tuple(sets), MIXED_NAME: MIXED}
    groups |= {name: (name,) for name in sets}
    return [
        Column(name, mix(q for kind in kinds for q in held_out[kind]))
        for name, kinds in groups.items()
    ]


def mix(questions: Iterable[Question]) -> tuple[Question, ...]:
    """Order by hash: the beginning of a mixed column stands at the beginning of its sets, too."""
    return tuple(sorted(questions, key=lambda q: hashlib.sha256(repr(q.asked).encode()).digest()))


def _read_everyday() -> Iterable[Question]:
    with EVERYDAY_PAIRS.open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            words = (to_plain(row[side]) for side in ("item", "text"))
            yield Question(SET_OF[row["predicate"]], *words, float(row["degree"]))


def _read_recipes(path: Path, least: int, sets: Mapping[str, JudgementSet]) -> tuple[Question, ...]:
    """True pairs (substitute, ingredient) and random ones, drawn with a fixed seed."""
    with path.open(encoding="utf-8") as stream:
        counts = {
            (to_plain(row["substitute"]), to_plain(row["ingredient"])): int(row["count"])
            for row in csv.DictReader(stream)
        }
    judged = {judgement.pair for judgement in sets["substitution"].judgements}
    often = sorted(pair for pair, count in counts.items() if count >= least)
    generator = random.Random(1)
    true = generator.sample(often, min(COUNT, len(often)))
    known = {*judged, *counts, *((b, a) for a, b in counts)}
    apart = _draw_apart(sorted({word for pair in counts for word in pair}), known, generator)
    questions = [Question("substitution", *pair, 1.0) for pair in true if pair not in judged]
    questions += [Question("substitution", *pair, 0.0) for pair in apart]
    return tuple(questions)


def _draw_apart(
    words: Sequence[str], known: set[tuple[str, str]], generator: random.Random
) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    while len(found) < COUNT:
        pair = (generator.choice(words), generator.choice(words))
        if pair[0] != pair[1] and pair not in known:
            found.append(pair)
    return found


def _draw_unrelated(sets: Mapping[str, JudgementSet]) -> Column:
    """Good held-out pairs of the mixed sets, and as many random pairs of held-out words."""
    generator = random.Random(5)
    questions: list[Question] = []
    for name in MIXED:
        judged = {judgement.pair for judgement in sets[name].judgements}
        held_out = split(sets[name].judgements).held_out
        good = [j.pair for j in held_out if j.degree >= HIGH]
        for pair in generator.sample(good, min(len(good), COUNT // 2)):
            questions.append(Question(name, *pair, 1.0))
            apart = pair
            while apart in judged or apart[0] == apart[1]:
                apart = (generator.choice(held_out).item, generator.choice(held_out).other)
            questions.append(Question(name, *apart, 0.0))
    return Column(UNRELATED, mix(questions), compares=True)
