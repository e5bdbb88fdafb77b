# SPDX-License-Identifier: Apache-2.0
"""The policies of a folder for a domain, and plans by the first that fits and reaches the goal."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike

from fcp_ros.abstraction.features.expressions import DistanceFeature
from fcp_ros.abstraction.policy.general_policy import (
    GeneralPolicy,
    PolicyError,
    PolicyFault,
    check_fit,
)
from fcp_ros.abstraction.policy.policy_file import list_policy_files, read_policy
from fcp_ros.abstraction.policy.runner import Execution, ExecutionLimits, PolicyRunner
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain, Expression
from fcp_ros.foundation.wording import list_names
from fcp_ros.planning import PlanningRequest, PlanningResult, PlanningSession, plan
from fcp_ros.planning.model.plan import PolicyFeature, PolicyMove, PolicyTrace, Suggestion


@dataclass(frozen=True, slots=True)
class RefusedPolicy:
    """A file, or a policy by its name, that can't be used."""

    source: str
    fault: PolicyFault  # the reason as a code
    sentence: str


@dataclass(frozen=True, slots=True)
class PolicyFolder:
    """The policies of a folder."""

    # those that could be read, in the order of the files' names
    policies: tuple[GeneralPolicy, ...]
    refused: tuple[RefusedPolicy, ...]


def read_policy_folder(folder: str | PathLike[str]) -> PolicyFolder:
    """Read all policies of a folder; a file that is none is refused by itself.

    Raises PolicyError if UNREADABLE: there is no such folder.
    """
    policies, refused = [], []
    for file in list_policy_files(folder):
        try:
            policies.append(read_policy(file))
        except PolicyError as error:
            refused.append(RefusedPolicy(str(file), error.fault, error.sentence))
    return PolicyFolder(tuple(policies), tuple(refused))


def describe_refusals(refused: Iterable[RefusedPolicy]) -> tuple[str, ...]:
    """Put refusals into sentences: one for all policies of other domains, one for each other."""
    refused = list(refused)
    others = [one.source for one in refused if one.fault is PolicyFault.OTHER_DOMAIN]
    said = tuple(
        " ".join(one.sentence.splitlines())
        for one in refused
        if one.fault is not PolicyFault.OTHER_DOMAIN
    )
    return (*said, f"For other domains: {list_names(others)}.") if others else said


def make_trace(policy: GeneralPolicy, execution: Execution) -> PolicyTrace:
    """Tell a run by the names and values of the features, without the abstraction behind them."""
    qnp = policy.qnp
    distances = (name for name, one in policy.features.items() if isinstance(one, DistanceFeature))
    no_way = dict.fromkeys(distances, execution.objects)
    features = tuple(
        PolicyFeature(name, policy.features[name].text, name in qnp.booleans, no_way.get(name))
        for name in qnp.variables
    )
    moves = tuple(PolicyMove(move.action, move.values, move.steps) for move in execution.trace)
    return PolicyTrace(features, moves, execution.final)


class DomainPolicies:
    """The policies that fit a domain: they suggest plans to `planning.PlanningSession`.

    `policies`: tried in their order.
    """

    def __init__(self, policies: Sequence[GeneralPolicy], domain: Domain) -> None:
        self._runners: list[PolicyRunner] = []
        self._lock = threading.Lock()
        refused = []
        for policy in policies:
            try:
                check_fit(policy, domain)
                self._runners.append(PolicyRunner(policy, domain))
            except PolicyError as error:
                refused.append(RefusedPolicy(policy.name, error.fault, error.sentence))
        self.refused = tuple(refused)
        self.last: Execution | None = None  # the outcome of the last run; None before the first

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the policies that fit."""
        return tuple(runner.policy.name for runner in self._runners)

    def suggest(
        self, instance: Instance, goal: Expression, seconds: float, check: Callable[[], None]
    ) -> Suggestion:
        """Run one policy after the other until one reaches the goal (see `PlanSuggester`)."""
        notes: list[str] = []
        with self._lock:
            for runner in self._runners:
                limits = ExecutionLimits(seconds=seconds / len(self._runners))
                found = self.last = runner.run(instance, goal, limits, check)
                name = runner.policy.name
                if found.reached:
                    trace = make_trace(runner.policy, found)
                    return Suggestion(found.steps, name, tuple(notes), trace)
                notes.append(f"Policy {name} was not used: {found.status.value}. {found.reason}")
        return Suggestion(None, notes=tuple(notes))


def plan_with_policies(
    policies: Sequence[GeneralPolicy],  # tried in their order
    request: PlanningRequest,  # without a session
) -> PlanningResult:
    """Plan by the first policy that fits and reaches the goal; else by search.

    Returns the result; `policy` names the policy that made the plan, `policy_notes` say why others
    were not used.
    """
    fitting = DomainPolicies(policies, request.domain)
    session = PlanningSession(request.domain, suggester=fitting if fitting.names else None)
    result = plan(replace(request, session=session))
    refused = describe_refusals(fitting.refused)
    return replace(result, policy_notes=(*result.policy_notes, *refused))
