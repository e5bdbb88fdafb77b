# SPDX-License-Identifier: Apache-2.0
"""Plans that reach one part of a goal after the other, as long as the resources last.

Where a goal may be fulfilled in part, nearly every state is the end of some plan, and a search for
the whole goal runs into the end of its resources far from any. So parts are reached by themselves:
always the one that takes the least share of what is left for its worth, by its relaxed plan, which
is carried out as far as it goes and then worked out again. A part that cannot be reached this way
is passed over, and what was done for it is taken back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat.builder import Body, Situation, Stepper
from fcp_ros.planning.flat.task import FlatTask, Floats, Ints
from fcp_ros.planning.heuristics.exploration import ADDITION, explore, seed
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, make_workspace, reweigh
from fcp_ros.planning.search.prepared import PreparedTask
from fcp_ros.planning.search.settings import Objective

RELAXED_PLANS = 12
"""Relaxed plans that are carried out for one part, at most."""
TRIES = 4
"""Sequences of parts; in all but the first one, shares are multiplied by random factors."""
SPREAD = 0.3
"""Their range: from 1 to 1 + SPREAD."""
STEP = 1e-3
"""Share that each step takes besides, so that no part is for nothing."""


@dataclass(frozen=True)
class CollectablePart:
    """A part of a goal."""

    operators: tuple[int, ...]
    worth: float  # of reaching it, above 0; infinite if every plan has to


@dataclass(frozen=True)
class _Progress:
    """The operators applied so far, and where they lead."""

    situation: Situation
    operators: tuple[int, ...] = ()
    loss: float = 0.0

    @property
    def state(self) -> Ints:
        return np.array(self.situation[0], np.int32)


def reach_parts(
    prepared: PreparedTask,
    parts: Sequence[CollectablePart],
    goal_var: int,  # the variable of the goal's own operators; what they need of it is left aside
    objective: Objective,
    check: Check,
) -> Iterator[tuple[int, ...]]:
    """Yield sequences of operators that reach parts of a goal, without the goal's own."""
    reacher = _Reacher(prepared, parts, goal_var, objective, check)
    for number in range(TRIES):
        yield reacher.run(np.random.default_rng(number) if number else None)


class _Reacher:
    def __init__(
        self,
        prepared: PreparedTask,
        parts: Sequence[CollectablePart],
        goal_var: int,
        objective: Objective,
        check: Check,
    ) -> None:
        self._task = prepared.task
        self._parts = parts
        self._sums = objective.composition is Composition.SUM
        self._budget = objective.loss_budget
        self._check = check
        self._relaxed: RelaxedTask = reweigh(prepared.relaxed, self._find_shares())
        self._work: Workspace = make_workspace(self._relaxed)
        self._stepper = Stepper(self._task)
        self._goal_facts = range(*self._relaxed.offset[goal_var : goal_var + 2].tolist())
        self._needs = [
            [self._find_needs(operator) for operator in part.operators] for part in parts
        ]

    def _find_shares(self) -> Floats:
        task: FlatTask = self._task
        is_clock = np.arange(len(task.amount)) == task.clock
        left = np.where(is_clock, task.high, task.amount - task.low)
        used = np.where(is_clock, -task.use, task.use)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where((left > 0.0) & np.isfinite(left), np.maximum(used, 0.0) / left, 0.0)
        total = shares.max(axis=1, initial=0.0)
        if self._sums and np.isfinite(self._budget) and self._budget > 0.0:
            total = np.maximum(total, np.minimum(task.loss, self._budget) / self._budget)
        return np.asarray(total + STEP / len(self._parts), np.float64)

    def _find_needs(self, operator: int) -> Ints:
        """Find the facts that an operator of the goal needs, those of the goal itself aside."""
        relaxed = self._relaxed
        action = int(relaxed.action_start[operator])
        needs = relaxed.pre[relaxed.pre_start[action] : relaxed.pre_start[action + 1]]
        return needs[(needs < self._goal_facts.start) | (needs >= self._goal_facts.stop)]

    def run(self, draw: np.random.Generator | None) -> tuple[int, ...]:
        """Reach parts until none is left that can be reached."""
        now = _Progress(self._stepper.start)
        waiting = set(range(len(self._parts)))
        failed: set[int] = set()
        factor = np.ones(len(self._parts))
        if draw is not None:
            factor += SPREAD * draw.random(len(self._parts))
        while True:
            self._explore(now)
            open_ = [
                (
                    self._find_price(self._needs[part])[0] * factor[part] / self._parts[part].worth,
                    part,
                )
                for part in waiting - failed
            ]
            # A part that holds already needs nothing, but what is done later may destroy it.
            open_ = [one for one in open_ if one[0] > 0.0 and np.isfinite(one[0])]
            if not open_:
                return now.operators
            part = min(open_)[1]
            after = self._try(now, part, self._count(now))
            if after is None:
                failed.add(part)
            else:
                now = after

    def _try(self, now: _Progress, part: int, reached: float) -> _Progress | None:
        """Reach one part more; None if that fails, or no more than before is reached then."""
        after = self._go(now, self._needs[part])
        return None if after is None or self._count(after) <= reached else after

    def _count(self, now: _Progress) -> float:
        """Return the worth of all parts that hold."""
        seed(self._relaxed, self._work, now.state)
        return sum(
            part.worth
            for part, ways in zip(self._parts, self._needs, strict=True)
            if any((self._work.value[needs] == 0.0).all() for needs in ways)
        )

    def _explore(self, now: _Progress) -> None:
        self._check()
        relaxed, work = self._relaxed, self._work
        count = seed(relaxed, work, now.state)
        explore(relaxed, work, relaxed.weight, count, ADDITION, False)

    def _find_price(self, ways: Sequence[Ints]) -> tuple[float, Ints]:
        """Find the cheapest of some sets of facts, and what it costs, after an exploration."""
        prices = [float(self._work.value[needs].sum()) for needs in ways]
        best = min(range(len(prices)), key=prices.__getitem__)
        return prices[best], ways[best]

    def _go(self, now: _Progress, ways: Sequence[Ints]) -> _Progress | None:
        """Go on to one of some sets of facts; None if no way is found or it takes too much."""
        for _ in range(RELAXED_PLANS):
            self._explore(now)
            price, needs = self._find_price(ways)
            if price == 0.0:
                return now
            if not np.isfinite(price):
                return None
            situation, applied = follow(self._stepper, now.situation, self._order(needs))
            if not applied:
                return None
            loss = float(self._task.loss[applied].sum()) if self._sums else 0.0
            now = _Progress(situation, (*now.operators, *applied), now.loss + loss)
            if now.loss > self._budget + EPSILON:
                return None
        return None

    def _order(self, goal: Ints) -> list[int]:
        """Sort the operators of the relaxed plan for some facts, so that little is done in vain.

        Of the needs of an operator, those come first on the way to which others would be lost: a
        thing is taken before the robot goes to where it has to be.
        """
        relaxed, work = self._relaxed, self._work
        none = len(relaxed.weight) - 1
        ordered: dict[int, None] = {}
        touched: dict[int, frozenset[int]] = {}

        def needs_of(fact: int) -> list[int]:
            action = int(work.best[fact])
            if action < 0:
                return []
            needs = relaxed.pre[relaxed.pre_start[action] : relaxed.pre_start[action + 1]]
            return [int(need) for need in needs]

        def sort(needs: list[int]) -> list[int]:
            own = {need: self._find_variable(need) for need in needs}
            lost = {
                need: sum(own[other] in touched[need] for other in needs if other != need)
                for need in needs
            }
            return sorted(needs, key=lambda need: (-lost[need], need))

        stack = [(int(fact), False) for fact in goal]
        while stack:  # what is changed on the way to each fact
            fact, expanded = stack.pop()
            if expanded:
                found = frozenset().union(*(touched[need] for need in needs_of(fact)))
                reached = work.best[fact] >= 0
                touched[fact] = found | {self._find_variable(fact)} if reached else found
            elif fact not in touched:
                touched[fact] = frozenset()
                stack.append((fact, True))
                stack += [(need, False) for need in needs_of(fact)]
        seen: set[int] = set()
        stack = [(fact, False) for fact in reversed(sort([int(fact) for fact in goal]))]
        while stack:
            fact, expanded = stack.pop()
            action = int(work.best[fact])
            if expanded and relaxed.operator[action] != none:
                ordered.setdefault(int(relaxed.operator[action]))
            elif not expanded and action >= 0 and fact not in seen:
                seen.add(fact)
                stack.append((fact, True))
                stack += [(need, False) for need in reversed(sort(needs_of(fact)))]
        return list(ordered)

    def _find_variable(self, fact: int) -> int:
        """Find the variable of a fact; one beyond the last for other facts."""
        return int(np.searchsorted(self._relaxed.offset, fact, side="right")) - 1


# --- relaxed plans carried out as far as they go (Vidal, "A lookahead strategy", 2004)


def follow(stepper: Stepper, now: Situation, pending: Sequence[int]) -> tuple[Situation, list[int]]:
    """Apply operators, each at most once, as long as one of them is applicable.

    An operator waits while it would destroy a precondition of another one that is applicable now.

    Args:
        pending: distinct operators in order of preference.

    Returns:
        What they lead to, and those that were applied, in order.
    """
    left, done = list(pending), list[int]()
    while True:
        fit = [operator for operator in left if stepper.is_applicable(now, operator)]
        if not fit:
            return now, done
        asked = Counter(variable for one in fit for variable, _ in stepper.read(one).pre)
        chosen = next((one for one in fit if not _disturbs(stepper.read(one), now, asked)), fit[0])
        after = stepper.apply(now, chosen)
        assert after is not None, "it is applicable"
        now = after
        left.remove(chosen)
        done.append(chosen)


def _disturbs(body: Body, now: Situation, asked: Counter[int]) -> bool:
    """Return True if an operator changes a variable of which another applicable one needs that.

    Args:
        asked: how many applicable operators, this one among them, need something of a variable.
    """
    own = {variable for variable, _ in body.pre}
    return any(
        now[0][effect.variable] != effect.value
        and asked[effect.variable] > (effect.variable in own)
        for effect in body.effects
    )
