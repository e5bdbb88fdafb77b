# SPDX-License-Identifier: Apache-2.0
"""The pipeline from a ground goal to a flat task: relevance, alternatives, stages, operators.

Each alternative has a *finish* operator: it is applicable where the alternative holds and sets the
goal variable, with the loss of the goal's degree. So a plan for the goal is a plan for that one
variable, and the search finds out which alternative is best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from fcp_ros.cset import Instance
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.costs import NO_PREMIUM, CostUnit, OperatorCosts, Premium
from fcp_ros.planning.encoding.encoding import Encoding, FlatAction
from fcp_ros.planning.encoding.merge import Entry, OperatorMerger, expand_representative
from fcp_ros.planning.encoding.operators import OperatorEncoder
from fcp_ros.planning.encoding.variables import (
    Relevance,
    Variables,
    choose_variables,
    select_relevant,
)
from fcp_ros.planning.flat.builder import Body, FlatBuilder, FlatEffect, FlatResource
from fcp_ros.planning.flat.task import FlatAxiom
from fcp_ros.planning.goal.alternatives import Alternative, KnownDegree, find_alternatives
from fcp_ros.planning.goal.division import divide_formula
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.stages import BEGIN, Stages, make_stages
from fcp_ros.planning.goal.symmetry import SymmetryClasses, is_canonical
from fcp_ros.planning.goal.trajectory_effects import attach_constraints
from fcp_ros.planning.model.ground_step import GradedAtoms, GroundStep
from fcp_ros.planning.model.request import Optimise, Phase, Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.relevance.overwriting import expand_representatives
from fcp_ros.planning.task.invariants import find_leg_mutexes
from fcp_ros.planning.task.task import Conditions, Task

MacroMaker = Callable[
    [Sequence[Entry], Sequence[int], Sequence[FlatResource], int], Iterable[Entry]
]
"""Makes further entries from the entries, the sizes of variables, the resources and the clock."""

NO_STAGES = Stages()
"""The stages of a goal that has neither counts nor preferences."""


def make_no_macros(*_: object) -> Iterable[Entry]:
    """Make no further entries."""
    return ()


@dataclass(frozen=True)
class EncodeOptions:
    """Options of encoding."""

    optimise: Optimise = Optimise.MEMBERSHIP
    deadline: float = math.inf
    amounts: Mapping[str, float] = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)
    macros: MacroMaker = make_no_macros
    unit: CostUnit = field(default_factory=CostUnit)
    # resource, "cost" or "steps" -> how much of it a plan may use
    budgets: Mapping[str, float] = field(default_factory=dict)
    premium: Premium = NO_PREMIUM


def encode(
    task: Task,
    conditions: Conditions,
    alternatives: Sequence[Alternative],
    options: EncodeOptions,
    watch: Watch,
    stages: Stages = NO_STAGES,
) -> Encoding:
    """Encode a goal on a task as a flat task.

    Only what matters for one of the alternatives is encoded (see `select_relevant`). An alternative
    that is never reachable has no finish operator. The stages of the goal come after its finish;
    then no operator of the world is applicable any more.
    """
    # Nearly all objects made here live until the end: the collector would only traverse them.
    with pause_garbage_collection():
        one_by_one = not options.switches.forgetting or options.macros is not make_no_macros
        if one_by_one and any(operator.forgets >= 0 for operator in task.operators):
            task = expand_representatives(task)
            conditions = Conditions(task)
        everything = [*alternatives, *(move.alternative for move in stages.moves)]
        relevance = select_relevant(task, conditions, everything, watch)
        return _Encoder(task, conditions, alternatives, relevance, options, watch, stages).run()


class _Encoder:
    def __init__(
        self,
        task: Task,
        conditions: Conditions,
        alternatives: Sequence[Alternative],
        relevance: Relevance,
        options: EncodeOptions,
        watch: Watch,
        stages: Stages,
    ) -> None:
        self._task = task
        self._alternatives = alternatives
        self._relevant = relevance.operators
        self._axioms = relevance.axioms
        self._switches = options.switches
        self._macros = options.macros
        self._watch = watch
        self._stages = stages
        # What is given up costs nothing where costs are not minimised.
        self._premium = options.premium
        self._unit = options.unit if options.optimise is Optimise.COST else None
        mutexes = find_leg_mutexes(task, conditions, relevance.operators, watch.check)
        self._variables: Variables = choose_variables(task, conditions, relevance, mutexes)
        self._encoder = OperatorEncoder(task, conditions, self._variables, mutexes)
        self._costs = OperatorCosts(
            task,
            [task.operators[index] for index in relevance.operators],
            options.optimise,
            options.deadline,
            options.amounts,
            options.unit,
            options.budgets,
            options.premium.step,
        )
        self._graded = {name: GradedAtoms(rule) for name, rule in task.domain.rules.items()}

    def run(self) -> Encoding:
        variables, costs = self._variables, self._costs
        entries = [entry for index in self._relevant for entry in self._make_entries(index)]
        sizes = [*map(len, variables.values)]
        entries.extend(self._macros(entries, sizes, costs.pools, costs.clock))
        if self._switches.forgetting:
            merger = OperatorMerger(self._task, variables, costs.durations_matter)
            entries = merger.merge(entries)
        for number, alternative in enumerate(self._alternatives):
            entries.extend(self._make_finish(number, alternative))
        self._watch.check()
        if self._stages.moves:
            entries = [*map(self._confine, entries), *self._make_moves()]
        flat = FlatBuilder(
            [*sizes, self._stages.last + 1],
            [*variables.initial, 0],
            [(len(variables.values), self._stages.last)],
            [entry.operator for entry in entries],
            costs.pools,
            costs.clock,
            list(self._make_axioms()),
        ).write()
        return Encoding(
            flat,
            self._task,
            variables,
            [entry.action for entry in entries],
            [entry.graded for entry in entries],
            self._alternatives,
            self._stages.fulfilled > BEGIN,
        )

    def _make_axioms(self) -> Iterator[FlatAxiom]:
        """Yield the axioms that may ever derive something, in the order of their strata."""
        task, derived = self._task, self._variables.derived
        stratum = {
            name: number
            for number, layer in enumerate(task.domain.strata)
            for name in layer.relations
        }
        for number in self._axioms:
            axiom = task.axioms[number]
            found = self._encoder.encode_condition(axiom.pre, axiom.absent)
            if found is not None:
                own = stratum[task.facts[axiom.head].relation]
                yield FlatAxiom(derived[axiom.head], own, *found)

    def _confine(self, entry: Entry) -> Entry:
        unfinished = (len(self._variables.values), 0)
        return replace(entry, body=replace(entry.body, pre=(*entry.body.pre, unfinished)))

    def _make_moves(self) -> Iterator[Entry]:
        goal = len(self._variables.values)
        for move in self._stages.moves:
            self._watch.check()
            alternative = move.alternative
            found = self._encoder.encode_condition(alternative.positive, alternative.negative)
            if found is None:
                continue
            pre, unequal = found
            body = Body((*pre, (goal, move.source)), unequal, (FlatEffect(goal, move.target),))
            cost = 0.0 if self._unit is None else self._unit.count(move.cost)
            cost += self._premium.size * move.left_out + move.steps
            yield Entry(body, FlatAction(move=move), alternative.graded, cost, self._costs.no_use())

    def _make_entries(self, index: int) -> Iterator[Entry]:
        self._watch.check()
        operator = self._task.operators[index]
        costs = self._costs
        window = costs.window_of(operator)
        for body in self._encoder.encode(index):
            if body.changes_nothing and costs.is_free(operator):
                continue
            entry = Entry(
                body,
                FlatAction((GroundStep(operator.rule, operator.arguments),)),
                self._graded[operator.rule.name].of(operator.arguments),
                costs.compute_cost(operator),
                costs.use_of(operator),
                window.opens,
                window.closes,
            )
            if operator.forgets < 0:
                yield entry
            else:
                yield from expand_representative(entry, operator, self._task, self._variables)

    def _make_finish(self, number: int, alternative: Alternative) -> Iterator[Entry]:
        """Yield the finish of an alternative; none if it is never reachable."""
        self._watch.check()
        condition = self._encoder.encode_condition(alternative.positive, alternative.negative)
        if condition is not None and not alternative.missing:
            targets = self._stages.targets
            target = targets[number] if targets else BEGIN
            reached = FlatEffect(len(self._variables.values), target)
            body = Body(*condition, (reached,))
            use = self._costs.no_use()
            yield Entry(body, FlatAction(alternative=number), alternative.graded, use=use)


# --- from a ground goal to its encoding: relevance, constraints, alternatives, stages, flat task


PhaseTimer = Callable[[Phase], AbstractContextManager[None]]
"""Makes a context in which the time counts for a phase."""


@dataclass(frozen=True)
class GoalSetting:
    """The setting of a goal."""

    compiler: RelevanceCompiler
    instance: Instance
    classes: SymmetryClasses
    tnorm: TNorm


@dataclass(frozen=True)
class CompiledGoal:
    """A goal on a compiled task."""

    task: Task
    conditions: Conditions
    encoding: Encoding


def compile_task(
    goal: GroundGoal,
    setting: GoalSetting,
    breadth: Breadth,
    most: int,
    watch: Watch,
    times: PhaseTimer,
) -> Task:
    """Compile what leads to a goal."""
    with times(Phase.COMPILE):
        wanted = goal.find_wanted()
        task = setting.compiler.task(setting.instance, wanted, breadth, watch, most)
        if goal.constraints:
            task = attach_constraints(expand_representatives(task), goal.constraints, watch.check)
        return task


def compile_goal(
    goal: GroundGoal,
    setting: GoalSetting,
    task: Task,
    options: EncodeOptions,
    known: KnownDegree,
    watch: Watch,
    times: PhaseTimer,
) -> CompiledGoal:
    """Compile a goal on the task of what leads to it."""
    with times(Phase.COMPILE):
        conditions = Conditions(task)
    with times(Phase.GOAL):
        tnorm = setting.tnorm
        divided = divide_formula(
            goal.formula, lambda part: find_alternatives(part, known, tnorm, task, watch), task
        )
        finishes = [f for f in divided.finishes if is_canonical(f.alternative, setting.classes)]
        alternatives = [finish.alternative for finish in finishes]
        last = divided.last
        stages = make_stages(goal, alternatives, known, tnorm, task, watch, last)
        stages = replace(
            stages,
            moves=(*divided.moves, *stages.moves),
            targets=tuple(finish.target for finish in finishes),
            fulfilled=last,
        )
    with times(Phase.COMPILE):
        if goal.constraints or task.axioms:  # on each state, so none may be skipped
            options = replace(options, macros=make_no_macros)
        encoding = encode(task, conditions, alternatives, options, watch, stages)
    return CompiledGoal(task, conditions, encoding)
