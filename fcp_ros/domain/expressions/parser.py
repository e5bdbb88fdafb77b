# SPDX-License-Identifier: Apache-2.0
"""The parser of goals, for all who may be given one as text; `grammar` does the work."""

from __future__ import annotations

from fcp_ros.domain.expressions.syntax import Expression, ExpressionError
from fcp_ros.foundation.wording import find_control

MAX_LENGTH = 20_000
"""Longest accepted text (characters)."""


def parse_expression(text: str) -> Expression:
    """Read a goal, or a condition of a rule.

    `text`: such as `on(?x, table_1) and serves_as(?x, "drinking")`. Returns the expression as
    written; `check_goal` resolves its names. Raises ExpressionError if the text does not follow the
    grammar; says where and what was expected.
    """
    if not text.strip():
        raise ExpressionError("The expression is empty: write one, such as on(?x, table_1).")
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            f"The expression has {len(text)} characters, more than {MAX_LENGTH}: shorten it."
        )
    if control := find_control(text, multiline=True):
        raise ExpressionError(f"The expression holds the control character {control}: remove it.")
    # Lark is a twentieth of a start of the planner, and a PDDL task has no such text.
    from fcp_ros.domain.expressions.grammar import read_expression

    return read_expression(text)
