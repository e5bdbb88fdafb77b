# SPDX-License-Identifier: Apache-2.0
"""The sections `labels`, `synonyms` and `scene` of a domain file: types for perceived objects."""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.domain.diagnostics import Diagnostics
from fcp_ros.domain.scene_names import SCENE_LAYERS, AttributeFact, SceneMapping, SceneNames
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.entries import DomainFile
from fcp_ros.domain.yaml.overrides import build_names
from fcp_ros.domain.yaml.types import check_type
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import suggest_name


def build_mapping(file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> SceneMapping:
    """Build the mapping from scene graphs to instances; report its faults."""
    labels = _build_labels(file, vocabulary, report)
    layers = _build_layers(file, vocabulary, report)
    scene = file.scene
    for key, type_ in (("unknown", scene.unknown), ("unknown_small", scene.unknown_small)):
        if type_ is not None:
            check_type(type_, vocabulary, ("scene", key), report, f"`{key}`")
    return SceneMapping(
        labels=labels,
        layer_types=layers,
        default_type=scene.unknown,
        small_default_type=scene.unknown_small,
        small_size=scene.small_size,
        attribute_facts=_build_attribute_facts(file, report),
        synonyms=_build_synonyms(file, labels, report),
        similar_threshold=scene.similar_labels.threshold if scene.similar_labels else None,
        names=_build_names(file, vocabulary, labels, report),
    )


def _build_names(
    file: DomainFile, vocabulary: Vocabulary, labels: Mapping[str, str], report: Diagnostics
) -> SceneNames:
    if file.scene.overrides is None:
        return SceneNames()
    path = ("scene", "overrides")
    return build_names(file.scene.overrides, vocabulary, labels, path, report)


def _build_labels(file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> dict[str, str]:
    labels: dict[str, str] = {}
    for type_, words in file.labels.items():
        check_type(type_, vocabulary, ("labels", type_), report, "a group of labels")
        for position, word in enumerate(words):
            path = ("labels", type_, position)
            label = normalise_label(word)
            if not label:
                report.add(path, f"an empty label of {type_}", "write a word")
            elif labels.setdefault(label, type_) != type_:
                message = f"the label {label} stands for {labels[label]} and for {type_}"
                report.add(path, message, "keep it under one type")
    return labels


def _build_synonyms(
    file: DomainFile, labels: Mapping[str, str], report: Diagnostics
) -> dict[str, str]:
    """Map each normalised word to the label with the same meaning."""
    synonyms: dict[str, str] = {}
    for word, meaning in file.synonyms.items():
        path = ("synonyms", word)
        normal, label = normalise_label(word), normalise_label(meaning)
        if not normal:
            report.add(path, "an empty synonym", "write a word")
        elif label not in labels:
            message = f"{word} has the meaning {meaning}, which is not a label"
            report.add(path, message, suggest_name(label, labels))
        elif normal in labels:
            message = f"{word} is a label of {labels[normal]} already"
            report.add(path, message, "remove it from `labels` or from `synonyms`")
        elif synonyms.setdefault(normal, label) != label:
            message = f"{word} means {synonyms[normal]} and {label}"
            report.add(path, message, "keep one of the two")
    return synonyms


def _build_layers(file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> dict[str, str]:
    layers: dict[str, str] = {}
    for name, type_ in file.scene.layers.items():
        path = ("scene", "layers", name)
        check_type(type_, vocabulary, path, report, f"layer {name}")
        if name in SCENE_LAYERS:
            layers[name] = type_
        else:
            report.add(path, f"unknown layer {name}", suggest_name(name, SCENE_LAYERS))
    return layers


def _build_attribute_facts(file: DomainFile, report: Diagnostics) -> tuple[AttributeFact, ...]:
    facts = []
    for position, entry in enumerate(file.scene.attribute_facts):
        path = ("scene", "attribute_facts", position)
        relation = file.relations.get(entry.relation)
        if relation is None:
            message = f"unknown relation {entry.relation}"
            report.add((*path, "relation"), message, suggest_name(entry.relation, file.relations))
        elif len(relation.legs) != 1:
            message = f"{entry.relation} has {len(relation.legs)} legs, an attribute sets only one"
            report.add((*path, "relation"), message, "name a relation with one leg")
        facts.append(AttributeFact(entry.attribute, entry.equals, entry.relation))
    return tuple(facts)
