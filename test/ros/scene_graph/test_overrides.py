# SPDX-License-Identifier: Apache-2.0
"""What perception says is taken in under the words of the domain: files, full updates, deltas."""

from __future__ import annotations

import json

import pytest

from fcp_ros.msg import SceneGraphUpdate
from fcp_ros.nodes.conversions.scene import SceneUpdate, graph_from_ros, update_to_ros
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.scene_graph.scene_overrides import read_overrides
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene.graph.delta import SceneDelta
from fcp_ros.scene.graph.elements import Layer, SceneNode, SceneRelation

OVERRIDES = """overrides:
  labels: {worktop: counter, faucet: sink}
  relations: {supports: "on(2, 1)", carries: "holding(1, 2)"}
  attributes: {shut: not is_open}
"""


@pytest.fixture(scope="module")
def perceiver(live, tmp_path_factory, ros_environment):
    """The node scene_graph with a perception that names things in its own way."""
    folder = tmp_path_factory.mktemp("overrides")
    (folder / "names.yaml").write_text(OVERRIDES)
    house = json.loads(find_scene("twin_house_furnished").read_text())
    for node in house["nodes"]:
        if node["category"] == "counter":
            node["category"] = "worktop"
        if "is_open" in node.get("attributes", {}):
            node["attributes"]["shut"] = not node["attributes"].pop("is_open")
    house["relations"] = [
        ["supports", *ids[::-1]] if name == "on" else [name, *ids]
        for name, *ids in house["relations"]
    ]
    (folder / "perceived.json").write_text(json.dumps(house))
    with live(
        folder,
        {"scene_graph": {"overrides": str(folder / "names.yaml")}},
        nodes=("scene_graph",),
        namespace="perceiver",
        scene=str(folder / "perceived.json"),
        offers=("get_scene_graph",),
    ) as (_, client):
        yield client


@pytest.fixture(scope="module")
def updates(perceiver, probe):
    publisher = probe.publisher(SceneGraphUpdate, "/perceiver/scene_graph_update")
    yield publisher
    probe.node.destroy_publisher(publisher)


def keys_in(client) -> set[tuple[str, tuple[str, ...]]]:
    return {relation.key for relation in graph_from_ros(client.scene()).relations}


def test_a_file_is_read_in_the_words_of_the_domain(perceiver):
    graph = graph_from_ros(perceiver.scene())
    assert graph.nodes["counter_1"].category == "counter"
    assert graph.nodes["door_1"].attributes["is_open"] is True
    assert ("on", ("apple_1", "counter_1")) in keys_in(perceiver)
    assert not graph.relations_named("supports")


def test_a_delta_is_read_in_the_words_of_the_domain(perceiver, updates, until):
    stamp = perceiver.scene().header.stamp
    carried = SceneRelation("carries", ("robot_1", "mug_1"))
    there = ("holding", ("robot_1", "mug_1"))
    updates.publish(
        update_to_ros(
            SceneUpdate(
                stamp,
                "map",
                False,
                SceneDelta(
                    0,
                    (SceneNode("tap_1", Layer.OBJECT, "faucet", parents=("kitchen_1",)),),
                    added=(carried,),
                    dropped=(SceneRelation("supports", ("table_1", "mug_1")),),
                ),
            )
        )
    )
    until(lambda: there in keys_in(perceiver), "the relation under the domain's name")
    assert ("on", ("mug_1", "table_1")) not in keys_in(perceiver)
    assert graph_from_ros(perceiver.scene()).nodes["tap_1"].category == "sink"
    updates.publish(
        update_to_ros(SceneUpdate(stamp, "map", False, SceneDelta(0, dropped=(carried,))))
    )
    until(lambda: there not in keys_in(perceiver), "that it ends")


def test_overrides_that_can_not_be_used_say_why(tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("overrides:\n  relations: {supports: over(2, 1)}\n")
    with pytest.raises(ConfigureError, match=r"wrong\.yaml"):
        read_overrides("household", str(wrong))
    with pytest.raises(ConfigureError, match="missing"):
        read_overrides("household", str(tmp_path / "missing.yaml"))
    with pytest.raises(ConfigureError, match="name one"):
        read_overrides("", str(wrong))


def test_overrides_in_the_domain_itself_count(tmp_path):
    text = find_domain("tiny").read_text()
    own = tmp_path / "own.yaml"
    own.write_text(
        text.replace(
            "unknown: item}", 'unknown: item, overrides: {relations: {under: "on(2, 1)"}}}'
        )
    )
    said = SceneDelta(0, added=(SceneRelation("under", ("den", "ball")),))
    update = SceneUpdate(None, "", False, said)
    (renamed,) = read_overrides(str(own), "").rename_update(update, {}).delta.added
    assert renamed.key == ("on", ("ball", "den"))
    assert read_overrides("tiny", "").rename_update(update, {}) is update
