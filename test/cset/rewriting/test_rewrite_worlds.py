# SPDX-License-Identifier: Apache-2.0
"""Rewriting of world states: the planning cases 24 to 26, and what relations as sets mean."""

from collections.abc import Iterable, Mapping

import pytest

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Fact,
    Function,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Rewrite,
    Rule,
    Schema,
    ViolationKind,
    find_homs,
    find_matches,
    identity,
    inclusion,
    morphism,
    rewrite,
    with_facts,
)
from fcp_ros.cset.constraints import find_conflicts

Tuple = tuple[str, ...]


def pattern(
    schema: Schema,
    elements: Mapping[str, str],
    tuples: Iterable[Tuple] = (),
    values: Iterable[tuple[str, str, str]] = (),
) -> Instance:
    """An instance from name -> type, (relation, names...) and (function, argument, value)."""
    builder = InstanceBuilder(schema)
    for name, type_ in elements.items():
        builder.add(type_, name)
    for relation, *names in tuples:
        builder.relate(relation, *map(builder.id_of, names))
    for function, argument, value in values:
        builder.set_function(function, builder.id_of(argument), builder.id_of(value))
    return builder.build()


def action(
    schema: Schema,
    name: str,
    parameters: Mapping[str, str],
    when: Iterable[Tuple],
    delete: Iterable[Tuple] = (),
    add: Iterable[Tuple] = (),
    unless: Iterable[tuple[Mapping[str, str], Tuple]] = (),
    monic: bool = True,
) -> Rule:
    """A rule that only changes tuples; `unless` are (extra elements, tuple) that must be absent."""
    kept = [entry for entry in when if entry not in list(delete)]
    glue = pattern(schema, parameters, kept)
    left = pattern(schema, parameters, when)
    right = pattern(schema, parameters, [*kept, *add])
    conditions = tuple(
        ApplicationCondition(
            ConditionKind.NAC,
            " ".join(entry),
            inclusion(left, pattern(schema, {**parameters, **extra}, [*when, entry])),
        )
        for extra, entry in unless
    )
    return Rule(name, inclusion(glue, left), inclusion(glue, right), conditions, monic)


def match_of(rule: Rule, state: Instance, **names: str) -> Morphism:
    """The match given by the names of the elements."""
    elements = {rule.L.id_of(key): state.id_of(value) for key, value in names.items()}
    return morphism(rule.L, state, elements)


def result_of(outcome: Rewrite) -> Instance:
    assert outcome.violations == ()
    assert outcome.instance is not None
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    return outcome.instance


# --- cases 24 and 25: the loaf, its slices, and why mutable relations are reified

BREAKFAST = Schema(
    "breakfast",
    {"object": (), "slice": ()},
    (Function("part_of", "slice", "object"),),
    (Relation("on", (("item", "object"), ("support", "object")), ("item",)),),
)
SLICES = ("slice_1", "slice_2", "slice_3")


def breakfast() -> Instance:
    return pattern(
        BREAKFAST,
        {
            "loaf": "object",
            "counter": "object",
            "table": "object",
            **dict.fromkeys(SLICES, "slice"),
        },
        [("on", "loaf", "counter")],
        [("part_of", slice_, "loaf") for slice_ in SLICES],
    )


def locations(state: Instance, slice_: str) -> list[str]:
    """Where a slice is: `on` after `part_of`, computed and never stored."""
    whole = state.apply("part_of", state.id_of(slice_))
    rows = state.tuples_at("on", "item", whole)
    return [state.name_of(state.tuples("on")[row][1]) for row in rows]


def move(monic: bool) -> Rule:
    return action(
        BREAKFAST,
        "move",
        {"x": "object", "from": "object", "to": "object"},
        when=[("on", "x", "from")],
        delete=[("on", "x", "from")],
        add=[("on", "x", "to")],
        monic=monic,
    )


def test_case_24_the_slices_follow_the_loaf() -> None:
    # Only the loaf is on something, so x and from are fixed; `to` is any of the 3 objects, and only
    # the table is neither the loaf nor the counter.
    before = breakfast()
    assert len(list(find_homs(move(False).L, before, monic=False))) == 3
    (match,) = find_matches(move(True), before)
    assert match.by_name() == {"x": "loaf", "from": "counter", "to": "table"}
    outcome = rewrite(move(True), match)
    after = result_of(outcome)
    assert outcome.delta.added == (Fact("on", ("loaf", "table")),)
    assert outcome.delta.removed == (Fact("on", ("loaf", "counter")),)
    assert (outcome.delta.created, outcome.delta.deleted) == ((), ())
    assert after.function_table("part_of") is before.function_table("part_of")
    assert [locations(before, slice_) for slice_ in SLICES] == [["counter"]] * 3
    assert [locations(after, slice_) for slice_ in SLICES] == [["table"]] * 3


def test_case_25_a_function_cannot_be_changed_by_an_action() -> None:
    # With `on` as a function the loaf can only be replaced, and its slices would dangle.
    schema = Schema(
        "literal",
        {"object": (), "slice": ()},
        (Function("part_of", "slice", "object"), Function("on", "object", "object")),
    )
    supports = {"from": "object", "to": "object"}
    still = [("on", name, name) for name in supports]
    glue = pattern(schema, supports, values=still)
    left = pattern(schema, {**supports, "x": "object"}, values=[*still, ("on", "x", "from")])
    right = pattern(schema, {**supports, "x": "object"}, values=[*still, ("on", "x", "to")])
    rule = Rule("move", inclusion(glue, left), inclusion(glue, right))
    state = pattern(
        schema,
        {
            "loaf": "object",
            "counter": "object",
            "table": "object",
            **dict.fromkeys(SLICES, "slice"),
        },
        values=[
            ("on", "counter", "counter"),
            ("on", "table", "table"),
            ("on", "loaf", "counter"),
            *(("part_of", slice_, "loaf") for slice_ in SLICES),
        ],
    )
    outcome = rewrite(rule, match_of(rule, state, x="loaf", to="table", **{"from": "counter"}))
    assert outcome.instance is None
    assert {v.elements for v in outcome.violations} == {("loaf", slice_) for slice_ in SLICES}
    assert {v.kind for v in outcome.violations} == {ViolationKind.DANGLING}
    assert "if actions are to change 'part_of', declare it as a relation" in str(
        outcome.violations[0]
    )


# --- case 26: blocks

BLOCKS = Schema(
    "blocks",
    {"block": (), "hand": ()},
    relations=(
        Relation("on", (("above", "block"), ("below", "block")), ("above", "below")),
        Relation("on_table", (("block", "block"),)),
        Relation("holding", (("hand", "hand"), ("block", "block")), ("hand", "block")),
    ),
)
X, Y = {"h": "hand", "x": "block"}, {"h": "hand", "x": "block", "y": "block"}
CLEAR_X = ({"any": "block"}, ("on", "any", "x"))
CLEAR_Y = ({"any": "block"}, ("on", "any", "y"))
EMPTY = ({"any": "block"}, ("holding", "h", "any"))
TABLE, HELD, STACKED = ("on_table", "x"), ("holding", "h", "x"), ("on", "x", "y")
BLOCK_RULES = (
    action(BLOCKS, "pick_up", X, [TABLE], [TABLE], [HELD], [CLEAR_X, EMPTY]),
    action(BLOCKS, "put_down", X, [HELD], [HELD], [TABLE]),
    action(BLOCKS, "unstack", Y, [STACKED], [STACKED], [HELD], [CLEAR_X, EMPTY]),
    action(BLOCKS, "stack", Y, [HELD], [HELD], [STACKED], [CLEAR_Y]),
)


@pytest.mark.parametrize(
    ("blocks", "states"),
    [
        *((1, 2), (2, 5), (3, 22), (4, 125), (5, 866)),
        pytest.param(6, 7057, marks=pytest.mark.thorough),
    ],
)
def test_case_26_blocksworld(blocks: int, states: int) -> None:
    # The number of states is the number of ways to arrange n blocks in stacks (1, 3, 13, 73, 501,
    # 4051), plus n times that of n - 1 blocks while one is held: 1 + 1 = 2, 3 + 2 = 5, 13 + 9 = 22,
    # 73 + 52 = 125, 501 + 365 = 866, 4051 + 3006 = 7057. (With 6 blocks it takes some 4 s.)
    assert _reachable(blocks) == states


def _reachable(blocks: int) -> int:
    names = {f"b{number}": "block" for number in range(blocks)}
    start = pattern(BLOCKS, {"hand": "hand", **names}, [("on_table", name) for name in names])
    seen, frontier = {start}, [start]
    while frontier:
        state = frontier.pop()
        for rule in BLOCK_RULES:
            for match in find_homs(rule.L, state):
                outcome = rewrite(rule, match)
                if outcome.instance is not None and outcome.instance not in seen:
                    seen.add(outcome.instance)
                    frontier.append(outcome.instance)
    return len(seen)


# --- relations are sets

HOME = Schema(
    "home",
    {"item": (), "mug": ("item",), "place": ()},
    (),
    (
        Relation("on", (("item", "item"), ("place", "place")), ("item",)),
        Relation("clean", (("item", "item"),)),
    ),
)
STATE = pattern(
    HOME,
    {"m1": "mug", "m2": "mug", "p1": "place", "p2": "place"},
    [("on", "m1", "p1"), ("clean", "m1")],
)
ON_X_P, CLEAN_X = ("on", "x", "p"), ("clean", "x")
X_P = {"x": "item", "p": "place"}


def test_a_functional_leg_is_checked_on_the_result() -> None:
    rule = action(HOME, "put", X_P, [], [], [ON_X_P])
    outcome = rewrite(rule, match_of(rule, STATE, x="m1", p="p2"))
    assert outcome.instance is None
    assert outcome.comatch is None
    assert not outcome.delta
    (violation,) = outcome.violations
    assert violation.kind is ViolationKind.FUNCTIONAL
    assert violation.elements == ("m1", "on(m1, p1)", "on(m1, p2)")
    assert result_of(rewrite(rule, match_of(rule, STATE, x="m2", p="p2")))


def test_a_conflict_that_was_there_before_is_not_the_rules() -> None:
    broken = with_facts(STATE, add=[Fact("on", ("m1", "p2"))], allow_conflicts=True)
    rule = action(HOME, "put", X_P, [], [], [ON_X_P])
    after = result_of(rewrite(rule, match_of(rule, broken, x="m2", p="p2")))
    assert len(find_conflicts(after)) == 1


def test_creating_and_deleting_elements() -> None:
    place = {"p": "place"}
    glue, right = pattern(HOME, place), pattern(HOME, {**X_P, "x": "mug"}, [ON_X_P])
    rule = Rule("deliver", identity(glue), inclusion(glue, right))
    outcome = rewrite(rule, match_of(rule, STATE, p="p2"))
    after = result_of(outcome)
    assert outcome.delta.created == ("x",)
    assert outcome.delta.added == (Fact("on", ("x", "p2")),)
    twice = rewrite(rule, match_of(rule, after, p="p2"))
    assert twice.delta.created == ("x_2",)
    # A mug on p2 that is nowhere else can be taken away again; a clean one not, for it dangles.
    vanish = rule.inverse()
    assert result_of(rewrite(vanish, match_of(vanish, after, x="x", p="p2"))) == STATE
    (violation,) = rewrite(vanish, match_of(vanish, STATE, x="m1", p="p1")).violations
    assert violation.kind is ViolationKind.DANGLING
    assert violation.message == "clean(m1) stays, but its 'item' 'm1' would be deleted"
