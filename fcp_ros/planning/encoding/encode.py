# SPDX-License-Identifier: Apache-2.0
"""The pipeline from a ground goal to a flat task: relevance, alternatives, stages, operators.

Each alternative has a *finish* operator: it is applicable where the alternative holds and sets the
goal variable, with the loss of the goal's degree. So a plan for the goal is a plan for that one
variable, and the search finds out which alternative is best.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace

from fcp_ros.cset import Fact, Instance
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.encoding.costs import NO_PREMIUM, CostUnit, OperatorCosts, Premium
from fcp_ros.planning.encoding.encoding import Encoding, FlatAction, Recall
from fcp_ros.planning.encoding.operators import OperatorEncoder
from fcp_ros.planning.encoding.variables import (
    Relevance,
    Variables,
    choose_variables,
    find_needed,
)
from fcp_ros.planning.flat.builder import (
    Assignment,
    Body,
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
)
from fcp_ros.planning.flat.task import FlatAxiom
from fcp_ros.planning.goal.alternatives import Alternative, KnownDegree, find_alternatives
from fcp_ros.planning.goal.division import divide_formula
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.stages import BEGIN, Stages, make_stages
from fcp_ros.planning.goal.symmetry import SymmetryClasses, is_canonical
from fcp_ros.planning.goal.trajectory_effects import attach_constraints
from fcp_ros.planning.model.ground_step import GradedAtoms, GroundStep
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.request import Optimise, Phase, Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.relevance.closure import Breadth
from fcp_ros.planning.relevance.compiler import RelevanceCompiler
from fcp_ros.planning.relevance.overwriting import (
    ForgottenParameter,
    expand_representatives,
    find_forgotten_parameter,
)
from fcp_ros.planning.task.invariants import find_leg_mutexes
from fcp_ros.planning.task.task import Conditions, GroundOperator, Task


@dataclass(frozen=True, slots=True)
class Entry:
    """A flat operator before it becomes a row of arrays, with its meaning."""

    body: Body
    action: FlatAction
    graded: tuple[GradedAtom, ...] = ()
    cost: float = 0.0
    use: tuple[float, ...] = ()
    opens: float = 0.0
    closes: float = math.inf

    @property
    def operator(self) -> FlatOperator:
        """The flat operator; all loss is in the degree of the goal."""
        body, use = self.body, self.use
        return FlatOperator(
            body.pre,
            body.unequal,
            body.effects,
            body.blocks,
            0.0,
            self.cost,
            use,
            self.opens,
            self.closes,
        )


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

    An alternative that is never reachable has no finish operator. The stages of the goal come after
    its finish; then no operator of the world is applicable any more.
    """
    # Nearly all objects made here live until the end: the collector would only traverse them.
    with pause_garbage_collection():
        one_by_one = not options.switches.forgetting or options.macros is not make_no_macros
        if one_by_one and any(operator.forgets >= 0 for operator in task.operators):
            task = expand_representatives(task)
            conditions = Conditions(task)
        everything = [*alternatives, *(move.alternative for move in stages.moves)]
        relevance = find_needed(task, conditions, everything, watch)
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
        for axiom in task.axioms:
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


# --- fewer operators: one for those that differ only in an overwritten value


class OperatorMerger:
    """Merges entries that differ only in a forgotten parameter."""

    def __init__(self, task: Task, variables: Variables, durations: bool) -> None:
        self._task = task
        self._variables = variables
        self._rules = {
            name: found
            for name, rule in task.domain.rules.items()
            if (found := find_forgotten_parameter(rule, task.domain.schema, durations)) is not None
        }

    def merge(self, entries: Sequence[Entry]) -> list[Entry]:
        """Replace entries that differ only in a forgotten parameter by one."""
        groups: dict[Hashable, list[tuple[Entry, Assignment]]] = {}
        order: list[Entry | Hashable] = []
        for entry in entries:
            old = self._find_old_value(entry)
            if old is None:
                order.append(entry)
                continue
            key = self._make_key(entry, old)
            if key not in groups:
                groups[key] = []
                order.append(key)
            groups[key].append((entry, old))
        return [
            entry
            for item in order
            for entry in ([item] if isinstance(item, Entry) else self._merge_group(groups[item]))
        ]

    def _find_old_value(self, entry: Entry) -> Assignment | None:
        if len(entry.action.steps) != 1:
            return None
        (step,) = entry.action.steps
        rule = self._rules.get(step.rule.name)
        if rule is None:
            return None
        bound = dict(zip(step.rule.parameter_names, step.arguments, strict=True))
        arguments = tuple(bound[term.name] for term in rule.atom.arguments)  # type: ignore[union-attr]
        fact = self._task.fact_ids.get(Fact(rule.atom.predicate, arguments))
        old = None if fact is None else self._variables.place.get(fact)
        if old is None or old not in entry.body.pre:
            return None
        overwritten = any(
            effect.variable == old[0] and not effect.equal and not effect.unequal
            for effect in entry.body.effects
        )
        return old if overwritten and not self._is_read(entry.body, old[0]) else None

    @staticmethod
    def _is_read(body: Body, variable: int) -> bool:
        read = [place for effect in body.effects for place in (*effect.equal, *effect.unequal)]
        read += [place for block in body.blocks for place in (*block.rest, *block.done)]
        return any(place[0] == variable for place in read)

    def _make_key(self, entry: Entry, old: Assignment) -> Hashable:
        (step,) = entry.action.steps
        number = self._rules[step.rule.name].parameter
        body = entry.body
        return (
            step.rule.name,
            step.arguments[:number],
            step.arguments[number + 1 :],
            old[0],
            tuple(place for place in body.pre if place != old),
            body.unequal,
            body.effects,
            body.blocks,
            entry.graded,
            entry.cost,
            entry.use,
            entry.opens,
            entry.closes,
        )

    def _merge_group(self, group: Sequence[tuple[Entry, Assignment]]) -> list[Entry]:
        entry, (variable, _) = group[0]
        covered = {value for _, (_, value) in group}
        size = len(self._variables.values[variable])
        excluded = [value for value in range(size) if value not in covered]
        if len(covered) < 2 or len(excluded) >= len(covered):
            return [entry for entry, _ in group]
        (step,) = entry.action.steps
        rule: ForgottenParameter = self._rules[step.rule.name]
        return [_generalise(entry, variable, excluded, rule.position, rule.parameter)]


def expand_representative(
    entry: Entry, operator: GroundOperator, task: Task, variables: Variables
) -> Iterator[Entry]:
    """Make the entries of an operator that represents all old values.

    See `fcp_ros.planning.relevance.overwriting`.
    """
    (old,) = operator.delete
    (leg,) = task.keys_of(old)
    variable, value = variables.place[old]
    new = {e.value for e in entry.body.effects if e.variable == variable}
    covered: list[int] = []
    excluded: list[int] = []
    for number, fact in enumerate(variables.values[variable]):
        there = fact is not None and leg in task.keys_of(fact) and number not in new
        (covered if there else excluded).append(number)
    position = 1 - leg[1]
    if len(excluded) < len(covered) > 1:
        yield _generalise(entry, variable, excluded, position, operator.forgets)
        return
    (step,) = entry.action.steps
    for number in covered:
        fact = variables.values[variable][number]
        assert fact is not None, "an old value is a fact"
        arguments = list(step.arguments)
        arguments[operator.forgets] = task.facts[fact].arguments[position]
        pre = {(variable, number) if p == (variable, value) else p for p in entry.body.pre}
        yield replace(
            entry,
            body=replace(entry.body, pre=tuple(sorted(pre))),
            action=FlatAction((GroundStep(step.rule, tuple(arguments)),)),
        )


def _generalise(
    entry: Entry, variable: int, excluded: Iterable[int], leg: int, parameter: int
) -> Entry:
    """Make an entry for all values of a variable but some from one for a single value."""
    (step,) = entry.action.steps
    unequal = {*entry.body.unequal, *((variable, value) for value in excluded)}
    body = replace(
        entry.body,
        pre=tuple(place for place in entry.body.pre if place[0] != variable),
        unequal=tuple(sorted(unequal)),
    )
    arguments = list(step.arguments)
    arguments[parameter] = ""
    recall = Recall(variable, leg, parameter)
    action = FlatAction((GroundStep(step.rule, tuple(arguments)),), recall=recall)
    return replace(entry, body=body, action=action)


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
