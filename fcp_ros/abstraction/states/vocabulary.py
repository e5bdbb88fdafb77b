# SPDX-License-Identifier: Apache-2.0
"""The names that features may use: flags, concepts and roles, and those that rules change.

They are the same for all instances of a domain. PDDL's instances differ in what invariants prove:
a relation with at most one tuple gets a leg `world` there (domain/pddl/pddl_task.py). That leg, and
the element `world`, are left out here: `at(world, room)` is the concept `at`, as in YAML.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset import AttributeKind, Relation, Schema
from fcp_ros.domain.model import ActionRule, Domain, Effect
from fcp_ros.domain.pddl.pddl_task import WORLD

ONLY = "only."
"""Begins the name of the type of one object that actions of PDDL name."""
GOAL = "goal."
"""Begins the names of what the goal asks: `goal.at` holds of a pair if the goal has that `at`."""
OBJECT = "object."
"""Begins the names of concepts that one constant of the domain alone belongs to."""


@dataclass(frozen=True, slots=True)
class StateVocabulary:
    """The names of a state; no name is twice among them."""

    flags: tuple[str, ...]  # relations without legs
    # types, relations with one leg, attributes that are true or false, and constants of the domain
    # (`object.NAME`)
    concepts: tuple[str, ...]
    # relations with two legs, functions, and for relations with more legs each pair of them in
    # their order (`connected.from.to`)
    roles: tuple[str, ...]
    fluent: frozenset[str]  # the names that some rule changes

    @property
    def names(self) -> frozenset[str]:
        """All names."""
        return frozenset((*self.flags, *self.concepts, *self.roles))


@dataclass(frozen=True, slots=True)
class RelationForm:
    """A relation without the leg `world`."""

    name: str
    positions: tuple[int, ...]
    legs: tuple[str, ...]
    arity: int = field(init=False)
    # the names for the relation in a vocabulary: one, or one for each pair of its legs
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Work out arity and names: they are asked for at every step."""
        object.__setattr__(self, "arity", len(self.positions))
        pairs = itertools.combinations(self.legs, 2)
        wide = tuple(f"{self.name}.{first}.{second}" for first, second in pairs)
        object.__setattr__(self, "names", wide if len(self.positions) > 2 else (self.name,))


def list_forms(schema: Schema) -> Mapping[str, RelationForm]:
    """Return the form of each relation."""
    return {relation.name: _find_form(relation, schema) for relation in schema.relations}


def find_world(schema: Schema) -> str | None:
    """Return the name of PDDL's element `world`; None if the schema has none."""
    for relation in schema.relations:
        if _is_worldly(relation, schema):
            return relation.legs[0][1].removeprefix(ONLY)
    return None


def list_constants(schema: Schema) -> tuple[str, ...]:
    """Return the names of the objects that rules name."""
    world = find_world(schema)
    named = (t.removeprefix(ONLY) for t in schema.types if t.startswith(ONLY))
    return tuple(name for name in named if name != world)


def list_plain_types(schema: Schema) -> tuple[str, ...]:
    """Return the types that are not those of one object alone."""
    return tuple(type_ for type_ in schema.types if not type_.startswith(ONLY))


def list_truth_attributes(schema: Schema) -> Mapping[str, str]:
    """Return the concept of each attribute that is true or false."""
    taken = {
        *schema.types,
        *(r.name for r in schema.relations),
        *(f.name for f in schema.functions),
    }
    names = dict.fromkeys(a.name for a in schema.attributes if a.kind is AttributeKind.BOOL)
    return {name: f"attribute.{name}" if name in taken else name for name in names}


def list_changed_relations(rules: Collection[ActionRule]) -> frozenset[str]:
    """Return the relations that some rule changes."""
    parts: list[ActionRule | Effect] = [*rules]
    parts += [effect for rule in rules for effect in rule.effects]
    return frozenset(atom.predicate for part in parts for atom in (*part.add, *part.delete))


def read_vocabulary(domain: Domain, goal_relations: Iterable[str] = ()) -> StateVocabulary:
    """Read the names of a domain."""
    schema = domain.schema
    forms = list_forms(schema)
    changed = list_changed_relations(domain.rules.values())
    by_arity: dict[int, list[str]] = {0: [], 1: [], 2: []}
    by_arity[1] += list_plain_types(schema)
    for form in forms.values():
        by_arity[min(form.arity, 2)] += form.names
    by_arity[2] += (function.name for function in schema.functions)
    by_arity[1] += list_truth_attributes(schema).values()
    by_arity[1] += (f"{OBJECT}{name}" for name in list_constants(schema))
    for relation in sorted(set(goal_relations)):
        form = forms[relation]
        by_arity[min(form.arity, 2)] += (f"{GOAL}{name}" for name in form.names)
    fluent = frozenset(name for relation in changed for name in forms[relation].names)
    return StateVocabulary(tuple(by_arity[0]), tuple(by_arity[1]), tuple(by_arity[2]), fluent)


def pair_legs(values: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Return the pairs of values in the order of `RelationForm.names`."""
    return itertools.combinations(values, 2)


def _find_form(relation: Relation, schema: Schema) -> RelationForm:
    first = int(_is_worldly(relation, schema))
    positions = tuple(range(first, len(relation.legs)))
    return RelationForm(relation.name, positions, tuple(relation.legs[p][0] for p in positions))


def _is_worldly(relation: Relation, schema: Schema) -> bool:
    """Return True for PDDL's leg `world`, whose type is that of one element and has no parents."""
    leg, type_ = relation.legs[0]
    return leg == WORLD and type_.startswith(ONLY) and not schema.types[type_]
