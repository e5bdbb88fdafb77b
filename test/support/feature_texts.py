# SPDX-License-Identifier: Apache-2.0
"""Concepts and roles read from texts of their own; the package reads them inside of features."""

from __future__ import annotations

from fcp_ros.abstraction.features.expressions import ConceptExpression, RoleExpression
from fcp_ros.abstraction.features.parser import ExpressionReader
from fcp_ros.abstraction.states.state import StateVocabulary


def parse_concept(text: str, vocabulary: StateVocabulary | None = None) -> ConceptExpression:
    """Read a concept, such as `and(ball, some(at, top))`."""
    reader = ExpressionReader(text, vocabulary)
    concept = reader.read_concept()
    reader.expect_end()
    return concept


def parse_role(text: str, vocabulary: StateVocabulary | None = None) -> RoleExpression:
    """Read a role, such as `restrict(adjacent, not(water))`."""
    reader = ExpressionReader(text, vocabulary)
    role = reader.read_role()
    reader.expect_end()
    return role
