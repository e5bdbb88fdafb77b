# SPDX-License-Identifier: Apache-2.0
"""Concepts in the order of their complexity, one for each value on the given states.

Two concepts that have the same objects in all states are taken for one: only the first is kept, and
only it becomes a part of others. A concept without any object in any state is not kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    ConceptExpression,
    NamedConcept,
    NotConcept,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.role_pool import RolePool
from fcp_ros.abstraction.features.state_batch import StateBatch, Words
from fcp_ros.abstraction.states.vocabulary import GOAL, StateVocabulary

_LARGEST_BATCH = 1024
"""Candidates that are computed at once."""


class PoolLimitReached(Exception):
    """A limit of the enumeration; the message is its name."""


class ConceptLevel:
    """The concepts of one complexity, which may still grow."""

    def __init__(self, batch: StateBatch) -> None:
        self.concepts: list[ConceptExpression] = []
        self._parts: list[Words] = []
        self._shape = (0, len(batch.states), batch.words)
        self._dtype = batch.dtype

    def append(self, concepts: Iterable[ConceptExpression], values: Words) -> None:
        """Add concepts and their values."""
        self.concepts.extend(concepts)
        self._parts.append(values)

    def divide(self, start: int = 0) -> Iterator[tuple[Sequence[ConceptExpression], Words]]:
        """Return concepts and values in parts that are computed at once."""
        for first in range(start, len(self.concepts), _LARGEST_BATCH):
            part = slice(first, first + _LARGEST_BATCH)
            yield self.concepts[part], self.values[part]

    @property
    def values(self) -> Words:
        """The values (concepts, states, words)."""
        if len(self._parts) != 1:
            self._parts = [np.concatenate([np.empty(self._shape, self._dtype), *self._parts])]
        return self._parts[0]


class ConceptPool:
    """Concepts by level of complexity."""

    def __init__(
        self,
        vocabulary: StateVocabulary,  # the names that concepts and roles are made of
        batch: StateBatch,
        check: Callable[[], None],
        most: int,
    ) -> None:
        self.batch = batch
        self._vocabulary = vocabulary
        self._check = check
        self._most = most
        self._seen = {np.zeros_like(batch.top).tobytes(), batch.top.tobytes()}
        first = ConceptLevel(batch)
        first.append([Top()], batch.top[None])
        self.levels = [first]  # concepts by complexity; the first has `top` alone
        self.role_pool = RolePool(vocabulary, batch, check)
        self.roles = self.role_pool.list_successor_roles()  # those that `some` and `all` look along

    def add_level(self) -> ConceptLevel:
        """Make all concepts of the next complexity.

        Raises PoolLimitReached if there are too many.
        """
        level = ConceptLevel(self.batch)
        self.levels.append(level)
        complexity = len(self.levels) - 1
        if complexity == 1:
            self._add_names(level)
        self._add_successors(level, complexity)
        self._add_same(level, complexity)
        self._add_intersections(level, complexity)
        self._add_complements(level, complexity)
        return level

    def _add_names(self, level: ConceptLevel) -> None:
        names = [NamedConcept(name) for name in self._vocabulary.concepts]
        if not names:
            return
        values = np.stack([self._read_concept(concept.name) for concept in names])
        self._offer(level, values, NamedConcept, self._vocabulary.concepts)
        place_of = {concept.name: place for place, concept in enumerate(names)}
        for goal, concept in enumerate(names):
            present = place_of.get(concept.name.removeprefix(GOAL), goal)
            if present != goal:
                missing = values[goal] & ~values[present]
                self._offer(
                    level, missing[None], AndConcept, [concept], [NotConcept(names[present])]
                )
        self._offer(level, self.batch.top & ~values, NotConcept, names)

    def _read_concept(self, name: str) -> Words:
        return self.batch.pack_concept(lambda state: state.concepts.get(name, 0))

    def _add_complements(self, level: ConceptLevel, complexity: int) -> None:
        if complexity > 1:
            for concepts, values in self.levels[complexity - 1].divide():
                kept = [place for place, part in enumerate(concepts) if not _is_literal(part)]
                parts = [concepts[place] for place in kept]
                self._offer(level, self.batch.top & ~values[kept], NotConcept, parts)

    def _add_successors(self, level: ConceptLevel, complexity: int) -> None:
        top = self.batch.top
        for role in self.roles:
            size = complexity - 1 - role.complexity
            if size < 0:
                continue
            for concepts, values in self.levels[size].divide():
                roles = [role.role] * len(concepts)
                some = self.batch.find_related(role.rows, values)
                self._offer(level, some, SomeConcept, roles, concepts)
                every = top & ~self.batch.find_related(role.rows, top & ~values)
                self._offer(level, every, AllConcept, roles, concepts)

    def _add_same(self, level: ConceptLevel, complexity: int) -> None:
        for one, other in itertools.combinations(self.roles, 2):
            if one.complexity + other.complexity == complexity - 1:
                value = self.batch.compare_rows(one.rows, other.rows)
                self._offer(level, value[None], SameConcept, [one.role], [other.role])

    def _add_intersections(self, level: ConceptLevel, complexity: int) -> None:
        for size in range(1, (complexity - 1) // 2 + 1):
            left, right = self.levels[size], self.levels[complexity - 1 - size]
            for place, concept in enumerate(left.concepts):
                # Each pair of concepts of one level only once.
                for concepts, values in right.divide(place + 1 if left is right else 0):
                    both = left.values[place] & values
                    self._offer(level, both, AndConcept, [concept] * len(concepts), concepts)

    def _offer(
        self,
        level: ConceptLevel,
        values: Words,  # (number, states, words)
        build: Callable[..., ConceptExpression],
        *parts: Sequence[Any],
    ) -> None:
        """Add the concepts whose values no other has had."""
        self._check()
        size, data, seen = self.batch.top.nbytes, values.tobytes(), self._seen
        kept = []
        for place in range(len(values)):
            key = data[place * size : (place + 1) * size]
            if key not in seen:
                seen.add(key)
                kept.append(place)
        if len(seen) > self._most:
            raise PoolLimitReached("concepts")
        if kept:
            concepts = [build(*(part[place] for part in parts)) for place in kept]
            level.append(concepts, values[kept])


def _is_literal(concept: ConceptExpression) -> bool:
    return isinstance(concept, NamedConcept) or (
        isinstance(concept, NotConcept) and isinstance(concept.concept, NamedConcept)
    )
