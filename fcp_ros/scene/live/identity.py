# SPDX-License-Identifier: Apache-2.0
"""Whose id is whose: what a source calls an element, and what we have called it from the start."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

MOST_RETIRED = 10_000
"""Of so many elements that are gone, the names are remembered, should they come back."""


class IdentityMap:
    """Our ids for the ids of one source; those that are the same take no space.

    Attributes:
        most_retired: How many elements that are gone are remembered.
    """

    def __init__(self, most_retired: int = MOST_RETIRED) -> None:
        self._most_retired = most_retired
        self._ours: dict[str, str] = {}
        self._theirs: dict[str, str] = {}
        self._retired: OrderedDict[str, str] = OrderedDict()

    def ours(self, theirs: str) -> str | None:
        """Our id for what the source calls so; None where that name means nothing to us.

        A name that was never heard means the element that we call so, unless the source calls that
        one otherwise.
        """
        found = self._ours.get(theirs) or self._retired.get(theirs)
        if found is not None:
            return found
        return None if theirs in self._theirs else theirs

    def theirs(self, ours: str) -> str:
        """What the source calls an element of ours."""
        return self._theirs.get(ours, ours)

    def bind(self, ours: str, theirs: str) -> None:
        """From now on the source's name for our element is this."""
        self.forget(ours)
        if ours != theirs:
            self._ours[theirs] = ours
            self._theirs[ours] = theirs
        self._retired.pop(theirs, None)

    def forget(self, ours: str) -> None:
        """Our element has no name at the source any more."""
        theirs = self._theirs.pop(ours, None)
        if theirs is not None and self._ours.get(theirs) == ours:
            del self._ours[theirs]

    def retire(self, ids: Iterable[str]) -> None:
        """Elements of ours are gone; their names are remembered for a while."""
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
