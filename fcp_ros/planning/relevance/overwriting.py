# SPDX-License-Identifier: Apache-2.0
"""Rules that move an element from anywhere to somewhere, grounded without the place that is left.

`move(robot, from, to)` without further conditions has n * n operators among n places. The place
that is left does not matter (see `task.forgetting`), so one operator is made for each `to`, with
one possible `from` as a *representative* of all; encoding makes it overwrite any old value.

That is sound if nothing depends on the place that is left: every fact of the relation may be left,
the rule does nothing else, no fact of the relation is ever required to be false, and every addition
to it replaces the old fact. Then the representative's needs (some place of the robot) are those of
all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.planning.task.forgetting import find_forgotten_parameter
from fcp_ros.planning.task.lifted import LiftedDomain, LiftedRule, Trigger
from fcp_ros.planning.task.lifted_formulas import LiftedRelation, iterate_atoms
from fcp_ros.planning.task.task import GroundOperator, Task, index_changes


@dataclass(frozen=True, eq=False, slots=True)
class Overwriting:
    """A rule that overwrites an old value."""

    slot: int  # the parameter that is forgotten
    relation: LiftedRelation  # the binary relation that the rule changes
    slots: tuple[int, ...]  # the slots of the condition that binds the forgotten parameter
    key: int  # the functional leg of the relation: that of the element that is moved

    @property
    def moved(self) -> int:
        """The slot of the element that is moved."""
        return self.slots[self.key]


@dataclass(frozen=True)
class Overwritings:
    """The rules of a domain that are grounded by representatives."""

    rules: Mapping[int, Overwriting]
    triggers: Mapping[Trigger, Trigger]

    def without(self, relations: Collection[str]) -> Overwritings:
        """Return the overwritings of other relations."""
        if not any(found.relation.name in relations for found in self.rules.values()):
            return self
        rules = {n: o for n, o in self.rules.items() if o.relation.name not in relations}
        return Overwritings(
            rules, {t: bare for t, bare in self.triggers.items() if t.rule.number in rules}
        )


def find_overwritings(lifted: LiftedDomain) -> Overwritings:
    """Find the rules of a domain that can be grounded by representatives."""
    rules = {
        rule.number: found for rule in lifted.rules if (found := _analyse(rule, lifted)) is not None
    }
    triggers = {
        trigger: replace(
            trigger,
            fluent=tuple(
                atom for atom in trigger.fluent if rules[trigger.rule.number].slot not in atom[1]
            ),
        )
        for added in lifted.adders.values()
        for trigger in added
        if trigger.rule.number in rules
    }
    return Overwritings(rules, triggers | {bare: bare for bare in triggers.values()})


def find_crowded(overwritings: Overwritings, instance: Instance) -> Iterator[str]:
    """Yield the relations with an element that violates their functional leg initially."""
    for name in {found.relation.name for found in overwritings.rules.values()}:
        if find_conflicts(instance, [name]):
            yield name


def expand_representatives(task: Task) -> Task:
    """Replace representatives by all operators that they represent."""
    of_leg: dict[tuple[str, int, str], list[int]] = {}
    for fact in range(len(task.facts)):
        for key in task.keys_of(fact):
            of_leg.setdefault(key, []).append(fact)
    operators, purposes = [], []
    for index, operator in enumerate(task.operators):
        all_ = (
            [operator] if operator.forgets < 0 else list(_list_represented(operator, task, of_leg))
        )
        operators += all_
        purposes += [task.purposes[index] if task.purposes else None] * len(all_)
    adders, deleters = index_changes(operators, len(task.facts))
    return replace(
        task, operators=operators, adders=adders, deleters=deleters, purposes=tuple(purposes)
    )


def _list_represented(
    operator: GroundOperator, task: Task, of_leg: Mapping[tuple[str, int, str], list[int]]
) -> Iterator[GroundOperator]:
    (old,) = operator.delete
    (key,) = task.keys_of(old)
    for fact in of_leg[key]:
        if fact not in operator.add:
            arguments = list(operator.arguments)
            arguments[operator.forgets] = task.facts[fact].arguments[1 - key[1]]
            yield replace(
                operator,
                arguments=tuple(arguments),
                pre=tuple(fact if f == old else f for f in operator.pre),
                delete=(fact,),
                forgets=-1,
            )


# --- analysis of rules


def _analyse(rule: LiftedRule, lifted: LiftedDomain) -> Overwriting | None:
    action, body = rule.action, rule.body
    if action is None or rule.effects or len(body.add) != 1 or len(body.delete) != 1:
        return None
    ((relation, slots),), ((added, new),) = body.delete, body.add
    found = find_forgotten_parameter(action, lifted.domain.schema, durations=True)
    if found is None or added is not relation or len(slots) != 2 or relation.keys != (found.leg,):
        return None
    if found.position == found.leg or any(use < 0.0 for use in action.uses.values()):
        return None
    below = lifted.below
    fitting = below(rule.types[found.parameter])
    others = [
        type_
        for slot, type_ in enumerate(rule.types)
        if slot not in (found.parameter, new[found.position])
    ]
    if not relation.kinds[found.position] <= fitting:
        return None
    if any(not fitting.isdisjoint(below(type_)) for type_ in others):
        return None
    if not all(_replaces_additions(other, relation, found.leg) for other in lifted.rules):
        return None
    if relation.name in lifted.constraints:
        return None
    return Overwriting(found.parameter, relation, slots, found.leg)


def _replaces_additions(rule: LiftedRule, relation: LiftedRelation, key: int) -> bool:
    """Return True if a rule requires no absence in a relation and replaces what it adds to it."""
    parts = [part for _, part in rule.effects]
    if any(
        atom[0] is relation
        for part in (rule.body, *parts)
        for condition in part.formulas
        for atom in iterate_atoms(condition.formula)
    ):
        return False
    if any(atom[0] is relation for part in (rule.body, *parts) for atom in part.absent):
        return False
    if any(
        atom[0] is relation for part in parts for atom in (*part.fluent, *part.add, *part.delete)
    ):
        return False
    replaced = {slots[key] for other, slots in rule.body.delete if other is relation}
    return all(slots[key] in replaced for other, slots in rule.body.add if other is relation)
