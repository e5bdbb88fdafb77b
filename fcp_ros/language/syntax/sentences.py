# SPDX-License-Identifier: Apache-2.0
"""Instructions as dependency trees: normalised, parsed piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fcp_ros.language.english.tokens import Token, tokenise
from fcp_ros.language.syntax.normalisation import Hints, Piece, normalise
from fcp_ros.language.syntax.pipeline import parse_words
from fcp_ros.language.syntax.second_look import look_again
from fcp_ros.language.syntax.tree import Tree


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of an instruction with its tree."""

    piece: Piece
    tree: Tree


def parse_segments(
    tokens: Sequence[Token], names: frozenset[int] = frozenset()
) -> tuple[Segment, ...]:
    """Parse the pieces of an instruction.

    Args:
        names: the tokens that name things of the domain; none: it isn't known.

    Raises:
        InputError: spaCy or its English pipeline isn't installed.
    """
    segments = _parse(tokens, Hints(names))
    hints = look_again([(one.piece, one.tree) for one in segments], names)
    return segments if hints is None else _parse(tokens, hints)


def _parse(tokens: Sequence[Token], hints: Hints) -> tuple[Segment, ...]:
    pieces = [piece for piece in normalise(tokens, hints) if piece.words]
    return tuple(Segment(piece, parse_words(piece.words)) for piece in pieces)


def parse_instruction(text: str) -> tuple[Segment, ...]:
    """Parse an instruction (see `parse_segments`)."""
    return parse_segments(tokenise(text))
