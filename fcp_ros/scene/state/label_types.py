# SPDX-License-Identifier: Apache-2.0
"""Which type of a domain each node of a scene is, how sure that is, and why.

In this order: what the user says (``overrides``), the domain's labels, its synonyms, the nearest
label in meaning (where a similarity is at hand and the domain sets a threshold), and the type for
unknown labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from fcp_ros.cset import Schema
from fcp_ros.scene.graph.graph import Layer, SceneGraph, SceneNode
from fcp_ros.scene.graph.labels import label_forms, names_in, normalise_label
from fcp_ros.scene.relations.draft import listed
from fcp_ros.scene.state.mapping import SceneMapping, known_label
from fcp_ros.scene.state.similar_labels import LabelSimilarity, NoSimilarity, likely_types

LAST_WORDS_DEGREE = 0.9
"""How sure a type by last words is: 119 of 136 were right (benchmark/scene_labels.py)."""


class TypedBy(str, Enum):
    """What decided on a node's type."""

    OVERRIDE = "override"
    LABEL = "label"
    LAST_WORDS = "last words"
    SYNONYM = "synonym"
    SIMILAR = "similar"
    LAYER = "layer"
    PASSAGE = "passage"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class TypeChoice:
    """The type of a node.

    Attributes:
        type: Name of the type.
        degree: How sure it is, in [0, 1]: 1 for what the user, the domain or the scene's
            structure says, ``LAST_WORDS_DEGREE`` for last words, the outcome of the vote
            (``similar_labels``) for a label that is like known ones, 0 for a default.
        how: What decided.
        matched_label: The domain's label (or the overridden id or label) that decided; "" where
            none did.
    """

    type: str
    degree: float
    how: TypedBy
    matched_label: str = ""

    @property
    def is_guess(self) -> bool:
        """Whether nobody said so: worth a note."""
        return self.how in (TypedBy.SIMILAR, TypedBy.PASSAGE, TypedBy.DEFAULT)


class NodeTyper:
    """Chooses types, node by node; what was found for a label is remembered.

    Args:
        schema: The domain's schema.
        mapping: The domain's labels, layers and defaults, with the user's overrides.
        similarity: Compares labels in meaning; None leaves that out. It is asked only where the
            mapping has a threshold.

    Attributes:
        candidates: Labels that an object may be like, with their types.
        notes: Why labels are not compared, where they should be and can't.
    """

    def __init__(
        self, schema: Schema, mapping: SceneMapping, similarity: LabelSimilarity | None = None
    ) -> None:
        self._schema = schema
        self._mapping = mapping
        self._similarity = similarity if mapping.similar_threshold is not None else None
        self._agent_type = _agent_type(schema)
        self._by_label: dict[tuple[Layer, str], TypeChoice | None] = {}
        self._similar: dict[str, TypeChoice | None] = {}
        self.candidates = self._labels_of_objects()
        self.notes: tuple[str, ...] = ()

    def learn(self, nodes: Iterable[SceneNode]) -> None:
        """Compare the unknown labels of many nodes in one go, before they are asked for singly."""
        labels = {node.category for node in nodes if node.layer is Layer.OBJECT}
        unknown = (label for label in labels if self._known(Layer.OBJECT, label) is None)
        self._compare(sorted({self.compared(label) for label in unknown}))

    def choose(self, node: SceneNode, passage_type: str | None = None) -> TypeChoice | None:
        """The type of a node; None where nodes of its layer take no part.

        Args:
            node: A node of the scene.
            passage_type: What the node must be since it joins two rooms (see ``passage_types``).
        """
        said = self._overridden(node)
        if said is not None:
            return said
        known = self._known(node.layer, node.category)
        if known is None and node.layer is not Layer.OBJECT:
            return None
        if passage_type is not None:
            if known is not None and self._schema.is_subtype(known.type, passage_type):
                return known
            return TypeChoice(passage_type, 1.0, TypedBy.PASSAGE)
        return known or self._like(node.category) or self._default(node)

    @staticmethod
    def compared(label: str) -> str:
        """What of a label is compared with known ones: of several names, the first."""
        return next(label_forms(label))

    def _overridden(self, node: SceneNode) -> TypeChoice | None:
        overrides = self._mapping.overrides
        if not overrides:
            return None
        for name in (node.id, node.category, normalise_label(node.category)):
            if name in overrides:
                return TypeChoice(overrides[name], 1.0, TypedBy.OVERRIDE, name)
        return None

    def _known(self, layer: Layer, label: str) -> TypeChoice | None:
        """What the domain says of a label in a layer."""
        key = (layer, label)
        if key not in self._by_label:
            self._by_label[key] = self._look_up(layer, label)
        return self._by_label[key]

    def _look_up(self, layer: Layer, label: str) -> TypeChoice | None:
        by_label = self._by_words(label)
        if layer is Layer.OBJECT:
            return by_label
        by_layer = self._mapping.layer_types.get(layer)
        if by_layer is None:
            return None
        role = self._agent_type if layer is Layer.AGENT else None
        if by_label is not None and self._schema.is_subtype(by_label.type, role or by_layer):
            return by_label
        return TypeChoice(by_layer, 1.0, TypedBy.LAYER)

    def _by_words(self, label: str) -> TypeChoice | None:
        found = known_label(label, self._mapping)
        if found is None:
            return None
        form, known = found
        # A plural's form is the label all the same; the last words are fewer than the label's.
        whole = any(normalise_label(name).startswith(form) for name in names_in(label))
        how = TypedBy.LABEL if whole else TypedBy.LAST_WORDS
        if form != known:
            how = TypedBy.SYNONYM
        degree = LAST_WORDS_DEGREE if how is TypedBy.LAST_WORDS else 1.0
        return TypeChoice(self._mapping.labels[known], degree, how, known)

    def _like(self, label: str) -> TypeChoice | None:
        if self._similarity is None:
            return None
        words = self.compared(label)
        if words not in self._similar:
            self._compare([words])
        return self._similar.get(words)

    def _compare(self, labels: Sequence[str]) -> None:
        """Find what these names are like."""
        new = [label for label in labels if label not in self._similar]
        threshold = self._mapping.similar_threshold
        if self._similarity is None or threshold is None or not new:
            return
        try:
            found = likely_types(new, self.candidates, self._similarity)
        except NoSimilarity as reason:
            self._similarity = None  # not asked again: the reason stays
            self.notes = (f"unknown labels are not compared with known ones: {reason}",)
            return
        for label, likely in zip(new, found, strict=True):
            choice = None
            if likely is not None and likely.degree >= threshold:
                choice = TypeChoice(likely.type, likely.degree, TypedBy.SIMILAR, likely.nearest)
            self._similar[label] = choice

    def _labels_of_objects(self) -> dict[str, str]:
        """Labels that an object may be like, with their types: not those of rooms and agents."""
        mapping = self._mapping
        apart = {type_ for type_ in (*mapping.layer_types.values(), self._agent_type) if type_}
        return {
            label: type_
            for label, type_ in mapping.labels.items()
            if not any(self._schema.is_subtype(type_, other) for other in apart)
        }

    def _default(self, node: SceneNode) -> TypeChoice:
        mapping = self._mapping
        small = node.size is not None and max(node.size) <= mapping.small_size
        type_ = (mapping.small_default_type if small else None) or mapping.default_type
        return TypeChoice(type_, 0.0, TypedBy.DEFAULT)


def passage_types(graph: SceneGraph, schema: Schema) -> Mapping[str, str]:
    """What joins two rooms must be of the type that the schema asks for there; by node id."""
    if not schema.has_relation("connected"):
        return {}
    legs = schema.relation("connected").legs
    if len(legs) != 3:
        return {}
    return {r.elements[2]: legs[2][1] for r in graph.related("connected") if len(r.elements) == 3}


def typing_notes(graph: SceneGraph, choices: Mapping[str, TypeChoice]) -> list[str]:
    """A sentence for each label whose nodes were typed by a guess.

    Args:
        graph: The scene.
        choices: Choice by node id; ids that are not in the graph don't count.
    """
    guessed: dict[tuple[str, TypeChoice], list[str]] = defaultdict(list)
    for id_, choice in choices.items():
        if choice.is_guess and id_ in graph.nodes:
            guessed[graph.nodes[id_].category, choice].append(id_)
    return [_note(category, choice, ids) for (category, choice), ids in guessed.items()]


def _note(category: str, choice: TypeChoice, ids: Sequence[str]) -> str:
    taken = f"{listed(ids)} taken as {choice.type}"
    note = f"the domain has no type for the label {category!r}: {taken}"
    if choice.how is not TypedBy.SIMILAR:
        return note
    return f"{note}, since it is like {choice.matched_label!r} ({choice.degree:.2f})"


def _agent_type(schema: Schema) -> str | None:
    """What may be ``at`` a room: a person is an agent, though no kind of robot."""
    return schema.relation("at").legs[0][1] if schema.has_relation("at") else None
