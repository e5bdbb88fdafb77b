# SPDX-License-Identifier: Apache-2.0
"""What composites of known rules look like."""

import pytest
from composed_home import CLEAN, HOLDS, HOME, LEVEL, ON, Make, X, shared, shown

from fcp_ros.cset import (
    Instance,
    Rule,
    check_match,
    find_matches,
    identity,
    inclusion,
    rewrite,
)
from fcp_ros.cset.graphs import cycle, edges_of, graph, path
from fcp_ros.cset.sequences.composition import (
    CompositionError,
    compose,
    compose_sequence,
    overlap_of,
)


def test_pick_then_place_is_move(
    world: Make, run: Make, pick: Rule, place: Rule, state: Instance
) -> None:
    steps = run(
        state,
        (pick, {"r": "r1", "x": "m1", "p": "table"}),
        (place, {"r": "r1", "x": "m1", "p": "shelf"}),
    )
    assert overlap_of(steps[0].comatch, steps[1].match) == shared(pick, place, r="r", x="x") | {
        pick.R.find_tuple("holding", (pick.R.id_of("r"), pick.R.id_of("x"))): place.L.find_tuple(
            "holding", (place.L.id_of("r"), place.L.id_of("x"))
        )
    }
    macro, match = compose_sequence(steps)
    rule = macro.rule
    assert rule.name == "pick; place"
    assert shown(rule.L) == ["on(x, p)", "p_2", "r"]
    assert shown(rule.K) == ["p", "p_2", "r", "x"]
    assert shown(rule.R) == ["on(x, p_2)", "p", "r"]
    # What the pick forbids; and, since `holding` comes and goes, that nobody else holds the item.
    # That the robot did not hold it before follows from the first.
    assert [(c.name, shown(c.pattern)) for c in rule.conditions] == [
        ("no holding(r, x) yet", ["holding(robot, x)", "on(x, p)", "p_2", "r"]),
        ("holding r any", ["holding(r, any)", "on(x, p)", "p_2"]),
    ]
    assert match.by_name() == {"r": "r1", "x": "m1", "p": "table", "p_2": "shelf"}
    assert rewrite(rule, match).instance == steps[-1].after
    # It works for the other mug as well, and is expanded into the two steps that it stands for.
    other = [m for m in find_matches(rule, state) if m.by_name()["x"] == "m2"]
    assert len(other) == 1
    expanded = macro.expand(other[0])
    assert [step.rule for step in expanded] == [pick, place]
    assert expanded[0].match.by_name() == {"r": "r1", "x": "m2", "p": "table"}
    assert expanded[1].after == rewrite(rule, other[0]).instance


def test_a_composite_along_an_overlap(pick: Rule, place: Rule) -> None:
    macro = compose(pick, place, shared(pick, place, r="r", x="x"), name="move")
    assert macro.rule.name == "move"
    assert shown(macro.rule.L) == ["on(x, p)", "p_2", "r"]
    assert shown(macro.rule.R) == ["on(x, p_2)", "p", "r"]
    # Put back where it was: nothing happens in the end, but it must be possible.
    back = compose(pick, place, shared(pick, place, r="r", x="x", p="p"))
    assert shown(back.rule.L) == shown(back.rule.K) == shown(back.rule.R) == ["on(x, p)", "r"]
    assert not back.rule.deleted
    assert not back.rule.created
    # Without an overlap the two stand side by side, with two robots.
    both = compose(pick, place, {})
    assert shown(both.rule.L) == ["holding(r_2, x_2)", "on(x, p)", "p_2", "r"]
    assert shown(both.rule.R) == ["holding(r, x)", "on(x_2, p_2)", "p", "r_2"]


def test_a_longer_sequence_with_something_that_is_created(
    action: Make, run: Make, state: Instance, pick: Rule
) -> None:
    deliver = action(HOME, "deliver", {"p": "place"}, new={"x": "mug"}, add=[ON])
    wash = action(HOME, "wash", X, add=[CLEAN])
    smash = action(HOME, "smash", {"r": "robot", "x": "mug"}, delete=[HOLDS], gone=["x"])
    calls = (
        (deliver, {"p": "shelf"}),
        (pick, {"r": "r1", "x": "x", "p": "shelf"}),
        (wash, {"x": "x"}),
    )
    steps = run(state, *calls)
    macro, match = compose_sequence(steps)
    assert shown(macro.rule.L) == ["p", "r"]
    assert shown(macro.rule.R) == ["clean(x)", "holding(r, x)", "p"]
    # A mug that is there already is none that is delivered: only the pick's own condition is left.
    assert [shown(c.pattern) for c in macro.rule.conditions] == [["holding(r, any)", "p"]]
    assert rewrite(macro.rule, match).instance == steps[-1].after
    soil = action(HOME, "soil", X, delete=[CLEAN])
    gone = [(soil, {"x": "x"}), (smash, {"r": "r1", "x": "x"})]
    macro, match = compose_sequence(run(state, *calls, *gone))
    assert not macro.rule.created
    assert rewrite(macro.rule, match).instance == state


def test_an_overlap_of_an_element_with_one_of_a_subtype(action: Make) -> None:
    wash = action(HOME, "wash", X, add=[CLEAN])
    fill = action(HOME, "fill", {"m": "mug"}, [("clean", "m")], sets={("m", "level"): 3})
    for rules in ((wash, fill), (fill, wash)):
        ours, theirs = ("x", "m") if rules[0] is wash else ("m", "x")
        macro = compose(*rules, shared(*rules, **{ours: theirs}))
        (element,) = macro.rule.L.all_elements()
        assert macro.rule.L.type_of(element) == "mug"


def test_functions_bring_their_values_into_the_overlap() -> None:
    vertex, edge, loop = graph(1), path(2), cycle(1)
    grow = Rule("grow", identity(vertex), inclusion(vertex, edge))
    turn = Rule("turn", identity(edge), inclusion(edge, graph(2, [(1, 2), (2, 1)])))
    e1, v2 = edge.id_of("e1"), edge.id_of("v2")
    macro = compose(grow, turn, {e1: e1})
    assert len(macro.rule.L.all_elements()) == 1
    assert edges_of(macro.rule.R) == [("v1", "v2"), ("v2", "v1")]
    # Two vertices to begin with, of which the second step's edge needs one that is created.
    with pytest.raises(
        CompositionError, match="'tgt' of 'e1_2', which was there before, cannot be"
    ):
        compose(grow, turn, {v2: v2})
    # An edge cannot be a loop and lead from one vertex to another.
    with pytest.raises(CompositionError, match="it must be one to one"):
        compose(grow, Rule("look", identity(loop), identity(loop)), {e1: loop.id_of("e1")})


def test_a_match_that_identifies(action: Make, run: Make, world: Make) -> None:
    # The composite is of what was touched: of one item, not of two.
    swap = action(
        HOME,
        "stack",
        {"x": "item", "y": "item"},
        [CLEAN, ("clean", "y")],
        monic=False,
        delete=[],
        add=[],
        sets={LEVEL: 1},
    )
    wash = action(HOME, "wash", X, add=[CLEAN])
    state = world(HOME, {"m": "mug"})
    macro, match = compose_sequence(run(state, (wash, {"x": "m"}), (swap, {"x": "m", "y": "m"})))
    assert len(macro.rule.L.all_elements()) == 1
    assert check_match(macro.rule, match) == ()
