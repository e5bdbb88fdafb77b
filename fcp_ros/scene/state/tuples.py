# SPDX-License-Identifier: Apache-2.0
"""Writes a scene's relations into an instance under construction, as far as the schema allows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from fcp_ros.cset import InstanceBuilder
from fcp_ros.scene.relations.draft import listed


class TupleWriter:
    """Adds tuples whose types fit and that break no functional leg; remembers the others.

    Args:
        builder: Holds the elements already.
        types: Type by element name, for the nodes that take part.
    """

    def __init__(self, builder: InstanceBuilder, types: Mapping[str, str]) -> None:
        self.types = types
        self._builder = builder
        self._schema = builder.schema
        self._arity = {relation.name: len(relation.legs) for relation in self._schema.relations}
        self._admitted: dict[tuple[str, int, str], bool] = {}
        self._keys: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._unknown: dict[str, int] = defaultdict(int)
        self._unfit: list[str] = []
        self._conflicting: list[str] = []

    def admits(self, relation: str, leg: int, element: str) -> bool:
        """Whether an element may be this leg (by position) of a relation."""
        type_ = self.types.get(element)
        if type_ is None or leg >= self._arity.get(relation, 0):
            return False
        known = self._admitted.get((relation, leg, type_))
        if known is None:
            wanted = self._schema.relation(relation).legs[leg][1]
            known = self._admitted[relation, leg, type_] = self._schema.is_subtype(type_, wanted)
        return known

    def fits(self, relation: str, elements: tuple[str, ...]) -> bool:
        """Whether the schema has the relation with legs for just these elements."""
        return self._arity.get(relation) == len(elements) and all(
            self.admits(relation, leg, name) for leg, name in enumerate(elements)
        )

    def write(self, relation: str, elements: tuple[str, ...]) -> bool:
        """Add a tuple if possible; whether it is there now."""
        if any(element not in self.types for element in elements):
            return False  # of a layer that the domain leaves out
        if relation not in self._arity:
            self._unknown[relation] += 1
            return False
        if not self.fits(relation, elements):
            self._unfit.append(_text(relation, elements))
            return False
        declared = self._schema.relation(relation)
        keys = [
            (relation, leg, element)
            for (leg, _), element in zip(declared.legs, elements, strict=True)
            if leg in declared.functional
        ]
        taken = [self._keys[key] for key in keys if self._keys.get(key, elements) != elements]
        if taken:
            ours, first = _text(relation, elements), _text(relation, taken[0])
            self._conflicting.append(f"{ours} against {first}")
            return False
        self._keys.update(dict.fromkeys(keys, elements))
        self._builder.relate(relation, *(self._builder.id_of(name) for name in elements))
        return True

    def notes(self) -> list[str]:
        """What could not be written, a sentence for each reason."""
        notes = [
            f"the domain has no relation {name!r}: {count} tuples of the scene are left out"
            for name, count in sorted(self._unknown.items())
        ]
        if self._unfit:
            notes.append(f"left out, since the domain's types do not fit: {listed(self._unfit)}")
        if self._conflicting:
            notes.append(
                f"left out, since only one can hold (the first is kept): "
                f"{listed(self._conflicting)}"
            )
        return notes


def _text(relation: str, elements: tuple[str, ...]) -> str:
    return f"{relation}({', '.join(elements)})"
