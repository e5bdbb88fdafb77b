# SPDX-License-Identifier: Apache-2.0
"""The scene files that were copied here are still those of the shared data.

Only files marked own/CC0 in the shared LICENSES.md are copied. A new copy gets a line in
``data/README.md`` and in ``COPIES``.
"""

from pathlib import Path

import pytest

COPIES = {
    "twin_house_expected.json": "twin_house/expected_canonical.json",
    "twin_house_spark_v1.1.3.json": "spark_dsg/twin_house_v1.1.3.json",
    "twin_house_spark_v1.1.3.sparkdsg": "spark_dsg/twin_house_v1.1.3.sparkdsg",
    "ai2thor/twin_house_event_metadata.json": "ai2thor/twin_house_event_metadata.json",
    "procthor/twin_house_house.json": "procthor/twin_house_house.json",
    "omnigibson/twin_house_best.json": "omnigibson/twin_house_best.json",
    "conceptgraphs": "conceptgraphs",
    "usd": "usd",
    "armeni_npz/3DSceneGraph_TwinHouse.npz": "armeni_npz/3DSceneGraph_TwinHouse.npz",
    "hovsg/graph": "hovsg/graph",
    "3dssg/twin_house_objects.json": "3dssg/twin_house_objects.json",
    "3dssg/twin_house_relationships.json": "3dssg/twin_house_relationships.json",
    "3dssg/twin_house_relationships_subset.json": "3dssg/twin_house_relationships_subset.json",
    "3dssg/twin_house_semseg.v2.json": "3dssg/twin_house_semseg.v2.json",
    "pyrobosim/twin_house_world.yaml": "pyrobosim/twin_house_world.yaml",
    "pyrobosim/twin_house_location_data.yaml": "pyrobosim/twin_house_location_data.yaml",
    "pyrobosim/twin_house_object_data.yaml": "pyrobosim/twin_house_object_data.yaml",
}
"""Copy in ``data`` -> original in the shared ``bench/scenes``; folders with all they hold."""


@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_equals_the_shared_file(copy: str, data_dir: Path, shared_dir: Path) -> None:
    ours, theirs = data_dir / copy, shared_dir / "bench" / "scenes" / COPIES[copy]
    assert files_of(ours) == files_of(theirs)


def files_of(path: Path) -> dict[str, bytes]:
    """Content by relative path, of a file or of all files below a folder."""
    if path.is_file():
        return {"": path.read_bytes()}
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file()
    }
