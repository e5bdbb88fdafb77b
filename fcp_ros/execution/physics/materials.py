# SPDX-License-Identifier: Apache-2.0
"""Form, mass and friction of things by their category, from config/physics.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any

from fcp_ros.execution.physics.failure import PhysicsError
from fcp_ros.foundation.labels import label_forms
from fcp_ros.foundation.yaml_text import TextError, load_yaml
from fcp_ros.package_files import config_folder
from fcp_ros.scene.graph.elements import Vector

TABLE_FILE = "physics.yaml"
LEAST_MASS = 0.005
"""Lighter things (kg) are taken to weigh this much: contacts of grams with kilograms jitter."""


class ThingForm(str, Enum):
    """The forms that boxes of a scene graph are given; config/physics.yaml describes them."""

    BOX = "box"
    CYLINDER = "cylinder"
    BALL = "ball"
    CUP = "cup"
    TUB = "tub"
    TABLE = "table"
    SEAT = "seat"
    SHELF = "shelf"
    CABINET = "cabinet"
    CHEST = "chest"
    PANEL = "panel"


OPEN_ABOVE = frozenset({ThingForm.CUP, ThingForm.TUB})
HINGED = frozenset({ThingForm.CABINET, ThingForm.CHEST})


@dataclass(frozen=True, slots=True)
class Material:
    """Physical properties of one category."""

    form: ThingForm
    size: Vector  # assumed full extents (m) where the scene graph gives none
    density: float  # kg per m3 of the box
    friction: float  # Coulomb coefficient of sliding
    moves: bool  # False for what stays where it is

    def mass(self, size: Vector) -> float:
        """Mass (kg) of a thing with these full extents (m)."""
        return max(LEAST_MASS, self.density * size[0] * size[1] * size[2])


@dataclass(frozen=True)
class MaterialTable:
    """The materials of all labels, and what is taken for others."""

    by_label: Mapping[str, Material]
    unknown: Material
    small_size: float  # m

    def find(self, category: str, size: Vector | None) -> Material:
        """Find the material of a category; one that is not listed goes by its size."""
        for form in label_forms(category):
            if form in self.by_label:
                return self.by_label[form]
        moves = size is None or max(size) <= self.small_size
        return replace(self.unknown, moves=moves)


def read_materials(path: Path | None = None) -> MaterialTable:
    """Read the table of materials; by default that of config/.

    Raises PhysicsError if it can't be read; the sentence names the entry.
    """
    return _read_file(path or config_folder() / TABLE_FILE)


@lru_cache(maxsize=4)
def _read_file(path: Path) -> MaterialTable:
    try:
        data = load_yaml(path.read_text(encoding="utf-8"))
        unknown = data["unknown"]
        small_size = float(unknown["small_size"])
        by_label: dict[str, Material] = {}
        for group in data["groups"]:
            material = _read_material({"density": unknown["density"], **group})
            for label in group["labels"]:
                if label in by_label:
                    raise PhysicsError(f"{path}: the label {label!r} is in two groups; remove one.")
                by_label[label] = material
        return MaterialTable(by_label, _read_material(unknown), small_size)
    except (OSError, TextError, KeyError, TypeError, ValueError) as error:
        raise PhysicsError(f"{path}: the table of materials can't be read: {error}.") from error


def _read_material(entry: Mapping[str, Any]) -> Material:
    x, y, z = (float(extent) for extent in entry["size"])
    return Material(
        ThingForm(entry["form"]),
        (x, y, z),
        float(entry["density"]),
        float(entry.get("friction", 0.5)),
        bool(entry.get("moves", True)),
    )
