# SPDX-License-Identifier: Apache-2.0
"""Composite rules of known pairs and sequences: what they look like, and why there are none."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    ConditionKind,
    Instance,
    Morphism,
    Relation,
    Rule,
    Schema,
    check_match,
    find_homs,
    find_matches,
    identity,
    inclusion,
    rewrite,
)
from fcp_ros.cset.conditions.conditions import ApplicationCondition, CountCondition
from fcp_ros.cset.graphs import GRAPH, cycle, edges_of, graph, path
from fcp_ros.cset.instance.expressions import Comparator, Comparison, Operation, Operator, Variable
from fcp_ros.cset.rewriting.semantics import Semantics
from fcp_ros.cset.sequences.composition import (
    CompositionError,
    compose,
    compose_sequence,
    overlap_of,
)

HOME = Schema(
    "home",
    {"robot": (), "item": (), "mug": ("item",), "place": ()},
    (),
    (
        Relation("on", (("item", "item"), ("place", "place")), ("item",)),
        Relation("holding", (("robot", "robot"), ("item", "item")), ("robot", "item")),
        Relation("clean", (("item", "item"),)),
        Relation("route", (("here", "place"), ("there", "place"))),
    ),
    (
        Attribute("level", "item", AttributeKind.INT),
        Attribute("length", "route", AttributeKind.FLOAT),
    ),
)
RXP, XP, X = (
    {"r": "robot", "x": "item", "p": "place"},
    {"x": "item", "p": "place"},
    {"x": "item"},
)
ON, HOLDS, CLEAN = ("on", "x", "p"), ("holding", "r", "x"), ("clean", "x")
HELD = ({"any": "item"}, [("holding", "r", "any")])
LEVEL = ("x", "level")
V = Variable("v")
Make = Callable[..., Any]


def shown(instance: Instance) -> list[str]:
    """The tuples, and the elements without any, by names."""
    rows = [row for r in instance.schema.relations for row in instance.tuples(r.name)]
    met = {
        leg
        for r in instance.schema.relations
        for legs in instance.tuples(r.name).values()
        for leg in legs
    }
    alone = [instance.name_of(e) for e in instance.all_elements() if e not in met]
    return sorted([*alone, *map(instance.name_of, rows)])


def shared(first: Rule, second: Rule, **names: str) -> dict[int, int]:
    """The overlap by the names of elements."""
    return {first.R.id_of(ours): second.L.id_of(theirs) for ours, theirs in names.items()}


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


# --- what a composite looks like


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


# --- attributes


def pour(action: Make, **options: Any) -> Rule:
    more = Operation(Operator.ADD, (V, 1))
    made: Rule = action(HOME, "pour", X, reads={LEVEL: V}, sets={LEVEL: more}, **options)
    return made


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


# --- conditions


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


# --- why there is none


def test_what_the_first_step_takes_away_is_not_there(action: Make, pick: Rule, place: Rule) -> None:
    smash = action(HOME, "smash", X, delete=[CLEAN], gone=["x"])
    wash = action(HOME, "wash", X, add=[CLEAN])
    soil = action(HOME, "soil", X, delete=[CLEAN])
    with pytest.raises(CompositionError, match=r"clean\(x\) is removed by a step before"):
        compose(soil, soil, shared(soil, soil, x="x"))
    deliver = action(HOME, "deliver", {"p": "place"}, new={"x": "item"}, add=[ON])
    with pytest.raises(CompositionError) as caught:
        compose(deliver, soil, shared(deliver, soil, x="x"))
    assert str(caught.value) == (
        "clean(x) is not there after the steps before, which create x: it could not have been "
        "there without (the pushout complement does not exist)"
    )
    vanish = action(HOME, "vanish", X, gone=["x"])
    with pytest.raises(CompositionError, match=r"clean\(x\) stays, but its 'x' is deleted \(dang"):
        compose(wash, vanish, shared(wash, vanish, x="x"))
    assert compose(wash, smash, shared(wash, smash, x="x")).rule.deleted
    look = action(HOME, "look", {"m": "mug"})
    with pytest.raises(CompositionError, match="'x' is created as a 'item', but must be a 'mug'"):
        compose(deliver, look, shared(deliver, look, x="m"))


def test_what_no_state_can_be_like(action: Make, pick: Rule, place: Rule) -> None:
    with pytest.raises(CompositionError) as caught:
        compose(pick, place, shared(pick, place, x="x"))
    assert str(caught.value).startswith("no state can be like that: 'x' may be 'item' in one tuple")


def test_overlaps_that_are_none(action: Make, pick: Rule, place: Rule) -> None:
    r, x = pick.R.id_of("r"), place.L.id_of("x")
    with pytest.raises(CompositionError, match=r"the overlap \(99, \d+\) names what the rules do"):
        compose(pick, place, {99: x})
    with pytest.raises(CompositionError, match="must be a 'robot' and a 'item', of which none is"):
        compose(pick, place, {r: x})
    with pytest.raises(CompositionError, match="it must be one to one"):
        compose(pick, place, {r: x, pick.R.id_of("x"): x})
    row = pick.R.find_tuple("holding", (r, pick.R.id_of("x")))
    assert row is not None
    with pytest.raises(CompositionError, match=r"the overlap identifies holding\(r, x\) with x"):
        compose(pick, place, {row: x})


def test_rules_that_cannot_be_composed(pick: Rule) -> None:
    assert compose(pick, pick, {}).rule
    with pytest.raises(CompositionError, match="rule 'pick' is SPO: what it deletes depends on"):
        compose(pick, replace(pick, semantics=Semantics.SPO), {})
    (collapse,) = find_homs(graph(2), graph(1), monic=False)
    merge = Rule("merge", identity(graph(2)), Morphism(graph(2), graph(1), collapse.mapping))
    with pytest.raises(CompositionError, match="rule 'merge' merges elements"):
        compose(merge, merge, {})
    with pytest.raises(CompositionError, match="rule 'merge' has schema 'graph', rule 'pick' has"):
        compose(pick, merge, {})
    with pytest.raises(CompositionError, match="no rules to compose"):
        compose_sequence([])
    assert merge.L.schema == GRAPH
