# SPDX-License-Identifier: Apache-2.0
"""Presented instances have their universal property; pushouts glue as little as they must."""

from itertools import product

import pytest
from example_graphs import GRAPH, cycle, graph, path, subgraph
from hypothesis import given, settings
from hypothesis import strategies as st
from isomorphism import is_isomorphic

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    Relation,
    Schema,
    SchemaError,
    find_homs,
    inclusion,
)
from fcp_ros.cset.presentation import PresentationError, present, pushout

HOUSE = Schema(
    "house",
    {"thing": (), "mug": ("thing",), "room": ()},
    (Function("home", "thing", "room"),),
    (Relation("near", (("one", "thing"), ("other", "thing"))),),
    (Attribute("colour", "thing", AttributeKind.STRING),),
)


def test_functions_bring_what_they_need() -> None:
    found = present(HOUSE, {"a": "mug", "b": "thing"}, [(("a", "home"), ("b", "home"))])
    assert found.instance.names() == ("a", "b", "home(a)")
    assert found.instance.name_of(found.generators["b"]) == "b"


def test_equal_elements_have_equal_values_and_the_lower_type() -> None:
    found = present(
        HOUSE,
        {"a": "thing", "b": "mug"},
        [("a", "b")],
        [("near", ("a", "b"))],
        [("b", "colour", "red")],
    )
    (mug,) = found.instance.elements("mug")
    assert found.generators == {"a": mug, "b": mug}
    assert found.instance.attributes(mug) == {"colour": "red"}
    assert len(found.instance.elements("room")) == 1
    assert len(found.instance.tuples("near")) == 1


@pytest.mark.parametrize(
    ("generators", "equations", "message"),
    [
        ({"a": "cup"}, [], "has no type 'cup'"),
        ({"a": "mug"}, [("a", "b")], "no generator is called 'b'"),
        ({"a": "mug", "r": "room"}, [("a", "r")], "'a', a mug, and 'r', a room, can't be one"),
        ({"a": "mug"}, [(("a", "price"), "a")], "'a' has no function 'price'"),
    ],
)
def test_nonsense_is_refused(generators, equations, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(PresentationError, match=message):
        present(HOUSE, generators, equations)


def test_two_values_of_one_element_are_refused() -> None:
    colours = [("a", "colour", "red"), ("b", "colour", "blue")]
    with pytest.raises(PresentationError, match="would be both 'red' and 'blue'"):
        present(HOUSE, {"a": "mug", "b": "mug"}, [("a", "b")], attributes=colours)
    with pytest.raises(SchemaError, match="no attribute 'weight'"):
        present(HOUSE, {"a": "mug"}, attributes=[("a", "weight", 1)])


def test_endless_functions_are_bounded() -> None:
    clock = Schema("clock", {"s": ()}, (Function("next", "s", "s"),))
    with pytest.raises(PresentationError, match="ever more elements"):
        present(clock, {"now": "s"}, bound=20)
    week = present(clock, {"now": "s"}, [(("now", *["next"] * 7), "now")])
    assert len(week.instance.elements("s")) == 7


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_morphisms_are_choices_for_which_the_equations_hold(data: st.DataObject) -> None:
    edges = st.tuples(st.integers(1, 3), st.integers(1, 3))
    target = graph(3, data.draw(st.lists(edges, max_size=4)))
    terms = st.sampled_from([("e", "src"), ("e", "tgt"), ("f", "src"), ("f", "tgt"), ("v",)])
    equations = data.draw(st.lists(st.tuples(terms, terms), max_size=3))
    found = present(GRAPH, {"e": "E", "f": "E", "v": "V"}, equations)
    choices = product(target.elements("E"), target.elements("E"), target.elements("V"))
    wanted = [
        chosen
        for chosen in choices
        if all(_follow(target, chosen, a) == _follow(target, chosen, b) for a, b in equations)
    ]
    homs = find_homs(found.instance, target, monic=False)
    assert sorted(tuple(hom(found.generators[n]) for n in "efv") for hom in homs) == sorted(wanted)


def _follow(target: Instance, chosen: tuple[int, int, int], term: tuple[str, ...]) -> int:
    element = dict(zip("efv", chosen, strict=True))[term[0]]
    for function in term[1:]:
        element = target.apply(function, element)
    return element


def test_two_paths_glued_at_their_ends_are_a_cycle() -> None:
    ends = graph(2)
    there = inclusion(subgraph(path(3), "v1", "v3").source, path(3))
    assert len(there.source.elements("V")) == len(ends.elements("V"))
    back = [hom for hom in find_homs(there.source, path(3)) if hom.by_name()["v1"] == "v3"]
    (back,) = [hom for hom in back if hom.by_name()["v3"] == "v1"]
    found = pushout(there, back)
    assert is_isomorphic(found.apex, cycle(4))
    assert not found.first.violations()
    assert not found.second.violations()


def test_parts_of_different_instances_are_refused() -> None:
    with pytest.raises(PresentationError, match="must start at one instance"):
        pushout(inclusion(graph(1), graph(2)), inclusion(graph(2), graph(3)))
