# SPDX-License-Identifier: Apache-2.0
"""The overrides that a scene_graph node has by its parameters; domains are read for them only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fcp_ros.foundation.bounded_file import FileError, read_text
from fcp_ros.msg import Synonym
from fcp_ros.nodes.conversions.scene import SceneUpdate
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.package_files import find_domain
from fcp_ros.scene.graph.delta import SceneDelta, apply_delta
from fcp_ros.scene.graph.elements import SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph

# --- names of perception in the words of the domain, as somebody confirmed ---
#
# The executive publishes pairs of names of relations on ``name_proposals``; only those that are
# kept count.


@dataclass(frozen=True)
class RelationNames:
    """The names under which relations are taken in."""

    # name of perception -> the domain's name, and for each argument of that the argument of
    # perception's relation that it is
    names: Mapping[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)

    def rename(self, relations: Iterable[SceneRelation]) -> tuple[SceneRelation, ...]:
        """Return relations under their new names; one of another arity stays as it is."""
        return tuple(map(self._rename, relations))

    def _rename(self, relation: SceneRelation) -> SceneRelation:
        found = self.names.get(relation.name)
        if found is None or len(found[1]) != len(relation.elements):
            return relation
        name, places = found
        return replace(
            relation, name=name, elements=tuple(relation.elements[place] for place in places)
        )

    def rename_update(self, update: SceneUpdate) -> SceneUpdate:
        if not self.names:
            return update
        added, dropped = self.rename(update.delta.added), self.rename(update.delta.dropped)
        return replace(update, delta=replace(update.delta, added=added, dropped=dropped))

    def rename_graph(self, graph: SceneGraph) -> SceneGraph:
        delta = self.make_delta(graph)
        if delta is None:
            return graph
        after = apply_delta(graph, replace(delta, sequence=graph.sequence + 1))
        return after.with_sequence(graph.sequence)

    def make_delta(self, graph: SceneGraph | None) -> SceneDelta | None:
        """Return the change that renames the relations of a graph; None if there is none."""
        if graph is None:
            return None
        old = [one for name in self.names for one in graph.relations_named(name)]
        pairs = [(one, self._rename(one)) for one in old]
        renamed = [(one, new) for one, new in pairs if new != one]
        if not renamed:
            return None
        added = {new.key: new for _, new in renamed}
        return SceneDelta(0, dropped=tuple(one for one, _ in renamed), added=tuple(added.values()))


def names_from_ros(message: Any) -> RelationNames:
    return RelationNames(
        {
            one.source: (one.target, tuple(int(place) for place in one.places))
            for one in message.synonyms
            if one.standing == Synonym.KEPT and sorted(one.places) == list(range(len(one.places)))
        }
    )


# --- the overrides that a scene_graph node has by its parameters ---


class SceneOverrides:
    """Brings what perception says into the words of a domain; without one, leaves it as it is.

    Most domains have no overrides, and importing what reads a domain takes 0.3 s of a start.
    """

    def __init__(self, domain: Any = None) -> None:
        self._domain = domain

    def rename_update(self, update: SceneUpdate, known: Mapping[str, SceneNode]) -> SceneUpdate:
        if self._domain is None:
            return update
        from fcp_ros.binding.renaming import rename_parts

        schema, mapping, said = self._domain.schema, self._domain.mapping, update.delta
        nodes, added = rename_parts(said.upserted, said.added, known, schema, mapping)
        _, dropped = rename_parts(said.upserted, said.dropped, known, schema, mapping)
        return replace(update, delta=replace(said, upserted=nodes, added=added, dropped=dropped))

    def rename_graph(self, graph: SceneGraph) -> SceneGraph:
        """Return a graph in the words of the domain.

        Raises SceneError if read so, something would lie on or in itself.
        """
        if self._domain is None:
            return graph
        from fcp_ros.binding.renaming import rename_scene

        return rename_scene(graph, self._domain.schema, self._domain.mapping)


def read_overrides(domain: str, file: str) -> SceneOverrides:
    """Read the overrides of a domain and a file.

    `domain`: name or path of the domain; "" for none. `file`: of overrides, after those of the
    domain; "" for none. Raises ConfigureError if one of them is unusable.
    """
    if not domain:
        if file:
            raise ConfigureError("the overrides can't be used without a domain: name one")
        return SceneOverrides()
    try:
        if not file and "overrides:" not in read_text(find_domain(domain)):
            return SceneOverrides()
    except FileError as error:
        raise ConfigureError(f"the overrides can't be used: {error}") from error
    from fcp_ros.domain import load_overrides
    from fcp_ros.domain.diagnostics import DomainError
    from fcp_ros.nodes.runtime.domain_parameter import load_configured_domain

    read = load_configured_domain(domain)
    try:
        return SceneOverrides(load_overrides(Path(file).expanduser(), read) if file else read)
    except (DomainError, OSError, UnicodeDecodeError) as error:
        raise ConfigureError(f"the overrides can't be used: {error}") from error
