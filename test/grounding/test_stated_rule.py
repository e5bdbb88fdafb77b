# SPDX-License-Identifier: Apache-2.0
"""Degrees reckoned from numeric attributes."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain.expressions.arithmetic_parser import parse_arithmetic
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.grounding import GroundingCode, GroundingError, build_request
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest
from fcp_ros.grounding.stated import NotKnownError, RuleOracle, evaluate
from fcp_ros.scene import Layer, Pose, SceneGraph, SceneNode, complete_relations

DOMAIN = """\
domain: geometry
version: "1"
types: {thing: [], room: [thing], robot: [thing], item: [thing], support: [thing]}
relations:
  at: {legs: {robot: robot, room: room}, functional: [robot]}
attributes:
  category: {of: thing, kind: string}
  x: {of: thing, kind: float}
  y: {of: thing, kind: float}
  width: {of: thing, kind: float}
  depth: {of: thing, kind: float}
  height: {of: thing, kind: float}
rules:
  stay:
    parameters: {robot: robot, room: room}
    when: ['not at(robot, room)']
    add: ['at(robot, room)']
    duration: 1
    executor: stay
graded:
  near_enough:
    parameters: {item: item, robot: robot}
    context: {item: [x, y], robot: [x, y]}
    oracle: rule
    rule:
      - {value: 'distance(item, robot)', trapezoid: [0, 0, 1.5, 4]}
  fits:
    parameters: {item: item, support: support}
    context: {item: [width, depth, height], support: [width, depth]}
    oracle: rule
    rule:
      - {value: support.width / item.width, sigmoid: {middle: 1.2, width: 0.4}}
      - {value: item.height, trapezoid: [-.inf, -.inf, 0.5, 1]}
    t_norm: product
labels: {item: [mug, sheet], support: [table], robot: [robot]}
scene: {layers: {room: room, agent: robot}, unknown: item}
"""


@pytest.fixture(scope="module")
def domain() -> Any:
    return parse_domain(DOMAIN)


def node(name: str, category: str, x: float, size: tuple[float, ...] | None) -> SceneNode:
    layer = Layer.AGENT if category == "robot" else Layer.OBJECT
    return SceneNode(
        name,
        layer,
        category,
        Pose.at(x, 0.0, 0.5),
        size,
        parents=("hall",),  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def state(domain: Any) -> Any:
    """A table with a mug near the robot, a mug farther off, and one without a box."""
    graph = SceneGraph.of(
        [
            SceneNode("hall", Layer.ROOM, "room"),
            node("robot_1", "robot", 0.0, (0.5, 0.5, 1.0)),
            node("table_1", "table", 2.31, (0.6, 0.2, 0.75)),
            node("mug_1", "mug", 2.31, (0.1, 0.5, 0.6)),
            node("mug_2", "mug", 9.0, (0.1, 0.1, 0.1)),
            node("mug_3", "mug", 1.0, None),
            node("sheet_1", "sheet", 1.0, (0.0, 0.0, 0.0)),
        ]
    )
    return scene_to_instance(complete_relations(graph), domain.schema, domain.mapping).instance


def judge(domain: Any, state: Any, predicate: str, *names: str) -> Any:
    request = build_request(domain.graded[predicate], names, state)
    return RuleOracle().judge(domain.graded[predicate], [request])[0]


def test_the_degree_of_a_distance(domain: Any, state: Any) -> None:
    near = judge(domain, state, "near_enough", "mug_1", "robot_1")
    assert near.degree == near.prior == pytest.approx((4 - 2.31) / 2.5)
    assert near.note == "distance(item, robot) = 2.31 -> 0.68"
    assert (near.source, near.model) == ("rule", "rule:near_enough")
    assert judge(domain, state, "near_enough", "mug_2", "robot_1").degree == 0.0


def test_several_lines_compose_and_the_longer_side_is_the_width(domain: Any, state: Any) -> None:
    fits = judge(domain, state, "fits", "mug_1", "table_1")
    assert fits.degree == pytest.approx(0.5 * 0.8)  # 0.6 / 0.5 is the middle; 0.6 high
    assert fits.note == (
        "support.width / item.width = 1.2 -> 0.50; item.height = 0.6 -> 0.80; "
        "together (product) 0.40"
    )


@pytest.mark.parametrize(
    ("item", "words"), [("mug_3", "width of item is not known"), ("sheet_1", "divides by 0")]
)
def test_what_is_not_known_is_not_guessed(domain: Any, state: Any, item: str, words: str) -> None:
    with pytest.raises(GroundingError, match=words) as caught:
        judge(domain, state, "fits", item, "table_1")
    assert caught.value.code is GroundingCode.NOT_KNOWN
    assert "default_degree" in caught.value.sentence


def test_one_that_is_not_known_does_not_spoil_the_others(domain: Any, state: Any) -> None:
    predicate = domain.graded["fits"]
    requests = [build_request(predicate, (n, "table_1"), state) for n in ("mug_3", "mug_1")]
    error, answer = RuleOracle().judge_each(predicate, requests)
    assert isinstance(error, GroundingError)
    assert answer.degree == pytest.approx(0.4)


def test_numbers_that_are_none(domain: Any) -> None:
    def asked(value: Any) -> Any:
        request = JudgementRequest(
            "near_enough",
            (
                ArgumentContext("item", "mug", "mug", (("x", value), ("y", 0.0))),
                ArgumentContext("robot", "r", "robot", (("x", 0.0), ("y", 0.0))),
            ),
        )
        return RuleOracle().judge_each(domain.graded["near_enough"], [request])[0]

    for value in (math.nan, math.inf, "2", True, -math.inf):
        assert asked(value).code is GroundingCode.NOT_KNOWN
    assert asked(-1).degree == 1.0


LEAVES = st.one_of(
    st.floats(0, 1e200).map(repr), st.sampled_from(["a.x", "a.y", "b.x", "b.y", "0"])
)


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        st.tuples(pair, st.sampled_from("+-*/")).map(lambda t: f"({t[0][0]} {t[1]} {t[0][1]})"),
        st.tuples(pair, st.sampled_from(["min", "max"])).map(
            lambda t: f"{t[1]}({t[0][0]}, {t[0][1]})"
        ),
        st.tuples(inner, st.sampled_from(["abs", "sqrt", "-"])).map(lambda t: f"{t[1]}({t[0]})"),
    )


@given(st.recursive(LEAVES, _wider, max_leaves=8), st.lists(st.floats(), min_size=4, max_size=4))
def test_arithmetic_is_what_python_makes_of_it(text: str, values: list[float]) -> None:
    class Bound:
        def __init__(self, x: float, y: float) -> None:
            self.x, self.y = x, y

    a, b = Bound(*values[:2]), Bound(*values[2:])
    names = {"a": a, "b": b, "min": min, "max": max, "abs": abs, "sqrt": math.sqrt}
    try:
        expected = eval(text, {"__builtins__": {}}, names)
    except (ZeroDivisionError, ValueError, OverflowError):
        expected = math.nan
    numbers = {("a", "x"): a.x, ("a", "y"): a.y, ("b", "x"): b.x, ("b", "y"): b.y}
    if math.isfinite(expected):
        assert evaluate(parse_arithmetic(text), numbers) == expected
    else:
        with pytest.raises(NotKnownError):
            evaluate(parse_arithmetic(text), numbers)
