# SPDX-License-Identifier: Apache-2.0
"""Where each item lies, in the words of a schema: in one place that its types allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fcp_ros.cset import Fact

if TYPE_CHECKING:
    from fcp_ros.scene.state.reading import Reading

LOCATIONS = ("inside", "on")
"""Relations that say where an item lies; in this order, since a container must be opened first."""

_OTHER = {"inside": "on", "on": "inside"}


@dataclass(frozen=True, slots=True)
class ItemPlace:
    """Where an item lies.

    Attributes:
        fact: ``on`` or ``inside``; None where no place fits.
        read_as: "on(a, b) as inside(a, b)" where the scene says otherwise; else "".
    """

    fact: Fact | None
    read_as: str = ""


def place_of(item: str, reading: Reading) -> ItemPlace | None:
    """One of ``on`` and ``inside`` for an item; None for what is no item, or is held."""
    if not reading.is_item(item) or reading.is_held(item):
        return None
    found = next(_options(item, reading), None)
    if found is None:
        return ItemPlace(None)
    name, holder = found
    stated = reading.holders(item)
    read_as = ""
    if stated and found not in stated:
        read_as = f"{stated[0][0]}({item}, {stated[0][1]}) as {name}({item}, {holder})"
    return ItemPlace(Fact(name, (item, holder)), read_as)


def _options(item: str, reading: Reading) -> Iterator[tuple[str, str]]:
    """Places that fit, best first: as stated, as the other relation, further down, floor."""
    seen = {item}
    holders = list(reading.holders(item))
    while holders:
        for name, holder in holders:
            if reading.fits(name, (item, holder)):
                yield name, holder
        for name, holder in holders:
            if reading.fits(_OTHER[name], (item, holder)):
                yield _OTHER[name], holder
        below = [holder for _, holder in holders if holder not in seen]
        seen.update(below)
        holders = [
            further
            for holder in dict.fromkeys(below)
            for further in reading.holders(holder)
            if further[1] != item
        ]
    room = reading.room_of(item)
    floor = None if room is None else reading.floor_of(room)
    if floor is not None and reading.fits("on", (item, floor)):
        yield "on", floor
