# SPDX-License-Identifier: Apache-2.0
"""Policies that are learned from four problems of a published domain.

The symbolic proposer learns on the training problems only,
behind the debugging loop with its four checks. Coverage is the share of problems whose plan the
independent verifier accepts. The published figures are those of Cui et al., arXiv 2602.10485:
GPT-5.2 with and without automated debugging.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from benchmark.abstraction.policy_runs import measure_policy
from benchmark.tables import Verdict
from fcp_ros.abstraction.debugging.loop import Generalization, generalize
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.proposers.learning import SymbolicProposer
from fcp_ros.abstraction.proposers.proposer import read_training_task

DOMAINS = Path(__file__).resolve().parents[3] / "shared" / "bench" / "genplan"
PUBLISHED = {
    "delivery": (1.00, 0.70),
    "heavy": (1.00, 0.75),
    "gripper": (0.85, 0.00),
    "miconic": (0.40, 0.00),
    "ferry": (1.00, 0.15),
    "spanner": (0.00, 0.00),
    "forest": (0.00, 0.00),
}
"""Coverage of GPT-5.2 with and without debugging."""
SECONDS = 60.0
"""Learning shall take less than this."""


def measure_domains() -> Iterator[Verdict]:
    """Learn and test all domains."""
    if not DOMAINS.is_dir():
        yield Verdict("domains", f"needs the domains in {DOMAINS}")
        return
    for domain, (debugged, plain) in PUBLISHED.items():
        began = time.perf_counter()
        found = learn_policy(DOMAINS / domain)
        seconds = time.perf_counter() - began
        features = (
            "; ".join(feature.text for feature in found.policy.features.values())
            if found.policy
            else found.sentence
        )
        yield Verdict(f"{domain}: features", features)
        is_fast = seconds < SECONDS
        yield Verdict(f"{domain}: learning", f"{seconds:.1f} s", f"< {SECONDS:g} s", is_fast)
        for part in ("test", "test_large"):
            share = measure_coverage(found.policy, DOMAINS / domain, part)
            published = f"; published {debugged:.2f} / {plain:.2f}" if part == "test" else ""
            yield Verdict(f"{domain}: {part}{published}", f"{share:.2f}", "1.00", share == 1.0)


def learn_policy(folder: Path) -> Generalization:
    """Learn a policy from the training problems of a domain."""
    files = sorted((folder / "train").glob("*.pddl"))
    tasks = tuple(read_training_task(folder / "domain.pddl", file) for file in files)
    return generalize(tasks, SymbolicProposer())


def measure_coverage(policy: GeneralPolicy | None, folder: Path, part: str) -> float:
    """Return the share of problems that the policy solves by a plan that the verifier accepts."""
    files = sorted((folder / part).glob("*.pddl"))
    solved = [policy is not None and _solves(policy, folder, file) for file in files]
    return sum(solved) / len(solved)


def _solves(policy: GeneralPolicy, folder: Path, file: Path) -> bool:
    try:
        measure_policy((folder / "domain.pddl", file), policy)
    except ValueError:
        return False
    return True
