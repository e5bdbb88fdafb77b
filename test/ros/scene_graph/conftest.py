# SPDX-License-Identifier: Apache-2.0
"""Publisher and inboxes of the scene_graph node of the stack."""

from __future__ import annotations

import pytest

from fcp_ros.msg import SceneGraph, SceneGraphChange, SceneGraphRequest, SceneGraphUpdate


@pytest.fixture(scope="module")
def updates(probe, stack):
    return probe.publisher(SceneGraphUpdate, "scene_graph_update")


@pytest.fixture
def graphs(probe, stack):
    inbox = probe.listen(SceneGraph, "scene_graph", latched=True)
    yield inbox
    inbox.close()


def listen(probe, kind, topic):
    """The messages of a topic that is published, from now on."""
    inbox = probe.listen(kind, topic)
    inbox.wait_for_publisher()
    yield inbox
    inbox.close()


@pytest.fixture
def changes(probe, stack):
    yield from listen(probe, SceneGraphChange, "scene_changes")


@pytest.fixture
def requests(probe, stack):
    yield from listen(probe, SceneGraphRequest, "scene_graph_request")
