# SPDX-License-Identifier: Apache-2.0
"""Generalized plans: verdicts on QNPs, policies by hand on drawn tasks, policies learned."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from golden_cases import Answer, Case
from qnp_problems import KNOWN, make_nest, make_tangle

from benchmark.abstraction.domains import DOMAINS, PUBLISHED, learn_policy
from benchmark.abstraction.large import DRAWERS, write_problem
from benchmark.abstraction.policy_runs import POLICIES, measure_policy
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.policy_file import read_policy
from fcp_ros.abstraction.qnp.problem import Qnp
from fcp_ros.abstraction.qnp.solver import solve_qnp
from fcp_ros.abstraction.qnp.state_space import QnpLimits, QnpWatch, StateSpace

TANGLES, QUICK_TANGLES = 200, 25
QUICK_DOMAINS = ("delivery", "ferry", "spanner")
"""What is learned in a second."""


def list_cases() -> Iterator[Case]:
    """Yield all of them; learning only where the data is."""
    for number, known in enumerate(KNOWN, start=1):
        yield Case(f"qnp {number}, {known.qnp.name}", lambda qnp=known.qnp: _solve(qnp))
    yield Case("qnp 10 loops in one another", lambda: _solve(make_nest(10)))
    for seed in range(TANGLES):
        quick = seed < QUICK_TANGLES
        yield Case(f"qnp tangle {seed}", lambda seed=seed: _solve(make_tangle(seed)), quick)
    if not DOMAINS.is_dir():
        return
    for domain in DRAWERS:
        yield Case(f"policy by hand, {domain}", lambda domain=domain: _run_by_hand(domain))
    for domain in PUBLISHED:
        quick = domain in QUICK_DOMAINS
        yield Case(f"policy learned, {domain}", lambda domain=domain: _learn(domain), quick)


def _solve(qnp: Qnp) -> Answer:
    states = StateSpace(qnp, QnpWatch(QnpLimits())).states
    return {"status": solve_qnp(qnp).status.name, "reachable": len(states)}


def _run_by_hand(domain: str) -> Answer:
    policy = read_policy(POLICIES / f"{domain}.yaml")
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        problem = Path(folder) / "problem.pddl"
        problem.write_text(write_problem(domain, 1), encoding="utf-8")
        return {"steps": _count_steps(domain, problem, policy)}


def _learn(domain: str) -> Answer:
    found = learn_policy(DOMAINS / domain)
    if found.policy is None:
        return {"status": found.status.name}
    problems = sorted((DOMAINS / domain / "test").glob("*.pddl"))
    return {
        "status": found.status.name,
        "features": sorted(feature.text for feature in found.policy.features.values()),
        "steps": [_count_steps(domain, problem, found.policy) for problem in problems],
    }


def _count_steps(domain: str, problem: Path, policy: GeneralPolicy) -> int | str:
    """Return the number of steps of the policy's plan, which the verifier accepted."""
    try:
        return measure_policy((DOMAINS / domain / "domain.pddl", problem), policy, repeats=1).steps
    except ValueError:
        return "fails"
