# SPDX-License-Identifier: Apache-2.0
"""Reader of the Context Matters problem files (``dining_setup.json`` and the like).

A problem is no scene: it has a goal in words, names the houses in which it may be asked, and lists
which objects are added to the house, but not where (its authors draw that at random;
``instances.json`` holds what they drew). Reading ``dining_setup.json#problem_1/Allensville`` gives
that house with the added objects in no room: a planner is told that their places are not known.
The house comes from ``scenes_from_taskography.json`` beside the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel

from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.formats.context_matters.house import ADVICE, House, house_parts, houses_beside
from fcp_ros.scene.formats.identifiers import identifier
from fcp_ros.scene.formats.scene_file import SceneFile
from fcp_ros.scene.formats.validation import validated
from fcp_ros.scene.graph.elements import Layer, SceneNode
from fcp_ros.scene.graph.errors import SceneError
from fcp_ros.scene.graph.graph import SceneGraph


class _Problem(BaseModel):
    graph: list[str]
    goal: str
    objects: dict[str, list[str]]


class _Problems(BaseModel):
    problems: dict[str, _Problem]


def is_problems(file: SceneFile) -> bool:
    """Whether the document is a table of Context Matters problems."""
    problems = file.document.get("problems") if isinstance(file.document, dict) else None
    if not isinstance(problems, dict) or not problems:
        return False
    first = next(iter(problems.values()))
    return isinstance(first, dict) and {"graph", "goal", "objects"} <= first.keys()


def read_problem(file: SceneFile) -> SceneGraph:
    """The house of the problem that the fragment names, with what the problem adds to it."""
    problems = validated(_Problems, file.document, str(file.path), ADVICE).problems
    houses = houses_beside(file)
    name, _, house = file.fragment.partition("/")
    usable = [
        f"{problem}/{known}"
        for problem, entry in problems.items()
        for known in entry.graph
        if known in houses
    ]
    if f"{name}/{house}" not in usable:
        asked = f"there is no problem and house {file.fragment!r}"
        example = f", for example: {file.path}#{usable[0]}" if usable else ""
        raise SceneError(
            asked if file.fragment else f"it holds {len(problems)} problems",
            source=str(file.path),
            advice=f"Name a problem of {list_names(problems)} and one of its houses{example}.",
        )
    return _graph(problems[name], houses[house], house, file)


def _graph(problem: _Problem, house: House, name: str, file: SceneFile) -> SceneGraph:
    count = house.size + sum(len(labels) for labels in problem.objects.values())
    file.limits.check_nodes(count, file.name)
    parts = house_parts(house, name)
    added = list(_added(problem, {node.id for node in parts.nodes}))
    notes = [
        *parts.notes,
        f"the problem does not say where {list_names(node.id for node in added)} are: "
        "instances.json holds places that were drawn",
    ]
    return SceneGraph.of([*parts.nodes, *added], parts.relations, source=file.name, notes=notes)


def _added(problem: _Problem, taken: set[str]) -> Iterator[SceneNode]:
    """The added objects, numbered by label: ``fork_1``, ``fork_2``."""
    counts: Counter[str] = Counter()
    for group, labels in problem.objects.items():
        for label in labels:
            word = identifier(label)
            counts[word] += 1
            while f"{word}_{counts[word]}" in taken:
                counts[word] += 1
            id_ = f"{word}_{counts[word]}"
            taken.add(id_)
            yield SceneNode(id_, Layer.OBJECT, label, attributes={"group": group})
