# SPDX-License-Identifier: Apache-2.0
"""The table of scene readers, and ``load_scene``, which picks one by what a file holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats import canonical, hov_sg, omnigibson, segments, three_dssg
from fcp_ros.scene.formats.armeni import reader as armeni
from fcp_ros.scene.formats.concept_graphs import reader as concept_graphs
from fcp_ros.scene.formats.context_matters import house as context_matters_house
from fcp_ros.scene.formats.context_matters import instances as context_matters
from fcp_ros.scene.formats.context_matters import problems as context_matters_problems
from fcp_ros.scene.formats.pyrobosim import reader as pyrobosim
from fcp_ros.scene.formats.scene_file import SceneFile, SceneLimits, Syntax, open_scene_file
from fcp_ros.scene.formats.spark_dsg import reader as spark_dsg
from fcp_ros.scene.formats.taskography import reader as taskography
from fcp_ros.scene.formats.thor import ai2thor, procthor
from fcp_ros.scene.formats.usd import reader as usd
from fcp_ros.scene.formats.usd.stage import is_usd
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.relations.complete import complete_relations
from fcp_ros.scene.relations.options import DEFAULT_OPTIONS, RelationOptions


@dataclass(frozen=True)
class SceneReader:
    """One file format.

    Attributes:
        name: Short name of the format.
        description: What it is, for messages and documents.
        recognises: Whether a file is of this format, by its content.
        read: Turns such a file into a graph; raises SceneError.
        lacks: What the format has no words for, a phrase each ("states such as is_open").
    """

    name: str
    description: str
    recognises: Callable[[SceneFile], bool]
    read: Callable[[SceneFile], SceneGraph]
    lacks: tuple[str, ...] = ()


_SPARK_LACKS = ("doors (only which rooms are connected)", "states such as is_open")

READERS: tuple[SceneReader, ...] = (
    SceneReader(
        "canonical",
        f'canonical JSON/YAML ("format": "{canonical.FORMAT}")',
        canonical.is_canonical,
        canonical.read_canonical,
    ),
    SceneReader(
        "house",
        "house layout JSON/YAML (rooms, doors, objects, agents, relations)",
        canonical.is_house,
        canonical.read_house,
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
            "relations (only what is part of what)",
            "outlines of rooms that are no rectangles",
            "heights of rooms without walls",
        ),
    ),
    SceneReader(
        "context_matters",
        "Context Matters instances (instances.json#<id>)",
        context_matters.is_instances,
        context_matters.read_instance,
    ),
    SceneReader(
        "context_matters_house",
        "Context Matters houses (scenes_from_taskography.json#<house>)",
        context_matters_house.is_houses,
        context_matters_house.read_house_by_name,
        lacks=("geometry", "doors", "on and inside told apart", "agents", "states"),
    ),
    SceneReader(
        "context_matters_problem",
        "Context Matters problems (dining_setup.json#<problem>/<house>)",
        context_matters_problems.is_problems,
        context_matters_problems.read_problem,
        lacks=("where the added objects are", "geometry", "doors", "agents", "states"),
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
        lacks=(
            "rooms, their outlines, heights and connections, where no Floor is listed",
            "doors of iTHOR scenes",
            "how furniture is turned (only the upright box around it)",
            "on and inside told apart",
        ),
    ),
    SceneReader(
        "procthor",
        "ProcTHOR house",
        procthor.is_procthor,
        procthor.read_procthor,
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
        lacks=("ids that are names", "rooms", "doors that join rooms", "agents"),
    ),
    SceneReader(
        "hov_sg",
        "HOV-SG folder (floors, rooms, objects)",
        hov_sg.is_hov_sg,
        hov_sg.read_hov_sg,
        lacks=(
            "ids that are names",
            "heights of objects, where their vertices are outlines",
            "what lies on or in what, without heights",
            "doors, and which rooms are connected",
            "agents",
            "states such as is_open",
        ),
    ),
    SceneReader(
        "taskography_pddl",
        "Taskography PDDL problem",
        taskography.is_taskography,
        taskography.read_taskography,
        lacks=("geometry", "doors", "which rooms are connected (v1)"),
    ),
    SceneReader(
        "concept_graphs",
        "ConceptGraphs JSON (scene_graph.json or obj_json_<run>.json)",
        concept_graphs.is_concept_graphs,
        concept_graphs.read_concept_graphs,
        lacks=(
            "rooms, doors and agents",
            "numbers more exact than 0.1 m (scene_graph.json) or 0.01 m (obj_json)",
            "how boxes are turned",
            "states such as is_open",
        ),
    ),
    SceneReader(
        "omnigibson",
        "OmniGibson scene JSON",
        omnigibson.is_omnigibson,
        omnigibson.read_omnigibson,
        lacks=(
            "outlines and heights of rooms",
            "where a box is relative to its object's base link",
            "relations (they follow from the boxes)",
            "which rooms are connected, except through doors listed in two rooms",
        ),
    ),
    SceneReader(
        "armeni",
        "Armeni 3D Scene Graph (.npz)",
        armeni.is_armeni,
        armeni.read_armeni,
        lacks=(
            "doors, and which rooms are connected",
            "outlines of rooms (only the upright boxes around them)",
            "how things are turned (only the upright boxes around them)",
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
        lacks=(
            "labels of rooms other than their names",
            "heights of doors, and of objects as a rule",
            "on and inside told apart",
        ),
    ),
)


def load_scene(
    path: str | Path,
    *,
    limits: SceneLimits | None = None,
    relations: RelationOptions = DEFAULT_OPTIONS,
) -> SceneGraph:
    """Read a scene file of any supported format and complete its relations.

    Args:
        path: The file; ``instances.json#<id>`` names one entry of a file that holds many.
        limits: Refuse files beyond these (default: ``SceneLimits()``).
        relations: Which relations to derive, and how exact geometry has to be.

    Returns:
        The canonical graph, with ``complete_relations`` applied; its notes say what was
        repaired, guessed or left out.

    Raises:
        SceneError: Missing, empty, unreadable, unknown, broken, oversized or empty scene; the
            message names the file, the reason and what to do.
    """
    return complete_relations(read_scene(path, limits=limits), relations)


def read_scene(path: str | Path, *, limits: SceneLimits | None = None) -> SceneGraph:
    """Like ``load_scene``, but with the file's own relations only."""
    return read_with_format(path, limits=limits)[0]


def read_with_format(
    path: str | Path, *, limits: SceneLimits | None = None
) -> tuple[SceneGraph, SceneReader]:
    """Like ``read_scene``, with the format that the file was recognised as."""
    with pause_garbage_collection():
        return _opened_and_read(path, limits or SceneLimits())


def _opened_and_read(path: str | Path, limits: SceneLimits) -> tuple[SceneGraph, SceneReader]:
    """Apart, so that the document is gone before Python searches for cycles again."""
    file = open_scene_file(path, limits)
    reader = _reader_of(file)
    return _read(file, reader), reader


def _read(file: SceneFile, reader: SceneReader) -> SceneGraph:
    try:
        graph = reader.read(file)
    except SceneError as error:
        raise error.in_source(file.name) from None
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
    return graph if graph.source == file.name else graph.with_source(file.name)


def _reader_of(file: SceneFile) -> SceneReader:
    for reader in READERS:
        if reader.recognises(file):
            return reader
    known = "; ".join(reader.description for reader in READERS)
    reason = f"the format is not known ({file.problem or _shape(file)})"
    raise SceneError(reason, source=file.name, advice=f"Supported are: {known}.")


def _shape(file: SceneFile) -> str:
    """A few words about what the document looks like."""
    kind = file.syntax.value
    if file.syntax is Syntax.FOLDER:
        return (
            f"it is a folder with {list_names(sorted(path.name for path in file.path.iterdir()))}"
        )
    if isinstance(file.document, dict):
        keys = ", ".join(str(key)[:40] for key in list(file.document)[:6])
        return f"{kind} with the keys {keys}" if keys else f"{kind} without any key"
    if isinstance(file.document, list):
        return f"a {kind} list of {len(file.document)}"
    return f"{kind} text that is no mapping"
