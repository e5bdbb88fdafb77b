# SPDX-License-Identifier: Apache-2.0
"""No test fails because its machine is busy: none asserts that the clock on the wall stood still.

A wait without end is ended by the time limit of the test itself; what must not be waited for hangs
longer than that limit. Where the effort is the claim, count operations, or take CPU time with a
wide margin.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

CLOCKS = {"monotonic", "perf_counter", "time", "monotonic_ns", "perf_counter_ns", "time_ns"}

NAMES_CLOCK = re.compile(rf"\btime\s*\.\s*({'|'.join(CLOCKS)})\b")
"""In the text of each file that reads one; to parse the others takes seconds."""


def reads_clock(node: ast.AST, names: set[str]) -> bool:
    """True if an expression subtracts from a reading of a clock, or names such a difference."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in names:
            return True
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Sub):
            call = part.left
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and isinstance(call.func.value, ast.Name)
                and call.func.value.id == "time"
                and call.func.attr in CLOCKS
            ):
                return True
    return False


def find_upper_bounds(function: ast.AST) -> Iterator[int]:
    """Yield the lines of assertions that bound a time on the clock from above."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and reads_clock(node.value, names):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assert):
            continue
        for compared in ast.walk(node.test):
            if not isinstance(compared, ast.Compare):
                continue
            sides = [compared.left, *compared.comparators]
            for left, operator, right in zip(sides, compared.ops, sides[1:], strict=False):
                is_above = isinstance(operator, (ast.Lt, ast.LtE)) and reads_clock(left, names)
                is_below = isinstance(operator, (ast.Gt, ast.GtE)) and reads_clock(right, names)
                if is_above or is_below:
                    yield node.lineno


def test_no_test_bounds_the_time_on_the_clock(repository: Path) -> None:
    found = [
        f"{file.relative_to(repository)}:{line}"
        for file in sorted((repository / "test").rglob("*.py"))
        if NAMES_CLOCK.search(text := file.read_text())
        for function in ast.walk(ast.parse(text))
        if isinstance(function, ast.FunctionDef)
        for line in find_upper_bounds(function)
    ]
    assert found == []
