# SPDX-License-Identifier: Apache-2.0
"""The synonyms worth a trial: candidates by signature, ordered by structure, facts and names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import permutations

from fcp_ros.alignment.pairing import AlignmentTask
from fcp_ros.alignment.predicate_use import Objects, PredicateUse
from fcp_ros.alignment.synonyms import ANY, Places, Proposal, Synonym, project_facts
from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity
from fcp_ros.foundation.stopping import Check, never_stop

_PARTS = re.compile(r"[\W_]+|(?<=[a-z])(?=[A-Z0-9])")


def split_name(name: str) -> str:
    """Return the words of a name, without a mark: `at-robby@own` as `at robby`."""
    return " ".join(filter(None, _PARTS.split(name.partition("@")[0]))).lower()


class NameLikeness:
    """Compares names by their sentence embeddings, or by their letters where there is no model.

    `similarity`: of words in meaning; None compares letters.
    """

    def __init__(self, similarity: LabelSimilarity | None) -> None:
        self._similarity = similarity
        # why letters were compared; empty if meanings were
        self.note = "" if similarity is not None else "names were compared by their letters"

    def compare(self, pairs: Sequence[tuple[str, str]], check: Check = never_stop) -> list[float]:
        """Return the likeness of the names of each pair, at most 1; equal names have 1."""
        if not pairs:
            return []
        words = {name: split_name(name) for pair in pairs for name in pair}
        if self._similarity is not None:
            check()
            known = sorted(set(words.values()))
            at = {word: position for position, word in enumerate(known)}
            try:
                table = self._similarity.similarities(known, known)
                return [float(table[at[words[a]], at[words[b]]]) for a, b in pairs]
            except NoSimilarity as reason:
                self._similarity = None
                self.note = f"names were compared by their letters: {reason}"
        values = []
        for first, second in pairs:
            check()
            values.append(SequenceMatcher(None, words[first], words[second]).ratio())
        return values


# --- candidates and their order


MOST_PERMUTED = 4
"""Arguments up to which all orders are candidates; with more, only the given order."""
TIERS = 3
"""Groups of candidates: those of the next are planned with where the former don't suffice."""
_TIER_PRIOR = (0.7, 0.2, 0.02)
_LIKENESS_WEIGHT, _UNLIKENESS_WEIGHT, _AGREEMENT_WEIGHT = 5.0, 2.0, 4.0
"""Change of the log odds with likeness or agreement, from 0 to 1; set by judgement. Names that are
not alike say less than names that are."""
_REORDERING_WEIGHT = 0.5
"""The same against another order of the arguments than the given one, where types allow both."""


@dataclass(frozen=True)
class Proposals:
    """All candidates of two vocabularies, or of one whose names may be torn apart."""

    all: Mapping[Synonym, Proposal]  # by synonym, the most likely first
    left_out: int = 0

    def list_tier(self, tier: int) -> list[Proposal]:
        """List the candidates up to a tier, the most likely first."""
        return [one for one in self.all.values() if one.tier <= tier]

    def has_open_rivals(self, tier: int) -> bool:
        """Return True if candidates up to a tier share a name, and some names were not compared."""
        listed = self.list_tier(tier)
        names = [name for one in listed for name in one.synonym.names]
        return len(names) > len(set(names)) and any(one.likeness is None for one in listed)

    def weigh_names(self, tier: int, likeness: NameLikeness, check: Check) -> Proposals:
        """Return the candidates with the likeness of their names up to a tier, ordered by it.

        `tier`: the last one whose names are compared.
        """
        chosen = self.list_tier(tier)
        pairs = [(one.synonym.source, one.synonym.target) for one in chosen]
        values = likeness.compare(pairs, check)
        weighed = dict(self.all)
        for one, value in zip(chosen, values, strict=True):
            prior = _weigh(one.tier, one.agreement, value, one.is_reordered)
            weighed[one.synonym] = replace(one, likeness=value, prior=prior)
        return Proposals(sort_proposals(weighed.values()), self.left_out)


def sort_proposals(proposals: Iterable[Proposal]) -> dict[Synonym, Proposal]:
    """Order candidates, the most likely first."""
    ordered = sorted(proposals, key=lambda one: (one.tier, -one.prior, one.synonym))
    return {one.synonym: one for one in ordered}


def propose_synonyms(task: AlignmentTask, bound: int, check: Check) -> Proposals:
    """List the candidates of a task: those that were declared, and those that signatures allow.

    `bound`: the most candidates.
    """
    crosses = task.crosses
    found = [_propose_declared(synonym, task, crosses) for synonym in task.declared]
    known = {*task.declared, *(one.invert() for one in task.declared if not one.is_projection)}
    left_out = 0
    for first, second in _list_pairs(task, check):
        for synonym in _list_synonyms(first, second):
            if synonym in known:
                continue
            if len(found) >= bound:
                left_out += 1
            else:
                found.append(_propose(synonym, task, crosses))
    return Proposals(sort_proposals(found), left_out)


def _list_pairs(task: AlignmentTask, check: Check) -> Iterator[tuple[PredicateUse, PredicateUse]]:
    """List pairs of which one can hold, or end, and the other is needed: the likely ones first."""
    # Other synonyms change nothing that can be seen.
    sides, crosses = task.sides, task.crosses
    ordered = sorted(task.uses.values(), key=lambda use: use.name)
    needed = sorted((use for use in ordered if use.is_needed), key=lambda use: not use.is_missing)
    others = sorted(ordered, key=lambda use: (not use.produced, use.is_needed))
    met: set[frozenset[str]] = set()
    for target in needed:
        for source in others:
            check()
            if source is target or (crosses and sides[source.name] == sides[target.name]):
                continue
            if source.arity != target.arity or not (source.can_hold or source.deleted):
                continue
            pair = frozenset((source.name, target.name))
            if pair not in met:
                met.add(pair)
                yield (source, target) if source.name < target.name else (target, source)


def _list_synonyms(first: PredicateUse, second: PredicateUse) -> Iterator[Synonym]:
    """List the orders of arguments in which the types of two predicates fit."""
    orders: Iterable[Places] = [tuple(range(first.arity))]
    if first.arity <= MOST_PERMUTED:
        orders = permutations(range(first.arity))
    for places in orders:
        if _fits(first.declared, second.declared, places):
            yield Synonym(first.name, second.name, places)


def _fits(source: Sequence[Objects], target: tuple[Objects, ...], places: Places) -> bool:
    """Return True if every argument of the target has objects with that of the source in common."""
    # An argument without known objects fits every one.
    return all(
        not source[place] or not wanted or not source[place].isdisjoint(wanted)
        for place, wanted in zip(places, target, strict=True)
    )


def _propose(synonym: Synonym, task: AlignmentTask, crosses: bool) -> Proposal:
    """Direct a synonym from what holds to what is needed, and say how likely it is."""
    uses = task.uses
    first, second = uses[synonym.source], uses[synonym.target]
    if _count_holding(second) > _count_holding(first):
        synonym, first, second = synonym.invert(), second, first
    occurs = _occur_together(synonym, first, second)
    agreement = _compare_facts(synonym, task) if crosses else None
    reasons = _list_reasons(first, second, occurs)
    useful = first.can_hold and second.is_needed
    if crosses:
        close = useful and occurs and (agreement is None or agreement >= 0.5)
        tier = 0 if close else 1 if occurs and first.can_hold else 2
    else:
        close = first.is_loose and first.produced and not second.is_rigid
        # Facts about kinds of things are given in full: no action has torn a name off them.
        are_kinds = first.is_static and second.is_static
        tier = 2 if are_kinds or not (useful and occurs) else 0 if close else 1
    is_reordered = _is_reordered(synonym, first, second)
    prior = _weigh(tier, agreement, None, is_reordered)
    return Proposal(synonym, tier, prior, reasons, None, agreement, is_reordered)


def _is_reordered(synonym: Synonym, source: PredicateUse, target: PredicateUse) -> bool:
    """Return True if the arguments have another order although the given one would fit."""
    given = tuple(range(synonym.arity))
    return synonym.places != given and _fits(source.declared, target.declared, given)


def _propose_declared(synonym: Synonym, task: AlignmentTask, crosses: bool) -> Proposal:
    """Put a declared synonym into the first group; the facts may still speak against it."""
    first, second = task.uses[synonym.source], task.uses[synonym.target]
    agreement = _compare_facts(synonym, task) if crosses else None
    reasons = ("declared", *_list_reasons(first, second, _occur_together(synonym, first, second)))
    return Proposal(synonym, 0, _weigh(0, agreement, None), reasons, agreement=agreement)


def _occur_together(synonym: Synonym, source: PredicateUse, target: PredicateUse) -> bool:
    """Return True if the target can hold, or is needed, of objects of which the source can hold."""
    # A name that was torn off holds where the other one is needed, and maybe nowhere that it holds.
    fillers = [Objects() if one == ANY else Objects((one,)) for one in synonym.fillers]
    occurring = (*source.occurring, *fillers)
    return any(
        _fits(occurring, objects, synonym.places) for objects in (target.occurring, target.asked)
    )


def _count_holding(use: PredicateUse) -> int:
    """Say how much a predicate looks like one that is made true rather than needed."""
    return 2 * (use.is_loose - use.is_missing) + use.can_hold - use.is_needed + use.produced


def _list_reasons(source: PredicateUse, target: PredicateUse, occurs: bool) -> tuple[str, ...]:
    reasons = []
    if source.is_loose:
        verb = "produced" if source.produced else "given"
        reasons.append(f"{source.name} is {verb} and never needed")
    if target.is_missing:
        reasons.append(f"{target.name} is needed and never produced")
    if source.arity and occurs:
        reasons.append("they hold of the same objects")
    return tuple(reasons)


def _compare_facts(synonym: Synonym, task: AlignmentTask) -> float | None:
    """Compare the initial facts of two vocabularies about objects that both speak of.

    Facts that a declared projection is about are left out, except for that one. Returns the share
    of facts that both have; None where one of them has none.
    """
    source, target = (
        {one for one in task.uses[name].facts if task.shared.issuperset(one)}
        for name in (synonym.source, synonym.target)
    )
    for other in task.declared:
        if other.is_projection and other != synonym:
            for name, facts in ((synonym.source, source), (synonym.target, target)):
                if other.target == name:
                    facts -= {one for one in facts if project_facts(other, [one])}
    if not source or not target:
        return None
    followed = project_facts(synonym, target)
    return len(source & followed) / len(source | followed)


def _weigh(
    tier: int, agreement: float | None, likeness: float | None, is_reordered: bool = False
) -> float:
    prior = _TIER_PRIOR[tier]
    odds = math.log(prior / (1.0 - prior))
    if is_reordered:
        odds -= _REORDERING_WEIGHT
    if agreement is not None:
        odds += _AGREEMENT_WEIGHT * (agreement - 0.5)
    if likeness is not None:
        odds += (_LIKENESS_WEIGHT if likeness > 0.5 else _UNLIKENESS_WEIGHT) * (likeness - 0.5)
    return min(0.99, max(0.0005, 1.0 / (1.0 + math.exp(-odds))))
