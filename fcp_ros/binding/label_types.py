# SPDX-License-Identifier: Apache-2.0
"""The type of a domain that each node of a scene has, with a degree and a reason.

In this order: the user's choice (``overrides``), the domain's labels, its synonyms, the kind that
WordNet gives to the word (``label_kinds``), the nearest label in meaning (where a similarity is at
hand and the domain sets a threshold), and the type for unknown labels. Whoever holds something *is*
a support or container: an object that something is on or inside of, and whose type allows neither,
gets the kind of its type that does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.binding.similar_labels import LabelKinds, LabelSimilarity, NoSimilarity, vote_on_types
from fcp_ros.cset import Schema
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.foundation.labels import label_forms, normalise_label, split_names, take_name
from fcp_ros.foundation.wording import find_similar, list_names
from fcp_ros.foundation.wordnet import PACKAGE, WordNet, find_wordnet
from fcp_ros.scene.graph.elements import Layer, SceneError, SceneNode
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.graph.roles import FLOOR, PASSAGE

LAST_WORDS_DEGREE = 0.9
"""Degree of a type by last words: 119 of 136 were right (test/benchmark/test_scene_labels.py)."""
KIND_DEGREE = 0.75
"""Degree of a type by WordNet's kinds: 117 of 157 were right (the same)."""


NO_KINDS = (
    f"WordNet isn't installed ({PACKAGE} of Debian and Ubuntu), so labels that the domain doesn't "
    "know have no kind"
)


class TypeReason(str, Enum):
    """The reason for a node's type."""

    OVERRIDE = "override"
    LABEL = "label"
    LAST_WORDS = "last words"
    SYNONYM = "synonym"
    KIND = "kind"
    SIMILAR = "similar"
    LAYER = "layer"
    PASSAGE = "passage"
    HOLDER = "holder"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class TypeChoice:
    """The type of a node."""

    type: str
    # Certainty in [0, 1]: 1 for what the user, the domain or the scene's structure says,
    # ``LAST_WORDS_DEGREE`` for last words, ``KIND_DEGREE`` for a kind, the outcome of the vote
    # (``similar_labels``) for a label that is like known ones, 0 for a default. A holder has the
    # degree of the type that its label has.
    degree: float
    reason: TypeReason
    # The domain's label (or the overridden id or label) that decided; "" where none did
    matched_label: str = ""

    @property
    def is_guess(self) -> bool:
        """True if nobody stated the type, which is worth a note."""
        return self.reason in _GUESSES


_GUESSES = (
    TypeReason.KIND,
    TypeReason.SIMILAR,
    TypeReason.PASSAGE,
    TypeReason.HOLDER,
    TypeReason.DEFAULT,
)


_ADDED = (FLOOR, PASSAGE)
"""Labels of nodes that completion adds: in a domain that has no such things they take no part."""


class NodeTyper:
    """A chooser of types, node by node, with a cache by label."""

    def __init__(
        self,
        schema: Schema,
        mapping: SceneMapping,
        # Compares labels in meaning; None leaves that out. It is asked only where the mapping has a
        # threshold.
        similarity: LabelSimilarity | None = None,
        # Finds WordNet at the first unknown label; None where it isn't installed
        find_nouns: Callable[[], WordNet | None] = find_wordnet,
    ) -> None:
        self._schema = schema
        self._mapping = mapping
        self._similarity = similarity if mapping.similar_threshold is not None else None
        self._agent_type = _agent_type(schema)
        self._find_nouns = find_nouns
        self._kinds: LabelKinds | None = None
        self._by_label: dict[tuple[Layer, str], TypeChoice | None] = {}
        self._similar: dict[str, TypeChoice | None] = {}
        self._holders = _HolderTypes(schema)
        self.candidates = self._labels_of_objects()
        # The reason why labels are not compared, where they should be and can't
        self.notes: tuple[str, ...] = ()

    def learn(self, nodes: Iterable[SceneNode]) -> None:
        """Compare the unknown labels of many nodes in one batch, before single nodes are chosen."""
        labels = {node.category for node in nodes if node.layer is Layer.OBJECT}
        unknown = (label for label in labels if self._find_known(Layer.OBJECT, label) is None)
        self._compare(sorted({self.part_to_compare(label) for label in unknown}))

    def choose(
        self,
        node: SceneNode,
        passage_type: str | None = None,
        holds: Container[str] = (),
        # The choice for the node in an earlier state of the scene. What could hold something then
        # can still hold it when it is empty.
        earlier: TypeChoice | None = None,
    ) -> TypeChoice | None:
        """Choose the type of a node; None if it takes no part, like others of its layer."""
        choice = self._choose_by_label(node, passage_type)
        if choice is None or node.layer is not Layer.OBJECT:
            return choice
        if choice.reason is TypeReason.OVERRIDE or self._holders.can_hold(choice.type):
            return choice
        type_ = self._holders.find_kind(choice.type, holds)
        if type_ is None and earlier is not None and earlier.reason is TypeReason.HOLDER:
            type_ = earlier.type if self._schema.is_subtype(earlier.type, choice.type) else None
        if type_ is None:
            unknown = choice.reason is TypeReason.DEFAULT and node.category in _ADDED
            return None if unknown else choice
        return TypeChoice(type_, choice.degree, TypeReason.HOLDER, choice.matched_label)

    def _choose_by_label(self, node: SceneNode, passage_type: str | None) -> TypeChoice | None:
        override = self._find_override(node)
        if override is not None:
            return override
        known = self._find_known(node.layer, node.category)
        if known is None and node.layer is not Layer.OBJECT:
            return None
        if passage_type is not None:
            if known is not None and self._schema.is_subtype(known.type, passage_type):
                return known
            return TypeChoice(passage_type, 1.0, TypeReason.PASSAGE)
        return known or self._find_similar(node.category) or self._default(node)

    @staticmethod
    def part_to_compare(label: str) -> str:
        """Return the part of a label that is compared: of several names, the first."""
        return label_forms(label)[0]

    def _find_override(self, node: SceneNode) -> TypeChoice | None:
        overrides, names = self._mapping.overrides, self._mapping.names.labels
        if not overrides and not names:
            return None
        label = normalise_label(node.category)
        for name in (node.id, node.category, label):
            if name in overrides:
                return TypeChoice(overrides[name], 1.0, TypeReason.OVERRIDE, name)
        type_ = names.get(label)
        if type_ is not None and type_ in self._schema.types and type_ not in self._mapping.labels:
            return TypeChoice(type_, 1.0, TypeReason.OVERRIDE, label)
        return None

    def _find_known(self, layer: Layer, label: str) -> TypeChoice | None:
        """Return the domain's choice for a label in a layer; None if it has none."""
        key = (layer, label)
        if key not in self._by_label:
            self._by_label[key] = self._look_up(layer, label)
        return self._by_label[key]

    def _look_up(self, layer: Layer, label: str) -> TypeChoice | None:
        by_label = self._match_words(label) or self._find_kind(layer, label)
        if layer is Layer.OBJECT:
            return by_label
        by_layer = self._mapping.layer_types.get(layer)
        if by_layer is None:
            return None
        role = self._agent_type if layer is Layer.AGENT else None
        if by_label is not None and self._schema.is_subtype(by_label.type, role or by_layer):
            return by_label
        kinds = [one for one in self._schema.types if self._schema.is_subtype(one, by_layer)]
        if layer is Layer.AGENT and by_label is None and len(kinds) > 1:
            return TypeChoice(by_layer, 0.0, TypeReason.DEFAULT)
        return TypeChoice(by_layer, 1.0, TypeReason.LAYER)

    def _match_words(self, label: str) -> TypeChoice | None:
        found = find_known_label(label, self._mapping)
        if found is None:
            return None
        form, known = found
        # The singular form of a plural is the whole label; last words are only its end.
        whole = any(normalise_label(name).startswith(form) for name in split_names(label))
        reason = TypeReason.LABEL if whole else TypeReason.LAST_WORDS
        if form != known:
            reason = TypeReason.SYNONYM
        degree = LAST_WORDS_DEGREE if reason is TypeReason.LAST_WORDS else 1.0
        return TypeChoice(self._mapping.labels[known], degree, reason, known)

    def _find_kind(self, layer: Layer, label: str) -> TypeChoice | None:
        """Find the type of the kind that WordNet gives to a label, in a domain that has labels."""
        if layer not in (Layer.OBJECT, Layer.AGENT) or not self._mapping.labels:
            return None
        if self._kinds is None:
            nouns = self._find_nouns()
            if nouns is None:
                self.notes = (NO_KINDS,)
                return None
            agents = {k: v for k, v in self._mapping.labels.items() if self._is_agent(v)}
            self._kinds = LabelKinds(nouns, self.candidates, agents)
        found = self._kinds.find(take_name(label), is_agent=layer is Layer.AGENT)
        if found is None:
            return None
        return TypeChoice(found.type, KIND_DEGREE, TypeReason.KIND, found.label)

    def _is_agent(self, type_: str) -> bool:
        return self._agent_type is not None and self._schema.is_subtype(type_, self._agent_type)

    def _find_similar(self, label: str) -> TypeChoice | None:
        if self._similarity is None:
            return None
        words = self.part_to_compare(label)
        if words not in self._similar:
            self._compare([words])
        return self._similar.get(words)

    def _compare(self, labels: Sequence[str]) -> None:
        """Vote on the types of these labels, and remember the outcome."""
        new = [label for label in labels if label not in self._similar]
        threshold = self._mapping.similar_threshold
        if self._similarity is None or threshold is None or not new:
            return
        try:
            votes = vote_on_types(new, self.candidates, self._similarity)
        except NoSimilarity as reason:
            self._similarity = None  # not asked again: the reason stays
            reason_why = f"unknown labels are not compared with known ones: {reason}"
            self.notes = (*self.notes, reason_why)
            return
        for label, vote in zip(new, votes, strict=True):
            choice = None
            if vote is not None and vote.degree >= threshold:
                choice = TypeChoice(vote.type, vote.degree, TypeReason.SIMILAR, vote.nearest)
            self._similar[label] = choice

    def _labels_of_objects(self) -> dict[str, str]:
        """Return the labels, with their types, that are not those of rooms and agents."""
        mapping = self._mapping
        others = {type_ for type_ in (*mapping.layer_types.values(), self._agent_type) if type_}
        return {
            label: type_
            for label, type_ in mapping.labels.items()
            if not any(self._schema.is_subtype(type_, other) for other in others)
        }

    def _default(self, node: SceneNode) -> TypeChoice:
        mapping = self._mapping
        small = node.size is not None and max(node.size) <= mapping.small_size
        type_ = (mapping.small_default_type if small else None) or mapping.default_type
        return TypeChoice(type_, 0.0, TypeReason.DEFAULT)


class _HolderTypes:
    """The kinds of a schema's types that things can be on or inside of."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._legs = {
            name: legs[1][1]
            for name in ("on", "inside")
            if schema.has_relation(name) and len(legs := schema.relation(name).legs) == 2
        }
        self._kinds: dict[tuple[str, str], str | None] = {}

    def can_hold(self, type_: str) -> bool:
        """Return True if things of a type may be a support or a container."""
        return any(self._schema.is_subtype(type_, leg) for leg in self._legs.values())

    def find_kind(self, type_: str, holds: Container[str]) -> str | None:
        """Find the most general kind of a type that holds things in a given way; None without.

        Of several, the first that the domain declares; a support before a container.
        """
        for name, leg in self._legs.items():
            if name in holds:
                if (type_, name) not in self._kinds:
                    self._kinds[type_, name] = self._find_common(type_, leg)
                if self._kinds[type_, name] is not None:
                    return self._kinds[type_, name]
        return None

    def _find_common(self, one: str, other: str) -> str | None:
        is_kind = self._schema.is_subtype
        common = [type_ for type_ in self._schema.types if is_kind(type_, one)]
        common = [type_ for type_ in common if is_kind(type_, other)]
        for kind in common:
            if not any(kind != wider and is_kind(kind, wider) for wider in common):
                return kind
        return None


def find_held(graph: SceneGraph) -> Mapping[str, frozenset[str]]:
    """Find the ways (``on``, ``inside``) in which each node of a scene holds something."""
    ways: dict[str, frozenset[str]] = {}
    for name in ("on", "inside"):
        for relation in graph.relations_named(name):
            if len(relation.elements) == 2:
                holder = relation.elements[1]
                ways[holder] = ways.get(holder, frozenset()) | {name}
    return ways


def find_passage_types(graph: SceneGraph, schema: Schema) -> Mapping[str, str]:
    """Return the type that the schema asks of each node that joins two rooms, by node id."""
    if not schema.has_relation("connected"):
        return {}
    legs = schema.relation("connected").legs
    if len(legs) != 3:
        return {}
    return {
        r.elements[2]: legs[2][1]
        for r in graph.relations_named("connected")
        if len(r.elements) == 3
    }


def type_of_label(label: str, mapping: SceneMapping) -> str | None:
    """Return the type for a label: by the whole label, then by its last words; None if unknown."""
    found = find_known_label(label, mapping)
    return None if found is None else mapping.labels[found[1]]


def find_known_label(label: str, mapping: SceneMapping) -> tuple[str, str] | None:
    """Find the form of a label that a domain knows, and the domain's label for it.

    The two differ where the form is a synonym.
    """
    for form in label_forms(label):
        if form in mapping.labels:
            return form, form
        if form in mapping.synonyms:
            return form, mapping.synonyms[form]
    return None


def describe_guesses(graph: SceneGraph, choices: Mapping[str, TypeChoice]) -> list[str]:
    """Write a sentence for each label whose nodes were typed by a guess."""
    guessed: dict[tuple[str, TypeChoice], list[str]] = defaultdict(list)
    for id_, choice in choices.items():
        if choice.is_guess and id_ in graph.nodes and graph.nodes[id_].layer is not Layer.AGENT:
            guessed[graph.nodes[id_].category, choice].append(id_)
    return [_note(category, choice, ids) for (category, choice), ids in guessed.items()]


def _note(category: str, choice: TypeChoice, ids: Sequence[str]) -> str:
    taken = f"{list_names(ids)} taken as {choice.type}"
    if choice.reason is TypeReason.HOLDER:
        return f"things with the label {category!r} hold something: {taken}"
    note = f"the domain has no type for the label {category!r}: {taken}"
    if choice.reason is TypeReason.KIND:
        return f"{note}, since WordNet says that it is a kind of {choice.matched_label!r}"
    if choice.reason is not TypeReason.SIMILAR:
        return note
    return f"{note}, since it is like {choice.matched_label!r} ({choice.degree:.2f})"


def _agent_type(schema: Schema) -> str | None:
    """Return the type that may be ``at`` a room: a person is an agent, though no robot."""
    return schema.relation("at").legs[0][1] if schema.has_relation("at") else None


def with_type_overrides(
    mapping: SceneMapping, schema: Schema, texts: Iterable[str]
) -> SceneMapping:
    """Return a mapping in which the user's choices come before all else.

    Args:
        texts: ``NAME=TYPE`` each; the name is a node's id, its category as the source gives it,
            or its normalised category ("dining table"). The last of equal names counts.
    """
    overrides = dict(mapping.overrides)
    for text in texts:
        name, equals, type_ = (part.strip() for part in text.rpartition("="))
        if not (name and equals and type_):
            raise SceneError(
                f"the type override {text!r} is not of the form LABEL=TYPE or ID=TYPE",
                advice="Write for example: icebox=fridge",
            )
        if type_ not in schema.types:
            raise SceneError(
                f"the type override {text!r} names a type that the domain {schema.name} does not "
                "have",
                advice=_suggest(type_, schema.types, "Its types are listed under `types`."),
            )
        overrides[name] = type_
    return replace(mapping, overrides=overrides)


def check_overrides(graph: SceneGraph, mapping: SceneMapping) -> None:
    categories = [node.category for node in graph.nodes.values()]
    # In this order: of names that differ in case only, a suggestion takes the last.
    names = dict.fromkeys((*graph.nodes, *categories, *map(normalise_label, categories)))
    for name, type_ in mapping.overrides.items():
        if name not in names:
            raise SceneError(
                f"the type override '{name}={type_}' names neither an element nor a label of the "
                "scene",
                source=graph.source,
                advice=_suggest(name, names, "Labels are listed by: fcp scene info"),
            )


def _suggest(name: str, names: Iterable[str], otherwise: str) -> str:
    similar = find_similar(name, names)
    return otherwise if similar is None else f"Did you mean {similar}?"
