# SPDX-License-Identifier: Apache-2.0
"""Recordings of rosbag2, and what was recorded planned and calibrated again."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from ament_index_python.packages import PackageNotFoundError, get_package_share_directory

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import list_names
from fcp_ros.fuzzy import EPSILON
from fcp_ros.grounding import EvidenceWorld, Grounder
from fcp_ros.msg import ActionOutcome
from fcp_ros.msg import Plan as PlanMessage
from fcp_ros.nodes.conversions.common import ConversionError, duration_from_ros, time_from_ros
from fcp_ros.nodes.conversions.plan import budgets_from_ros, plan_from_ros
from fcp_ros.nodes.conversions.scene import read_bytes
from fcp_ros.nodes.grounder.learner import OutcomeLearner
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower, WorldState
from fcp_ros.planning import Plan, PlanningOptions, PlanningRequest, PlanningResult
from fcp_ros.planning.model.plan import Judged
from fcp_ros.relaxation.plan_goal import plan_goal

TOPICS = {
    "scene_graph": "fcp_ros/msg/SceneGraph",
    "scene_changes": "fcp_ros/msg/SceneGraphChange",
    "task_plan": "fcp_ros/msg/Plan",
    "outcomes": "fcp_ros/msg/ActionOutcome",
}
"""The topics that a replay reads, below the namespace of the nodes, and their types."""


class RecordingError(InputError):
    """A recording that can't be read; the message says what, where, and what to do."""


class RecordedMessage(NamedTuple):
    """A message as it was recorded."""

    topic: str  # without the namespace
    stamp: float  # when it was recorded, in seconds since the epoch
    data: bytes  # serialised


class Recording:
    """The topics of one robot in an open recording.

    `connections`: of the library, by topic without the namespace.
    """

    def __init__(self, reader: Any, connections: dict[str, Any]) -> None:
        self._reader = reader
        self._connections = connections

    def read(self, topics: Collection[str]) -> Iterator[RecordedMessage]:
        chosen = {
            connection.topic: name
            for name, connection in self._connections.items()
            if name in topics
        }
        connections = [c for c in self._connections.values() if c.topic in chosen]
        if not connections:
            return
        try:
            for connection, stamp, data in self._reader.messages(connections):
                yield RecordedMessage(chosen[connection.topic], stamp * 1e-9, bytes(data))
        except _library_errors() as error:
            raise RecordingError(f"the recording is damaged: {error}") from error


@contextmanager
def open_recording(path: Path, namespace: str | None = None) -> Iterator[Recording]:
    """Open a folder of rosbag2, or one of its files.

    `namespace`: of the nodes; None takes the only one. Raises RecordingError if there is no such
    recording, or it lacks what a replay needs, or other versions of our messages are in it.
    """
    try:
        from rosbags.rosbag2 import Reader
    except ImportError as error:
        raise RecordingError(
            f"recordings can't be read without the library rosbags ({error}): pip install rosbags"
        ) from error
    try:
        reader = Reader(path)
        reader.open()
    except _library_errors() as error:
        raise RecordingError(f"{path} can't be read as a recording: {error}") from error
    try:
        yield Recording(reader, _choose_connections(reader, path, namespace))
    finally:
        reader.close()


def _library_errors() -> tuple[type[Exception], ...]:
    from rosbags.rosbag2 import ReaderError

    # The library lets through what its parsers of damaged files raise.
    return (ReaderError, OSError, ValueError, KeyError, IndexError, TypeError, AssertionError)


def _choose_connections(reader: Any, path: Path, namespace: str | None) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for connection in reader.connections:
        prefix, _, name = connection.topic.rpartition("/")
        if TOPICS.get(name) == connection.msgtype:
            found.setdefault(prefix.strip("/"), {})[name] = connection
    wanted = None if namespace is None else namespace.strip("/")
    there = list_names([f"/{name}" for name in sorted(found)]) or "none"
    if wanted is None and len(found) > 1:
        raise RecordingError(f"{path} has several robots: choose a --namespace of {there}")
    chosen = found.get(wanted, {}) if wanted is not None else next(iter(found.values()), {})
    missing = [name for name in ("scene_graph", "task_plan") if name not in chosen]
    if missing:
        raise RecordingError(
            f"{path} has no topic {' and no topic '.join(missing)} of our nodes (namespaces with "
            f"topics of ours: {there}): record what docs/recordings.md lists"
        )
    for connection in chosen.values():
        _check_version(connection)
    return chosen


def _check_version(connection: Any) -> None:
    """Refuse messages of another version, which would be read as something else."""
    own = _find_hash(connection.msgtype)
    if own and connection.digest and connection.digest != own:
        raise RecordingError(
            f"{connection.topic} was recorded with another version of {connection.msgtype}: replay "
            "it with the version of fcp_ros that recorded it"
        )


def _find_hash(message_type: str) -> str:
    """Find the hash of the installed type; "" where ROS 2 writes none (Humble)."""
    package, _, name = message_type.partition("/")
    try:
        file = Path(get_package_share_directory(package)) / f"{name}.json"
        hashes = json.loads(file.read_text(encoding="utf-8"))["type_hashes"]
    except (OSError, PackageNotFoundError, ValueError, KeyError):
        return ""
    return next((one["hash_string"] for one in hashes if one["type_name"] == message_type), "")


@dataclass(frozen=True)
class DegreeChange:
    """The degree of a graded atom in the recorded plan, and the one that it gets now."""

    atom: str
    recorded: float
    now: float


@dataclass(frozen=True)
class ReplayedPlan:
    """A recorded plan, and how it compares with the one that is made now."""

    stamp: float  # when it was made, in seconds since the epoch
    goal: str  # that was planned for again
    steps: int
    recorded_membership: float
    status: str = ""  # of planning again; "" if that was not possible
    membership: float | None = None  # of the plan that is made now; None without one
    # the steps that differ, recorded ("-") and now ("+"), with those between ("  ")
    step_changes: tuple[str, ...] = ()
    degree_changes: tuple[DegreeChange, ...] = ()
    problem: str = ""  # why it could not be compared, or why there is no plan now

    @property
    def is_same(self) -> bool:
        return not (self.problem or self.step_changes or self.degree_changes) and (
            self.membership is not None
            and abs(self.membership - self.recorded_membership) <= EPSILON
        )


@dataclass(frozen=True)
class ReplayReport:
    """The results of a replay."""

    plans: tuple[ReplayedPlan, ...]
    outcomes: int  # that were recorded
    evidence: int  # judgements that were learned about
    simulated: int  # outcomes of simulated executors, which are no evidence in the real world
    notes: tuple[str, ...]  # sentences about outcomes and scenes that could not be used

    @property
    def is_same(self) -> bool:
        """True if all plans are the same, and nothing was left out."""
        return all(plan.is_same for plan in self.plans) and not self.notes


class RecordingReplay:
    """Goes through a recording once: follows the scene, learns, and plans where it was planned.

    Args:
        grounder: judges; its store gets the evidence.
        world: of the outcomes; those of simulated executors are no evidence in the real one.
        options: of planning, as far as recorded plans don't say.
    """

    def __init__(
        self, domain: Domain, grounder: Grounder, world: EvidenceWorld, options: PlanningOptions
    ) -> None:
        self._domain = domain
        self._grounder = grounder
        self._options = options
        self._notes: list[str] = []
        self._stamp = 0.0
        self._learner = OutcomeLearner(
            grounder, domain, world, lambda: self._stamp, self._notes.append
        )
        self._outcomes = self._evidence = 0

    def run(self, recording: Recording, show: Callable[[str], None]) -> ReplayReport:
        """Replay a recording; `show` gets the goal that is being planned for."""
        wanted = {
            read_bytes(message.data, PlanMessage).scene_sequence_number
            for message in recording.read({"task_plan"})
        }
        states = _StateMemory(self._domain, wanted, self._notes.append)
        # The whole scene first: between topics there is no order, and a plan may have been
        # recorded before the graph that it was made on.
        for message in recording.read({"scene_graph", "scene_changes"}):
            with self._noting_damage(message):
                states.take(message)
        plans: list[ReplayedPlan] = []
        for message in recording.read({"task_plan", "outcomes"}):
            self._stamp = message.stamp
            with self._noting_damage(message):
                if message.topic == "outcomes":
                    self._learn(message)
                else:
                    plan = read_bytes(message.data, PlanMessage)
                    show(plan.goal)
                    plans.append(self._plan_again(plan, states))
        simulated = int(str(self._learner.values()["simulated_outcomes_left_out"]))
        return ReplayReport(
            tuple(plans), self._outcomes, self._evidence, simulated, tuple(self._notes)
        )

    @contextmanager
    def _noting_damage(self, message: RecordedMessage) -> Iterator[None]:
        try:
            yield
        except ConversionError as error:
            self._notes.append(f"a message on {message.topic} was left out: {error}")

    def _learn(self, message: RecordedMessage) -> None:
        outcome = read_bytes(message.data, ActionOutcome)
        self._outcomes += 1
        problem = self._learner.find_problem(outcome)
        if problem:
            self._notes.append(f"an outcome of {outcome.step.rule} was left out: {problem}")
            return
        (learned,) = self._learner.learn([outcome])
        self._evidence += max(0, learned)

    def _plan_again(self, message: PlanMessage, states: _StateMemory) -> ReplayedPlan:
        goal = message.goal if _is_expression(message.goal) else message.planned_goal
        plan = plan_from_ros(message)
        seen = ReplayedPlan(
            time_from_ros(message.header.stamp) or self._stamp,
            goal,
            len(plan.steps),
            plan.membership,
        )
        state = states.find(message.scene_sequence_number, self._stamp)
        if state is None:
            number = message.scene_sequence_number
            text = f"the scene graph number {number}, which it was made on, was not recorded"
            return replace(seen, problem=text)
        options = replace(
            self._options.with_alpha(message.alpha),
            tnorm=message.tnorm or self._options.tnorm,
            deadline=duration_from_ros(message.deadline) or math.inf,
            budgets=budgets_from_ros(message.budgets),
        )
        request = PlanningRequest(
            self._domain,
            state.instance,
            goal,
            options,
            self._grounder,
            resources=state.resources,
        )
        return _compare(seen, plan, plan_goal(request))


def _is_expression(text: str) -> bool:
    """Return True for a goal, False for an instruction in words."""
    try:
        parse_expression(text)
    except ExpressionError:
        return False
    return True


def _compare(seen: ReplayedPlan, recorded: Plan, result: PlanningResult) -> ReplayedPlan:
    if result.plan is None:
        return replace(seen, status=result.status.name, problem=result.message)
    before, now = ([str(step) for step in plan.steps] for plan in (recorded, result.plan))
    changes = () if before == now else tuple(difflib.ndiff(before, now))
    return replace(
        seen,
        status=result.status.name,
        membership=result.plan.membership,
        step_changes=tuple(line for line in changes if not line.startswith("?")),
        degree_changes=tuple(_compare_degrees(recorded, result.plan)),
    )


def _compare_degrees(recorded: Plan, now: Plan) -> Iterator[DegreeChange]:
    """List the atoms that both plans rest on with other degrees."""
    before = {judged.atom: judged.membership.degree for judged in _list_judged(recorded)}
    for judged in _list_judged(now):
        old, new = before.pop(judged.atom, None), judged.membership.degree
        if old is not None and abs(old - new) > EPSILON:
            predicate, arguments = judged.atom
            yield DegreeChange(f"{predicate}({', '.join(arguments)})", old, new)


def _list_judged(plan: Plan) -> Iterator[Judged]:
    for step in plan.steps:
        yield from step.judgements
    yield from plan.goal_judgements


class _StateMemory:
    """The states of the scene that plans were made on."""

    def __init__(self, domain: Domain, wanted: set[int], complain: Callable[[str], None]) -> None:
        self._domain = domain
        self._wanted = wanted
        self._complain = complain
        self._follower = SceneFollower()
        # A scene that was loaded anew may count again: each number has its states in time.
        self._states: dict[int, list[tuple[float, WorldState]]] = {}

    def take(self, message: RecordedMessage) -> None:
        """Follow the scene by a message; raises ConversionError if it is damaged."""
        if message.topic == "scene_graph":
            self._follower.receive_graph(message.data)
        else:
            self._follower.receive_change(message.data)
        sequence = self._follower.sequence
        if sequence is None or sequence not in self._wanted:
            return
        try:
            state = self._follower.state(self._domain)
        except NoSceneError as error:
            self._complain(str(error))
        else:
            self._states.setdefault(sequence, []).append((message.stamp, state))

    def find(self, sequence: int, stamp: float) -> WorldState | None:
        """Return the last state of a graph until then, or its first one; None if there is none."""
        states = self._states.get(sequence, [])
        until_then = [state for recorded, state in states if recorded <= stamp]
        return until_then[-1] if until_then else next((state for _, state in states), None)
