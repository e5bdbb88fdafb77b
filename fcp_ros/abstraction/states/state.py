# SPDX-License-Identifier: Apache-2.0
"""A state as bitsets, and the names that features may use: flags, concepts and roles.

They are the same for all instances of a domain. PDDL's instances differ in what invariants prove:
a relation with at most one tuple gets a leg `world` there (domain/pddl/pddl_task.py). That leg, and
the element `world`, are left out here: `at(world, room)` is the concept `at`, as in YAML.
"""

from __future__ import annotations

import hashlib
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
    # relations with two legs, and for relations with more legs each pair of them in
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
    taken = {*schema.types, *(r.name for r in schema.relations)}
    names = dict.fromkeys(a.name for a in schema.attributes if a.kind is AttributeKind.BOOL)
    return {name: f"attribute.{name}" if name in taken else name for name in names}


def list_changed_relations(rules: Collection[ActionRule]) -> frozenset[str]:
    parts: list[ActionRule | Effect] = [*rules]
    parts += [effect for rule in rules for effect in rule.effects]
    return frozenset(atom.predicate for part in parts for atom in (*part.add, *part.delete))


def read_vocabulary(domain: Domain, goal_relations: Iterable[str] = ()) -> StateVocabulary:
    schema = domain.schema
    forms = list_forms(schema)
    changed = list_changed_relations(domain.rules.values())
    by_arity: dict[int, list[str]] = {0: [], 1: [], 2: []}
    by_arity[1] += list_plain_types(schema)
    for form in forms.values():
        by_arity[min(form.arity, 2)] += form.names
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


# --- A state as bitsets: whole Python integers, in which bit i stands for element i


WideRelation = set[tuple[int, ...]]
"""The tuples of a relation with three legs or more."""

_Fact = tuple[str | int, ...]
"""Name and elements."""

take_version = itertools.count(1).__next__
"""Returns a number that no state has had as a version; shared, so that caches may be, too."""


class RelationalState:
    """A state that changes in place.

    Only `set_...` may change the tables: they keep versions, inverses and the key.
    """

    __slots__ = (
        "_codes",
        "_digest",
        "concepts",
        "flags",
        "inverses",
        "objects",
        "positions",
        "roles",
        "sources",
        "targets",
        "versions",
        "vocabulary",
        "wide",
    )

    def __init__(self, vocabulary: StateVocabulary, objects: tuple[str, ...]) -> None:
        """Start without any fact."""
        size = len(objects)
        self.vocabulary = vocabulary  # the names below, and which of them change
        self.objects = objects  # names of the elements; the index is the bit
        self.positions = {name: bit for bit, name in enumerate(objects)}
        self.flags = dict.fromkeys(vocabulary.flags, False)
        self.concepts = dict.fromkeys(vocabulary.concepts, 0)
        # by name, for each element the bitset of those that it is related to
        self.roles = {name: [0] * size for name in vocabulary.roles}
        # by name, for each element the bitset of those related to it
        self.inverses = {name: [0] * size for name in vocabulary.roles}
        # by name of a role, the bitset of elements that are related to any
        self.sources = dict.fromkeys(vocabulary.roles, 0)
        # by name of a role, the bitset of elements that any is related to
        self.targets = dict.fromkeys(vocabulary.roles, 0)
        # relations with three legs or more, whose pairs are among the roles
        self.wide: dict[str, WideRelation] = {}
        names = (*vocabulary.flags, *vocabulary.concepts, *vocabulary.roles)
        # by name a number that no other content of the name has, in any state
        self.versions = {name: take_version() for name in names}
        self._digest: int | None = None
        self._codes: dict[_Fact, int] = {}

    def copy(self) -> RelationalState:
        """Return a state that may be changed by itself; what no rule changes is shared."""
        other = RelationalState.__new__(RelationalState)
        fluent = self.vocabulary.fluent
        other.vocabulary = self.vocabulary
        other.objects = self.objects
        other.positions = self.positions
        other.flags = dict(self.flags)
        other.concepts = dict(self.concepts)
        other.roles = {n: list(rows) if n in fluent else rows for n, rows in self.roles.items()}
        other.inverses = {
            n: list(rows) if n in fluent else rows for n, rows in self.inverses.items()
        }
        other.sources = dict(self.sources)
        other.targets = dict(self.targets)
        other.wide = {name: set(tuples) for name, tuples in self.wide.items()}
        other.versions = dict(self.versions)
        other._digest = self._digest
        other._codes = self._codes
        return other

    def key(self) -> int:
        """Return a value that tells states of one instance apart by what rules change."""
        # It is the bitwise sum of 128-bit digests (BLAKE2b) of the facts: two of a billion states
        # share one with a probability below 1e-20. The first call looks at all facts; then each
        # change keeps it up to date.
        if self._digest is None:
            digest = 0
            for fact in self.list_fluent_facts():
                digest ^= self._code_of(fact)
            self._digest = digest
        return self._digest

    # --- changes; each returns False if nothing changed

    def set_flag(self, name: str, value: bool) -> bool:
        if self.flags[name] == value:
            return False
        self.flags[name] = value
        self._note(name, (name,))
        return True

    def set_member(self, name: str, element: int, value: bool) -> bool:
        """Put an element into a concept, or take it out."""
        if bool(self.concepts[name] >> element & 1) == value:
            return False
        self.concepts[name] ^= 1 << element
        self._note(name, (name, element))
        return True

    def set_pair(self, name: str, source: int, target: int, value: bool) -> bool:
        """Put a pair into a role, or take it out."""
        rows, columns = self.roles[name], self.inverses[name]
        row = rows[source]
        if bool(row >> target & 1) == value:
            return False
        source_bit, target_bit = 1 << source, 1 << target
        rows[source] = new_row = row ^ target_bit
        column = columns[target]
        columns[target] = new_column = column ^ source_bit
        if not (row and new_row):
            self.sources[name] ^= source_bit
        if not (column and new_column):
            self.targets[name] ^= target_bit
        # As in `_note`, whose call would cost a tenth of all this.
        self.versions[name] = take_version()
        if self._digest is not None:
            self._digest ^= self._code_of((name, source, target))
        return True

    def set_tuple(self, form: RelationForm, legs: tuple[int, ...], value: bool) -> bool:
        """Put a tuple into a relation of any arity, or take it out.

        `legs`: the elements in the legs that count. `value`: True to put it in.
        """
        arity = form.arity
        if arity == 2:
            return self.set_pair(form.name, legs[0], legs[1], value)
        if arity == 1:
            return self.set_member(form.name, legs[0], value)
        if arity == 0:
            return self.set_flag(form.name, value)
        return self._set_wide(form, legs, value)

    def holds(self, form: RelationForm, legs: tuple[int, ...]) -> bool:
        if not legs:
            return self.flags[form.name]
        if len(legs) == 1:
            return bool(self.concepts[form.name] >> legs[0] & 1)
        if len(legs) == 2:
            return bool(self.roles[form.name][legs[0]] >> legs[1] & 1)
        return legs in self.wide.get(form.name, ())

    def list_tuples(self, form: RelationForm) -> Iterator[tuple[int, ...]]:
        if form.arity == 0:
            yield from [()] if self.flags[form.name] else []
        elif form.arity == 1:
            yield from ((element,) for element in list_bits(self.concepts[form.name]))
        elif form.arity == 2:
            for source, bits in enumerate(self.roles[form.name]):
                yield from ((source, target) for target in list_bits(bits))
        else:
            yield from self.wide.get(form.name, ())

    def _set_wide(self, form: RelationForm, legs: tuple[int, ...], value: bool) -> bool:
        tuples = self.wide.setdefault(form.name, set())
        if (legs in tuples) == value:
            return False
        (tuples.add if value else tuples.remove)(legs)
        for place, (name, pair) in enumerate(zip(form.names, pair_legs(legs), strict=True)):
            # Another tuple may have the same pair.
            kept = value or any(_pick_pair(other, place) == pair for other in tuples)
            self.set_pair(name, *pair, kept)
        if self._digest is not None:
            self._digest ^= self._code_of((form.name, *legs))
        return True

    def _note(self, name: str, fact: _Fact) -> None:
        self.versions[name] = take_version()
        if self._digest is not None:
            self._digest ^= self._code_of(fact)

    # --- the key

    def list_fluent_facts(self) -> Iterator[_Fact]:
        """List what holds and rules may change: a name, then elements."""
        fluent = self.vocabulary.fluent
        yield from ((name,) for name, value in self.flags.items() if value and name in fluent)
        for name, bits in self.concepts.items():
            if name in fluent:
                yield from ((name, element) for element in list_bits(bits))
        for name, rows in self.roles.items():
            if name in fluent:
                for source, bits in enumerate(rows):
                    yield from ((name, source, target) for target in list_bits(bits))
        for name, tuples in self.wide.items():
            for legs in tuples:
                yield (name, *legs)

    def _code_of(self, fact: _Fact) -> int:
        code = self._codes.get(fact)
        if code is None:
            text = "\0".join(map(str, fact)).encode()
            code = int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "little")
            self._codes[fact] = code
        return code


def list_bits(bits: int) -> Iterator[int]:
    """List the elements of a bitset, in ascending order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def gather_bits(elements: Iterable[int], size: int) -> int:
    """Build the bitset of some elements below `size`; one pass, whatever their number."""
    buffer = bytearray(size // 8 + 1)
    for element in elements:
        buffer[element >> 3] |= 1 << (element & 7)
    return int.from_bytes(buffer, "little")


def _pick_pair(legs: tuple[int, ...], place: int) -> tuple[int, int]:
    return next(itertools.islice(pair_legs(legs), place, None))
