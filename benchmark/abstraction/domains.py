# SPDX-License-Identifier: Apache-2.0
"""The parts ``domains`` and ``more``: policies that are learned from four problems of a domain.

*domains*: the seven published domains. The symbolic proposer learns on the training problems only,
behind the debugging loop with its four checks. Coverage is the share of problems whose plan the
independent verifier accepts. The published figures are those of Cui et al., arXiv 2602.10485:
GPT-5.2 with and without automated debugging.

*more*: fourteen further domains. Four small problems of each are drawn, and two that are ten times
larger. Learning gets so many seconds of the processor, whatever else runs on the machine.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmark.abstraction.draws import DOMAINS as DRAWN
from benchmark.abstraction.draws import DrawnDomain
from benchmark.abstraction.policy_runs import measure_policy
from benchmark.tables import Verdict
from fcp_ros.abstraction.debugging.loop import Generalization, GeneralizationOptions, generalize
from fcp_ros.abstraction.policy.general_policy import GeneralPolicy
from fcp_ros.abstraction.policy.runner import ExecutionLimits
from fcp_ros.abstraction.proposers.learning import SymbolicOptions, SymbolicProposer
from fcp_ros.abstraction.proposers.proposer import read_training_task
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

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
MORE_SECONDS = 120.0
"""Of the processor, for learning a drawn domain."""
PATIENCE = 20.0
"""The limit on the clock is so many times longer: other jobs may run."""
TESTS = (100, 101)
"""Seeds of the test problems that are drawn."""
WANTED = 10
"""Drawn domains whose test problems shall all be solved."""


def measure_domains(quick: bool) -> Iterator[Verdict]:
    """Learn and test all domains; of quick runs, too: it takes a minute."""
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


def measure_more(quick: bool) -> Iterator[Verdict]:
    """Learn and test all domains; of quick runs the first four."""
    solved = 0
    names = list(DRAWN)[: 4 if quick else None]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="more-") as folder:
            row, is_solved = _measure_domain(name, DRAWN[name], Path(folder))
        solved += is_solved
        yield row
    wanted = f">= {WANTED}"
    is_met = None if quick else solved >= WANTED
    yield Verdict("domains whose test problems are all solved", f"{solved}", wanted, is_met)


def _measure_domain(name: str, drawn: DrawnDomain, folder: Path) -> tuple[Verdict, bool]:
    began = time.process_time()
    found = learn_drawn(drawn, folder)
    what = f"{name}: {found.status.value}, {time.process_time() - began:.0f} s of the processor"
    if found.policy is None:
        return Verdict(what, found.sentence), False
    results = []
    for size in drawn.test:
        for seed in TESTS:
            file = folder / f"test-{size}-{seed}.pddl"
            file.write_text(drawn.write_problem(size, seed), encoding="utf-8")
            try:
                limits = ExecutionLimits(seconds=MORE_SECONDS * PATIENCE)
                times = measure_policy((drawn.file, file), found.policy, limits, repeats=1)
                results.append(f"{times.steps} steps")
            except ValueError as error:
                results.append(f"failed: {str(error).removeprefix(f'{file}: ')[:80]}")
    features = "; ".join(feature.text for feature in found.policy.refinement.features.values())
    is_solved = all(result.endswith("steps") for result in results)
    return Verdict(what, f"{', '.join(results)}; {features}"), is_solved


def learn_drawn(drawn: DrawnDomain, folder: Path) -> Generalization:
    """Learn a policy from the training problems of a domain, which are written into the folder."""
    tasks = []
    for seed, size in enumerate(drawn.training):
        file = folder / f"p{seed}.pddl"
        file.write_text(drawn.write_problem(size, seed), encoding="utf-8")
        tasks.append(read_training_task(drawn.file, file))
    began = time.process_time()

    def check() -> None:
        if time.process_time() - began > MORE_SECONDS:
            sentence = f"no policy within {MORE_SECONDS:g} s of the processor"
            raise Interrupted(PlanStatus.TIMEOUT, sentence)

    limit = MORE_SECONDS * PATIENCE
    proposer = SymbolicProposer(SymbolicOptions(seconds=limit))
    return generalize(tuple(tasks), proposer, GeneralizationOptions(time_limit=limit), check=check)
