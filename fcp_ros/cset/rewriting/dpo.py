# SPDX-License-Identifier: Apache-2.0
"""Double-pushout (DPO) contexts: G without the image of ``L - K``, where the result is an instance.

Ehrig et al., *Fundamentals of Algebraic Graph Transformation* (2006), definitions 3.9 and 3.11: the
pushout complement exists where the identification and the dangling condition hold, the left leg
being monic.
"""

from collections.abc import Collection, Iterator, Mapping

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.context import Context
from fcp_ros.cset.rewriting.rule_plan import RulePlan


def make_dpo_context(plan: RulePlan, match: Morphism, *, monic: bool) -> Context:
    """Make the pushout complement of a natural match, or report why there is none.

    Args:
        plan: of a span whose left leg is monic.
        match: L -> G.
        monic: whether the match is.
    """
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
    """Describe that something deleted shares its image with something else."""
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
    """Describe that a match identifies what keeps an attribute with what forgets it."""
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
    """Find references to the deleted elements from everything that is not deleted."""
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
