# SPDX-License-Identifier: Apache-2.0
"""The chunks that a planner may use: those that the domain declares, and those learned from plans.

How well a chunk does is judged as a whole where it declares graded predicates; estimated from how
it went where enough of that is known; and composed from its steps otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.domain.expression import Text, Variable
from fcp_ros.domain.model import Chunk, Domain
from fcp_ros.planning.compile.ground_step import GroundStep, graded_atoms_of
from fcp_ros.planning.model.memberships import GradedAtom

OUTCOMES = "outcomes of"
"""Predicate of the atoms that stand for estimates; no domain can have one of this name."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How often a chunk succeeded and failed as a whole."""

    successes: int
    failures: int

    def __post_init__(self) -> None:
        """Refuse negative numbers."""
        if self.successes < 0 or self.failures < 0:
            raise ValueError(f"{self}: give numbers of 0 or more")

    @property
    def count(self) -> int:
        """Of how many times this is the outcome."""
        return self.successes + self.failures

    @property
    def degree(self) -> float:
        """Expected rate of success in (0, 1): Laplace's rule of succession."""
        return (self.successes + 1) / (self.count + 2)


@dataclass(frozen=True)
class ChunkLibrary:
    """Chunks by name, with what is known of how they went.

    Attributes:
        chunks: the declared ones first, then the learned ones.
        outcomes: chunk name -> outcomes; chunks without any may be missing.
        least_evidence: so many outcomes are needed before they decide.
    """

    chunks: tuple[Chunk, ...] = ()
    outcomes: Mapping[str, Outcomes] = field(default_factory=dict)
    least_evidence: int = 5

    @classmethod
    def of(
        cls,
        domain: Domain,
        learned: Sequence[Chunk] = (),
        outcomes: Mapping[str, Outcomes] | None = None,
    ) -> ChunkLibrary:
        """The chunks of a domain, and others that are no duplicates of them (see learning.py)."""
        declared = tuple(domain.chunks.values())
        known = {_shape(chunk) for chunk in declared}
        names = {chunk.name for chunk in declared}
        more = (c for c in learned if _shape(c) not in known and c.name not in names)
        return cls((*declared, *more), dict(outcomes or {}))

    def graded_atoms(
        self, chunk: Chunk, binding: Mapping[str, str], steps: Sequence[GroundStep]
    ) -> tuple[GradedAtom, ...]:
        """The ground graded atoms whose composition is the membership of a chunk.

        Arguments:
            chunk: one of the library's.
            binding: an element for each of its parameters.
            steps: its steps under that binding.

        Returns:
            those that judge the chunk as a whole; or one that stands for the estimate from its
            outcomes, of which `estimate` knows the degree; or those of the steps.
        """
        if chunk.graded:
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
        found = self.outcomes.get(chunk.name)
        if found is not None and found.count >= self.least_evidence:
            return ((OUTCOMES, (chunk.name,)),)
        return tuple(atom for step in steps for atom in graded_atoms_of(step))

    def estimate(self, atom: GradedAtom) -> float | None:
        """The degree in [0, 1] of an atom that stands for an estimate; None for any other one."""
        if atom[0] != OUTCOMES:
            return None
        return self.outcomes[atom[1][0]].degree


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
