# SPDX-License-Identifier: Apache-2.0
"""The slow obvious twin of grounding on demand: everything is made, then filtered until it stays.

The two filters, relevance and delete-relaxed reachability (of both polarities), are applied in
turn, each time on a task made anew of what is left.
"""

from collections import deque
from dataclasses import replace

from exhaustive_compiler import compile_task

from fcp_ros.cset import facts
from fcp_ros.planning.encoding.variables import find_needed
from fcp_ros.planning.goal.alternatives import Alternative, Degree
from fcp_ros.planning.task.patterns import FactStore
from fcp_ros.planning.task.task import Conditions


def exhaustive_names(domain, instance, wanted, watch):
    """Names of the operators that are left of all."""
    return filtered_names(compile_task(domain, instance, watch), wanted, watch)


def filtered_names(task, wanted, watch):
    """Names of the operators of a task that are left."""
    while True:
        conditions = Conditions(task)
        goal = Alternative(
            Degree(1.0),
            positive=frozenset(task.fact_ids[f] for f in wanted.positive if f in task.fact_ids),
            negative=frozenset(task.fact_ids[f] for f in wanted.negative if f in task.fact_ids),
        )
        kept = mattering(task, conditions, goal, watch)
        kept = reached(task, conditions, kept)
        if len(kept) == len(task.operators):
            return {str(operator) for operator in task.operators}
        task = restricted(task, kept)


def mattering(task, conditions, goal, watch):
    """The operators that can matter for a goal: backwards from it, until none is missing."""
    kept, before = set(), None
    gains, spends = (
        {r for o in task.operators for r, use in o.rule.uses.items() if use * sign > 0.0}
        for sign in (-1.0, 1.0)
    )
    while len(kept) != before:
        before = len(kept)
        part = _Part(task, conditions, sorted(kept))
        asked = find_needed(part, part, [goal], watch)
        chosen = part.operators
        added = {fact for o in chosen for fact in _added(o)}
        deleted = {fact for o in chosen for fact in _deleted(o)}
        used = gains & spends & {r for o in chosen for r in o.rule.uses}
        for index, operator in enumerate(task.operators):
            if conditions.find_absences(index) is None:
                continue
            helps = asked.needed_true & (_added(operator) - (task.initial - deleted))
            clears = asked.needed_false & _deleted(operator) & (task.initial | added)
            if helps or clears or not used.isdisjoint(operator.rule.uses):
                kept.add(index)
    return sorted(kept)


def _added(operator):
    return {*operator.add, *(fact for effect in operator.effects for fact in effect.add)}


def _deleted(operator):
    return {*operator.delete, *(fact for effect in operator.effects for fact in effect.delete)}


class _Part:
    """Some operators of a task, with their conditions."""

    def __init__(self, task, conditions, kept):
        self.operators = [task.operators[index] for index in kept]
        self.axioms = task.axioms
        self.find_absences = lambda index: conditions.find_absences(kept[index])
        self.find_blocks = lambda index: conditions.find_blocks(kept[index])


def reached(task, conditions, kept):
    """The operators that apply at some time if nothing that is reached is ever lost."""
    true, false = set(task.initial), set(range(len(task.facts))) - task.initial
    done = set()
    while True:
        new = {
            index
            for index in kept
            if index not in done
            and true.issuperset(task.operators[index].pre)
            and all(
                absence.unless in task.initial
                or all(fact in false or fact == absence.unless for fact in absence.facts)
                for absence in conditions.find_absences(index)
            )
        }
        if not new:
            return [index for index in kept if index in done]
        done |= new
        for index in new:
            true.update(task.operators[index].add)
            false.update(task.operators[index].delete)


def restricted(task, kept):
    """The task with these operators and the facts that they make possible."""
    operators = [task.operators[index] for index in kept]
    possible = sorted(task.initial.union(*(operator.add for operator in operators)))
    new = {old: number for number, old in enumerate(possible)}

    def renumbered(numbers):
        return tuple(new[number] for number in numbers if number in new)

    store = FactStore()
    for fact in facts(task.instance):
        if not task.is_fluent(fact.relation):
            store.add(fact.relation, fact.arguments)
    for number in possible:
        store.add(*task.facts[number])
    operators = [
        replace(o, pre=renumbered(o.pre), add=renumbered(o.add), delete=renumbered(o.delete))
        for o in operators
    ]
    found = [task.facts[number] for number in possible]
    return replace(
        task,
        facts=found,
        fact_ids={fact: number for number, fact in enumerate(found)},
        initial=frozenset(renumbered(task.initial)),
        operators=operators,
        store=store,
        adders=[[i for i, o in enumerate(operators) if f in o.add] for f in range(len(found))],
        deleters=[[i for i, o in enumerate(operators) if f in o.delete] for f in range(len(found))],
        keys=[task.keys[number] for number in possible],
    )


def shortest(task, wanted, limit=20_000):
    """Names of the steps of a shortest plan on a task; None where there is none.

    Resources are ignored. Raises OverflowError where there are too many states.
    """
    conditions = Conditions(task)
    usable = [
        (o, conditions.find_absences(index), conditions.find_blocks(index))
        for index, o in enumerate(task.operators)
        if conditions.find_absences(index) is not None
    ]
    if not all(fact in task.fact_ids for fact in wanted.positive):
        return None
    positive = {task.fact_ids[fact] for fact in wanted.positive}
    negative = {task.fact_ids[fact] for fact in wanted.negative if fact in task.fact_ids}
    before = {task.initial: None}
    queue = deque([task.initial])
    while queue:
        state = queue.popleft()
        if positive <= state and negative.isdisjoint(state):
            return _steps(state, before)
        for operator, absences, blocks in usable:
            if applies(state, operator, absences, blocks):
                after = outcome(state, operator)
                if after not in before:
                    before[after] = (state, str(operator))
                    queue.append(after)
        if len(before) > limit:
            raise OverflowError
    return None


def applies(state, operator, absences, blocks):
    """Whether an operator may be applied in a state."""
    return (
        state.issuperset(operator.pre)
        and all(absence.holds(state) for absence in absences)
        and not any(
            state.issuperset(block.rest) and not state.issuperset(block.completes)
            for block in blocks
        )
    )


def outcome(state, operator):
    """The state after an operator: what anything adds stays."""
    happening = [
        effect
        for effect in operator.effects
        if state.issuperset(effect.pre) and state.isdisjoint(effect.absent)
    ]
    deleted = set(operator.delete).union(*(effect.delete for effect in happening))
    return frozenset((state - deleted).union(operator.add, *(e.add for e in happening)))


def _steps(state, before):
    steps = []
    while before[state] is not None:
        state, step = before[state]
        steps.append(step)
    return steps[::-1]
