# SPDX-License-Identifier: Apache-2.0
"""What each step of a plan is judged by, chunks that are judged as a whole included.

The degree of such a chunk is that of its first step; its other steps count as crisp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from fcp_ros.domain.model import Chunk
from fcp_ros.planning.chunks.library import bind, graded_atoms_of_chunk
from fcp_ros.planning.model.ground_step import GroundStep, graded_atoms_of
from fcp_ros.planning.model.memberships import GradedAtom
from fcp_ros.planning.model.plan import chunk_name

Graded = tuple[GradedAtom, ...]


class NotAChunk(ValueError):
    """Steps that are said to be a chunk of the domain, and aren't."""


def graded_by_step(
    chunks: Mapping[str, Chunk], steps: Sequence[GroundStep], labels: Sequence[str]
) -> list[Graded]:
    """The graded atoms that the degree of each step rests on.

    Args:
        chunks: the domain's.
        steps: in order.
        labels: the chunk that each step belongs to (see `chunk_labels`); empty for none. A name
            that is not the domain's is that of a learned chunk, which its steps are judged for.

    Raises:
        NotAChunk: steps that are said to be a chunk of the domain, and aren't.
    """
    found: list[Graded] = []
    numbered = zip(labels, steps, strict=True)
    for label, group in groupby(numbered, key=lambda pair: pair[0]):
        together = [step for _, step in group]
        found.extend(_graded(chunks.get(chunk_name(label)) if label else None, together))
    return found


def _graded(chunk: Chunk | None, steps: Sequence[GroundStep]) -> Iterator[Graded]:
    if chunk is None:
        yield from map(graded_atoms_of, steps)
        return
    binding = bind(chunk, steps)
    if binding is None:
        raise NotAChunk(f"{', '.join(map(str, steps))} is no {chunk.name}")
    if not chunk.graded:
        yield from map(graded_atoms_of, steps)
        return
    yield graded_atoms_of_chunk(chunk, binding, steps)
    yield from (() for _ in steps[1:])
