# SPDX-License-Identifier: Apache-2.0
"""The legal matches of a rule, kept up to date from one state to the next.

A match is legal if `check_match` admits it. That depends on more than the match: on its
surroundings, which application conditions inspect, and on references to the elements that are
deleted. So, besides the matches that a change ends and brings about, two kinds are checked again:
those that extend to a changed match of a condition's larger pattern, and those that delete (or
clone) something that a changed tuple or function value refers to. An update takes time in the
number of these, not in the number of all matches.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.conditions.conditions import Condition
from fcp_ros.cset.conditions.counting import filter_by_counting
from fcp_ros.cset.instance.draft import Change
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.limits.diagrams import collect_values
from fcp_ros.cset.rewriting.dpo import collisions
from fcp_ros.cset.rewriting.match_check import check_match
from fcp_ros.cset.rewriting.rule import Rule, Semantics
from fcp_ros.cset.search.anchored_search import AnchoredSearch, MatchKey, find_anchors
from fcp_ros.cset.search.match_set import (
    HomsMaintenance,
    MatchKeys,
    MatchSet,
    maintain_homs,
    to_morphism,
)
from fcp_ros.cset.search.pattern import analyse_pattern


def maintain_matches(rule: Rule, state: Instance) -> MatchSet:
    """Make the set of the legal matches of a rule in a state, the ones that `find_matches` finds.

    Args:
        rule: with its conditions.
        state: where; `MatchSet.update` then goes on from there.
    """
    return MatchSet.start(_prepare(rule, state), state)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A condition's larger pattern P, and where the rule's left side L is in it.

    Attributes:
        search: of P, from everything that P adds to the pattern inside of it.
        restriction: for each slot of L its slot in P.
    """

    search: AnchoredSearch
    restriction: MatchKey

    def around(self, before: Instance, after: Instance, change: Change) -> Iterator[MatchKey]:
        """Find the morphisms from L whose extensions to P a change may end or bring about."""
        for found in (self.search.before(before, change), self.search.after(after, change)):
            for key in found:
                yield tuple([key[slot] for slot in self.restriction])


@dataclass(frozen=True, slots=True)
class RuleMaintenance:
    """Maintenance of the legal matches of a rule.

    Attributes:
        rule: the rule.
        homs: the morphisms from its left side, legal or not.
        surroundings: of its conditions, nested ones included.
        exposed: the slots of the elements that the rule deletes or clones, if references to them
            matter.
        transitive: whether indirect references matter, too.
        is_strict: whether a morphism may be illegal even if all application conditions hold.
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
        """Find all legal matches."""
        keys = list(self.homs.initial(state))
        decided = filter_by_counting(self.rule.conditions, keys, state)
        if decided.is_complete and not self.is_strict:
            return decided.keys
        return [key for key in decided.keys if self._is_legal(state, key)]

    def step(
        self, keys: MatchKeys, before: Instance, after: Instance, change: Change
    ) -> tuple[Iterable[MatchKey], Iterable[MatchKey]]:
        """Check again the matches that the change concerns."""
        search = self.homs.search
        old, new = search.before(before, change), search.after(after, change)
        gone = old - new
        concerned = {*new, *self._around(before, after, change)} - gone
        # `keys` says what was legal before, so that legality is decided in the new state only.
        legal = {key for key in concerned if self._is_legal(after, key)}
        ended = [key for key in gone | (concerned - legal) if key in keys]
        return ended, [key for key in legal if key not in keys]

    def _is_legal(self, state: Instance, key: MatchKey) -> bool:
        if not self.is_strict and not self.rule.conditions:
            return True
        return not check_match(self.rule, to_morphism(self.rule.L, state, key))

    def _around(self, before: Instance, after: Instance, change: Change) -> Iterator[MatchKey]:
        for condition in self.surroundings:
            yield from condition.around(before, after, change)
        if self.exposed:
            for id_ in self._find_referenced(before, after, change):
                for slot in self.exposed:
                    yield from self.homs.search.at(after, slot, id_)

    def _find_referenced(self, before: Instance, after: Instance, change: Change) -> set[int]:
        """Find the elements that something refers to now, or referred to, in another way."""
        found = {leg for _, _, legs in (*change.added, *change.removed) for leg in legs}
        for state in (before, after):
            for function, element in change.functions:
                value = state.function_table(function).values.get(element)
                if value is not None:
                    found.add(value)
        for element in change.deleted:
            found.update(collect_values(before, element).values())
        if self.transitive:
            # A path in the old state that is not in the new one leads through one of these.
            found = _close(after, found)
        return found


def _prepare(rule: Rule, state: Instance) -> RuleMaintenance:
    homs = maintain_homs(rule.L, state, rule.monic, rule.searchable)
    search = homs.search
    cautious = rule.semantics is not Semantics.SPO
    index, types = search.pattern.index, rule.L.schema.types
    cloned = collisions(rule.left).keys()
    exposed = [id_ for id_ in sorted(rule.deleted | cloned) if rule.L.type_of(id_) in types]
    return RuleMaintenance(
        rule,
        homs,
        tuple(_collect_surroundings(rule.conditions, search, tuple(range(len(index))))),
        tuple(index[id_] for id_ in exposed) if cautious else (),
        transitive=rule.semantics is Semantics.SQPO,
        is_strict=rule.monic is not True
        or len(rule.searchable) < len(rule.where)
        or bool(exposed and cautious),
    )


def _collect_surroundings(
    conditions: Sequence[Condition], inside: AnchoredSearch, restriction: MatchKey
) -> Iterator[Surroundings]:
    """Yield the surroundings of conditions that start at `inside`, nested ones included."""
    for condition in conditions:
        pattern = analyse_pattern(condition.pattern)
        slots = [pattern.index[condition.inclusion.mapping[id_]] for id_ in inside.pattern.ids]
        anchors = find_anchors(pattern, inside.pattern, tuple(slots))
        search = AnchoredSearch(pattern, anchors, condition.monic)
        composed = tuple([slots[slot] for slot in restriction])
        yield Surroundings(search, composed)
        yield from _collect_surroundings(condition.nested, search, composed)


def _close(state: Instance, elements: Iterable[int]) -> set[int]:
    """Find everything that functions lead to from some elements, these included."""
    found = set(elements)
    open_ = list(found)
    while open_:
        element = open_.pop()
        if state.contains(element):
            fresh = set(collect_values(state, element).values()) - found
            found |= fresh
            open_.extend(fresh)
    return found
