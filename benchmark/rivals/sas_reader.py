# SPDX-License-Identifier: Apache-2.0
"""Tasks that Fast Downward has translated, as flat tasks: both then search the very same thing.
Losses can be written into such a task as costs.

Reads the translator's output format (version 3): variables, initial state, goal, operators with
conditional effects and costs. Axioms are refused. Mutex groups are not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmark.planning.vague import degree_of
from fcp_ros.planning.flat.builder import Assignment, FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.flat.task import FlatTask

MOST = 0.2
"""The greatest loss that `with_losses` gives to one operator."""


def read_sas(path: Path, loss_of_cost: float) -> FlatTask:
    """The flat task of a translated one, with losses and no other costs.

    Arguments:
        path: output of the translator.
        loss_of_cost: loss of an operator for each unit of its cost (1 for each where the task has
            no costs).

    Raises:
        ValueError: another version of the format, or a task with axioms.
    """
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    if _section(lines, "version") != ["3"]:
        raise ValueError(f"{path} is not of version 3 of the format")
    with_costs = _section(lines, "metric") == ["1"]
    domain = [int(_section(lines, "variable")[2]) for _ in range(int(next(lines)))]
    for _ in range(int(next(lines))):
        _section(lines, "mutex_group")
    initial = [int(value) for value in _section(lines, "state")]
    goal = [_pair(line) for line in _section(lines, "goal")[1:]]
    operators = [
        _operator(_section(lines, "operator"), with_costs, loss_of_cost)
        for _ in range(int(next(lines)))
    ]
    if int(next(lines)):
        raise ValueError(f"{path} has axioms: they are not supported")
    return FlatBuilder(domain, initial, goal, operators).build()


def _section(lines: Iterator[str], name: str) -> list[str]:
    """The lines between begin_<name> and end_<name>."""
    if next(lines) != f"begin_{name}":
        raise ValueError(f"the file does not go on with a section {name}")
    found = []
    for line in lines:
        if line == f"end_{name}":
            return found
        found.append(line)
    raise ValueError(f"the section {name} does not end")


def _pair(line: str) -> Assignment:
    variable, value = line.split()
    return int(variable), int(value)


def _operator(rows: list[str], with_costs: bool, loss_of_cost: float) -> FlatOperator:
    """Name, number of conditions that stay, these, number of effects, these, cost."""
    kept = int(rows[1])
    pre = [_pair(row) for row in rows[2 : 2 + kept]]
    effects = []
    for row in rows[3 + kept : -1]:
        numbers = [int(word) for word in row.split()]
        conditions = numbers[0]
        when = tuple((numbers[1 + 2 * n], numbers[2 + 2 * n]) for n in range(conditions))
        variable, before, after = numbers[1 + 2 * conditions :]
        if before >= 0:
            pre.append((variable, before))
        effects.append(FlatEffect(variable, after, when))
    cost = float(rows[-1]) if with_costs else 1.0
    return FlatOperator(
        tuple(sorted(set(pre))), (), tuple(effects), loss=cost * loss_of_cost, cost=0.0
    )


def with_losses(text: str) -> str:
    """A translated task whose operators cost their losses, in hundredths.

    Half of the operators have none, the others up to `MOST`: from a hash of their names.
    """
    head, mark, tail = text.partition("begin_operator\n")
    head = head.replace("begin_metric\n0\n", "begin_metric\n1\n")
    blocks = (mark + tail).split("end_operator\n")
    written = []
    for block in blocks[:-1]:
        rows = block.splitlines()
        written.append("\n".join([*rows[:-1], str(loss_in_hundredths(rows[1]))]))
    return head + "\nend_operator\n".join([*written, blocks[-1]])


def loss_in_hundredths(operator: str) -> int:
    """The loss that `with_losses` gives to an operator by its name."""
    if degree_of(operator, 0.0) < 0.5:
        return 0
    return round(100 * (1.0 - degree_of(f"{operator}!", 1.0 - MOST)))
