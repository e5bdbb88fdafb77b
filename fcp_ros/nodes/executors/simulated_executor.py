# SPDX-License-Identifier: Apache-2.0
"""The node ``simulated_executor``: stands for the robot's executors in a simulated world."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action import ActionServer
from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import ExecuteStep
from fcp_ros.cset import Delta
from fcp_ros.domain.model import Domain
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.execution.simulated_world import (
    FaultError,
    FaultPlan,
    PatternError,
    Performance,
    Performed,
    SimulatedWorld,
    SuccessModel,
    parse_faults,
    parse_success,
)
from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.executors.step_server import end_step, read_step
from fcp_ros.nodes.runtime.action_call import ServerMonitor, ServerWatch
from fcp_ros.nodes.runtime.domain_parameter import (
    DOMAIN,
    TYPE_OVERRIDES,
    list_executors,
    load_configured_domain,
)
from fcp_ros.nodes.runtime.lifecycle import ConfigureError, Diagnosis
from fcp_ros.nodes.runtime.managed_node import ManagedNode, execute_goal
from fcp_ros.nodes.runtime.parameters import (
    DOMAIN_FOLDERS,
    ParameterSpec,
    ParameterTable,
    TakesEffect,
)
from fcp_ros.nodes.runtime.request_checks import CLEANED_UP
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import (
    CancelToken,
    Job,
    JobCancelled,
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
    DOMAIN,
    DOMAIN_FOLDERS,
    TYPE_OVERRIDES,
    ParameterSpec(
        "executors", [""], "Names of the executors to simulate; without any, all of the domain."
    ),
    ParameterSpec(
        "steps_at_once",
        1,
        "How many steps each executor performs at the same time, of several robots; the executive "
        "has to know of more than one (shared_executors).",
        minimum=1,
        maximum=64,
    ),
    ParameterSpec("seed", 0, "Seed of all random draws.", minimum=0, maximum=2**31),
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
    ParameterSpec(
        "report_timeout",
        10.0,
        "Longest time until the scene graph shows what a step changed [s].",
        minimum=0.1,
        maximum=600.0,
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
    except (FaultError, PatternError) as error:
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

STOP_WAIT = 2.0
"""Seconds for a cancelled step to end when the node is cleaned up."""


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
        self._newer = threading.Condition()
        self._lock = threading.Lock()
        self._tokens: dict[bytes, CancelToken] = {}
        self._busy: dict[str, PlanStep] = {}
        self._stopped = threading.Event()
        self._servers: list[ActionServer] = []
        self._domain: Domain | None = None
        self._setup: SimulationSetup | None = None
        self._simulation: SimulatedWorld | None = None
        self._reporter: SceneReporter | None = None
        self._owner: SceneOwner | None = None
        self._monitor: ServerMonitor | None = None

    # --- life cycle -----------------------------------------------------------------------------

    def configure(self) -> None:
        """Read domain and faults; make topics, and an action server for each executor."""
        self._domain = load_configured_domain(
            self.parameters.file("domain"), self.parameters.texts("type_overrides")
        )
        self._setup = read_setup(self.parameters, self._domain)
        publisher = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        self._reporter = SceneReporter(self, publisher, self._scene, self._domain)
        follow_scene(self, self._scene, self._notice_change)
        self._owner = SceneOwner(self, self._scene)
        self._monitor = ServerMonitor(self)
        self.workers.open(OWED, MOST_OWED, STOP_WAIT, outlasts=True)
        for executor in self._setup.executors:
            for slot in self._list_slots(executor):
                self.workers.open(slot, 0, STOP_WAIT, outlasts=True)
            server = self.offer_action(
                ExecuteStep,
                executor,
                self._make_executor(executor),
                accepted=self._accept,
                cancel=self._cancel,
            )
            self._servers.append(server)

    def activate(self) -> None:
        """Begin with a new simulation."""
        self._stopped.clear()
        self._simulation = None

    def deactivate(self) -> None:
        """Cancel the running steps."""
        self._stopped.set()
        with self._lock:
            tokens = list(self._tokens.values())
        for token in tokens:
            token.cancel()
        with self._newer:
            self._newer.notify_all()

    def release(self) -> None:
        """Destroy servers and topics, forget the world."""
        if self._reporter is not None:
            self._reporter.close()
        self.workers.close()
        for part in (self._owner, self._monitor):
            if part is not None:
                part.close()
        while self._servers:
            server = self._servers.pop()
            self._offered_actions.remove(server)
            server.destroy()
        super().release()
        self._scene.clear()
        self._domain = self._setup = self._simulation = self._reporter = None
        self._owner = self._monitor = None

    def diagnose(self) -> Diagnosis:
        """Report the executors and the steps that are being performed."""
        with self._lock:
            busy = ", ".join(f"{name}: {step}" for name, step in self._busy.items())
        names = self._setup.executors if self._setup is not None else ()
        sequence = self._scene.sequence
        stale = "" if self._owner is None else self._owner.find_problem()
        return Diagnosis(
            DiagnosticStatus.ERROR if stale else DiagnosticStatus.OK,
            stale,
            {
                "executors": ", ".join(names),
                "performing": busy,
                "scene_sequence_number": "none" if sequence is None else sequence,
            },
        )

    # --- goals ----------------------------------------------------------------------------------

    def _accept(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            self._tokens[bytes(goal.goal_id.uuid)] = CancelToken()
        execute_goal(goal)

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            token = self._tokens.get(bytes(goal.goal_id.uuid))
        if token is not None:
            token.cancel()

    def _make_executor(
        self, executor: str
    ) -> Callable[[ServerGoalHandle], Awaitable[ExecuteStep.Result]]:
        async def execute(goal: ServerGoalHandle) -> ExecuteStep.Result:
            key = bytes(goal.goal_id.uuid)
            try:
                outcome = await self._execute(executor, goal, self._tokens[key])
            except Exception as error:
                sentence = self.internal_fault(executor, error).sentence
                outcome = Outcome(OutcomeCode.EXECUTION_FAILED, sentence)
            finally:
                with self._lock:
                    self._tokens.pop(key, None)
            return end_step(goal, outcome, simulated=True)

        return execute

    async def _execute(self, executor: str, goal: ServerGoalHandle, token: CancelToken) -> Outcome:
        """Have a step performed in a thread of the executor, one at a time in each."""
        step = read_step(goal.request, self.refusal(goal.request))
        if isinstance(step, Outcome):
            return step
        if step.executor != executor:
            text = f"{step} is for executor {step.executor!r}, this is {executor!r}."
            return Outcome(OutcomeCode.INVALID_ACTION, text)
        try:
            job = self._submit(executor, step, goal, token)
            outcome: Outcome = await self.await_answer(job.answer)
        except WorkerBusy:
            with self._lock:
                busy = [self._busy.get(slot) for slot in self._list_slots(executor)]
            text = f"Executor {executor!r} is still busy with {', '.join(map(str, busy))}."
            return Outcome(OutcomeCode.BUSY, text)
        except (WorkerClosed, JobCancelled):
            return Outcome(OutcomeCode.NODE_INACTIVE, CLEANED_UP)
        return outcome

    def _list_slots(self, executor: str) -> list[str]:
        """List the names of the threads of an executor."""
        count = 1 if self._setup is None else self._setup.steps_at_once
        more = range(2, count + 1)
        return [executor, *(f"{executor} {number}" for number in more)]

    def _submit(
        self, executor: str, step: PlanStep, goal: ServerGoalHandle, token: CancelToken
    ) -> Job[Outcome]:
        """Give a step to a free thread of its executor. Raises WorkerBusy if none is free."""
        *others, last = self._list_slots(executor)
        for slot in others:
            try:
                return self.workers[slot].submit(self._make_job(slot, step, goal, token))
            except WorkerBusy:
                continue
        return self.workers[last].submit(self._make_job(last, step, goal, token))

    # --- performing a step ----------------------------------------------------------------------

    def _make_job(
        self, slot: str, step: PlanStep, goal: ServerGoalHandle, token: CancelToken
    ) -> Callable[[CancelToken], Outcome]:
        def perform(_token: CancelToken) -> Outcome:
            with self._lock:
                self._busy[slot] = step
            try:
                return self._perform(step, goal, token)
            finally:
                with self._lock:
                    self._busy.pop(slot, None)

        return perform

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
        if not performance.outcome.succeeded:
            return performance.outcome
        return self._complete(performance)

    def _begin(self, step: PlanStep) -> Performance:
        """Begin a step.

        Raises NoSceneError if there is no scene. Raises SceneLostError if it is stale.
        """
        assert self._owner is not None
        with self._newer:
            self._newer.wait_for(lambda: self._scene.sequence is not None, SCENE_WAIT)
        self._owner.check(is_cancelled=self._stopped.is_set)
        seen = self._scene.sequence
        performance = self._begin_now(step)
        outcome = performance.outcome
        if outcome is not None and outcome.code is OutcomeCode.PRECONDITION_FAILED:
            # Whoever sent the step may have seen a newer scene graph than has come here.
            with self._newer:
                newer = self._newer.wait_for(lambda: self._scene.sequence != seen, FRESHNESS_WAIT)
            if newer:
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
        """Report what a step changed; return its outcome."""
        # If nobody keeps the scene graph, the deed is done all the same: the step ends, and the
        # change is reported as soon as somebody does.
        assert self._owner is not None
        assert self._monitor is not None
        key = f"report {performance.step}"
        stale = threading.Event()

        def on_loss() -> None:
            stale.set()
            if self._reporter is not None:
                self._reporter.notice()

        self._monitor.watch(key, ServerWatch(lambda: self._owner_is_lost(), True, on_loss))
        try:
            reported, performed = self._report(performance, stale.is_set)
        finally:
            self._monitor.unwatch(key)
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

    def _notice_change(self) -> None:
        if self._reporter is not None:
            self._reporter.notice()
        with self._newer:
            self._newer.notify_all()


def main(args: Sequence[str] | None = None) -> int:
    """Run the node alone."""
    return run_node(SimulatedExecutorNode, args)
