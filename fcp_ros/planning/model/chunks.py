# SPDX-License-Identifier: Apache-2.0
"""The chunks that a planner may use: declared or learned, and what their degrees rest on.

A chunk that declares graded predicates is judged as a whole: these are calibrated from the outcomes
of the chunk (`execution/outcome.py`), as those of single actions are. Its degree is that of its
first step, and its other steps count as crisp. The degree of any other chunk is composed from its
steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from fcp_ros.domain.expressions.evaluation import name_of
from fcp_ros.domain.model import Chunk, Domain, Parameter
from fcp_ros.domain.vocabulary import common_subtypes
from fcp_ros.foundation.wording import find_free_name
from fcp_ros.planning.model.ground_step import GroundStep, list_graded_atoms
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import PlanStep, chunk_name

StepAtoms = tuple[GradedAtom, ...]
"""The graded atoms that the degree of one step rests on."""


class NotAChunk(ValueError):
    """Steps that are said to be a chunk of the domain, and aren't."""


@dataclass(frozen=True)
class ChunkLibrary:
    """The chunks to plan with: the declared ones first, then the learned ones."""

    chunks: tuple[Chunk, ...] = ()

    @classmethod
    def of(cls, domain: Domain, learned: Sequence[Chunk] = ()) -> ChunkLibrary:
        """Collect the chunks of a domain and the learned ones that are no duplicates of them."""
        declared = tuple(domain.chunks.values())
        known = {_number_parameters(chunk) for chunk in declared}
        names = {chunk.name for chunk in declared}
        more = (c for c in learned if _number_parameters(c) not in known and c.name not in names)
        return cls((*declared, *more))


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
        labels: the chunk that each step belongs to (`PlanStep.chunk`); empty for none. A name that
            the domain lacks is that of a learned chunk, which is judged by its steps.
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


def _number_parameters(chunk: Chunk) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Number the parameters of the steps as they come: equal for chunks that do the same."""
    numbers: dict[str, int] = {}
    return tuple(
        (rule, tuple(numbers.setdefault(name, len(numbers)) for name in names))
        for rule, names in chunk.steps
    )


# --- chunks learned from past plans: sequences of steps that occur often
#
# The oldest macro learning is STRIPS' MACROPS (Fikes, Hart, Nilsson, 1972); learning by frequency
# in solutions is that of Macro-FF (Botea et al., JAIR 24, 2005).


Shape = tuple[tuple[str, tuple[int, ...]], ...]
"""Rules with their arguments numbered in the order in which they first occur."""


@dataclass(frozen=True, slots=True)
class LearningOptions:
    """Limits on what is learned."""

    support: int = 3
    longest: int = 4
    most: int = 8

    def __post_init__(self) -> None:
        if self.support < 1 or self.longest < 2 or self.most < 0:
            raise ValueError(f"{self}: support from 1, longest from 2, most from 0")


def learn_chunks(
    domain: Domain, plans: Sequence[Sequence[PlanStep]], options: LearningOptions | None = None
) -> tuple[Chunk, ...]:
    """Learn the chunks that save most steps, by their frequency.

    Returns:
        at most `most` chunks, best first: sequences in which each step shares an element with those
        before it. A part of a longer sequence that occurs no more often than that is left out. The
        order of the plans does not matter.
    """
    chosen = options or LearningOptions()
    support: Counter[Shape] = Counter()
    for plan in plans:
        support.update(_find_occurrences(domain, plan, chosen.longest))
    frequent = {shape: n for shape, n in support.items() if n >= chosen.support}
    whole = [s for s in frequent if not _is_covered(s, frequent)]
    ranked = sorted(whole, key=lambda s: (-frequent[s] * (len(s) - 1), -len(s), s))
    chunks: list[Chunk] = []
    names: set[str] = {*domain.chunks, *domain.rules}
    for shape in ranked:
        if len(chunks) == chosen.most:
            break
        chunk = _make_chunk(domain, shape, names)
        if chunk is not None:
            chunks.append(chunk)
            names.add(chunk.name)
    return tuple(chunks)


def _find_occurrences(domain: Domain, plan: Sequence[PlanStep], longest: int) -> Iterator[Shape]:
    """Yield the shapes of all sequences in a plan; occurrences that overlap count once."""
    free_from: dict[Shape, int] = {}
    for start in range(len(plan)):
        for end in range(start + 2, min(start + longest, len(plan)) + 1):
            shape = _find_shape(domain, plan[start:end])
            if shape is None:
                break
            if free_from.get(shape, 0) <= start:
                free_from[shape] = end
                yield shape


def _find_shape(domain: Domain, steps: Sequence[PlanStep]) -> Shape | None:
    numbers: dict[str, int] = {}
    shape: list[tuple[str, tuple[int, ...]]] = []
    for step in steps:
        arguments = step.elements
        known = step.rule in domain.rules
        if not known or (shape and numbers.keys().isdisjoint(arguments)):
            return None
        numbered = tuple(numbers.setdefault(name, len(numbers)) for name in arguments)
        shape.append((step.rule, numbered))
    return tuple(shape)


def _is_covered(shape: Shape, frequent: dict[Shape, int]) -> bool:
    """Return True if a longer sequence that occurs at least as often contains this one."""
    return any(
        frequent[longer] >= frequent[shape] and _renumber(part) == shape
        for longer in frequent
        if len(longer) > len(shape)
        for start in range(len(longer) - len(shape) + 1)
        for part in [longer[start : start + len(shape)]]
    )


def _renumber(shape: Shape) -> Shape:
    numbers: dict[int, int] = {}
    return tuple(
        (rule, tuple(numbers.setdefault(n, len(numbers)) for n in arguments))
        for rule, arguments in shape
    )


def _make_chunk(domain: Domain, shape: Shape, taken: set[str]) -> Chunk | None:
    """Make the chunk of a shape; None if no single type fits all uses of a parameter."""
    wanted: dict[int, set[str]] = {}
    labels: dict[int, str] = {}
    for rule, arguments in shape:
        for parameter, number in zip(domain.rules[rule].parameters, arguments, strict=True):
            wanted.setdefault(number, set()).add(parameter.type)
            if number not in labels:
                labels[number] = find_free_name(parameter.name, set(labels.values()))
    parameters: list[Parameter] = []
    for number, types in wanted.items():
        fitting = common_subtypes(domain.schema.types, types)
        if len(fitting) != 1:
            return None
        parameters.append(Parameter(labels[number], fitting[0]))
    steps = tuple((rule, tuple(labels[n] for n in arguments)) for rule, arguments in shape)
    return Chunk(
        find_free_name("_".join(rule for rule, _ in shape), taken), tuple(parameters), steps
    )
