# SPDX-License-Identifier: Apache-2.0
"""Executors that fail in every way that executors do; a process of their own.

What each really did is written to a log, one JSON object a line, so that what the nodes believe can
be compared with it. The times are those of `time.monotonic`, the same for all processes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from rclpy.action.server import ServerGoalHandle

from fcp_ros.action import ExecuteStep
from fcp_ros.cset import Delta
from fcp_ros.domain.model import Domain
from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.executors.step_threads import StepThreads
from fcp_ros.nodes.runtime.domain_parameter import (
    DOMAIN,
    TYPE_OVERRIDES,
    list_executors,
    read_domain,
)
from fcp_ros.nodes.runtime.managed_node import ManagedNode
from fcp_ros.nodes.runtime.parameters import DOMAIN_FOLDERS, ParameterSpec
from fcp_ros.nodes.runtime.spin import run_node
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import (
    NoSceneError,
    SceneFollower,
    WorldState,
    follow_scene,
)
from fcp_ros.nodes.scene_access.owner import SceneLostError, SceneOwner
from fcp_ros.nodes.scene_access.reporter import SceneReporter
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.planning.verification.stepping import StepRules


class Fault(str, Enum):
    """What an executor does with a step."""

    NONE = "none"
    FAIL = "fail"  # tries, fails and says so
    HANG = "hang"  # never ends by itself, but stops when it is asked to
    DEAF = "deaf"  # does not stop when asked to, does it all the same, and answers much too late
    LIE = "lie"  # says that it succeeded, and did nothing
    TWICE = "twice"  # does it, and answers twice
    OTHERS = "others"  # answers with the result of another goal, and does nothing
    REFUSE = "refuse"
    DIE = "die"  # its process is killed half-way


FAULTS = tuple(fault for fault in Fault if fault is not Fault.NONE)

AT_ONCE = 4
"""Steps that an executor would do at a time: one that gets two is not to hide it by a refusal."""
NAPS = 5
"""Naps of a step, with feedback after each."""
LATE = 3.0
"""Seconds that a deaf executor takes, which is longer than the executive waits."""
REPORT_WAIT = 20.0
"""Seconds for the scene graph to show what a step changed; its node may be starting."""

PARAMETERS = (
    DOMAIN,
    DOMAIN_FOLDERS,
    TYPE_OVERRIDES,
    ParameterSpec("log", "", "File to which each step is written."),
    ParameterSpec("seed", 0, "Seed of the faults.", minimum=0, maximum=2**31),
    ParameterSpec("fault_share", 0.2, "How often a step goes wrong.", minimum=0.0, maximum=1.0),
    ParameterSpec("time_scale", 60.0, "Simulated seconds in one second.", 0.01, 10_000.0),
)


@dataclass(frozen=True)
class Attempt:
    """One step at an executor, as it really was."""

    executor: str
    plan: str  # its id, in hexadecimal digits
    index: int
    rule: str
    fault: Fault
    pid: int
    begin: float  # (s)
    end: float | None = None  # None: its process died before
    code: str = ""  # of the outcome that was reported
    done: bool = False  # it changed the world as it should
    robot: str = ""  # "" for a step that is none's


def read_log(path: Path) -> list[Attempt]:
    """Read what the executors did; an attempt that was never ended keeps `end` None."""
    found: dict[tuple[str, int, float], Attempt] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            fields = json.loads(line)
        except ValueError:
            continue  # its writer was killed
        attempt = Attempt(**{**fields, "fault": Fault(fields["fault"])})
        found[attempt.plan, attempt.index, attempt.begin] = attempt
    return list(found.values())


class FaultyExecutors(ManagedNode):
    """All executors of the domain."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("faulty_executors", PARAMETERS, **kwargs)
        self._scene = SceneFollower()
        self._lock = threading.Lock()  # guards the random draws and the log
        self._answered: list[Any] = []  # headers and results of the last answers
        self._twice: set[bytes] = set()  # goals whose answer is sent twice
        self._random = random.Random(0)
        self._domain: Domain | None = None
        self._rules: StepRules | None = None
        self._steps: StepThreads | None = None
        self._reporter: SceneReporter | None = None
        self._owner: SceneOwner | None = None

    def configure(self) -> None:
        """Offer an action for each executor of the domain."""
        self._domain = read_domain(self.parameters)
        self._rules = StepRules(self._domain)
        # Another one after each death, as a process would go on otherwise.
        self._random = random.Random(f"{self.parameters.integer('seed')} {os.getpid()}")
        updates = self.publish_events(SceneGraphUpdate, "scene_graph_update")
        self._reporter = SceneReporter(self, updates, self._scene, self._domain)
        self._owner = SceneOwner(self, self._scene)
        follow_scene(self, self._scene)
        self._steps = StepThreads(self, list_executors(self._domain), self._work, AT_ONCE)
        for server in self._steps.servers:
            self._answer_strangely(server)

    def deactivate(self) -> None:
        """Have all steps end that can be cancelled."""
        self.workers.cancel_jobs()

    def release(self) -> None:
        """End all waits."""
        for part in (self._steps, self._reporter, self._owner):
            if part is not None:
                part.close()
        self._steps = self._reporter = self._owner = None
        super().release()

    # --- answers --------------------------------------------------------------------------------

    def _answer_strangely(self, server: Any) -> None:
        """Have some results sent twice, the second time together with that of an earlier goal."""
        send = server._send_result_response

        def answer(header: Any, future: Any) -> None:
            send(header, future)
            if self._twice:
                self._twice.clear()
                send(header, future)
                for earlier in self._answered[-1:]:
                    send(earlier, future)  # this result, to the question about an earlier goal
            self._answered = [header]

        server._send_result_response = answer

    # --- steps ----------------------------------------------------------------------------------

    def _work(self, step: PlanStep, goal: ServerGoalHandle, token: CancelToken) -> Outcome:
        with self._lock:
            is_faulty = self._random.random() < self.parameters.number("fault_share")
            fault = self._random.choice(FAULTS) if is_faulty else Fault.NONE
        plan = bytes(goal.request.plan_id.uuid).hex()
        robot, index = dict(step.arguments).get("robot", ""), goal.request.step_index
        attempt = Attempt(
            step.executor, plan, index, step.rule, fault, os.getpid(), time.monotonic(), robot=robot
        )
        self._write(attempt)
        outcome, done = self._perform(step, fault, goal, token)
        fields = asdict(attempt) | {
            "end": time.monotonic(),
            "code": outcome.code.name,
            "done": done,
        }
        self._write(Attempt(**fields))
        return outcome

    def _write(self, attempt: Attempt) -> None:
        with self._lock, Path(self.parameters.text("log")).open("a") as file:
            file.write(json.dumps(asdict(attempt)) + "\n")

    def _perform(
        self, step: PlanStep, fault: Fault, goal: ServerGoalHandle, token: CancelToken
    ) -> tuple[Outcome, bool]:
        """Do a step; return its outcome, and if the world was changed as it should be."""
        cancelled = Outcome(OutcomeCode.CANCELLED, "It was cancelled.")
        if fault is Fault.REFUSE:
            return Outcome(OutcomeCode.INVALID_ACTION, "It refuses such a step."), False
        if problem := self._find_problem(step):
            return problem, False
        if fault in (Fault.LIE, Fault.OTHERS):
            return Outcome(OutcomeCode.SUCCEEDED, "", 0.9), False
        if fault is Fault.HANG:
            while not token.wait(1.0):
                pass
            return cancelled, False
        if fault is Fault.DEAF:
            time.sleep(max(LATE, self._find_timeout(goal) + LATE))
        elif self._wait(step, fault, goal, token):
            return cancelled, False
        if fault is Fault.FAIL:
            return Outcome(OutcomeCode.EXECUTION_FAILED, "It did not work this time."), False
        outcome, done = self._change(step)
        if fault is Fault.TWICE:
            self._twice.add(bytes(goal.goal_id.uuid))
        return outcome, done

    @staticmethod
    def _find_timeout(goal: ServerGoalHandle) -> float:
        allowed = goal.request.timeout
        return float(allowed.sec + 1e-9 * allowed.nanosec)

    def _find_problem(self, step: PlanStep) -> Outcome | None:
        """Say why the step can't begin; None if it can."""
        assert self._owner is not None
        try:
            self._owner.check(is_cancelled=lambda: False)
            reason = self._read_reason(step)
            if reason:  # whoever sent it may have seen a newer scene
                seen = self._scene.sequence
                self._scene.wait_for(lambda: self._scene.sequence != seen, 0.3)
                reason = self._read_reason(step)
        except SceneLostError as error:
            return Outcome(OutcomeCode.SCENE_LOST, str(error))
        except NoSceneError as error:
            return Outcome(OutcomeCode.PRECONDITION_FAILED, str(error))
        return Outcome(OutcomeCode.PRECONDITION_FAILED, f"{step}: {reason}") if reason else None

    def _read_reason(self, step: PlanStep) -> str:
        assert self._domain is not None
        assert self._rules is not None
        return self._rules.apply(step, self._scene.state(self._domain).instance).reason

    def _wait(
        self, step: PlanStep, fault: Fault, goal: ServerGoalHandle, token: CancelToken
    ) -> bool:
        """Let the step's time pass; return True if it was cancelled."""
        nap = step.duration / self.parameters.number("time_scale") / NAPS
        for number in range(NAPS):
            if token.wait(nap):
                return True
            if fault is Fault.DIE and number == NAPS // 2:
                os.kill(os.getpid(), signal.SIGKILL)
            goal.publish_feedback(ExecuteStep.Feedback(progress=(number + 1) / NAPS))
        return False

    def _change(self, step: PlanStep) -> tuple[Outcome, bool]:
        """Change the world by a step, and wait until the scene graph shows it."""
        problem: list[str] = []

        def find_change(state: WorldState) -> Delta:
            assert self._rules is not None
            application = self._rules.apply(step, state.instance)
            problem[:] = [application.reason] if application.instance is None else []
            return Delta() if application.instance is None else application.delta

        assert self._reporter is not None
        reported = self._reporter.report(find_change, REPORT_WAIT)
        if problem:  # somebody has changed the world meanwhile
            text = f"The world changed meanwhile: {problem[0]}"
            return Outcome(OutcomeCode.PRECONDITION_FAILED, text), False
        if not reported.ok:  # it was done, but nobody has seen it
            return Outcome(OutcomeCode.SUCCEEDED, reported.message, 0.9), True
        with self._lock:
            quality = min(1.0, max(0.5, self._random.gauss(0.95, 0.03)))
        return Outcome(OutcomeCode.SUCCEEDED, "", quality), True


def list_busy(attempts: Iterable[Attempt], deaths: dict[int, float]) -> Iterator[Attempt]:
    """Yield the attempts with an end each: that of its process (pid -> time) if there is none."""
    for attempt in attempts:
        if attempt.end is not None:
            yield attempt
        elif attempt.pid in deaths:
            yield Attempt(**{**asdict(attempt), "fault": attempt.fault, "end": deaths[attempt.pid]})


def main() -> int:
    """Run the executors."""
    return run_node(FaultyExecutors)


if __name__ == "__main__":
    sys.exit(main())
