# SPDX-License-Identifier: Apache-2.0
"""The lattice of relaxed goals, explored best first, with proof.

A node has one choice for each requirement. Its bound is the composed degree of its changes: no plan
for it has a higher membership, and no node above it a lower bound. Nodes are planned in the order
of their bounds, until the best plan is as good as the bound of every node that is left.

GoalRequirements that are proven to have no plan together are a conflict. A node that has the same
choices for all of them has no plan either: it is not planned, and only these requirements are
relaxed further. So nothing is relaxed but what stands in the way.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.model.result import ExploredRelaxation, PlanningResult, RelaxationOutcome
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.relaxation.requirements import AS_WANTED, RequirementChoice
from fcp_ros.relaxation.stream import ChoiceStream
from fcp_ros.relaxation.wording import RequirementChange
from fcp_ros.relaxation.worlds import WorldStream

MOST_BELOW_ALPHA = 16
"""Nodes that are planned for the best membership below alpha, once no node can reach alpha."""
MOST_EXPLORED = 20_000
"""Nodes that are looked at; then the search ends without proof."""

Node = tuple[int, ...]
"""The number of the choice for each requirement."""
Pairs = frozenset[tuple[int, int]]
"""GoalRequirements with the number of a choice for each."""


@dataclass(frozen=True)
class Attempt:
    """The answer to planning one node."""

    outcome: RelaxationOutcome
    result: PlanningResult | None = None  # of the planner; None if it was not asked
    conflict: Pairs = frozenset()  # the requirements that have no plan together, if that is proven
    reason: str = ""
    exact: bool = True  # True if no plan for it has a higher membership: proven
    # requirements, each with the number of a choice, with which no plan reaches alpha
    weak: tuple[Pairs, ...] = ()

    @property
    def membership(self) -> float:
        """Membership of the best plan that was found; 0 without one."""
        return 0.0 if self.result is None else self.result.best_membership


@dataclass(frozen=True)
class Found:
    """The result of the search."""

    node: Node | None  # the best node whose plan reaches alpha; None without one
    attempt: Attempt | None  # its attempt, or that of the best node below alpha
    bound: float  # upper bound of the membership of all other nodes
    complete: bool  # True if no node is left open, and no choice was left out as one of too many
    explored: tuple[ExploredRelaxation, ...]
    interrupted: Interrupted | None = None
    below: Node | None = None
    # the sets of requirements, with a choice for each, that are known to have no plan
    conflicts: tuple[Pairs, ...] = ()


@dataclass
class _Tally:
    """The state of a search."""

    best: tuple[float, Node, Attempt] | None = None
    below: tuple[float, Node, Attempt] | None = None
    open_bound: float = 0.0
    slack: float = 0.0
    explored: list[ExploredRelaxation] = field(default_factory=list)
    late: int = 0


class RelaxationLattice:
    """Searches the lattice."""

    def __init__(
        self,
        # the choices for each requirement, best first
        streams: Sequence[ChoiceStream | WorldStream],
        tnorm: TNorm,
        alpha: float,
        attempt: Callable[[Node, Sequence[RequirementChoice]], Attempt],
        *,
        # True if the membership of the plan decides; otherwise the first node whose plan reaches
        # alpha is the best one
        by_membership: bool = True,
        # asked after each plan that reaches alpha; True takes the best one so far
        enough: Callable[[], bool] = lambda: False,
        name: Callable[[RequirementChange], str] = lambda changed: changed.change.original,
    ) -> None:
        self._streams = streams
        self._tnorm = tnorm
        self._alpha = alpha
        self._attempt = attempt
        self._by_membership = by_membership
        self._enough = enough
        self._name = name
        self._heap: list[tuple[float, int, int, Node, int]] = []
        self._seen: set[Node] = set()
        self._order = itertools.count()
        self._conflicts: list[Pairs] = []
        self._settled: list[dict[int, int]] = []
        self._tally = _Tally()

    def search(self, strict: Attempt) -> Found:
        """Search, from the goal as stated, whose own attempt is given."""
        root: Node = (0,) * len(self._streams)
        self._seen.add(root)
        interrupted = None
        try:
            self._record(root, -1, 1.0, strict)
            self._go_on(root, 0, strict)
            self._run()
        except Interrupted as reason:
            interrupted = reason
        return self._conclude(interrupted)

    def _run(self) -> None:
        while self._heap:
            bound = -self._heap[0][0]
            if self._is_settled(bound) or len(self._tally.explored) > MOST_EXPLORED:
                return
            _, _, _, node, parent = heapq.heappop(self._heap)
            self._tally.open_bound = max(0.0, bound)
            self._visit(node, parent, bound)
            self._tally.open_bound = 0.0

    def _is_settled(self, bound: float) -> bool:
        """Return True if no node with this bound matters any more."""
        tally = self._tally
        if tally.best is not None:
            # Who has to be asked about a long plan would not rather have more given up.
            long = tally.best[0] < self._alpha - EPSILON
            better = tally.best[0] < bound - EPSILON and self._by_membership and not long
            return not better or self._enough()
        if tally.below is not None and bound < self._alpha - EPSILON:
            tally.late += 1
            return tally.below[0] >= bound - EPSILON or tally.late > MOST_BELOW_ALPHA
        return False

    def _visit(self, node: Node, parent: int, bound: float) -> None:
        if any(self._extends(node, settled) for settled in self._settled):
            return
        choices = self._find_choices(node)
        conflict = self._find_known_conflict(node) or _find_double_use(node, choices)
        if conflict:
            number = len(self._tally.explored)
            reason = "Parts of it are known to have no plan together."
            self._record(node, parent, bound, Attempt(RelaxationOutcome.IMPLIED, reason=reason))
            self._branch(node, number, [position for position, _ in conflict])
            return
        attempt = self._attempt(node, choices)
        if not attempt.exact:
            self._tally.slack = max(self._tally.slack, bound)
        number = len(self._tally.explored)
        self._record(node, parent, bound, attempt)
        self._go_on(node, number, attempt)

    def _go_on(self, node: Node, number: int, attempt: Attempt) -> None:
        """Draw the conclusions of an attempt: what is known, and where to look next."""
        tally, outcome = self._tally, attempt.outcome
        changed = [position for position, choice in enumerate(node) if choice]
        everything = list(range(len(node)))
        if outcome is RelaxationOutcome.SOLVED:
            self._settled.append({position: node[position] for position in changed})
            if tally.best is None or attempt.membership > tally.best[0] + EPSILON:
                tally.best = (attempt.membership, node, attempt)
            self._branch(node, number, changed)
        elif outcome is RelaxationOutcome.TRIVIAL:
            self._settled.append({position: node[position] for position in changed})
            self._branch(node, number, changed)
        elif outcome is RelaxationOutcome.BELOW_ALPHA:
            if tally.below is None or attempt.membership > tally.below[0] + EPSILON:
                tally.below = (attempt.membership, node, attempt)
            self._conflicts += attempt.weak
            # What cannot reach alpha any more is not improved by relaxing what is not in the way.
            hopeless = self._find_bound(node) < self._alpha - EPSILON
            positions = changed if hopeless else everything
            for conflict in attempt.weak[:1]:
                positions = [position for position, _ in conflict]
            self._branch(node, number, positions)
        else:
            if attempt.conflict:
                self._conflicts.append(attempt.conflict)
            positions = [position for position, _ in attempt.conflict] or everything
            self._branch(node, number, positions)

    def _branch(self, node: Node, number: int, positions: Sequence[int]) -> None:
        for position in positions:
            child = (*node[:position], node[position] + 1, *node[position + 1 :])
            if child in self._seen:
                continue
            self._seen.add(child)
            if self._streams[position].find(child[position]) is None:
                continue
            bound = self._find_bound(child)
            changes = sum(map(bool, child))
            if bound > EPSILON:
                entry = (-bound, changes, next(self._order), child, number)
                heapq.heappush(self._heap, entry)

    def _find_bound(self, node: Node) -> float:
        return self._tnorm.compose_all(choice.degree for choice in self._find_choices(node))

    def _find_choices(self, node: Node) -> list[RequirementChoice]:
        found = (stream.find(n) for stream, n in zip(self._streams, node, strict=True))
        return [choice for choice in found if choice is not None]

    def _find_known_conflict(self, node: Node) -> Pairs:
        for conflict in self._conflicts:
            if all(node[position] == choice for position, choice in conflict):
                return conflict
        return frozenset()

    @staticmethod
    def _extends(node: Node, settled: Mapping[int, int]) -> bool:
        return all(node[position] == choice for position, choice in settled.items())

    def _record(self, node: Node, parent: int, bound: float, attempt: Attempt) -> None:
        chosen = zip(self._streams, node, strict=True)
        made = [stream.find(number) or AS_WANTED for stream, number in chosen]
        changes = tuple(
            f"{self._name(RequirementChange(position, change))} ({change.degree:.2f})"
            for position, choice in enumerate(made)
            for change in choice.changes
        )
        explored = self._tally.explored
        explored.append(
            ExploredRelaxation(
                len(explored),
                parent,
                changes,
                bound,
                attempt.membership,
                attempt.outcome,
                attempt.reason,
            )
        )

    def _conclude(self, interrupted: Interrupted | None) -> Found:
        tally = self._tally
        slack = max([tally.slack, *(stream.left_out for stream in self._streams)])
        left = max(-self._heap[0][0] if self._heap else 0.0, tally.open_bound, slack)
        chosen = tally.best or tally.below
        return Found(
            None if tally.best is None else tally.best[1],
            None if chosen is None else chosen[2],
            left,
            not self._heap and interrupted is None and slack == 0.0,
            tuple(tally.explored),
            interrupted,
            None if tally.below is None else tally.below[1],
            tuple(self._conflicts),
        )


def _find_double_use(node: Node, choices: Sequence[RequirementChoice]) -> Pairs:
    users: dict[str, int] = {}
    for position, choice in enumerate(choices):
        for element in choice.uses:
            other = users.setdefault(element, position)
            if other != position:
                return frozenset({(other, node[other]), (position, node[position])})
    return frozenset()
