# SPDX-License-Identifier: Apache-2.0
"""Task and goal alternatives -> flat task: the pipeline.

Each alternative of the goal has a *finish* operator: it may be applied where the alternative holds
and sets the goal variable; its loss is that of the goal's degree. So a plan for the goal is a plan
for the one variable, and which alternative is worth it is for the search to find out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.planning.encoding.arrays import flat_task
from fcp_ros.planning.encoding.encoding import Action, Encoding
from fcp_ros.planning.encoding.figures import Figures
from fcp_ros.planning.encoding.merge import Entry, Merging, overwriting
from fcp_ros.planning.encoding.metric import contracted
from fcp_ros.planning.encoding.operators import Body, OperatorEncoder
from fcp_ros.planning.encoding.variables import Variables, variables_of
from fcp_ros.planning.flat.builder import FlatEffect, FlatResource
from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.model.ground_step import GradedAtoms, GroundStep
from fcp_ros.planning.model.request import Optimise, Switches
from fcp_ros.planning.model.watch import Watch
from fcp_ros.planning.mutexes.ground_mutexes import find_leg_mutexes
from fcp_ros.planning.relevance.overwriting import expanded
from fcp_ros.planning.relevance.selection import Relevance, relevant
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Task

MacroMaker = Callable[
    [Sequence[Entry], Sequence[int], Sequence[FlatResource], int], Iterable[Entry]
]
"""Makes further operators of the entries, the variables' sizes, the resources, and the clock."""


def no_macros(*_: object) -> Iterable[Entry]:
    """The maker that makes none."""
    return ()


@dataclass(frozen=True)
class EncodeOptions:
    """How to encode.

    Attributes:
        optimise: what the flat costs are: steps (each 1), the rules' costs or their durations.
        deadline: seconds that a plan may take; infinite without one.
        amounts: resource -> what there is of it at first; the domain's own figure by default.
        switches: the optimisations.
        macros: makes operators for sequences of steps (see chunks/macros.py).
    """

    optimise: Optimise = Optimise.MEMBERSHIP
    deadline: float = math.inf
    amounts: Mapping[str, float] = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)
    macros: MacroMaker = no_macros


def encode(
    task: Task,
    conditions: Conditions,
    alternatives: Sequence[Alternative],
    options: EncodeOptions,
    watch: Watch,
) -> Encoding:
    """The flat task of a goal.

    Only what matters for one of the alternatives is encoded (see `relevant`). An alternative that
    can't be reached whatever is done has no finish operator.

    Raises:
        Interrupted: cancelled, or out of time.
    """
    # Nearly all that is made here stays until the end: no garbage is to be looked for.
    with pause_garbage_collection():
        apart = not options.switches.forgetting or options.macros is not no_macros
        if apart and any(operator.forgets >= 0 for operator in task.operators):
            task = expanded(task)
            conditions = Conditions(task)
        relevance = relevant(task, conditions, alternatives, watch)
        return _Encoder(task, conditions, alternatives, relevance, options, watch).run()


class _Encoder:
    def __init__(
        self,
        task: Task,
        conditions: Conditions,
        alternatives: Sequence[Alternative],
        relevance: Relevance,
        options: EncodeOptions,
        watch: Watch,
    ) -> None:
        self._task = task
        self._alternatives = alternatives
        self._relevant = relevance.operators
        self._switches = options.switches
        self._macros = options.macros
        self._watch = watch
        mutexes = find_leg_mutexes(task, conditions, relevance.operators)
        self._variables: Variables = variables_of(task, conditions, relevance, mutexes)
        self._encoder = OperatorEncoder(task, conditions, self._variables, mutexes)
        self._figures = Figures(
            task,
            [task.operators[index] for index in relevance.operators],
            options.optimise,
            options.deadline,
            options.amounts,
        )
        self._graded = {name: GradedAtoms(rule) for name, rule in task.domain.rules.items()}

    def run(self) -> Encoding:
        variables, figures = self._variables, self._figures
        entries = [entry for index in self._relevant for entry in self._entries(index)]
        sizes = [*map(len, variables.values)]
        entries.extend(self._macros(entries, sizes, figures.pools, figures.clock))
        if self._switches.forgetting:
            merging = Merging(self._task, variables, figures.durations_matter)
            entries = merging.merged(entries)
        for number, alternative in enumerate(self._alternatives):
            entries.extend(self._finish(number, alternative))
        if self._switches.metric:
            entries = contracted(entries, self._task, variables, figures.pools, figures.clock)
        self._watch.check()
        flat = flat_task(
            [*sizes, 2],
            [*variables.initial, 0],
            [(len(variables.values), 1)],
            entries,
            figures.pools,
            figures.clock,
        )
        return Encoding(
            flat,
            self._task,
            variables,
            [entry.action for entry in entries],
            [entry.graded for entry in entries],
            self._alternatives,
        )

    def _entries(self, index: int) -> Iterator[Entry]:
        """The flat operators of an operator of the task."""
        self._watch.check()
        operator = self._task.operators[index]
        figures = self._figures
        window = figures.window(operator)
        for body in self._encoder.bodies(index):
            if body.changes_nothing and figures.is_free(operator):
                continue
            entry = Entry(
                body,
                Action((GroundStep(operator.rule, operator.arguments),)),
                self._graded[operator.rule.name].of(operator.arguments),
                figures.cost(operator),
                figures.use(operator),
                window.opens,
                window.closes,
            )
            if operator.forgets < 0:
                yield entry
            else:
                yield from overwriting(entry, operator, self._task, self._variables)

    def _finish(self, number: int, alternative: Alternative) -> Iterator[Entry]:
        """The finish of an alternative; none where it is never reached."""
        self._watch.check()
        condition = self._encoder.condition(alternative.positive, alternative.negative)
        if condition is not None and not alternative.missing:
            reached = FlatEffect(len(self._variables.values), 1)
            body = Body(*condition, (reached,), ())
            use = self._figures.nothing()
            yield Entry(body, Action(alternative=number), alternative.graded, use=use)
