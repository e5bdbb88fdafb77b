# SPDX-License-Identifier: Apache-2.0
"""Chunks of ground steps, and what their degrees rest on.

A chunk that declares graded predicates is judged as a whole: these are calibrated from the outcomes
of the chunk (`execution/outcome.py`), as those of single actions are. Its degree is that of its
first step, and its other steps count as crisp. The degree of any other chunk is composed from its
steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from fcp_ros.domain.expressions.evaluation import name_of
from fcp_ros.domain.model import Chunk
from fcp_ros.planning.model.ground_step import GroundStep, list_graded_atoms
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import chunk_name

StepAtoms = tuple[GradedAtom, ...]
"""The graded atoms that the degree of one step rests on."""


class NotAChunk(ValueError):
    """Steps that are said to be a chunk of the domain, and aren't."""


def find_chunk_atoms(
    chunk: Chunk, binding: Mapping[str, str], steps: Sequence[GroundStep]
) -> tuple[GradedAtom, ...]:
    """Return the graded atoms that compose a chunk's membership: its own or those of its steps."""
    if not chunk.graded:
        return tuple(atom for step in steps for atom in list_graded_atoms(step))
    return tuple(
        (atom.predicate, tuple(name_of(term, binding) for term in atom.arguments))
        for atom in chunk.graded
    )


def bind(chunk: Chunk, steps: Sequence[GroundStep]) -> dict[str, str] | None:
    """Find an element for each parameter of a chunk, from ground steps; None if they don't fit.

    Different parameters are different elements.
    """
    if len(steps) != len(chunk.steps):
        return None
    binding: dict[str, str] = {}
    for (rule, parameters), step in zip(chunk.steps, steps, strict=True):
        if step.rule.name != rule:
            return None
        for name, element in zip(parameters, step.arguments, strict=True):
            if binding.setdefault(name, element) != element:
                return None
    return binding if len(set(binding.values())) == len(binding) else None


def find_step_atoms(
    chunks: Mapping[str, Chunk], steps: Sequence[GroundStep], labels: Sequence[str]
) -> list[StepAtoms]:
    """Return the graded atoms that the degree of each step rests on.

    Args:
        labels: the chunk that each step belongs to (`PlanStep.chunk`); empty for none.
    """
    found: list[StepAtoms] = []
    numbered = zip(labels, steps, strict=True)
    for label, group in groupby(numbered, key=lambda pair: pair[0]):
        together = [step for _, step in group]
        found.extend(_find_group_atoms(chunks.get(chunk_name(label)) if label else None, together))
    return found


def _find_group_atoms(chunk: Chunk | None, steps: Sequence[GroundStep]) -> Iterator[StepAtoms]:
    if chunk is None:
        yield from map(list_graded_atoms, steps)
        return
    binding = bind(chunk, steps)
    if binding is None:
        raise NotAChunk(f"{', '.join(map(str, steps))} is no {chunk.name}")
    if not chunk.graded:
        yield from map(list_graded_atoms, steps)
        return
    yield find_chunk_atoms(chunk, binding, steps)
    yield from (() for _ in steps[1:])
