# SPDX-License-Identifier: Apache-2.0
"""Tasks from files: PDDL problems, or scenes in the words of a domain with one goal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fcp_ros.abstraction.proposers.proposer import TrainingTask, read_training_task
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.states.building import UnsupportedGoal, list_goal_atoms
from fcp_ros.cli.exit_codes import to_exit_code
from fcp_ros.cli.plan.request import is_pddl
from fcp_ros.cli.session import open_session
from fcp_ros.cli.terminal import fail
from fcp_ros.domain import check_goal, parse_expression


def read_tasks(domain: str, files: Sequence[str], goal: str) -> tuple[TrainingTask, ...]:
    """Read tasks of one domain; leaves the program if one can't be used.

    Args:
        domain: a PDDL file, or name or path of a YAML domain.
        files: PDDL problems, or names or paths of scenes.
        goal: of all scenes; empty for PDDL, whose problems have goals.
    """
    in_pddl = is_pddl(domain)
    if in_pddl and goal:
        fail("--goal is for scenes: a PDDL problem has its own goal")
    if not in_pddl and not goal:
        fail("scenes have no goal: give one with --goal, such as 'forall ?c: cup (...)'")
    return tuple(_read_task(domain, file, goal, in_pddl=in_pddl) for file in files)


def _read_task(domain: str, file: str, goal: str, *, in_pddl: bool) -> TrainingTask:
    try:
        return read_training_task(domain, file) if in_pddl else _read_scene(domain, file, goal)
    except UnsupportedGoal as error:
        code = to_exit_code(GeneralizationStatus.UNSUPPORTED)
        fail(f"{file}: no policy can be learned for this goal: {error}", code)


def _read_scene(domain: str, scene: str, goal: str) -> TrainingTask:
    session = open_session(domain, scene)
    instance = session.state.instance
    checked = check_goal(parse_expression(goal), session.domain, instance, goal)
    atoms = list_goal_atoms(checked, instance, session.domain)
    return TrainingTask(Path(scene).stem, session.domain, instance, atoms, scene)
