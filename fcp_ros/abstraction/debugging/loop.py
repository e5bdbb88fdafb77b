# SPDX-License-Identifier: Apache-2.0
"""The loop of automated debugging: propose, check, hand the faults back, at most N times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic, process_time

from fcp_ros.abstraction.debugging.abstraction_check import (
    CheckedTask,
    check_abstraction,
    check_initial_state,
)
from fcp_ros.abstraction.debugging.refined_tree import TreeLimits, walk_refined_tree
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy, PolicyProvenance
from fcp_ros.abstraction.policy.runner import ExecutionLimits, PolicyRunner
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    ProposerStopped,
    RejectedProposal,
)
from fcp_ros.abstraction.proposers.proposer import (
    AbstractionProposal,
    AbstractionProposer,
    TrainingTask,
)
from fcp_ros.abstraction.proposers.status import GeneralizationStatus, translate_interruption
from fcp_ros.abstraction.proposers.task_variants import enlarge_tasks, find_goal_plan
from fcp_ros.abstraction.qnp.problem import QnpPolicy
from fcp_ros.abstraction.qnp.state_space import QnpLimits
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.joining import UnsupportedRule
from fcp_ros.domain.identity import identify_domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import Check, never_stop
from fcp_ros.foundation.wording import join_words
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

MOST_ROUNDS = 20
MOST_ERRORS = 6
"""Faults of a round; further training tasks are not walked then."""
SOLVING_TIME = 1.0
"""Seconds of the processor for the proof that a training task can't be solved."""
LARGER_SECONDS = 20.0
"""Seconds of the processor for a run on a larger task."""
BOUNDED = "not all choices that the policy leaves were walked through"


@dataclass(frozen=True, slots=True)
class GeneralizationOptions:
    """Settings of `generalize`. Raises ValueError for a number out of its range."""

    rounds: int = 10  # proposals that are asked for at most, 1 to MOST_ROUNDS
    # number of training tasks that the proposer is given, the first ones with something to do; 0:
    # all. The others are for debugging: one that shows a fault is given to the proposer from the
    # next round on.
    generating: int = 0
    time_limit: float = 600.0  # for everything (s)
    # bounds of the walk through each training task
    tree: TreeLimits = field(default_factory=TreeLimits)
    qnp: QnpLimits = field(default_factory=QnpLimits)

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"{self.rounds} rounds: give 1 to {MOST_ROUNDS}")
        if self.generating < 0:
            raise ValueError(f"{self.generating} tasks to generate from: give 0 for all, or more")
        if not self.time_limit > 0.0:
            raise ValueError(f"a time limit of {self.time_limit:g} s: give more than 0")


def describe_timeout(limit: float) -> str:
    """Say that the time limit (s) is over."""
    return f"no policy within {limit:g} s: give it more time"


@dataclass(frozen=True)
class GeneralizationRound:
    """One proposal and what the checks say."""

    proposal: AbstractionProposal | None  # None if what was written is no abstraction
    errors: tuple[AbstractionError, ...]  # its faults; none: it passed
    states: int = 0  # concrete states of the training tasks that were walked through
    is_complete: bool = True  # False if bounds left choices out
    seconds: float = 0.0


@dataclass(frozen=True)
class Generalization:
    """The outcome of `generalize`."""

    status: GeneralizationStatus  # FOUND, or why there is no policy
    sentence: str  # the same for a person
    policy: GeneralPolicy | None = None  # None unless it was found
    rounds: tuple[GeneralizationRound, ...] = ()  # all of them, in order
    # what shows why there is no policy: of the proposer, else of the last round
    errors: tuple[AbstractionError, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class GeneralizationProgress:
    """The present work of `generalize`."""

    round: int  # from 1
    doing: str  # a clause for a person
    errors: tuple[AbstractionError, ...] = ()  # the faults of the round before


GeneralizationCallback = Callable[[GeneralizationProgress], None]


def ignore_generalization(_progress: GeneralizationProgress) -> None:
    """Ignore progress."""


class UnfitTraining(InputError):
    """Training tasks that no policy can be learned on."""


def generalize(
    training: tuple[TrainingTask, ...],
    proposer: AbstractionProposer,
    options: GeneralizationOptions | None = None,
    progress: GeneralizationCallback = ignore_generalization,  # told what is being done
    check: Check = never_stop,
) -> Generalization:
    """Look for a policy that passes all checks on the training tasks.

    Returns the policy, or the reason why there is none, with the faults of each round. Raises
    UnfitTraining if there is no task, they are of several domains, nothing is to be done in them,
    or one can't be solved.
    """
    _check_training(training)
    loop = _DebuggingLoop(training, proposer, options or GeneralizationOptions(), progress, check)
    return loop.run()


def _check_training(training: tuple[TrainingTask, ...]) -> None:
    if not training:
        raise UnfitTraining("there is no training task: give at least one")
    identity = identify_domain(training[0].domain)
    for task in training[1:]:
        if identify_domain(task.domain) != identity:
            raise UnfitTraining(
                f"{task.name} and {training[0].name} are tasks of different domains, or of "
                "different versions of one: give tasks of one domain"
            )
    if all(task.is_done for task in training):
        names = join_words([task.name for task in training])
        raise UnfitTraining(
            f"the goal holds at the beginning of {names}, so there is nothing to learn from: give "
            "tasks with something to do"
        )


def _choose_generating(training: tuple[TrainingTask, ...], count: int) -> tuple[TrainingTask, ...]:
    """Choose the tasks to generate from: the first ones with something to do, or all."""
    if not count:
        return training
    return tuple(task for task in training if not task.is_done)[:count]


class _DebuggingLoop:
    """The rounds so far, and the time."""

    def __init__(
        self,
        training: tuple[TrainingTask, ...],
        proposer: AbstractionProposer,
        options: GeneralizationOptions,
        progress: GeneralizationCallback,
        check: Check,
    ) -> None:
        self._training = training
        self._generating = _choose_generating(training, options.generating)
        self._proposer = proposer
        self._options = options
        self._progress = progress
        self._outer_check = check
        self._began = monotonic()
        self._rounds: list[GeneralizationRound] = []
        self._larger: tuple[TrainingTask, ...] | None = None

    def run(self) -> Generalization:
        """Run all rounds; no error but those of callbacks leaves it."""
        try:
            return self._run_rounds()
        except ProposerStopped as stopped:
            return self._conclude(stopped.status, stopped.sentence, errors=stopped.errors)
        except Interrupted as interrupted:
            status = translate_interruption(interrupted.status)
            return self._conclude(status, interrupted.sentence)
        except UnsupportedRule as error:
            return self._conclude(GeneralizationStatus.UNSUPPORTED, str(error))

    def _run_rounds(self) -> Generalization:
        self._refuse_unsolvable()
        errors: tuple[AbstractionError, ...] = ()
        for number in range(1, self._options.rounds + 1):
            began = monotonic()
            self._tell(f"{self._proposer.name} proposes an abstraction")
            try:
                proposal = self._proposer.propose(self._generating, errors, self._check)
            except RejectedProposal as rejected:
                errors = rejected.errors
                round_ = GeneralizationRound(None, errors, seconds=monotonic() - began)
                self._rounds.append(round_)
                continue
            policy, round_ = self._check_proposal(proposal, began)
            if not round_.errors:
                failures = self._try_larger(proposal, policy)
                round_ = replace(round_, errors=failures, seconds=monotonic() - began)
            self._rounds.append(round_)
            errors = round_.errors
            self._join_failed({error.instance for error in errors})
            if not errors:
                return self._accept(proposal, policy, number)
        rounds = self._options.rounds
        many = f"none of {rounds} proposals passes" if rounds > 1 else "the proposal does not pass"
        sentence = f"{many} the checks; the last one: {errors[0].sentence}"
        return self._conclude(GeneralizationStatus.UNREPAIRED, sentence)

    def _check_proposal(
        self, proposal: AbstractionProposal, began: float
    ) -> tuple[QnpPolicy, GeneralizationRound]:
        """Run the four checks; those of tasks only if the abstraction itself passes."""
        self._tell("solving the abstraction")
        checked = check_abstraction(proposal, self._training, self._options.qnp, self._check)
        errors, states, is_complete = list(checked.errors), 0, True
        for task in self._training if not errors else ():
            self._tell(f"walking through {task.name}")
            prepared = CheckedTask(task, proposal)
            errors += check_initial_state(prepared, checked.policy, self._check)
            walked = walk_refined_tree(prepared, checked.policy, self._options.tree, self._check)
            errors += walked.errors
            states += walked.states
            is_complete &= walked.is_complete
            if len(errors) >= MOST_ERRORS:
                break
        seconds = monotonic() - began
        return checked.policy, GeneralizationRound(
            proposal, tuple(errors), states, is_complete, seconds
        )

    def _join_failed(self, names: set[str]) -> None:
        """Give the proposer the tasks that showed faults: some learn from tasks alone."""
        given = self._generating
        self._generating = tuple(
            task for task in self._training if task in given or task.name in names
        )

    def _refuse_unsolvable(self) -> None:
        """Refuse training tasks of which a planner proves quickly that they can't be solved."""
        for task in self._training:
            if task.is_done:
                continue
            self._check()
            found = find_goal_plan(task, task.goal, SOLVING_TIME, seed=0)
            if found.status is PlanStatus.UNSOLVABLE_PROVEN:
                raise UnfitTraining(
                    f"the training task {task.name} can't be solved, so no policy solves it: "
                    "correct it or leave it out"
                )

    def _try_larger(
        self, proposal: AbstractionProposal, policy: QnpPolicy
    ) -> tuple[AbstractionError, ...]:
        """Run a policy on larger tasks; the first one that it fails on joins the training tasks."""
        if self._larger is None:
            self._tell("making larger tasks of the training tasks")
            self._larger = enlarge_tasks(self._training, self._check)
        tried = GeneralPolicy("tried", "", "", (), proposal.qnp, policy, proposal.refinement)
        for task in self._larger:
            self._tell(f"trying {task.name}")
            state = build_state(task.domain, task.instance, task.goal)
            limits = ExecutionLimits(seconds=LARGER_SECONDS, clock=process_time)
            run = PolicyRunner(tried, task.domain).run_state(state, task.goal, limits, self._check)
            if not run.reached:
                self._training = (*(one for one in self._training if one != task), task)
                sentence = f"the policy fails on {task.name}, which has more objects: {run.reason}"
                kind = AbstractionFault.GOAL_NOT_REACHED
                return (AbstractionError(AbstractionCheck.LLGRC, kind, sentence, task.name),)
        return ()

    def _accept(
        self, proposal: AbstractionProposal, policy: QnpPolicy, number: int
    ) -> Generalization:
        training = self._training
        domain = training[0].domain
        seconds = monotonic() - self._began
        goals = {fact.relation for task in training for fact in task.goal}
        names = tuple(task.name for task in training)
        last, larger = self._rounds[-1], self._larger or ()
        most = max(task.object_count for task in (*training, *larger))
        tried = f"tried on tasks of up to {most} objects"
        bounded = () if last.is_complete else (f"checked on {last.states} states: {BOUNDED}",)
        found = GeneralPolicy(
            name=domain.name,
            domain_name=domain.name,
            domain_hash=identify_domain(domain),
            goal_relations=tuple(sorted(goals)),
            qnp=proposal.qnp,
            policy=policy,
            refinement=proposal.refinement,
            provenance=PolicyProvenance(
                self._proposer.name, names, round(seconds, 3), (*proposal.remarks, *bounded, tried)
            ),
        )
        tasks = "task" if len(training) == 1 else "tasks"
        rounds = "first" if number == 1 else f"{number}th"
        sentence = (
            f"the {rounds} proposal passes all checks on {len(training)} training {tasks}; it was "
            f"{tried}"
        )
        return self._conclude(GeneralizationStatus.FOUND, sentence, found)

    def _conclude(
        self,
        status: GeneralizationStatus,
        sentence: str,
        policy: GeneralPolicy | None = None,
        errors: tuple[AbstractionError, ...] = (),
    ) -> Generalization:
        last = self._rounds[-1].errors if self._rounds else ()
        seconds = monotonic() - self._began
        rounds = tuple(self._rounds)
        return Generalization(status, sentence, policy, rounds, errors or last, seconds)

    def _check(self) -> None:
        self._outer_check()
        if monotonic() - self._began > self._options.time_limit:
            sentence = describe_timeout(self._options.time_limit)
            raise Interrupted(PlanStatus.TIMEOUT, sentence)

    def _tell(self, doing: str) -> None:
        self._check()
        before = self._rounds[-1].errors if self._rounds else ()
        self._progress(GeneralizationProgress(len(self._rounds) + 1, doing, before))
