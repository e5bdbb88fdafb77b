# SPDX-License-Identifier: Apache-2.0
"""Demands, roles and names alone: goals of ALFRED's domain without a logical layer.

What a whole reader does with references, quantities and order is here reduced to what ALFRED's
sentences need, so that the learned parts can be measured by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchmark.instructions.alfred import Facts, alfred_domain
from fcp_ros.cset import Instance
from fcp_ros.cset.instance.facts import facts
from fcp_ros.domain.expressions.syntax import atoms
from fcp_ros.language.demands.clause import SOURCES, SUBJECT, DemandClause, SpokenArgument
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.demands.names import LearnedNames
from fcp_ros.language.demands.parsed_clauses import name_noun, read_parts
from fcp_ros.language.syntax import ParsedClause, parse_clauses
from fcp_ros.language.syntax.tree import Tree, Word

_PRONOUNS = frozenset(["it", "them", "that", "this", "one", "they", "both", "these", "those"])
_PIECES = frozenset(["slice", "piece", "chunk", "half", "wedge"])
_TWO = frozenset(["two", "both", "pair", "couple", "2"])
_HOLDING = frozenset(["with", "containing", "holding"])
_DIRECTIONS = frozenset(["left", "right", "front", "side", "corner", "middle"])
_LEAST_ADJECTIVE = 0.5
_LEAST_FIT = 0.05
STATES = ("hot", "cold", "clean", "sliced")
"""Relations of the domain that an adjective may state."""


@dataclass
class _Thing:
    """A kind of thing that a sentence speaks of."""

    label: str
    number: int = 1
    states: set[str] = field(default_factory=set)
    place: _Thing | None = None
    held: bool = False
    lit: bool = False
    source: _Thing | None = None


@dataclass(frozen=True)
class ComposedGoal:
    """A goal as facts, and how sure it is."""

    facts: Facts
    degree: float


def label_of(instance: Instance, name: str) -> str:
    """Return the label of an element."""
    return str(instance.attribute(instance.id_of(name), "category"))


class Composition:
    """Reads sentences about one floor plan.

    Args:
        model: ranks demands.
        names: ranks labels.
        instance: of the floor plan.
    """

    def __init__(self, model: DemandModel, names: LearnedNames, instance: Instance) -> None:
        self._model = model
        self._names = names
        self._domain = alfred_domain()
        self._types: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        for element in instance.all_elements():
            label = str(instance.attribute(element, "category"))
            self._types[label] = instance.type_of(element)
            self._numbers[label] = self._numbers.get(label, 0) + 1
        self._starts = {
            label_of(instance, fact.arguments[0]): label_of(instance, fact.arguments[1])
            for fact in facts(instance)
            if fact.relation == "in_or_on"
        }
        self._ranked: dict[tuple[str, ...], dict[str, float]] = {}
        self._things: list[_Thing] = []
        self._degree = 1.0
        self._heads: tuple[int, ...] = ()
        self._reached: _Thing | None = None

    def read(self, sentence: str) -> ComposedGoal:
        """Read a sentence."""
        self._things, self._degree = [], 1.0
        self._reached = None
        for parsed in parse_clauses(sentence):
            self._read_clause(parsed)
        if self._reached is not None and not any(t.lit for t in self._things):
            carried = [t for t in self._things if t.held] or self._last()
            for thing in carried:  # what is carried somewhere is left there
                if thing is not self._reached:
                    thing.place, thing.held = self._reached, False
        found = frozenset(self._list_facts())
        return ComposedGoal(found, self._degree if found else 0.0)

    # --- clauses

    def _read_clause(self, parsed: ParsedClause) -> None:
        purpose = parsed.tree.find_child(parsed.verb, "aux")  # "a mug to put on the shelf"
        if parsed.relation == "acl" and purpose is None:  # "a mug containing a spoon"
            return
        parts = read_parts(parsed)
        tree = parsed.tree
        nouns = {
            a.noun: self._list_nouns(tree, h)
            for a, h in zip(parts.clause.arguments, parts.heads, strict=True)
        }

        def fit(noun: str, type_: str) -> float:
            if noun in _PRONOUNS:
                return 1.0
            ranked = self._rank(tuple(nouns.get(noun, (noun,))))
            fitting = (p for label, p in ranked.items() if self._is_subtype(label, type_))
            return sum(fitting, 0.0)

        demands = self._model.rank(parts.clause, self._domain, fit)
        if not demands:
            return
        demand = demands[0]
        self._heads = parts.heads
        self._degree *= max(demand.degree, 0.05) ** 0.5
        filled: dict[str, list[_Thing]] = {}
        for slot, place in demand.slots.items():
            type_ = demand.meaning.types.get(slot, "thing")
            head = tree.words[parts.heads[place]]
            filled[slot] = list(self._refer(tree, head, type_))
        used = set(demand.slots.values())
        rest = [
            (argument, tree.words[head])
            for i, (argument, head) in enumerate(
                zip(parts.clause.arguments, parts.heads, strict=True)
            )
            if i not in used and argument.marker != SUBJECT
        ]
        self._demand(demand, filled, tree, rest)

    def _demand(
        self,
        demand: Demand,
        filled: Mapping[str, list[_Thing]],
        tree: Tree,
        rest: list[tuple[SpokenArgument, Word]],
    ) -> None:
        """Carry out what a clause demands on what the sentence speaks of."""
        name = demand.meaning.name
        heads = [self._heads[demand.slots[slot]] for slot in ("place",) if slot in demand.slots]
        if name == "put_back":
            filled = {**filled, "place": self._find_start(filled.get("object") or self._last())}
            name = "in_or_on"
        elif name == "throw_away":
            filled = {**filled, "place": [_Thing("garbage can")]}
            name = "in_or_on"
        objects = filled.get("object") or ([] if name in ("go", "switched_on") else self._last())
        effects = self._list_effects(demand)
        self._reached = None
        for place in filled.get("to", []):
            self._reached = place if self._is_subtype(place.label, "place") else None
        for thing in objects:
            if name in ("pick_up", "holding", "examine"):
                thing.held = True
            elif name == "in_or_on":
                self._put(thing, filled.get("place", []), heads, tree, rest)
            thing.states |= effects
            for argument, word in rest:
                if argument.preposition in SOURCES:
                    thing.source = next(iter(self._refer(tree, word, "place", add=False)), None)
        for lamp in filled.get("lamp", []):
            lamp.lit = True
        if name == "examine" and not filled.get("lamp"):
            lamps = [label for label in self._types if self._is_subtype(label, "lamp")]
            self._things += [_Thing(label, lit=True) for label in lamps[:1]]
        for argument, word in rest:
            if argument.preposition in _HOLDING and objects:
                for inner in self._refer(tree, word, "object"):
                    if self._is_subtype(objects[0].label, "dish"):
                        inner.place = objects[0]

    def _put(
        self,
        thing: _Thing,
        places: list[_Thing],
        heads: list[int],
        tree: Tree,
        rest: list[tuple[SpokenArgument, Word]],
    ) -> None:
        if not places:
            self._degree *= 0.3
            return
        place = places[0]
        others = [
            other
            for argument, word in rest
            if argument.preposition in ("in", "on", "into", "onto", "inside", "to")
            for other in self._refer(tree, word, "place", add=False)
        ]
        head = next((w for w in tree.words if w.place == heads[-1]), None) if heads else None
        for child in tree.list_children(head.place, "prep") if head is not None else ():
            if child.text in ("in", "on", "inside") and self._is_subtype(place.label, "dish"):
                for noun in tree.list_children(child.place, "pobj"):
                    others += self._refer(tree, noun, "receptacle", add=False)
        for other in others:
            dishes = [self._is_subtype(t.label, "dish") for t in (place, other)]
            if dishes == [True, False]:
                place.place = other
            elif dishes == [False, True]:
                other.place, place = place, other
                self._things.append(place)
        if thing.place is not None and thing.place.label != place.label:
            thing.states |= self._pass_through(thing.place.label)
        if thing is not place:
            thing.place, thing.held = place, False

    def _find_start(self, things: list[_Thing]) -> list[_Thing]:
        """Find where things are in the state."""
        sources = [thing.source.label for thing in things if thing.source is not None]
        labels = sources or [self._starts.get(thing.label) for thing in things]
        return [_Thing(label) for label in labels if label is not None]

    def _pass_through(self, label: str) -> set[str]:
        """Find what a place does to what was put there and is put elsewhere then."""
        found = set()
        for rule in self._domain.rules.values():
            places = {p.type for p in rule.parameters} & {"fridge", "microwave", "sink"}
            if any(self._is_subtype(label, place) for place in places):
                found |= {atom.predicate for atom in rule.add if atom.predicate in STATES}
        return found

    def _list_effects(self, demand: Demand) -> set[str]:
        goal = demand.meaning.goal
        found = atoms(goal) if goal is not None else ()
        return {atom.predicate for atom in found if atom.predicate in STATES}

    # --- nouns

    def _last(self) -> list[_Thing]:
        """What was spoken of last and can be carried."""
        carried = [t for t in self._things if self._is_subtype(t.label, "object") and not t.lit]
        return carried[-1:] if carried else []

    def _refer(self, tree: Tree, head: Word, type_: str, *, add: bool = True) -> Iterator[_Thing]:
        """Yield what a noun phrase speaks of; the same kind is the same thing."""
        if head.text in _PRONOUNS or self._is_bare_piece(tree, head):
            yield from self._resolve_pronoun(type_)
            return
        words = [head, *tree.list_children(head.place, "conj")]
        for word in words:
            ranked = self._rank(tuple(self._list_nouns(tree, word.place)))
            fitting = {n: p for n, p in ranked.items() if self._is_subtype(n, type_)}
            if sum(fitting.values()) < _LEAST_FIT:
                self._degree *= 0.1
                continue
            label = max(fitting, key=lambda n: fitting[n])
            self._degree *= max(ranked[label], 0.05) ** 0.5
            thing = next((t for t in self._things if t.label == label), None)
            if thing is None:
                thing = _Thing(label)
                if add:
                    self._things.append(thing)
            self._describe(tree, word, thing)
            yield thing

    def _is_bare_piece(self, tree: Tree, head: Word) -> bool:
        """Return True for "a slice" after the thing that was sliced."""
        inner = list(tree.list_children(head.place, "prep", "compound"))
        return head.lemma in _PIECES and not inner and bool(self._things)

    def _resolve_pronoun(self, type_: str) -> Iterator[_Thing]:
        fitting = [t for t in self._things if self._is_subtype(t.label, type_) and not t.lit]
        carried = [t for t in fitting if self._is_subtype(t.label, "object")]
        if carried:
            last = carried[-1]
            # what has something in it is carried with it
            yield last.place if last.place in carried and last.place is not None else last

    def _describe(self, tree: Tree, word: Word, thing: _Thing) -> None:
        """Take number, states and contents from the words around a noun."""
        for child in tree.list_children(word.place):
            if child.text in _TWO and self._numbers.get(thing.label, 0) > 1:
                thing.number = 2
            elif child.role in ("amod", "acl", "nmod", "compound"):
                if child.role == "acl" and child.text in _HOLDING:
                    for inner in tree.list_children(child.place, "dobj"):
                        for content in self._refer(tree, inner, "object"):
                            content.place = thing
                    continue
                for said in (child, *tree.list_children(child.place, "conj", "amod", "advmod")):
                    if said.tag in ("JJ", "VBN", "VBD", "JJR"):
                        thing.states |= self._find_state(said.text, thing.label)
            elif child.role == "prep" and child.text in _HOLDING:
                for inner in tree.list_children(child.place, "pobj"):
                    if self._is_subtype(thing.label, "dish"):
                        for content in self._refer(tree, inner, "object"):
                            if content is not thing:
                                content.place = thing
            elif child.role == "prep" and child.text == "of":
                for inner in tree.list_children(child.place, "pobj"):
                    self._describe(tree, inner, thing)
        if word.lemma in _PIECES and self._is_subtype(thing.label, "food"):
            thing.states.add("sliced")
        several = self._numbers.get(thing.label, 0) > 1
        single = any(c.text in ("a", "an", "one") for c in tree.list_children(word.place))
        plural = word.tag == "NNS" and several and not single and thing.label != "key chain"
        if (word.text in _TWO or plural) and word.lemma not in _PIECES:
            thing.number = 2

    def _find_state(self, adjective: str, label: str) -> set[str]:
        if not self._is_subtype(label, "object"):
            return set()
        clause = DemandClause("be", "", (SpokenArgument(SUBJECT, "object"),), adjective)
        for demand in self._model.rank(clause, self._domain, most=1):
            sure = demand.degree >= _LEAST_ADJECTIVE and demand.meaning.name in STATES
            if sure and self._model.compare(adjective, demand.frame.complement) > 0.6:
                return {demand.meaning.name}
        return set()

    def _list_nouns(self, tree: Tree, place: int) -> list[str]:
        """List the nouns of a phrase: "bar of soap" is bar and soap; a piece of bread is bread."""
        word = tree.words[place]
        if word.lemma in _DIRECTIONS:
            return [word.lemma]
        inner = [
            noun
            for child in tree.list_children(place, "prep")
            if child.text == "of"
            for noun in tree.list_children(child.place, "pobj")
        ]
        names = [name_noun(tree, word)]
        if word.lemma in _PIECES:
            before = names[0].removesuffix(word.lemma).strip()
            names = [before] if before else []
        elif word.text in _TWO:
            names = []
        return [*names, *(name_noun(tree, noun) for noun in inner)] or [word.lemma]

    def _rank(self, nouns: tuple[str, ...]) -> dict[str, float]:
        if nouns not in self._ranked:
            self._ranked[nouns] = self._names.rank(nouns, self._types)
        return self._ranked[nouns]

    def _is_subtype(self, label: str, type_: str) -> bool:
        schema = self._domain.schema
        known = self._types.get(label, "thing")
        return not type_ or (schema.has_type(type_) and schema.is_subtype(known, type_))

    def _list_facts(self) -> Iterator[tuple[str, ...]]:
        lit = any(thing.lit for thing in self._things)
        for thing in self._things:
            if thing.lit:
                yield ("on", thing.label)
            if thing.place is not None and not thing.lit:
                yield ("in", thing.label, thing.place.label, str(thing.number))
            if thing.held and lit:
                yield ("holding", thing.label)
            for state in thing.states:
                yield (state, thing.label)
