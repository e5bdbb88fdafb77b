# SPDX-License-Identifier: Apache-2.0
"""The questions to a language model: features, then the abstraction, then repairs.

The example is a task that no one will ask about: getting all boxes off a block of concrete.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from fcp_ros.abstraction.proposers.faults import AbstractionError
from fcp_ros.abstraction.proposers.written.domain_words import describe_domain, describe_task
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.grounding.generation.generator import quote_data

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
    training: Sequence[TrainingTask],
    last: str,
    faults: Sequence[AbstractionError],
) -> str:
    """Write what this answer shall be.

    Args:
        step: the question.
        training: some of these are shown.
        last: the last answer, which has the faults; of the step ABSTRACTION the features.
        faults: of the last answer.
    """
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
