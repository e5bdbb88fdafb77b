# SPDX-License-Identifier: Apache-2.0
"""The PDDL files of ../shared/bench: all are read, or refused for what they are known to need."""

from __future__ import annotations

from fcp_ros.domain.expressions.structure import has_requirements
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.task_reader import read_texts, work_out


def problems(folder):
    return sorted(p for p in folder.rglob("*.pddl") if not p.name.startswith("domain"))


def read(domain, problem):
    return read_texts(read_source(domain), read_source(problem))


def test_taskography(shared_dir):
    files = problems(shared_dir / "bench" / "taskography" / "problems")
    assert len(files) >= 20
    for file in files:
        task = work_out(read(file.parent / "domain.pddl", file))
        functional = {r.name for r in task.domain.schema.relations if r.functional}
        assert {"inroom", "inplace", "atlocation"} <= functional, file
        # GoToRoom has seven parameters, three of them in pairs; the facts rule out all but one way.
        assert len(task.domain.rules) <= 16, file


def test_preferences_and_trajectory_constraints(shared_dir):
    for domain in sorted((shared_dir / "bench" / "pddl3").rglob("domain.pddl")):
        for file in problems(domain.parent)[:1]:
            task = work_out(read(domain, file))
            assert has_requirements(task.goal), file
            assert task.minimises_cost
