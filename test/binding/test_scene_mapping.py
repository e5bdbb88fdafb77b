# SPDX-License-Identifier: Apache-2.0
"""A domain names the layers of a scene graph without importing it: the names must agree."""

from fcp_ros.domain.scene_names import SCENE_LAYERS
from fcp_ros.scene import Layer


def test_domains_and_scenes_name_the_same_layers() -> None:
    assert tuple(layer.value for layer in Layer) == SCENE_LAYERS
