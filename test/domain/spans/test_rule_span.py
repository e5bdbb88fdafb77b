# SPDX-License-Identifier: Apache-2.0
"""Rules as spans: natural, and applicable exactly where the household's text says so."""

import pytest

from fcp_ros.cset import Fact, facts, find_homs, find_matches, rewrite, with_facts
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.domain.rule_spans import build_constraint_pattern, build_span


def matches(domain, state, rule, **arguments):
    """All applicable bindings of a rule, as names by parameter."""
    span = build_span(domain.rules[rule], domain.schema)
    initial = {span.parameters[p]: state.id_of(name) for p, name in arguments.items()}
    found = list(find_matches(span.rule, state, initial=initial))
    return span, found


def apply(domain, state, rule, **arguments):
    span, found = matches(domain, state, rule, **arguments)
    assert len(found) == 1, f"{rule}{arguments}: {[m.by_name() for m in found]}"
    result = rewrite(span.rule, found[0])
    assert not result.violations
    return result.instance


def has(state, relation, *names):
    return Fact(relation, names) in facts(state)


def test_every_rule_is_a_natural_span_of_its_parts(household):
    for rule in household.rules.values():
        span = build_span(rule, household.schema)
        assert set(span.parameters) == set(rule.parameter_names)
        for parameter in rule.parameters:
            element = span.parameters[parameter.name]
            assert span.rule.L.type_of(element) == parameter.type
        assert len(facts(span.rule.L)) == len(rule.positive())
        assert len(facts(span.rule.K)) == len(rule.positive()) - len(rule.delete)
        assert facts(span.rule.R) - facts(span.rule.K) == {
            Fact(atom.predicate, tuple(t.name for t in atom.arguments)) for atom in rule.add
        }
        for morphism in (span.rule.left, span.rule.right):
            assert not morphism.violations()
        assert len(span.rule.conditions) >= len(rule.negative())
        for condition in span.rule.conditions:
            assert not condition.inclusion.violations()


def test_a_whole_day_uses_every_rule(household, flat):
    state = apply(household, flat, "open", thing="fridge_1")
    state = apply(household, state, "take_out", item="milk_1")
    assert has(state, "holding", "robot_1", "milk_1")
    state = apply(household, state, "place", support="counter_1")
    state = apply(household, state, "close", thing="fridge_1")
    state = apply(household, state, "open_door", door="door_1")
    state = apply(household, state, "close_door", door="door_1")
    state = apply(household, state, "pick", item="sponge_1")
    state = apply(household, state, "wipe", surface="counter_1")
    assert not has(state, "dirty", "counter_1")
    state = apply(household, state, "put_in", container="bin_1")
    state = apply(household, state, "switch_on", device="stove_1")
    state = apply(household, state, "switch_off", device="stove_1")
    state = apply(household, state, "switch_on_movable", device="lamp_1")
    state = apply(household, state, "switch_off_movable", device="lamp_1")
    state = apply(household, state, "unstack", item="book_1")
    state = apply(household, state, "navigate", to="living_room_1")
    state = apply(household, state, "place", support="table_1")
    assert has(state, "on", "book_1", "table_1")
    assert not find_conflicts(state)


@pytest.mark.parametrize(
    ("rule", "arguments", "because"),
    [
        ("navigate", {"to": "hall_1"}, "the door is closed"),
        ("take_out", {"item": "milk_1"}, "the fridge is closed"),
        ("pick", {"item": "mug_2"}, "it is in another room"),
        ("pick", {"item": "chair_1"}, "there is a book on it"),
        ("pick", {"item": "book_1"}, "it is on a chair"),
        ("wipe", {"surface": "counter_1"}, "the hand is empty"),
        ("close", {"thing": "fridge_1"}, "it is closed"),
        ("switch_on_movable", {"device": "stove_1"}, None),
    ],
)
def test_rules_do_not_apply_where_they_must_not(household, flat, rule, arguments, because):
    if because is None:
        span = build_span(household.rules[rule], household.schema)
        initial = {span.parameters["device"]: flat.id_of("stove_1")}
        assert not list(find_homs(span.rule.L, flat, initial=initial))
    else:
        assert not matches(household, flat, rule, **arguments)[1], because


def test_a_full_hand_prevents_what_needs_a_free_one(household, flat):
    state = apply(household, flat, "pick", item="mug_1")
    for rule in ("pick", "open", "open_door", "unstack", "switch_on", "switch_on_movable"):
        assert not matches(household, state, rule)[1], rule


def test_a_container_without_a_lid_counts_as_open(household, flat):
    state = apply(household, flat, "pick", item="mug_1")
    state = apply(household, state, "put_in", container="bin_1")
    assert has(state, "inside", "mug_1", "bin_1")
    assert not matches(household, state, "put_in", container="fridge_1")[1]


def test_constraints_as_patterns(household, flat):
    spill, fire = (build_constraint_pattern(c, household.schema) for c in household.constraints)
    assert not list(find_homs(spill, flat))
    wet = with_facts(
        flat,
        add=[Fact("on", ("milk_1", "fridge_1"))],
        remove=[Fact("inside", ("milk_1", "fridge_1"))],
    )
    assert [m.by_name() for m in find_homs(spill, wet)] == [
        {"liquid": "milk_1", "surface": "fridge_1"}
    ]
    assert not list(find_homs(fire, wet))
