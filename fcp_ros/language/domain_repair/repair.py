# SPDX-License-Identifier: Apache-2.0
"""Ask a language model for what a domain lacks, validate it, tell the faults, ask again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from time import monotonic

from fcp_ros.cset import Instance
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.foundation.wording import join_words
from fcp_ros.grounding.generation import TextGenerator, TextRequest
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.language.domain_repair.addition import (
    SECTIONS,
    AmendedDomain,
    join_addition,
    take_off_fence,
)
from fcp_ros.language.domain_repair.prompt import write_question, write_task
from fcp_ros.language.domain_repair.proposal import DomainProposal, RepairAttempt
from fcp_ros.language.domain_repair.rule_checks import check_generated
from fcp_ros.language.domain_repair.rule_grammar import build_rule_grammar
from fcp_ros.language.reader import never_stop

MOST_ROUNDS = 10

SKELETON = """\
domain: generated
version: "0"
types:
  thing: []
  room: [thing]
  robot: [thing]
  item: [thing]
relations:
  at: {legs: {something: thing, place: room}, functional: [something]}
  holding: {legs: {robot: robot, item: item}, functional: [robot, item]}
attributes:
  category: {of: thing, kind: string}
rules:
  go:
    parameters: {robot: robot, from: room, to: room}
    when: ['at(robot, from)']
    delete: ['at(robot, from)']
    add: ['at(robot, to)']
    duration: 10
    executor: navigate
  pick:
    parameters: {robot: robot, item: item, room: room}
    when: ['at(robot, room)', 'at(item, room)', 'not holding(robot, ?any)']
    delete: ['at(item, room)']
    add: ['holding(robot, item)']
    duration: 5
    executor: pick
  place:
    parameters: {robot: robot, item: item, room: room}
    when: ['at(robot, room)', 'holding(robot, item)']
    delete: ['holding(robot, item)']
    add: ['at(item, room)']
    duration: 5
    executor: place
labels:
  room: [room]
  robot: [robot]
scene: {layers: {room: room, agent: robot}, unknown: item}
"""
"""A robot that carries things from room to room: what a new domain begins with."""


@dataclass(frozen=True, slots=True)
class RepairOptions:
    """Settings of a repair.

    Raises:
        ValueError: a number out of its range.
    """

    rounds: int = 4  # answers that the model may give, 1 to MOST_ROUNDS
    most_tokens: int = 600
    seconds: float = 600.0
    # ask for rules over the names that exist, in a grammar; otherwise also for types, relations and
    # labels, as free YAML
    rules_only: bool = True
    seed: int = 0  # of a server that draws at random

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise ValueError(f"{self.rounds} rounds: give 1 to {MOST_ROUNDS}")


def repair_domain(
    base: str,  # the text of a valid domain; empty begins a new one with `SKELETON`
    need: str,  # what the robot shall be able to do, in words
    generator: TextGenerator,
    options: RepairOptions | None = None,
    *,
    instance: Instance | None = None,  # a state, whose labels the model is shown
    check: Callable[[], None] = never_stop,
) -> DomainProposal:
    """Let a language model add what a domain lacks.

    Returns:
        The amended domain, or none with the reason, and all attempts. Only `check` raises, and what
        is wrong with the base.

    Raises:
        DomainError: the base has faults: these are a person's to mend.
    """
    options = options or RepairOptions()
    text = base if base.strip() else SKELETON
    domain = parse_domain(text)
    until = monotonic() + options.seconds
    task = write_task(domain, need, rules_only=options.rules_only)
    grammar = build_rule_grammar(domain) if options.rules_only else None
    # A server may ignore the grammar.
    sections = ("rules",) if options.rules_only else tuple(SECTIONS)
    attempts: list[RepairAttempt] = []
    model = generator.model
    for turn in range(options.rounds):
        question = write_question(need, instance, attempts)
        left = until - monotonic()
        if left <= 0.0:
            return _give_up(attempts, "the time is over", model)
        request = TextRequest(
            task, question, grammar, 1, options.most_tokens, left, options.seed + turn
        )
        try:
            written = generator.write(request, check)
        except GroundingError as error:
            return _give_up(attempts, error.sentence.rstrip("."), model)
        answer = take_off_fence(written[0].text) if written else "\n"
        if any(answer == attempt.text for attempt in attempts):
            return _give_up(attempts, "the model repeats an answer whose faults it was told", model)
        try:
            amended = _validate(text, answer, domain, model, sections)
        except DomainError as error:
            attempts.append(RepairAttempt(answer, error.diagnostics))
            continue
        attempts.append(RepairAttempt(answer, ()))
        return _propose(amended, attempts, model)
    return _give_up(attempts, f"the model was asked {options.rounds} times", model)


def _validate(
    text: str, answer: str, base: Domain, model: str, sections: Collection[str]
) -> AmendedDomain:
    """Join and check an answer, which may have these sections only.

    Raises:
        DomainError: its faults.
    """
    amended = join_addition(text, answer, model, sections)
    faults = check_generated(amended, base)
    if faults:
        raise DomainError(faults)
    return amended


def _propose(amended: AmendedDomain, attempts: list[RepairAttempt], model: str) -> DomainProposal:
    rules = f"the rules {join_words(amended.rules)}" if amended.rules else "no rule"
    message = (
        f"{model} added {rules}, in attempt {len(attempts)}. They are valid, which does not mean "
        "that they are true of the world: read them before a robot uses them."
    )
    return DomainProposal(
        amended.domain, amended.text, amended.rules, tuple(attempts), message, model
    )


def _give_up(attempts: list[RepairAttempt], why: str, model: str) -> DomainProposal:
    last = f" The last fault: {attempts[-1].faults[0]}" if attempts and attempts[-1].faults else ""
    message = f"No valid addition was written: {why}.{last}"
    return DomainProposal(None, "", (), tuple(attempts), message, model)
