# SPDX-License-Identifier: Apache-2.0
"""HLPRC and LLGRC: all that a policy can do on a training task, walked through depth first.

A node is a concrete state. Its children are the states after each refinement of each action that
the policy names there: the abstract choices, and the concrete ones (which element a program takes).
The first child is what the runner would do. States that were met before are not walked again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field

from fcp_ros.abstraction.debugging.abstraction_check import Blame, BlameSearch, CheckedTask
from fcp_ros.abstraction.policy.refining import (
    MOST_TRIES,
    FeatureValues,
    ProgramSteps,
    TriesExceeded,
    describe_difference,
)
from fcp_ros.abstraction.proposers.faults import (
    AbstractionCheck,
    AbstractionError,
    AbstractionFault,
    AbstractionLayer,
)
from fcp_ros.abstraction.qnp.problem import QnpPolicy, describe_condition, describe_state
from fcp_ros.foundation.stopping import Check

MOST_SHOWN = 12
"""Last actions of a path that an error shows."""


@dataclass(frozen=True, slots=True)
class TreeLimits:
    """Bounds of a walk."""

    # states that are walked before other choices than the runner's are left out
    states: int = 2_000
    searched: int = 100  # the same for policies that search, whose states cost more
    longest: int = 20_000  # states that are walked on the runner's own path
    choices: int = 100  # refinements of one abstract action in one state that are followed
    errors: int = 2  # faults of one task after which the walk ends


@dataclass(frozen=True, slots=True)
class WalkedTree:
    """The outcome of a walk."""

    errors: tuple[AbstractionError, ...]
    states: int
    is_complete: bool  # False if a bound left something out


Child = tuple[str, ProgramSteps, FeatureValues]
"""An abstract action, its steps, and the values of the features after them."""


@dataclass(slots=True)
class _Node:
    """A state on the present path."""

    key: int
    values: FeatureValues
    via: str  # the action and steps that led to it, in words; empty for the initial state
    children: Generator[Child, None, None]  # what is left to be walked
    # for each action that ran with another effect, the first such run in words
    misses: dict[str, str] = field(default_factory=dict)
    has_children: bool = False  # True once an action was refined
    gave_up: bool = False  # True if more bindings would have had to be tried


def walk_refined_tree(
    task: CheckedTask, policy: QnpPolicy, limits: TreeLimits, check: Check
) -> WalkedTree:
    """Walk through all that a policy can do on a task, within bounds.

    `task`: its state is the initial one again afterwards. `policy`: names of actions by qstate.
    """
    walk = _Walk(task, policy, limits, check)
    try:
        walk.run()
    finally:
        walk.take_back()
    return WalkedTree(tuple(walk.errors), len(walk.known), walk.is_complete)


def _list_none() -> Generator[Child, None, None]:
    yield from ()


class _Walk:
    """The present path, the states met so far, and the faults."""

    def __init__(
        self, task: CheckedTask, policy: QnpPolicy, limits: TreeLimits, check: Check
    ) -> None:
        self.task, self.policy, self.limits, self.check = task, policy, limits, check
        self.most_states = limits.searched if task.refiner.searches else limits.states
        self.blame = BlameSearch(task, check)
        self.path: list[_Node] = []
        self.open: set[int] = set()
        self.known: set[int] = set()
        self.errors: list[AbstractionError] = []
        self.is_complete = True
        self.has_end = False

    def run(self) -> None:
        """Walk until all is walked, or a bound is reached."""
        self._enter(self.task.refiner.evaluate(self.task.state), "")
        while self.path and len(self.errors) < self.limits.errors:
            node = self.path[-1]
            if self._is_over():
                return
            child = next(node.children, None)
            if child is None:
                self._leave(node)
                continue
            node.has_children = True
            action, steps, values = child
            self._enter(values, self.task.write_steps(action, steps))

    def take_back(self) -> None:
        """Bring the state back to the initial one."""
        while self.path:
            self._pop()

    def _is_over(self) -> bool:
        states, limits = len(self.known), self.limits
        if states < self.most_states or (not self.has_end and states < limits.longest):
            return False
        self.is_complete = False
        if not self.has_end:
            sentence = (
                f"the policy has not reached the goal of {self.task.name} after {states} states"
            )
            values = self.path[-1].values
            self._report(
                AbstractionCheck.HLPRC,
                AbstractionFault.NO_END,
                sentence,
                values,
                lambda: self.blame.blame(None),
            )
        return True

    def _enter(self, values: FeatureValues, via: str) -> None:
        """Come to a state: end there, or put it on the path."""
        self.check()
        task, key = self.task, self.task.state.key()
        if key in self.open:
            self._report_cycle(via, values)
            return
        if key in self.known:
            return
        self.known.add(key)
        if task.goal.holds(task.state):
            self.has_end = True
            return
        self.path.append(_Node(key, values, via, _list_none()))
        self.open.add(key)
        qstate = task.abstract(values)
        if self.policy.get(qstate):
            node = self.path[-1]
            node.children = self._list_children(node, self.policy[qstate])
            return
        if task.qnp.is_goal(qstate):
            self.has_end = True
            sentence = (
                f"the goal of the abstraction ({describe_condition(task.qnp, task.qnp.goal)}) is "
                f"reached, but the goal of the task {task.name} is not: "
                f"{task.describe_missing(task.state)}"
            )
            kind = AbstractionFault.GOAL_NOT_REACHED
            self._report(AbstractionCheck.LLGRC, kind, sentence, values, self.blame.blame_goal)
        else:
            sentence = (
                f"the policy names no action for ({describe_state(task.qnp, qstate)}), which it "
                f"comes to in {task.name}"
            )
            # A solution of the QNP has actions for all that follows from the initial condition.
            layer = AbstractionLayer.POLICY if task.has_own_policy else AbstractionLayer.INITIAL
            self._report(
                AbstractionCheck.HLPRC,
                AbstractionFault.NO_RULE,
                sentence,
                values,
                lambda: self.blame.blame(layer),
            )
        self._pop()

    def _list_children(self, node: _Node, actions: tuple[str, ...]) -> Generator[Child, None, None]:
        """Yield the refinements of all actions; each is taken back when the next is asked for."""
        for action in actions:
            abstract = self.task.qnp.action(action)

            def note(
                steps: ProgramSteps, before: FeatureValues, after: FeatureValues, name: str = action
            ) -> None:
                if name not in node.misses:
                    abstract = self.task.qnp.action(name)
                    difference = describe_difference(
                        abstract, self.task.qnp.variables, before, after
                    )
                    node.misses[name] = f"{self.task.write_steps(name, steps)}: {difference}"

            found = self.task.refiner.iterate_refinements(abstract.name, self.task.state, note)
            try:
                for number, (steps, values) in enumerate(found):
                    if number == self.limits.choices:
                        self.is_complete = False
                        break
                    yield action, steps, values
            except TriesExceeded:
                self.is_complete = False
                node.gave_up = True
            finally:
                found.close()

    def _leave(self, node: _Node) -> None:
        """Leave a state whose children are walked; it needs at least one."""
        if not node.has_children:
            self._report_dead_end(node)
        self._pop()

    def _pop(self) -> None:
        node = self.path.pop()
        node.children.close()
        self.open.discard(node.key)

    # --- faults

    def _report_dead_end(self, node: _Node) -> None:
        qnp = self.task.qnp
        qstate = self.task.abstract(node.values)
        actions = self.policy[qstate]
        where = f"in ({describe_state(qnp, qstate)}) of {self.task.name}"
        if node.misses:
            what = "; ".join(node.misses.values())
            sentence = f"no way to do {' or '.join(actions)} {where} has the stated effects: {what}"
            kind = AbstractionFault.WRONG_EFFECT
        else:
            why = (
                f"none of the first {MOST_TRIES:,} choices of objects works"
                if node.gave_up
                else "no program is possible there"
            )
            sentence = f"{' or '.join(actions)} can't be done {where}: {why}"
            kind = AbstractionFault.NO_REFINEMENT
        self._report(
            AbstractionCheck.HLPRC,
            kind,
            sentence,
            node.values,
            lambda: self.blame.blame_refinement(actions),
            actions,
        )

    def _report_cycle(self, via: str, values: FeatureValues) -> None:
        qstate = self.task.abstract(values)
        sentence = (
            f"the policy comes to the same state of {self.task.name} again "
            f"({describe_state(self.task.qnp, qstate)}): it may never end"
        )
        self._report(
            AbstractionCheck.HLPRC,
            AbstractionFault.NO_END,
            sentence,
            values,
            lambda: self.blame.blame(AbstractionLayer.POLICY),
            (via,),
        )

    def _report(
        self,
        check: AbstractionCheck,
        kind: AbstractionFault,
        sentence: str,
        values: FeatureValues,
        find_blame: Callable[[], Blame],
        more: tuple[str, ...] = (),
    ) -> None:
        """Note a fault in the present state, unless one says the same."""
        if any(one.sentence == sentence for one in self.errors):
            return
        blame = find_blame()
        via = [one.via for one in self.path if one.via]
        error = AbstractionError(
            check,
            kind,
            sentence,
            self.task.name,
            (self.task.describe(values, self.task.state),),
            tuple([*via, *more][-MOST_SHOWN:]),
            blame.layer,
            blame.steps_left,
        )
        self.errors.append(error)
