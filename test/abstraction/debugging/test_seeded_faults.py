# SPDX-License-Identifier: Apache-2.0
"""Each kind of fault is put into an abstraction that is right, and the right check finds it."""

from __future__ import annotations

from pathlib import Path

import pytest
from carried_parcels import ABSTRACTION

from fcp_ros.abstraction.debugging.loop import Generalization, generalize
from fcp_ros.abstraction.policy.policy_file import write_policy
from fcp_ros.abstraction.proposers.abstraction_text import FileProposer
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
)
from fcp_ros.abstraction.proposers.proposer import TrainingTask
from fcp_ros.abstraction.proposers.status import GeneralizationStatus

ASC, HLISC, HLPRC, LLGRC = AbstractionCheck


def check(text: str, training: tuple[TrainingTask, ...], folder: Path) -> Generalization:
    file = folder / "abstraction.yaml"
    file.write_text(text, encoding="utf-8")
    return generalize(training, FileProposer(file))


def replace(*pairs: tuple[str, str]) -> str:
    """The right abstraction with some parts exchanged, each of which is there once."""
    text = ABSTRACTION
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def test_the_abstraction_without_a_fault_becomes_a_policy(
    training: tuple[TrainingTask, ...], tmp_path: Path
) -> None:
    found = check(ABSTRACTION, training, tmp_path)
    assert found.status is GeneralizationStatus.FOUND, found.sentence
    assert found.policy is not None
    assert found.errors == ()
    assert found.policy.provenance.training == tuple(task.name for task in training)
    assert found.policy.goal_relations == ("in",)
    assert len(found.rounds) == 1
    assert found.rounds[0].is_complete
    # Both orders of the two parcels, and of three.
    assert found.rounds[0].states > 10


WRONG = {
    "a feature of a name that is unknown": (
        replace(("any(held)", "any(hold)")),
        ASC,
        AbstractionFault.SYNTAX,
        "line 2",
    ),
    "a condition on a feature of the other kind": (
        replace(("goal: [left = 0]", "goal: [not left]")),
        ASC,
        AbstractionFault.SYNTAX,
        "line 5",
    ),
    "an action without a program": (
        replace(('["go(to: some(inverse(goal.in), held)); leave()"]', "[]")),
        ASC,
        AbstractionFault.NO_REFINEMENT,
        "bring has no program",
    ),
    "a QNP without a way to the goal": (
        replace(("effects: [holding]", "effects: []")),
        ASC,
        AbstractionFault.UNSOLVABLE_QNP,
        "no solution",
    ),
    "a QNP that need not end": (
        replace(("[holding]", "[holding, left increases]")),
        ASC,
        AbstractionFault.UNSOLVABLE_QNP,
        "go on for ever",
    ),
    "a wrong initial condition": (
        replace(("initial: [not holding]", "initial: [holding]")),
        HLISC,
        AbstractionFault.WRONG_INITIAL_STATE,
        "begins with not holding",
    ),
    "a goal that holds from the start": (
        replace(
            ("goal: [left = 0]", "goal: [not holding]"),
            ("initial: [not holding]", "initial: [left > 0]"),
        ),
        HLISC,
        AbstractionFault.WRONG_GOAL,
        "missing",
    ),
    "an effect that is not stated": (
        replace(("[not holding, left decreases]", "[left decreases]")),
        HLPRC,
        AbstractionFault.WRONG_EFFECT,
        "holding goes from 1 to 0",
    ),
    "an effect that does not happen": (
        # Counts those that were never wanted elsewhere.
        replace(("some(difference(goal.in, in), top))\ninitial", "some(goal.in, top))\ninitial")),
        HLPRC,
        AbstractionFault.WRONG_EFFECT,
        "left goes from",
    ),
    "a program that can never be done": (
        replace(("; leave()", "; take()")),
        HLPRC,
        AbstractionFault.NO_REFINEMENT,
        "bring can't be done",
    ),
    "a feature that looks at too few things": (
        replace(
            (
                "left: count(some(difference(goal.in, in), top))",
                "left: count(and(heavy, some(difference(goal.in, in), top)))",
            ),
            ("initial: [not holding]", "initial: []"),
            (
                '[not holding, left > 0]\n    effects: [holding]\n    programs:\n      - "go(to: '
                "some(inverse(in), some(difference(goal.in, in), top)));\n         "
                'take(p: some(difference(goal.in, in), top))"',
                '[not holding, left > 0]\n    effects: [holding]\n    programs:\n      - "go(to: '
                'some(inverse(in), heavy)); take(p: heavy)"',
            ),
        ),
        LLGRC,
        AbstractionFault.GOAL_NOT_REACHED,
        "is reached, but the goal of the task",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_right_check_finds_a_seeded_fault(
    name: str, training: tuple[TrainingTask, ...], tmp_path: Path
) -> None:
    text, wanted, kind, words = WRONG[name]
    found = check(text, training, tmp_path)
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert found.policy is None
    assert found.rounds[0].errors == found.errors
    first = find(found.errors, wanted, kind)
    assert words in first.sentence
    if wanted is not ASC:
        assert first.instance in {task.name for task in training}
        assert first.states
        assert "robot-in(" in first.states[0]


def find(
    errors: tuple[AbstractionError, ...], check: AbstractionCheck, kind: AbstractionFault
) -> AbstractionError:
    found = [error for error in errors if (error.check, error.kind) == (check, kind)]
    assert found, errors
    return found[0]


def test_a_path_leads_to_the_state_of_a_fault(
    training: tuple[TrainingTask, ...], tmp_path: Path
) -> None:
    text = replace(("; leave()", "; take()"))
    error = check(text, training[:1], tmp_path).errors[0]
    assert error.states == ("holding, left=1 (held(p), robot-in(b))",)
    assert error.actions == ("fetch: go(a, b); take(p, b)", "bring")


def test_a_file_that_is_not_there_is_told(training: tuple[TrainingTask, ...]) -> None:
    with pytest.raises(ValueError, match=r"nowhere\.yaml"):
        generalize(training, FileProposer("nowhere.yaml"))


def test_the_file_of_a_policy_is_checked_again(
    training: tuple[TrainingTask, ...], tmp_path: Path
) -> None:
    policy = check(ABSTRACTION, training[:1], tmp_path).policy
    assert policy is not None
    text = write_policy(policy)
    again = check(text, training, tmp_path)
    assert again.status is GeneralizationStatus.FOUND
    assert again.policy is not None
    assert again.policy.policy == policy.policy
    # A row that names another action.
    worse = check(text.replace("do: [bring]", "do: [fetch]"), training, tmp_path)
    assert worse.status is GeneralizationStatus.UNREPAIRED
    broken = check(text.replace("version: 1", "version: 99"), training, tmp_path)
    assert "version 99" in broken.errors[0].sentence
