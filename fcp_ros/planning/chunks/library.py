# SPDX-License-Identifier: Apache-2.0
"""The chunks that a planner may use: those that the domain declares, and those learned from plans.

A chunk is judged as a whole where it declares graded predicates: these are calibrated from how the
chunk went (`execution/credit.py`), as those of single actions are. Otherwise its degree is composed
from its steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import Text, Variable
from fcp_ros.domain.model import Chunk, Domain
from fcp_ros.planning.model.ground_step import GroundStep, graded_atoms_of
from fcp_ros.planning.model.memberships import GradedAtom


@dataclass(frozen=True)
class ChunkLibrary:
    """The chunks to plan with: the declared ones first, then the learned ones."""

    chunks: tuple[Chunk, ...] = ()

    @classmethod
    def of(cls, domain: Domain, learned: Sequence[Chunk] = ()) -> ChunkLibrary:
        """The chunks of a domain, and others that are no duplicates of them (see learning.py)."""
        declared = tuple(domain.chunks.values())
        known = {_shape(chunk) for chunk in declared}
        names = {chunk.name for chunk in declared}
        more = (c for c in learned if _shape(c) not in known and c.name not in names)
        return cls((*declared, *more))


def graded_atoms_of_chunk(
    chunk: Chunk, binding: Mapping[str, str], steps: Sequence[GroundStep]
) -> tuple[GradedAtom, ...]:
    """The ground graded atoms whose composition is the membership of a chunk.

    Args:
        chunk: the chunk.
        binding: an element for each of its parameters.
        steps: its steps under that binding.

    Returns:
        those that judge the chunk as a whole, or those of its steps.
    """
    if not chunk.graded:
        return tuple(atom for step in steps for atom in graded_atoms_of(step))
    return tuple(
        (
            atom.predicate,
            tuple(
                binding[term.name] if isinstance(term, Variable) else term.value
                for term in atom.arguments
                if isinstance(term, (Variable, Text))
            ),
        )
        for atom in chunk.graded
    )


def bind(chunk: Chunk, steps: Sequence[GroundStep]) -> dict[str, str] | None:
    """An element for each parameter of a chunk, from ground steps; None where they don't fit.

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


def _shape(chunk: Chunk) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The steps with parameters numbered as they come: equal for chunks that do the same."""
    numbers: dict[str, int] = {}
    return tuple(
        (rule, tuple(numbers.setdefault(name, len(numbers)) for name in names))
        for rule, names in chunk.steps
    )
