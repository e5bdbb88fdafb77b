# SPDX-License-Identifier: Apache-2.0
"""The roles that concepts and distances are made with: names and one constructor around them.

Of roles with the same pairs in all states, only the first is kept; one without any pair is not.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from fcp_ros.abstraction.features.expressions import (
    AndRole,
    ClosureRole,
    ConceptExpression,
    DifferenceRole,
    InverseRole,
    NamedRole,
    RestrictRole,
    RoleExpression,
    measure_complexity,
)
from fcp_ros.abstraction.features.state_batch import StateBatch, Words
from fcp_ros.abstraction.states.state import RelationalState
from fcp_ros.abstraction.states.vocabulary import StateVocabulary

_MOST_PAIRS = 60
"""Pairs of names of which intersection and difference are made, goal versions first."""


@dataclass(frozen=True, slots=True)
class PooledRole:
    """A role with its value."""

    role: RoleExpression
    rows: Words
    complexity: int


class RolePool:
    """The roles of a vocabulary on some states."""

    def __init__(
        self, vocabulary: StateVocabulary, batch: StateBatch, check: Callable[[], None]
    ) -> None:
        self._batch = batch
        self._check = check
        named = self._drop_repeated(self._read_names(vocabulary))
        closed = [
            _pool(ClosureRole(role.role), self._batch.close_role(role.rows)) for role in named
        ]
        # Of a transitive role, a distance is 1 or there is no way.
        self._stepwise = [
            role
            for role, closure in zip(named, closed, strict=True)
            if not np.array_equal(role.rows, closure.rows)
        ]
        self._roles = self._drop_repeated([*named, *_combine_pairs(named), *closed])

    def list_successor_roles(self) -> list[PooledRole]:
        """Return what `some` and `all` look along: all of them, and their inverses."""
        roles = self._drop_repeated([*self._roles, *self._invert(self._roles)])
        return sorted(roles, key=lambda role: role.complexity)

    def list_path_roles(
        self, concepts: Sequence[ConceptExpression], values: Words
    ) -> list[PooledRole]:
        """Return what distances are measured along: names, inverses, and their restrictions.

        `concepts`: what the objects on the way may be restricted to.
        """
        plain = self._drop_repeated([*self._stepwise, *self._invert(self._stepwise)])
        restricted = (
            _pool(RestrictRole(role.role, concept), self._batch.restrict_role(role.rows, value))
            for role in plain
            for concept, value in zip(concepts, values, strict=True)
        )
        return self._drop_repeated(itertools.chain(plain, restricted))

    def _read_names(self, vocabulary: StateVocabulary) -> Iterator[PooledRole]:
        for name in vocabulary.roles:
            yield _pool(NamedRole(name), self._batch.pack_role(partial(_read_rows, name)))

    def _invert(self, roles: Iterable[PooledRole]) -> Iterator[PooledRole]:
        for role in roles:
            yield _pool(InverseRole(role.role), self._batch.invert_role(role.rows))

    def _drop_repeated(self, roles: Iterable[PooledRole]) -> list[PooledRole]:
        seen: set[bytes] = set()
        kept = []
        for role in roles:
            self._check()
            key = role.rows.tobytes()
            if key not in seen and role.rows.any():
                seen.add(key)
                kept.append(role)
        return kept


def _combine_pairs(named: Sequence[PooledRole]) -> Iterator[PooledRole]:
    """Make difference and intersection of roles that share pairs of objects."""
    pairs = [
        (_pool(DifferenceRole(one.role, other.role), one.rows & ~other.rows), one, other)
        for one, other in itertools.permutations(named, 2)
        if (one.rows & other.rows).any()
    ]
    pairs.sort(key=lambda pair: pair[0].complexity)
    for difference, one, other in pairs[:_MOST_PAIRS]:
        yield difference
        yield _pool(AndRole(one.role, other.role), one.rows & other.rows)


def _read_rows(name: str, state: RelationalState) -> Sequence[int]:
    return state.roles.get(name) or [0] * len(state.objects)


def _pool(role: RoleExpression, rows: Words) -> PooledRole:
    return PooledRole(role, rows, measure_complexity(role))
