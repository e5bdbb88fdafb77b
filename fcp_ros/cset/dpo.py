# SPDX-License-Identifier: Apache-2.0
"""Double-pushout (DPO) contexts: G without the image of ``L - K``, where a match has one.

In the diagram of a rewrite, the context is D::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H

Ehrig et al., *Fundamentals of Algebraic Graph Transformation* (2006), definitions 3.9 and 3.11: the
pushout complement exists where the identification and the dangling condition hold, the left leg
being monic.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.homs import find_homs
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.rule import Rule, RulePlan


@dataclass(frozen=True, slots=True)
class Context:
    """D, written as a state and what is still to be taken from it."""

    state: Instance
    # K -> D: an id of the state for each element and tuple of K
    glue: Mapping[int, int] = field(default_factory=dict)
    elements: Collection[int] = ()  # ids of the state to delete
    tuples: Collection[tuple[str, int]] = ()  # (relation, id of the state) to delete
    forgotten: Collection[tuple[str, int]] = ()  # (attribute, id of the state) to unset
    violations: tuple[Violation, ...] = ()


def make_dpo_context(plan: RulePlan, match: Morphism, *, monic: bool) -> Context:
    """Make the pushout complement of a natural match (the left leg is monic), or say why not."""
    mapping = match.mapping
    glue = {id_: mapping[original] for id_, original, _ in plan.glue}
    elements = [mapping[element] for element in plan.deleted_elements]
    tuples = [(relation, mapping[row]) for relation, row in plan.deleted_tuples]
    forgotten = [(attribute, glue[id_]) for attribute, id_ in plan.forgotten]
    violations: list[Violation] = []
    # Only a match that identifies something can break the identification condition, and only the
    # deletion of elements can leave something dangling: nothing refers to tuples.
    if not monic:
        violations.extend(_check_identification(plan, match))
        violations.extend(_find_value_conflicts(plan, match.target, glue))
    if elements:
        deleted = {*elements, *(row for _, row in tuples)}
        violations.extend(_check_dangling(plan, match.target, elements, deleted))
    return Context(match.target, glue, elements, tuples, forgotten, violations=tuple(violations))


def collisions(match: Morphism) -> dict[int, list[int]]:
    """Find the images of more than one element or tuple, with their preimages."""
    groups: dict[int, list[int]] = {}
    for id_, image in match.mapping.items():
        groups.setdefault(image, []).append(id_)
    return {image: members for image, members in groups.items() if len(members) > 1}


def _describe_identification(
    match: Morphism, image: int, members: list[int], lost: list[int]
) -> Violation:
    what = match.target.name_of(image)
    names, gone = (", ".join(map(match.source.name_of, ids)) for ids in (members, lost))
    text = (
        f"{what!r} is matched by {names}, and the rule deletes {gone}: "
        "it cannot be told whether it stays"
    )
    return Violation(ViolationKind.IDENTIFICATION, text, (what,))


def _find_value_conflicts(
    plan: RulePlan, state: Instance, glue: Mapping[int, int]
) -> Iterator[Violation]:
    """Find attributes that a rule forgets at one element and keeps at another, with one image."""
    kept = {(attribute, glue[id_]) for attribute, id_ in plan.values_kept}
    for attribute, id_ in plan.forgotten:
        if (attribute, glue[id_]) in kept:
            yield _describe_value_conflict(state, glue[id_], attribute)


def _describe_value_conflict(state: Instance, id_: int, attribute: str) -> Violation:
    name = state.name_of(id_)
    text = f"the rule both forgets and keeps {attribute!r} of {name!r}"
    return Violation(ViolationKind.IDENTIFICATION, text, (name,), attribute)


def _check_identification(plan: RulePlan, match: Morphism) -> Iterator[Violation]:
    """Find what a natural match identifies though the rule deletes it, or a part of it."""
    deleted = {*plan.deleted_elements, *(row for _, row in plan.deleted_tuples)}
    for image, members in collisions(match).items():
        lost = [id_ for id_ in members if id_ in deleted]
        if lost:
            yield _describe_identification(match, image, members, lost)


def _check_dangling(
    plan: RulePlan, state: Instance, elements: Collection[int], deleted: Collection[int]
) -> Iterator[Violation]:
    for element in dict.fromkeys(elements):
        incidence = plan.incidence(state.type_of(element))
        for relation, position, leg in incidence.legs:
            for row in state.relation_table(relation).index(position).get(element, ()):
                if row not in deleted:
                    names = (state.name_of(element), state.name_of(row))
                    text = f"{names[1]} stays, but its {leg!r} {names[0]!r} would be deleted"
                    yield Violation(ViolationKind.DANGLING, text, names, leg)
        for function in incidence.functions:
            for source in state.function_table(function).preimages().get(element, ()):
                if source not in deleted:
                    yield _describe_dangling_value(state, function, source, element)


def _describe_dangling_value(
    state: Instance, function: str, source: int, element: int
) -> Violation:
    names = (state.name_of(element), state.name_of(source))
    text = (
        f"{names[1]!r} stays, but its {function!r} {names[0]!r} would be deleted. A function is "
        f"never without a value: if actions are to change {function!r}, declare it as a relation"
    )
    return Violation(ViolationKind.DANGLING, text, names, function)


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of checking a match, before anything is glued."""

    violations: tuple[Violation, ...]
    # what the rule leaves of the state; None if the match is not natural
    context: Context | None = None


def check_match(rule: Rule, match: Morphism) -> tuple[Violation, ...]:
    """Find every condition that the match breaks; empty if the rule is applicable.

    In this order: naturality (alone, for the rest presupposes it), monicity, identification and
    dangling, application conditions. Functional legs concern the result (see `rewrite`).
    """
    return examine(rule, match).violations


def find_matches(
    rule: Rule, target: Instance, *, initial: Mapping[int, int] | None = None
) -> Iterator[Morphism]:
    """Find the matches at which the rule passes `check_match`; `initial` as in `find_homs`."""
    candidates = find_homs(rule.L, target, monic=rule.monic, initial=initial)
    return (match for match in candidates if not check_match(rule, match))


def examine(rule: Rule, match: Morphism) -> Examination:
    if match.source is not rule.L and not match.source.is_same(rule.L):
        raise ValueError(
            f"the match starts at {match.source!r}, which is not the left side of "
            f"rule {rule.name!r}; search matches of rule.L"
        )
    plan = rule.plan
    if not plan.check.holds(match):
        return Examination(match.violations())
    monic = match.is_monic
    context = make_dpo_context(plan, match, monic=monic)
    violations: list[Violation] = []
    if rule.monic and not monic:
        violations.extend(_check_monic(match))
    violations.extend(context.violations)
    for condition in rule.conditions:
        violation = condition.violation(match)
        if violation is not None:
            violations.append(violation)
    return Examination(tuple(violations), context)


def _check_monic(match: Morphism) -> Iterator[Violation]:
    for image, members in collisions(match).items():
        names, what = [match.source.name_of(id_) for id_ in members], match.target.name_of(image)
        text = f"{', '.join(names)} must be different, but all are {what!r}"
        yield Violation(ViolationKind.NOT_MONIC, text, (what,))
