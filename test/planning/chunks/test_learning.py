# SPDX-License-Identifier: Apache-2.0
"""What is learned from plans: frequent sequences that hang together, bounded, in a fixed order."""

import random

import pytest

from fcp_ros.domain import Chunk, Parameter, parse_domain
from fcp_ros.planning.model.chunks import ChunkLibrary, LearningOptions, bind, learn_chunks
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


def test_a_frequent_sequence_becomes_a_chunk(tiny):
    plans = [
        carry(tiny, "a", "x", "y"),
        carry(tiny, "b", "y", "z"),
        carry(tiny, "c", "u", "v", "q"),
    ]
    assert learn_chunks(tiny, plans) == (CARRY,)
    assert learn_chunks(tiny, plans[:2]) == ()
    assert learn_chunks(tiny, plans[:2], LearningOptions(support=2)) == (CARRY,)
    assert learn_chunks(tiny, plans, LearningOptions(most=0)) == ()
    assert [c.name for c in learn_chunks(tiny, plans, LearningOptions(longest=2))] == [
        "go_place",
        "pick_go",
    ]


def test_steps_that_share_nothing_are_no_chunk(tiny):
    one, other = steps_of(tiny, "pick r a x", "go q y z")
    assert learn_chunks(tiny, [[one, other]] * 5) == ()


def test_different_bindings_are_different_chunks(tiny):
    there_and_back = steps_of(tiny, "go r x y", "go r y x")
    onward = steps_of(tiny, "go r x y", "go r y z")
    found = learn_chunks(tiny, [there_and_back] * 3 + [onward] * 4)
    assert [chunk.steps for chunk in found] == [
        (("go", ("robot", "from", "to")), ("go", ("robot", "to", "to_2"))),
        (("go", ("robot", "from", "to")), ("go", ("robot", "to", "from"))),
    ]
    assert [chunk.name for chunk in found] == ["go_go", "go_go_2"]


def test_a_part_that_occurs_more_often_is_kept_beside_the_whole(tiny):
    plans = [carry(tiny, "a", "x", "y")] * 3 + [steps_of(tiny, "pick r a x", "go r x y")] * 4
    names = [chunk.name for chunk in learn_chunks(tiny, plans)]
    assert names == ["pick_go", "pick_go_place"]


def test_overlapping_occurrences_count_once(tiny):
    walk = steps_of(tiny, *(f"go r p{i} p{i + 1}" for i in range(5)))
    assert learn_chunks(tiny, [walk], LearningOptions(support=3, longest=2)) == ()
    (chunk,) = learn_chunks(tiny, [walk], LearningOptions(support=2, longest=2))
    assert chunk.name == "go_go"


def test_the_order_of_the_plans_does_not_matter(tiny):
    rng = random.Random(7)
    plans = [carry(tiny, *rng.sample("abc", 1), *rng.sample("xyz", 2)) for _ in range(9)]
    plans += [steps_of(tiny, "go r x y", "go r y x")] * 3
    first = learn_chunks(tiny, plans)
    for _ in range(5):
        rng.shuffle(plans)
        assert learn_chunks(tiny, plans) == first


@pytest.mark.parametrize("bad", [{"support": 0}, {"longest": 1}, {"most": -1}])
def test_senseless_options_are_refused(bad):
    with pytest.raises(ValueError, match="support from 1"):
        LearningOptions(**bad)


def test_declared_chunks_come_first_and_are_not_doubled(tiny):
    declared = Chunk("carry", CARRY.parameters, CARRY.steps)
    domain = type(tiny)(
        **{f: getattr(tiny, f) for f in tiny.__dataclass_fields__} | {"chunks": {"carry": declared}}
    )
    other = Chunk("other", CARRY.parameters, CARRY.steps[:2])
    assert ChunkLibrary.of(domain, [CARRY, other]).chunks == (declared, other)


def ground(domain, steps):
    return [GroundStep(domain.rules[s.rule], tuple(e for _, e in s.arguments)) for s in steps]


def test_steps_bind_a_chunk(tiny):
    steps = ground(tiny, carry(tiny, "a", "x", "y"))
    assert bind(CARRY, steps) == {"robot": "r", "item": "a", "place": "x", "to": "y"}
    assert bind(CARRY, steps[:2]) is None
    assert bind(CARRY, steps[::-1]) is None
    assert bind(CARRY, ground(tiny, carry(tiny, "a", "x", "x"))) is None
