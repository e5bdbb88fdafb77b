# SPDX-License-Identifier: Apache-2.0
"""Cores of clauses as values: what is asked for, and the chunks around it."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros.language.parsing.trees import SpokenClause
from fcp_ros.language.spoken.chunks import Row


@dataclass(frozen=True, slots=True)
class Core:
    """The demand of a clause.

    Attributes:
        clause: with its predications.
        rest: the chunks that it doesn't speak of.
        following: the clauses that leave its verb out: "and the bowl on the shelf".
    """

    clause: SpokenClause
    rest: Row = ()
    following: tuple[SpokenClause, ...] = ()
