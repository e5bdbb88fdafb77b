# SPDX-License-Identifier: Apache-2.0
"""The interface of proposers: an abstraction for training tasks, and another one after faults."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.abstraction.policy.abstraction_data import KnownNames, list_signatures
from fcp_ros.abstraction.policy.programs import RefinementMapping
from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.proposers.training_task import TrainingTask
from fcp_ros.abstraction.qnp.problem import Qnp, QnpPolicy
from fcp_ros.abstraction.states.state import StateVocabulary, read_vocabulary


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
        check: Callable[[], None],
    ) -> AbstractionProposal:
        """Propose an abstraction.

        Raises RejectedProposal if what was written is no abstraction. Raises ProposerStopped if
        there is nothing (more) to propose.
        """
        ...
