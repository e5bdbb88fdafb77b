# SPDX-License-Identifier: Apache-2.0
"""Plans that reach one part of a goal after the other, as long as the resources last.

Where a goal may be fulfilled in part, nearly every state is the end of some plan, and a search for
the whole goal runs into the end of its resources far from any. So parts are reached by themselves:
always the one that takes the least share of what is left for its worth, by its relaxed plan, which
is carried out as far as it goes and then worked out again. A part that cannot be reached this way
is passed over, and what was done for it is taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fcp_ros.foundation.stopping import Check
from fcp_ros.fuzzy import EPSILON, Composition
from fcp_ros.planning.flat import jit
from fcp_ros.planning.flat.task import (
    AxiomScratch,
    Flags,
    FlatTask,
    Floats,
    Ints,
    derive_values,
    make_scratch,
)
from fcp_ros.planning.heuristics.exploration import ADDITION, explore, seed
from fcp_ros.planning.heuristics.relaxed_task import RelaxedTask, Workspace, make_workspace, reweigh
from fcp_ros.planning.search.kernel.dominance import spend_resources
from fcp_ros.planning.search.kernel.switch_tree import is_forbidden
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


@dataclass
class _Progress:
    """The operators applied so far, and where they lead."""

    path: RelaxedPath
    operators: list[int] = field(default_factory=list)
    loss: float = 0.0

    def copy(self) -> _Progress:
        path = self.path._replace(state=self.path.state.copy(), amounts=self.path.amounts.copy())
        return _Progress(path, self.operators.copy(), self.loss)


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
        self._done = np.empty(len(self._task.loss), np.int32)
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
        now = _Progress(begin_path(self._task))
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
                return tuple(now.operators)
            part = min(open_)[1]
            after = self._try(now, part, self._count(now))
            if after is None:
                failed.add(part)
            else:
                now = after

    def _try(self, now: _Progress, part: int, reached: float) -> _Progress | None:
        """Reach one part more; None if that fails, or no more than before is reached then."""
        after = self._go(now.copy(), self._needs[part])
        return None if after is None or self._count(after) <= reached else after

    def _count(self, now: _Progress) -> float:
        """Return the worth of all parts that hold."""
        seed(self._relaxed, self._work, now.path.state)
        return sum(
            part.worth
            for part, ways in zip(self._parts, self._needs, strict=True)
            if any((self._work.value[needs] == 0.0).all() for needs in ways)
        )

    def _explore(self, now: _Progress) -> None:
        self._check()
        relaxed, work = self._relaxed, self._work
        count = seed(relaxed, work, now.path.state)
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
            count = follow(self._task, now.path, self._order(needs), self._done)
            if not count:
                return None
            applied = self._done[:count].tolist()
            now.operators += applied
            now.loss += float(self._task.loss[applied].sum()) if self._sums else 0.0
            if now.loss > self._budget + EPSILON:
                return None
        return None

    def _order(self, goal: Ints) -> Ints:
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
        return np.array(list(ordered), np.int32)

    def _find_variable(self, fact: int) -> int:
        """Find the variable of a fact; one beyond the last for other facts."""
        return int(np.searchsorted(self._relaxed.offset, fact, side="right")) - 1


# --- relaxed plans carried out as far as they go (Vidal, "A lookahead strategy", 2004)


UNFIT, FIT, DONE = 0, 1, 2
"""An operator of a relaxed plan is not applicable now, is applicable, or was applied."""


class RelaxedPath(NamedTuple):
    """The end of a path so far, and scratch memory."""

    state: Ints  # the value of each variable, int32[n]
    # two unused numbers, then the resources, float64[2 + R]: the layout of a label, so that
    # `spend_resources` can read it
    amounts: Floats
    after: Ints  # scratch, int32[n]
    left: Floats  # scratch, float64[R]
    # UNFIT, FIT or DONE for each operator to be carried out, by its place in the list, uint8[m]
    fits: Flags
    axioms: AxiomScratch


def begin_path(task: FlatTask) -> RelaxedPath:
    """Begin a path at the initial state."""
    return RelaxedPath(
        task.initial.copy(),
        np.concatenate([[0.0, 0.0], task.amount]),
        task.initial.copy(),
        task.amount.copy(),
        np.zeros(len(task.loss), np.uint8),
        make_scratch(task.axioms),
    )


@jit.kernel
def follow(task: FlatTask, path: RelaxedPath, pending: Ints, done: Ints) -> int:
    """Apply operators, each at most once, as long as one of them is applicable.

    An operator waits while it would destroy a precondition of another one that is applicable now.

    Args:
        pending: distinct operators in order of preference, int32[k].
        done: receives those that were applied, in order, int32[k].

    Returns:
        The number of operators in `done`.
    """
    fits = path.fits
    for place in range(len(pending)):
        fits[place] = UNFIT
    count = 0
    while True:
        for place in range(len(pending)):
            if fits[place] != DONE:
                fits[place] = FIT if _is_applicable(task, path, pending[place]) else UNFIT
        chosen = -1
        for place in range(len(pending)):
            if fits[place] == FIT:
                disturbs = _disturbs(task, path, pending, place)
                if chosen < 0 or not disturbs:
                    chosen = place
                if not disturbs:
                    break
        if chosen < 0:
            return count
        _apply(task, path, pending[chosen])
        fits[chosen] = DONE
        done[count] = pending[chosen]
        count += 1


@jit.part
def _is_applicable(task: FlatTask, path: RelaxedPath, operator: int) -> bool:
    """Return True if an operator is applicable; `path.left` then has the resources after it."""
    for c in range(task.pre_start[operator], task.pre_start[operator + 1]):
        if path.state[task.pre_var[c]] != task.pre_val[c]:
            return False
    if is_forbidden(task, path.state, operator):
        return False
    return spend_resources(task, path.amounts, operator, path.left)


@jit.part
def _disturbs(task: FlatTask, path: RelaxedPath, pending: Ints, place: int) -> bool:
    """Return True if an operator destroys a precondition of another applicable one."""
    operator = pending[place]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        var, val = task.eff_var[effect], task.eff_val[effect]
        if path.state[var] == val:
            continue
        for other in range(len(pending)):
            if path.fits[other] != FIT or other == place:
                continue
            asking = pending[other]
            for c in range(task.pre_start[asking], task.pre_start[asking + 1]):
                if task.pre_var[c] == var and task.pre_val[c] != val:
                    return True
    return False


@jit.part
def _apply(task: FlatTask, path: RelaxedPath, operator: int) -> None:
    spend_resources(task, path.amounts, operator, path.left)
    for resource in range(len(path.left)):
        path.amounts[2 + resource] = path.left[resource]
    for var in range(len(path.state)):
        path.after[var] = path.state[var]
    for effect in range(task.eff_start[operator], task.eff_start[operator + 1]):
        happens = True
        for c in range(task.cond_start[effect], task.cond_start[effect + 1]):
            holds = path.state[task.cond_var[c]] == task.cond_val[c]
            if holds == (task.cond_neg[c] != 0):
                happens = False
                break
        if happens:
            path.after[task.eff_var[effect]] = task.eff_val[effect]
    if len(task.axioms.head) > 0:
        derive_values(task.axioms, path.axioms, path.after)
    for var in range(len(path.state)):
        path.state[var] = path.after[var]
