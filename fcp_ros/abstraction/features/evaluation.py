# SPDX-License-Identifier: Apache-2.0
"""The values of features and concepts in a state, after each step only as far as it changed.

All expressions are compiled into one list of nodes, parts before wholes, in which equal
subexpressions are one node. A node is computed again if a name that it uses has another version
than at the last call, and then only if the value of a part is really another one. Roles are hardly
ever computed: `some(R, C)` goes backward from C through R, whatever R is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import and_, eq
from typing import Any, NamedTuple, TypeAlias

from fcp_ros.abstraction.features.expressions import (
    AndConcept,
    AndRole,
    ChainRole,
    ClosureRole,
    ConceptExpression,
    DifferenceRole,
    InverseRole,
    NamedConcept,
    NamedRole,
    NotConcept,
    RestrictRole,
    RoleExpression,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.feature import (
    AnyFeature,
    CountFeature,
    DistanceFeature,
    Feature,
    FlagFeature,
)
from fcp_ros.abstraction.states.state import RelationalState

Compute: TypeAlias = Callable[[RelationalState, list[Any]], Any]
"""Computes a node from the state and the values of all nodes."""
Step: TypeAlias = Callable[[RelationalState, list[Any], int], int]
"""Computes the objects that a role leads to from a set of objects (or backward)."""
Plan: TypeAlias = list[tuple[int, int, int, Compute]]
"""The nodes to compute again: index, its bit, parts of which one must have changed, computation."""
_EVERYTHING = 1
"""Stands for all names in a bitset of changed names: the state has other objects."""


class FeatureEvaluator:
    """Evaluates features, and any concept besides, with caches that outlive a step.

    A name that the state lacks is empty: the goal of this instance doesn't mention it.

    Args:
        features: in the order of the values.
    """

    def __init__(self, features: Iterable[Feature]) -> None:
        self.features = tuple(features)
        self._nodes = _Nodes()
        self._roots = [_compile_feature(feature, self._nodes) for feature in self.features]
        self._concepts: dict[ConceptExpression, int] = {}

    def evaluate(self, state: RelationalState) -> tuple[int, ...]:
        """Return the features' values."""
        values = self._nodes.update(state)
        return tuple([values[root] for root in self._roots])

    def evaluate_concept(self, concept: ConceptExpression, state: RelationalState) -> int:
        """Return the bitset of the objects in a concept; the first call compiles it."""
        index = self._concepts.get(concept)
        if index is None:
            index = self._concepts[concept] = _compile_concept(concept, self._nodes)
        value: int = self._nodes.update(state)[index]
        return value


class _Nodes:
    """The nodes of some expressions, and their values in the state last seen."""

    def __init__(self) -> None:
        self._by_key: dict[object, int] = {}
        self._computations: list[Compute] = []
        # By index: the nodes it is computed from, as a bitset of indexes; the names that it reads
        # itself; all names that its value depends on.
        self._parts: list[int] = []
        self._reads: list[frozenset[str]] = []
        self._names: list[frozenset[str]] = []
        self._values: list[Any] = []
        self._versions: dict[str, object] = {}
        self._plans: dict[int, Plan] = {}
        self._watched: list[tuple[int, str]] = []
        self._objects: tuple[str, ...] | None = None

    def add(self, key: object, compute: Compute, source: _Source) -> int:
        """Add a node, unless there is one already; return its index.

        Args:
            key: equal for equal nodes.
            compute: gives its value.
            source: what the value is computed from.
        """
        index = self._by_key.get(key)
        if index is None:
            index = self._by_key[key] = len(self._computations)
            self._computations.append(compute)
            self._parts.append(sum({1 << part for part in source.parts}))
            self._reads.append(source.names)
            self._names.append(source.names.union(*(self._names[part] for part in source.parts)))
            self._values.append(None)
            self._forget()
        return index

    def update(self, state: RelationalState) -> list[Any]:
        """Return the values of all nodes in a state."""
        changed = 0
        if state.objects is not self._objects:
            self._objects = state.objects
            changed = _EVERYTHING
        versions, seen = state.versions, self._versions
        for bit, name in self._watched:
            version = versions.get(name)
            if version != seen[name]:
                seen[name] = version
                changed |= bit
        if changed:
            self._compute(state, changed)
        return self._values

    def _compute(self, state: RelationalState, changed: int) -> None:
        key = _EVERYTHING if changed & _EVERYTHING else changed
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = self._make_plan(key)
        values = self._values
        dirty = 0
        for index, bit, parts, compute in plan:
            if not parts or dirty & parts:
                value = compute(state, values)
                # The rows of a role may be the state's own list, which changes in place.
                if value != values[index] or value.__class__ is list:
                    values[index] = value
                    dirty |= bit

    def _make_plan(self, changed: int) -> Plan:
        """List the nodes that depend on what changed; parts are 0 if a node reads it itself."""
        names = {name for bit, name in self._watched if bit & changed}
        plan = []
        for index, compute in enumerate(self._computations):
            if changed == _EVERYTHING or not names.isdisjoint(self._reads[index]):
                plan.append((index, 1 << index, 0, compute))
            elif not names.isdisjoint(self._names[index]):
                plan.append((index, 1 << index, self._parts[index], compute))
        return plan

    def _forget(self) -> None:
        """Compute everything at the next call."""
        used = sorted(frozenset[str]().union(*self._reads))
        self._watched = [(_EVERYTHING << 1 + place, name) for place, name in enumerate(used)]
        self._versions = dict.fromkeys(used)
        self._plans = {}
        self._objects = None


class _Source(NamedTuple):
    """The nodes that a value is computed from, and the names of the state that it reads."""

    parts: tuple[int, ...] = ()
    names: frozenset[str] = frozenset()

    def join(self, *others: _Source) -> _Source:
        """Return this and other sources together."""
        every = (self, *others)
        parts = tuple(part for source in every for part in source.parts)
        return _Source(parts, frozenset[str]().union(*(source.names for source in every)))


def _compile_feature(feature: Feature, nodes: _Nodes) -> int:
    if isinstance(feature, FlagFeature):
        name = feature.name
        source = _Source(names=frozenset([name]))
        return nodes.add(feature, lambda state, _: int(state.flags.get(name, False)), source)
    if isinstance(feature, AnyFeature):
        part = _compile_concept(feature.concept, nodes)
        return nodes.add(feature, lambda _, v: int(v[part] != 0), _Source((part,)))
    if isinstance(feature, CountFeature):
        part = _compile_concept(feature.concept, nodes)
        return nodes.add(feature, lambda _, v: v[part].bit_count(), _Source((part,)))
    assert isinstance(feature, DistanceFeature)
    start = _compile_concept(feature.source, nodes)
    levels = _compile_levels(feature.role, feature.target, nodes)

    def measure(state: RelationalState, values: list[Any]) -> int:
        for steps, level in enumerate(values[levels]):
            if level & values[start]:
                return steps
        return len(state.objects)

    return nodes.add(feature, measure, _Source((start, levels)))


def _compile_levels(role: RoleExpression, target: ConceptExpression, nodes: _Nodes) -> int:
    """Add a node for the sets of objects that are 0, 1, 2 ... steps away from a concept."""
    goal = _compile_concept(target, nodes)
    step, source = _compile_step(role, nodes, backward=True)

    def compute(state: RelationalState, values: list[Any]) -> tuple[int, ...]:
        level = near = values[goal]
        levels = []
        while level:
            levels.append(level)
            level = step(state, values, level) & ~near
            near |= level
        return tuple(levels)

    return nodes.add(("levels", role, target), compute, source.join(_Source((goal,))))


def _compile_concept(concept: ConceptExpression, nodes: _Nodes) -> int:
    compute, source = _compile_set(concept, nodes)
    return nodes.add(concept, compute, source)


def _compile_set(concept: ConceptExpression, nodes: _Nodes) -> tuple[Compute, _Source]:
    if isinstance(concept, NamedConcept):
        name = concept.name
        return lambda state, _: state.concepts.get(name, 0), _Source(names=frozenset([name]))
    if isinstance(concept, Top):
        return lambda state, _: (1 << len(state.objects)) - 1, _Source()
    if isinstance(concept, AndConcept):
        left, right = (_compile_concept(part, nodes) for part in (concept.left, concept.right))
        return lambda _, v: v[left] & v[right], _Source((left, right))
    top = _compile_concept(Top(), nodes)
    if isinstance(concept, NotConcept):
        part = _compile_concept(concept.concept, nodes)
        return lambda _, v: v[top] & ~v[part], _Source((top, part))
    if isinstance(concept, SameConcept):
        one, other = (_compile_rows(role, nodes) for role in (concept.left, concept.right))
        return lambda _, v: _pack(map(eq, v[one], v[other])), _Source((one, other))
    part = _compile_concept(concept.concept, nodes)
    step, source = _compile_step(concept.role, nodes, backward=True)
    source = source.join(_Source((part, top)))
    if isinstance(concept, SomeConcept):
        return lambda state, v: step(state, v, v[part]), source
    return lambda state, v: v[top] & ~step(state, v, v[top] & ~v[part]), source


def _compile_step(role: RoleExpression, nodes: _Nodes, backward: bool) -> tuple[Step, _Source]:
    """Make the function from a set of objects to those that the role leads to (or from)."""
    if isinstance(role, NamedRole):
        return _step_by_name(role.name, backward), _Source(names=frozenset([role.name]))
    if isinstance(role, InverseRole):
        return _compile_step(role.role, nodes, not backward)
    if isinstance(role, ClosureRole):
        step, source = _compile_step(role.role, nodes, backward)
        return partial(_repeat, step), source
    if isinstance(role, RestrictRole):
        step, source = _compile_step(role.role, nodes, backward)
        part = _compile_concept(role.concept, nodes)
        source = source.join(_Source((part,)))
        if backward:
            return lambda state, v, objects: step(state, v, objects & v[part]), source
        return lambda state, v, objects: step(state, v, objects) & v[part], source
    if isinstance(role, ChainRole):
        first, second = (role.right, role.left) if backward else (role.left, role.right)
        one, one_source = _compile_step(first, nodes, backward)
        two, two_source = _compile_step(second, nodes, backward)
        source = one_source.join(two_source)
        return lambda state, v, objects: two(state, v, one(state, v, objects)), source
    rows = _compile_rows(role, nodes)
    if backward:
        return lambda _, v, objects: _find_related(v[rows], objects), _Source((rows,))
    return lambda _, v, objects: _join_rows(v[rows], objects), _Source((rows,))


def _step_by_name(name: str, backward: bool) -> Step:
    def step(state: RelationalState, _: list[Any], objects: int) -> int:
        if name not in state.roles:
            return 0
        rows, columns = state.roles[name], state.inverses[name]
        origins, ends = state.sources[name], state.targets[name]
        if backward:
            rows, columns, origins, ends = columns, rows, ends, origins
        objects &= origins
        if objects == origins:
            return ends
        # A row for each object of the set, or a test of each object that a row can lead to.
        if objects.bit_count() <= ends.bit_count():
            return _join_rows(rows, objects)
        return _keep_related(columns, ends, objects)

    return step


def _repeat(step: Step, state: RelationalState, values: list[Any], objects: int) -> int:
    """Take a step, and all further ones."""
    reached = last = step(state, values, objects)
    while last:
        last = step(state, values, last) & ~reached
        reached |= last
    return reached


def _compile_rows(role: RoleExpression, nodes: _Nodes, backward: bool = False) -> int:
    """Add a node for the successors (or predecessors) of each object: a list of bitsets."""
    if isinstance(role, InverseRole):
        return _compile_rows(role.role, nodes, not backward)
    compute, source = _compile_table(role, nodes, backward)
    return nodes.add(("rows", role, backward), compute, source)


def _compile_table(role: RoleExpression, nodes: _Nodes, backward: bool) -> tuple[Compute, _Source]:
    if isinstance(role, NamedRole):
        return _read_by_name(role.name, backward), _Source(names=frozenset([role.name]))
    if isinstance(role, AndRole | DifferenceRole):
        one, other = (_compile_rows(part, nodes, backward) for part in (role.left, role.right))
        source = _Source((one, other))
        if isinstance(role, AndRole):
            return lambda _, v: list(map(and_, v[one], v[other])), source
        return lambda _, v: [a and a & ~b for a, b in zip(v[one], v[other], strict=True)], source
    step, source = _compile_step(role, nodes, backward)
    return (
        lambda state, v: [step(state, v, 1 << place) for place in range(len(state.objects))],
        source,
    )


def _read_by_name(name: str, backward: bool) -> Compute:
    def read(state: RelationalState, _: list[Any]) -> list[int]:
        tables = state.inverses if backward else state.roles
        return tables[name] if name in tables else [0] * len(state.objects)

    return read


def _join_rows(rows: Sequence[int], objects: int) -> int:
    """Return the union of the rows of some objects."""
    result = 0
    while objects:
        lowest = objects & -objects
        result |= rows[lowest.bit_length() - 1]
        objects ^= lowest
    return result


def _keep_related(rows: Sequence[int], candidates: int, objects: int) -> int:
    """Return those of some objects whose row has one of other objects."""
    result = 0
    while candidates:
        lowest = candidates & -candidates
        if rows[lowest.bit_length() - 1] & objects:
            result |= lowest
        candidates ^= lowest
    return result


def _find_related(rows: Sequence[int], objects: int) -> int:
    """Return the objects whose row has one of some objects."""
    return _pack([row & objects for row in rows])


def _pack(truths: Iterable[object]) -> int:
    """Return the bitset of the places of true values."""
    digits = ["1" if truth else "0" for truth in truths]
    return int("0" + "".join(reversed(digits)), 2)
