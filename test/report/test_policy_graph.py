# SPDX-License-Identifier: Apache-2.0
"""The picture of a policy shows every qstate once, its actions, and where they may lead."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from qnp_problems import CLEAR_BLOCK, GRIPPER, make_nest, make_qnp
from random_qnps import policies, qnps

from fcp_ros.abstraction.qnp.solver import solve_qnp
from fcp_ros.abstraction.qnp.state_space import build_policy_graph
from fcp_ros.report.policy_graph import MOST_SHOWN, draw_policy_graph

SVG = "{http://www.w3.org/2000/svg}"


def draw(qnp, policy=None, run=()):
    graph = build_policy_graph(qnp, solve_qnp(qnp).policy if policy is None else policy)
    return graph, ElementTree.fromstring(draw_policy_graph(graph, run))


def list_states(svg):
    return [group for group in svg.iter(f"{SVG}g") if "state" in group.get("class").split()]


def list_edges(svg):
    return [path for path in svg.iter(f"{SVG}path") if "edge" in path.get("class").split()]


def find_state(svg, text):
    (found,) = [
        group
        for group in list_states(svg)
        if group.find(f"{SVG}title").text.splitlines()[0] == text
    ]
    return found


def assert_apart(svg):
    boxes = [
        [float(group.find(f"{SVG}rect").get(name)) for name in ("x", "y", "width", "height")]
        for group in list_states(svg)
    ]
    left, top, width, height = map(float, svg.get("viewBox").split())
    for number, (x, y, wide, high) in enumerate(boxes):
        assert left < x
        assert x + wide < left + width
        assert top < y
        assert y + high < top + height
        for other_x, other_y, other_wide, other_high in boxes[:number]:
            assert (
                x + wide <= other_x
                or other_x + other_wide <= x
                or y + high <= other_y
                or other_y + other_high <= y
            )


def test_qstates_actions_and_goals_are_drawn():
    graph, svg = draw(CLEAR_BLOCK)
    assert svg.get("aria-label") == "Policy graph: 3 qstates, 1 of them goals"
    assert len(list_states(svg)) == 3
    assert len(list_edges(svg)) == len(graph.edges) == 3
    start = find_state(svg, "not holding, above>0")
    assert start.get("class") == "state start"
    assert [text.text for text in start.iter(f"{SVG}text")] == [
        "not holding, above>0",
        "lift-from-above",
    ]
    assert start.find(f"{SVG}title").text.splitlines()[1] == (
        "lift-from-above: set holding, decrease above"
    )
    goal = find_state(svg, "holding, above=0")
    assert goal.get("class") == "state goal"
    assert [text.text for text in goal.iter(f"{SVG}text")] == ["holding, above=0", "goal"]


@settings(max_examples=100)
@given(data=st.data(), qnp=qnps())
def test_any_policy_is_drawn(data, qnp):
    graph, svg = draw(qnp, data.draw(policies(qnp, most=3)))
    assert len(list_states(svg)) == len(graph.states)
    assert len(list_edges(svg)) == len(set(graph.edges))
    assert_apart(svg)


def test_alternatives_leave_the_box_at_different_places():
    qnp = make_qnp("two", "done", "n", "not done, n>0", "n=0", {
        "down": ("n>0", "n-"), "finish": ("n>0", "done"),
    })  # fmt: skip
    _, svg = draw(qnp, {2: ("down", "finish")})
    starts = {re.match(r"M([-\d.]+),", path.get("d"))[1] for path in list_edges(svg)}
    assert len(starts) == 2
    left_open = find_state(svg, "done, n>0")
    assert left_open.get("class") == "state open"
    assert [text.text for text in left_open.iter(f"{SVG}text")][-1] == "no action"


def test_run_is_drawn_stronger():
    graph = build_policy_graph(GRIPPER, solve_qnp(GRIPPER).policy)
    run = [graph.edges[0].source, graph.edges[0].target]
    _, svg = draw(GRIPPER, run=run)
    assert len([one for one in list_states(svg) if "run" in one.get("class").split()]) == 2
    assert [one.get("class") for one in list_edges(svg)].count("edge run") == 1
    assert list_edges(svg)[-1].get("class") == "edge run"


def test_large_graphs_are_cut():
    graph, svg = draw(make_nest(8))
    assert len(list_states(svg)) == MOST_SHOWN
    assert f"and {len(graph.states) - MOST_SHOWN} more qstates" in "".join(svg.itertext())
    assert_apart(svg)


def test_names_cannot_break_the_page():
    actions = tuple(replace(one, name=f"<{one.name}>&") for one in CLEAR_BLOCK.actions)
    _, svg = draw(replace(CLEAR_BLOCK, actions=actions))
    assert "<lift-from-above>&" in [text.text for text in svg.iter(f"{SVG}text")]


def test_empty_qnp_is_drawn():
    _, svg = draw(make_qnp("empty", "", "", "", "", {}))
    assert [text.text for text in svg.iter(f"{SVG}text")] == ["anything", "goal"]


def test_a_run_marks_only_the_actions_that_it_took():
    graph = build_policy_graph(GRIPPER, solve_qnp(GRIPPER).policy)
    edge = graph.edges[0]
    run = (edge.source, edge.target)
    other = next(one.name for one in GRIPPER.actions if one.name != edge.action)
    doubled = replace(graph, edges=(*graph.edges, replace(edge, action=other)))
    for actions, marked in (((), 2), ((edge.action,), 1)):
        svg = ElementTree.fromstring(draw_policy_graph(doubled, run, actions))
        assert sum("run" in one.get("class").split() for one in list_edges(svg)) == marked
