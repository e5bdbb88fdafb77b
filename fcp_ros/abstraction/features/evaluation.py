# SPDX-License-Identifier: Apache-2.0
"""The values of features and concepts in a state, after each step only as far as it changed.

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
from fcp_ros.abstraction.features.nodes import Compute, NodeSource, NodeTable
from fcp_ros.abstraction.states.state import RelationalState

Step: TypeAlias = Callable[[RelationalState, list[Any], int], int]
"""Computes the objects that a role leads to from a set of objects (or backward)."""


class _Table(NamedTuple):
    """The rows of a role: the node that stands for them, and a function that returns them.

    Rows of a name are those of the state itself. No node keeps them: another state with the same
    version of the name has a list of its own, and this one may have changed.
    """

    node: int
    read: Callable[[RelationalState, list[Any]], Sequence[int]]


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
    one, other = (_compile_rows(role, nodes) for role in (concept.left, concept.right))

    def compute(state: RelationalState, values: list[Any]) -> int:
        rows = zip(one.read(state, values), other.read(state, values), strict=True)
        return _pack(["1" if a == b else "0" for a, b in rows])

    def revise(state: RelationalState, values: list[Any], old: int, places: Iterable[int]) -> int:
        left, right = one.read(state, values), other.read(state, values)
        for place in places:
            old = _set_bit(old, place, left[place] == right[place])
        return old

    return nodes.add(concept, compute, NodeSource(tables=(one.node, other.node)), revise)


def _compile_successors(concept: SomeConcept | AllConcept, nodes: NodeTable) -> int:
    """Add the node of `some(R, C)`, or of `all(R, C)`, which is `not(some(R, not(C)))`."""
    is_all = isinstance(concept, AllConcept)
    top, part = _compile_concept(Top(), nodes), _compile_concept(concept.concept, nodes)
    step, source = _compile_step(concept.role, nodes, backward=True)
    ends = NodeSource((part, top))

    def compute(state: RelationalState, values: list[Any]) -> int:
        if is_all:
            others: int = values[top] & ~step(state, values, values[top] & ~values[part])
            return others
        return step(state, values, values[part])

    if not _is_tabular(concept.role):
        return nodes.add(concept, compute, source.join(ends))
    table = _compile_rows(concept.role, nodes)

    def revise(state: RelationalState, values: list[Any], old: int, places: Iterable[int]) -> int:
        rows = table.read(state, values)
        objects = values[top] & ~values[part] if is_all else values[part]
        for place in places:
            old = _set_bit(old, place, (rows[place] & objects != 0) != is_all)
        return old

    return nodes.add(concept, compute, ends.join(NodeSource(tables=(table.node,))), revise)


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
    table = _compile_rows(role, nodes)
    source = NodeSource((table.node,))
    if backward:
        return lambda state, v, objects: _find_related(table.read(state, v), objects), source
    return lambda state, v, objects: _join_rows(table.read(state, v), objects), source


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


def _is_tabular(role: RoleExpression) -> bool:
    """Return True if each row of a role depends on the same row of names, or of inverses, only."""
    if isinstance(role, InverseRole):
        return _is_tabular(role.role)
    return isinstance(role, NamedRole | AndRole | DifferenceRole)


def _compile_rows(role: RoleExpression, nodes: NodeTable, backward: bool = False) -> _Table:
    """Return the successors (or predecessors) of each object: a list of bitsets."""
    if isinstance(role, InverseRole):
        return _compile_rows(role.role, nodes, not backward)
    if isinstance(role, NamedRole):
        return _read_by_name(role.name, nodes, backward)
    if isinstance(role, AndRole | DifferenceRole):
        return _compile_pairs(role, nodes, backward)
    step, source = _compile_step(role, nodes, backward)

    def compute(state: RelationalState, values: list[Any]) -> list[int]:
        return [step(state, values, 1 << place) for place in range(len(state.objects))]

    return _read_node(nodes.add(("rows", role, backward), compute, source))


def _compile_pairs(role: AndRole | DifferenceRole, nodes: NodeTable, backward: bool) -> _Table:
    """Add a node for the rows of an intersection or a difference."""
    one, other = (_compile_rows(part, nodes, backward) for part in (role.left, role.right))
    mask = -1 if isinstance(role, DifferenceRole) else 0  # complements the second row

    def compute(state: RelationalState, values: list[Any]) -> list[int]:
        rows = zip(one.read(state, values), other.read(state, values), strict=True)
        return [a & (b ^ mask) for a, b in rows]

    def revise(
        state: RelationalState, values: list[Any], old: list[int], places: Iterable[int]
    ) -> list[int]:
        left, right = one.read(state, values), other.read(state, values)
        for place in places:
            old[place] = left[place] & (right[place] ^ mask)
        return old

    source = NodeSource(tables=(one.node, other.node))
    return _read_node(nodes.add(("rows", role, backward), compute, source, revise))


def _read_node(index: int) -> _Table:
    return _Table(index, lambda _, values: values[index])


def _read_by_name(name: str, nodes: NodeTable, backward: bool) -> _Table:
    def read(state: RelationalState, _: list[Any]) -> Sequence[int]:
        tables = state.inverses if backward else state.roles
        return tables[name] if name in tables else [0] * len(state.objects)

    return _Table(nodes.add_role(name, backward), read)


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


def _set_bit(bits: int, place: int, value: bool) -> int:
    return bits | 1 << place if value else bits & ~(1 << place)
