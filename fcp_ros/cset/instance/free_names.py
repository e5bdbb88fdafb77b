# SPDX-License-Identifier: Apache-2.0
"""Unique names for new elements: the wanted name, with a number if it is taken."""

from fcp_ros.cset.instance.builder import InstanceBuilder


class FreeNames:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Take `wanted` if it is free, else ``wanted_2``, ``wanted_3``, ..."""
        name = wanted
        number = self._counts.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._counts[wanted] = number
        self._taken.add(name)
        return name


def find_free_name(builder: InstanceBuilder, wanted: str) -> str:
    """Find a name that no element has: `wanted`, else that with a number, in logarithmic time."""
    if not builder.has(wanted):
        return wanted
    taken, free = 1, 2
    while builder.has(f"{wanted}_{free}"):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if builder.has(f"{wanted}_{middle}"):
            taken = middle
        else:
            free = middle
    return f"{wanted}_{free}"
