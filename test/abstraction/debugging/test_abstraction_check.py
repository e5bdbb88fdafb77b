# SPDX-License-Identifier: Apache-2.0
"""ASC of proposals that no reader has looked at: names, kinds, programs, sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from carried_parcels import ABSTRACTION

from fcp_ros.abstraction.debugging.abstraction_check import CheckedAbstraction, check_abstraction
from fcp_ros.abstraction.features.parser import parse_feature
from fcp_ros.abstraction.policy.programs import RefinementMapping, parse_program
from fcp_ros.abstraction.proposers.abstraction_text import parse_abstraction
from fcp_ros.abstraction.proposers.faults import AbstractionCheck, AbstractionFault
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal, TrainingTask
from fcp_ros.abstraction.qnp.state_space import QnpLimits

Training = tuple[TrainingTask, ...]


@pytest.fixture(scope="module")
def right(training: Training) -> AbstractionProposal:
    return parse_abstraction(ABSTRACTION, "right", training)


def check(
    proposal: AbstractionProposal, training: Training, limits: QnpLimits | None = None
) -> CheckedAbstraction:
    return check_abstraction(proposal, training, limits or QnpLimits(), lambda: None)


def change(
    right: AbstractionProposal,
    features: Mapping[str, str] | None = None,
    programs: Mapping[str, str] | None = None,
) -> AbstractionProposal:
    """The abstraction with other features and programs; an empty program is left out."""
    old = right.refinement
    texts = {name: feature.text for name, feature in old.features.items()} | (features or {})
    new = {name: (parse_program(text),) for name, text in (programs or {}).items() if text}
    kept = {name: old.programs[name] for name in old.programs if name not in (programs or {})}
    parsed = {name: parse_feature(text) for name, text in texts.items() if text}
    return replace(right, refinement=RefinementMapping(parsed, {**kept, **new}))


@pytest.mark.parametrize(
    ("features", "programs", "words"),
    [
        ({"holding": "any(hold)"}, {}, "the domain has no hold: did you mean held?"),
        ({"holding": "count(held)"}, {}, "holding is a number"),
        ({"left": "any(held)"}, {}, "left is true or false"),
        ({"left": ""}, {}, "the variable left has no feature"),
        ({}, {"bring": "leaves()"}, "no action leaves: did you mean leave?"),
        ({}, {"bring": "leave(parcel: held)"}, "leave has no parameter parcel"),
        ({}, {"bring": "leave(p: hold)"}, "the domain has no hold"),
        ({}, {"bring": "go(world: top)"}, "go has no parameter world"),
        ({}, {"bring": ""}, "the action bring has no program"),
    ],
)
def test_names_that_do_not_fit(
    right: AbstractionProposal,
    training: Training,
    features: Mapping[str, str],
    programs: Mapping[str, str],
    words: str,
) -> None:
    checked = check(change(right, features, programs), training)
    assert checked.policy == {}
    assert len(checked.errors) == 1
    assert checked.errors[0].check is AbstractionCheck.ASC
    assert words in checked.errors[0].sentence


def test_an_abstraction_that_is_too_large_is_told(
    right: AbstractionProposal, training: Training
) -> None:
    (error,) = check(right, training, QnpLimits(states=1)).errors
    assert error.kind is AbstractionFault.TOO_LARGE
    assert "too large" in error.sentence
