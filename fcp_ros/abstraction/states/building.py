# SPDX-License-Identifier: Apache-2.0
"""An instance and a goal as a state of bitsets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fcp_ros.abstraction.states.goal_atoms import GoalAtoms
from fcp_ros.abstraction.states.state import RelationalState, gather_bits
from fcp_ros.abstraction.states.vocabulary import (
    GOAL,
    OBJECT,
    ONLY,
    RelationForm,
    find_world,
    list_constants,
    list_forms,
    list_plain_types,
    list_truth_attributes,
    pair_legs,
    read_vocabulary,
)
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain


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
    for function in domain.schema.functions:
        values = ((i, instance.apply(function.name, i)) for i in instance.elements(function.source))
        _fill_role(state, function.name, ((bit_of[i], bit_of[j]) for i, j in values))
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
