# SPDX-License-Identifier: Apache-2.0
"""Single-pushout (SPO) contexts: every match is admitted, and deletion wins.

Loewe, *Algebraic approach to single-pushout graph transformation* (1993): the result is a pushout
in the category of partial morphisms. What it deletes is the least set that holds the image of
``L - K``, everything that refers to something in it, and, where a match that is not monic
identifies what is deleted with what is preserved, that too, together with what R was to glue there.
Where there are no such conflicts, the result is the pushout of what is left, as in DPO.
"""

from collections.abc import Mapping

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.context import Context, Deletion
from fcp_ros.cset.rewriting.rule_plan import RulePlan

Cells = set[tuple[str, int]]


def make_spo_context(plan: RulePlan, match: Morphism, *, monic: bool) -> Context:
    """Make the context at a natural match; there always is one.

    Args:
        plan: of a span whose left leg is monic.
        match: L -> G.
        monic: whether the match is.
    """
    glue = {id_: match.mapping[original] for id_, original, _ in plan.glue}
    deletion = Deletion.of_match(plan, match)
    forgotten = {(attribute, glue[id_]) for attribute, id_ in plan.forgotten}
    lost: frozenset[int] = frozenset()
    lost_values: Cells = set()
    if not monic or deletion.elements:
        # Even at a monic match a preserved element may be lost: one of a subtype that has a
        # function which the rule does not know of, to a deleted element.
        lost = _settle(plan, glue, deletion)
        lost_values = _settle_values(plan, glue, forgotten)
    return Context(
        match.target,
        {id_: image for id_, image in glue.items() if image not in deletion},
        list(deletion.elements),
        deletion.list_tuples(),
        sorted(cell for cell in forgotten if cell[1] not in deletion),
        lost=lost,
        lost_values=frozenset(cell for cell in lost_values if cell[1] not in lost),
    )


def _settle(plan: RulePlan, glue: Mapping[int, int], deletion: Deletion) -> frozenset[int]:
    """Let deletion win over preservation; return the ids of R that are lost by it.

    Something of K is lost on one side (in G or in R) exactly where it is lost on the other.
    """
    relations = {row: relation for relation, row in plan.kept_tuples}
    lost: set[int] = set()
    while True:
        lost.update(result for id_, _, result in plan.glue if glue[id_] in deletion)
        _spread(plan.right.target, lost)
        more = {
            id_: glue[id_]
            for id_, _, result in plan.glue
            if result in lost and glue[id_] not in deletion
        }
        if not more:
            return frozenset(lost)
        deletion.add(
            [image for id_, image in more.items() if id_ not in relations],
            [(relations[id_], image) for id_, image in more.items() if id_ in relations],
        )


def _spread(instance: Instance, lost: set[int]) -> None:
    """Add everything that refers to something lost; the instance is small."""
    size = -1
    while size != len(lost):
        size = len(lost)
        for function in instance.schema.functions:
            values = instance.function_table(function.name).values
            lost.update(element for element, value in values.items() if value in lost)
        for relation in instance.schema.relations:
            rows = instance.tuples(relation.name)
            lost.update(row for row, legs in rows.items() if not lost.isdisjoint(legs))


def _settle_values(plan: RulePlan, glue: Mapping[int, int], forgotten: Cells) -> Cells:
    """Settle attributes likewise: return those of R that are lost, and extend `forgotten`."""
    lost: Cells = set()
    kept = [(attribute, id_, plan.right.mapping[id_]) for attribute, id_ in plan.values_kept]
    size = -1
    while size != len(lost) + len(forgotten):
        size = len(lost) + len(forgotten)
        lost.update((a, result) for a, id_, result in kept if (a, glue[id_]) in forgotten)
        forgotten.update((a, glue[id_]) for a, id_, result in kept if (a, result) in lost)
    return lost
