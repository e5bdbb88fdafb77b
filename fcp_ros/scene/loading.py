# SPDX-License-Identifier: Apache-2.0
"""The table of scene readers, and our own format written: `load_scene` and `save_scene`."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats import (
    ai2thor,
    armeni,
    canonical,
    concept_graphs,
    context_matters,
    hov_sg,
    omnigibson,
    procthor,
    pyrobosim,
    segments,
    taskography,
    three_dssg,
)
from fcp_ros.scene.formats.canonical import write_scene
from fcp_ros.scene.formats.scene_file import (
    YAML_SUFFIXES,
    SceneFile,
    SceneLimits,
    Syntax,
    open_scene_file,
)
from fcp_ros.scene.formats.spark_dsg import dsg_reader as spark_dsg
from fcp_ros.scene.formats.usd import usd_reader as usd
from fcp_ros.scene.formats.usd.stage import is_usd
from fcp_ros.scene.formats.validation import describe_crossing_outlines
from fcp_ros.scene.formats.worlds import habitat, mjcf, sdf
from fcp_ros.scene.graph.elements import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.complete import complete_relations
from fcp_ros.scene.relations.relation_options import DEFAULT_OPTIONS, RelationOptions


@dataclass(frozen=True)
class SceneReader:
    """The reader of one file format."""

    name: str
    description: str  # A few words about it, for messages and documents
    # Returns True if a file is of this format, by its content
    recognises: Callable[[SceneFile], bool]
    read: Callable[[SceneFile], SceneGraph]  # Turns such a file into a graph; raises SceneError
    # The parts of a scene that the format has no words for ("states such as is_open")
    lacks: tuple[str, ...] = ()
    advice: str = ""  # The remedy of a fault that names none of its own


_SPARK_LACKS = ("doors (only connections of rooms)", "states such as is_open")

_WORLDS_LACK = (
    "rooms, except models or bodies named as rooms",
    "labels other than names",
    "relations (they follow from the boxes)",
)

READERS: tuple[SceneReader, ...] = (
    SceneReader(
        "canonical",
        f'canonical JSON/YAML ("format": "{canonical.FORMAT}")',
        canonical.is_canonical,
        canonical.read_canonical,
        advice="Correct these entries; docs/scene_graphs.md describes the format.",
    ),
    SceneReader(
        "house",
        "house layout JSON/YAML (rooms, doors, objects, agents, relations)",
        canonical.is_house,
        canonical.read_house,
        advice="Correct these entries; docs/scene_graphs.md describes the format.",
    ),
    SceneReader(
        "spark_dsg_json",
        "Spark-DSG JSON (Hydra)",
        spark_dsg.is_spark_json,
        spark_dsg.read_spark,
        lacks=_SPARK_LACKS,
    ),
    SceneReader(
        "spark_dsg_binary",
        "Spark-DSG binary (Hydra)",
        spark_dsg.is_spark_binary,
        spark_dsg.read_spark,
        lacks=_SPARK_LACKS,
    ),
    SceneReader(
        "usd",
        "USD stage with semantic labels (Isaac Sim): .usda, .usdc, .usdz",
        is_usd,
        usd.read_usd,
        lacks=(
            "relations (only parts of things)",
            "outlines of rooms that are no rectangles",
            "heights of rooms without walls",
        ),
    ),
    SceneReader(
        "context_matters",
        "Context Matters instances (instances.json#<id>)",
        context_matters.is_context_matters,
        context_matters.read_context_matters,
    ),
    SceneReader(
        "context_matters_house",
        "Context Matters houses (scenes_from_taskography.json#<house>)",
        context_matters.is_context_matters_houses,
        context_matters.read_context_matters_house,
        lacks=("geometry", "doors", "on and inside told apart", "agents", "states"),
    ),
    SceneReader(
        "context_matters_problem",
        "Context Matters problems (dining_setup.json#<problem>/<house>)",
        context_matters.is_context_matters_problems,
        context_matters.read_context_matters_problem,
        lacks=("places of the added objects", "geometry", "doors", "agents", "states"),
    ),
    SceneReader(
        "segments",
        "folder of segments, a PLY or PCD file for each thing (needs open3d)",
        segments.is_segments,
        segments.read_segments,
        lacks=("rooms", "doors", "agents", "states such as is_open"),
    ),
    SceneReader(
        "ai2thor",
        "AI2-THOR event metadata",
        ai2thor.is_ai2thor,
        ai2thor.read_ai2thor,
        advice="Write event.metadata again (json.dump), after ResetObjectFilter.",
        lacks=(
            "rooms, their outlines, heights and connections, where no Floor is listed",
            "doors of iTHOR scenes",
            "orientations of furniture (only the upright box around it)",
            "on and inside told apart",
        ),
    ),
    SceneReader(
        "procthor",
        "ProcTHOR house",
        procthor.is_procthor,
        procthor.read_procthor,
        advice="Write the house again as ProcTHOR has it (schema 1.0.0).",
        lacks=(
            "sizes of objects",
            "on and inside told apart",
            "heights of rooms and places of doors, where no walls are listed",
            "states of objects such as is_open, unless they were set",
        ),
    ),
    SceneReader(
        "three_dssg",
        "3DSSG objects or relationships of a scan (objects.json#<scan>), with semseg.v2.json",
        three_dssg.is_three_dssg,
        three_dssg.read_three_dssg,
        advice="Download the file again, or correct this entry.",
        lacks=("ids that are names", "rooms", "doors that join rooms", "agents"),
    ),
    SceneReader(
        "hov_sg",
        "HOV-SG folder (floors, rooms, objects)",
        hov_sg.is_hov_sg,
        hov_sg.read_hov_sg,
        advice="Save the graph again with HOV-SG, all three folders of it.",
        lacks=(
            "ids that are names",
            "heights of objects, where their vertices are outlines",
            "relations on and inside, without heights",
            "doors, and connections of rooms",
            "agents",
            "states such as is_open",
        ),
    ),
    SceneReader(
        "taskography_pddl",
        "Taskography PDDL problem",
        taskography.is_taskography,
        taskography.read_taskography,
        advice="Correct this entry, or generate the problem again.",
        lacks=("geometry", "doors", "connections of rooms (v1)"),
    ),
    SceneReader(
        "concept_graphs",
        "ConceptGraphs JSON (scene_graph.json or obj_json_<run>.json)",
        concept_graphs.is_concept_graphs,
        concept_graphs.read_concept_graphs,
        advice="Let ConceptGraphs write both files again, in one run.",
        lacks=(
            "rooms, doors and agents",
            "numbers more exact than 0.1 m (scene_graph.json) or 0.01 m (obj_json)",
            "orientations of boxes",
            "states such as is_open",
        ),
    ),
    SceneReader(
        "omnigibson",
        "OmniGibson scene JSON",
        omnigibson.is_omnigibson,
        omnigibson.read_omnigibson,
        advice="Save the scene again with OmniGibson.",
        lacks=(
            "outlines and heights of rooms",
            "the place of a box relative to its object's base link",
            "relations (they follow from the boxes)",
            "connections of rooms, except through doors listed in two rooms",
        ),
    ),
    SceneReader(
        "armeni",
        "Armeni 3D Scene Graph (.npz)",
        armeni.is_armeni,
        armeni.read_armeni,
        advice="Download the building's 3DSceneGraph_<name>.npz again.",
        lacks=(
            "doors, and connections of rooms",
            "outlines of rooms (only the upright boxes around them)",
            "orientations of things (only the upright boxes around them)",
            "states such as is_open",
            "relations (they follow from the boxes)",
            "agents",
        ),
    ),
    SceneReader(
        "pyrobosim",
        "pyrobosim world YAML (metadata beside it)",
        pyrobosim.is_pyrobosim,
        pyrobosim.read_pyrobosim,
        advice="Correct this entry of the world file.",
        lacks=(
            "labels of rooms other than their names",
            "heights of doors, and of objects as a rule",
            "on and inside told apart",
        ),
    ),
    SceneReader(
        "habitat",
        "Habitat scene_instance.json (ReplicaCAD, HSSD)",
        habitat.is_habitat,
        habitat.read_habitat,
        advice="Save the scene again with Habitat.",
        lacks=(
            "rooms and doors, where no semantic configuration lists regions",
            "walls and floors (the stage)",
            "relations (they follow from the boxes)",
        ),
    ),
    SceneReader(
        "sdf",
        "SDF world or model (Gazebo): .sdf, .world",
        sdf.is_sdf,
        sdf.read_sdf,
        advice="Check it with `gz sdf --check`, or save the world again.",
        lacks=_WORLDS_LACK,
    ),
    SceneReader(
        "mjcf",
        "MuJoCo model (MJCF; needs mujoco)",
        mjcf.is_mjcf,
        mjcf.read_mjcf,
        advice="Open it with `python -m mujoco.viewer --mjcf FILE`, or save it again.",
        lacks=_WORLDS_LACK,
    ),
    SceneReader(
        "urdf",
        "URDF, a tree of links (expand xacro first)",
        sdf.is_urdf,
        sdf.read_urdf,
        advice="Check it with `gz sdf --check`, or save the world again.",
        lacks=_WORLDS_LACK,
    ),
)


def load_scene(
    path: str | Path,
    *,
    limits: SceneLimits | None = None,
    relations: RelationOptions = DEFAULT_OPTIONS,
) -> SceneGraph:
    """Read a scene file of any supported format and complete its relations.

    ``instances.json#<id>`` names one entry of a file that holds many. Notes of the graph list
    repairs, guesses and omissions. Raises SceneError: missing, empty, unreadable, unknown, broken,
    oversized or empty scene; the message names the file, the reason and what to do.
    """
    return complete_relations(read_scene(path, limits=limits), relations)


def read_scene(path: str | Path, *, limits: SceneLimits | None = None) -> SceneGraph:
    """Read a scene file like ``load_scene``, with the file's own relations only."""
    return read_with_format(path, limits=limits)[0]


def read_with_format(
    path: str | Path, *, limits: SceneLimits | None = None
) -> tuple[SceneGraph, SceneReader]:
    """Read a scene file like ``read_scene``, and return its format as well."""
    with pause_garbage_collection():
        return _open_and_read(path, limits or SceneLimits())


def _open_and_read(path: str | Path, limits: SceneLimits) -> tuple[SceneGraph, SceneReader]:
    """Read in a function of its own, which frees the document before collection resumes."""
    file = open_scene_file(path, limits)
    reader = _find_reader(file)
    graph = _read(file, reader)
    limits.check_relations(graph.relation_count, file.name)
    return graph, reader


def _read(file: SceneFile, reader: SceneReader) -> SceneGraph:
    try:
        graph = reader.read(file)
    except SceneError as error:
        raise error.in_source(file.name, reader.advice) from None
    except MemoryError:
        raise SceneError(
            "reading it needs more memory than there is",
            source=file.name,
            advice="The file is damaged or too large: export it again.",
        ) from None
    if not graph.nodes:
        raise SceneError(
            "the scene is empty: it has no nodes",
            source=file.name,
            advice="Map or export the scene again, with at least one room or object.",
        )
    file.limits.check_nodes(len(graph.nodes), file.name)
    crossing = describe_crossing_outlines(graph.nodes.values())
    if crossing:
        graph = graph.with_added_notes(crossing)
    return graph if graph.source == file.name else graph.with_source(file.name)


def _find_reader(file: SceneFile) -> SceneReader:
    for reader in READERS:
        if reader.recognises(file):
            return reader
    for is_known, what, advice in _NO_SCENES:
        if is_known(file):
            raise SceneError(f"it is {what}", source=file.name, advice=advice)
    known = "; ".join(reader.description for reader in READERS)
    reason = f"the format is unknown ({file.problem or _describe_content(file)})"
    raise SceneError(reason, source=file.name, advice=f"Supported are: {known}.")


_MESH = "a mesh without the names and places of things"
_USE_A_MESH = (
    "Put a mesh for each thing into a folder (PLY), or give the scene that refers to it: SDF, "
    "MJCF, USD or Habitat's scene_instance.json."
)

_NO_SCENES: tuple[tuple[Callable[[SceneFile], bool], str, str], ...] = (
    (
        lambda file: file.has_root("mujocoinclude"),
        "a part of a MuJoCo model",
        "Give the model that includes it, whose root is <mujoco>.",
    ),
    (
        lambda file: file.has_root("gazebo"),
        "a world of Gazebo before SDF 1.2",
        "Convert it with: gz sdf -p old.world > new.world.",
    ),
    (lambda file: file.has_root("COLLADA"), _MESH, _USE_A_MESH),
    (lambda file: file.content.startswith((b"glTF", b"ply\n", b"solid ")), _MESH, _USE_A_MESH),
    (
        lambda file: file.has_keys("stages", "objects") or file.has_keys("scene_instances"),
        "the list of a Habitat data set",
        "Give one of its scenes (*.scene_instance.json), with --assets and this folder.",
    ),
)
"""What looks like a scene and is none: a test, what it is, and what to give instead."""


def _describe_content(file: SceneFile) -> str:
    kind = file.syntax.value
    if file.syntax is Syntax.FOLDER:
        return (
            f"it is a folder with {list_names(sorted(path.name for path in file.path.iterdir()))}"
        )
    if file.syntax is Syntax.XML:
        return f"XML whose root is <{file.document.tag[:40]}>"
    if isinstance(file.document, dict):
        keys = ", ".join(str(key)[:40] for key in list(file.document)[:6])
        return f"{kind} with the keys {keys}" if keys else f"{kind} without any key"
    if isinstance(file.document, list):
        return f"a {kind} list of {len(file.document)}"
    return f"{kind} text that is no mapping"


def save_scene(graph: SceneGraph, path: str | Path) -> None:
    """Write a scene in the canonical format, which loses nothing: JSON or YAML, by the ending.

    An existing file is replaced; on failure it stays unchanged. Raises SceneError: the ending is
    another one, or the file cannot be written.
    """
    target = Path(path).expanduser().resolve()  # a link stays, and leads to the new file
    if target.exists() and not target.is_file():
        raise SceneError(  # a device or a folder would be replaced by the file
            "it exists and is no regular file", source=str(path), advice="Give another place."
        )
    if target.suffix.lower() not in (".json", *YAML_SUFFIXES):
        raise SceneError(
            f"the ending {target.suffix!r} names no format",
            source=str(target),
            advice=f"Scenes are written as: .json, {', '.join(YAML_SUFFIXES)}.",
        )
    try:
        with tempfile.TemporaryDirectory(prefix=".fcp_scene_", dir=target.parent) as folder:
            unfinished = Path(folder) / f"scene{target.suffix}"
            write_scene(graph, unfinished)
            with contextlib.suppress(FileNotFoundError):  # a new file gets the usual rights
                unfinished.chmod(target.stat().st_mode & 0o777)
            os.replace(unfinished, target)
    except OSError as error:
        raise SceneError(
            f"the file cannot be written ({error.strerror or error})",
            source=str(target),
            advice="Check the folder and its permissions.",
        ) from None
