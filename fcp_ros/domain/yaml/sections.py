# SPDX-License-Identifier: Apache-2.0
"""All sections of a domain file: their shape is checked by pydantic, then each is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.model import Domain
from fcp_ros.domain.scene_names import SCENE_LAYERS, AttributeFact, SceneMapping, SceneNames
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.chunks import build_chunks
from fcp_ros.domain.yaml.entries import DomainFile
from fcp_ros.domain.yaml.graded import build_graded
from fcp_ros.domain.yaml.overrides import build_names
from fcp_ros.domain.yaml.phrase_sections import build_words
from fcp_ros.domain.yaml.relaxing_sections import build_relaxing, check_task_goals
from fcp_ros.domain.yaml.rules import build_constraints, build_resources, build_rules
from fcp_ros.domain.yaml.types import build_schema, build_vocabulary, check_type
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


_Shape = TypeVar("_Shape", bound=BaseModel)


def build_domain(data: Any, content_hash: str, report: Diagnostics) -> Domain:
    """Build a domain from the data of its file, and report every fault.

    Raises DomainError if the data has a fault.
    """
    file = check_shape(DomainFile, data, report)
    vocabulary = build_vocabulary(file)
    schema = build_schema(file, vocabulary, report)
    rules = build_rules(file, vocabulary, report)
    graded = build_graded(file, vocabulary, report)
    constraints = build_constraints(file, vocabulary, report)
    resources = build_resources(file, report)
    chunks = build_chunks(file, rules, vocabulary, report)
    mapping = build_mapping(file, vocabulary, report)
    words = build_words(file, rules, vocabulary, report)
    relaxing = build_relaxing(file, rules, vocabulary, report)
    _check_restore(file, report)
    report.raise_if_any()
    assert schema is not None, "a schema without problems is built"
    domain = Domain(
        name=file.domain,
        version=file.version,
        schema=schema,
        rules=rules,
        graded=graded,
        constraints=constraints,
        resources=resources,
        mapping=mapping,
        source=report.file,
        content_hash=content_hash,
        chunks=chunks,
        words=words,
        relaxing=relaxing,
        restore=dict(file.restore),
    )
    check_task_goals(domain, report)
    report.raise_if_any()
    return domain


def _check_restore(file: DomainFile, report: Diagnostics) -> None:
    changing = {name: one for name, one in file.relations.items() if not one.static}
    for name in file.restore:
        if name not in changing:
            known = file.relations.keys()
            message = (
                f"{name} is {'static' if name in known else 'no relation'}: nothing to restore"
            )
            report.add(("restore", name), message, suggest_name(name, changing))


def check_shape(model: type[_Shape], data: Any, report: Diagnostics) -> _Shape:
    """Check the shape of a file. Raises DomainError for every fault, with its line."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for detail in error.errors(include_url=False, include_context=False):
            _report_shape(model, detail["type"], detail["msg"], detail["loc"], data, report)
        report.raise_if_any()
        raise AssertionError("a validation error without details") from error


_FIXES = {
    "missing": "add the key",
    "string_type": "write a word or quote the value",
    "list_type": "write a list, such as [a, b]",
    "dict_type": "write a mapping, such as {key: value}",
    "model_type": "write a mapping, such as {key: value}",
    "float_type": "write a number",
    "int_type": "write a whole number",
    "bool_type": "write true or false",
}


def _report_shape(
    model: type[BaseModel], kind: str, message: str, loc: Path, data: Any, report: Diagnostics
) -> None:
    path = _find_existing(loc, data)
    here = ".".join(str(part) for part in path) or "the file"
    if kind == "extra_forbidden":
        known = _list_keys(model, path[:-1])
        report.add(path, f"unknown key {here}", suggest_name(str(path[-1]), known))
    elif kind == "missing":
        report.add(path, f"{here} has no key {loc[-1]}", _FIXES[kind])
    else:
        fix = _FIXES.get(kind, "see docs/domain.md for what may stand there")
        report.add(path, f"{here}: {message[:1].lower()}{message[1:]}", fix)


def _find_existing(loc: Path, data: Any) -> Path:
    """Return the part of a validation location that is in the document (unions add names)."""
    path: Path = ()
    for part in loc:
        keys = data if isinstance(data, dict) else range(len(data) if isinstance(data, list) else 0)
        if part in keys:
            data = data[part]
            path = (*path, part)
    return path


def _list_keys(model: Any, path: Path) -> list[str]:
    """List the keys that a shape knows at a path of the document."""
    for part in path:
        if not hasattr(model, "model_fields"):
            model = _find_model(model)
            continue
        field = model.model_fields.get(part)
        if field is None:
            return []
        model = field.annotation
    model = _find_model(model) if not hasattr(model, "model_fields") else model
    return list(model.model_fields) if hasattr(model, "model_fields") else []


def _find_model(annotation: Any) -> Any:
    """Find the model inside dict[str, Model], list[Model] or Model | float."""
    for inner in getattr(annotation, "__args__", ()):
        if hasattr(inner, "model_fields"):
            return inner
        found = _find_model(inner)
        if hasattr(found, "model_fields"):
            return found
    return annotation
