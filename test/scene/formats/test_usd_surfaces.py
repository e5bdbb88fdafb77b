# SPDX-License-Identifier: Apache-2.0
"""USD stages whose meshes, not boxes, say what rests on what."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.scene import SceneError, load_scene, read_scene
from fcp_ros.scene.formats.usd.usd_reader import triangulate_faces

ARMCHAIR_AND_CUSHION = """#usda 1.0
( metersPerUnit = 0.01
  upAxis = "Y" )

def Xform "World"
{
    def Xform "armchair_1" ( prepend apiSchemas = ["SemanticsLabelsAPI:class"] )
    {
        token[] semantics:labels:class = ["armchair"]
        double3 xformOp:translate = (100, 0, -200)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Cube "seat"
        {
            double size = 1
            double3 xformOp:scale = (80, 40, 80)
            double3 xformOp:translate = (0, 20, 0)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
        }
        def Mesh "back"
        {
            point3f[] points = [(-40, 40, -40), (40, 40, -40), (40, 100, -40), (-40, 100, -40),
                                (-40, 40, -30), (40, 40, -30), (40, 100, -30), (-40, 100, -30)]
            int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
            int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 2, 3, 7, 6, 1, 2, 6, 5,
                                       0, 4, 7, 3]
        }
    }
    def Cube "cushion_1" ( prepend apiSchemas = ["SemanticsLabelsAPI:class"] )
    {
        token[] semantics:labels:class = ["cushion"]
        double size = 1
        double3 xformOp:scale = (40, 10, 40)
        double3 xformOp:translate = (100, 45, -190)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    }
}
"""


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    file = tmp_path / "chair.usda"
    file.write_text(ARMCHAIR_AND_CUSHION)
    return file


def test_boxes_alone_are_less_sure_about_the_cushion(stage: Path) -> None:
    """It is in the box of the armchair, which reaches up to the top of the back."""
    graph = load_scene(stage)
    assert graph.relations_named("inside") == ()
    (found,) = [r for r in graph.relations_named("on") if r.elements[0] == "cushion_1"]
    assert found.elements == ("cushion_1", "armchair_1")
    assert found.confidence <= 0.9


def test_surfaces_know_better(stage: Path) -> None:
    pytest.importorskip("open3d", reason="Open3D, an optional extra, is not installed")
    graph = load_scene(f"{stage}#surfaces")
    assert graph.relations_named("inside") == ()
    (found,) = [r for r in graph.relations_named("on") if r.elements[0] == "cushion_1"]
    assert found.elements == ("cushion_1", "armchair_1")
    assert found.confidence == 1.0
    assert "what rests on what was measured on the surfaces of 2 objects" in graph.notes


def test_other_parts_of_a_stage_are_unknown(stage: Path) -> None:
    with pytest.raises(SceneError, match="#surfaces"):
        read_scene(f"{stage}#kitchen")


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=5))
def test_faces_become_triangles(faces: list[list[int]]) -> None:
    expected = [[face[0], face[k], face[k + 1]] for face in faces for k in range(1, len(face) - 1)]
    counts = np.array([len(face) for face in faces], dtype=np.int64)
    corners = np.array([corner for face in faces for corner in face], dtype=np.int64)
    assert triangulate_faces(counts, corners).tolist() == expected
