# SPDX-License-Identifier: Apache-2.0
"""The relations that a source gives, by the thing whose place they state."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.scene.graph.elements import Provenance, SceneRelation

_ITEM_LEG = {"on": 0, "inside": 0, "attached": 0, "under": 0, "part_of": 0}
_ITEM_LEG |= {"in_room": 0, "at": 0, "holding": 1}
"""Relations of two legs that say where a thing is, with the position of the thing's leg."""


class GivenRelations:
    """The relations that completion keeps, looked up by the thing whose place they state.

    Where a source states several places of one kind for a thing, the one with the greatest
    confidence counts, then the one whose elements come first in the alphabet: the order of a
    file means nothing.
    """

    def __init__(self, relations: Iterable[SceneRelation] = ()) -> None:
        self._places: dict[str, dict[str, list[SceneRelation]]] = {name: {} for name in _ITEM_LEG}
        for relation in relations:
            self.add(relation)

    def add(self, relation: SceneRelation) -> str | None:
        """Add a relation; return the thing whose place it states, None for other relations."""
        leg = _ITEM_LEG.get(relation.name)
        if leg is None or len(relation.elements) != 2:
            return None
        item = relation.elements[leg]
        places = self._places[relation.name].setdefault(item, [])
        places.append(relation)
        if len(places) > 1:
            places.sort(key=lambda place: (-place.confidence, place.elements))
        return item

    def discard(self, relation: SceneRelation) -> str | None:
        """Remove a relation; return the thing whose place it stated."""
        leg = _ITEM_LEG.get(relation.name)
        if leg is None or len(relation.elements) != 2:
            return None
        item = relation.elements[leg]
        table = self._places[relation.name]
        left = [place for place in table.get(item, ()) if place.elements != relation.elements]
        if left:
            table[item] = left
        else:
            table.pop(item, None)
        return item

    def find(self, name: str, item: str) -> SceneRelation | None:
        """Return the relation of this name that counts for a thing; None without one."""
        places = self._places[name].get(item)
        return places[0] if places else None

    def find_all(self, name: str, item: str) -> tuple[SceneRelation, ...]:
        """Return all relations of this name for a thing, the one that counts first."""
        return tuple(self._places[name].get(item, ()))

    def list_items(self, name: str) -> Iterable[str]:
        """Return the things whose place a relation of this name states."""
        return self._places[name]

    def has_place(self, item: str) -> bool:
        """Return True if a thing is given to be held, on or inside something."""
        places = self._places
        return item in places["on"] or item in places["inside"] or item in places["holding"]

    def is_empty(self, *names: str) -> bool:
        """Return True if no relation of these names is given."""
        return not any(self._places[name] for name in names)


def is_kept(relation: SceneRelation, derived: frozenset[str]) -> bool:
    """Return True if completion keeps a relation: it is given, or its name is not derived."""
    return relation.provenance is Provenance.GIVEN or relation.name not in derived
