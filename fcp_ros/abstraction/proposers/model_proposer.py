# SPDX-License-Identifier: Apache-2.0
"""The proposer that asks a language model: features first, then the abstraction, then repairs.

The model's answers are data from somebody unknown: parsed strictly, bounded in size, never run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from time import monotonic

from fcp_ros.abstraction.proposers.abstraction_text import (
    check_features,
    has_actions,
    has_features,
    parse_abstraction,
    take_off_frame,
)
from fcp_ros.abstraction.proposers.faults import (
    AbstractionError,
    ProposerStopped,
    list_facts,
    write_atom,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.state import GOAL, RelationForm, StateVocabulary, list_forms
from fcp_ros.domain.expressions.syntax import Atom, Term, Variable, to_text, write_term
from fcp_ros.domain.model import ActionRule, Domain, Effect, Literal
from fcp_ros.domain.pddl.pddl_task import WORLD
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import to_printable
from fcp_ros.grounding.generation import TextGenerator, TextRequest, quote_data
from fcp_ros.grounding.judgement import GroundingError

MOST_FACTS = 8
"""Facts of one relation, and of the goal, that are shown of an example."""
LONGEST = 2000
"""Longest list of facts (characters)."""
ANYTHING = "any"
"""Begins the names of variables that stand for anything in the conditions of rules."""


def describe_domain(domain: Domain, vocabulary: StateVocabulary) -> str:
    """Describe relations and actions, by the names that features use."""
    forms = list_forms(domain.schema)
    wanted = [name for name in (*vocabulary.concepts, *vocabulary.roles) if name.startswith(GOAL)]
    wanted += [name for name in vocabulary.flags if name.startswith(GOAL)]
    lines = [
        _list_names("Concepts (sets of objects)", vocabulary.concepts, vocabulary),
        _list_names("Roles (pairs of objects)", vocabulary.roles, vocabulary),
        _list_names("Flags (true or false)", vocabulary.flags, vocabulary),
        f"The goal's versions, which never change: {', '.join(wanted)}." if wanted else "",
        "Actions:",
        *(_describe_rule(rule, forms) for rule in domain.rules.values()),
    ]
    return "\n".join(line for line in lines if line)


def describe_task(task: TrainingTask) -> str:
    """Describe the initial facts and the goal of a task, within a bounded length."""
    state = build_state(task.domain, task.instance, task.goal)
    fluent, everything = state.vocabulary.fluent, (1 << len(state.objects)) - 1
    by_name: dict[str, list[str]] = {}
    for name, fact in list_facts(state):
        # The type of all objects, and what the goal asks for, are no news.
        if not name.startswith(GOAL) and state.concepts.get(name) != everything:
            by_name.setdefault(name, []).append(fact)
    names = sorted(by_name, key=lambda name: name not in fluent)  # what changes says most
    forms = list_forms(task.domain.schema)
    goal = [
        write_atom(fact.relation, [fact.arguments[p] for p in forms[fact.relation].positions])
        for fact in task.goal
    ]
    facts = "; ".join(_cut(by_name[name]) for name in names)
    return f"Initially: {facts}.\nGoal: {_cut(goal)}."


def _cut(facts: list[str]) -> str:
    more = [f"{len(facts) - MOST_FACTS} more like these"] if len(facts) > MOST_FACTS else []
    return quote_data(", ".join([*facts[:MOST_FACTS], *more]), LONGEST)


def _list_names(title: str, names: Iterable[str], vocabulary: StateVocabulary) -> str:
    """List names that are no versions of the goal; those that change have a star."""
    plain = [name for name in names if not name.startswith(GOAL)]
    marked = [f"{name}*" if name in vocabulary.fluent else name for name in plain]
    return f"{title}; * marks what actions change: {', '.join(marked)}." if marked else ""


def _describe_rule(rule: ActionRule, forms: Mapping[str, RelationForm]) -> str:
    parameters = [p for p in rule.parameters if p.name != WORLD]
    head = ", ".join(f"{p.name}: {p.type}" for p in parameters)
    parts = [f"- {rule.name}({head})"]
    conditions = [_write_literal(literal, forms) for literal in rule.when]
    conditions += [to_text(formula) for formula in rule.formulas]
    if conditions:
        parts.append(f"needs {', '.join(conditions)}")
    parts += _describe_changes(rule, forms)
    for effect in rule.effects:
        when = [_write_literal(literal, forms) for literal in effect.when]
        when += [to_text(formula) for formula in effect.formulas]
        changes = " and ".join(_describe_changes(effect, forms))
        parts.append(f"if {', '.join(when)}: {changes}" if when else changes)
    return "; ".join(parts)


def _describe_changes(part: ActionRule | Effect, forms: Mapping[str, RelationForm]) -> list[str]:
    words = (("adds", part.add), ("deletes", part.delete))
    return [
        f"{word} {', '.join(_write(atom, forms) for atom in atoms)}"
        for word, atoms in words
        if atoms
    ]


def _write_literal(literal: Literal, forms: Mapping[str, RelationForm]) -> str:
    return f"{'not ' if literal.negated else ''}{_write(literal.atom, forms)}"


def _write(atom: Atom, forms: Mapping[str, RelationForm]) -> str:
    form = forms.get(atom.predicate)
    kept = atom.arguments if form is None else [atom.arguments[p] for p in form.positions]
    return write_atom(atom.predicate, [_write_term(term) for term in kept])


def _write_term(term: Term) -> str:
    if not isinstance(term, Variable):
        return write_term(term)
    return "anything" if term.name.partition(".")[0] == ANYTHING else term.name


MOST_EXAMPLES = 2
"""Training tasks that are shown."""
MOST_FAULTS = 4
"""Faults that are told at once."""
LONGEST_ANSWER = 6000
"""Characters of the last answer that are shown."""
LONGEST_FAULT = 600
"""Characters of a fault."""


class PromptStep(str, Enum):
    """The question that a prompt asks."""

    FEATURES = "features"
    ABSTRACTION = "abstraction"
    REPAIR = "repair"


FEATURE_LANGUAGE = """\
A feature is written in one of these forms:
- flag(NAME): true if the flag holds.
- any(C): true if the concept C has an object.
- count(C): the number of objects in C.
- distance(C, R, D): the least number of steps along the role R from an object in C to one in D.
A concept C is: NAME; top (all objects); not(C); and(C, D); some(R, C) (objects with an R-successor
in C); all(R, C) (objects whose R-successors are all in C); same(R, S) (objects whose R-successors
and S-successors are the same).
A role R is: NAME; inverse(R); closure(R) (one step or more); restrict(R, C) (pairs whose second
object is in C); difference(R, S) (pairs of R that are not in S); and(R, S); chain(R, S).
difference(goal.R, R) are the pairs that the goal still asks for."""

EXAMPLE_DOMAIN = """\
Concepts (sets of objects); * marks what actions change: box, held*, blocked*.
Roles (pairs of objects); * marks what actions change: above*.
Actions:
- lift(b: box, from: box); needs above(b, from), not blocked(b), not held(anything); adds held(b); \
deletes above(b, from), blocked(from)
- lay_aside(b: box); needs held(b); deletes held(b)"""

EXAMPLE_FEATURES = """\
features:
  H: any(held)
  n: count(some(above, top))"""

EXAMPLE_ABSTRACTION = """\
initial: [not H, n > 0]
goal: [n = 0]
actions:
  take:
    when: [not H, n > 0]
    effects: [H, n decreases]
    programs: ["lift(b: and(some(above, top), not(blocked)))"]
  drop:
    when: [H]
    effects: [not H]
    programs: ["lay_aside(b: held)"]"""

ABSTRACTION_LANGUAGE = """\
- Conditions: `b` and `not b` for a feature that is true or false; `n > 0` and `n = 0` for a number.
- Effects: `b` (becomes true), `not b` (becomes false), `n increases`, `n decreases`. Features that
  an action does not name stay as they are: name every feature that it changes.
- `initial` must hold at the start of every task, and `goal` only when the task is done.
- A program is a sequence of actions of the domain, joined by `;`. Each parameter may be given a
  concept that its object must lie in; the others are chosen so that the action is possible.
- Every feature that is a number must go down in the end: no cycle may increase it as often."""


def write_task(training: Sequence[TrainingTask]) -> str:
    """Write what is wanted, the domain, the language, and an example of another domain."""
    first = training[0]
    vocabulary = build_state(first.domain, first.instance, first.goal).vocabulary
    return "\n".join(
        [
            "You find the abstraction of a planning domain: a few features, and abstract actions "
            "over them, from which one policy follows that solves all tasks of the domain, "
            "however many objects they have.",
            FEATURE_LANGUAGE,
            "The rules of an abstraction:",
            ABSTRACTION_LANGUAGE,
            "An example, in another domain:",
            EXAMPLE_DOMAIN,
            "Goal: nothing is above anything.",
            "The features:",
            EXAMPLE_FEATURES,
            "The rest of the abstraction:",
            EXAMPLE_ABSTRACTION,
            "",
            f"Now the domain {quote_data(first.domain.name)}:",
            describe_domain(first.domain, vocabulary),
        ]
    )


def write_question(
    step: PromptStep,
    training: Sequence[TrainingTask],  # some of these are shown
    last: str,  # the last answer, which has the faults; of the step ABSTRACTION the features
    faults: Sequence[AbstractionError],
) -> str:
    """Write what this answer shall be."""
    lines = [
        f"Task {number}:\n{describe_task(task)}"
        for number, task in enumerate(training[:MOST_EXAMPLES], 1)
    ]
    if step is PromptStep.ABSTRACTION:
        lines += ["These are the features:", _put_frame(last)]
    elif faults:
        lines += ["Your last answer was:", _put_frame(last), "What is wrong with it:"]
        lines += [f"- {describe_fault(fault)}" for fault in faults[:MOST_FAULTS]]
        lines += ["Write it again, changed so that this is right."]
    return "\n".join([*lines, _ENDS[step]])


_ENDS = {
    PromptStep.FEATURES: (
        "Write the features of an abstraction, below the key `features`, as in the example. Write "
        "YAML and nothing else."
    ),
    PromptStep.ABSTRACTION: (
        "Write the rest of the abstraction: the keys `initial`, `goal` and `actions`. Write YAML "
        "and nothing else."
    ),
    PromptStep.REPAIR: (
        "Write the whole abstraction: the keys `features`, `initial`, `goal` and `actions`. Write "
        "YAML and nothing else."
    ),
}


def _put_frame(text: str) -> str:
    return f"```yaml\n{text.strip()[:LONGEST_ANSWER]}\n```"


def describe_fault(fault: AbstractionError) -> str:
    """Describe a fault on one line, with the state and the actions that show it."""
    parts = [fault.sentence.rstrip(".")]
    if blame := fault.describe_blame():
        parts.append(blame.capitalize())
    if fault.states:
        parts.append(f"State: {'; then '.join(fault.states[:2])}")
    if fault.actions:
        parts.append(f"Actions: {'; '.join(fault.actions[-4:])}")
    return quote_data(". ".join(parts), LONGEST_FAULT)


@dataclass(frozen=True, slots=True)
class ModelExchange:
    """A question to a model, and its answer."""

    step: PromptStep
    task: str  # the part of the prompt that is the same for all questions
    question: str  # the rest of the prompt
    answer: str
    seconds: float


def write_transcript(model: str, exchanges: Iterable[ModelExchange]) -> str:
    """Write all questions and answers; control characters are shown, not sent to a terminal."""
    parts = [f"# Transcript of {to_printable(model)}"]
    last_task = ""
    for number, one in enumerate(exchanges, 1):
        parts.append(f"\n## {number}. {one.step.value} ({one.seconds:.1f} s)")
        if one.task != last_task:
            parts.append(f"\n### Task\n\n{_clean(one.task)}")
            last_task = one.task
        parts.append(f"\n### Question\n\n{_clean(one.question)}")
        parts.append(f"\n### Answer\n\n{_clean(one.answer)}")
    return "\n".join(parts) + "\n"


def _clean(text: str) -> str:
    return "\n".join(to_printable(line) for line in text.splitlines())


SOURCE = "answer"
"""The name of an answer in messages."""


@dataclass(frozen=True, slots=True)
class ModelProposerOptions:
    """Settings of the questions to a language model."""

    most_tokens: int = 800
    seconds: float = 300.0


class LanguageModelProposer:
    """Asks a language model."""

    def __init__(
        self, generator: TextGenerator, options: ModelProposerOptions | None = None
    ) -> None:
        self.exchanges: list[ModelExchange] = []  # all questions and answers so far
        self._generator = generator
        self._options = options or ModelProposerOptions()
        self._has_features = False
        self._last = ""

    @property
    def name(self) -> str:
        return f"language model {self._generator.model}"

    def propose(
        self,
        training: tuple[TrainingTask, ...],
        feedback: tuple[AbstractionError, ...],
        check: Check,
    ) -> AbstractionProposal:
        """Ask for an abstraction, or for a better one.

        Raises RejectedProposal if the answer is no abstraction; it can be asked again. Raises
        ProposerStopped if the model can't be asked, or repeats an answer with faults.
        """
        if self._has_features:
            self._last = self._ask(PromptStep.REPAIR, training, self._last, feedback, check)
        else:
            self._last = self._ask(PromptStep.FEATURES, training, self._last, feedback, check)
            if not has_actions(self._last):  # some models write all at once
                check_features(self._last, SOURCE, training)
                rest = self._ask(PromptStep.ABSTRACTION, training, self._last, (), check)
                self._last = rest if has_features(rest) else f"{self._last.rstrip()}\n{rest}"
            self._has_features = True
        return parse_abstraction(self._last, SOURCE, training)

    def _ask(
        self,
        step: PromptStep,
        training: Sequence[TrainingTask],
        last: str,
        faults: tuple[AbstractionError, ...],
        check: Check,
    ) -> str:
        """Ask once; return the answer without the frame that chat models like to put around."""
        task, question = write_task(training), write_question(step, training, last, faults)
        options = self._options
        request = TextRequest(task, question, options.most_tokens, options.seconds)
        began = monotonic()
        try:
            answer = self._generator.write(request, check).text
        except GroundingError as error:
            raise ProposerStopped(GeneralizationStatus.MODEL_FAILED, error.sentence) from error
        self.exchanges.append(ModelExchange(step, task, question, answer, monotonic() - began))
        text = take_off_frame(answer)
        if text == last and faults:
            sentence = f"the {self.name} repeats an answer whose faults it was told"
            raise ProposerStopped(GeneralizationStatus.UNREPAIRED, sentence, faults)
        return text
