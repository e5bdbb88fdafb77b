# SPDX-License-Identifier: Apache-2.0
"""Rules and a state of the home."""

import pytest
from composed_home import HELD, HOLDS, HOME, ON, RXP, Make

from fcp_ros.cset import (
    Instance,
    Rule,
)


@pytest.fixture
def pick(action: Make) -> Rule:
    made: Rule = action(HOME, "pick", RXP, delete=[ON], add=[HOLDS], unless=[HELD])
    return made


@pytest.fixture
def place(action: Make) -> Rule:
    made: Rule = action(HOME, "place", RXP, delete=[HOLDS], add=[ON])
    return made


@pytest.fixture
def state(world: Make) -> Instance:
    made: Instance = world(
        HOME,
        {"r1": "robot", "m1": "mug", "m2": "mug", "table": "place", "shelf": "place"},
        [("on", "m1", "table"), ("on", "m2", "table")],
    )
    return made
