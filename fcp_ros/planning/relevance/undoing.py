# SPDX-License-Identifier: Apache-2.0
"""Rules that lead nowhere: all that they need comes from what they give."""

from __future__ import annotations

from fcp_ros.planning.task.lifted import LiftedDomain, LiftedRelation, Trigger


def only_undoes(trigger: Trigger, lifted: LiftedDomain) -> bool:
    """Whether what the rule needs comes only from what it gives: no way to get that anew."""
    rule = trigger.rule
    if trigger.effect >= 0:
        return False
    for relation, slots in rule.body.add:
        if slots != trigger.slots or relation.name not in rule.chains:
            continue
        for needed, needs in rule.body.fluent:
            if needed is not relation:
                continue
            sources = [
                adder
                for adder in lifted.adders.get(relation.name, ())
                if _may_give(adder, trigger, needs, lifted)
            ]
            if all(_circular(trigger, relation, needs, adder) for adder in sources):
                return True
    return False


def _may_give(
    adder: Trigger, trigger: Trigger, needs: tuple[int, ...], lifted: LiftedDomain
) -> bool:
    below = lifted.below
    return all(
        not below[adder.types[one]].isdisjoint(below[trigger.types[other]])
        for one, other in zip(adder.slots, needs, strict=True)
    )


def _circular(
    trigger: Trigger, relation: LiftedRelation, needs: tuple[int, ...], adder: Trigger
) -> bool:
    """Whether the adder needs the very fact that the trigger gives, by functional static links."""
    offset = len(trigger.types)
    same = list(range(offset + len(adder.types)))

    def root(slot: int) -> int:
        while same[slot] != slot:
            slot = same[slot]
        return slot

    for one, other in zip(adder.slots, needs, strict=True):
        same[root(one + offset)] = root(other)
    atoms = [
        *trigger.static,
        *((r, tuple(slot + offset for slot in slots)) for r, slots in adder.static),
    ]
    changed = True
    while changed:
        changed = False
        for index, (one_relation, ones) in enumerate(atoms):
            for other_relation, others in atoms[index + 1 :]:
                if one_relation is other_relation and any(
                    root(ones[key]) == root(others[key]) for key in one_relation.keys
                ):
                    for a, b in zip(ones, others, strict=True):
                        if root(a) != root(b):
                            same[root(a)] = root(b)
                            changed = True
    given = [root(slot) for slot in trigger.slots]
    return any(
        needed is relation and [root(slot + offset) for slot in slots] == given
        for needed, slots in adder.fluent
    )
