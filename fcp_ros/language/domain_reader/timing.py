# SPDX-License-Identifier: Apache-2.0
"""Constraints on the time of something, and on the number of times that it is so."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from fcp_ros.domain.expressions.syntax import Expression, Preference, TrajectoryConstraint
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.language.domain_reader.graded_goals import list_judging
from fcp_ros.language.domain_reader.statements import ComposedClause, is_crisp
from fcp_ros.language.domain_reader.terms.referents import negate
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.parsing.trees import Act, TimeKind, TimeLimit
from fcp_ros.language.reading import Refusal

WISH = 0.5
"""Weight of what is only wished."""
_LATER_ACT = 0.65
"""Degree of an act "after two minutes": what it brings about may be so earlier."""


class TimingComposer:
    """A maker of constraints on when and how often something is so.

    Args:
        domain: says whether actions take time.
        holds_now: tells whether something is so initially.
    """

    def __init__(self, domain: Domain, holds_now: Callable[[Expression], bool]) -> None:
        self._domain = domain
        self._judging = list_judging(domain)
        self._holds_now = holds_now
        self.degree = 1.0

    def constrain(self, composed: ComposedClause) -> bool:
        """Replace the statements of a clause by constraints, if it says when or how often.

        Args:
            composed: the clause; changed.

        Returns:
            True if it does, so that nothing is left to be said of it.

        Raises:
            Unresolved: the goal language can't say it.
        """
        clause = composed.clause
        if clause.time is None and not clause.once:
            return False
        bodies = [statement.close() for statement in composed.statements]
        wished = clause.time is not None and clause.time.wished
        if not wished:
            composed.statements = []
        if not all(is_crisp(body, self._judging) for body in bodies):
            raise Unresolved("a time for what is only so to a degree", Refusal.DEGREE)
        for body in bodies:
            if clause.once:
                operator = TrajectoryOperator.AT_MOST_ONCE
                composed.constraints.append(TrajectoryConstraint(operator, (body,)))
            elif clause.time is not None:
                limited = self._limit(body, clause.time, composed)
                wish = Preference(WISH, Fraction(0), limited)
                composed.constraints.append(wish if wished else limited)
        return True

    def _limit(
        self, body: Expression, limit: TimeLimit, composed: ComposedClause
    ) -> TrajectoryConstraint:
        if not self._domain.timed:
            raise Unresolved("a time: nobody says how long actions take", Refusal.TIME)
        clause = composed.clause
        lasting = clause.negated or clause.act in (Act.KEEP, Act.STAY)
        if clause.negated:
            body = negate(body)
        if limit.kind is TimeKind.WITHIN and not lasting:
            operator = TrajectoryOperator.WITHIN
            return TrajectoryConstraint(operator, (body,), 0, (limit.seconds,))
        if limit.kind is TimeKind.AFTER:
            if not lasting and clause.act is not Act.STATE:
                self.degree *= _LATER_ACT
            operator = TrajectoryOperator.HOLD_AFTER
            return TrajectoryConstraint(operator, (body,), 0, (limit.seconds,))
        if not self._holds_now(body):
            raise Unresolved("from when on it shall be so", Refusal.TIME)
        times = (Fraction(0), limit.seconds)
        return TrajectoryConstraint(TrajectoryOperator.HOLD_DURING, (body,), 0, times)


def keep_order(composed: ComposedClause) -> list[Expression]:
    """State that the statements of a clause come true one after the other."""
    closed = [statement.close() for statement in composed.statements]
    return [TrajectoryConstraint(TrajectoryOperator.BEFORE, pair) for pair in pairwise(closed)]
