# SPDX-License-Identifier: Apache-2.0
"""Domain, instance and goal that a policy is learned on; read from files."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from fcp_ros.abstraction.states.building import GoalAtoms, list_goal_atoms
from fcp_ros.abstraction.states.state import find_world
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.domain.pddl.source_text import UnsupportedPddl
from fcp_ros.domain.pddl.task_reader import read_pddl


@dataclass(frozen=True)
class TrainingTask:
    """A task to learn from."""

    name: str
    domain: Domain  # rules and schema. Two tasks of one PDDL domain may differ here.
    instance: Instance
    goal: GoalAtoms  # the facts that the goal asks for
    source: str = ""  # the file that it was read from; empty if it was built in memory

    @property
    def object_count(self) -> int:
        """Number of objects, without the one that stands for PDDL's world."""
        has_world = find_world(self.domain.schema) is not None
        return len(self.instance.all_elements()) - has_world

    @property
    def is_done(self) -> bool:
        """True if the goal holds at the beginning."""
        instance = self.instance
        return all(
            instance.find_tuple(fact.relation, tuple(map(instance.id_of, fact.arguments)))
            is not None
            for fact in self.goal
        )


def read_training_task(domain: str | PathLike[str], problem: str | PathLike[str]) -> TrainingTask:
    """Read a task from a domain file and a problem file of PDDL.

    Raises PddlError for a mistake in a file. Raises UnsupportedGoal if the goal is no conjunction
    of facts. Raises UnsupportedPddl if the domain has derived predicates that actions change
    indirectly.
    """
    task = read_pddl(domain, problem)
    if task.domain.strata:
        feature, fix = "derived predicates in training tasks", "let actions add and delete them"
        raise UnsupportedPddl(str(domain), (0, 0), feature, fix)
    return TrainingTask(
        name=f"{Path(problem).parent.name}/{Path(problem).stem}",
        domain=task.domain,
        instance=task.instance,
        goal=list_goal_atoms(task.goal, task.instance, task.domain),
        source=str(problem),
    )
