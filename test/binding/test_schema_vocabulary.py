# SPDX-License-Identifier: Apache-2.0
"""What a domain declares is derived for it; it names the layers of scenes as scenes do."""

from dataclasses import replace

import pytest

from fcp_ros.binding.renaming import relation_options_for
from fcp_ros.cset import Relation, Schema
from fcp_ros.domain.scene_names import SCENE_LAYERS
from fcp_ros.scene import Layer, SceneError

NEAR = Relation("near", (("thing", "thing"), ("other", "thing")))


def test_nothing_is_declared(schema: Schema) -> None:
    assert relation_options_for(schema).also == frozenset()


def test_what_is_declared_is_derived(schema: Schema) -> None:
    larger = replace(schema, relations=(*schema.relations, NEAR))
    assert relation_options_for(larger).also == {"near"}


def test_other_legs_mean_something_else(schema: Schema) -> None:
    unary = Relation("near", (("thing", "thing"),))
    assert not relation_options_for(replace(schema, relations=(*schema.relations, unary))).also


def test_more_can_be_asked_for(schema: Schema) -> None:
    assert relation_options_for(schema, ["under"]).also == {"under"}
    with pytest.raises(SceneError, match="Choose among"):
        relation_options_for(schema, ["behind"])


def test_domains_and_scenes_name_the_same_layers() -> None:
    assert tuple(layer.value for layer in Layer) == SCENE_LAYERS
