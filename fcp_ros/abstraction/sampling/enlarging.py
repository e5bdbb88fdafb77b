# SPDX-License-Identifier: Apache-2.0
"""Tasks with more objects, made from training tasks: what a policy learned on these is tried on.

An object gets *twins*: others of its type with the same facts and the same goals. That is done only
where the training tasks show that it can be: if they have two balls in one room, a ball in a room
may have a twin; if no block ever has two blocks on it, a block on another one has none. What is
unique in all tasks, as a robot often is, stays unique. Only tasks for which a plan is found count.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.abstraction.sampling.restriction import find_goal_plan
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.vocabulary import (
    RelationForm,
    find_world,
    list_constants,
    list_forms,
)
from fcp_ros.cset import Fact, Instance
from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.instance import InstanceError

STEPS = 100  # of the random walk from each task that shows what may hold at once
BASES = 2  # training tasks that are enlarged, those with most objects
FACTORS = (2, 3)  # by which the number of twins grows
MOST_OBJECTS = 200
PLANNING_TIME = 2.0  # seconds of the processor for the plan of a large task

Kind = tuple[str, int]
"""A relation and one of its legs that count."""


@dataclass(frozen=True)
class ObservedTwins:
    """Evidence of the training tasks for elements that may be alike."""

    kinds: frozenset[Kind]  # legs in which two elements were seen at once, all else alike
    types: frozenset[str]  # of which some task has two elements


def enlarge_tasks(
    training: Sequence[TrainingTask], check: Callable[[], None], seed: int = 0
) -> tuple[TrainingTask, ...]:
    """Make solvable tasks with two and three times as many objects of most kinds; maybe none."""
    twins = observe_twins(training, check, seed)
    largest = sorted(training, key=lambda task: -task.object_count)
    made = []
    for task in largest[:BASES]:
        for factor in FACTORS:
            try:
                larger = add_twins(task, twins, factor)
            except InstanceError:  # a relation may be functional in this task alone
                continue
            if task.object_count < larger.object_count <= MOST_OBJECTS:
                check()
                if find_goal_plan(larger, larger.goal, PLANNING_TIME, seed).plan is not None:
                    made.append(larger)
    return tuple(made)


def observe_twins(
    training: Sequence[TrainingTask], check: Callable[[], None], seed: int = 0
) -> ObservedTwins:
    """Observe what may hold at once, in the tasks and on random walks from them."""
    source = random.Random(seed)
    kinds: set[Kind] = set()
    types: set[str] = set()
    for task in training:
        instance = task.instance
        counts = Counter(instance.type_of(element) for element in instance.all_elements())
        types.update(type_ for type_, count in counts.items() if count > 1)
        forms = list_forms(task.domain.schema)
        for facts in (_list_facts(instance), task.goal):
            kinds |= _list_shared((fact.relation, _list_legs(fact, forms)) for fact in facts)
        state, engine = build_state(task.domain, instance), RuleEngine(task.domain)
        fluent = [f for f in forms.values() if not state.vocabulary.fluent.isdisjoint(f.names)]
        for _ in range(STEPS):
            check()
            steps = list(engine.successors(state))
            if not steps:
                break
            engine.apply(*source.choice(steps), state)
            for form in fluent:
                kinds |= _list_shared((form.name, legs) for legs in state.list_tuples(form))
    return ObservedTwins(frozenset(kinds), frozenset(types))


def _list_shared(facts: Iterable[tuple[str, Sequence[object]]]) -> set[Kind]:
    """List the legs in which facts differ that are alike else."""
    counts = Counter(
        (name, place, tuple(legs[:place]), tuple(legs[place + 1 :]))
        for name, legs in facts
        for place in range(len(legs))
    )
    return {(name, place) for (name, place, *_), count in counts.items() if count > 1}


def _list_facts(instance: Instance) -> Iterator[Fact]:
    for relation in instance.schema.relations:
        for legs in instance.tuples(relation.name).values():
            yield Fact(relation.name, tuple(map(instance.name_of, legs)))


def add_twins(task: TrainingTask, twins: ObservedTwins, factor: int) -> TrainingTask:
    """Return the task with `factor` - 1 twins of each element that may have some."""
    instance, schema = task.instance, task.domain.schema
    facts, goal = list(_list_facts(instance)), list(task.goal)
    fixed, forms = {*list_constants(schema), find_world(schema)}, list_forms(schema)
    builder = InstanceBuilder.of(instance)
    for element in instance.all_elements():
        name, type_ = instance.name_of(element), instance.type_of(element)
        own = [fact for fact in facts if name in fact.arguments]
        wanted = [fact for fact in goal if name in fact.arguments]
        may = type_ in twins.types and name not in fixed
        if not may or not all(_may_repeat(fact, name, twins, forms) for fact in own + wanted):
            continue
        for number in range(2, factor + 1):
            twin = _find_free_name(builder, f"{name}-{number}")
            copy = builder.add(type_, twin, instance.attributes(element))
            for function in schema.functions:
                if schema.is_subtype(type_, function.source):
                    value = instance.apply(function.name, element)
                    builder.set_function(function.name, copy, value)
            for fact in own:
                legs = [twin if one == name else one for one in fact.arguments]
                builder.relate(fact.relation, *map(builder.id_of, legs))
            goal += [
                Fact(fact.relation, tuple(twin if one == name else one for one in fact.arguments))
                for fact in wanted
            ]
    return replace(task, name=f"{task.name} x{factor}", instance=builder.build(), goal=tuple(goal))


def _list_legs(fact: Fact, forms: Mapping[str, RelationForm]) -> tuple[str, ...]:
    return tuple([fact.arguments[place] for place in forms[fact.relation].positions])


def _may_repeat(
    fact: Fact, name: str, twins: ObservedTwins, forms: Mapping[str, RelationForm]
) -> bool:
    """Return True if another element may be in the place of `name`, which is there once."""
    places = [place for place, one in enumerate(_list_legs(fact, forms)) if one == name]
    return len(places) == 1 and (fact.relation, places[0]) in twins.kinds


def _find_free_name(builder: InstanceBuilder, wanted: str) -> str:
    while builder.has(wanted):
        wanted += "x"
    return wanted
