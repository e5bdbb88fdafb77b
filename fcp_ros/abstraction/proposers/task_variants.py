# SPDX-License-Identifier: Apache-2.0
"""Variants of training tasks: restricted to some of their elements, or enlarged."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.abstraction.proposers.proposer import TrainingTask
from fcp_ros.abstraction.states.building import GoalAtoms, build_state
from fcp_ros.abstraction.states.engine import RuleEngine
from fcp_ros.abstraction.states.state import (
    RelationalState,
    RelationForm,
    find_world,
    list_constants,
    list_forms,
)
from fcp_ros.cset import Fact, Instance
from fcp_ros.cset.builder import InstanceBuilder
from fcp_ros.cset.instance import InstanceError
from fcp_ros.domain.expressions.syntax import And, Atom, Constant
from fcp_ros.domain.model import make_crisp
from fcp_ros.foundation.stopping import Check
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, plan

# --- A state restricted to some of its elements, and the choice of the elements to keep
#
# The state spaces of training tasks are often too large, those of a few of their elements are not:
# two cars and the places that they have to do with. What holds of these is what held before.


PLANNING_TIME = 3.0  # seconds of the processor for the plan of a few goal facts
# seconds for a shorter one: many plans are made, and few are proven to be shortest in seconds
SHORTENING_TIME = 0.2
# so many times longer by the clock: other programs must not decide which samples are drawn
PATIENCE = 20.0
PLANS = 2  # with the same goal facts, with other draws of the planner: later ones are seldom others


def restrict_state(state: RelationalState, names: Sequence[str]) -> RelationalState:
    """Return the state on some of its elements; facts about others are gone, also of the goal.

    `names`: of the elements, in the order that they shall have.
    """
    names = tuple(names)
    old = [state.positions[name] for name in names]
    new_of = {bit: place for place, bit in enumerate(old)}
    restricted = RelationalState(state.vocabulary, names)
    for flag, value in state.flags.items():
        restricted.set_flag(flag, value)
    for concept, bits in state.concepts.items():
        for place, bit in enumerate(old):
            if bits >> bit & 1:
                restricted.set_member(concept, place, True)
    for role, rows in state.roles.items():
        for place, bit in enumerate(old):
            row = rows[bit]
            for target, other in new_of.items():
                if row >> target & 1:
                    restricted.set_pair(role, place, other, True)
    for relation, tuples in state.wide.items():
        restricted.wide[relation] = {
            tuple(new_of[bit] for bit in legs)
            for legs in tuples
            if all(bit in new_of for bit in legs)
        }
    return restricted


def restrict_goal(goal: GoalAtoms, state: RelationalState, kept: frozenset[str]) -> GoalAtoms:
    """Return the goal facts whose elements are all kept; `world` of PDDL is no element."""
    return tuple(
        fact
        for fact in goal
        if all(name in kept or name not in state.positions for name in fact.arguments)
    )


class PlannedElements:
    """The elements of plans for goal facts of a task; for the same facts few plans are made."""

    def __init__(self, task: TrainingTask) -> None:
        self.task = task
        self._constants = frozenset(list_constants(task.domain.schema))
        self._found: dict[GoalAtoms, list[frozenset[str] | None]] = {}

    def find(
        self, facts: GoalAtoms, random_source: random.Random, check: Check
    ) -> frozenset[str] | None:
        """Find elements with which some goal facts can be reached from the initial state.

        `facts`: at least one. Returns the elements of a plan for these facts, of the facts
        themselves, and those named by rules; None if no plan was found.
        """
        known = self._found.setdefault(facts, [])
        if len(known) == PLANS:
            return random_source.choice(known)
        check()
        seed = random_source.randrange(2**31)
        found = find_goal_plan(self.task, facts, PLANNING_TIME, seed, SHORTENING_TIME)
        check()
        known.append(None)
        if found.plan is not None:
            elements = {name for fact in facts for name in fact.arguments}
            elements.update(name for step in found.plan.steps for _, name in step.arguments)
            known[-1] = self._constants | elements
        return known[-1]


def find_goal_plan(
    task: TrainingTask, goal: GoalAtoms, seconds: float, seed: int, shortening: float = 0.0
) -> PlanningResult:
    """Look for a plan that reaches facts of a task; degrees, which policies ignore, don't count.

    `goal`: at least one fact. `seconds`: of the processor. `shortening`: seconds on the clock for
    shorter plans than the first one.
    """
    atoms = tuple(
        Atom(fact.relation, tuple(Constant(name) for name in fact.arguments)) for fact in goal
    )
    end = time.process_time() + seconds
    options = PlanningOptions(time_limit=PATIENCE * seconds, seed=seed, improve_time=shortening)
    return plan(
        PlanningRequest(
            make_crisp(task.domain),
            task.instance,
            And(atoms) if len(atoms) > 1 else atoms[0],
            options,
            cancelled=lambda: time.process_time() > end,
            explain_conflict=False,
        ),
    )


def choose_facts(goal: GoalAtoms, count: int, random_source: random.Random) -> GoalAtoms:
    """Choose facts; half of the time those that share an element, if there are some."""
    shuffled = random_source.sample(goal, len(goal))
    if random_source.random() < 0.5:
        first = set(shuffled[0].arguments)
        shuffled[1:] = sorted(shuffled[1:], key=lambda fact: first.isdisjoint(fact.arguments))
    return tuple(fact for fact in goal if fact in shuffled[:count])


# --- tasks with more objects, made from training tasks: what a policy learned on these is tried on
#
# An object gets *twins*: others of its type with the same facts and the same goals. That is done
# only where the training tasks show that it can be: if they have two balls in one room, a ball in a
# room may have a twin; if no block ever has two blocks on it, a block on another one has none. What
# is unique in all tasks, as a robot often is, stays unique. Only tasks for which a plan is found
# count.


STEPS = 100  # of the random walk from each task that shows what may hold at once
BASES = 2  # training tasks that are enlarged, those with most objects
FACTORS = (2, 3)  # by which the number of twins grows
MOST_OBJECTS = 200
LARGE_TASK_TIME = 2.0  # seconds of the processor for the plan of a large task

Kind = tuple[str, int]
"""A relation and one of its legs that count."""


@dataclass(frozen=True)
class ObservedTwins:
    """Evidence of the training tasks for elements that may be alike."""

    kinds: frozenset[Kind]  # legs in which two elements were seen at once, all else alike
    types: frozenset[str]  # of which some task has two elements


def enlarge_tasks(training: Sequence[TrainingTask], check: Check) -> tuple[TrainingTask, ...]:
    """Make solvable tasks with two and three times as many objects of most kinds; maybe none."""
    twins = observe_twins(training, check)
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
                if find_goal_plan(larger, larger.goal, LARGE_TASK_TIME, seed=0).plan is not None:
                    made.append(larger)
    return tuple(made)


def observe_twins(training: Sequence[TrainingTask], check: Check, seed: int = 0) -> ObservedTwins:
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
            builder.add(type_, twin, instance.attributes(element))
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
