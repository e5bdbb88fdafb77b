# SPDX-License-Identifier: Apache-2.0
"""The proposer of abstractions that are learned from sampled transitions alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
    GeneralizationStatus,
    ProposerStopped,
    describe_facts,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal
from fcp_ros.abstraction.proposers.symbolic.learning import (
    ReportCallback,
    SymbolicLearning,
    SymbolicOptions,
    ignore_report,
)
from fcp_ros.abstraction.sampling.training_task import TrainingTask


class SymbolicProposer:
    """Learns an abstraction; after faults it learns again from another, larger sample.

    Kinds of policies that the first tasks had none of are left out then: there are more tasks now.
    `report`: told in a sentence what was tried.
    """

    def __init__(
        self, options: SymbolicOptions | None = None, report: ReportCallback = ignore_report
    ) -> None:
        self._options = options or SymbolicOptions()
        self._report = report
        self._round = 0
        self._stage = 0

    @property
    def name(self) -> str:
        """The word for it on the command line."""
        return "symbolic"

    def propose(
        self,
        training: tuple[TrainingTask, ...],
        feedback: tuple[AbstractionError, ...],
        check: Callable[[], None],
    ) -> AbstractionProposal:
        """Learn an abstraction that solves all training tasks.

        Raises ProposerStopped if NO_COMMON_POLICY with the conflicting states, or LIMIT.
        """
        options = replace(
            self._options,
            seed=self._options.seed + self._round,
            draws=self._options.draws + self._round,
        )
        self._round += 1
        tasks = [task for task in training if not task.is_done]
        learning = SymbolicLearning(tasks, options, check, self._report, self._stage)
        learned = learning.learn()
        self._stage = learning.stage
        if learned is not None:
            remark = f"learned from {learning.states:,} states of the training tasks"
            return AbstractionProposal(learned.qnp, learned.refinement, learned.policy, (remark,))
        pair = learning.find_conflicting_states()
        if pair is None:
            sentence = (
                f"no policy was found with features of complexity {options.most_complexity} in "
                f"{options.seconds:g} s"
            )
            raise ProposerStopped(GeneralizationStatus.LIMIT, sentence)
        sentence = (
            "no feature allowed tells two states apart: in the first one a step is needed that "
            "must not be taken in the second one"
        )
        states = tuple(map(describe_facts, pair))
        error = AbstractionError(
            AbstractionCheck.ASC,
            AbstractionFault.CONFLICTING_STATES,
            sentence,
            states=states,
            layer=AbstractionLayer.FEATURES,
        )
        raise ProposerStopped(GeneralizationStatus.NO_COMMON_POLICY, sentence, (error,))
