# SPDX-License-Identifier: Apache-2.0
"""docs/scene_graphs.md stays true: its example prints what it says, its tables are complete."""

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from fcp_ros.scene import READERS, read_scene
from fcp_ros.scene.relations.relation_options import RelationOptions


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs" / "scene_graphs.md").read_text(encoding="utf-8")


def first_cells(page: str, heading: str) -> str:
    """The first column of the table that begins with this heading."""
    rows = page[page.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return "\n".join(row.split("|")[1] for row in rows)


def test_the_example_of_the_canonical_format_is_read(page: str, tmp_path: Path) -> None:
    found = re.search(r"```json\n(.*?)```", page, re.S)
    assert found
    (tmp_path / "scene.json").write_text(found[1])
    graph = read_scene(tmp_path / "scene.json")
    assert len(graph.nodes) == len(json.loads(found[1])["nodes"]) == 2


def test_every_reader_is_in_the_table(page: str) -> None:
    cells = first_cells(page, "| format | recognised by | lacks |")
    named = re.findall(r"`(\w+)`", cells)
    assert {reader.name for reader in READERS} <= set(named)


def test_every_option_of_the_relations_is_on_the_page(page: str) -> None:
    for field in fields(RelationOptions):
        assert re.search(rf"`{field.name}\b|\({field.name}=", page), field.name
