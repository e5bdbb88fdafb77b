# SPDX-License-Identifier: Apache-2.0
"""The node ``simulated_executor``: stands for the robot's executors in a simulated world."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import ExecuteStep
from fcp_ros.cset import Delta
from fcp_ros.domain.model import Domain
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.simulated_world import (
    FaultError,
    FaultPlan,
    Performance,
    Performed,
    SimulatedWorld,
    SuccessModel,
    parse_faults,
    parse_success,
)
from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.executors.step_threads import STEP_PARAMETERS, STOP_WAIT, StepThreads
from fcp_ros.nodes.runtime.domain_parameter import (
    list_executors,
    read_domain,
)
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import (
    ParameterSpec,
    ParameterTable,
    TakesEffect,
)
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import (
    CancelToken,
    WorkerBusy,
    WorkerClosed,
)
from fcp_ros.nodes.scene_access.follower import (
    NoSceneError,
    SceneFollower,
    WorldState,
    follow_scene,
)
from fcp_ros.nodes.scene_access.owner import SceneLostError, SceneOwner
from fcp_ros.nodes.scene_access.reporter import ReportResult, SceneReporter
from fcp_ros.planning.model.plan import PlanStep

PARAMETERS = (
    *STEP_PARAMETERS,
    ParameterSpec(
        "executors", [""], "Names of the executors to simulate; without any, all of the domain."
    ),
    ParameterSpec("success_probability", 1.0, "How often steps succeed.", minimum=0.0, maximum=1.0),
    ParameterSpec(
        "success_overrides",
        [""],
        "How often certain steps succeed, such as 'pick(item=mug_1): 0.2'.",
    ),
    ParameterSpec(
        "faults",
        [""],
        "What goes wrong for certain, such as 'pick(item=mug_1): EXECUTION_FAILED x2', "
        "'navigate: delay 20', 'place: hang' or 'place: crash'.",
    ),
    ParameterSpec(
        "time_scale",
        20.0,
        "Seconds of simulated duration that pass in one real second.",
        minimum=0.01,
        maximum=10_000.0,
        takes_effect=TakesEffect.AT_ONCE,
    ),
)


@dataclass(frozen=True)
class SimulationSetup:
    """The executors, faults and probabilities that the parameters describe."""

    executors: tuple[str, ...]
    steps_at_once: int  # of each executor
    faults: FaultPlan
    success: SuccessModel
    seed: int


def read_setup(parameters: ParameterTable, domain: Domain) -> SimulationSetup:
    """Read the set-up that the parameters describe.

    Raises ConfigureError if a text can't be read, or names what the domain doesn't have.
    """
    try:
        faults = parse_faults(parameters.texts("faults"))
        success = parse_success(
            parameters.number("success_probability"), parameters.texts("success_overrides")
        )
        rules = {name: rule.parameter_names for name, rule in domain.rules.items()}
        for pattern in (*(f.pattern for f in faults.faults), *(p for p, _ in success.entries)):
            pattern.check(rules)
    except FaultError as error:
        raise ConfigureError(str(error)) from error
    executors = _choose_executors(parameters.texts("executors"), domain)
    at_once = parameters.integer("steps_at_once")
    return SimulationSetup(executors, at_once, faults, success, parameters.integer("seed"))


def _choose_executors(chosen: Iterable[str], domain: Domain) -> tuple[str, ...]:
    known = list_executors(domain)
    names = tuple(chosen)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigureError(
            f"the domain {domain.name} has no executor {', '.join(unknown)}; "
            f"it has {', '.join(known)}"
        )
    return names or known


LONGEST_NAP = 1.0
"""Seconds after which a step that never ends by itself checks again."""

SCENE_WAIT = 3.0
"""Seconds to wait for the first scene graph, which a node that was just started may not have."""

FRESHNESS_WAIT = 0.3
"""Seconds to wait for a newer scene graph before a step is refused on the one at hand."""

FEEDBACKS = 10
"""Feedback messages of each step."""

OWED = "owed changes"
"""The work of the thread that reports changes when somebody keeps the scene graph again."""
MOST_OWED = 100
"""Changes that wait until somebody keeps the scene graph again."""

OWED_LOOK = 0.2
"""Seconds between two looks if somebody does."""


class SimulatedExecutorNode(ManagedNode):
    """Performs steps in a simulated world that obeys the domain's rules.

    Offers one action (ExecuteStep) for each executor of the domain, under the name that the domain
    gives, while the node is configured. A step that does not succeed ends its goal as aborted, or
    canceled; a cancel request is obeyed at once.
    Subscribes to ``scene_graph`` (SceneGraph, latched) and ``scene_changes`` (SceneGraphChange,
    events): they are the world, whoever changes it.
    Publishes ``scene_graph_update`` (SceneGraphUpdate, events): the changes of a step, before it is
    reported as succeeded.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("simulated_executor", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._steps: StepThreads | None = None
        self._domain: Domain | None = None
        self._setup: SimulationSetup | None = None
        self._simulation: SimulatedWorld | None = None
        self._reporter: SceneReporter | None = None
        self._owner: SceneOwner | None = None

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        self._domain = read_domain(self.parameters)
        self._setup = read_setup(self.parameters, self._domain)
        updates = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        self._reporter = SceneReporter(self, updates, self._scene, self._domain)
        follow_scene(self, self._scene)
        self._owner = self.own(SceneOwner(self, self._scene))
        self.workers.open(OWED, MOST_OWED, STOP_WAIT, outlasts=True)
        self._steps = self.own(
            StepThreads(self, self._setup.executors, self._perform, self._setup.steps_at_once)
        )

    def activate(self) -> None:
        self._stopped.clear()
        self._simulation = None

    def deactivate(self) -> None:
        self._stopped.set()
        self.workers.cancel_jobs()
        self._scene.wake()

    def release(self) -> None:
        if self._reporter is not None:
            self._reporter.close()  # steps that still report end by that
        super().release()
        self._scene.clear()
        self._domain = self._setup = self._simulation = self._reporter = None
        self._owner = self._steps = None

    def diagnose(self) -> Diagnosis:
        names = self._setup.executors if self._setup is not None else ()
        stale = "" if self._owner is None else self._owner.find_problem()
        sequence = self._scene.sequence
        values = {
            "executors": ", ".join(names),
            "performing": "" if self._steps is None else self._steps.describe(),
            "scene_sequence_number": "none" if sequence is None else sequence,
        }
        level = DiagnosticStatus.ERROR if stale else DiagnosticStatus.OK
        return Diagnosis(level, stale, values)

    # --- performing a step ----------------------------------------------------------------------

    def _perform(self, step: PlanStep, goal: ServerGoalHandle, token: CancelToken) -> Outcome:
        try:
            performance = self._begin(step)
        except SceneLostError as error:
            return Outcome(OutcomeCode.SCENE_LOST, str(error))
        except NoSceneError as error:
            return Outcome(OutcomeCode.PRECONDITION_FAILED, str(error))
        if performance.outcome is None:
            return self._hang(performance, token)
        if self._wait(performance.duration, goal, token):
            return self._make_cancelled(step)
        return self._complete(performance) if performance.outcome.succeeded else performance.outcome

    def _begin(self, step: PlanStep) -> Performance:
        """Begin a step.

        Raises NoSceneError if there is no scene. Raises SceneLostError if it is stale.
        """
        assert self._owner is not None
        self._scene.wait_for(lambda: self._scene.sequence is not None, SCENE_WAIT)
        self._owner.check(is_cancelled=self._stopped.is_set)
        seen = self._scene.sequence
        performance = self._begin_now(step)
        outcome = performance.outcome
        refused = outcome is not None and outcome.code is OutcomeCode.PRECONDITION_FAILED
        # Whoever sent the step may have seen a newer scene graph than has come here.
        if refused and self._scene.wait_for(lambda: self._scene.sequence != seen, FRESHNESS_WAIT):
            performance = self._begin_now(step)
        return performance

    def _begin_now(self, step: PlanStep) -> Performance:
        assert self._domain is not None
        state = self._scene.state(self._domain)
        with self._lock:
            return self._update_simulation(state).begin(step)

    def _update_simulation(self, state: WorldState) -> SimulatedWorld:
        """Bring the simulation into this state, and return it. The caller holds the lock."""
        assert self._domain is not None
        assert self._setup is not None
        if self._simulation is None:
            self._simulation = SimulatedWorld(
                self._domain,
                state.instance,
                faults=self._setup.faults,
                success=self._setup.success,
                seed=self._setup.seed,
            )
        self._simulation.replace(state.instance, state.scene.facts.is_unseen)
        return self._simulation

    def _wait(self, duration: float, goal: ServerGoalHandle, token: CancelToken) -> bool:
        """Let simulated seconds pass, with feedback; return True if the step was cancelled."""
        nap = duration / self.parameters.number("time_scale") / FEEDBACKS
        for number in range(FEEDBACKS):
            if token.wait(nap):
                return True
            progress = (number + 1) / FEEDBACKS
            goal.publish_feedback(ExecuteStep.Feedback(progress=progress, message=""))
        return False

    def _hang(self, performance: Performance, token: CancelToken) -> Outcome:
        """Hang until cancelled; a crashed executor ends only when the node is deactivated."""
        while performance.answers and not token.wait(LONGEST_NAP):
            pass
        while not performance.answers and not self._stopped.wait(LONGEST_NAP):
            pass
        return self._make_cancelled(performance.step)

    def _make_cancelled(self, step: PlanStep) -> Outcome:
        return Outcome(OutcomeCode.CANCELLED, f"{step} was cancelled; nothing was changed.")

    def _complete(self, performance: Performance) -> Outcome:
        # If nobody keeps the scene graph, the deed is done all the same: the step ends, and the
        # change is reported as soon as somebody does.
        owner = self._owner
        assert owner is not None
        key = f"report {performance.step}"
        stale = threading.Event()

        def on_loss() -> None:
            stale.set()
            self._scene.wake()

        owner.watch(key, True, on_loss)
        try:
            reported, performed = self._report(performance, stale.is_set)
        finally:
            owner.unwatch(key)
        if reported.ok:
            assert performed is not None
            return performed.outcome
        if stale.is_set():
            self._owe(performance)
            assert performance.outcome is not None
            return performed.outcome if performed is not None else performance.outcome
        return Outcome(OutcomeCode.POSTCONDITION_FAILED, reported.message)

    def _owner_is_lost(self) -> bool:
        return self._owner is not None and self._owner.is_lost

    def _report(
        self, performance: Performance, give_up: Callable[[], bool]
    ) -> tuple[ReportResult, Performed | None]:
        """Publish what a step changed until the scene graph shows it."""
        assert self._reporter is not None
        performed: list[Performed] = []

        def change(state: WorldState) -> Delta:
            with self._lock:
                performed.append(self._update_simulation(state).complete(performance))
            return performed[-1].delta

        timeout = self.parameters.number("report_timeout")
        reported = self._reporter.report(change, timeout, give_up)
        return reported, performed[-1] if performed else None

    def _owe(self, performance: Performance) -> None:
        """Report a change as soon as the scene graph is kept again, in a thread of its own."""

        def pay(token: CancelToken) -> None:
            while self._owner_is_lost():
                if token.wait(OWED_LOOK):
                    return
            self._report(performance, lambda: token.cancelled)

        try:
            self.workers[OWED].submit(pay)
        except (WorkerBusy, WorkerClosed) as error:
            self.get_logger().warning(f"{performance.step} will not show: {error}")


def main() -> int:
    return run_node(SimulatedExecutorNode)
