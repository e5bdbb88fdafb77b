# SPDX-License-Identifier: Apache-2.0
"""Faults of abstractions as values, and the errors of proposers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.states.state import RelationalState, list_bits
from fcp_ros.foundation.input_error import InputError

MOST_FACTS = 12
"""Facts of a state that are written, of those that rules change."""


def write_atom(name: str, arguments: Sequence[str]) -> str:
    return f"{name}({', '.join(arguments)})"


def list_facts(state: RelationalState) -> Iterator[tuple[str, str]]:
    """List the facts of a state: the name of the vocabulary, and the fact in words."""
    objects = state.objects
    for name, is_true in state.flags.items():
        if is_true:
            yield name, name
    for name, bits in state.concepts.items():
        yield from ((name, write_atom(name, (objects[i],))) for i in list_bits(bits))
    for name, rows in state.roles.items():
        for source, bits in enumerate(rows):
            pairs = ((objects[source], objects[target]) for target in list_bits(bits))
            yield from ((name, write_atom(name, pair)) for pair in pairs)


def describe_facts(state: RelationalState) -> str:
    """Describe a state by the facts that rules change, within a bounded length."""
    fluent = state.vocabulary.fluent
    facts = [fact for name, fact in list_facts(state) if name in fluent]
    more = [f"{len(facts) - MOST_FACTS} more facts"] if len(facts) > MOST_FACTS else []
    return ", ".join([*facts[:MOST_FACTS], *more]) or "none of the facts that actions change"


class AbstractionCheck(str, Enum):
    """The check that found a fault; the names are those of the source paper.

    Cui et al., "Abstraction generation for generalized planning with pretrained LLMs",
    arXiv 2602.10485.
    """

    ASC = "ASC"
    """The abstraction itself: its syntax, its names, its QNP, the effects that it states."""
    HLISC = "HLISC"
    """Initial states and goals of the training tasks against those of the QNP."""
    HLPRC = "HLPRC"
    """The policy on the training tasks: every action that it chooses has to be refined."""
    LLGRC = "LLGRC"
    """The ends of the policy's runs have to satisfy the goals of the training tasks."""


class AbstractionFault(str, Enum):
    """The kinds of faults; a proposer may decide by them."""

    SYNTAX = "SYNTAX"
    UNKNOWN_NAME = "UNKNOWN_NAME"
    UNSOLVABLE_QNP = "UNSOLVABLE_QNP"
    WRONG_EFFECT = "WRONG_EFFECT"
    WRONG_INITIAL_STATE = "WRONG_INITIAL_STATE"
    WRONG_GOAL = "WRONG_GOAL"
    NO_RULE = "NO_RULE"
    NO_REFINEMENT = "NO_REFINEMENT"
    NO_END = "NO_END"
    GOAL_NOT_REACHED = "GOAL_NOT_REACHED"
    TOO_LARGE = "TOO_LARGE"
    CONFLICTING_STATES = "CONFLICTING_STATES"


class AbstractionLayer(str, Enum):
    """The part of an abstraction that has to change for a fault to go, if the others stay."""

    FEATURES = "FEATURES"
    """They don't tell states apart, or are no features of the domain."""
    INITIAL = "INITIAL"
    """The initial condition leaves out where a task begins."""
    GOAL = "GOAL"
    """The goal of the abstraction holds too early, and the features could tell."""
    ACTIONS = "ACTIONS"
    """The abstract actions state what no concrete steps do, or lead nowhere."""
    POLICY = "POLICY"
    """The proposer's own policy."""
    REFINEMENT = "REFINEMENT"
    """The programs miss concrete steps that do what an abstract action states."""


_LAYER_WORDS = {
    AbstractionLayer.FEATURES: "the features",
    AbstractionLayer.INITIAL: "the initial condition",
    AbstractionLayer.GOAL: "the goal of the abstraction",
    AbstractionLayer.ACTIONS: "the abstract actions",
    AbstractionLayer.POLICY: "the policy",
    AbstractionLayer.REFINEMENT: "the programs",
}

OUT_OF_REACH = -1
"""Steps left where no steps lead to the goal."""


@dataclass(frozen=True, slots=True)
class AbstractionError:
    """A fault of an abstraction, for people and for proposers."""

    check: AbstractionCheck
    kind: AbstractionFault
    sentence: str  # what is wrong, and where it helps what to do; for people and language models
    instance: str = ""  # the training task that shows it; empty if none does
    # the states that show it, in words: values of the features, or facts
    states: tuple[str, ...] = ()
    # abstract and concrete actions that lead there or fail there, in words
    actions: tuple[str, ...] = ()
    layer: AbstractionLayer | None = None  # what is to blame; None if that isn't decided
    # least number of concrete steps from the state to the goal of the task, or OUT_OF_REACH; None
    # if that isn't known
    steps_left: int | None = None

    def describe_blame(self) -> str:
        """Say what is to blame and how many steps were left; empty if neither is known."""
        parts = [] if self.layer is None else [f"to blame: {_LAYER_WORDS[self.layer]}"]
        if self.steps_left == OUT_OF_REACH:
            parts.append("no steps lead from there to the goal of the task")
        elif self.steps_left is not None:
            steps = "1 step is" if self.steps_left == 1 else f"{self.steps_left} steps are"
            parts.append(f"{steps} left to the goal of the task")
        return "; ".join(parts)


class ProposerStopped(InputError):
    """Raised by a proposer that has nothing (more) to propose."""

    def __init__(
        self, status: GeneralizationStatus, sentence: str, errors: tuple[AbstractionError, ...] = ()
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.errors = errors  # what shows it, such as the pair of states that can't be told apart


class RejectedProposal(InputError):
    """Raised by a proposer whose text is no abstraction; counts as a round."""

    def __init__(self, errors: tuple[AbstractionError, ...]) -> None:
        super().__init__("; ".join(error.sentence for error in errors))
        self.errors = errors  # the faults of the text, at least one
