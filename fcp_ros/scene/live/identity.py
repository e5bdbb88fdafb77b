# SPDX-License-Identifier: Apache-2.0
"""The names of elements at a source, and our own ids, which stay."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

MOST_RETIRED = 10_000
"""Number of removed elements whose names are remembered, in case they come back."""


class IdentityMap:
    """Our ids for the ids of one source; equal ids take no space.

    Args:
        most_retired: Number of removed elements to remember.
    """

    def __init__(self, most_retired: int = MOST_RETIRED) -> None:
        self._most_retired = most_retired
        self._ours: dict[str, str] = {}
        self._theirs: dict[str, str] = {}
        self._retired: OrderedDict[str, str] = OrderedDict()

    def to_ours(self, theirs: str) -> str | None:
        """Return our id for a name at the source; None if the name has no meaning.

        An unknown name means the element of that id, unless that element has another name at the
        source.
        """
        found = self._ours.get(theirs) or self._retired.get(theirs)
        if found is not None:
            return found
        return None if theirs in self._theirs else theirs

    def to_theirs(self, ours: str) -> str:
        """Return the name of our element at the source."""
        return self._theirs.get(ours, ours)

    def bind(self, ours: str, theirs: str) -> None:
        """Set the name of our element at the source."""
        self.forget(ours)
        if ours != theirs:
            self._ours[theirs] = ours
            self._theirs[ours] = theirs
        self._retired.pop(theirs, None)

    def forget(self, ours: str) -> None:
        """Remove the name of our element at the source."""
        theirs = self._theirs.pop(ours, None)
        if theirs is not None and self._ours.get(theirs) == ours:
            del self._ours[theirs]

    def retire(self, ids: Iterable[str]) -> None:
        """Remove elements that are gone; their names are remembered for a while."""
        for id_ in ids:
            theirs = self._theirs.get(id_)
            self.forget(id_)
            if theirs is not None:
                self._retired[theirs] = id_
                self._retired.move_to_end(theirs)
        while len(self._retired) > self._most_retired:
            self._retired.popitem(last=False)

    def __len__(self) -> int:
        return len(self._ours) + len(self._retired)
