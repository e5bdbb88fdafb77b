# SPDX-License-Identifier: Apache-2.0
"""Armeni 3D Scene Graphs: the archive, the pickle in it, rooms, floors, objects, and bad files."""

import io
import os
import pickle
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damaged_files import COPIES
from scene_documents import changed
from twin_house import Lacks, differences, truth_of

from fcp_ros.scene import Layer, SceneError, SceneGraph, SceneLimits, load_scene

TWIN = "armeni_npz/3DSceneGraph_TwinHouse.npz"
LACKS = Lacks(
    ids=True,
    labels={"mug": "cup", "milk": "bottle"},
    doors=True,
    turns=True,
    states=True,
    relations=frozenset({"connected"}),
)
"""Labels are COCO's; boxes are parallel to the axes; there are no doors and no states."""


def document() -> dict[str, Any]:
    """Two floors, a room and an object each."""
    return {
        "building": {"id": 0, "name": "Test", "volume": np.float64(9.0)},
        "room": {
            1: room(1, [1.0, 2.0, 3.0], [2.0, 4.0, 6.0], floor_number="A"),
            2: room(2, [1.0, 2.0, 9.0], [2.0, 4.0, 6.0], floor_number="B"),
        },
        "object": {
            1: thing(1, "sink", [1.0, 2.0, 0.5], [0.4, 0.6, 1.0], parent_room=1),
            11: thing(11, "teddy bear", [1.0, 2.0, 6.5], [0.1, 0.2, 0.3], parent_room=2),
        },
        "camera": {5: {"id": 5}},
        "panorama": {},
    }


def room(id_: int, location: list[float], size: list[float], **more: Any) -> dict[str, Any]:
    return {
        "id": id_,
        "scene_category": "kitchen",
        "location": np.array(location),
        "size": np.array(size),
        "parent_building": 0,
        **more,
    }


def thing(id_: int, label: str, location: list[float], size: list[float], **more: Any) -> Any:
    return {
        "id": id_,
        "class_": label,
        "location": np.array(location),
        "size": np.array(size),
        **more,
    }


def saved(value: Any, path: Path, name: str = "output") -> Path:
    """As the tool writes it: numpy.savez with one array of one object."""
    np.savez(path, **{name: np.array(value, dtype=object)})
    return path


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., SceneGraph]:
    def load_(value: Any, limits: SceneLimits | None = None) -> SceneGraph:
        return load_scene(saved(value, tmp_path / "3DSceneGraph_Test.npz"), limits=limits)

    return load_


def test_the_twin_house(data_dir: Path) -> None:
    graph = load_scene(data_dir / TWIN)
    assert differences(graph, truth_of(data_dir / "twin_house_expected.json"), LACKS) == []
    assert "1 cameras were left out" in graph.notes


def test_numbers_by_hand(load: Any) -> None:
    graph = load(document())
    assert [node.id for node in graph.in_layer(Layer.BUILDING)] == ["building_1"]
    assert graph.nodes["building_1"].attributes == {"name": "Test"}
    floors = {node.id: node.attributes["source_id"] for node in graph.in_layer(Layer.FLOOR)}
    assert floors == {"floor_1": "A", "floor_2": "B"}
    kitchen = graph.nodes["kitchen_2"]
    assert (kitchen.parents, kitchen.attributes) == (("floor_2",), {"source_id": 2})
    assert kitchen.pose.position == (1.0, 2.0, 9.0)
    assert kitchen.height == 6.0
    assert set(kitchen.polygon) == {(0.0, 0.0), (2.0, 0.0), (2.0, 4.0), (0.0, 4.0)}
    bear = graph.nodes["teddy_bear_11"]
    assert (bear.category, bear.size) == ("teddy bear", (0.1, 0.2, 0.3))
    assert bear.attributes == {"source_id": 11}
    rooms = {r.elements for r in graph.relations_named("in_room")}
    assert {("sink_1", "kitchen_1"), ("teddy_bear_11", "kitchen_2")} <= rooms


def test_a_file_of_its_time(tmp_path: Path) -> None:
    """Python 3.5 and its numpy: protocol 2, where bytes are text to encode, and the old names."""
    content = np.array(document(), dtype=object)
    program = pickle.dumps(content, protocol=2).replace(b"numpy._core.", b"numpy.core.")
    assert b"_codecs" in program
    header = b"{'descr': '|O', 'fortran_order': False, 'shape': (), }".ljust(117) + b"\n"
    npy = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + program
    path = tmp_path / "3DSceneGraph_Old.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("output.npy", npy)
    old, new = load_scene(path), load_scene(saved(document(), tmp_path / "new.npz"))
    assert old.nodes == new.nodes


# ---- bad files ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("object", 1, "id"), 2, "listed under 1, but its id is 2"),
        (("object", 1, "parent_room"), 9, "parent_room is 9, which is not listed"),
        (("room", 1, "parent_building"), 9, "parent_building is 9, which is not listed"),
        (("object", 1, "location"), np.array([np.nan, 0, 0]), "location"),
        (("object", 1, "location"), np.zeros((3, 3)), "location"),
        (("object", 1, "location"), np.zeros(1_000_000), "location"),
        (("object", 1, "location"), np.array([1, 2, "a"], dtype=object), "location"),
        (("object", 1, "size"), np.array([-1.0, 1.0, 1.0]), "size"),
        (("room",), {}, "parent_room is 1"),
    ],
)
def test_bad_entries_are_refused(
    load: Any, place: tuple[Any, ...], value: Any, reason: str
) -> None:
    with pytest.raises(SceneError) as refusal:
        load(changed(document(), place, value))
    assert reason in str(refusal.value)
    assert "3DSceneGraph_Test.npz" in str(refusal.value)


class Runs:
    """Pickled as a call of os.system."""

    def __init__(self, command: str) -> None:
        self._command = command

    def __reduce__(self) -> Any:
        return os.system, (self._command,)


def test_a_pickle_that_tries_to_run_code(load: Any, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    touching = changed(document(), ("object", 1, "class_"), Runs(f"touch {marker}"))
    with pytest.raises(SceneError, match="system', which is no array and could run code"):
        load(touching)
    assert not marker.exists()
    np.load(tmp_path / "3DSceneGraph_Test.npz", allow_pickle=True)["output"]
    assert marker.exists(), "numpy itself would have run it"


def test_too_many_nodes_are_refused(load: Any) -> None:
    many = dict.fromkeys(range(1000))
    with pytest.raises(SceneError, match="1002 nodes, more than the limit of 100"):
        load({**document(), "object": many}, SceneLimits(max_nodes=100))


@pytest.mark.parametrize(
    ("value", "name", "reason"),
    [
        (document(), "other", "no single output.npy"),
        ([1, 2], "output", "no array of one object"),
        ("text", "output", "holds no dict"),
    ],
)
def test_other_archives(tmp_path: Path, value: Any, name: str, reason: str) -> None:
    with pytest.raises(SceneError, match=reason):
        load_scene(saved(value, tmp_path / "other.npz", name))


def test_an_archive_of_numbers(tmp_path: Path) -> None:
    np.savez(tmp_path / "numbers.npz", output=np.zeros(3))
    with pytest.raises(SceneError, match="no array of one object"):
        load_scene(tmp_path / "numbers.npz")


def test_a_zip_bomb_is_not_inflated(tmp_path: Path) -> None:
    """64 MiB of zeros are 64 KiB in the archive."""
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("output.npy", bytes(64 * 2**20))
    assert path.stat().st_size < 2**17
    with pytest.raises(SceneError, match="would inflate to 67108864 bytes"):
        load_scene(path, limits=SceneLimits(max_bytes=2**20))


def test_a_zip_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("output.npy", bytes(64 * 2**20))
    true, lie = struct.pack("<I", 64 * 2**20), struct.pack("<I", 1000)
    path = tmp_path / "bomb.npz"
    path.write_bytes(buffer.getvalue().replace(true, lie))
    tracemalloc.start()
    try:
        with pytest.raises(SceneError, match=r"bomb\.npz"):
            load_scene(path, limits=SceneLimits(max_bytes=2**20))
        assert tracemalloc.get_traced_memory()[1] < 2**22
    finally:
        tracemalloc.stop()


def test_an_archive_of_very_many_entries(tmp_path: Path) -> None:
    path = tmp_path / "many.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(1200):
            archive.writestr(f"{number}.npy", b"")
    with pytest.raises(SceneError, match="too many entries"):
        load_scene(path)


def test_damaged_pickles_in_sound_archives(data_dir: Path, tmp_path: Path) -> None:
    """Past the check sum: the pickle itself is damaged."""
    from damaged_files import damaged, read_or_refuse

    with zipfile.ZipFile(data_dir / TWIN) as archive:
        content = archive.read("output.npy")
    path = tmp_path / "damaged.npz"
    refused = 0
    for _, broken in damaged(content, seed=15):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("output.npy", broken)
        refused += isinstance(read_or_refuse(path), SceneError)
    assert refused > 0.4 * COPIES
