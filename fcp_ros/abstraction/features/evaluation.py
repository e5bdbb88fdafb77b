# SPDX-License-Identifier: Apache-2.0
"""Values of features at a state, computed again only as far as it changed.

A node is a value; the nodes that it is made of have smaller indexes. It is computed again if a name
that it reads has another version than at the last call, or if the value of a part is another one.

All expressions are compiled into one list of nodes, parts before wholes, in which equal
subexpressions are one node; `nodes` computes again what changed. Roles are hardly ever computed:
`some(R, C)` goes backward from C through R, whatever R is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from fcp_ros.abstraction.features.expressions import (
    AllConcept,
    AndConcept,
    AndRole,
    AnyFeature,
    ChainRole,
    ClosureRole,
    ConceptExpression,
    CountFeature,
    DifferenceRole,
    DistanceFeature,
    Feature,
    FlagFeature,
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
from fcp_ros.abstraction.states.state import RelationalState

Compute: TypeAlias = Callable[[RelationalState, list[Any]], Any]
"""Computes a node from the state and the values of all nodes."""


class NodeSource(NamedTuple):
    """The nodes that a value is computed from, and the names of the state that it reads."""

    parts: tuple[int, ...] = ()  # indexes of nodes
    names: frozenset[str] = frozenset()

    def join(self, *others: NodeSource) -> NodeSource:
        every = (self, *others)
        return NodeSource(
            tuple(part for source in every for part in source.parts),
            frozenset[str]().union(*(source.names for source in every)),
        )


class _Node(NamedTuple):
    """A value and its place; `parts` is a bitset of places."""

    place: int
    compute: Compute
    parts: int
    own: frozenset[str]  # the names that it reads itself
    names: frozenset[str]  # those that its parts read, too


class NodeTable:
    """Nodes, and their values in the state last seen."""

    def __init__(self) -> None:
        self._by_key: dict[object, int] = {}
        self._nodes: list[_Node] = []
        self._values: list[Any] = []
        self._versions: dict[str, Any] = {}
        self._plans: dict[int, list[tuple[_Node, bool]]] = {}
        self._watched: list[tuple[int, str]] = []
        self._objects: tuple[str, ...] | None = None

    def add(self, key: object, compute: Compute, source: NodeSource) -> int:
        """Add a node, unless there is one already; return its index."""
        index = self._by_key.get(key)
        if index is None:
            index = self._by_key[key] = len(self._nodes)
            parts = sum({1 << part for part in source.parts})
            names = source.names.union(*(self._nodes[part].names for part in source.parts))
            self._nodes.append(_Node(index, compute, parts, source.names, names))
            self._forget()
        return index

    def update(self, state: RelationalState) -> list[Any]:
        changed = 0
        versions, seen = state.versions, self._versions
        for bit, name in self._watched:
            version = versions.get(name)
            if version != seen[name]:
                seen[name] = version
                changed |= bit
        if state.objects is not self._objects:
            self._objects = state.objects
            values = self._values = [None] * len(self._nodes)
            for node in self._nodes:
                values[node.place] = node.compute(state, values)
        elif changed:
            self._recompute(state, changed)
        return self._values

    def _recompute(self, state: RelationalState, changed: int) -> None:
        plan = self._plans.get(changed)
        if plan is None:
            plan = self._plans[changed] = self._make_plan(changed)
        values = self._values
        dirty = 0
        for node, is_read in plan:
            if is_read or dirty & node.parts:
                value = node.compute(state, values)
                if value != values[node.place]:
                    values[node.place] = value
                    dirty |= 1 << node.place

    def _make_plan(self, changed: int) -> list[tuple[_Node, bool]]:
        """List the nodes that depend on changed names, and for each, if it reads one itself."""
        names = frozenset(name for bit, name in self._watched if bit & changed)
        return [
            (node, not names.isdisjoint(node.own))
            for node in self._nodes
            if not names.isdisjoint(node.names)
        ]

    def _forget(self) -> None:
        used = sorted(frozenset[str]().union(*(node.own for node in self._nodes)))
        self._watched = [(1 << place, name) for place, name in enumerate(used)]
        self._versions = dict.fromkeys(used)
        self._plans = {}
        self._objects = None


Step: TypeAlias = Callable[[RelationalState, list[Any], int], int]
"""Computes the objects that a role leads to from a set of objects (or backward)."""


Rows: TypeAlias = Callable[[RelationalState, list[Any]], Sequence[int]]
"""Returns the successors (or predecessors) of each object, as bitsets.

Those of a name are the state's own rows, which change in place: no node keeps them.
"""


class FeatureEvaluator:
    """Evaluates features, and any concept besides, with caches that outlive a step.

    A name that the state lacks is empty: the goal of this instance doesn't mention it. `features`:
    in the order of the values.
    """

    def __init__(self, features: Iterable[Feature]) -> None:
        self.features = tuple(features)
        self._nodes = NodeTable()
        self._roots = [_compile_feature(feature, self._nodes) for feature in self.features]
        self._concepts: dict[ConceptExpression, int] = {}

    def evaluate(self, state: RelationalState) -> tuple[int, ...]:
        values = self._nodes.update(state)
        return tuple([values[root] for root in self._roots])

    def evaluate_concept(self, concept: ConceptExpression, state: RelationalState) -> int:
        """Return the bitset of the objects in a concept; the first call compiles it."""
        index = self._concepts.get(concept)
        if index is None:
            index = self._concepts[concept] = _compile_concept(concept, self._nodes)
        value: int = self._nodes.update(state)[index]
        return value


def _compile_feature(feature: Feature, nodes: NodeTable) -> int:
    if isinstance(feature, FlagFeature):
        name = feature.name
        source = NodeSource(names=frozenset([name]))
        return nodes.add(feature, lambda state, _: int(state.flags.get(name, False)), source)
    if isinstance(feature, AnyFeature):
        part = _compile_concept(feature.concept, nodes)
        return nodes.add(feature, lambda _, v: int(v[part] != 0), NodeSource((part,)))
    if isinstance(feature, CountFeature):
        part = _compile_concept(feature.concept, nodes)
        return nodes.add(feature, lambda _, v: v[part].bit_count(), NodeSource((part,)))
    assert isinstance(feature, DistanceFeature)
    start = _compile_concept(feature.source, nodes)
    levels = _compile_levels(feature.role, feature.target, nodes)

    def measure(state: RelationalState, values: list[Any]) -> int:
        for steps, level in enumerate(values[levels]):
            if level & values[start]:
                return steps
        return len(state.objects)

    return nodes.add(feature, measure, NodeSource((start, levels)))


def _compile_levels(role: RoleExpression, target: ConceptExpression, nodes: NodeTable) -> int:
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

    return nodes.add(("levels", role, target), compute, source.join(NodeSource((goal,))))


def _compile_concept(concept: ConceptExpression, nodes: NodeTable) -> int:
    if isinstance(concept, SameConcept):
        return _compile_same(concept, nodes)
    if isinstance(concept, SomeConcept | AllConcept):
        return _compile_successors(concept, nodes)
    compute, source = _compile_set(concept, nodes)
    return nodes.add(concept, compute, source)


def _compile_set(
    concept: NamedConcept | Top | AndConcept | NotConcept, nodes: NodeTable
) -> tuple[Compute, NodeSource]:
    if isinstance(concept, NamedConcept):
        name = concept.name
        return lambda state, _: state.concepts.get(name, 0), NodeSource(names=frozenset([name]))
    if isinstance(concept, Top):
        return lambda state, _: (1 << len(state.objects)) - 1, NodeSource()
    if isinstance(concept, AndConcept):
        left, right = (_compile_concept(part, nodes) for part in (concept.left, concept.right))
        return lambda _, v: v[left] & v[right], NodeSource((left, right))
    top, part = _compile_concept(Top(), nodes), _compile_concept(concept.concept, nodes)
    return lambda _, v: v[top] & ~v[part], NodeSource((top, part))


def _compile_same(concept: SameConcept, nodes: NodeTable) -> int:
    one, one_source = _compile_rows(concept.left, nodes)
    other, other_source = _compile_rows(concept.right, nodes)

    def compute(state: RelationalState, values: list[Any]) -> int:
        rows = zip(one(state, values), other(state, values), strict=True)
        return _pack(["1" if a == b else "0" for a, b in rows])

    return nodes.add(concept, compute, one_source.join(other_source))


def _compile_successors(concept: SomeConcept | AllConcept, nodes: NodeTable) -> int:
    """Add the node of `some(R, C)`, or of `all(R, C)`, which is `not(some(R, not(C)))`."""
    is_all = isinstance(concept, AllConcept)
    top, part = _compile_concept(Top(), nodes), _compile_concept(concept.concept, nodes)
    step, source = _compile_step(concept.role, nodes, backward=True)

    def compute(state: RelationalState, values: list[Any]) -> int:
        if is_all:
            others: int = values[top] & ~step(state, values, values[top] & ~values[part])
            return others
        return step(state, values, values[part])

    return nodes.add(concept, compute, source.join(NodeSource((part, top))))


def _compile_step(
    role: RoleExpression, nodes: NodeTable, backward: bool
) -> tuple[Step, NodeSource]:
    """Make the function from a set of objects to those that the role leads to (or from)."""
    if isinstance(role, NamedRole):
        return _step_by_name(role.name, backward), NodeSource(names=frozenset([role.name]))
    if isinstance(role, InverseRole):
        return _compile_step(role.role, nodes, not backward)
    if isinstance(role, ClosureRole):
        step, source = _compile_step(role.role, nodes, backward)
        return partial(_repeat, step), source
    if isinstance(role, RestrictRole):
        step, source = _compile_step(role.role, nodes, backward)
        part = _compile_concept(role.concept, nodes)
        source = source.join(NodeSource((part,)))
        if backward:
            return lambda state, v, objects: step(state, v, objects & v[part]), source
        return lambda state, v, objects: step(state, v, objects) & v[part], source
    if isinstance(role, ChainRole):
        first, second = (role.right, role.left) if backward else (role.left, role.right)
        one, one_source = _compile_step(first, nodes, backward)
        two, two_source = _compile_step(second, nodes, backward)
        source = one_source.join(two_source)
        return lambda state, v, objects: two(state, v, one(state, v, objects)), source
    rows, source = _compile_rows(role, nodes)
    if backward:
        return lambda state, v, objects: _find_related(rows(state, v), objects), source
    return lambda state, v, objects: _join_rows(rows(state, v), objects), source


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


def _compile_rows(
    role: RoleExpression, nodes: NodeTable, backward: bool = False
) -> tuple[Rows, NodeSource]:
    """Make the function that returns the successors (or predecessors) of each object."""
    if isinstance(role, InverseRole):
        return _compile_rows(role.role, nodes, not backward)
    if isinstance(role, NamedRole):
        return _read_by_name(role.name, backward), NodeSource(names=frozenset([role.name]))
    if isinstance(role, AndRole | DifferenceRole):
        compute, source = _compile_pairs(role, nodes, backward)
    else:
        step, source = _compile_step(role, nodes, backward)

        def compute(state: RelationalState, values: list[Any]) -> list[int]:
            return [step(state, values, 1 << place) for place in range(len(state.objects))]

    index = nodes.add(("rows", role, backward), compute, source)
    return lambda _, values: values[index], NodeSource((index,))


def _compile_pairs(
    role: AndRole | DifferenceRole, nodes: NodeTable, backward: bool
) -> tuple[Compute, NodeSource]:
    """Make the rows of an intersection or a difference."""
    one, one_source = _compile_rows(role.left, nodes, backward)
    other, other_source = _compile_rows(role.right, nodes, backward)
    mask = -1 if isinstance(role, DifferenceRole) else 0  # complements the second row

    def compute(state: RelationalState, values: list[Any]) -> list[int]:
        rows = zip(one(state, values), other(state, values), strict=True)
        return [a & (b ^ mask) for a, b in rows]

    return compute, one_source.join(other_source)


def _read_by_name(name: str, backward: bool) -> Rows:
    def read(state: RelationalState, _: list[Any]) -> Sequence[int]:
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
    return _pack(["1" if row & objects else "0" for row in rows])


def _pack(digits: Sequence[str]) -> int:
    """Return the bitset whose bits are given as digits, the first object's first."""
    return int("".join(digits)[::-1] or "0", 2)
