# SPDX-License-Identifier: Apache-2.0
"""pyrobosim (5.0, without its user interface) as a world: 2D motion planning, grasps, doors.

Its own writer saves the running world, and the reader of its files makes the scene graph of that.
A step of the household domain is one of its actions, after the drive to where it can be done: its
robots pick and place only where they stand. The statuses of its results are our outcomes.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fcp_ros.execution.outcome import Outcome, OutcomeCode
from fcp_ros.planning.model.plan import PlanStep
from fcp_ros.scene.formats.scene_file import SceneLimits
from fcp_ros.scene.formats.source_graph import SOURCE_ID
from fcp_ros.scene.graph.elements import SceneError, SceneNode, SceneRelation
from fcp_ros.scene.graph.graph import SceneGraph
from fcp_ros.scene.loading import read_scene

INSTALL = "pyrobosim is not installed: pip install fcp_ros[pyrobosim]"

OUTCOMES: Mapping[str, OutcomeCode] = {
    "SUCCESS": OutcomeCode.SUCCEEDED,
    "PRECONDITION_FAILURE": OutcomeCode.PRECONDITION_FAILED,
    "PLANNING_FAILURE": OutcomeCode.PLANNING_FAILED,
    "EXECUTION_FAILURE": OutcomeCode.EXECUTION_FAILED,
    "POSTCONDITION_FAILURE": OutcomeCode.POSTCONDITION_FAILED,
    "INVALID_ACTION": OutcomeCode.INVALID_ACTION,
    "CANCELED": OutcomeCode.CANCELLED,
    "UNKNOWN": OutcomeCode.EXECUTION_FAILED,
}
"""Status of a pyrobosim result -> outcome of a step."""

LOOK_EVERY = 0.02
"""Seconds between two looks if a step was cancelled."""

_ACTIONS = {
    "navigate": "navigate",
    "pick": "pick",
    "take_out": "pick",
    "place": "place",
    "put_in": "place",
    "open": "open",
    "close": "close",
}
"""Executor of a step -> type of pyrobosim's action."""

_NAVIGATE_TO = 2
"""Position of the room among the arguments of ``navigate``; elsewhere the second argument is what
is acted on, and of ``place`` and ``put_in`` the third where it goes."""


class PyrobosimWorld:
    """A world of pyrobosim, and its robots."""

    def __init__(
        self,
        path: Path,  # World file
        *,
        seed: int = 0,
        speed: float = -1.0,  # Simulated seconds in one real second; negative: as fast as it can
    ) -> None:
        """Load a world. Raises SceneError if pyrobosim is missing, or can't load the file."""
        self._path = path
        self._speed = speed
        self._world = _load(path, seed)
        self._ids = {_name_of(node): node.id for node in self.read_scene().nodes.values()}
        self._names = {id_: name for name, id_ in self._ids.items()}

    def perform(
        self,
        step: PlanStep,
        tell: Callable[[float, str], None],
        is_cancelled: Callable[[], bool],
    ) -> Outcome:
        """Perform a step by one or two actions of pyrobosim."""
        elements = [self._names.get(value, value) for _, value in step.arguments]
        robot = self._world.get_robot_by_name(elements[0]) if elements else None
        kind = _ACTIONS.get(step.executor)
        if kind is None or robot is None:
            what = f"no robot {elements[:1]}" if kind else f"no action for {step.executor}"
            return Outcome(OutcomeCode.INVALID_ACTION, f"{step}: pyrobosim has {what}.")
        if robot.is_busy():
            return Outcome(OutcomeCode.BUSY, f"{elements[0]} is still at work.")
        actions = list(self._make_actions(kind, robot, elements))
        for number, fields in enumerate(actions):
            if is_cancelled():
                return Outcome(OutcomeCode.CANCELLED, f"{step} was cancelled.")
            tell(number / len(actions), f"{fields['type']} {fields.get('target_location') or ''}")
            status, message = self._act(robot, fields, is_cancelled)
            code = OUTCOMES.get(status, OutcomeCode.EXECUTION_FAILED)
            if code is not OutcomeCode.SUCCEEDED:
                return Outcome(code, f"{step}: {message or status}")
        return Outcome(OutcomeCode.SUCCEEDED)

    def read_scene(self) -> SceneGraph:
        """Save the running world, and read it."""
        document, held = self._write()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "world.yaml"
            file.write_text(document)
            limits = SceneLimits(asset_folders=(self._path.parent, _find_data()))
            graph = read_scene(file, limits=limits)
        return _hold(graph, held).with_source("pyrobosim")

    def close(self) -> None:
        self._world.shutdown()

    def _make_actions(
        self, kind: str, robot: Any, elements: list[str]
    ) -> Iterator[dict[str, str | None]]:
        """Yield the fields of the actions: first the drive, where the step needs one."""
        if kind == "navigate":
            yield {"type": kind, "target_location": elements[_NAVIGATE_TO]}
            return
        target = elements[1]
        if kind == "pick":
            thing = self._world.get_object_by_name(elements[1])
            target = thing.parent.name if thing is not None and thing.parent else elements[2]
        elif kind == "place":
            target = elements[2]
        if not _stands_at(robot, target):
            yield {"type": "navigate", "target_location": target}
        yield {
            "type": kind,
            "object": elements[1] if kind in ("pick", "place") else None,
            "target_location": target,
        }

    def _act(
        self, robot: Any, fields: dict[str, str | None], is_cancelled: Callable[[], bool]
    ) -> tuple[str, str]:
        """Execute an action in a thread of its own; return status and message."""
        from pyrobosim.planning.actions import TaskAction

        results: list[Any] = []
        action = TaskAction(robot=robot.name, **fields)
        acting = threading.Thread(
            target=lambda: results.append(robot.execute_action(action, self._speed)), daemon=True
        )
        acting.start()
        is_told = False
        while acting.is_alive():
            acting.join(LOOK_EVERY)
            if not is_told and is_cancelled():
                is_told = True
                threading.Thread(target=robot.cancel_actions, daemon=True).start()
        if not results:
            return "UNKNOWN", "pyrobosim failed inside, and its log says how"
        return results[0].status.name, results[0].message or ""

    def _write(self) -> tuple[str, dict[str, str]]:
        """Write the world as YAML; return it, and robot -> held object, which a file can't tell."""
        import yaml
        from pyrobosim.core.yaml_utils import WorldYamlWriter

        document = WorldYamlWriter().to_dict(self._world)
        held = {
            robot.name: robot.manipulated_object.name
            for robot in self._world.robots
            if robot.manipulated_object is not None
        }
        heights = {
            thing.name: getattr(thing.parent, "height", 0.0) for thing in self._world.objects
        }
        for entry in document.get("objects", ()):
            if entry["name"] in held.values():
                entry.pop("parent", None)
            else:  # in memory z is above the floor, and in a file above the surface
                entry["pose"]["position"]["z"] -= heights[entry["name"]]
        halls = {hall.name: hall.room_start.name for hall in self._world.hallways}
        for entry in document.get("robots", ()):  # in a doorway it is in the room before it
            entry["location"] = halls.get(entry.get("location"), entry.get("location"))
        return yaml.safe_dump(document, sort_keys=False), held


def _hold(graph: SceneGraph, held: Mapping[str, str]) -> SceneGraph:
    """Put what robots hold into their hands."""
    ids = {_name_of(node): node.id for node in graph.nodes.values()}
    nodes = dict(graph.nodes)
    relations = list(graph.relations)
    for robot, item in held.items():
        holder, thing = nodes[ids[robot]], nodes[ids[item]]
        nodes[thing.id] = replace(thing, pose=holder.pose, parents=())
        relations.append(SceneRelation("holding", (holder.id, thing.id)))
    return replace(graph, nodes=nodes, relations=tuple(relations)) if held else graph


def _name_of(node: SceneNode) -> str:
    return str(node.attributes.get(SOURCE_ID, node.id))


def _stands_at(robot: Any, target: str) -> bool:
    """Return True if a robot is at a location, one of its surfaces, or a hallway."""
    where = robot.location
    parent = getattr(where, "parent", None)
    return target in (getattr(where, "name", ""), getattr(parent, "name", ""))


def _find_data() -> Path:
    from pyrobosim.utils.general import get_data_folder

    return Path(get_data_folder())


def _load(path: Path, seed: int) -> Any:
    try:
        import numpy as np
        from pyrobosim.core.yaml_utils import WorldYamlLoader
    except ImportError as error:
        raise SceneError(f"it needs a package: {error}", source=str(path), advice=INSTALL) from None
    np.random.seed(seed)
    try:
        return WorldYamlLoader().from_file(path)
    except Exception as error:  # whatever a wrong file leads to there
        reason = f"pyrobosim can't load it: {type(error).__name__}: {error}"
        raise SceneError(reason, source=str(path), advice="Try it in pyrobosim itself.") from error
