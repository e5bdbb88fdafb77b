# SPDX-License-Identifier: Apache-2.0
"""Goals that relate a thing to itself, which nobody means: a slip of spelling, or of a pronoun.

"Put a tray on the tary" is no wish for a tray that is on itself, whatever the types allow.
"""

from __future__ import annotations

from fcp_ros.domain.expressions.syntax import Atom, Expression, Text, atoms
from fcp_ros.domain.model import BUILT_IN


def find_self_relation(goal: Expression) -> Atom | None:
    """Return the first atom of a goal in which one thing fills two places; None without one."""
    for atom in atoms(goal):
        things = [one for one in atom.arguments if not isinstance(one, Text)]
        if atom.predicate not in BUILT_IN and len(set(things)) < len(things):
            return atom
    return None
