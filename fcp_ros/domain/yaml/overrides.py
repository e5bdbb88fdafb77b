# SPDX-License-Identifier: Apache-2.0
"""Overrides: the names of a perception in the words of a domain, from a domain or a file of theirs.

overrides:
labels: {worktop: counter}                 # label: label or type of the domain
relations: {supports: on(2, 1)}            # the domain's second argument is the first one here
attributes: {shut: not is_open}
"""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.scene_names import (
    DOORLESS,
    NATIVE_RELATIONS,
    AttributeReading,
    RelationReading,
    SceneNames,
    parse_attribute_reading,
    parse_relation_reading,
)
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.entries import OverridesEntry
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.foundation.yaml_text import dump_yaml


def write_overrides(names: SceneNames, about: str = "") -> str:
    """Write a file of overrides. `about`: a comment in its first line."""
    readings = {
        name: [str(one) for one in given] if len(given) > 1 else str(given[0])
        for name, given in names.relations.items()
    }
    attributes = {name: str(one) for name, one in names.attributes.items()}
    lines = [f"# {about}"] if about else []
    lines.append("overrides:" if names else "overrides: {}")
    sections = (("labels", names.labels), ("relations", readings), ("attributes", attributes))
    for section, entries in sections:
        lines += [f"  {section}:"] if entries else []
        # One entry a line, and none of them broken: people edit this file.
        lines += [f"    {_write_entry(name, given)}" for name, given in sorted(entries.items())]
    return "\n".join([*lines, ""])


def _write_entry(name: str, given: str | list[str]) -> str:
    words = [_write_word(one) for one in ([given] if isinstance(given, str) else given)]
    value = words[0] if len(words) == 1 else f"[{', '.join(words)}]"
    return f"{_write_word(name)}: {value}"


def _write_word(word: str) -> str:
    """Write a word of YAML, in quotes if it needs some."""
    return dump_yaml([word], width=100_000).strip()[1:-1]


def build_names(
    entry: OverridesEntry,
    vocabulary: Vocabulary,
    labels: Mapping[str, str],  # of the domain, normalised, with their types
    path: Path,  # of the section in its file
    report: Diagnostics,
) -> SceneNames:
    """Build the readings of perceived names; report their faults."""
    found: dict[str, str] = {}
    for label, meaning in entry.labels.items():
        known = normalise_label(meaning)
        if known in labels:
            found[normalise_label(label)] = known
        elif meaning in vocabulary.parents:
            found[normalise_label(label)] = meaning
        else:
            fix = suggest_name(meaning, {*labels, *vocabulary.parents})
            message = f"{meaning} is neither a label nor a type"
            report.add((*path, "labels", label), message, fix)
    relations = {
        name: tuple(_build_readings(name, texts, vocabulary, (*path, "relations", name), report))
        for name, texts in entry.relations.items()
    }
    attributes: dict[str, AttributeReading] = {}
    for name, text in entry.attributes.items():
        reading = parse_attribute_reading(text)
        if reading is None:
            message = f"{text} is no reading of the attribute {name}"
            report.add((*path, "attributes", name), message, "write is_open or not is_open")
        else:
            attributes[name] = reading
    return SceneNames(found, relations, attributes)


def _build_readings(
    name: str, texts: str | list[str], vocabulary: Vocabulary, path: Path, report: Diagnostics
) -> list[RelationReading]:
    readings = []
    for text in [texts] if isinstance(texts, str) else texts:
        reading = parse_relation_reading(text)
        if reading is None:
            message = f"{text} is no reading of the relation {name}"
            report.add(path, message, "number its arguments from 1 on, such as on(2, 1)")
            continue
        parameters = vocabulary.relations.get(reading.name)
        known = {**NATIVE_RELATIONS, **{one: len(p) for one, p in vocabulary.relations.items()}}
        if reading.name not in known:
            message = f"unknown relation {reading.name}"
            report.add(path, message, suggest_name(reading.name, known))
        elif not _has_arity(reading, known[reading.name]):
            wanted = known[reading.name] if parameters is None else len(parameters)
            message = f"{reading.name} has {wanted} arguments, not {len(reading.places)}"
            report.add(path, message, f"give {wanted} numbers in the brackets")
        else:
            readings.append(reading)
    if not readings and not texts:
        report.add(path, f"no reading of the relation {name}", "write one, such as on(2, 1)")
    return readings


def _has_arity(reading: RelationReading, arity: int) -> bool:
    given = len(reading.places)
    return given == arity or (reading.name == DOORLESS and given == arity - 1)
