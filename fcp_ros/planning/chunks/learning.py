# SPDX-License-Identifier: Apache-2.0
"""Chunks learned from past plans: sequences of steps that occur often.

The oldest macro learning is STRIPS' MACROPS (Fikes, Hart, Nilsson, 1972); learning by frequency in
solutions is that of Macro-FF (Botea et al., JAIR 24, 2005).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.domain.model import Chunk, Domain, Parameter
from fcp_ros.domain.vocabulary import common_subtypes
from fcp_ros.planning.model.plan import PlanStep

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
                labels[number] = _make_unique(parameter.name, set(labels.values()))
    parameters: list[Parameter] = []
    for number, types in wanted.items():
        fitting = common_subtypes(domain.schema.types, types)
        if len(fitting) != 1:
            return None
        parameters.append(Parameter(labels[number], fitting[0]))
    steps = tuple((rule, tuple(labels[n] for n in arguments)) for rule, arguments in shape)
    return Chunk(_make_unique("_".join(rule for rule, _ in shape), taken), tuple(parameters), steps)


def _make_unique(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}_{number}"
    return found
