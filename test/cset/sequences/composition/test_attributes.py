# SPDX-License-Identifier: Apache-2.0
"""Composites of rules that read and write attributes."""

from typing import Any

import pytest
from composed_home import CLEAN, HOME, LEVEL, Make, V, X, pour, shared, shown

from fcp_ros.cset import (
    Instance,
    find_matches,
    rewrite,
)
from fcp_ros.cset.instance.expressions import Comparator, Comparison, Operation, Operator
from fcp_ros.cset.sequences.composition import (
    CompositionError,
    compose,
    compose_sequence,
)


def test_expressions_are_put_into_one_another(action: Make, run: Make, world: Make) -> None:
    rule = pour(action, where=[Comparison(V, Comparator.LESS, 5)])
    state = world(HOME, {"m": "mug"}, (), {("m", "level"): 2})
    steps = run(state, *[(rule, {"x": "m"})] * 3)
    macro, match = compose_sequence(steps)
    (x,) = macro.rule.R.all_elements()
    assert str(macro.rule.R.attribute(x, "level")) == "(((?v + 1) + 1) + 1)"
    assert [str(c) for c in macro.rule.where[:3]] == [
        "?v < 5",
        "(?v + 1) < 5",
        "((?v + 1) + 1) < 5",
    ]
    outcome = rewrite(macro.rule, match)
    assert outcome.instance == steps[-1].after
    full = world(HOME, {"m": "mug"}, (), {("m", "level"): 3})
    assert list(find_matches(macro.rule, full)) == []


def test_a_value_that_the_second_wants_is_compared_with_what_the_first_assigns(
    action: Make, world: Make
) -> None:
    first = pour(action)
    want = action(HOME, "want", X, reads={LEVEL: 3}, add=[CLEAN])
    macro = compose(first, want, shared(first, want, x="x"))
    assert [str(comparison) for comparison in macro.rule.where] == ["(?v + 1) == 3"]
    found = [
        level
        for level in (1, 2, 3)
        if list(find_matches(macro.rule, world(HOME, {"m": "mug"}, (), {("m", "level"): level})))
    ]
    assert found == [2]
    fill = action(HOME, "fill", X, sets={LEVEL: 2})
    with pytest.raises(CompositionError, match="'level' of 'x' is 2 after the steps before, not 3"):
        compose(fill, want, shared(fill, want, x="x"))
    spill = action(HOME, "spill", X, reads={LEVEL: V}, sets={LEVEL: None})
    with pytest.raises(CompositionError, match="'level' of 'x' is not set after the steps before"):
        compose(spill, want, shared(spill, want, x="x"))


def test_variables_of_the_two_rules_are_different(action: Make) -> None:
    rule = pour(action)
    macro = compose(rule, rule, {})
    assert sorted(str(macro.rule.R.attribute(e, "level")) for e in macro.rule.R.all_elements()) == [
        "(?v + 1)",
        "(?v_2 + 1)",
    ]


def test_a_value_that_is_lost_must_have_been_one(action: Make, world: Make) -> None:
    divide = Operation(Operator.DIVIDE, (1, V))
    weigh = action(HOME, "weigh", X, reads={LEVEL: V}, sets={LEVEL: divide})
    fill = action(HOME, "fill", X, sets={LEVEL: 2})
    with pytest.raises(CompositionError, match="which may be no whole number, and then lost"):
        compose(weigh, fill, shared(weigh, fill, x="x"))
    rule = pour(action)
    macro = compose(rule, fill, shared(rule, fill, x="x"))
    assert [str(comparison) for comparison in macro.rule.where] == ["(?v + 1) == (?v + 1)"]


def test_what_is_assigned_and_forgotten_was_not_there(action: Make, run: Make, world: Make) -> None:
    fill = action(HOME, "fill", X, sets={LEVEL: 2})
    spill = action(HOME, "spill", X, reads={LEVEL: 2}, sets={LEVEL: None})
    macro = compose(fill, spill, shared(fill, spill, x="x"))
    assert [c.name for c in macro.rule.conditions] == ["no 'level' of 'x' yet"]
    empty, full = (world(HOME, {"m": "mug"}, (), v) for v in ({}, {("m", "level"): 1}))
    assert len(list(find_matches(macro.rule, empty))) == 1
    assert list(find_matches(macro.rule, full)) == []
    # Where it was there, the composite of the steps forgets it, whatever it was.
    steps = run(full, (fill, {"x": "m"}), (spill, {"x": "m"}))
    macro, match = compose_sequence(steps)
    assert macro.rule.conditions == ()
    assert rewrite(macro.rule, match).instance == empty


def test_tuples_that_come_and_go_were_not_there(action: Make, run: Make, world: Make) -> None:
    wash = action(HOME, "wash", X, add=[CLEAN])
    soil = action(HOME, "soil", X, delete=[CLEAN])
    macro = compose(wash, soil, shared(wash, soil, x="x"))
    assert [c.name for c in macro.rule.conditions] == ["no clean(x) yet"]
    clean, dirty = (world(HOME, {"m": "mug"}, facts) for facts in ([("clean", "m")], []))
    assert len(list(find_matches(macro.rule, dirty))) == 1
    assert list(find_matches(macro.rule, clean)) == []
    macro, match = compose_sequence(run(clean, (wash, {"x": "m"}), (soil, {"x": "m"})))
    assert macro.rule.conditions == ()
    assert rewrite(macro.rule, match).instance == dirty
    # The other way round the tuple stays, and nothing need be said.
    back = compose(soil, wash, shared(soil, wash, x="x"))
    assert (back.rule.conditions, back.rule.deleted, back.rule.created) == ((), set(), set())


def test_tuples_with_attributes(action: Make, run: Make, world: Make) -> None:
    two, route = {"p": "place", "q": "place"}, ("route", "p", "q")
    length = (route, "length")
    build = action(HOME, "build", two, add=[route], sets={length: 2.5})
    close = action(HOME, "close", two, delete=[route])
    start = world(HOME, {"a": "place", "b": "place"}, [("route", "a", "b")], {})
    pq = {"p": "a", "q": "b"}
    for calls in ([build], [close, build], [build, close], [close, build, close]):
        for before in (start, rewritten(run(start, (build, pq)))):
            steps = run(before, *((rule, pq) for rule in calls))
            macro, match = compose_sequence(steps)
            assert rewrite(macro.rule, match).instance == rewritten(steps)


def test_a_tuple_that_is_removed_and_added_at_once_is_kept(action: Make) -> None:
    wash = action(HOME, "wash", X, add=[CLEAN])
    renew = action(HOME, "renew", X, delete=[CLEAN], add=[CLEAN])
    macro = compose(wash, renew, shared(wash, renew, x="x"))
    assert shown(macro.rule.L) == ["x"]
    assert shown(macro.rule.R) == ["clean(x)"]
    assert macro.rule.conditions == ()


def test_a_tuple_without_attributes_must_be_new_to_have_none(action: Make, world: Make) -> None:
    two, route = {"p": "place", "q": "place"}, ("route", "p", "q")
    build = action(HOME, "build", two, add=[route])
    measured = ({}, [route], {"reads": {(route, "length"): V}})
    check = action(HOME, "check", two, unless=[measured])
    macro = compose(build, check, shared(build, check, p="p", q="q"))
    elements, there = {"a": "place", "b": "place"}, [("route", "a", "b"), ("route", "b", "a")]
    lengths = {(entry, "length"): 1.0 for entry in there}
    assert len(list(find_matches(macro.rule, world(HOME, elements)))) == 2
    assert list(find_matches(macro.rule, world(HOME, elements, there, lengths))) == []


def rewritten(steps: list[Any]) -> Instance:
    last: Instance = steps[-1].after
    return last
