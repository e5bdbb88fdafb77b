# SPDX-License-Identifier: Apache-2.0
"""Changes: how two successive states differ, by the ids that both share."""

from dataclasses import dataclass

ChangedTuple = tuple[str, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """The net difference between an instance and the one that a builder made from it.

    Attributes:
        created: ids of new elements.
        deleted: ids of elements that are gone.
        added: (relation, id, legs) of new tuples.
        removed: (relation, id, legs) of tuples that are gone.
        functions: (function, element) where a function has a new value; at created elements, too.
        attributes: (attribute, element or tuple) where an attribute was set, changed or unset; not
            where the element or tuple is gone.

    Everything is by ascending id. A tuple of which a merge changed an element is both removed and
    added, with one id.
    """

    created: tuple[int, ...] = ()
    deleted: tuple[int, ...] = ()
    added: tuple[ChangedTuple, ...] = ()
    removed: tuple[ChangedTuple, ...] = ()
    functions: tuple[tuple[str, int], ...] = ()
    attributes: tuple[tuple[str, int], ...] = ()

    def __bool__(self) -> bool:
        elements = self.created or self.deleted
        return bool(elements or self.added or self.removed or self.functions or self.attributes)
