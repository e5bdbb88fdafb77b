# SPDX-License-Identifier: Apache-2.0
"""Names for new elements: the one that is wanted where it is free, with a number otherwise."""

from fcp_ros.cset.instance.builder import InstanceBuilder


class FreeNames:
    """Hands out names, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """`wanted` where it is free, else ``wanted_2``, ``wanted_3``, ...; taken from now on."""
        name = wanted
        number = self._counts.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._counts[wanted] = number
        self._taken.add(name)
        return name


def free_name(builder: InstanceBuilder, wanted: str) -> str:
    """`wanted` where no element has it; else that with a number, found in logarithmic time."""
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
