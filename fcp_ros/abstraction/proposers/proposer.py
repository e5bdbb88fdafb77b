# SPDX-License-Identifier: Apache-2.0
"""The interface of proposers: an abstraction for training tasks, and another one after faults."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.qnp.problem import Qnp, QnpPolicy
from fcp_ros.abstraction.refinement.programs import RefinementMapping
from fcp_ros.abstraction.sampling.training_task import TrainingTask


@dataclass(frozen=True)
class AbstractionProposal:
    """An abstraction of a domain, yet to be checked."""

    qnp: Qnp  # the abstract problem; its variables are the names of `refinement.features`
    refinement: RefinementMapping  # the features, and the programs of the abstract actions
    # the proposer's own policy, with all actions that may be taken in a state; None: the problem is
    # solved
    policy: QnpPolicy | None = None
    remarks: tuple[str, ...] = ()


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
