# SPDX-License-Identifier: Apache-2.0
"""The price of each preference given up: the best plan that keeps it, found by the same solver."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from fcp_ros.fuzzy import AlphaCut
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.planning.answer.preferences import (
    compare,
    find_broken_constraint,
    list_given_up,
    rank_by_price,
)
from fcp_ros.planning.answer.solution import Solution, SolverResult
from fcp_ros.planning.goal.ground_goal import GroundGoal
from fcp_ros.planning.goal.symmetry import SymmetryClasses
from fcp_ros.planning.model.result import GivenUp, KeepingPrice, PriceKind
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.session import PhaseTimes, RequestContext
from fcp_ros.planning.strategy import find_unit, solve_request

PRICED = 8
"""Preferences given up whose price is looked for, the dearest first."""
SHARE = Fraction(1, 2)
"""Of the time that is left, for all of these searches together."""
_ENDED = "no time was left for it."


def price_preferences(
    context: RequestContext, goal: GroundGoal, best: Solution, is_crisp: bool
) -> tuple[GivenUp, ...]:
    """List the preferences that a solution gives up, each with the price of keeping it."""
    given_up = list_given_up(best, goal)
    dearest = rank_by_price(goal, list(given_up), context.options.optimise)
    prices = _Prices(replace(context, times=PhaseTimes(context.watch)), goal, best, is_crisp)
    seconds = float(SHARE) * context.watch.time_left
    for place, number in enumerate(dearest):
        before = context.watch.elapsed
        if place < PRICED:
            price = prices.find(number, seconds / min(PRICED - place, len(dearest) - place))
        else:
            price = _admit(f"only the {PRICED} dearest are looked into.")
        given_up[number] = replace(given_up[number], price=price)
        seconds -= context.watch.elapsed - before
    return tuple(given_up.values())


def _admit(reason: str) -> KeepingPrice:
    return KeepingPrice(PriceKind.UNKNOWN, reason=reason)


class _Prices:
    """Finds prices for one solution."""

    def __init__(
        self, context: RequestContext, goal: GroundGoal, best: Solution, is_crisp: bool
    ) -> None:
        self._context = context
        self._goal = goal
        self._best = best
        self._is_crisp = is_crisp

    def find(self, number: int, seconds: float) -> KeepingPrice:
        watch, optimise = self._context.watch, self._context.options.optimise
        goal = self._goal.require(number)
        broken = find_broken_constraint(goal, self._context.instance)
        if broken is not None:
            reason = f"it is broken before the first step: {broken.because}."
            return KeepingPrice(PriceKind.IMPOSSIBLE, reason=reason)
        if seconds <= 0.0 or watch.cancellation is not None:
            return _admit(_ENDED)
        try:
            with watch.look_aside(seconds):
                keeping, cut = self._solve(goal)
        except GroundingError as error:
            return _admit(error.sentence)
        except Interrupted:
            return _admit(_ENDED)
        except MemoryError:
            return _admit("no memory was left for it.")
        unit = find_unit(self._context, self._goal)
        return compare(self._best, keeping, cut.alpha, optimise, float(unit.size))

    def _solve(self, goal: GroundGoal) -> tuple[SolverResult, AlphaCut]:
        nothing_alike = SymmetryClasses.from_members(())
        return solve_request(self._context, goal, nothing_alike, None, self._is_crisp)
