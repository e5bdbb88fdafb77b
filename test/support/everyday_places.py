# SPDX-License-Identifier: Apache-2.0
"""Things in a room, and the places that a person would give them, with how sure they would be.

Each case was written from what the words mean, before any code was run on it. ``CHANGED`` lists the
cases whose expectation was corrected later, and why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode

Sureness = tuple[float, float]
"""Least and greatest confidence; from 0 on, the relation may be left out."""

SURE: Sureness = (0.9, 1.0)
LIKELY: Sureness = (0.5, 1.0)
VAGUE: Sureness = (0.2, 0.5)


@dataclass(frozen=True)
class Thing:
    """A box: label (it is the id, too, unless given), centre, size (m), yaw and tilt (degrees)."""

    label: str
    at: tuple[float, float, float]
    size: tuple[float, float, float]
    yaw: float = 0.0
    tilt: float = 0.0
    id: str = ""

    @property
    def name(self) -> str:
        return self.id or self.label.replace(" ", "_")

    def to_node(self) -> SceneNode:
        """The box, tilted about its own x axis and then turned about the vertical."""
        pitch, yaw = math.radians(self.tilt) / 2, math.radians(self.yaw) / 2
        turn = (
            math.sin(pitch) * math.cos(yaw),
            math.sin(pitch) * math.sin(yaw),
            math.cos(pitch) * math.sin(yaw),
            math.cos(pitch) * math.cos(yaw),
        )
        return SceneNode(self.name, Layer.OBJECT, self.label, Pose(self.at, turn), self.size)


@dataclass(frozen=True)
class Case:
    """Things, and what is said of the places of some of them.

    Attributes:
        name: A few words.
        things: Boxes in a room of 6 m by 6 m by 2.6 m whose floor is at height 0.
        said: Sureness by relation; of relations joined by " or ", exactly one is expected.
        nowhere: Things that are on, inside and attached to nothing that is known.
    """

    name: str
    things: tuple[Thing, ...]
    said: dict[str, Sureness] = field(default_factory=dict)
    nowhere: tuple[str, ...] = ()

    def to_graph(self) -> SceneGraph:
        corners = ((0.0, 0.0), (6.0, 0.0), (6.0, 6.0), (0.0, 6.0))
        room = SceneNode(
            "room", Layer.ROOM, "room", Pose.at(3, 3, 1.3), polygon=corners, height=2.6
        )
        robot = SceneNode("robot", Layer.AGENT, "robot", Pose.at(0.5, 0.5, 0.0))
        return SceneGraph.of([room, robot, *(thing.to_node() for thing in self.things)])


TABLE = Thing("table", (3, 3, 0.375), (1.2, 0.8, 0.75))
MUG = (0.09, 0.09, 0.1)
SOFA = Thing("sofa", (3, 5.5, 0.4), (2.0, 0.9, 0.8))
FRIDGE = Thing("fridge", (1, 5.6, 0.9), (0.7, 0.7, 1.8))
COUNTER = Thing("counter", (3, 5.7, 0.45), (2.4, 0.6, 0.9))

CASES = (
    # ---- standing on things
    Case(
        "a mug on a table",
        (TABLE, Thing("mug", (3.2, 3, 0.8), MUG)),
        {"on(mug, table)": SURE, "on(table, room_floor)": SURE},
    ),
    Case(
        "a mug at the edge",
        (TABLE, Thing("mug", (3.59, 3, 0.8), MUG)),
        {"on(mug, table)": (0.5, 0.8)},
    ),
    Case(
        "a mug measured 2 cm too high",
        (TABLE, Thing("mug", (3.2, 3, 0.82), MUG)),
        {"on(mug, table)": (0.6, 0.95)},
    ),
    Case(
        "a mug measured 6 cm too low",
        (TABLE, Thing("mug", (3.2, 3, 0.74), MUG)),
        {"on(mug, table)": (0.4, 0.9)},
    ),
    Case(
        "a mug measured 12 cm too high",
        (TABLE, Thing("mug", (3.2, 3, 0.92), MUG)),
        {"on(mug, table)": VAGUE},
    ),
    Case(
        "two books",
        (
            TABLE,
            Thing("book", (3, 3, 0.765), (0.2, 0.15, 0.03), id="lower"),
            Thing("book", (3.02, 3.01, 0.795), (0.2, 0.15, 0.03), 10, id="upper"),
        ),
        {"on(upper, lower)": SURE, "on(lower, table)": SURE},
    ),
    Case(
        "a mug in a tray with a rim",
        (
            TABLE,
            Thing("tray", (3, 3, 0.775), (0.5, 0.35, 0.05)),
            Thing("mug", (3.1, 3, 0.81), MUG),
        ),
        {"on(mug, tray)": LIKELY, "on(tray, table)": SURE},
    ),
    Case(
        "a mug on a coaster",
        (
            TABLE,
            Thing("coaster", (3, 3, 0.7525), (0.1, 0.1, 0.005)),
            Thing("mug", (3, 3, 0.805), MUG),
        ),
        {"on(mug, coaster)": SURE, "on(coaster, table)": SURE},
    ),
    Case(
        "a plank over two tables",
        (
            Thing("table", (2, 3, 0.375), (0.8, 0.8, 0.75), id="left"),
            Thing("table", (4, 3, 0.375), (0.8, 0.8, 0.75), id="right"),
            Thing("plank", (3, 3, 0.765), (2.4, 0.3, 0.03)),
        ),
        {"on(plank, left) or on(plank, right)": LIKELY},
    ),
    Case(
        "a laptop over the edge",
        (TABLE, Thing("laptop", (3.56, 3, 0.76), (0.36, 0.25, 0.02))),
        {"on(laptop, table)": LIKELY},
    ),
    Case(
        "a cloth that hangs down all around",
        (TABLE, Thing("tablecloth", (3, 3, 0.655), (1.4, 1.0, 0.2))),
        {"on(tablecloth, table)": (0.2, 1.0)},
    ),
    Case(
        "a chair on a rug",
        (
            Thing("rug", (3, 3, 0.005), (2, 1.5, 0.01)),
            Thing("chair", (3.2, 3, 0.46), (0.45, 0.45, 0.9)),
        ),
        {"on(chair, rug)": (0.6, 1.0), "on(rug, room_floor)": SURE},
    ),
    Case(
        "a vase on a cabinet that stands askew",
        (
            Thing("cabinet", (2, 2, 0.4), (1.6, 0.4, 0.8), 45),
            Thing("vase", (2.5, 2.5, 0.95), (0.15, 0.15, 0.3)),
        ),
        {"on(vase, cabinet)": SURE, "on(cabinet, room_floor)": SURE},
    ),
    Case(
        "a monitor whose foot is smaller than it is",
        (TABLE, Thing("monitor", (3, 3.2, 1.0), (0.6, 0.2, 0.5))),
        {"on(monitor, table)": SURE},
    ),
    Case(
        "a kettle on a counter below a wall cabinet",
        (
            COUNTER,
            Thing("wall cabinet", (3, 5.8, 1.75), (1.2, 0.4, 0.7)),
            Thing("kettle", (3.2, 5.7, 1.0), (0.2, 0.2, 0.2)),
        ),
        {"on(kettle, counter)": SURE},
        ("wall_cabinet",),
    ),
    # ---- what is tilted
    Case(
        "a book on a board tilted by 20 degrees",
        (
            Thing("shelf", (3, 5.8, 1.2), (1.0, 0.3, 0.02), tilt=20),
            Thing("book", (3, 5.791, 1.2235), (0.2, 0.15, 0.03), tilt=20),
        ),
        {"on(book, shelf)": (0.5, 0.95)},
    ),
    Case(
        "a ladder that leans",
        (Thing("ladder", (3, 5.5, 1.0), (0.4, 2.1, 0.05), tilt=70),),
        {"on(ladder, room_floor)": (0.5, 1.0)},
    ),
    Case(
        "a picture that leans at the wall on the floor",
        (Thing("picture", (3, 5.9, 0.4), (0.6, 0.8, 0.03), tilt=80),),
        {"on(picture, room_floor)": LIKELY},
    ),
    # ---- inside of things
    Case(
        "an apple in a bowl",
        (
            TABLE,
            Thing("bowl", (3, 3, 0.785), (0.18, 0.18, 0.07)),
            Thing("apple", (3, 3, 0.8), (0.08, 0.08, 0.08)),
        ),
        {"inside(apple, bowl)": LIKELY, "on(bowl, table)": SURE},
    ),
    Case(
        "soup in a pot on a stove",
        (
            Thing("stove", (3, 5.7, 0.45), (0.6, 0.6, 0.9)),
            Thing("pot", (3.1, 5.7, 0.975), (0.24, 0.24, 0.15)),
            Thing("soup", (3.1, 5.7, 0.95), (0.22, 0.22, 0.08)),
        ),
        {"inside(soup, pot)": (0.6, 1.0), "on(pot, stove)": SURE},
    ),
    Case(
        "a spoon half out of a drawer",
        (
            Thing("drawer", (3, 5.7, 0.75), (0.5, 0.5, 0.12)),
            Thing("spoon", (3, 5.44, 0.71), (0.03, 0.2, 0.02)),
        ),
        {"inside(spoon, drawer)": (0.3, 0.8)},
    ),
    Case(
        "milk in a fridge",
        (FRIDGE, Thing("milk", (1, 5.6, 1.1), (0.08, 0.08, 0.25))),
        {"inside(milk, fridge)": SURE},
    ),
    Case(
        "a spoon that stands in a mug",
        (
            TABLE,
            Thing("mug", (3, 3, 0.8), MUG),
            Thing("spoon", (3, 3, 0.85), (0.03, 0.02, 0.18)),
        ),
        {"inside(spoon, mug)": (0.4, 1.0), "on(mug, table)": SURE},
    ),
    Case(
        "a plate on a board of a cupboard",
        (
            Thing("cupboard", (5, 5.7, 1.0), (1.0, 0.5, 2.0)),
            Thing("board", (5, 5.7, 1.01), (0.9, 0.4, 0.02)),
            Thing("plate", (5, 5.7, 1.03), (0.25, 0.25, 0.02)),
        ),
        {"inside(plate, cupboard)": (0.7, 1.0), "on(plate, board)": SURE},
    ),
    Case(
        "an umbrella in a stand",
        (
            Thing("umbrella stand", (5, 0.5, 0.25), (0.25, 0.25, 0.5)),
            Thing("umbrella", (5, 0.5, 0.47), (0.08, 0.08, 0.9)),
        ),
        {"inside(umbrella, umbrella_stand)": (0.4, 1.0)},
    ),
    Case(
        "a sock in a drawer of a dresser",
        (
            Thing("dresser", (5, 3, 0.5), (1.0, 0.5, 1.0)),
            Thing("drawer", (5, 3, 0.7), (0.9, 0.45, 0.2)),
            Thing("sock", (5.1, 3, 0.66), (0.1, 0.1, 0.05)),
        ),
        {"inside(sock, drawer)": SURE, "inside(drawer, dresser)": LIKELY},
    ),
    Case(
        "a book in an open bookcase",
        (
            Thing("bookcase", (5, 3, 1.0), (0.3, 1.0, 2.0)),
            Thing("book", (5, 3.1, 1.2), (0.2, 0.03, 0.25)),
        ),
        {"on(book, bookcase) or inside(book, bookcase)": (0.6, 1.0)},
    ),
    Case(
        "a cushion in an armchair",
        (
            Thing("armchair", (3, 3, 0.5), (0.8, 0.8, 1.0)),
            Thing("cushion", (3, 3.05, 0.55), (0.4, 0.15, 0.4)),
        ),
        {"on(cushion, armchair)": (0.5, 0.95)},
    ),
    Case(
        "a pillow on a bed with a headboard",
        (
            Thing("bed", (2, 2, 0.5), (2.0, 1.6, 1.0)),
            Thing("pillow", (1.4, 2.3, 0.58), (0.4, 0.6, 0.15)),
        ),
        {"on(pillow, bed)": (0.5, 1.0)},
    ),
    Case(
        "laundry heaped in a basket",
        (
            Thing("laundry basket", (5, 1, 0.25), (0.5, 0.4, 0.5)),
            Thing("clothes", (5, 1, 0.31), (0.45, 0.35, 0.58)),
        ),
        {"inside(clothes, laundry_basket)": (0.4, 1.0)},
    ),
    Case(
        "a toy between the legs of a table",
        (TABLE, Thing("toy", (3, 3, 0.1), (0.2, 0.2, 0.2))),
        {"on(toy, room_floor)": SURE},
    ),
    Case(
        "a shoe under a chair",
        (
            Thing("chair", (3, 3, 0.45), (0.45, 0.45, 0.9)),
            Thing("shoe", (3, 3, 0.05), (0.25, 0.1, 0.1)),
        ),
        {"on(shoe, room_floor)": SURE},
    ),
    Case(
        "a box under a bed",
        (
            Thing("bed", (2, 2, 0.3), (2.0, 1.6, 0.6)),
            Thing("box", (2, 2, 0.1), (0.4, 0.3, 0.2)),
        ),
        {"on(box, room_floor)": SURE},
    ),
    Case(
        "a mug in a wall cabinet",
        (
            Thing("wall cabinet", (3, 5.8, 1.75), (1.2, 0.4, 0.7)),
            Thing("mug", (3.2, 5.8, 1.5), MUG),
        ),
        {"inside(mug, wall_cabinet)": SURE},
        ("wall_cabinet",),
    ),
    # ---- what is mounted, hangs or sticks
    Case("a TV on the wall", (Thing("tv", (3, 5.95, 1.4), (1.2, 0.06, 0.7)),), nowhere=("tv",)),
    Case(
        "a TV on the wall, above a TV stand",
        (
            Thing("tv stand", (3, 5.75, 0.25), (1.6, 0.4, 0.5)),
            Thing("tv", (3, 5.9, 1.25), (1.2, 0.06, 0.7)),
        ),
        {"on(tv_stand, room_floor)": SURE},
        ("tv",),
    ),
    Case(
        "a TV on a wall that is known",
        (
            Thing("wall", (3, 6.05, 1.3), (6.0, 0.1, 2.6)),
            Thing("tv", (3, 5.96, 1.4), (1.2, 0.06, 0.7)),
        ),
        {"attached(tv, wall)": LIKELY},
    ),
    Case(
        "a TV that stands",
        (
            Thing("tv stand", (3, 5.75, 0.25), (1.6, 0.4, 0.5)),
            Thing("tv", (3, 5.75, 0.86), (1.2, 0.2, 0.72)),
        ),
        {"on(tv, tv_stand)": SURE},
    ),
    Case(
        "a picture above a sofa",
        (SOFA, Thing("picture", (3, 5.98, 1.35), (0.8, 0.03, 0.6))),
        nowhere=("picture",),
    ),
    Case(
        "a lamp at the ceiling",
        (TABLE, Thing("ceiling lamp", (3, 3, 2.45), (0.4, 0.4, 0.3))),
        nowhere=("ceiling_lamp",),
    ),
    Case(
        "a lamp at a ceiling that is known",
        (
            Thing("ceiling", (3, 3, 2.65), (6.0, 6.0, 0.1)),
            Thing("lamp", (3, 3, 2.45), (0.4, 0.4, 0.3)),
        ),
        {"attached(lamp, ceiling)": LIKELY},
    ),
    Case(
        "a chandelier 70 cm above a table",
        (TABLE, Thing("chandelier", (3, 3, 1.7), (0.6, 0.6, 0.5))),
        nowhere=("chandelier",),
    ),
    Case("a window", (Thing("window", (0.02, 3, 1.5), (0.1, 1.2, 1.0)),), nowhere=("window",)),
    Case(
        "a window whose sill is the top of a counter",
        (COUNTER, Thing("window", (3, 5.95, 1.45), (1.2, 0.1, 1.06))),
        nowhere=("window",),
    ),
    Case(
        "a window down to the floor",
        (Thing("window", (0.02, 3, 1.1), (0.1, 1.2, 2.2)),),
        nowhere=("window",),
    ),
    Case(
        "a curtain down to the floor",
        (Thing("curtain", (0.1, 3, 1.15), (0.1, 1.4, 2.28)),),
        nowhere=("curtain",),
    ),
    Case(
        "a window beside a window",
        (
            Thing("window", (0.02, 2, 1.5), (0.1, 1.2, 1.0), id="left"),
            Thing("window", (0.02, 3.2, 1.5), (0.1, 1.2, 1.0), id="right"),
        ),
        nowhere=("left", "right"),
    ),
    Case(
        "a curtain in front of a window",
        (
            Thing("window", (0.02, 3, 1.5), (0.1, 1.2, 1.0)),
            Thing("curtain", (0.1, 3, 1.4), (0.06, 1.4, 1.4)),
        ),
        {"attached(curtain, window)": LIKELY},
        nowhere=("window",),
    ),
    Case(
        "a pen on an open laptop",
        (
            TABLE,
            Thing("laptop", (3, 3, 0.86), (0.25, 0.35, 0.22)),
            Thing("pen", (2.95, 3, 0.78), (0.01, 0.14, 0.01)),
        ),
        {"on(pen, laptop)": LIKELY, "on(laptop, table)": SURE},
    ),
    Case(
        "a roll of paper on its holder at the wall",
        (
            Thing("toilet paper holder", (5.93, 3, 0.8), (0.12, 0.16, 0.05)),
            Thing("toilet paper", (5.91, 3, 0.79), (0.11, 0.1, 0.11)),
        ),
        {"on(toilet_paper, toilet_paper_holder)": LIKELY},
    ),
    Case(
        "kitchen paper on its holder on the counter",
        (
            COUNTER,
            Thing("paper towel holder", (3, 5.7, 1.07), (0.16, 0.16, 0.34)),
            Thing("paper towel roll", (3, 5.7, 1.05), (0.12, 0.12, 0.26)),
        ),
        {"on(paper_towel_roll, paper_towel_holder)": LIKELY},
    ),
    Case(
        "a wall cupboard above a coffee machine",
        (
            COUNTER,
            Thing("coffee machine", (3, 5.7, 1.08), (0.25, 0.3, 0.36)),
            Thing("wall cupboard", (3, 5.8, 1.8), (2.0, 0.4, 1.0)),
        ),
        {"on(coffee_machine, counter)": SURE},
        nowhere=("wall_cupboard",),
    ),
    Case(
        "a television over a remote control",
        (
            Thing("tv stand", (3, 5.6, 0.25), (1.4, 0.4, 0.5)),
            Thing("remote control", (3, 5.6, 0.51), (0.2, 0.05, 0.02)),
            Thing("television", (3, 5.6, 0.9), (1.2, 0.06, 0.74)),
        ),
        {"on(remote_control, tv_stand)": SURE, "on(television, tv_stand)": LIKELY},
    ),
    Case(
        "a fork on a board in the air",
        (
            Thing("chopping board", (3, 3, 1.235), (0.35, 0.27, 0.01)),
            Thing("fork", (3, 3, 1.27), (0.3, 0.25, 0.06)),
        ),
        {"on(fork, chopping_board)": SURE},
        nowhere=("chopping_board",),
    ),
    Case(
        "a towel on a rail",
        (
            Thing("towel rail", (5.9, 3, 1.2), (0.06, 0.6, 0.03)),
            Thing("towel", (5.9, 3, 0.95), (0.05, 0.4, 0.54)),
        ),
        {"attached(towel, towel_rail) or on(towel, towel_rail)": LIKELY},
    ),
    Case(
        "a towel that hangs on something unknown",
        (Thing("towel", (5.95, 3, 1.1), (0.05, 0.4, 0.6)),),
        nowhere=("towel",),
    ),
    Case(
        "a coat on a hook",
        (
            Thing("hook", (5.95, 3, 1.8), (0.08, 0.04, 0.06)),
            Thing("coat", (5.9, 3, 1.3), (0.15, 0.5, 1.0)),
        ),
        {"attached(coat, hook)": LIKELY},
    ),
    Case(
        "a magnet at a fridge",
        (FRIDGE, Thing("magnet", (1.1, 5.245, 1.3), (0.04, 0.01, 0.04))),
        {"attached(magnet, fridge)": LIKELY},
    ),
    Case(
        "a clock 60 cm above a counter",
        (COUNTER, Thing("clock", (3, 5.97, 1.65), (0.3, 0.05, 0.3))),
        nowhere=("clock",),
    ),
    Case(
        "a light switch",
        (Thing("light switch", (0.01, 2, 1.1), (0.02, 0.08, 0.08)),),
        nowhere=("light_switch",),
    ),
    Case(
        "a balloon in the air",
        (TABLE, Thing("balloon", (3, 3, 1.7), (0.3, 0.3, 0.3))),
        nowhere=("balloon",),
    ),
    # ---- floors
    Case(
        "a sofa whose scan begins 8 cm above the floor",
        (Thing("sofa", (3, 5.5, 0.44), (2.0, 0.9, 0.72)),),
        {"on(sofa, room_floor)": (0.3, 0.8)},
    ),
    Case(
        "a ball measured 3 cm too low",
        (Thing("ball", (2, 2, 0.07), (0.2, 0.2, 0.2)),),
        {"on(ball, room_floor)": (0.5, 0.9)},
    ),
    Case(
        "a shoe measured 10 cm too low",
        (Thing("shoe", (2, 2, -0.05), (0.25, 0.1, 0.1)),),
        {"on(shoe, room_floor)": (0.2, 0.6)},
    ),
    Case(
        "a ball outside of the only room",
        (Thing("ball", (9, 2, 0.1), (0.2, 0.2, 0.2)),),
        {"on(ball, room_floor)": (0.0, 0.5), "in_room(ball, room)": (0.0, 0.5)},
    ),
    Case(
        "a mug on a table outside of the only room",
        (
            Thing("table", (9, 3, 0.375), (1.2, 0.8, 0.75)),
            Thing("mug", (9.2, 3, 0.8), MUG),
        ),
        {"on(mug, table)": SURE, "on(table, room_floor)": (0.0, 0.5)},
    ),
)

CHANGED: dict[str, str] = {}
"""Reason of each expectation that was corrected after the code had been run, by case."""
