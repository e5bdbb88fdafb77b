# SPDX-License-Identifier: Apache-2.0
"""Sesqui-pushout (SqPO) contexts: the final pullback complement of ``K -> L`` and the match.

Corradini, Heindel, Hermann, Koenig, *Sesqui-pushout rewriting* (2006). D has, over every element
of G outside the image of L, all ways of choosing a copy of what it refers to; over the image of an
element of L, its preimages in K (Dyckhoff, Tholen, *Exponentiable morphisms, partial products and
pullback complements*, 1987). Where the left leg is monic there is at most one copy, and D is what
stays when everything goes that refers to something deleted.
"""

from collections.abc import Iterator

from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation
from fcp_ros.cset.rewriting.cloning import clone
from fcp_ros.cset.rewriting.context import Context
from fcp_ros.cset.rewriting.deletion import Deletion, undermined
from fcp_ros.cset.rewriting.dpo import collisions, conflict, value_conflicts
from fcp_ros.cset.rewriting.rule_plan import RulePlan


def sqpo_context(plan: RulePlan, match: Morphism, *, monic: bool) -> Context:
    """The final pullback complement at a natural match; or why there is none.

    Args:
        plan: of a span.
        match: L -> G.
        monic: whether the match is.
    """
    if not plan.left_is_monic:
        return clone(plan, match)
    mapping = match.mapping
    glue = {id_: mapping[original] for id_, original, _ in plan.glue}
    deletion = Deletion(plan, match.target)
    deletion.add(
        [mapping[element] for element in plan.deleted_elements],
        [(relation, mapping[row]) for relation, row in plan.deleted_tuples],
    )
    violations: list[Violation] = []
    if not monic:
        violations.extend(_conflicts(plan, match))
        violations.extend(value_conflicts(plan, match.target, glue))
    if deletion.elements and not violations:
        violations.extend(undermined(match.target, glue, deletion))
    return Context(
        match.target,
        glue,
        list(deletion.elements),
        deletion.pairs(),
        [(attribute, glue[id_]) for attribute, id_ in plan.forgotten],
        violations=tuple(violations),
    )


def _conflicts(plan: RulePlan, match: Morphism) -> Iterator[Violation]:
    """Where a match identifies what is deleted with what is preserved."""
    deleted = {*plan.deleted_elements, *(row for _, row in plan.deleted_tuples)}
    for image, members in collisions(match).items():
        lost = [id_ for id_ in members if id_ in deleted]
        if lost and len(lost) < len(members):
            yield conflict(match, image, members, lost)
