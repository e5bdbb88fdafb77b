# SPDX-License-Identifier: Apache-2.0
"""The parameters domain and type_overrides become a domain, or a sentence on what is wrong."""

import pytest

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.nodes.runtime.domain_parameter import load_configured_domain
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.scene import Layer, SceneGraph, SceneNode


def test_overrides_come_before_the_domain() -> None:
    domain = load_configured_domain("household", ["", "icebox=fridge", "n2=cupboard"])
    graph = SceneGraph.of([SceneNode(f"n{i}", Layer.OBJECT, "icebox") for i in (1, 2)])
    typing = scene_to_instance(graph, domain.schema, domain.mapping).typing
    assert {id_: choice.type for id_, choice in typing.items()} == {
        "n1": "fridge",
        "n2": "cupboard",
    }


def test_without_overrides_the_domain_is_as_it_is() -> None:
    plain = load_configured_domain("household")
    assert load_configured_domain("household", [""]).mapping == plain.mapping


@pytest.mark.parametrize(
    ("domain", "override", "words"),
    [
        ("household", "icebox=frigde", "type_overrides can't be used.*Did you mean fridge"),
        ("household", "icebox", "LABEL=TYPE"),
        ("no_such_domain", "", "the domain 'no_such_domain' can't be used"),
    ],
)
def test_what_is_wrong_is_said(domain: str, override: str, words: str) -> None:
    with pytest.raises(ConfigureError, match=words):
        load_configured_domain(domain, [override])
