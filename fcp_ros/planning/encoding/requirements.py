# SPDX-License-Identifier: Apache-2.0
"""The requirements of an operator on variables, put together.

A condition "none of these facts, except the one that is added anyway" makes two operators if the
variable is either empty or has that value already: one with each as its precondition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from fcp_ros.planning.encoding.variables import Variables
from fcp_ros.planning.flat.builder import Assignment

MAX_VARIANTS = 4
"""At most this many variants of one operator; beyond that values are excluded by conditions."""


class Impossible(Exception):
    """A condition that never holds."""


class Requirements:
    """The requirements of an operator on variables."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self.pre: dict[int, int] = {}
        self.unequal: dict[int, set[int]] = {}
        self.either: dict[int, set[int]] = {}

    def require(self, variable: int, value: int) -> None:
        """Require variable = value."""
        if self.pre.setdefault(variable, value) != value:
            raise Impossible

    def exclude(self, variable: int, values: Iterable[int]) -> None:
        """Require that the variable has none of the values."""
        self.unequal.setdefault(variable, set()).update(values)

    def settle(self) -> None:
        """Combine the requirements on each variable."""
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

    def make_variants(self) -> Iterator[tuple[dict[int, int], list[Assignment]]]:
        """Yield the preconditions and excluded values of each variant."""
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
