# SPDX-License-Identifier: Apache-2.0
"""An instance as a state of bitsets, and a conjunctive goal as facts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from fcp_ros.abstraction.states.state import (
    GOAL,
    OBJECT,
    ONLY,
    RelationalState,
    RelationForm,
    find_world,
    gather_bits,
    list_changed_relations,
    list_constants,
    list_forms,
    list_plain_types,
    list_truth_attributes,
    pair_legs,
    read_vocabulary,
)
from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import is_a, name_of
from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    TypedVariable,
    free_variables,
    to_text,
)
from fcp_ros.domain.model import IS_A, SAME, Domain

GoalAtoms = tuple[Fact, ...]
"""The facts that a goal asks for, all of them."""

MAX_BINDINGS = 1_000_000
"""Quantifiers over more combinations of elements are refused; a million takes some seconds."""

Binding = Mapping[str, str]
_Demand = bool | dict[Fact, None]
"""True or false for good, or facts that are to hold."""


class UnsupportedGoal(ValueError):
    """A goal that is no conjunction of facts; the message says which part."""


class GoalTest:
    """The facts of a goal, tested in states that have the same elements as a given one."""

    def __init__(
        self, forms: Mapping[str, RelationForm], goal: GoalAtoms, state: RelationalState
    ) -> None:
        positions = state.positions
        self.facts = tuple(
            (form, tuple([positions[fact.arguments[place]] for place in form.positions]))
            for fact in goal
            for form in (forms[fact.relation],)
        )

    def holds(self, state: RelationalState) -> bool:
        return all(state.holds(form, legs) for form, legs in self.facts)


def list_goal_atoms(goal: Expression, instance: Instance, domain: Domain) -> GoalAtoms:
    """Work out the facts that a goal asks for.

    `forall ?c: cup (not dirty(?c) or inside(?c, dishwasher_1))` asks for one fact for each dirty
    cup, if no rule changes `dirty`. Where a rule does, write `initially (dirty(?c))`: conditions
    are read in the initial state only if they say so. `exists`, and variables that no quantifier
    binds, are allowed where only one choice is left. Raises UnsupportedGoal if the goal leaves a
    choice, asks for the absence of something that rules change, has degrees, counts or constraints
    on the way, or can never hold.
    """
    free = free_variables(goal)
    if free:
        types = infer_types(goal, domain)
        everything = [type_ for type_, parents in domain.schema.types.items() if not parents]
        if not all(name in types for name in free) and len(everything) != 1:
            raise UnsupportedGoal(f"give {free[0]!r} a type: exists ?{free[0]}: TYPE (...)")
        declared = (TypedVariable(name, types.get(name, everything[0])) for name in free)
        goal = Exists(tuple(declared), goal)
    changed = list_changed_relations(domain.rules.values())
    demand = _GoalReader(domain, instance, changed).read(goal, {})
    if demand is False:
        raise UnsupportedGoal("the goal can never hold: no rule changes what it asks for")
    return () if demand is True else tuple(demand)


class _GoalReader:
    def __init__(self, domain: Domain, instance: Instance, changed: frozenset[str]) -> None:
        """Read goals of a domain; facts of relations that are not `changed` are decided."""
        self._domain, self._instance, self._changed = domain, instance, changed

    def read(self, goal: Expression, binding: Binding) -> _Demand:
        """Work out one part of the goal."""
        if isinstance(goal, Atom):
            return self._read_atom(goal, binding)
        if isinstance(goal, Initially):
            # Nothing changes in one state: all is decided.
            return _GoalReader(self._domain, self._instance, frozenset()).read(goal.body, binding)
        if isinstance(goal, Not):
            demand = self.read(goal.body, binding)
            if isinstance(demand, bool):
                return not demand
            raise UnsupportedGoal(f"{to_text(goal)} asks for the absence of what rules change")
        if isinstance(goal, And):
            return _join(partial(self.read, part, binding) for part in goal.parts)
        if isinstance(goal, Or):
            return _choose(goal, (partial(self.read, part, binding) for part in goal.parts))
        if isinstance(goal, (Forall, Exists)):
            body, inner = goal.body, self._list_bindings(goal, binding)
            readings = (partial(self.read, body, bound) for bound in inner)
            return _join(readings) if isinstance(goal, Forall) else _choose(goal, readings)
        raise UnsupportedGoal(f"{to_text(goal)} is no condition on the end state alone")

    def _read_atom(self, atom: Atom, binding: Binding) -> _Demand:
        instance = self._instance
        names = tuple([name_of(term, binding) for term in atom.arguments])
        if atom.predicate == IS_A and not instance.schema.has_relation(IS_A):
            return is_a(instance, instance.id_of(names[0]), names[1])
        if not instance.schema.has_relation(atom.predicate):
            if atom.predicate == SAME:
                return names[0] == names[1]
            raise UnsupportedGoal(f"{atom.predicate!r} has degrees; policies know facts only")
        if atom.predicate in self._changed:
            return {Fact(atom.predicate, names): None}
        legs = tuple([instance.id_of(name) for name in names])
        return instance.find_tuple(atom.predicate, legs) is not None

    def _list_bindings(self, goal: Forall | Exists, binding: Binding) -> Iterator[Binding]:
        instance = self._instance
        ranges: Sequence[Sequence[int]] = [instance.elements(v.type) for v in goal.variables]
        if math.prod(map(len, ranges)) > MAX_BINDINGS:
            raise UnsupportedGoal(f"{to_text(goal)} is about too many combinations of elements")
        names = [variable.name for variable in goal.variables]
        for chosen in itertools.product(*ranges):
            elements = map(instance.name_of, chosen)
            yield {**binding, **dict(zip(names, elements, strict=True))}


def _join(readings: Iterable[Callable[[], _Demand]]) -> _Demand:
    facts: dict[Fact, None] = {}
    for read in readings:
        demand = read()
        if demand is False:
            return False
        if demand is not True:
            facts.update(demand)
    return facts or True


def _choose(goal: Expression, readings: Iterable[Callable[[], _Demand]]) -> _Demand:
    """Demand the only part that can hold; a part that can't be read matters if no other holds."""
    left: list[dict[Fact, None]] = []
    refused: UnsupportedGoal | None = None
    for read in readings:
        try:
            demand = read()
        except UnsupportedGoal as error:
            refused = refused or error
            continue
        if demand is True:
            return True
        if demand is not False and demand not in left:
            left.append(demand)
    if refused is not None:
        raise refused
    if len(left) > 1:
        raise UnsupportedGoal(f"{to_text(goal)} leaves a choice")
    return left[0] if left else False


# --- an instance and a goal as a state of bitsets


def build_state(domain: Domain, instance: Instance, goal_atoms: GoalAtoms = ()) -> RelationalState:
    """Build the state of an instance; its names are `read_vocabulary` of the goal's relations.

    `goal_atoms`: the goal; they become the names `goal.RELATION`, which nothing changes.
    """
    vocabulary = read_vocabulary(domain, (fact.relation for fact in goal_atoms))
    world = find_world(domain.schema)
    ids = [i for i in instance.all_elements() if world is None or instance.name_of(i) != world]
    state = RelationalState(vocabulary, tuple([instance.name_of(i) for i in ids]))
    bit_of = {id_: bit for bit, id_ in enumerate(ids)}
    _fill_types(state, instance, bit_of)
    _fill_attributes(state, instance, bit_of)
    forms = list_forms(domain.schema)
    for name, form in forms.items():
        tuples = (
            tuple([bit_of[legs[p]] for p in form.positions])
            for legs in instance.tuples(name).values()
        )
        _fill_relation(state, form, tuples)
    wanted: dict[str, list[tuple[int, ...]]] = {}
    for fact in goal_atoms:
        form = forms[fact.relation]
        legs = tuple(state.positions[fact.arguments[p]] for p in form.positions)
        wanted.setdefault(fact.relation, []).append(legs)
    for name, found in wanted.items():
        _fill_relation(state, forms[name], found, GOAL)
    return state


def _fill_types(state: RelationalState, instance: Instance, bit_of: Mapping[int, int]) -> None:
    schema, size = instance.schema, len(state.objects)
    for type_ in list_plain_types(schema):
        members = (bit_of[i] for i in instance.elements(type_) if i in bit_of)
        state.concepts[type_] = gather_bits(members, size)
    for constant in list_constants(schema):
        # By its type: an instance may lack it, or spell its name otherwise than the domain.
        members = (bit_of[i] for i in instance.elements(f"{ONLY}{constant}") if i in bit_of)
        state.concepts[f"{OBJECT}{constant}"] = gather_bits(members, size)


def _fill_attributes(state: RelationalState, instance: Instance, bit_of: Mapping[int, int]) -> None:
    for attribute, concept in list_truth_attributes(instance.schema).items():
        true = (bit for id_, bit in bit_of.items() if instance.attribute(id_, attribute) is True)
        state.concepts[concept] = gather_bits(true, len(state.objects))


def _fill_relation(
    state: RelationalState, form: RelationForm, tuples: Iterable[tuple[int, ...]], prefix: str = ""
) -> None:
    """Enter the tuples of a relation, or with a prefix those that the goal asks for."""
    if form.arity == 0:
        state.flags[prefix + form.name] = any(True for _ in tuples)
    elif form.arity == 1:
        members = (element for (element,) in tuples)
        state.concepts[prefix + form.name] = gather_bits(members, len(state.objects))
    elif form.arity == 2:
        _fill_role(state, prefix + form.name, ((source, target) for source, target in tuples))
    else:
        known = set(tuples)
        state.wide[prefix + form.name] = known
        pairs: Sequence[set[tuple[int, int]]] = [set() for _ in form.names]
        for legs in known:
            for place, pair in enumerate(pair_legs(legs)):
                pairs[place].add(pair)
        for name, found in zip(form.names, pairs, strict=True):
            _fill_role(state, prefix + name, found)


def _fill_role(state: RelationalState, name: str, pairs: Iterable[tuple[int, int]]) -> None:
    rows, columns = state.roles[name], state.inverses[name]
    for source, target in pairs:
        rows[source] |= 1 << target
        columns[target] |= 1 << source
    size = len(state.objects)
    state.sources[name] = gather_bits((bit for bit, row in enumerate(rows) if row), size)
    state.targets[name] = gather_bits((bit for bit, row in enumerate(columns) if row), size)
