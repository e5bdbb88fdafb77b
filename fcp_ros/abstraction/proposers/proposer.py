# SPDX-License-Identifier: Apache-2.0
"""Proposers of abstractions: the training tasks that they are given, and their answers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Protocol

from fcp_ros.abstraction.policy.abstraction_data import KnownNames, list_signatures
from fcp_ros.abstraction.policy.programs import RefinementMapping
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.qnp.problem import Qnp, QnpPolicy
from fcp_ros.abstraction.states.building import GoalAtoms, list_goal_atoms
from fcp_ros.abstraction.states.state import StateVocabulary, find_world, read_vocabulary
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.domain.pddl.source_text import UnsupportedPddl
from fcp_ros.domain.pddl.task_reader import read_pddl
from fcp_ros.foundation.stopping import Check


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


@dataclass(frozen=True)
class AbstractionProposal:
    """An abstraction of a domain, yet to be checked."""

    qnp: Qnp  # the abstract problem; its variables are the names of `refinement.features`
    refinement: RefinementMapping  # the features, and the programs of the abstract actions
    # the proposer's own policy, with all actions that may be taken in a state; None: the problem is
    # solved
    policy: QnpPolicy | None = None
    remarks: tuple[str, ...] = ()


def join_names(training: tuple[TrainingTask, ...]) -> KnownNames:
    """Return what an abstraction may name: what any of the tasks has."""
    # A task of PDDL lacks rules, and names, that can never apply in it.
    found = [
        read_vocabulary(task.domain, (fact.relation for fact in task.goal)) for task in training
    ]
    vocabulary = StateVocabulary(
        tuple(dict.fromkeys(name for one in found for name in one.flags)),
        tuple(dict.fromkeys(name for one in found for name in one.concepts)),
        tuple(dict.fromkeys(name for one in found for name in one.roles)),
        frozenset[str]().union(*(one.fluent for one in found)),
    )
    signatures: dict[str, Collection[str]] = {}
    for task in training:
        signatures.update(list_signatures(task.domain))
    return KnownNames(vocabulary, signatures)


class AbstractionProposer(Protocol):
    """Anything that proposes abstractions; keeps what it needs from one round to the next."""

    @property
    def name(self) -> str:
        """A name for people: it stands in the file of the policy."""
        ...

    def propose(
        self,
        training: tuple[TrainingTask, ...],  # tasks of one domain, at least one
        # the faults of the last proposal; none in the first round
        feedback: tuple[AbstractionError, ...],
        check: Check,
    ) -> AbstractionProposal:
        """Propose an abstraction.

        Raises RejectedProposal if what was written is no abstraction. Raises ProposerStopped if
        there is nothing (more) to propose.
        """
        ...
