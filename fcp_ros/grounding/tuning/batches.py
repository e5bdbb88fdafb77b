# SPDX-License-Identifier: Apache-2.0
"""Batches that an encoder is tuned on: pairs of one purpose side by side, and random ones as 0.

Each pass over the judgements draws its own random pairs and swaps, from the seed and the number of
the pass alone, so that a training that goes on sees what it would have seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fcp_ros.grounding.judgement_set import Judgement, JudgementSet, compute_fraction, split

UNRELATED_FIT_NOT = ("function", "substitution")
"""The sets in which two unrelated sides are worth 0."""
SWAPPED_SETS = ("substitution",)
"""The sets in which a pair read the other way round is nearly as good."""
OF_ONE_PURPOSE = 8  # Most pairs of one purpose that stand together
SALT = "tuning fold"


class Example(NamedTuple):
    """A pair with its set's number and its degree."""

    kind: int
    left: str
    right: str
    degree: float


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """Settings of batches. `swapped` and `unrelated` are shares."""

    size: int = 64
    unrelated: float = 0.3  # random pairs, of a batch
    swapped: float = 0.25  # of the pairs of `SWAPPED_SETS`
    extra: int = 10  # of the extra pairs, beside the others
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainingPairs:
    """The judgements that one member of an ensemble is tuned on, and those it never sees."""

    names: tuple[str, ...]  # of the sets, by number
    training: tuple[Example, ...]
    left_out: Mapping[str, tuple[Judgement, ...]]
    judged: frozenset[tuple[int, str, str]] = field(repr=False)  # all, also held out: no zeros
    # few and important ones, of which some stand in each batch: states, parts and negations
    extra: tuple[Example, ...] = ()


def collect_pairs(
    sets: Mapping[str, JudgementSet],
    fold: int,
    folds: int,
    extra: Mapping[str, JudgementSet] | None = None,
) -> TrainingPairs:
    """Collect the training part of all sets without one fold of the kinds of item.

    No item of the fold stands in what is trained on, on either side, as with the held-out part.
    `extra`: judgements of which some stand in each batch, split in the same way.
    """
    names = tuple(sorted(sets))
    examples: list[Example] = []
    others: list[Example] = []
    left_out: dict[str, tuple[Judgement, ...]] = {}
    for number, name in enumerate(names):
        own = split(sets[name].judgements).training
        left_out[name] = tuple(j for j in own if is_in_fold(j.item, fold, folds))
        examples += _list_outside(number, own, fold, folds)
        if extra and name in extra:
            others += _list_outside(number, split(extra[name].judgements).training, fold, folds)
    judged = frozenset(
        (number, *j.pair) for number, name in enumerate(names) for j in sets[name].judgements
    )
    return TrainingPairs(names, tuple(examples), left_out, judged, tuple(others))


def _list_outside(
    number: int, judgements: Sequence[Judgement], fold: int, folds: int
) -> list[Example]:
    """List the judgements that say nothing about items of a fold."""
    items = {j.item for j in judgements if is_in_fold(j.item, fold, folds)}
    return [
        Example(number, j.item, j.other, j.degree)
        for j in judgements
        if not is_in_fold(j.item, fold, folds) and j.other not in items
    ]


def is_in_fold(item: str, fold: int, folds: int) -> bool:
    return int(compute_fraction(SALT, item) * folds) == fold


def count_batches(pairs: TrainingPairs, options: BatchOptions) -> int:
    """Count the batches of one pass over the judgements."""
    return -(-len(pairs.training) // (options.size - count_unrelated(options)))


def count_unrelated(options: BatchOptions) -> int:
    return round(options.size * options.unrelated)


def draw_batches(
    pairs: TrainingPairs, options: BatchOptions, number: int
) -> Iterator[list[Example]]:
    """Draw the batches of pass `number` over the judgements."""
    generator = np.random.default_rng((options.seed, number))
    ordered = _order(pairs, options, generator)
    extra = count_unrelated(options)
    step = options.size - extra
    mixed = {pairs.names.index(name) for name in UNRELATED_FIT_NOT if name in pairs.names}
    pools = {kind: [e for e in pairs.training if e.kind == kind] for kind in sorted(mixed)}
    pools = {kind: pool for kind, pool in pools.items() if len(pool) > 1}
    weights = np.array([len(pool) for pool in pools.values()], float)
    for start in range(0, len(ordered), step):
        batch = ordered[start : start + step]
        for _ in range(extra if pools else 0):
            kind = list(pools)[int(generator.choice(len(pools), p=weights / weights.sum()))]
            batch.append(_draw_unrelated(pools[kind], pairs.judged, generator))
        if pairs.extra:
            places = generator.integers(len(pairs.extra), size=options.extra)
            batch += [pairs.extra[place] for place in places]
        yield batch


def _order(
    pairs: TrainingPairs, options: BatchOptions, generator: np.random.Generator
) -> list[Example]:
    """Order examples: up to `OF_ONE_PURPOSE` of one purpose together, all else by chance."""
    groups: dict[tuple[int, str], list[Example]] = {}
    for place in generator.permutation(len(pairs.training)):
        example = pairs.training[place]
        groups.setdefault((example.kind, example.right), []).append(example)
    chunks = [
        group[start : start + OF_ONE_PURPOSE]
        for group in groups.values()
        for start in range(0, len(group), OF_ONE_PURPOSE)
    ]
    swapped = {pairs.names.index(name) for name in SWAPPED_SETS if name in pairs.names}
    ordered = [e for place in generator.permutation(len(chunks)) for e in chunks[place]]
    chances = generator.random(len(ordered))
    return [
        e._replace(left=e.right, right=e.left)
        if e.kind in swapped and chance < options.swapped
        else e
        for e, chance in zip(ordered, chances, strict=True)
    ]


def _draw_unrelated(
    pool: Sequence[Example], judged: frozenset[tuple[int, str, str]], generator: np.random.Generator
) -> Example:
    for _ in range(100):
        one, other = generator.integers(len(pool), size=2)
        found = Example(pool[one].kind, pool[one].left, pool[other].right, 0.0)
        if found.left != found.right and found[:3] not in judged:
            break
    return found
