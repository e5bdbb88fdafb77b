# SPDX-License-Identifier: Apache-2.0
"""Composites of rules with application conditions."""

import pytest
from composed_home import CLEAN, HOME, LEVEL, ON, XP, Make, V, X, pour, shared, shown

from fcp_ros.cset import (
    ConditionKind,
    Rule,
    find_matches,
    identity,
    inclusion,
)
from fcp_ros.cset.conditions.conditions import ApplicationCondition, CountCondition
from fcp_ros.cset.graphs import edges_of, graph
from fcp_ros.cset.instance.expressions import Comparator, Comparison, Variable
from fcp_ros.cset.sequences.composition import (
    CompositionError,
    compose,
)


def test_a_condition_that_the_first_step_sees_to_is_left_out(action: Make, world: Make) -> None:
    soil = action(HOME, "soil", X, delete=[CLEAN])
    dust = action(HOME, "dust", X, unless=[({}, [CLEAN])])
    macro = compose(soil, dust, shared(soil, dust, x="x"))
    assert macro.rule.conditions == ()
    wash = action(HOME, "wash", X, add=[CLEAN])
    with pytest.raises(CompositionError) as caught:
        compose(wash, dust, shared(wash, dust, x="x"))
    assert str(caught.value) == (
        "condition 'clean x' of rule 'dust' (number 1) can never hold here"
    )


def test_a_functional_leg_says_that_there_is_nothing_else(pick: Rule, place: Rule) -> None:
    # The robot that places x held x, and so nothing else that the pick would have to forbid.
    macro = compose(place, pick, shared(place, pick, r="r"))
    assert macro.rule.conditions == ()
    assert shown(macro.rule.L) == ["holding(r, x)", "on(x_2, p_2)", "p"]
    assert shown(macro.rule.R) == ["holding(r, x_2)", "on(x, p)", "p_2"]


def test_a_condition_on_anything_leaves_out_what_the_first_step_changed(
    action: Make, world: Make
) -> None:
    # "Nothing is clean" after soiling x: before, nothing else was clean.
    soil = action(HOME, "soil", X, delete=[CLEAN])
    rest = action(HOME, "rest", {}, unless=[({"any": "item"}, [("clean", "any")])])
    macro = compose(soil, rest, {})
    (condition,) = macro.rule.conditions
    assert isinstance(condition, ApplicationCondition)
    assert shown(condition.pattern) == ["clean(any)", "clean(x)"]
    assert [c.name for c in condition.nested] == ["another one for clean any"]
    one, two = (
        world(HOME, {"a": "mug", "b": "mug"}, f)
        for f in ([("clean", "a")], [("clean", "a"), ("clean", "b")])
    )
    assert len(list(find_matches(macro.rule, one))) == 1
    assert list(find_matches(macro.rule, two)) == []


def test_a_condition_on_values_leaves_out_what_the_first_step_wrote(
    action: Make, world: Make
) -> None:
    # "Nothing is empty" after filling x: x may have been empty before.
    reads = {("z", "level"): 0}
    fill = action(HOME, "fill", X, reads={LEVEL: V}, sets={LEVEL: 1})
    rest = action(HOME, "rest", {}, unless=[({"z": "item"}, [], {"reads": reads})])
    macro = compose(fill, rest, {})
    found = []
    for levels in ((0, None), (0, 1), (0, 0), (1, 0)):
        values = {(n, "level"): v for n, v in zip("ab", levels, strict=True) if v is not None}
        start = world(HOME, {"a": "mug", "b": "mug"}, (), values)
        found.append(sum(m.by_name()["x"] == "a" for m in find_matches(macro.rule, start)))
    assert found == [1, 1, 0, 0]


def test_a_condition_on_elements_leaves_out_what_the_first_step_deleted(
    action: Make, world: Make
) -> None:
    # "There is no item" after smashing x: x was the only one.
    smash = action(HOME, "smash", X, gone=["x"])
    rest = action(HOME, "rest", {}, unless=[({"any": "item"}, [])])
    macro = compose(smash, rest, {})
    found = []
    for number in (1, 2):
        names = {f"m{index}": "mug" for index in range(number)}
        found.append(len(list(find_matches(macro.rule, world(HOME, names)))))
    assert found == [1, 0]


def test_a_condition_on_a_value_that_the_first_step_computes(action: Make, world: Make) -> None:
    first = pour(action)
    reads = {("y", "level"): Variable("w")}
    full = [Comparison(Variable("w"), Comparator.GREATER, 2)]
    check = action(HOME, "check", {"y": "item"}, unless=[({}, [], {"reads": reads, "where": full})])
    macro = compose(first, check, shared(first, check, x="y"))
    (condition,) = macro.rule.conditions
    assert [str(comparison) for comparison in condition.where] == ["(?v + 1) > 2"]
    found = [
        level
        for level in (0, 1, 2, 3)
        if list(find_matches(macro.rule, world(HOME, {"m": "mug"}, (), {("m", "level"): level})))
    ]
    assert found == [0, 1]


def test_monic_and_nested_conditions(action: Make, world: Make) -> None:
    # "There is another place, which holds nothing", after x was put on p.
    put = action(HOME, "put", XP, add=[ON])
    held = ({"i": "item"}, [("on", "i", "q")])
    free = ({"q": "place"}, [], {"monic": True, "nested": [("nac", held)]})
    choose = action(HOME, "choose", {"p": "place"}, given=[free])
    macro = compose(put, choose, shared(put, choose, p="p"))
    elements = {"m": "mug", "n": "mug", "a": "place", "b": "place"}
    found = []
    for facts in ([], [("on", "n", "b")], [("on", "n", "a")]):
        matches = find_matches(macro.rule, world(HOME, elements, facts))
        found.append(sorted(m.by_name()["p"] for m in matches if m.by_name()["x"] == "m"))
    # n lies on b: then a is free only while m is put on b.
    assert found == [["a", "b"], ["b"], ["a"]]


def test_a_monic_condition_of_the_first_rule(action: Make, world: Make) -> None:
    lonely = action(HOME, "lonely", X, unless=[({"z": "item"}, [], {"monic": True})])
    wash = action(HOME, "wash", X, add=[CLEAN])
    macro = compose(lonely, wash, shared(lonely, wash, x="x"))
    found = []
    for number in (1, 2):
        names = {f"m{index}": "mug" for index in range(number)}
        found.append(len(list(find_matches(macro.rule, world(HOME, names)))))
    assert found == [1, 0]
    # What is washed besides is another one.
    with pytest.raises(CompositionError, match="condition '' of rule 'lonely'"):
        compose(lonely, wash, {})


def test_what_was_there_does_not_lead_to_what_is_created() -> None:
    # "Nothing leads to v" holds of a vertex that was just created, whatever there was.
    vertex = graph(1)
    create = Rule("create", identity(graph(0)), inclusion(graph(0), vertex))
    source = inclusion(vertex, graph(2, [(2, 1)]))
    nothing = ApplicationCondition(ConditionKind.NAC, "arrow", source)
    check = Rule("check", identity(vertex), identity(vertex), (nothing,))
    v = vertex.id_of("v1")
    assert compose(create, check, {v: v}).rule.conditions == ()
    (condition,) = compose(create, check, {}).rule.conditions
    assert len(edges_of(condition.pattern)) == 1


def test_counts_are_counted_without_what_the_first_step_adds(action: Make, world: Make) -> None:
    put = action(HOME, "put", XP, add=[ON])
    few = action(
        HOME,
        "few",
        {"p": "place"},
        number=[({"any": "item"}, [("on", "any", "p")], {"at_least": 2, "at_most": 3})],
    )
    macro = compose(put, few, shared(put, few, p="p"))
    (condition,) = macro.rule.conditions
    assert isinstance(condition, CountCondition)
    assert (condition.at_least, condition.at_most) == (1, 2)
    names = {f"i{number}": "item" for number in range(5)}
    found = []
    for number in range(5):
        there = [("on", f"i{index}", "p") for index in range(number)]
        start = world(HOME, {**names, "p": "place"}, there)
        matches = [m for m in find_matches(macro.rule, start) if m.by_name()["x"] == "i4"]
        found.append(len(matches))
    assert found == [0, 1, 1, 0, 0]


def test_one_of_several_things_must_be_there(action: Make, world: Make) -> None:
    # After cloning an edge, "there is a loop" may be said of what was there, or of what is new.
    wash = action(HOME, "wash", X, add=[CLEAN])
    proud = action(
        HOME,
        "proud",
        {"p": "place"},
        given=[({"any": "item"}, [("clean", "any"), ("on", "any", "p")])],
    )
    macro = compose(wash, proud, {})
    (condition,) = macro.rule.conditions
    assert isinstance(condition, ApplicationCondition)
    assert condition.kind is ConditionKind.NAC
    assert {
        inner.kind for inner in condition.nested if isinstance(inner, ApplicationCondition)
    } == {ConditionKind.NAC}
    elements = {"m": "mug", "n": "mug", "p": "place"}
    on = {name: ("on", name, "p") for name in "mn"}
    worlds = ([], [on["m"]], [on["n"]], [("clean", "n"), on["n"]])
    found = [
        sum(m.by_name()["x"] == "m" for m in find_matches(macro.rule, world(HOME, elements, facts)))
        for facts in worlds
    ]
    # x = m is clean then: on p it will do; n must be clean by itself.
    assert found == [0, 1, 0, 1]
