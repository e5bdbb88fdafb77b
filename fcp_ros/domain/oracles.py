# SPDX-License-Identifier: Apache-2.0
"""The oracles that a predicate may name, and combinations of several of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fcp_ros.domain.expressions.arithmetic import Arithmetic
from fcp_ros.fuzzy.fuzzy_sets import FuzzySet

DEFAULT_ORACLE = "default"
TABLE = "table"
RULE = "rule"
STATED = (TABLE, RULE)
"""Oracles that look up or compute what the domain's author states."""
MODELS = ("embedding", "causal_lm", "endpoint")
"""Oracles that ask a model; it reads the predicate's rubric."""
ORACLES = (DEFAULT_ORACLE, *MODELS, *STATED)

DEFAULT_T_NORM = "goedel"
"""Several judges of one thing: the least of their degrees, so that two who agree are believed."""


class Combination(str, Enum):
    """The way in which several oracles answer together: the first that can, or all of them."""

    FIRST_OF = "first_of"
    ALL_OF = "all_of"


@dataclass(frozen=True, slots=True)
class OracleChoice:
    """Several oracles that answer for one predicate.

    Args:
        names: two or more of `ORACLES`, in order.
        combination: how they answer together.
        t_norm: name of the t-norm that composes their degrees; used by ALL_OF.
    """

    names: tuple[str, ...]
    combination: Combination
    t_norm: str = DEFAULT_T_NORM


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A value and how well it fits: `text` is the value as written, for people."""

    text: str
    value: Arithmetic
    fits: FuzzySet


@dataclass(frozen=True, slots=True)
class FuzzyRule:
    """Lines whose degrees compose by the t-norm of that name."""

    lines: tuple[RuleLine, ...]
    t_norm: str = DEFAULT_T_NORM


def oracle_names(oracle: str | OracleChoice) -> tuple[str, ...]:
    """The oracles of a predicate: one, or those of a choice."""
    return oracle.names if isinstance(oracle, OracleChoice) else (oracle,)
