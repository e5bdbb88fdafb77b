# SPDX-License-Identifier: Apache-2.0
"""The part ``more`` of abstraction.py: policies learned for fourteen further domains.

Four small problems of each are drawn, and two that are ten times larger; the verifier judges every
plan. Learning gets so many seconds of the processor, whatever else runs on the machine.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmark.abstraction.draws import DOMAINS, DrawnDomain
from benchmark.abstraction.speed import measure_policy
from benchmark.tables import Verdict
from fcp_ros.abstraction.debugging.loop import generalize
from fcp_ros.abstraction.debugging.outcome import Generalization, GeneralizationOptions
from fcp_ros.abstraction.policy.runner import ExecutionLimits
from fcp_ros.abstraction.proposers.symbolic.learning import SymbolicOptions
from fcp_ros.abstraction.proposers.symbolic.symbolic_proposer import SymbolicProposer
from fcp_ros.abstraction.sampling.training_task import read_training_task
from fcp_ros.planning import PlanStatus
from fcp_ros.planning.model.watch import Interrupted

SECONDS = 120.0
"""Of the processor, for learning."""
PATIENCE = 20.0
"""The limit on the clock is so many times longer: other jobs may run."""
TESTS = (100, 101)
"""Seeds of the test problems."""
WANTED = 10
"""Domains whose test problems shall all be solved."""


def measure(quick: bool) -> Iterator[Verdict]:
    """Learn and test all domains; of quick runs the first four."""
    solved = 0
    names = list(DOMAINS)[: 4 if quick else None]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="more-") as folder:
            row, is_solved = _measure_domain(name, DOMAINS[name], Path(folder))
        solved += is_solved
        yield row
    wanted = f">= {WANTED}"
    is_met = None if quick else solved >= WANTED
    yield Verdict("domains whose test problems are all solved", f"{solved}", wanted, is_met)


def _measure_domain(name: str, drawn: DrawnDomain, folder: Path) -> tuple[Verdict, bool]:
    began = time.process_time()
    found = learn_policy(drawn, folder)
    what = f"{name}: {found.status.value}, {time.process_time() - began:.0f} s of the processor"
    if found.policy is None:
        return Verdict(what, found.sentence), False
    results = []
    for size in drawn.test:
        for seed in TESTS:
            file = folder / f"test-{size}-{seed}.pddl"
            file.write_text(drawn.write_problem(size, seed), encoding="utf-8")
            try:
                limits = ExecutionLimits(seconds=SECONDS * PATIENCE)
                times = measure_policy((drawn.file, file), found.policy, limits, repeats=1)
                results.append(f"{times.steps} steps")
            except ValueError as error:
                results.append(f"failed: {str(error).removeprefix(f'{file}: ')[:80]}")
    features = "; ".join(feature.text for feature in found.policy.refinement.features.values())
    is_solved = all(result.endswith("steps") for result in results)
    return Verdict(what, f"{', '.join(results)}; {features}"), is_solved


def learn_policy(drawn: DrawnDomain, folder: Path) -> Generalization:
    """Learn a policy from the training problems of a domain, which are written into the folder."""
    tasks = []
    for seed, size in enumerate(drawn.training):
        file = folder / f"p{seed}.pddl"
        file.write_text(drawn.write_problem(size, seed), encoding="utf-8")
        tasks.append(read_training_task(drawn.file, file))
    began = time.process_time()

    def check() -> None:
        if time.process_time() - began > SECONDS:
            sentence = f"no policy within {SECONDS:g} s of the processor"
            raise Interrupted(PlanStatus.TIMEOUT, sentence)

    limit = SECONDS * PATIENCE
    proposer = SymbolicProposer(SymbolicOptions(seconds=limit))
    return generalize(tuple(tasks), proposer, GeneralizationOptions(time_limit=limit), check=check)
