# SPDX-License-Identifier: Apache-2.0
"""Ask a language model for what a domain lacks, validate it, tell the faults, ask again.

The result has the chain of its attempts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from time import monotonic

from fcp_ros.cset import Instance
from fcp_ros.domain.diagnostics import Diagnostic, DomainError
from fcp_ros.domain.expressions.syntax import Atom, Variable, write_term
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import join_words
from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.grounding.generation import TextGenerator, TextRequest, quote_data
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.language.domain_repair.addition import (
    SECTIONS,
    AmendedDomain,
    join_addition,
    take_off_fence,
)
from fcp_ros.language.domain_repair.rule_checks import check_generated
from fcp_ros.language.domain_repair.rule_grammar import build_rule_grammar
from fcp_ros.language.model_reader.names import find_stem, is_plain, split_words
from fcp_ros.language.reader import never_stop


@dataclass(frozen=True, slots=True)
class RepairAttempt:
    """One answer of the model."""

    text: str  # the addition that it wrote, in YAML
    faults: tuple[Diagnostic, ...]  # found in it, with lines of `text`; empty: it was accepted


@dataclass(frozen=True)
class DomainProposal:
    """The outcome of a repair."""

    domain: Domain | None  # the amended domain; None if no attempt was valid
    text: str  # of the amended domain; empty if there is none
    generated: tuple[str, ...]  # the rules that the model wrote
    attempts: tuple[RepairAttempt, ...]  # all answers, in order
    message: str  # a sentence for a person
    model: str = ""


MOST_LABELS = 60
MOST_RULES = 3
"""Rules of the domain that are shown whole."""
MOST_FAULTS = 6


def write_task(base: Domain, need: str, *, rules_only: bool) -> str:
    """Write what is there and how to write what is missing."""
    vocabulary = Vocabulary.of(base)
    types = ", ".join(
        f"{name} ({', '.join(above)})" if above else name
        for name, above in vocabulary.parents.items()
    )
    relations = "; ".join(
        f"{name}({', '.join(f'{p.name}: {p.type}' for p in parameters)})"
        for name, parameters in vocabulary.relations.items()
    )
    executors = ", ".join(dict.fromkeys(rule.executor for rule in base.rules.values()))
    shown = _choose_rules(base, need)
    others = [name for name in base.rules if name not in {rule.name for rule in shown}]
    keys = (
        "the key rules"
        if rules_only
        else "the keys types, relations, rules and labels, as far as needed"
    )
    example = dump_yaml({"rules": {rule.name: _show(rule) for rule in shown}}, width=100)
    return "\n".join(
        [
            "You extend the domain of a robot planner by actions that it lacks. Write YAML with "
            f"{keys}; only what is new, and nothing else.",
            f"Types, with what they are kinds of: {types}.",
            f"Relations: {relations}.",
            f"Executors: {executors}.",
            "A rule needs parameters, conditions in `when`, facts that end in `delete` and facts "
            "that begin in `add`. The robot has to be in the right place and to hold what it uses. "
            "Facts in `delete` also stand in `when`.",
            f"Rules that exist: {', '.join(others)}." if others else "",
            "Some of the rules that exist, as examples:",
            example.strip(),
        ]
    )


def write_question(need: str, instance: Instance | None, attempts: Sequence[RepairAttempt]) -> str:
    """Write what is missing, what is there, and the faults of the last attempt."""
    lines = []
    if instance is not None:
        labels = dict.fromkeys(
            normalise_label(str(instance.attribute(id_, "category") or ""))
            for id_ in instance.all_elements()
        )
        plain = [label for label in labels if label and is_plain(label)]
        lines.append(f"Things here: {', '.join(plain[:MOST_LABELS])}.")
    if attempts:
        last = attempts[-1]
        lines += ["Your last answer:", last.text.strip(), "What is wrong with it:"]
        lines += [f"- {_describe(fault)}" for fault in last.faults[:MOST_FAULTS]]
        lines.append("Write it again without these faults.")
    lines.append(f'The robot shall be able to do this: "{quote_data(need)}"')
    return "\n".join(lines)


def _describe(fault: Diagnostic) -> str:
    place = f"line {fault.line}: " if fault.line else ""
    return quote_data(f"{place}{fault.message}. Fix: {fault.fix}.", 300)


def _choose_rules(base: Domain, need: str) -> list[ActionRule]:
    """Choose the rules whose names are most like what is needed."""
    stems = {find_stem(word) for word in split_words(need)}

    def measure(rule: ActionRule) -> int:
        named = [rule.name, *(p.type for p in rule.parameters)]
        named += [atom.predicate for atom in (*rule.add, *rule.delete)]
        words = {find_stem(word) for name in named for word in split_words(name.replace("_", " "))}
        return len(words & stems)

    plain = [r for r in base.rules.values() if not (r.effects or r.graded or r.formulas)]
    return sorted(plain, key=lambda rule: -measure(rule))[:MOST_RULES]


def _show(rule: ActionRule) -> dict[str, object]:
    """Return a rule as the data of its YAML."""
    names = frozenset(rule.parameter_names)

    def write(atom: Atom) -> str:
        terms = (
            term.name if isinstance(term, Variable) and term.name in names else write_term(term)
            for term in atom.arguments
        )
        return f"{atom.predicate}({', '.join(terms)})"

    shown: dict[str, object] = {
        "parameters": {parameter.name: parameter.type for parameter in rule.parameters},
        "when": [f"{'not ' if one.negated else ''}{write(one.atom)}" for one in rule.when],
    }
    if rule.delete:
        shown["delete"] = [write(atom) for atom in rule.delete]
    if rule.add:
        shown["add"] = [write(atom) for atom in rule.add]
    return {**shown, "duration": round(rule.duration.base), "executor": rule.executor}


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
