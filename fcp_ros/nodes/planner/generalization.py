# SPDX-License-Identifier: Apache-2.0
"""The action ``generalize``: from a goal message and files to a policy in the planner's folder.

Everything here runs in a worker thread, which waits for the process that learns.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fcp_ros.abstraction.debugging.learning_process import LearningRequest, generalize_apart
from fcp_ros.abstraction.debugging.outcome import MOST_ROUNDS, Generalization, GeneralizationOptions
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy, PolicyError
from fcp_ros.abstraction.policy.policy_file import list_policy_files, read_policy, save_policy
from fcp_ros.abstraction.proposers.proposer import TrainingTask, read_training_task
from fcp_ros.abstraction.proposers.status import GeneralizationStatus, translate_interruption
from fcp_ros.abstraction.states.building import UnsupportedGoal, list_goal_atoms
from fcp_ros.action import Generalize
from fcp_ros.binding.scene_loading import load_scene_for
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, check_goal, load_domain, parse_expression
from fcp_ros.foundation.input_error import InputError
from fcp_ros.nodes.conversions.common import ConversionError, duration_from_ros
from fcp_ros.nodes.conversions.generalization import (
    generalization_progress_to_ros,
    generalization_to_ros,
)
from fcp_ros.nodes.conversions.planning import check_length
from fcp_ros.nodes.planner.parameters import TRAINING_FILES
from fcp_ros.nodes.planner.service import PlanningService
from fcp_ros.nodes.runtime.parameters import FileRefusedError, ParameterTable
from fcp_ros.nodes.runtime.request_checks import RefusalKind, RequestRefused
from fcp_ros.nodes.runtime.worker import CancelToken
from fcp_ros.nodes.scene_access.follower import NoSceneError, SceneFollower
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

# --- the file that a new policy is written to: in the folder of policies ---

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class PolicyTarget:
    """The place of a policy that is yet to be found.

    `folder`: of the policies; "" if the node has none. `may_replace`: True if a file of this name
    is to be replaced.
    """

    def __init__(self, folder: str, name: str, may_replace: bool) -> None:
        self._folder = Path(folder)
        self._has_folder = bool(folder)
        self.name = name
        self.file = self._folder / f"{name}.yaml"
        self._may_replace = may_replace

    def check(self) -> None:
        """Refuse a policy that could not be written, before it is looked for.

        Raises RequestRefused if there is no folder, the name is none, or it is taken.
        """
        problem = self._find_problem()
        if problem:
            raise RequestRefused(RefusalKind.INVALID_REQUEST, problem)

    def save(self, policy: GeneralPolicy) -> GeneralPolicy:
        """Write a policy under the name of the target, and return it as it was written.

        Raises RequestRefused if it can't be written.
        """
        self.check()
        named = replace(policy, name=self.name)
        try:
            save_policy(named, self.file)
        except OSError as error:
            sentence = (
                f"A policy was found, but {self.file} can't be written "
                f"({error.strerror or error}): check the folder and its permissions."
            )
            raise RequestRefused(RefusalKind.INVALID_REQUEST, sentence) from error
        return named

    def _find_problem(self) -> str:
        """Return why a policy can't be written there; "" if it can."""
        if not self._has_folder:
            return (
                "The planner has no folder for policies: set its parameter policies to one, and "
                "configure it."
            )
        if not _NAME.fullmatch(self.name):
            return (
                f"{self.name[:80]!r} is no name for a policy: give 1 to 64 letters, digits, - and "
                "_, with a letter or digit first."
            )
        if not os.access(self._folder, os.W_OK | os.X_OK) or not self._folder.is_dir():
            return (
                f"{self._folder} is no folder that may be written to: correct the parameter "
                "policies, or the permissions."
            )
        if self.file.exists() and not self._may_replace:
            return (
                f"There is a policy {self.name} already ({self.file}): give another name, or set "
                "replace."
            )
        for path in list_policy_files(self._folder):
            if path != self.file and _read_name(path) == self.name:
                return f"{path} has a policy {self.name} already: give another name."
        return ""


def _read_name(path: Path) -> str:
    try:
        return read_policy(path).name
    except PolicyError:
        return ""


# --- the action ``generalize`` ---

DEFAULTS = GeneralizationOptions()
MOST_TASKS = 100
"""Tasks of one goal: few small ones are learned from best."""
PRESENT = "present scene"
"""Name of the task that is the present scene."""
PDDL = ".pddl"
REFUSALS = (FileRefusedError, ConversionError, InputError, NoSceneError, OSError)
"""Reasons for which nothing is looked for."""


@dataclass(frozen=True)
class LearningPlace:
    """The surroundings of a goal of ``generalize``."""

    service: PlanningService  # plans for the planner's domain
    scene: SceneFollower
    parameters: ParameterTable
    # returns the present service of the node, which may have another domain by the time a policy is
    # found; None if it was cleaned up
    find_service: Callable[[], PlanningService | None]


def learn_policy(
    goal: Any,
    asked: float,  # time of its arrival (s, of `time.monotonic`): waiting for its turn counts
    place: LearningPlace,  # domain, scene, parameters
    token: CancelToken,
    report: Callable[[Any], None],  # gets feedback messages
) -> Any:
    """Answer a goal of ``generalize`` with its result.

    Raises RequestRefused if nothing can be looked for as it is asked; the sentence says why.
    """
    target = PolicyTarget(place.service.policies.folder, str(goal.name), bool(goal.replace))
    target.check()
    watch = _LearningWatch(_choose_time_limit(goal, place), asked, token)
    try:
        request = _make_request(goal, place, watch, token)
        found = generalize_apart(
            request,
            lambda progress: report(generalization_progress_to_ros(progress, watch.elapsed)),
            watch.check,
        )
    except UnsupportedGoal as error:
        sentence = f"No policy can be learned for this goal: {error}"
        found = Generalization(GeneralizationStatus.UNSUPPORTED, sentence)
    except Interrupted as interrupted:
        status = translate_interruption(interrupted.status)
        found = Generalization(status, interrupted.sentence)
    except REFUSALS as error:
        raise RequestRefused(RefusalKind.INVALID_REQUEST, str(error)) from error
    result = generalization_to_ros(found)
    if found.policy is not None:
        target.save(found.policy)
        _put_to_use(result, target, place.find_service())
    result.seconds = watch.elapsed
    return result


class _LearningWatch:
    """The time limit and the cancellation of one goal."""

    def __init__(self, limit: float, asked: float, token: CancelToken) -> None:
        self._limit = limit
        self._asked = asked
        self._token = token

    @property
    def elapsed(self) -> float:
        """Seconds since the arrival of the goal."""
        return time.monotonic() - self._asked

    @property
    def left(self) -> float:
        """Seconds until the time limit."""
        return self._limit - self.elapsed

    def check(self) -> None:
        """Stop a goal that was cancelled or takes too long. Raises Interrupted if it is so."""
        if self._token.cancelled:
            raise Interrupted(PlanStatus.CANCELLED, "Cancelled: no policy was written.")
        if self.left <= 0.0:
            sentence = f"No policy within {self._limit:g} s: give it more time."
            raise Interrupted(PlanStatus.TIMEOUT, sentence)


def _choose_time_limit(goal: Any, place: LearningPlace) -> float:
    limit = duration_from_ros(goal.time_limit)
    if limit < 0.0:
        raise RequestRefused(
            RefusalKind.INVALID_REQUEST,
            f"The time limit is {limit:g} s: give a positive one, or 0 for the default.",
        )
    return limit or place.parameters.number("generalization_time_limit")


def _make_request(
    goal: Any, place: LearningPlace, watch: _LearningWatch, token: CancelToken
) -> LearningRequest:
    if not goal.tasks and not goal.present_scene:
        raise ConversionError("there is no task: give tasks, or set present_scene")
    if len(goal.tasks) > MOST_TASKS:
        raise ConversionError(f"there are {len(goal.tasks)} tasks: give at most {MOST_TASKS}")
    if goal.rounds > MOST_ROUNDS:
        raise ConversionError(f"there are {goal.rounds} rounds: give at most {MOST_ROUNDS}")
    reader = _TaskReader(goal, place, token)
    abstraction = reader.resolve_abstraction()
    tasks = []
    for task in reader.read_tasks():
        watch.check()
        tasks.append(task)
    watch.check()
    options = GeneralizationOptions(
        rounds=int(goal.rounds) or DEFAULTS.rounds, time_limit=watch.left
    )
    return LearningRequest(tuple(tasks), abstraction, options, int(goal.seed))


class _TaskReader:
    """Reads the tasks of one goal, from the folders that are allowed."""

    def __init__(self, goal: Any, place: LearningPlace, token: CancelToken) -> None:
        self._goal = goal
        self._place = place
        self._token = token
        self._text = check_length(str(goal.goal), "goal")

    def resolve_abstraction(self) -> str:
        """Return the file of the abstraction; "" if it is to be learned."""
        goal = self._goal
        if goal.proposer not in (Generalize.Goal.SYMBOLIC, Generalize.Goal.FILE):
            raise ConversionError(f"proposer is {goal.proposer}: give SYMBOLIC (0) or FILE (1)")
        if bool(goal.abstraction) != (goal.proposer == Generalize.Goal.FILE):
            raise ConversionError("an abstraction and the proposer FILE belong together")
        return self._resolve(goal.abstraction, Path) if goal.abstraction else ""

    def read_tasks(self) -> Iterator[TrainingTask]:
        """Read one task after the other.

        Raises UnsupportedGoal if a goal is no conjunction of facts.
        """
        goal = self._goal
        if goal.domain.lower().endswith(PDDL):
            yield from self._read_problems(goal)
            return
        if not self._text:
            raise ConversionError(
                "scenes have no goal: give one, such as forall ?c: cup (on(?c, counter_1))"
            )
        domain = self._place.service.domain
        if goal.present_scene:
            if goal.domain:
                raise ConversionError(
                    "the present scene is in the planner's domain: leave domain empty, or "
                    "present_scene out"
                )
            yield self._make_task(PRESENT, domain, self._read_present(domain))
        if goal.domain:
            domain = load_domain(self._resolve(goal.domain, find_domain))
        for scene in goal.tasks:
            instance = self._read_scene(self._resolve(scene, find_scene), domain)
            yield self._make_task(Path(scene).stem, domain, instance)

    def _read_problems(self, goal: Any) -> Iterator[TrainingTask]:
        if self._text:
            raise ConversionError("a PDDL problem has its own goal: leave goal empty")
        if goal.present_scene:
            raise ConversionError("a scene is no task of a PDDL domain: leave present_scene out")
        domain = self._resolve(goal.domain, Path)
        for problem in goal.tasks:
            yield read_training_task(domain, self._resolve(problem, Path))

    def _make_task(self, name: str, domain: Domain, instance: Instance) -> TrainingTask:
        checked = check_goal(parse_expression(self._text), domain, instance, self._text)
        return TrainingTask(name, domain, instance, list_goal_atoms(checked, instance, domain))

    def _read_present(self, domain: Domain) -> Instance:
        scene = self._place.scene
        scene.wait_for_first(self._place.parameters.number("scene_wait"), self._token)
        return scene.state(domain).instance

    def _read_scene(self, path: str, domain: Domain) -> Instance:
        graph = load_scene_for(path, domain.schema, domain.mapping)
        similarity = self._place.scene.similarity
        return scene_to_instance(graph, domain.schema, domain.mapping, similarity).instance

    def _resolve(self, address: str, find: Callable[[str], Path]) -> str:
        return self._place.parameters.resolve(replace(TRAINING_FILES, find=find), address)


def _put_to_use(result: Any, target: PolicyTarget, service: PlanningService | None) -> None:
    """Plan with a policy that was written from now on, and say so in the result."""
    result.policy, result.file = target.name, str(target.file)
    if service is not None:
        service.policies.read_again()
        result.in_use = target.name in service.policies.present.names
    use = (
        "it is planned with from now on"
        if result.in_use
        else "the planner has another domain, so that it does not plan with it"
    )
    result.message += f" Written to {target.file}; {use}."
