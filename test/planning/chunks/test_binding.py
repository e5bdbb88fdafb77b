# SPDX-License-Identifier: Apache-2.0
"""Ground steps bind the parameters of a chunk, or are none."""

import pytest

from fcp_ros.domain import Chunk, Parameter, parse_domain
from fcp_ros.planning.model.chunks import bind
from fcp_ros.planning.model.ground_step import GroundStep
from fcp_ros.planning.model.plan import PlanStep


@pytest.fixture(scope="module")
def tiny(repository):
    return parse_domain((repository / "config/domains/tiny.yaml").read_text())


def steps_of(domain, *texts):
    made = []
    for text in texts:
        name, *arguments = text.split()
        rule = domain.rules[name]
        bound = tuple(zip(rule.parameter_names, arguments, strict=True))
        made.append(PlanStep(name, bound, 1.0, 1.0, 1.0, rule.executor))
    return made


def carry(domain, item, here, there, robot="r"):
    return steps_of(
        domain,
        f"pick {robot} {item} {here}",
        f"go {robot} {here} {there}",
        f"place {robot} {item} {there}",
    )


def parameters(**types):
    return tuple(Parameter(name, type_) for name, type_ in types.items())


CARRY = Chunk(
    "pick_go_place",
    parameters(robot="robot", item="item", place="place", to="place"),
    (
        ("pick", ("robot", "item", "place")),
        ("go", ("robot", "place", "to")),
        ("place", ("robot", "item", "to")),
    ),
)


def ground(domain, steps):
    return [GroundStep(domain.rules[s.rule], tuple(e for _, e in s.arguments)) for s in steps]


def test_steps_bind_a_chunk(tiny):
    steps = ground(tiny, carry(tiny, "a", "x", "y"))
    assert bind(CARRY, steps) == {"robot": "r", "item": "a", "place": "x", "to": "y"}
    assert bind(CARRY, steps[:2]) is None
    assert bind(CARRY, steps[::-1]) is None
    assert bind(CARRY, ground(tiny, carry(tiny, "a", "x", "x"))) is None
