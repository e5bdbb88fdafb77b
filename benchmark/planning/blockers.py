# SPDX-License-Identifier: Apache-2.0
"""Houses with something in the way: locks, seals and full places, for the planning benchmark.

What must be found out is that things matter that the goal does not name: a key, a tool, an item
that stands where another one should go.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace

from benchmark.planning.household import Household, Item, Kind, Receptacle, household

Blocker = Callable[[Household, random.Random], Household]


def locked_box(house: Household, generator: random.Random) -> Household:
    """A closed box in a closed, locked cupboard; the key is in another closed cupboard."""
    cupboard = _furniture("vault", Kind.CONTAINER, "cupboard", house, generator)
    safe_place = _furniture("key_cabinet", Kind.CONTAINER, "cabinet", house, generator)
    return replace(
        house,
        receptacles=(
            *house.receptacles,
            replace(cupboard, closed=True, locked=True),
            replace(safe_place, closed=True),
        ),
        items=(
            *house.items,
            Item("box_1", Kind.BOX, "box", cupboard.name, closed=True),
            Item("key_1", Kind.KEY, "key", safe_place.name),
            Item("treasure", Kind.ITEM, "toy", "box_1"),
        ),
        fits=(*house.fits, ("key_1", cupboard.name)),
        goal=(*house.goal, ("treasure", _surface(house, generator))),
    )


def full_pedestal(house: Household, generator: random.Random) -> Household:
    """A place for one item that another item stands on."""
    pedestal = _furniture("pedestal_1", Kind.PEDESTAL, "pedestal", house, generator)
    return replace(
        house,
        receptacles=(*house.receptacles, pedestal),
        items=(
            *house.items,
            Item("vase_old", Kind.ITEM, "vase", pedestal.name),
            Item("vase_new", Kind.ITEM, "vase", _surface(house, generator)),
        ),
        goal=(*house.goal, ("vase_new", pedestal.name)),
    )


def sealed_crate(house: Household, generator: random.Random) -> Household:
    """A crate that only a tool opens; the tool lies elsewhere."""
    crate = _furniture("crate_1", Kind.CONTAINER, "crate", house, generator)
    return replace(
        house,
        receptacles=(*house.receptacles, replace(crate, closed=True, sealed=True)),
        items=(
            *house.items,
            Item("crowbar_1", Kind.CROWBAR, "crowbar", _surface(house, generator)),
            Item("spare_part", Kind.ITEM, "can", crate.name),
        ),
        goal=(*house.goal, ("spare_part", _surface(house, generator))),
    )


BLOCKERS: Mapping[str, tuple[Blocker, ...]] = {
    "locked box": (locked_box,),
    "full pedestal": (full_pedestal,),
    "sealed crate": (sealed_crate,),
    "all three": (locked_box, full_pedestal, sealed_crate),
}
"""What can be in the way, by name."""


def blocked_household(name: str, objects: int, receptacles: int, seed: int = 1) -> Household:
    """A house whose task has blockers and nothing else.

    Arguments:
        name: key of `BLOCKERS`.
        objects, receptacles: size of the house around it.
        seed: the same seed gives the same house.
    """
    house = household(objects, receptacles, 0, seed)
    generator = random.Random(f"{name}/{seed}")
    for blocker in BLOCKERS[name]:
        house = blocker(house, generator)
    return house


def _furniture(
    name: str, kind: Kind, category: str, house: Household, generator: random.Random
) -> Receptacle:
    return Receptacle(name, kind, category, generator.choice(house.rooms))


def _surface(house: Household, generator: random.Random) -> str:
    surfaces = [place.name for place in house.receptacles if place.kind is Kind.SURFACE]
    return generator.choice(surfaces)
