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


@pytest.fixture
def changes(probe, stack):
    inbox = probe.listen(SceneGraphChange, "scene_changes")
    inbox.wait_for_publisher()
    yield inbox
    inbox.close()


@pytest.fixture
def requests(probe, stack):
    inbox = probe.listen(SceneGraphRequest, "scene_graph_request")
    inbox.wait_for_publisher()
    yield inbox
    inbox.close()
