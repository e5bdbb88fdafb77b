# SPDX-License-Identifier: Apache-2.0
"""What an operator asks of the variables, put together.

A condition "none of these facts, unless the one that is added anyway" makes two operators where the
variable is either empty or has that value already: one with each as its precondition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import Assignment

MAX_VARIANTS = 4
"""More combinations of variants of one operator than this are not made; conditions say it then."""


class Impossible(Exception):
    """A condition that never holds."""


class Requirements:
    """What an operator asks of the variables, collected."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self.pre: dict[int, int] = {}
        self.unequal: dict[int, set[int]] = {}
        self.either: dict[int, set[int]] = {}

    def is_(self, variable: int, value: int) -> None:
        """variable = value."""
        if self.pre.setdefault(variable, value) != value:
            raise Impossible

    def is_not(self, variable: int, values: Iterable[int]) -> None:
        """variable is none of the values."""
        self.unequal.setdefault(variable, set()).update(values)

    def settle(self) -> None:
        """Work out what the conditions on one variable say together."""
        if not self.unequal:
            return
        for variable, values in list(self.unequal.items()):
            fixed = self.pre.get(variable)
            if fixed is not None:
                if fixed in values:
                    raise Impossible
                del self.unequal[variable]
                continue
            size = len(self._variables.values[variable])
            if size - len(values) > 2:
                continue
            left = set(range(size)) - values
            if not left:
                raise Impossible
            if len(left) == 1:
                self.pre[variable] = left.pop()
                del self.unequal[variable]
            elif len(values) > 1:
                self.either[variable] = left
                del self.unequal[variable]

    def variants(self) -> Iterator[tuple[dict[int, int], list[Assignment]]]:
        """Preconditions and values that are excluded, for each variant."""
        if not self.unequal and not self.either:
            yield self.pre, []
            return
        excluded = [(var, value) for var, values in self.unequal.items() for value in values]
        if not self.either:
            yield self.pre, sorted(excluded)
            return
        choices = dict(self.either)
        while 2 ** len(choices) > MAX_VARIANTS:
            variable, left = choices.popitem()
            size = len(self._variables.values[variable])
            excluded.extend((variable, value) for value in range(size) if value not in left)
        for chosen in itertools.product(*(sorted(left) for left in choices.values())):
            yield {**self.pre, **dict(zip(choices, chosen, strict=True))}, sorted(excluded)
