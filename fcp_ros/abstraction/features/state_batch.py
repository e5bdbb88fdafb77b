# SPDX-License-Identifier: Apache-2.0
"""The concepts and roles of a pool over many states at once, as arrays of bitsets.

A concept is an array (states, words); a role is an array (states, objects, words) with the
successors of each object. A word is the smallest integer that holds the objects of each state, or
64 bits if there are more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
from fcp_ros.abstraction.states.state import RelationalState, StateVocabulary
from fcp_ros.foundation.stopping import Check

Words: TypeAlias = NDArray[np.unsignedinteger]
"""Bitsets."""
_WORD_SIZES = (8, 16, 32, 64)
_LARGEST_CHUNK = 1 << 21
"""Bytes of an intermediate result: it stays in the cache."""
_BITS_OF_BYTE = np.array([byte.bit_count() for byte in range(256)], np.uint8)


class StateBatch:
    """The layout of concepts and roles over some states. `states`: at least one."""

    def __init__(self, states: Sequence[RelationalState]) -> None:
        self.states = tuple(states)  # in their order
        self.size = max(1, *(len(state.objects) for state in states))
        self.sizes = np.array([len(state.objects) for state in states], np.int32)
        bits = next((bits for bits in _WORD_SIZES if bits >= self.size), 64)
        self.dtype = np.dtype(f"<u{bits // 8}")
        self.words = -(-self.size // bits)  # number of words for a set of objects
        self._bytes = self.words * bits // 8
        self.top = self.pack_concept(lambda state: (1 << len(state.objects)) - 1)

    def pack_concept(self, read: Callable[[RelationalState], int]) -> Words:
        """Return the concept that a function gives for each state."""
        return self.pack_sets([read(state) for state in self.states])

    def pack_sets(self, sets: Sequence[int]) -> Words:
        """Return bitsets of objects as words (sets, words)."""
        data = b"".join([bits.to_bytes(self._bytes, "little") for bits in sets])
        return np.frombuffer(data, self.dtype).reshape(len(sets), self.words)

    def pack_role(self, read: Callable[[RelationalState], Sequence[int]]) -> Words:
        """Return the role whose rows a function gives for each state."""
        size = self._bytes
        parts: list[bytes] = []
        # States of one instance share the rows of what no rule changes.
        packed: dict[int, tuple[Sequence[int], bytes]] = {}
        for state in self.states:
            rows = read(state)
            if id(rows) not in packed:
                data = b"".join([row.to_bytes(size, "little") for row in rows])
                packed[id(rows)] = (rows, data.ljust(size * self.size, b"\0"))
            parts.append(packed[id(rows)][1])
        shape = (len(self.states), self.size, self.words)
        return np.frombuffer(b"".join(parts), self.dtype).reshape(shape)

    def unpack_concept(self, concept: Words) -> list[int]:
        data, size = concept.tobytes(), self._bytes
        starts = range(0, len(data), size)
        return [int.from_bytes(data[start : start + size], "little") for start in starts]

    def find_related(self, role: Words, concepts: Words) -> Words:
        """Return `some(R, C)` for each concept: the objects with a successor in it.

        `concepts`: (number, states, words).
        """
        result = np.empty_like(concepts)
        chunk = max(1, _LARGEST_CHUNK // role.nbytes)
        for start in range(0, len(concepts), chunk):
            part = concepts[start : start + chunk, :, None, :]
            met = part[..., 0] & role[..., 0]
            for word in range(1, self.words):
                met |= part[..., word] & role[..., word]
            result[start : start + chunk] = self.pack_truths(met != 0)
        return result

    def pack_truths(self, truths: NDArray[np.bool_]) -> Words:
        """Return the bitsets of the objects (last axis) for which an array is true."""
        # Whole bytes can be packed as one long line, which is several times as fast.
        padded = np.zeros((*truths.shape[:-1], self._bytes * 8), np.bool_)
        padded[..., : truths.shape[-1]] = truths
        packed = np.packbits(padded.reshape(-1), bitorder="little")
        return packed.view(self.dtype).reshape(*truths.shape[:-1], self.words)

    def unpack_truths(self, sets: Words) -> NDArray[np.bool_]:
        """Return for each object (last axis) whether it is in a set."""
        data = np.ascontiguousarray(sets).view(np.uint8)
        return np.unpackbits(data, axis=-1, count=self.size, bitorder="little").view(np.bool_)

    def count_members(self, concepts: Words) -> NDArray[np.int32]:
        data = np.ascontiguousarray(concepts).view(np.uint8)
        counts: NDArray[np.int32] = _BITS_OF_BYTE[data].sum(axis=-1, dtype=np.int32)
        return counts

    def invert_role(self, role: Words) -> Words:
        """Return the pairs of a role in the opposite order."""
        return self.pack_truths(self.unpack_truths(role).swapaxes(-1, -2))

    def close_role(self, role: Words) -> Words:
        """Return the transitive closure of a role."""
        rows: Words = role.copy()
        for place in range(self.size):
            word, bit = divmod(place, self.dtype.itemsize * 8)
            one = self.dtype.type(1)
            leads = rows[:, :, word] >> self.dtype.type(bit) & one
            rows |= rows[:, place, None, :] * leads[:, :, None]
        return rows

    def restrict_role(self, role: Words, concept: Words) -> Words:
        """Return the pairs of a role whose second object is in a concept."""
        rows: Words = role & concept[:, None, :]
        return rows

    def compare_rows(self, left: Words, right: Words) -> Words:
        """Return `same(R, S)`: the objects with equal rows."""
        same: Words = self.pack_truths((left == right).all(axis=-1)) & self.top
        return same

    def measure_steps(self, source: Words, role: Words) -> NDArray[np.int32]:
        """Return for each state and object the least number of steps from a concept.

        Where there is no way, that is the number of objects of the state. `role`: the predecessors
        of each object, which is the inverse of where the steps lead.
        """
        steps = np.repeat(self.sizes[:, None], self.size, axis=1)
        level = reached = source
        for number in range(self.size):
            if not level.any():
                break
            steps[self.unpack_truths(level)] = number
            level = self.find_related(role, level[None])[0] & ~reached
            reached = reached | level
        return steps

    def find_nearest(self, steps: NDArray[np.int32], concepts: Words) -> NDArray[np.int32]:
        """Return the least number of steps by concept and state.

        `concepts`: (number, states, words).
        """
        result = np.empty(concepts.shape[:2], np.int32)
        chunk = max(1, _LARGEST_CHUNK // steps.nbytes)
        for start in range(0, len(concepts), chunk):
            members = self.unpack_truths(concepts[start : start + chunk])
            result[start : start + chunk] = np.where(members, steps, self.sizes[:, None]).min(
                axis=-1
            )
        return result


# --- the roles that concepts and distances are made with: names and one constructor around them
#
# Of roles with the same pairs in all states, only the first is kept; one without any pair is not.


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

    def __init__(self, vocabulary: StateVocabulary, batch: StateBatch, check: Check) -> None:
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
