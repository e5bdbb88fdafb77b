# SPDX-License-Identifier: Apache-2.0
"""Names for what limits and colimits are made of: kept where they are free, numbered otherwise."""


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
