# SPDX-License-Identifier: Apache-2.0
"""The bridge where it can't work: without plansys2_msgs, or without a domain."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from fcp_ros.nodes.runtime.lifecycle import NodeState


def test_without_the_messages_it_says_what_to_do(bridge, until, monkeypatch):
    monkeypatch.setattr("fcp_ros.nodes.plansys2.node.find_spec", lambda _name: None)
    node, _ = bridge()
    until(lambda: node.fault, "the reason")
    assert "the package plansys2_msgs is not installed: build and source it" in node.fault
    assert node.state is NodeState.UNCONFIGURED


@pytest.mark.skipif(
    find_spec("plansys2_msgs") is None,
    reason="plansys2_msgs isn't built (docs/plansys2.md says how)",
)
@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"model_file": ""}, "the experts need a domain: set model_file"),
        ({"model_file": "/nowhere.pddl"}, "/nowhere.pddl"),
        ({"problem_file": "/nowhere.pddl"}, "/nowhere.pddl"),
    ],
)
def test_without_its_files_it_says_which(bridge, until, parameters, sentence):
    node, _ = bridge(**parameters)
    until(lambda: node.fault, "the reason")
    assert sentence in node.fault
