# SPDX-License-Identifier: Apache-2.0
"""Rules that move an element from anywhere to somewhere, grounded without the place that is left.

`move(robot, from, to)` without further conditions has n * n operators among n places. The place
that is left does not matter (see below), so one operator is made for each `to`, with
one possible `from` as a *representative* of all; encoding makes it overwrite any old value.

That is sound if nothing depends on the place that is left: every fact of the relation may be left,
the rule does nothing else, no fact of the relation is ever required to be false, and every addition
to it replaces the old fact. Then the representative's needs (some place of the robot) are those of
all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance, Schema
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.domain.expressions.syntax import Atom, Variable, free_variables
from fcp_ros.domain.model import ActionRule
from fcp_ros.planning.task.lifted import (
    LiftedDomain,
    LiftedRelation,
    LiftedRule,
    Trigger,
    iterate_atoms,
)
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


# --- rules that merely forget an old value
#
# If `from` occurs only in a condition at(robot, from) that the rule deletes, and the rule adds
# at(robot, to) on the same functional leg, operators that differ only in `from` do the same: they
# overwrite the variable. One operator replaces them, which requires one of those old values; a
# plan's decoding recovers which one it was.


@dataclass(frozen=True, slots=True)
class ForgottenParameter:
    """A parameter that a rule merely forgets."""

    parameter: int
    atom: Atom  # the condition, also deleted, that binds it
    position: int
    leg: int  # the functional leg of the atom that determines it


def find_forgotten_parameter(
    rule: ActionRule, schema: Schema, durations: bool
) -> ForgottenParameter | None:
    """Find the parameter that a rule merely forgets; None if it forgets none."""
    for atom in rule.delete:
        functional = schema.relation(atom.predicate).keys
        for position, term in enumerate(atom.arguments):
            if not isinstance(term, Variable) or _count_mentions(rule, term.name, durations) != 1:
                continue
            for leg in functional:
                if leg != position and any(_reassigns(new, atom, leg) for new in rule.add):
                    number = rule.parameter_names.index(term.name)
                    return ForgottenParameter(number, atom, position, leg)
    return None


def _reassigns(new: Atom, old: Atom, leg: int) -> bool:
    return new.predicate == old.predicate and new.arguments[leg] == old.arguments[leg]


def _count_mentions(rule: ActionRule, name: str, durations: bool) -> int:
    """Count the mentions of a parameter; a deleted atom is a condition and not counted again."""
    count = _count_occurrences((literal.atom for literal in rule.when), name)
    count += _count_occurrences((*rule.add, *rule.graded), name)
    count += sum(name in free_variables(formula) for formula in rule.formulas)
    for effect in rule.effects:
        inside = (*(literal.atom for literal in effect.when), *effect.add, *effect.delete)
        if name not in {variable.name for variable in effect.variables}:
            count += _count_occurrences(inside, name)
            count += sum(name in free_variables(formula) for formula in effect.formulas)
    count += sum(name in term.parameters for term in rule.cost.terms)
    duration = rule.duration
    if durations and duration.between is not None and duration.per_metre != 0.0:
        count += name in duration.between
    return count


def _count_occurrences(atoms: Iterable[Atom], name: str) -> int:
    return sum(
        isinstance(term, Variable) and term.name == name
        for atom in atoms
        for term in atom.arguments
    )
