# SPDX-License-Identifier: Apache-2.0
"""The solver: a policy that surely reaches the goal of a QNP, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from fcp_ros.abstraction.qnp.fixpoints import TerminationGame
from fcp_ros.abstraction.qnp.frozen_mapping import FrozenMapping
from fcp_ros.abstraction.qnp.policy_graph import EndlessComponent, build_policy_graph, sieve
from fcp_ros.abstraction.qnp.problem import Qnp, QnpPolicy, QState, describe_state
from fcp_ros.abstraction.qnp.state_space import (
    QnpLimitReached,
    QnpLimits,
    QnpWatch,
    StateSpace,
)
from fcp_ros.abstraction.qnp.strong_cyclic import StrongCyclicRegion


class QnpStatus(Enum):
    """The verdict on a QNP."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class QnpStatistics:
    """The effort of the solver.

    Attributes:
        reachable: qstates that some run meets up to its first goal, which is included.
        strong_cyclic: those of them from which a policy can keep the goal reachable.
        seconds: in all.
    """

    reachable: int = 0
    strong_cyclic: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class QnpResult:
    """The answer of the solver.

    Attributes:
        status: the verdict.
        policy: one action for every qstate that it may lead to, except goals; empty unless solved.
        reason: why there is no policy, in a sentence; empty if solved.
        hopeless: an initial qstate without a strong-cyclic policy, if that is the reason.
        component: what every policy runs into that keeps the goal reachable, for example, if that
            is the reason.
        statistics: the effort.
    """

    status: QnpStatus
    policy: QnpPolicy = field(default_factory=FrozenMapping)
    reason: str = ""
    hopeless: QState | None = None
    component: EndlessComponent | None = None
    statistics: QnpStatistics = QnpStatistics()


def solve_qnp(
    qnp: Qnp, limits: QnpLimits | None = None, check: Callable[[], None] = lambda: None
) -> QnpResult:
    """Find a policy that reaches the goal from every initial qstate, whatever the numbers are.

    Args:
        qnp: the problem.
        limits: of qstates, moves and time.
        check: called every few milliseconds; an exception that it raises ends the call.

    Returns:
        A policy that SIEVE has tested again as a whole, or the reason why there is none, or LIMIT.

    Raises:
        QnpError: An action decreases too many numbers.
    """
    watch = QnpWatch(limits or QnpLimits(), check)
    solver = _Solver(qnp, watch)
    try:
        return solver.solve()
    except QnpLimitReached as limit:
        return QnpResult(QnpStatus.LIMIT, reason=str(limit), statistics=solver.summarise())


class _Solver:
    """The stages of one call, and what they have found so far."""

    def __init__(self, qnp: Qnp, watch: QnpWatch) -> None:
        self.qnp = qnp
        self.watch = watch
        self.space: StateSpace | None = None
        self.strong_cyclic = 0

    def solve(self) -> QnpResult:
        self.space = space = StateSpace(self.qnp, self.watch)
        region = StrongCyclicRegion(space, self.watch)
        self.strong_cyclic = sum(region.kept)
        if region.lost_initial:
            return self._refute_strong_cyclic(space, space.states[region.lost_initial[0]])
        moves = TerminationGame(space, self.watch).solve(region)
        lost = [state for state in space.initial if state not in moves and not space.is_goal[state]]
        if lost:
            return self._refute_termination(space, region, moves, space.states[lost[0]])
        return self._conclude(space, moves)

    def summarise(self) -> QnpStatistics:
        """Return the effort so far."""
        return QnpStatistics(
            reachable=len(self.space.states) if self.space else 0,
            strong_cyclic=self.strong_cyclic,
            seconds=self.watch.seconds,
        )

    def _refute_strong_cyclic(self, space: StateSpace, state: QState) -> QnpResult:
        where = f"from ({describe_state(self.qnp, state)})"
        reason = (
            f"no policy {where} keeps the goal reachable: whatever it does, it may come to where "
            "no action leads on to the goal"
            if any(space.is_goal)
            else f"no run {where} reaches the goal"
        )
        statistics = self.summarise()
        return QnpResult(QnpStatus.UNSOLVABLE, reason=reason, hopeless=state, statistics=statistics)

    def _refute_termination(
        self,
        space: StateSpace,
        region: StrongCyclicRegion,
        won: Mapping[int, int],
        state: QState,
    ) -> QnpResult:
        """Show what a policy runs into that goes the shortest way, if all goes well."""
        nearest = {**region.find_nearest_moves(), **won}
        graph = build_policy_graph(self.qnp, _name_actions(space, nearest), [state])
        component = sieve(graph)[0]
        return QnpResult(
            QnpStatus.UNSOLVABLE,
            reason=(
                "every policy that keeps the goal reachable may go on for ever; for example, "
                + component.describe(self.qnp)
            ),
            component=component,
            statistics=self.summarise(),
        )

    def _conclude(self, space: StateSpace, moves: Mapping[int, int]) -> QnpResult:
        """Return the policy, after it was tested as a whole."""
        names = _name_actions(space, moves)
        graph = build_policy_graph(self.qnp, names)
        assert not graph.open_states, "the policy leaves a qstate open"
        assert not sieve(graph), "the policy need not terminate"
        policy = FrozenMapping({state: names[state] for state in graph.states if state in names})
        return QnpResult(QnpStatus.SOLVED, policy=policy, statistics=self.summarise())


def _name_actions(space: StateSpace, moves: Mapping[int, int]) -> dict[QState, tuple[str, ...]]:
    """Return the policy of one move for each qstate."""
    actions = space.code.actions
    return {
        space.states[state]: (actions[space.action[move]].name,) for state, move in moves.items()
    }
