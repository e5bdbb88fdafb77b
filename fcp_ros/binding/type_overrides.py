# SPDX-License-Identifier: Apache-2.0
"""The user's own choice of types, on a command line or in a parameter: LABEL=TYPE, ID=TYPE."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.cset import Schema
from fcp_ros.domain.scene_mapping import SceneMapping
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import find_similar
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph


def with_type_overrides(
    mapping: SceneMapping, schema: Schema, texts: Iterable[str]
) -> SceneMapping:
    """Return a mapping in which the user's choices come before all else.

    Args:
        mapping: The domain's mapping.
        schema: The domain's schema.
        texts: ``NAME=TYPE`` each; the name is a node's id, its category as the source gives it,
            or its normalised category ("dining table"). The last of equal names counts.

    Raises:
        SceneError: A text without ``=``, or a type that the domain does not have.
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
    """Check that each override concerns something in the scene.

    Raises:
        SceneError: An override names neither an element nor a label of the scene.
    """
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
