# SPDX-License-Identifier: Apache-2.0
"""PDDL tasks in folders of the common layouts: which files are problems, and each one's domain.

Known layouts: ``domain.pddl`` with ``instances/instance-N.pddl``; ``domains/domain-N.pddl`` with
``instances/instance-N.pddl``; ``domain.pddl`` beside ``pNN.pddl``; ``pNN-domain.pddl`` beside
``pNN.pddl``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

LISTED = Path(__file__).resolve().parent / "tasks.yaml"
"""The list of tasks that is run by default."""
INSTANCES = "instances"


@dataclass(frozen=True)
class IpcTask:
    """A PDDL task.

    Attributes:
        name: For tables: folder of the domain, and what tells the problem from its siblings.
        domain: The domain file.
        problem: The problem file.
        group: Folder of the domain, relative to the root.
    """

    name: str
    domain: Path
    problem: Path
    group: str


def find_tasks(root: Path) -> list[IpcTask]:
    """Find all tasks below a folder, in natural order: 2 before 10."""
    found = []
    for problem in sorted(root.rglob("*.pddl"), key=_to_natural_order):
        if "domain" in problem.stem.lower() or problem.parent.name == "domains":
            continue
        domain = find_domain_of(problem)
        if domain is not None:
            found.append(_to_task(root, domain, problem))
    return found


def read_list(listed: Path) -> dict[str, list[int]]:
    """Read a list of tasks: a YAML mapping from folder to instance numbers."""
    found: dict[str, list[int]] = yaml.safe_load(listed.read_text(encoding="utf-8"))
    return found


def find_listed_tasks(root: Path, listed: Path) -> list[IpcTask]:
    """Find the tasks of a list in a copy of the collection.

    Raises:
        FileNotFoundError: the root lacks a task of the list.
    """
    found = []
    for group, numbers in read_list(listed).items():
        for number in numbers:
            problem = root / group / INSTANCES / f"instance-{number}.pddl"
            domain = find_domain_of(problem)
            if domain is None or not problem.is_file():
                raise FileNotFoundError(f"{listed.name}: {problem} or its domain is not there")
            found.append(_to_task(root, domain, problem))
    return found


def find_domain_of(problem: Path) -> Path | None:
    """Return the domain file of a problem by the layout of its folder; None if there is none."""
    stem, here = problem.stem, problem.parent
    places = [here / f"{stem}-domain.pddl", here / f"domain-{stem}.pddl"]
    places += [here / f"domain_{stem}.pddl", here / "domain.pddl"]
    if here.name == INSTANCES:
        number = stem.rpartition("-")[2]
        places += [here.parent / "domains" / f"domain-{number}.pddl", here.parent / "domain.pddl"]
    return next((place for place in places if place.is_file()), None)


def _to_task(root: Path, domain: Path, problem: Path) -> IpcTask:
    folder = problem.parent.parent if problem.parent.name == INSTANCES else problem.parent
    year = re.search(r"ipc-(\d{4})", str(folder))
    number = problem.stem.removeprefix("instance-")
    name = f"{year[1]} {folder.name} {number}" if year else f"{folder.name} {number}"
    return IpcTask(name, domain, problem, str(folder.relative_to(root)))


def _to_natural_order(path: Path) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
