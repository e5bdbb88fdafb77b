# SPDX-License-Identifier: Apache-2.0
"""Known QNPs in our own words, and a short notation for them.

A condition is written "n>0, m=0, p, not q"; effects are written "n-, m+, p, not q".
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QualitativeChange


def parse_condition(text: str) -> dict[str, bool]:
    """Read a condition."""
    condition = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part.endswith((">0", "=0")):
            condition[part[:-2]] = part[-2] == ">"
        else:
            condition[part.removeprefix("not ")] = not part.startswith("not ")
    return condition


def parse_effects(text: str) -> dict[str, QualitativeChange]:
    """Read effects."""
    effects = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part.endswith("+"):
            effects[part[:-1]] = QualitativeChange.INCREASE
        elif part.endswith("-"):
            effects[part[:-1]] = QualitativeChange.DECREASE
        elif part.startswith("not "):
            effects[part[4:]] = QualitativeChange.CLEAR
        else:
            effects[part] = QualitativeChange.SET
    return effects


def make_qnp(
    name: str,
    booleans: str,
    numerics: str,
    initial: str,
    goal: str,
    actions: dict[str, tuple[str, str]],
) -> Qnp:
    """Make a QNP from the short notation; actions give condition and effects by name."""
    return Qnp(
        name,
        tuple(booleans.split()),
        tuple(numerics.split()),
        parse_condition(initial),
        parse_condition(goal),
        tuple(
            AbstractAction(one, parse_condition(when), parse_effects(effects))
            for one, (when, effects) in actions.items()
        ),
    )


def make_nest(depth: int, endless: bool = False) -> Qnp:
    """Make loops in loops: to decrease a number, all behind it must be zero, and become greater.

    Args:
        depth: number of loops.
        endless: let the innermost loop increase the outermost number.
    """
    names = [f"x{number}" for number in range(1, depth + 1)]
    actions = {}
    for place, name in enumerate(names):
        inner = names[place + 1 :]
        raised = inner or (names[:1] if endless else [])
        actions[f"step{place + 1}"] = (
            ", ".join([f"{name}>0", *(f"{one}=0" for one in inner)]),
            ", ".join([f"{name}-", *(f"{one}+" for one in raised)]),
        )
    return make_qnp(
        f"nest{depth}",
        "",
        " ".join(names),
        ", ".join(f"{name}>0" for name in names),
        ", ".join(f"{name}=0" for name in names),
        actions,
    )


def make_tangle(seed: int, size: int = 6, count: int = 16, initial: str = "") -> Qnp:
    """Make a QNP whose actions undo one another in many ways.

    Args:
        seed: of the random choices.
        size: number of numeric variables, n0 and so on.
        count: number of actions.
        initial: the initial condition.
    """
    rng = random.Random(seed)
    names = [f"n{number}" for number in range(size)]
    actions = {}
    for number in range(count):
        when = {name: rng.choice(("=0", ">0")) for name in rng.sample(names, rng.randint(0, 3))}
        changes = {
            name: rng.choice("+-") for name in rng.sample(names, rng.randint(1, min(4, size)))
        }
        when.update({name: ">0" for name, sign in changes.items() if sign == "-"})
        actions[f"a{number}"] = tuple(
            ", ".join(name + word for name, word in words.items()) for words in (when, changes)
        )
    goal = ", ".join(f"{name}{rng.choice(('=0', '>0'))}" for name in names)
    return make_qnp("tangle", "", " ".join(names), initial, goal, actions)


@dataclass(frozen=True)
class KnownQnp:
    """A QNP with its verdict and the number of reachable qstates."""

    qnp: Qnp
    solvable: bool
    reachable: int


CLEAR_BLOCK = make_qnp(
    "clear-block",
    "holding",
    "above",
    "not holding, above>0",
    "above=0",
    {
        "lift-from-above": ("not holding, above>0", "holding, above-"),
        "lift-another": ("not holding", "holding"),
        "put-on-top": ("holding, above>0", "not holding, above+"),
        "put-away": ("holding", "not holding"),
    },
)
STACK_TWO = make_qnp(
    "put-x-on-y",
    "free has-x on",
    "above-x above-y",
    "free, not has-x, not on, above-x>0, above-y>0",
    "on",
    {
        "clear-x": ("free, not has-x, not on, above-x>0, above-y>0", "not free, above-x-"),
        "clear-y": ("free, not has-x, not on, above-x=0, above-y>0", "not free, above-y-"),
        "drop": ("not free, not has-x, not on, above-x=0", "free"),
        "drop-early": ("not free, not has-x, not on, above-x>0, above-y>0", "free"),
        "take-x": ("free, not has-x, not on, above-x=0, above-y=0", "not free, has-x"),
        "drop-x": ("not free, has-x, not on, above-x=0, above-y>0", "free, not has-x"),
        "put-x": ("not free, has-x, not on, above-x=0, above-y=0", "free, not has-x, on, above-y+"),
    },
)
FELL_TREE = make_qnp(
    "fell-tree",
    "axe",
    "height",
    "not axe, height>0",
    "height=0",
    {"grasp": ("not axe", "axe"), "strike": ("axe, height>0", "not axe, height-")},
)
CORNER = make_qnp(
    "corner",
    "",
    "column row",
    "column>0, row>0",
    "column=0, row=0",
    {
        "west": ("column>0", "column-"),
        "east": ("", "column+"),
        "south": ("row>0", "row-"),
        "north": ("", "row+"),
    },
)
CARRY_GOODS = make_qnp(
    "carry-goods",
    "loaded",
    "left to-shop to-store",
    "not loaded, left>0, to-shop>0, to-store=0",
    "left=0",
    {
        "load": ("not loaded, to-store=0", "loaded"),
        "unload": ("loaded, to-shop=0, left>0", "not loaded, left-"),
        "approach-shop": ("loaded, to-shop>0", "to-shop-, to-store+"),
        "approach-store": ("not loaded, to-store>0", "to-store-, to-shop+"),
    },
)
BRING_PARCELS = make_qnp(
    "bring-parcels",
    "holding",
    "to-parcel to-target left",
    "not holding, to-parcel>0, to-target>0, left>0",
    "not holding, left=0",
    {
        "approach-parcel": ("to-parcel>0, left>0", "to-parcel-, to-target+"),
        "approach-target": ("to-target>0", "to-target-, to-parcel+"),
        "grasp": ("not holding, to-parcel=0", "holding"),
        "drop": ("holding, to-target>0", "not holding"),
        "deliver": ("holding, to-target=0, left>0", "not holding, left-, to-parcel+"),
    },
)
_GRIPPER_ACTIONS = {
    "put-down": ("carried>0, there", "carried-, free+"),
    "go-with-room": ("not there, balls=0, carried>0, free>0", "there"),
    "go-full": ("not there, carried>0, free=0", "there"),
    "grasp": ("not there, balls>0, free>0", "balls-, free-, carried+"),
    "return": ("there, carried=0, free>0", "not there"),
}
_GRIPPER = ("there", "balls free carried", "not there, balls>0, free>0, carried=0")
GRIPPER = make_qnp("gripper", *_GRIPPER, "balls=0, carried=0", _GRIPPER_ACTIONS)
GRIPPER_IN_VAIN = make_qnp(
    "gripper-in-vain",
    *_GRIPPER,
    "balls=0, carried=0",
    {**_GRIPPER_ACTIONS, "put-down": ("carried>0, there", "carried-, free+, balls+")},
)
COLLECT = make_qnp(
    "collect",
    "",
    "left distance",
    "left>0, distance>0",
    "left=0",
    {
        "take": ("left>0, distance=0", "left-, distance+"),
        "approach": ("left>0, distance>0", "distance-"),
    },
)
CLEAR_SNOW = make_qnp(
    "clear-snow",
    "",
    "drive walk way",
    "drive>0, walk>0, way>0",
    "drive=0, walk=0",
    {
        "shovel": ("walk>0", "walk-"),
        "come": ("way>0, walk=0", "way-"),
        "blow": ("drive>0, way=0", "drive-, walk+, way+"),
    },
)
# After the synthetic problems of Bonet and Geffner (JAIR 2020): a number falls, a switch is reset.
_SWITCH = ("on done", "x y", "on, not done, x>0, y>0", "done")
_SWITCH_ENDS = {"end-x": ("x=0", "done"), "end-y": ("y=0", "done")}
SWITCH = make_qnp(
    "switch",
    *_SWITCH,
    {"use": ("on, x>0", "not on, x-"), "reset": ("not on", "on"), **_SWITCH_ENDS},
)
SWITCH_IN_VAIN = make_qnp(
    "switch-in-vain",
    *_SWITCH,
    {"use": ("on, x>0", "not on, x-"), "reset": ("not on", "on, x+"), **_SWITCH_ENDS},
)
SWITCH_IN_TURN = make_qnp(
    "switch-in-turn",
    *_SWITCH,
    {"use": ("on, x>0", "not on, x-"), "reset": ("not on, y>0", "on, x+, y-"), **_SWITCH_ENDS},
)
PUT_ON = make_qnp(
    "put-on",
    "on",
    "above-x above-y",
    "not on, above-x>0, above-y>0",
    "on",
    {
        "unpile-x": ("not on, above-x>0", "above-x-"),
        "unpile-y": ("not on, above-x=0, above-y>0", "above-y-"),
        "put": ("not on, above-x=0, above-y=0", "on, above-y+"),
    },
)
# Fuel, too, is used up on the way, and filled up at the store alone.
CARRY_FAR = make_qnp(
    "carry-far",
    "loaded",
    "left way fuel",
    "not loaded, left>0, way=0, fuel>0",
    "not loaded, left=0",
    {
        "load": ("not loaded, way=0, left>0", "loaded"),
        "fill": ("way=0, fuel=0", "fuel+"),
        "set-out": ("loaded, way=0, fuel>0", "way+, fuel-"),
        "go-on": ("loaded, way>0, fuel>0", "way-, fuel-"),
        "walk-on": ("loaded, way>0, fuel=0", "way-"),
        "unload": ("loaded, left>0", "not loaded, left-, way+"),
        "return": ("not loaded, way>0", "way-"),
    },
)
# Places on a grid in two numbers each: of the robot, of the parcel, of the target.
CARRY_ON_GRID = make_qnp(
    "carry-on-grid",
    "",
    "parcel-x parcel-y target-x target-y left held",
    "parcel-x>0, parcel-y>0, target-x=0, target-y=0, left>0, held=0",
    "left=0",
    {
        "near-x": ("held=0, parcel-x>0", "parcel-x-"),
        "near-y": ("held=0, parcel-x=0, parcel-y>0", "parcel-y-"),
        "take": ("held=0, parcel-x=0, parcel-y=0", "held+, target-x+, target-y+"),
        "bring-x": ("held>0, target-x>0", "target-x-, parcel-x+"),
        "bring-y": ("held>0, target-x=0, target-y>0", "target-y-, parcel-y+"),
        "leave": ("held>0, target-x=0, target-y=0, left>0", "held-, left-"),
    },
)
_TYRE_ACTIONS = {
    "open": ("not open", "open"),
    "fetch": ("open, in-boot>0", "in-boot-, at-hand+"),
    "inflate": ("at-hand>0, flat>0", "flat-"),
    "loosen": ("flat=0, tight>0", "tight-, loose+"),
    "jack-up": ("not up, tight=0", "up"),
    "swap": ("up, loose>0, at-hand>0", "loose-, at-hand-, in-boot+"),
    "tighten": ("up, loose=0, in-boot>0", "in-boot-"),
    "jack-down": ("up, loose=0, in-boot=0", "not up"),
    "close": ("open, not up, loose=0, tight=0, in-boot=0", "not open"),
}
_TYRES = ("open up", "in-boot at-hand flat tight loose")
CHANGE_TYRES = make_qnp(
    "change-tyres",
    *_TYRES,
    "not open, not up, in-boot>0, at-hand=0, flat>0, tight>0, loose=0",
    "not open, not up, tight=0, loose=0, in-boot=0",
    _TYRE_ACTIONS,
)

KNOWN = (
    KnownQnp(PUT_ON, True, 4),
    KnownQnp(CARRY_FAR, True, 10),
    KnownQnp(CARRY_ON_GRID, True, 10),
    KnownQnp(CHANGE_TYRES, True, 21),
    KnownQnp(CLEAR_BLOCK, True, 3),
    KnownQnp(STACK_TWO, True, 8),
    KnownQnp(FELL_TREE, True, 3),
    KnownQnp(CORNER, True, 4),
    KnownQnp(CARRY_GOODS, True, 7),
    KnownQnp(BRING_PARCELS, True, 7),
    KnownQnp(GRIPPER, True, 11),
    KnownQnp(GRIPPER_IN_VAIN, False, 10),
    KnownQnp(COLLECT, True, 3),
    KnownQnp(CLEAR_SNOW, True, 5),
    KnownQnp(SWITCH, True, 6),
    KnownQnp(SWITCH_IN_VAIN, False, 4),
    KnownQnp(SWITCH_IN_TURN, True, 10),
    KnownQnp(make_nest(2), True, 4),
    KnownQnp(make_nest(3), True, 8),
    KnownQnp(make_nest(3, endless=True), False, 5),
    KnownQnp(make_nest(10), True, 1024),
    KnownQnp(make_nest(10, endless=True), False, 513),
)

TOGGLE = make_qnp(
    "toggle",
    "lit done",
    "",
    "not lit, not done",
    "done",
    {"light": ("not lit", "lit"), "extinguish": ("lit", "not lit")},
)
GROW = make_qnp("grow", "done", "n", "not done, n>0", "done", {"grow": ("n>0", "n+")})
WAIT = make_qnp("wait", "done", "n", "not done, n>0", "done", {"wait": ("", "")})
TOGGLE_AFTER_WORK = make_qnp(
    "toggle-after-work",
    "lit done",
    "n",
    "not lit, not done, n>0",
    "done",
    {
        "work": ("n>0, not lit", "n-, lit"),
        "extinguish": ("n>0, lit", "not lit, n+"),
        "light": ("n=0, not lit", "lit"),
        "finish": ("n=0, lit", "done"),
        "darken": ("n=0, lit", "not lit"),
    },
)
"""Unsolvable, though a strong-cyclic policy exists: work and extinguish undo one another."""
ENDLESS = (TOGGLE, GROW, WAIT, TOGGLE_AFTER_WORK)
"""Unsolvable: what can be done goes on for ever. A solver that tests neither cycles of booleans nor
edges from a qstate to itself accepts the first ones."""
