# SPDX-License-Identifier: Apache-2.0
"""Conditions decided through indexes of a state, beside the evaluator that tries all elements."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.domain.expressions.evaluation import holds
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Forall,
    Not,
    Or,
    TypedVariable,
    Variable,
)
from fcp_ros.language.domain_reader.terms.places import PresentState

TYPES = ("item", "cup", "surface", "room", "thing")
PLACES = {"on": ("couch_1", "table_1", "counter_1"), "inside": ("fridge_1",)}
X, Y = Variable("x"), Variable("y")


@st.composite
def conditions(draw):
    """Quantifiers over one or two variables, whose types fit the relations or do not."""
    relation = draw(st.sampled_from(sorted(PLACES)))
    place = draw(st.sampled_from([*map(Constant, PLACES[relation]), Y]))
    body = Atom(relation, (X, place))
    second = draw(st.sampled_from([None, Atom("holding", (Constant("robot_1"), X))]))
    if second is not None:
        body = draw(st.sampled_from([And, Or]))((body, second))
    if draw(st.booleans()):
        body = Not(body)
    names = ["x", "y"] if place is Y else ["x"]
    variables = tuple(TypedVariable(name, draw(st.sampled_from(TYPES))) for name in names)
    return draw(st.sampled_from([Exists, Forall]))(variables, body)


@given(condition=conditions())
@settings(max_examples=300)
def test_indexes_decide_as_trying_all_elements_does(house, condition):
    wanted = holds(condition, house.instance, {})
    assert PresentState(house.instance).holds(condition, {}) == wanted


COUNTED = {
    Bound.AT_LEAST: lambda found, number: found >= number,
    Bound.AT_MOST: lambda found, number: found <= number,
    Bound.EXACTLY: lambda found, number: found == number,
}


@given(condition=conditions(), bound=st.sampled_from(sorted(COUNTED)), number=st.integers(0, 4))
def test_things_are_counted_as_one_by_one(house, condition, bound, number):
    first, *others = condition.variables
    body = Exists(tuple(others), condition.body) if others else condition.body
    instance = house.instance
    names = [instance.name_of(element) for element in instance.elements(first.type)]
    found = sum(holds(body, instance, {first.name: name}) for name in names)
    counted = PresentState(instance).holds(Count(bound, number, (first,), body), {})
    assert counted == COUNTED[bound](found, number)


def test_a_thing_of_another_type_is_no_witness(house):
    """A book is on the couch, and no cup."""
    on_couch = Atom("on", (X, Constant("couch_1")))
    state = PresentState(house.instance)
    assert state.holds(Exists((TypedVariable("x", "item"),), on_couch), {})
    assert not state.holds(Exists((TypedVariable("x", "cup"),), on_couch), {})
