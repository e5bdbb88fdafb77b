# SPDX-License-Identifier: Apache-2.0
"""Policies written by hand for seven domains pass all checks; without any one effect they don't."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.abstraction.houses import check_house_goal, draw_house, read_house_domain
from fcp_ros.abstraction.debugging.loop import Generalization, GeneralizationOptions, generalize
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.proposers.faults import AbstractionFault
from fcp_ros.abstraction.proposers.proposer import (
    AbstractionProposal,
    TrainingTask,
    read_training_task,
)
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp
from fcp_ros.abstraction.states.building import list_goal_atoms

REPOSITORY = Path(__file__).resolve().parents[3]
POLICIES = REPOSITORY / "benchmark" / "abstraction" / "policies"
LARGE = ("gripper", "spanner")  # they take as long as the others together
DOMAINS = (
    *("delivery", "ferry", "forest", "heavy", "miconic"),
    *(pytest.param(name, marks=pytest.mark.thorough) for name in LARGE),
)


class OneProposal:
    """Proposes one abstraction."""

    name = "test"

    def __init__(self, proposal: AbstractionProposal) -> None:
        self._proposal = proposal

    def propose(self, *_: object) -> AbstractionProposal:
        """The abstraction."""
        return self._proposal


def read_tasks(folder: Path) -> tuple[TrainingTask, ...]:
    files = sorted((folder / "train").glob("*.pddl"))
    return tuple(read_training_task(folder / "domain.pddl", file) for file in files)


def check(training: tuple[TrainingTask, ...], proposal: AbstractionProposal) -> Generalization:
    return generalize(training, OneProposal(proposal), GeneralizationOptions(rounds=1))


def drop_effect(qnp: Qnp, action: AbstractAction, name: str) -> Qnp:
    effects = {one: change for one, change in action.effects.items() if one != name}
    actions = [replace(one, effects=effects) if one is action else one for one in qnp.actions]
    return replace(qnp, actions=tuple(actions))


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_policy_passes_and_misses_each_effect(shared_dir: Path, domain: str) -> None:
    training = read_tasks(shared_dir / "bench" / "genplan" / domain)
    assert len(training) == 4
    policy = read_policy(POLICIES / f"{domain}.yaml")
    proposal = AbstractionProposal(policy.qnp, policy.refinement, policy.policy)
    found = check(training, proposal)
    assert found.status is GeneralizationStatus.FOUND, found.errors
    assert found.rounds[0].is_complete
    kinds = set()
    for action in policy.qnp.actions:
        for name in action.effects:
            worse = replace(proposal, qnp=drop_effect(policy.qnp, action, name))
            refused = check(training[:2], worse)
            assert refused.status is GeneralizationStatus.UNREPAIRED, (action.name, name)
            kinds |= {error.kind for error in refused.errors}
    assert kinds <= {AbstractionFault.WRONG_EFFECT, AbstractionFault.UNSOLVABLE_QNP}
    assert kinds


def test_the_policy_of_houses_passes_on_small_houses() -> None:
    domain = read_house_domain()
    training = []
    for seed, things in enumerate((30, 40, 50)):
        instance = draw_house(domain, things, seed).instance
        goal = list_goal_atoms(check_house_goal(domain, instance), instance, domain)
        training.append(TrainingTask(f"house {seed}", domain, instance, goal))
    policy = read_policy(REPOSITORY / "benchmark" / "abstraction" / "household_policy.yaml")
    proposal = AbstractionProposal(policy.qnp, policy.refinement, policy.policy)
    found = check(tuple(training), proposal)
    assert found.status is GeneralizationStatus.FOUND, found.errors
    assert found.rounds[0].is_complete
