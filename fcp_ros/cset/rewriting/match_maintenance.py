# SPDX-License-Identifier: Apache-2.0
"""The legal matches of a rule, kept up to date from one state to the next.

Legal are those that `check_match` admits. That depends on more than the match: on what application
conditions find around it, and on what refers to the elements that are deleted. So, besides the
matches that a change ends and brings about, those are checked again in whose surroundings it does
something: those that extend to a changed match of a condition's larger pattern, and those that
delete (or clone) something that a changed tuple or function value refers to. An update takes time
in the number of these, not in the number of all matches.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.conditions.conditions import Condition
from fcp_ros.cset.conditions.counting import decide
from fcp_ros.cset.instance.draft import Change
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.match_check import check_match
from fcp_ros.cset.rewriting.rule import Rule, Semantics
from fcp_ros.cset.search.anchored_search import AnchoredSearch, MatchKey, anchors_of
from fcp_ros.cset.search.match_set import (
    HomsMaintenance,
    MatchKeys,
    MatchSet,
    homs_maintenance,
    morphism_of,
)
from fcp_ros.cset.search.pattern import pattern_of


def rule_matches(rule: Rule, state: Instance) -> MatchSet:
    """The legal matches of a rule in a state, to be maintained: what `find_matches` finds.

    Args:
        rule: with its conditions.
        state: where; `MatchSet.updated` then goes on from there.
    """
    return MatchSet.starting(_maintenance(rule, state), state)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A condition's larger pattern P, and where the rule's left side L is in it.

    Attributes:
        search: of P, from what P has and the pattern inside of it has not.
        restriction: for each slot of L its slot in P.
    """

    search: AnchoredSearch
    restriction: MatchKey

    def around(self, before: Instance, after: Instance, change: Change) -> Iterator[MatchKey]:
        """The morphisms from L for which a change may end or bring about extensions to P."""
        for found in (self.search.before(before, change), self.search.after(after, change)):
            for key in found:
                yield tuple([key[slot] for slot in self.restriction])


@dataclass(frozen=True, slots=True)
class RuleMaintenance:
    """Maintains the legal matches of a rule.

    Attributes:
        rule: the rule.
        homs: the morphisms from its left side, legal or not.
        surroundings: of its conditions, nested ones included.
        exposed: the slots of the elements that the rule deletes or clones, where it matters what
            refers to them.
        transitive: whether it also matters what refers to that, and so on.
        is_strict: whether a morphism need not be legal, even where all conditions hold.
    """

    rule: Rule
    homs: HomsMaintenance
    surroundings: tuple[Surroundings, ...]
    exposed: tuple[int, ...]
    transitive: bool
    is_strict: bool

    @property
    def pattern(self) -> Instance:
        """The left side."""
        return self.rule.L

    def initial(self, state: Instance) -> Iterable[MatchKey]:
        """All legal matches."""
        keys = list(self.homs.initial(state))
        decided = decide(self.rule.conditions, keys, state)
        if decided.is_complete and not self.is_strict:
            return decided.keys
        return [key for key in decided.keys if self._is_legal(state, key)]

    def step(
        self, keys: MatchKeys, before: Instance, after: Instance, change: Change
    ) -> tuple[Iterable[MatchKey], Iterable[MatchKey]]:
        """Check again what the change concerns."""
        search = self.homs.search
        old, new = search.before(before, change), search.after(after, change)
        gone = old - new
        concerned = {*new, *self._around(before, after, change)} - gone
        legal = {key for key in concerned if self._is_legal(after, key)}
        ended = [key for key in gone | (concerned - legal) if key in keys]
        return ended, [key for key in legal if key not in keys]

    def _is_legal(self, state: Instance, key: MatchKey) -> bool:
        if not self.is_strict and not self.rule.conditions:
            return True
        return not check_match(self.rule, morphism_of(self.rule.L, state, key))

    def _around(self, before: Instance, after: Instance, change: Change) -> Iterator[MatchKey]:
        for condition in self.surroundings:
            yield from condition.around(before, after, change)
        if self.exposed:
            for id_ in self._referred(before, after, change):
                for slot in self.exposed:
                    yield from self.homs.search.at(after, slot, id_)

    def _referred(self, before: Instance, after: Instance, change: Change) -> set[int]:
        """The elements to which something refers now, or referred, in another way."""
        found = {leg for _, _, legs in (*change.added, *change.removed) for leg in legs}
        for state in (before, after):
            for function, element in change.functions:
                found.update(_value(state, function, element))
        for element in change.deleted:
            found.update(_values(before, element))
        if self.transitive:
            # A way through the old state that is not in the new one goes through one of these.
            found = _closure(after, found)
        return found


def _maintenance(rule: Rule, state: Instance) -> RuleMaintenance:
    homs = homs_maintenance(rule.L, state, rule.monic, rule.searchable)
    search = homs.search
    cautious = rule.semantics is not Semantics.SPO
    index, types = search.pattern.index, rule.L.schema.types
    cloned = {rule.left.mapping[id_] for id_ in _shared(rule.left)}
    exposed = [id_ for id_ in sorted(rule.deleted | cloned) if rule.L.type_of(id_) in types]
    return RuleMaintenance(
        rule,
        homs,
        tuple(_surroundings(rule.conditions, search, tuple(range(len(index))))),
        tuple(index[id_] for id_ in exposed) if cautious else (),
        transitive=rule.semantics is Semantics.SQPO,
        is_strict=rule.monic is not True
        or len(rule.searchable) < len(rule.where)
        or bool(exposed and cautious),
    )


def _shared(left: Morphism) -> Iterator[int]:
    """What the left leg identifies with something else."""
    images = list(left.mapping.values())
    return (id_ for id_, image in left.mapping.items() if images.count(image) > 1)


def _surroundings(
    conditions: Sequence[Condition], inside: AnchoredSearch, restriction: MatchKey
) -> Iterator[Surroundings]:
    """Those of conditions that start at the pattern of `inside`, and of what is nested in them."""
    for condition in conditions:
        pattern = pattern_of(condition.pattern)
        slots = [pattern.index[condition.inclusion.mapping[id_]] for id_ in inside.pattern.ids]
        anchors = anchors_of(pattern, inside.pattern, tuple(slots))
        search = AnchoredSearch(pattern, anchors, condition.monic)
        composed = tuple([slots[slot] for slot in restriction])
        yield Surroundings(search, composed)
        yield from _surroundings(condition.nested, search, composed)


def _value(state: Instance, function: str, element: int) -> Iterator[int]:
    value = state.function_table(function).values.get(element)
    if value is not None:
        yield value


def _values(state: Instance, element: int) -> Iterator[int]:
    if state.contains(element):
        for function in state.schema.functions_of(state.type_of(element)):
            yield from _value(state, function.name, element)


def _closure(state: Instance, elements: Iterable[int]) -> set[int]:
    """What functions lead to from some elements, these included."""
    found = set(elements)
    open_ = list(found)
    while open_:
        fresh = set(_values(state, open_.pop())) - found
        found |= fresh
        open_.extend(fresh)
    return found
