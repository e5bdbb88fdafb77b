# SPDX-License-Identifier: Apache-2.0
"""A robot that carries parcels between rooms, one at a time: a domain that has a small policy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fcp_ros.abstraction.proposers.proposer import TrainingTask, read_training_task

DOMAIN = """\
(define (domain parcels)
  (:requirements :strips :typing)
  (:types room parcel)
  (:predicates (robot-in ?r - room) (in ?p - parcel ?r - room) (held ?p - parcel)
               (heavy ?p - parcel) (handempty))
  (:action go
    :parameters (?from - room ?to - room)
    :precondition (robot-in ?from)
    :effect (and (not (robot-in ?from)) (robot-in ?to)))
  (:action take
    :parameters (?p - parcel ?r - room)
    :precondition (and (robot-in ?r) (in ?p ?r) (handempty))
    :effect (and (held ?p) (not (in ?p ?r)) (not (handempty))))
  (:action leave
    :parameters (?p - parcel ?r - room)
    :precondition (and (robot-in ?r) (held ?p))
    :effect (and (in ?p ?r) (handempty) (not (held ?p)))))
"""

ABSTRACTION = """\
features:
  holding: any(held)
  left: count(some(difference(goal.in, in), top))
initial: [not holding]
goal: [left = 0]
actions:
  fetch:
    when: [not holding, left > 0]
    effects: [holding]
    programs:
      - "go(to: some(inverse(in), some(difference(goal.in, in), top)));
         take(p: some(difference(goal.in, in), top))"
  bring:
    when: [holding, left > 0]
    effects: [not holding, left decreases]
    programs: ["go(to: some(inverse(goal.in), held)); leave()"]
"""
"""Passes all checks."""

FEATURES, _, REST = ABSTRACTION.partition("initial:")
REST = f"initial:{REST}"
"""What a model writes in its first step (FEATURES) and in its second one."""


def write_problem(places: Mapping[str, tuple[str, str]], heavy: tuple[str, ...] = ()) -> str:
    """A problem: where each parcel is and where it belongs; the robot is in room a."""
    facts = [f"(in {parcel} {here})" for parcel, (here, _) in places.items()]
    facts += [f"(heavy {parcel})" for parcel in heavy]
    goals = [f"(in {parcel} {there})" for parcel, (_, there) in places.items()]
    return (
        "(define (problem parcels-1) (:domain parcels)\n"
        f"  (:objects a b c - room {' '.join(places)} - parcel)\n"
        f"  (:init (robot-in a) (handempty) {' '.join(facts)})\n"
        f"  (:goal (and {' '.join(goals)})))\n"
    )


PROBLEMS = {
    "one": write_problem({"p": ("b", "c")}),
    "two": write_problem({"p": ("b", "c"), "q": ("a", "b")}, heavy=("p",)),
    "three": write_problem({"p": ("b", "c"), "q": ("b", "a"), "s": ("c", "c")}),
}


def write_files(folder: Path) -> tuple[Path, tuple[Path, ...]]:
    """Write the domain and the problems; return their paths."""
    domain = folder / "domain.pddl"
    domain.write_text(DOMAIN, encoding="utf-8")
    paths = tuple(folder / f"{name}.pddl" for name in PROBLEMS)
    for path, text in zip(paths, PROBLEMS.values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return domain, paths


def read_tasks(folder: Path) -> tuple[TrainingTask, ...]:
    """The training tasks."""
    domain, paths = write_files(folder)
    return tuple(read_training_task(domain, path) for path in paths)
