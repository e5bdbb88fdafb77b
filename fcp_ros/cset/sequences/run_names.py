# SPDX-License-Identifier: Apache-2.0
"""Keys and names for what the parts of a composite rule have besides those of its rules."""

from itertools import count

from fcp_ros.cset.instance.free_names import FreeNames

# Far from any id, so that ids of a concrete state can be keys, too.
_FIRST = 1 << 40


class RunNames:
    """Hands out keys, names of elements, and names of variables, each once."""

    def __init__(self) -> None:
        self._keys = count(_FIRST)
        self._elements = FreeNames()
        self._variables = FreeNames()

    def key(self) -> int:
        """A key that nothing has."""
        return next(self._keys)

    def element(self, wanted: str) -> str:
        """A name for an element, `wanted` where it is free."""
        return self._elements.take(wanted)

    def variable(self, wanted: str) -> str:
        """A name for a variable, `wanted` where it is free."""
        return self._variables.take(wanted)
