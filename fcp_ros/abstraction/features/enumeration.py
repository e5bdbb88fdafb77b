# SPDX-License-Identifier: Apache-2.0
"""The features of a vocabulary that tell given states apart, simplest first.

Of features with the same value in every state only the simplest is listed, and of a truth value and
its negation only one. Features that can't change within an instance are left out: those without a
name that some rule changes, and those with one value in all states.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    AnyFeature,
    ConceptExpression,
    CountFeature,
    DistanceFeature,
    Feature,
    FlagFeature,
    NamedConcept,
    NotConcept,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.state_batch import PooledRole, RolePool, StateBatch, Words
from fcp_ros.abstraction.states.state import GOAL, RelationalState, StateVocabulary
from fcp_ros.foundation.stopping import Check, never_stop

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
        check: Check,
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


_MOST_PART = 4
"""Largest complexity of the concepts and the role of a distance."""
_MOST_WAYS = 200
"""Pairs of a concept and a role whose distances are measured; bounds the memory."""


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Bounds of an enumeration."""

    max_complexity: int = 9
    max_features: int = 20_000
    max_concepts: int = 50_000  # number of concepts that they are made of; bounds the memory
    time_limit: float = 20.0  # in seconds of the processor


@dataclass(frozen=True, slots=True)
class FeaturePool:
    """Features by increasing complexity, with their values."""

    features: tuple[Feature, ...]  # pairwise different on the states
    values: NDArray[np.int32]
    # by increasing complexity; pairwise different on the states, too
    concepts: tuple[ConceptExpression, ...]
    complete_to: int  # all features up to this complexity are listed
    # the limit that ended the enumeration before `max_complexity`: "time", "features" or
    # "concepts"; empty if none did
    stopped_by: str
    batch: StateBatch
    members: Words  # of the concepts, as `batch.unpack_concept` reads them

    def list_members(self, place: int) -> list[int]:
        """Return the bitset of a concept in each state.

        `place`: of the concept among `concepts`.
        """
        return self.batch.unpack_concept(self.members[place])


def enumerate_features(
    # the names that features may use; a name that a state lacks is empty there
    vocabulary: StateVocabulary,
    states: Sequence[RelationalState],  # at least one, of any instances
    # how far. At the limit of features the last complexity is cut; at another limit it is left out
    # as a whole.
    limits: PoolLimits | None = None,
    check: Check = never_stop,
) -> FeaturePool:
    limits = limits or PoolLimits()
    deadline = time.process_time() + limits.time_limit

    def check_all() -> None:
        check()
        if time.process_time() > deadline:
            raise PoolLimitReached("time")

    return _Enumeration(vocabulary, states, limits, check_all).run()


class _Enumeration:
    """One enumeration; see `enumerate_features`."""

    def __init__(
        self,
        vocabulary: StateVocabulary,
        states: Sequence[RelationalState],
        limits: PoolLimits,
        check: Check,
    ) -> None:
        self._vocabulary = vocabulary
        self._limits = limits
        self._check = check
        self._batch = StateBatch(states)
        self._features: list[Feature] = []
        self._values: list[NDArray[np.int32]] = []
        # A distance without any way in all states.
        self._seen = {self._batch.sizes.tobytes()}

    def run(self) -> FeaturePool:
        """Enumerate one complexity after the other."""
        levels: list[ConceptLevel] = []
        complete, stopped_by, kept = 0, "", 0
        try:
            concepts = ConceptPool(
                self._vocabulary, self._batch, self._check, self._limits.max_concepts
            )
            distances = _Distances(concepts, self._check)
            self._add_flags()
            complete, kept = 1, len(self._features)
            for complexity in range(2, self._limits.max_complexity + 1):
                level = concepts.add_level()
                self._add_level(level)
                for features, values in distances.measure(complexity):
                    self._offer(features, values)
                levels.append(level)
                complete, kept = complexity, len(self._features)
        except PoolLimitReached as reached:
            stopped_by = str(reached)
        return self._finish(levels, complete, kept, stopped_by)

    def _finish(
        self, levels: Sequence[ConceptLevel], complete: int, kept: int, stopped_by: str
    ) -> FeaturePool:
        """Build the pool of what is complete; only the limit of features cuts a complexity."""
        if stopped_by == "features":
            kept = len(self._features)
        values = np.array(self._values[:kept], np.int32).reshape(kept, len(self._batch.states))
        empty = np.empty((0, len(self._batch.states), self._batch.words), self._batch.dtype)
        return FeaturePool(
            features=tuple(self._features[:kept]),
            values=np.ascontiguousarray(values.T),
            concepts=tuple(concept for level in levels for concept in level.concepts),
            complete_to=complete,
            stopped_by=stopped_by,
            batch=self._batch,
            members=np.concatenate([empty, *(level.values for level in levels)]),
        )

    def _add_flags(self) -> None:
        flags = [FlagFeature(name) for name in self._vocabulary.flags]
        states = self._batch.states
        values = [[state.flags.get(flag.name, False) for state in states] for flag in flags]
        self._offer(flags, np.array(values, np.int32).reshape(len(flags), len(states)))

    def _add_level(self, level: ConceptLevel) -> None:
        """Add `any` and `count` of concepts; a count of at most one is no better than `any`."""
        counts = self._batch.count_members(level.values)
        concepts = level.concepts
        self._offer([AnyFeature(concept) for concept in concepts], np.minimum(counts, 1))
        many = np.flatnonzero(counts.max(axis=1, initial=0) > 1)
        self._offer([CountFeature(concepts[place]) for place in many.tolist()], counts[many])

    def _offer(self, features: Sequence[Feature], values: NDArray[np.int32]) -> None:
        """Add features whose values are new and that can change within an instance."""
        fluent = self._vocabulary.fluent
        for place in np.flatnonzero((values != values[:, :1]).any(axis=1)).tolist():
            row, feature = values[place], features[place]
            # The same key for a truth value, its negation, and a distance that is 0 or 1.
            key = (row ^ row[0] if row.max() <= 1 else row).tobytes()
            if key in self._seen or fluent.isdisjoint(feature.names):
                continue
            self._seen.add(key)
            self._features.append(feature)
            self._values.append(row)
            if len(self._features) >= self._limits.max_features:
                raise PoolLimitReached("features")


class _Distances:
    """The distances from concepts with at most one object in every state.

    A distance to a single object from several is that of the inverse role.
    """

    def __init__(self, concepts: ConceptPool, check: Check) -> None:
        self._concepts = concepts
        self._batch = concepts.batch
        self._check = check
        self._roles: list[PooledRole] = []
        self._steps: list[tuple[ConceptExpression, PooledRole, int, NDArray[np.int32]]] = []

    def measure(self, complexity: int) -> Iterator[tuple[list[Feature], NDArray[np.int32]]]:
        """Measure the distances of one complexity, for which all its parts exist already."""
        size = complexity - 1  # of the concepts that were added last
        if size == 1:
            level = self._concepts.levels[1]
            self._roles = self._concepts.role_pool.list_path_roles(level.concepts, level.values)
        if size <= _MOST_PART:
            self._add_sources(size)
        for source, role, part, steps in self._steps:
            target = complexity - 1 - part
            if 1 <= target <= _MOST_PART:
                self._check()
                level = self._concepts.levels[target]
                features: list[Feature] = [
                    DistanceFeature(source, role.role, concept) for concept in level.concepts
                ]
                yield features, self._batch.find_nearest(steps, level.values)

    def _add_sources(self, size: int) -> None:
        level = self._concepts.levels[size]
        single = self._batch.count_members(level.values).max(axis=(1), initial=0) == 1
        for place in np.flatnonzero(single).tolist():
            for role in self._roles:
                if len(self._steps) >= _MOST_WAYS:
                    return
                self._check()
                inverse = self._batch.invert_role(role.rows)
                steps = self._batch.measure_steps(level.values[place], inverse)
                part = size + role.complexity
                self._steps.append((level.concepts[place], role, part, steps))
