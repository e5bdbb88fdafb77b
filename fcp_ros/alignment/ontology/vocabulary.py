# SPDX-License-Identifier: Apache-2.0
"""The names that a scene uses, with what they are used of: labels, relations, attributes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.foundation.labels import normalise_label
from fcp_ros.scene.graph.elements import Layer, Provenance
from fcp_ros.scene.graph.graph import SceneGraph

MOST_ARGUMENTS = 3
"""Relations with more arguments are not compared."""
_LAYERS = (Layer.OBJECT, Layer.ROOM, Layer.AGENT)


@dataclass(frozen=True)
class SceneVocabulary:
    """The names of a scene that stand for something in a domain, or may."""

    graph: SceneGraph
    labels: Mapping[str, tuple[str, ...]]  # normalised label -> ids of its things, rooms and agents
    label_of: Mapping[str, str]
    relations: Mapping[str, tuple[tuple[str, ...], ...]]
    attributes: Mapping[str, Mapping[str, bool]]  # name of a truth value -> id -> value
    notes: tuple[str, ...] = ()  # sentences about names that are not compared

    def find_layer(self, label: str) -> Layer:
        """Return the layer that most elements with a label are in."""
        counted = Counter(self.graph.nodes[id_].layer for id_ in self.labels[label])
        return counted.most_common(1)[0][0]


def collect_names(graph: SceneGraph) -> SceneVocabulary:
    """Collect the names of a scene as its source gives it, before anything is derived."""
    labels: dict[str, list[str]] = defaultdict(list)
    attributes: dict[str, dict[str, bool]] = defaultdict(dict)
    for node in graph.nodes.values():
        if node.layer not in _LAYERS:
            continue
        labels[normalise_label(node.category)].append(node.id)
        for name, value in node.attributes.items():
            if isinstance(value, bool):
                attributes[name][node.id] = value
    relations, notes = _collect_relations(graph)
    label_of = {id_: label for label, ids in labels.items() for id_ in ids}
    return SceneVocabulary(
        graph,
        {label: tuple(ids) for label, ids in labels.items()},
        label_of,
        relations,
        dict(attributes),
        tuple(notes),
    )


def _collect_relations(
    graph: SceneGraph,
) -> tuple[dict[str, tuple[tuple[str, ...], ...]], list[str]]:
    by_name: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for relation in graph.relations:
        if relation.provenance is Provenance.GIVEN:
            by_name[relation.name].append(relation.elements)
    found, notes = {}, []
    for name, tuples in by_name.items():
        arity = Counter(map(len, tuples)).most_common(1)[0][0]
        if arity > MOST_ARGUMENTS:
            notes.append(f"{name} has {arity} arguments and was not compared")
            continue
        found[name] = tuple(one for one in tuples if len(one) == arity)
        if len(found[name]) < len(tuples):
            notes.append(f"{name} was compared with {arity} arguments only")
    return found, notes
