# SPDX-License-Identifier: Apache-2.0
"""Boxes of a scene graph as solids: tops on legs, boards, hollow cups, cabinets with a front.

All in the frame of the box, whose origin is its centre. Forms with a front are built with it at +x
and then turned by quarters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from fcp_ros.execution.physics.materials import ThingForm
from fcp_ros.scene.graph.elements import Vector

WALL = 0.02  # Thickness (m) of the walls and boards of furniture
THIN = 0.005  # of cups and boxes, at most an eighth of their width
LEG = 0.05  # Width (m) of the legs of a table
SHALLOW = 0.05  # Depth (m) up to which a thing is on a plate or tray, and not in it
FACETS = 8  # Walls around a cup
SEAT_HEIGHT = 0.5  # of a seat, as a share of its box
BOARD_SPACING = 0.42  # Height (m) between the boards of shelves and cabinets
OPEN_ANGLE = 1.75  # rad, of a front or lid that is open
HANDLE_HEIGHTS = (0.35, 1.2)  # Heights (m) above the floor at which a handle is put


@dataclass(frozen=True, slots=True)
class Solid:
    """A box, an upright cylinder (half: radius, radius, half height), or a ball."""

    kind: str
    centre: Vector
    half: Vector
    yaw: float = 0.0  # rad
    collides: bool = True


@dataclass(frozen=True, slots=True)
class Shelf:
    """A level rectangle that things can stand on."""

    x: float  # of its middle (m)
    y: float
    z: float
    half_x: float
    half_y: float
    headroom: float = math.inf  # height (m) up to the next board, or to the rim around it
    is_inside: bool = False  # what stands there is inside the thing, not on it
    from_above: bool = True  # False if things come and go by the front only


@dataclass(frozen=True, slots=True)
class Hinge:
    """A leaf that turns about an axis: a door, the front of a cabinet, a lid."""

    origin: Vector  # a point of the axis (m)
    axis: Vector
    leaf: tuple[Solid, ...]  # in a frame at `origin`, closed
    handle: Vector  # in the same frame
    angle: float = OPEN_ANGLE  # of the open leaf (rad), positive about `axis`


@dataclass(frozen=True, slots=True)
class SolidShape:
    """The solids of a thing, the places on it, and its hinge."""

    solids: tuple[Solid, ...]
    shelves: tuple[Shelf, ...] = ()
    hinge: Hinge | None = None
    front: int = 0  # quarters from +x to the side from which its boards are reached


def build_shape(
    form: ThingForm, size: Vector, front: int, bottom: float, seat: float | None
) -> SolidShape:
    """Build the shape of a box with these full extents (m).

    Args:
        front: quarters by which the front is turned from +x about z.
        bottom: height (m) of the underside above the floor, for the height of handles.
        seat: height (m) of a seat above its underside, where it is known from what lies on it.
    """
    x, y, z = size if front % 2 == 0 else (size[1], size[0], size[2])
    half = (x / 2.0, y / 2.0, z / 2.0)
    if form is ThingForm.SEAT:
        shape = _build_seat(half, SEAT_HEIGHT * z if seat is None else seat)
    elif form is ThingForm.CABINET:
        shape = _build_cabinet(half, bottom)
    else:
        shape = _BUILDERS[form](half)
    return turn_shape(shape, front)


def _build_box(half: Vector) -> SolidShape:
    return SolidShape((Solid("box", (0.0, 0.0, 0.0), half),), (_top(half),))


def _build_cylinder(half: Vector) -> SolidShape:
    radius = min(half[0], half[1])
    return SolidShape(
        (Solid("cylinder", (0.0, 0.0, 0.0), (radius, radius, half[2])),), (_top(half),)
    )


def _build_ball(half: Vector) -> SolidShape:
    radius = min(half)
    return SolidShape((Solid("sphere", (0.0, 0.0, radius - half[2]), (radius, radius, radius)),))


def _build_panel(half: Vector) -> SolidShape:
    return SolidShape((Solid("box", (0.0, 0.0, 0.0), half, collides=False),))


def _build_cup(half: Vector) -> SolidShape:
    radius, height = min(half[0], half[1]), half[2]
    thick = min(THIN, radius / 4.0)
    bottom = Solid("cylinder", (0.0, 0.0, thick / 2.0 - height), (radius, radius, thick / 2.0))
    wide = (radius - thick / 2.0) * math.tan(math.pi / FACETS)
    walls = []
    for number in range(FACETS):
        angle = 2.0 * math.pi * number / FACETS
        centre = (
            (radius - thick / 2.0) * math.cos(angle),
            (radius - thick / 2.0) * math.sin(angle),
            thick / 2.0,
        )
        walls.append(Solid("box", centre, (thick / 2.0, wide, height - thick / 2.0), angle))
    inner = (radius - thick) / math.sqrt(2.0)
    return SolidShape((bottom, *walls), (_hollow(half, thick, inner, inner),))


def _build_tub(half: Vector) -> SolidShape:
    x, y, z = half
    thick = min(2.0 * THIN, min(x, y) / 4.0)
    bottom = Solid("box", (0.0, 0.0, thick / 2.0 - z), (x, y, thick / 2.0))
    sides = [
        Solid(
            "box", (side * (x - thick / 2.0), 0.0, thick / 2.0), (thick / 2.0, y, z - thick / 2.0)
        )
        for side in (-1, 1)
    ] + [
        Solid(
            "box",
            (0.0, side * (y - thick / 2.0), thick / 2.0),
            (x - thick, thick / 2.0, z - thick / 2.0),
        )
        for side in (-1, 1)
    ]
    return SolidShape((bottom, *sides), (_hollow(half, thick, x - thick, y - thick),))


def _hollow(half: Vector, thick: float, x: float, y: float) -> Shelf:
    """The bottom of what is open above; on a tray or a plate things stand on it, not in it."""
    depth = 2.0 * half[2] - thick
    return Shelf(0.0, 0.0, thick - half[2], x, y, depth, is_inside=depth > SHALLOW)


def _build_table(half: Vector) -> SolidShape:
    x, y, z = half
    thick = min(2.0 * WALL, z)
    top = Solid("box", (0.0, 0.0, z - thick / 2.0), (x, y, thick / 2.0))
    leg = min(LEG, x, y) / 2.0
    legs = [
        Solid(
            "box",
            (side * (x - leg), other * (y - leg), -thick / 2.0),
            (leg, leg, z - thick / 2.0),
        )
        for side in (-1, 1)
        for other in (-1, 1)
    ]
    return SolidShape((top, *legs), (_top(half),))


def _build_seat(half: Vector, seat: float) -> SolidShape:
    x, y, z = half
    seat = min(max(seat, 0.2 * z), 2.0 * z)
    block = Solid("box", (0.0, 0.0, seat / 2.0 - z), (x, y, seat / 2.0))
    if seat > 1.9 * z:  # nothing is left for a back
        return SolidShape((block,), (_top(half),))
    thick = min(0.2, 0.15 * x)
    back = Solid("box", (thick / 2.0 - x, 0.0, seat / 2.0), (thick / 2.0, y, z - seat / 2.0))
    place = Shelf(thick / 2.0, 0.0, seat - z, x - thick / 2.0, y)
    return SolidShape((block, back), (place,))


def _list_boards(half: Vector) -> Iterator[tuple[Solid, float, float]]:
    """Yield each board with the height of its top and the free height above it."""
    x, y, z = half
    count = max(1, round((2.0 * z - WALL) / BOARD_SPACING))
    spacing = (2.0 * z - WALL) / count
    for number in range(count):
        low = number * spacing - z
        board = Solid("box", (0.0, 0.0, low + WALL / 2.0), (x, y, WALL / 2.0))
        yield board, low + WALL, spacing - WALL


def _build_case(half: Vector, front: float, inside: bool) -> tuple[list[Solid], list[Shelf]]:
    """Build boards, sides and a back, open at +x; `front`: where it ends (m)."""
    x, y, z = half
    depth, middle = (front + x) / 2.0, (front - x) / 2.0
    solids = [
        Solid("box", (middle, side * (y - WALL / 2.0), 0.0), (depth, WALL / 2.0, z))
        for side in (-1, 1)
    ]
    solids.append(Solid("box", (WALL / 2.0 - x, 0.0, 0.0), (WALL / 2.0, y, z)))
    solids.append(Solid("box", (middle, 0.0, z - WALL / 2.0), (depth, y, WALL / 2.0)))
    places = []
    for board, level, headroom in _list_boards((depth, y, z)):
        solids.append(replace(board, centre=(middle, 0.0, board.centre[2])))
        places.append(
            Shelf(
                middle + WALL / 2.0,
                0.0,
                level,
                depth - WALL / 2.0,
                y - WALL,
                headroom,
                inside,
                False,
            )
        )
    return solids, places


def _build_open_shelf(half: Vector) -> SolidShape:
    solids, places = _build_case(half, half[0], inside=False)
    return SolidShape(tuple(solids), (*places, _top(half)))


def _build_cabinet(half: Vector, bottom: float) -> SolidShape:
    x, y, z = half
    solids, places = _build_case(half, x - WALL, inside=True)
    low, high = (height - bottom - z for height in HANDLE_HEIGHTS)
    grip = min(max(0.0, low), high)
    grip = min(max(grip, -0.9 * z), 0.9 * z)
    width = 2.0 * y - 0.01
    leaf = Solid("box", (WALL / 2.0, width / 2.0, 0.0), (WALL / 2.0, width / 2.0, z - 0.005))
    hinge = Hinge(
        (x - WALL, -y + 0.005, 0.0), (0.0, 0.0, -1.0), (leaf,), (WALL, width - 0.05, grip)
    )
    return SolidShape(tuple(solids), (*places, _top(half)), hinge)


def _build_chest(half: Vector) -> SolidShape:
    x, y, z = half
    tub = _build_tub((x, y, z - WALL / 2.0))
    lower = tuple(
        replace(one, centre=(one.centre[0], one.centre[1], one.centre[2] - WALL / 2.0))
        for one in tub.solids
    )
    inside = replace(tub.shelves[0], z=tub.shelves[0].z - WALL / 2.0)
    lid = Solid("box", (x, 0.0, WALL / 2.0), (x, y, WALL / 2.0))
    hinge = Hinge((-x, 0.0, z - WALL), (0.0, -1.0, 0.0), (lid,), (2.0 * x, 0.0, 0.0))
    return SolidShape(lower, (inside,), hinge)


def build_door(size: Vector, direction: float) -> SolidShape:
    """Build a leaf in a doorway; its width is along the longer level side of the box.

    `direction`: +1 or -1, the side to which it opens.
    """
    width, height = max(size[0], size[1]) - 0.04, size[2]
    leaf = Solid("box", (0.0, width / 2.0, 0.0), (WALL, width / 2.0, height / 2.0))
    grip = min(0.0, 1.0 - height / 2.0)
    hinge = Hinge(
        (0.0, -width / 2.0, 0.0),
        (0.0, 0.0, -direction),
        (leaf,),
        (0.0, width - 0.08, grip),
        math.pi / 2.0,
    )
    return turn_shape(SolidShape((), (), hinge), 1 if size[0] > size[1] else 0)


def _top(half: Vector) -> Shelf:
    return Shelf(0.0, 0.0, half[2], half[0], half[1])


_BUILDERS: dict[ThingForm, Callable[[Vector], SolidShape]] = {
    ThingForm.BOX: _build_box,
    ThingForm.CYLINDER: _build_cylinder,
    ThingForm.BALL: _build_ball,
    ThingForm.PANEL: _build_panel,
    ThingForm.CUP: _build_cup,
    ThingForm.TUB: _build_tub,
    ThingForm.TABLE: _build_table,
    ThingForm.SHELF: _build_open_shelf,
    ThingForm.CHEST: _build_chest,
}


# --- turning ---


def turn_shape(shape: SolidShape, quarters: int) -> SolidShape:
    if quarters % 4 == 0:
        return shape
    hinge = shape.hinge
    if hinge is not None:
        hinge = Hinge(
            turn_vector(hinge.origin, quarters),
            turn_vector(hinge.axis, quarters),
            tuple(_turn_solid(one, quarters) for one in hinge.leaf),
            turn_vector(hinge.handle, quarters),
            hinge.angle,
        )
    return SolidShape(
        tuple(_turn_solid(one, quarters) for one in shape.solids),
        tuple(_turn_place(one, quarters) for one in shape.shelves),
        hinge,
        (shape.front + quarters) % 4,
    )


def turn_vector(vector: Vector, quarters: int) -> Vector:
    x, y, z = vector
    for _ in range(quarters % 4):
        x, y = -y, x
    return x, y, z


def _turn_solid(solid: Solid, quarters: int) -> Solid:
    yaw = solid.yaw + quarters * math.pi / 2.0
    return replace(solid, centre=turn_vector(solid.centre, quarters), yaw=yaw)


def _turn_place(place: Shelf, quarters: int) -> Shelf:
    x, y, _ = turn_vector((place.x, place.y, 0.0), quarters)
    halves = (place.half_x, place.half_y)[:: 1 if quarters % 2 == 0 else -1]
    return replace(place, x=x, y=y, half_x=halves[0], half_y=halves[1])
