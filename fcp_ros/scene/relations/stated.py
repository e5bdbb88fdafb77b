# SPDX-License-Identifier: Apache-2.0
"""What the source itself says about where things are."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.scene.graph.elements import Provenance, SceneRelation

_ITEM_LEG = {"on": 0, "inside": 0, "under": 0, "part_of": 0, "in_room": 0, "at": 0, "holding": 1}
"""Relations of two legs that say where something is, and which leg that thing is."""


class Stated:
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
        """Take up a relation; the id of the thing whose place it states, if it is of that kind."""
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
        """Forget a relation; the id of the thing whose place it stated."""
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

    def about(self, name: str, item: str) -> SceneRelation | None:
        """What counts as the place of a thing, by one kind of relation."""
        places = self._places[name].get(item)
        return places[0] if places else None

    def all_about(self, name: str, item: str) -> tuple[SceneRelation, ...]:
        """All that is stated, what counts most first."""
        return tuple(self._places[name].get(item, ()))

    def says_where(self, item: str) -> bool:
        """Whether something holds, supports or contains a thing."""
        places = self._places
        return item in places["on"] or item in places["inside"] or item in places["holding"]

    def says_nothing_of(self, *names: str) -> bool:
        """Whether nothing is stated by these kinds of relations."""
        return not any(self._places[name] for name in names)


def is_kept(relation: SceneRelation, derived: frozenset[str]) -> bool:
    """Whether completion leaves a relation as it is: it is given, or not one that is derived."""
    return relation.provenance is Provenance.GIVEN or relation.name not in derived
