# SPDX-License-Identifier: Apache-2.0
"""Task and goal alternatives -> flat task: the pipeline.

Each alternative of the goal has a *finish* operator: it may be applied where the alternative holds
and sets the goal variable; its loss is that of the goal's degree. So a plan for the goal is a plan
for the one variable, and which alternative is worth it is for the search to find out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.domain.model import Window
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.encode_merge import Entry, Merging
from fcp_ros.planning.compile.encode_operators import Body, OperatorEncoder
from fcp_ros.planning.compile.encode_variables import Variables, variables_of
from fcp_ros.planning.compile.encoding import Action, Encoding
from fcp_ros.planning.compile.exclusion import exclusions_of
from fcp_ros.planning.compile.goal_alternatives import Alternative
from fcp_ros.planning.compile.ground_step import (
    GroundStep,
    cost_of,
    duration_of,
    graded_atoms_of,
)
from fcp_ros.planning.compile.metric import contracted
from fcp_ros.planning.compile.relevance import Relevance, relevant
from fcp_ros.planning.compile.task import Operator, Task
from fcp_ros.planning.flat.builder import (
    FlatBuilder,
    FlatEffect,
    FlatOperator,
    FlatResource,
)
from fcp_ros.planning.model.request import Optimise, Switches
from fcp_ros.planning.model.watch import Watch


@dataclass(frozen=True)
class EncodeOptions:
    """How to encode.

    Attributes:
        optimise: what the flat costs are: steps (each 1), the rules' costs or their durations.
        deadline: seconds that a plan may take; infinite without one.
        amounts: resource -> what there is of it at first; the domain's own figure by default.
        switches: the optimisations.
    """

    optimise: Optimise = Optimise.MEMBERSHIP
    deadline: float = math.inf
    amounts: Mapping[str, float] = field(default_factory=dict)
    switches: Switches = field(default_factory=Switches)


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
        self._options = options
        self._watch = watch
        exclusions = exclusions_of(task, conditions, relevance.operators)
        self._variables: Variables = variables_of(task, conditions, relevance, exclusions)
        self._encoder = OperatorEncoder(task, conditions, self._variables, exclusions)
        operators = [task.operators[index] for index in self._relevant]
        used = {name for o in operators for name, use in o.rule.uses.items() if use}
        self._resources = tuple(r for r in task.resources if r.name in used)
        self._clock = math.isfinite(options.deadline) or any(
            o.rule.window.opens > 0.0 or math.isfinite(o.rule.window.closes) for o in operators
        )

    def run(self) -> Encoding:
        entries = [entry for index in self._relevant for entry in self._entries(index)]
        if self._options.switches.forgetting:
            durations = self._clock or self._options.optimise is Optimise.DURATION
            entries = Merging(self._task, self._variables, durations).merged(entries)
        entries.extend(
            entry
            for number, alternative in enumerate(self._alternatives)
            for entry in self._finish(number, alternative)
        )
        variables, pools = self._variables, self._pools()
        clock = len(self._resources) if self._clock else -1
        if self._options.switches.metric:
            entries = contracted(entries, self._task, variables, pools, clock)
        builder = FlatBuilder(
            [*map(len, variables.values), 2],
            [*variables.initial, 0],
            [(len(variables.values), 1)],
            [_flat(entry) for entry in entries],
            pools,
            clock,
        )
        return Encoding(
            builder.build(),
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
        use = self._use(operator)
        window = operator.rule.window if self._clock else Window()
        for body in self._encoder.bodies(index):
            if body.changes_nothing and not any(use[: len(self._resources)]):
                continue
            yield Entry(
                body,
                Action((GroundStep(operator.rule, operator.arguments),)),
                graded_atoms_of(operator),
                self._cost(operator),
                use,
                window.opens,
                window.closes,
            )

    def _finish(self, number: int, alternative: Alternative) -> Iterator[Entry]:
        """The finish of an alternative; none where it is never reached."""
        self._watch.check()
        condition = self._encoder.condition(alternative.positive, alternative.negative)
        if condition is not None and not alternative.missing:
            reached = FlatEffect(len(self._variables.values), 1)
            use = (0.0,) * (len(self._resources) + self._clock)
            body = Body(*condition, (reached,), ())
            yield Entry(body, Action(alternative=number), alternative.graded, use=use)

    def _use(self, operator: Operator) -> tuple[float, ...]:
        uses = operator.rule.uses
        taken = tuple(float(uses.get(resource.name, 0.0)) for resource in self._resources)
        return (*taken, -self._duration(operator)) if self._clock else taken

    def _duration(self, operator: Operator) -> float:
        return duration_of(operator.rule, operator.arguments, self._task.instance)

    def _cost(self, operator: Operator) -> float:
        if self._options.optimise is Optimise.MEMBERSHIP:
            return 1.0
        if self._options.optimise is Optimise.COST:
            return cost_of(operator.rule, operator.arguments)
        return self._duration(operator)

    def _pools(self) -> list[FlatResource]:
        amounts = self._options.amounts
        pools = [
            FlatResource(float(amounts.get(r.name, r.initial)), r.minimum, r.maximum)
            for r in self._resources
        ]
        return [*pools, FlatResource(0.0, 0.0, self._options.deadline)] if self._clock else pools


def _flat(entry: Entry) -> FlatOperator:
    body = entry.body
    return FlatOperator(
        body.pre,
        body.unequal,
        body.effects,
        body.blocks,
        0.0,
        entry.cost,
        entry.use,
        entry.opens,
        entry.closes,
    )
