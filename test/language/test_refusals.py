# SPDX-License-Identifier: Apache-2.0
"""What is refused for a reason stays refused, whoever else reads it."""

from __future__ import annotations

import pytest

from fcp_ros.language.cascade import CascadeReader, ReaderOptions, make_reader
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, Refusal

REASONS = {
    "": Refusal.EMPTY,
    "?!": Refusal.EMPTY,
    "put the mug on the table and " * 40: Refusal.LENGTH,
    "apporte-moi une tasse": Refusal.LANGUAGE,
    "Is the fridge open?": Refusal.QUESTION,
    "where is the mug?": Refusal.QUESTION,
    "put the mug on the table and leave it in the fridge": Refusal.CONTRADICTION,
    "put it on the table and leave it in the fridge": Refusal.CONTRADICTION,
    "open the fridge and keep it closed": Refusal.CONTRADICTION,
    "bring me 99999999999999999999 mugs": Refusal.AMOUNT,
    "put 10001 mugs on the table": Refusal.AMOUNT,
    "put 3.5 mugs on the table": Refusal.AMOUNT,
    "set the table for 0": Refusal.AMOUNT,
    "put all but five mugs on the table": Refusal.AMOUNT,
    "put everything except everything on the table": Refusal.REMAINDER,
    "keep the fridge open for two minutes": Refusal.TIME,
    "keep the mug in the sink until the door is open": Refusal.TIME,
    "put the vase away at 5 pm": Refusal.TIME,
    "wipe the table before ten, please": Refusal.TIME,
    "don't leave the mug": Refusal.BAN,
    "take me to the kitchen": Refusal.UNABLE,
    "carry the child to the kitchen": Refusal.UNABLE,
    "please guide our visitor to the living room": Refusal.UNABLE,
    "follow me around the house": Refusal.UNABLE,
    "greet whoever stands in the living room": Refusal.UNABLE,
}
NONSENSE = ["the mug", "mug_1", "put the person in the fridge", "kill person_1", "put it on it"]


class Eager:
    """A reader that finds the same in everything."""

    name = "eager"

    def __init__(self) -> None:
        self.asked = 0

    def read(self, instruction, context):
        self.asked += 1
        reading = Reading("on(mug_1, counter_1)", 1.0, "The mug is on the counter.")
        return Interpretation(instruction, ReadingStatus.READ, "", (reading,))


@pytest.fixture(scope="module")
def pair():
    return make_reader(ReaderOptions())


@pytest.mark.parametrize("sentence", REASONS, ids=[one[:40] for one in REASONS])
def test_the_reason_is_told_and_nobody_finds_a_way_round(sentence, home, pair, reader):
    found = pair.read(sentence, home)
    assert found.status is ReadingStatus.REFUSED, found
    assert found.refusal is REASONS[sentence]
    eager = Eager()
    assert CascadeReader(reader, lambda: eager).read(sentence, home) == found
    assert not eager.asked


def test_what_is_read_otherwise_is_not_refused(home, pair):
    """A number that is no amount, a tree among several that contradicts itself."""
    for sentence in ("put the mug on the counter", "put 0 mugs on the counter"):
        assert pair.read(sentence, home).refusal is None


@pytest.mark.parametrize("sentence", NONSENSE)
def test_what_names_no_act_is_not_made_one(sentence, home, pair):
    found = pair.read(sentence, home)
    assert found.best is None, found.best
    assert found.refusal is None
