# SPDX-License-Identifier: Apache-2.0
"""Plans and their steps, and the run of the policy that made one, as messages and back."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from builtin_interfaces.msg import Time
from std_msgs.msg import Header

from fcp_ros.msg import AbsentExecutor as AbsentExecutorMessage
from fcp_ros.msg import Argument, Budget, PolicyPath, ResourceLevel, TypeShift
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.msg import PlanStep as PlanStepMessage
from fcp_ros.msg import PolicyFeature as FeatureMessage
from fcp_ros.msg import PolicyMove as MoveMessage
from fcp_ros.nodes.conversions.common import (
    ConversionError,
    FieldConversion,
    FieldTable,
    binding_from_ros,
    binding_to_ros,
    duration_from_ros,
    duration_to_ros,
    id_from_ros,
    id_to_ros,
)
from fcp_ros.nodes.conversions.judgement import JUDGEMENTS
from fcp_ros.planning.model.plan import (
    Plan,
    PlanStep,
    PolicyFeature,
    PolicyMove,
    PolicyTrace,
    Schedule,
)
from fcp_ros.planning.model.request import AbsentExecutor

# --- the run of the general policy that made a plan, as a message and back ---

MOST_MOVES = 1000
"""Abstract actions of one message; with six features some 100 kB."""
NO_DISTANCE = -1
"""The field `no_way` of a feature that is no distance."""

FEATURES = FieldTable(
    PolicyFeature,
    FeatureMessage,
    no_way=FieldConversion(
        lambda value: NO_DISTANCE if value is None else value,
        lambda number: None if number == NO_DISTANCE else number,
    ),
)


def path_to_ros(trace: PolicyTrace | None) -> PolicyPath:
    """Write the run of a policy, with its first `MOST_MOVES` abstract actions at most.

    `trace`: the run; None if a plan was searched.
    """
    if trace is None:
        return PolicyPath()
    moves = trace.moves[:MOST_MOVES]
    after = trace.moves[MOST_MOVES].values if len(trace.moves) > MOST_MOVES else trace.final
    firsts = (0, *(move.steps for move in moves))
    return PolicyPath(
        features=FEATURES.write_all(trace.features),
        moves=[
            MoveMessage(
                action=move.action,
                values=list(move.values),
                first_step=first,
                steps=move.steps - first,
            )
            for move, first in zip(moves, firsts, strict=False)
        ],
        values_after=list(after),
        left_out=trace.left_out + len(trace.moves) - len(moves),
    )


def path_from_ros(message: PolicyPath) -> PolicyTrace | None:
    """Read the run of a policy; None if the message is empty.

    Raises ConversionError for values of other features, or steps that leave a gap.
    """
    features = FEATURES.read_all(message.features)
    if not features and not message.moves:
        return None
    for values in (*(move.values for move in message.moves), message.values_after):
        if len(values) != len(features):
            raise ConversionError(
                f"the path of a policy has {len(features)} features, but {len(values)} values: "
                "give one for each feature"
            )
    moves = [
        PolicyMove(move.action, tuple(map(int, move.values)), move.first_step + move.steps)
        for move in message.moves
    ]
    firsts = [move.first_step for move in message.moves]
    if firsts != [0, *(move.steps for move in moves)][: len(firsts)]:
        raise ConversionError(
            "the path of a policy leaves steps out, or has them twice: each of its moves has to "
            "begin with the step after the last one of the move before"
        )
    return PolicyTrace(
        features, tuple(moves), tuple(map(int, message.values_after)), message.left_out
    )


# --- plans and their steps, as messages and back ---


class StepOrderError(ConversionError):
    """The steps of a plan can't be done in any order: one follows itself, or no step."""


@dataclass(frozen=True)
class PlanOrigin:
    """The content of a plan message beyond the plan itself."""

    asked: str = ""  # The goal as requested (the plan holds the goal as planned for)
    scene_sequence: int = 0  # Sequence number of the scene graph that was planned on
    stamp: Time = field(default_factory=Time)
    frame_id: str = "map"  # Frame of that scene graph
    units: Mapping[str, str] = field(default_factory=dict)
    deadline: float = 0.0  # Longest time that the plan may take (s); 0 for none


def plan_to_ros(plan: Plan, origin: PlanOrigin) -> PlanMessage:
    return PlanMessage(
        header=Header(stamp=origin.stamp, frame_id=origin.frame_id),
        id=id_to_ros(plan.id),
        goal=origin.asked or plan.goal,
        planned_goal=plan.goal,
        alpha=plan.alpha,
        tnorm=plan.tnorm,
        membership=plan.membership,
        goal_degree=plan.goal_degree,
        steps=_steps_to_ros(plan),
        scheduled=plan.schedule is not None,
        makespan=duration_to_ros(plan.schedule.makespan if plan.schedule else 0.0),
        deadline=duration_to_ros(origin.deadline),
        binding=binding_to_ros(plan.binding),
        goal_judgements=JUDGEMENTS.write_all(plan.goal_judgements),
        resources_after=[
            ResourceLevel(name=name, level=float(level), unit=origin.units.get(name, ""))
            for name, level in plan.resources_after.items()
        ],
        budgets=budgets_to_ros(plan.budgets),
        left_out=list(plan.left_out),
        shifts=[TypeShift(element=element, type=type_) for element, type_ in plan.shifts],
        scene_sequence_number=origin.scene_sequence,
    )


def plan_from_ros(message: PlanMessage) -> Plan:
    """Read a plan.

    Raises StepOrderError if no order of the steps keeps to what they say. Raises ConversionError if
    a degree, an argument or a judgement is invalid.
    """
    _check_order(message)
    return Plan(
        goal=message.planned_goal or message.goal,
        steps=tuple(step_from_ros(step) for step in message.steps),
        membership=check_degree(message.membership, "the plan's membership"),
        goal_degree=check_degree(message.goal_degree, "the plan's goal degree"),
        goal_judgements=JUDGEMENTS.read_all(message.goal_judgements),
        binding=binding_from_ros(message.binding),
        alpha=check_degree(message.alpha, "the plan's alpha"),
        tnorm=message.tnorm,
        id=id_from_ros(message.id),
        resources_after={item.name: item.level for item in message.resources_after},
        schedule=schedule_from_ros(message),
        budgets=budgets_from_ros(message.budgets),
        left_out=tuple(message.left_out),
        shifts=tuple((one.element, one.type) for one in message.shifts),
    )


def budgets_to_ros(budgets: Mapping[str, float]) -> list[Budget]:
    return [Budget(name=name, amount=float(amount)) for name, amount in budgets.items()]


def budgets_from_ros(messages: Iterable[Budget]) -> dict[str, float]:
    """Read budgets; their amounts are not checked.

    Raises ConversionError if two are of the same name.
    """
    found: dict[str, float] = {}
    for message in messages:
        if message.name in found:
            raise ConversionError(f"there are two budgets of {message.name!r}: give one")
        found[message.name] = message.amount
    return found


def _steps_to_ros(plan: Plan) -> list[PlanStepMessage]:
    messages = [step_to_ros(step) for step in plan.steps]
    if plan.schedule is not None:
        _place_steps(messages, plan.schedule)
    return messages


def _place_steps(messages: Sequence[PlanStepMessage], schedule: Schedule) -> None:
    for position, message in enumerate(messages):
        message.earliest_start = duration_to_ros(schedule.starts[position])
        message.latest_start = duration_to_ros(schedule.latest_starts[position])
        message.after = [before for before, after in schedule.order if after == position]
        message.agents = list(schedule.agents[position])


def join_plans(
    underway: Iterable[PlanStepMessage], plan: PlanMessage, schedule: Schedule
) -> PlanMessage:
    """Put steps that are being done before those of a plan that begins where they end.

    `schedule`: of all these steps, with the time that those still take. What the plan says of
    degrees and levels is about its own steps.
    """
    joined = deepcopy(plan)
    joined.id = id_to_ros(str(uuid.uuid4()))
    begun = list(map(deepcopy, underway))
    for message in begun:
        message.chunk = ""  # the rest of its chunk is gone, and the plan may have one of that name
    joined.steps = [*begun, *joined.steps]
    lengths = zip(schedule.starts, schedule.ends, strict=True)
    for message, (start, end) in zip(joined.steps, lengths, strict=True):
        message.expected_duration = duration_to_ros(end - start)
    joined.scheduled, joined.makespan = True, duration_to_ros(schedule.makespan)
    _place_steps(joined.steps, schedule)
    return joined


def schedule_from_ros(message: PlanMessage) -> Schedule | None:
    """Read the schedule that the steps carry; None if they carry none."""
    if not message.scheduled:
        return None
    steps = message.steps
    order = [(int(before), after) for after, step in enumerate(steps) for before in step.after]
    starts = tuple(duration_from_ros(step.earliest_start) for step in steps)
    lengths = (duration_from_ros(step.expected_duration) for step in steps)
    return Schedule(
        starts=starts,
        ends=tuple(start + length for start, length in zip(starts, lengths, strict=True)),
        latest_starts=tuple(duration_from_ros(step.latest_start) for step in steps),
        order=tuple(sorted(order)),
        agents=tuple(tuple(step.agents) for step in steps),
        makespan=duration_from_ros(message.makespan),
    )


def _check_order(message: PlanMessage) -> None:
    """Check that the steps can be done in an order.

    Raises StepOrderError if a step follows one that does not exist, or itself, however indirectly.
    """
    count = len(message.steps)
    befores = {after: list(map(int, step.after)) for after, step in enumerate(message.steps)}
    for after, before in befores.items():
        if max(before, default=0) >= max(count, 1):
            raise StepOrderError(
                f"step {after} follows step {max(before)}, but the last of {count} is {count - 1}"
            )
    try:
        TopologicalSorter(befores).prepare()
    except CycleError as error:
        cycle = " after ".join(map(str, reversed(error.args[1])))
        raise StepOrderError(f"no order of the steps is possible: {cycle}") from None


def step_to_ros(step: PlanStep) -> PlanStepMessage:
    return PlanStepMessage(
        rule=step.rule,
        arguments=arguments_to_ros(step.arguments),
        executor=step.executor,
        expected_duration=duration_to_ros(step.duration),
        degree=step.degree,
        membership_after=step.membership_after,
        judgements=JUDGEMENTS.write_all(step.judgements),
        chunk=step.chunk,
    )


def step_from_ros(message: PlanStepMessage) -> PlanStep:
    """Read a step.

    Raises:
        ConversionError: it names no rule, an argument is no element, or a degree is out of range.
    """
    if not message.rule:
        raise ConversionError("a plan step names no rule: give an action of the domain")
    return PlanStep(
        rule=message.rule,
        arguments=_arguments_from_ros(message),
        degree=check_degree(message.degree, f"the degree of {message.rule}"),
        membership_after=check_degree(
            message.membership_after, f"the membership after {message.rule}"
        ),
        duration=duration_from_ros(message.expected_duration),
        executor=message.executor,
        judgements=JUDGEMENTS.read_all(message.judgements),
        chunk=message.chunk,
    )


def arguments_to_ros(arguments: Iterable[tuple[str, str]]) -> list[Argument]:
    return [
        Argument(parameter=parameter, kind=Argument.ELEMENT, value=element)
        for parameter, element in arguments
    ]


def _arguments_from_ros(message: PlanStepMessage) -> tuple[tuple[str, str], ...]:
    for argument in message.arguments:
        if argument.kind != Argument.ELEMENT:
            raise ConversionError(
                f"the argument {argument.parameter!r} of {message.rule} has kind {argument.kind}: "
                "a step's arguments are elements, ELEMENT (1)"
            )
    return tuple((argument.parameter, argument.value) for argument in message.arguments)


def check_degree(value: float, name: str) -> float:
    """Return a degree that lies in [0, 1]. Raises ConversionError if it lies outside, or is NaN."""
    if not 0.0 <= value <= 1.0:
        raise ConversionError(f"{name} is {value}: it must lie in [0, 1]")
    return float(value)


def absent_to_ros(absent: Iterable[AbsentExecutor]) -> list[AbsentExecutorMessage]:
    return [AbsentExecutorMessage(agent=o.agent, executor=o.executor) for o in sorted(absent)]
