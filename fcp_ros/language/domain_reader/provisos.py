# SPDX-License-Identifier: Apache-2.0
"""Constraints for clauses with a condition on the way: "until", "while", "whenever"."""

from __future__ import annotations

from collections.abc import Callable

from fcp_ros.domain.expressions.syntax import And, Expression, Or, TrajectoryConstraint
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.language.domain_reader.contradictions import Contradictions
from fcp_ros.language.domain_reader.graded_goals import list_judging
from fcp_ros.language.domain_reader.statements import ComposedClause, is_crisp
from fcp_ros.language.domain_reader.terms.referents import negate
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.parsing.trees import Act, ProvisoKind, SpokenClause, TimeKind
from fcp_ros.language.reading import Refusal


class ProvisoComposer:
    """A maker of constraints from clauses and their conditions on the way."""

    def __init__(
        self,
        domain: Domain,
        contradictions: Contradictions,  # tells what can't be so at once
        holds_now: Callable[[Expression], bool],  # tells whether something is so initially
    ) -> None:
        self._domain = domain
        self._judging = list_judging(domain)
        self._contradictions = contradictions
        self._holds_now = holds_now

    def constrain(
        self, composed: ComposedClause, kind: ProvisoKind, condition: ComposedClause
    ) -> list[Expression]:
        """Make the constraints for the statements of a clause under a condition.

        Args:
            kind: how it speaks of the condition.

        Raises:
            Unresolved: the goal language can't say it.
        """
        trigger = condition.close()
        if condition.clause.negated:
            trigger = negate(trigger)
        found: list[Expression] = []
        for statement in composed.statements:
            asked = statement.close()
            if not is_crisp(And((asked, trigger)), self._judging):
                raise Unresolved(
                    "a condition on the way that is only so to a degree", Refusal.DEGREE
                )
            found += self._relate(asked, trigger, kind, composed.clause)
        return found

    def _relate(
        self, asked: Expression, trigger: Expression, kind: ProvisoKind, clause: SpokenClause
    ) -> list[Expression]:
        lasting = clause.negated or clause.act in (Act.KEEP, Act.STAY)
        body = negate(asked) if clause.negated else asked
        if kind is ProvisoKind.UNTIL:
            if clause.permitted:
                body = negate(asked)
            if not self._holds_now(body):
                raise Unresolved("from when on it shall be so", Refusal.TIME)
            return [_make(TrajectoryOperator.BEFORE, trigger, negate(body))]
        if kind is ProvisoKind.WHENEVER:
            if clause.time is not None:
                return self._limit(body, trigger, clause)
            said = clause.act is Act.STATE or not clause.verb  # no imperative
            if not lasting and (not said or self._contradictions.contradict(asked, trigger)):
                return [_make(TrajectoryOperator.AFTER, body, trigger)]
        return [_make(TrajectoryOperator.ALWAYS, Or((negate(trigger), body)))]

    def _limit(
        self, body: Expression, trigger: Expression, clause: SpokenClause
    ) -> list[Expression]:
        """State that something is so within a time after something else."""
        limit = clause.time
        if limit is None or limit.kind is not TimeKind.WITHIN or not self._domain.timed:
            raise Unresolved("a time: nobody says how long actions take", Refusal.TIME)
        operator = TrajectoryOperator.ALWAYS_WITHIN
        found: list[Expression] = []
        # "Close the door within a minute after opening it" asks for nothing at the end.
        if clause.act is Act.ACHIEVE and not self._contradictions.contradict(body, trigger):
            found += [trigger, body]
        return [*found, TrajectoryConstraint(operator, (body, trigger), 0, (limit.seconds,))]


def _make(operator: TrajectoryOperator, *parts: Expression) -> TrajectoryConstraint:
    return TrajectoryConstraint(operator, parts)
