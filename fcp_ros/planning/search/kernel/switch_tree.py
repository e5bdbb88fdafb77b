# SPDX-License-Identifier: Apache-2.0
"""The successor generator: a tree that switches on one variable at a time.

From the root, a state follows the branch of its value of the node's variable, and the branch of the
operators that do not care. So it meets exactly the operators whose preconditions hold, in time that
hardly depends on the number of other operators (Helmert 2006, section 5.3.1). Conditions
`variable != value` and blocks are checked afterwards, by `is_forbidden`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fcp_ros.planning.flat.jit import kernel
from fcp_ros.planning.flat.task import Flags, FlatTask, Ints, count_operators

LEAF = -1
"""The "variable" of a node without values."""
FIRST_TEST = -2
"""A node that tests variable v for a single value has the "variable" FIRST_TEST - v."""
SPARSE = 8
"""A variable with at least this many times more values than branches gets a chain of tests instead
of a switch, which would need a word for each value."""


class SwitchTree(NamedTuple):
    """The tree in one array."""

    # node after node: variable, first and last + 1 of its own operators in `listed`, the place of
    # the "don't care" node, and the place of the node of each value (or, in a test, the value and
    # the place of its node); 0 for no node. int32.
    nodes: Ints
    listed: Ints  # operators, node by node, int32
    simple: Flags  # 1 for operators with neither unequal conditions nor blocks, uint8[m]
    root: int  # place of the root in `nodes`, never 0
    depth: int  # upper bound of the nodes that wait at once during a walk


def build_switch_tree(task: FlatTask) -> SwitchTree:
    builder = _Builder(task)
    root = builder.build()
    simple = (np.diff(task.not_start) == 0) & (np.diff(task.block_start) == 0)
    return SwitchTree(
        np.array(builder.nodes, np.int32),
        np.array(builder.listed, np.int32),
        simple.astype(np.uint8),
        root,
        len(task.domain) + 2,
    )


class _Builder:
    """Splits operators, sorted by their preconditions, variable by variable.

    Variables that many operators ask for come first, so that the "don't care" branches stay short.
    An operator that asks for two values of a variable is never applicable and is left out.
    """

    def __init__(self, task: FlatTask) -> None:
        asked = np.bincount(task.pre_var, minlength=len(task.domain))
        self._order = np.argsort(-asked, kind="stable").tolist()
        rank = np.empty(len(task.domain), np.int64)
        rank[self._order] = np.arange(len(task.domain))
        self._domain = task.domain.tolist()
        starts = task.pre_start.tolist()
        ranks, values = rank[task.pre_var].tolist(), task.pre_val.tolist()
        self._rows: list[tuple[list[tuple[int, int]], int]] = []
        for operator in range(count_operators(task)):
            first, last = starts[operator], starts[operator + 1]
            row = sorted(set(zip(ranks[first:last], values[first:last], strict=True)))
            if all(one[0] != other[0] for one, other in pairwise(row)):
                self._rows.append((row, operator))
        self._rows.sort()
        self.nodes: list[int] = [0]  # place 0 stands for "no node"
        self.listed: list[int] = []
        self._pending: list[tuple[int, int, int, int]] = []

    def build(self) -> int:
        """Build all nodes and return the place of the root.

        Without recursion: the finish of a goal may ask for thousands of variables. `_pending` holds
        the branches to be built: the place in `nodes` that leads to each, and its rows.
        """
        root = self._branch(0, len(self._rows), 0)
        while self._pending:
            place, first, last, done = self._pending.pop()
            self.nodes[place] = self._branch(first, last, done)
        return root

    def _branch(self, first: int, last: int, done: int) -> int:
        """Build the nodes of sorted rows first .. last, which agree in their first `done` items.

        Each node leads to the next one by its "don't care" branch. Return the place of the first.
        """
        rows = self._rows
        begun = previous = 0
        start = first
        while start < last or not begun:
            own = start
            while own < last and len(rows[own][0]) == done:
                own += 1
            listed = len(self.listed)
            self.listed.extend(rows[row][1] for row in range(start, own))
            start, groups = self._group(own, last, done)
            place = len(self.nodes)
            begun = begun or place
            if previous:
                self.nodes[previous + 3] = place
            previous = self._emit(listed, groups, done)
        return begun

    def _group(self, first: int, last: int, done: int) -> tuple[int, list[tuple[int, int]]]:
        """Group the rows that ask next for the first variable: their end, and a range per value."""
        rows, groups = self._rows, []
        start = first
        while start < last and rows[start][0][done][0] == rows[first][0][done][0]:
            item, end = rows[start][0][done], start
            while end < last and rows[end][0][done] == item:
                end += 1
            groups.append((start, end))
            start = end
        return start, groups

    def _emit(self, listed: int, groups: list[tuple[int, int]], done: int) -> int:
        """Build a switch or a chain of tests for a variable; return the place of the last node."""
        if not groups:
            place = len(self.nodes)
            self.nodes.extend((LEAF, listed, len(self.listed), 0))
            return place
        variable = self._order[self._rows[groups[0][0]][0][done][0]]
        if SPARSE * len(groups) <= self._domain[variable]:
            return self._emit_tests(variable, listed, groups, done)
        place, own = len(self.nodes), len(self.listed)
        self.nodes.extend((variable, listed, own, 0, *([0] * self._domain[variable])))
        for start, end in groups:
            value = self._rows[start][0][done][1]
            self._pending.append((place + 4 + value, start, end, done + 1))
        return place

    def _emit_tests(
        self, variable: int, listed: int, groups: list[tuple[int, int]], done: int
    ) -> int:
        own = len(self.listed)
        place = 0
        for start, end in groups:
            if place:
                self.nodes[place + 3] = len(self.nodes)
            place = len(self.nodes)
            value = self._rows[start][0][done][1]
            self.nodes.extend((FIRST_TEST - variable, listed, own, 0, value, 0))
            self._pending.append((place + 5, start, end, done + 1))
            listed = own
        return place


@kernel
def find_applicable(
    nodes: Ints, listed: Ints, root: int, state: Ints, waiting: Ints, found: Ints
) -> int:
    """Find the operators whose preconditions hold; unequal conditions and blocks are not checked.

    Args:
        waiting: scratch, int32[depth].
        found: receives the operators, in the order of the walk, int32[m].

    Returns:
        The number of operators in `found`.
    """
    count = 0
    waiting[0] = root
    top = 1
    # Depth first: of the two nodes that a node leads to, the "don't care" one waits. Both ask for
    # later variables, so at most one node waits for each variable.
    while top > 0:
        top -= 1
        node = waiting[top]
        for index in range(nodes[node + 1], nodes[node + 2]):
            found[count] = listed[index]
            count += 1
        variable = nodes[node]
        if nodes[node + 3] != 0:
            waiting[top] = nodes[node + 3]
            top += 1
        branch = 0
        if variable >= 0:
            branch = nodes[node + 4 + state[variable]]
        elif variable != LEAF and state[FIRST_TEST - variable] == nodes[node + 4]:
            branch = nodes[node + 5]
        if branch != 0:
            waiting[top] = branch
            top += 1
    return count


@kernel
def is_forbidden(task: FlatTask, state: Ints, operator: int) -> bool:
    """Return True if an unequal condition or a block forbids an operator; preconditions hold."""
    for c in range(task.not_start[operator], task.not_start[operator + 1]):
        if state[task.not_var[c]] == task.not_val[c]:
            return True
    for block in range(task.block_start[operator], task.block_start[operator + 1]):
        rest = True
        for c in range(task.rest_start[block], task.rest_start[block + 1]):
            if state[task.rest_var[c]] != task.rest_val[c]:
                rest = False
                break
        if not rest:
            continue
        for c in range(task.done_start[block], task.done_start[block + 1]):
            if state[task.done_var[c]] != task.done_val[c]:
                return True
    return False
