# SPDX-License-Identifier: Apache-2.0
"""The alternatives of a goal by the loss that each takes at least, before anything is instantiated.

Of very many alternatives it tells the few that are worth instantiating first; and once there is a
plan, whether any of them may still be better. What that takes in judgements is asked for, the most
promising alternatives first, in growing batches. Judgements only raise losses, so what was worked
out before stays a lower bound: only what comes first is worked out anew.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.goal.formula import Formula
from fcp_ros.planning.judging.candidates_to_judge import asked_in_advance, batch_of_round
from fcp_ros.planning.judging.unavoidable import Least, UnavoidableLoss
from fcp_ros.planning.model.memberships import GradedAtom, Judge

FEW = 8
"""So many alternatives are worth instantiating, and those that are as good as the best one."""

_Entry = tuple[float, bool, int]
"""Least loss, whether there is an open question, number of the alternative."""


class Prospects:
    """The alternatives of one goal.

    Arguments:
        alternatives: what the goal leaves to choose.
        bounds: lower bounds by what is known when it is called.
        judge: asked for judgements.
        check: called all the time; may raise to stop.
    """

    def __init__(
        self,
        alternatives: Sequence[Formula],
        bounds: Callable[[], UnavoidableLoss],
        judge: Judge,
        check: Callable[[], None],
    ) -> None:
        self._alternatives = alternatives
        self._new_bounds = bounds
        self._judge = judge
        self._check = check
        self._bounds = bounds()
        self._queue: list[_Entry] = [(0.0, False, n) for n in range(len(alternatives))]
        self._least: dict[int, Least] = {}

    def __len__(self) -> int:
        return len(self._alternatives)

    def shortlist(self, most: int) -> list[Formula]:
        """The most promising alternatives, in their order: that with the least loss is among them.

        Of this one all questions are answered; so it is probably the best, though it may turn out
        to take more than the bound says.

        Arguments:
            most: if more alternatives than this are equally good there is no choice to be made.

        Returns:
            the alternatives; none where there are too many.
        """
        number = 1
        while True:
            first = self._next()
            if not self._least[first].open:
                break
            self._ask_about(self._to_ask(first, batch_of_round(number)))
            number += 1
        level = self._least[first].total + EPSILON
        chosen = [first]
        while self._queue and len(chosen) <= most:
            one = self._next()
            chosen.append(one)
            least = self._least[one]
            if len(chosen) > FEW and (least.open or least.total > level):
                break
        self._put_back(chosen)
        return [] if len(chosen) > most else [self._alternatives[n] for n in sorted(chosen)]

    def none_is_better(self, loss: float) -> bool:
        """Whether no plan has less loss than this; False where it can't be told."""
        number = 1
        while True:
            better: list[int] = []
            while self._queue and len(better) < batch_of_round(number):
                one = self._next()
                least = self._least[one]
                better.append(one)
                if least.total >= loss - EPSILON:
                    break
                if not least.open:
                    self._put_back(better)
                    return False
            asked = [n for n in better if self._least[n].total < loss - EPSILON]
            self._put_back([n for n in better if n not in set(asked)])
            if not asked:
                return True
            self._ask_about(asked)
            number += 1

    def _to_ask(self, first: int, equals: int) -> list[int]:
        """The alternatives to ask about: those as good as the first one, and a few others.

        Arguments:
            first: the best alternative, with open questions.
            equals: so many that are as good, at most.
        """
        level = self._least[first].total + EPSILON
        others = asked_in_advance(self._judge.asked)
        found = [first]
        closed: list[int] = []
        while self._queue and len(closed) < FEW:
            one = self._next()
            least = self._least[one]
            if not least.open:
                closed.append(one)
                continue
            if least.total <= level:
                equals -= 1
            else:
                others -= 1
            if min(equals, others) < 0:
                self._put_back([one])
                break
            found.append(one)
        self._put_back(closed)
        return found

    def _ask_about(self, alternatives: Sequence[int]) -> None:
        """One question about each."""
        questions: list[GradedAtom] = [self._least[n].open[0] for n in alternatives]
        self._judge.judge(questions)
        self._bounds = self._new_bounds()
        self._put_back(alternatives)

    def _next(self) -> int:
        """Takes the alternative with the least loss by what is known now."""
        while True:
            self._check()
            _, _, number = heapq.heappop(self._queue)
            self._least[number] = self._bounds.of(self._alternatives[number])
            now = self._entry(number)
            if not self._queue or now <= self._queue[0]:
                return number
            heapq.heappush(self._queue, now)

    def _put_back(self, alternatives: Sequence[int]) -> None:
        for number in alternatives:
            heapq.heappush(self._queue, self._entry(number))

    def _entry(self, number: int) -> _Entry:
        least = self._least[number]
        return least.total, bool(least.open), number
