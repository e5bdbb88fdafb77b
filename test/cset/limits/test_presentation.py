# SPDX-License-Identifier: Apache-2.0
"""Presentations: representables by the Yoneda lemma, quotients, and what never ends."""

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from example_graphs import GRAPH, cycle, edges_of, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Schema,
    is_isomorphic,
)
from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.limits.chase import FunctionalLegs
from fcp_ros.cset.limits.diagrams import LimitError, PresentationError
from fcp_ros.cset.limits.presentation import (
    AttributeStatement,
    Term,
    TupleStatement,
    present,
    representable,
)
from fcp_ros.cset.schema.schema import PathEquation

Homs = Callable[[Instance, Instance], list[Morphism]]
DYNAMICS = Schema("dynamics", {"X": ()}, (Function("next", "X", "X"),))


def monoid(*equations: tuple[str, str], letters: str = "st") -> Schema:
    """The schema with one type and one function for each letter; words are paths."""
    return Schema(
        "monoid",
        {"X": ()},
        tuple(Function(letter, "X", "X") for letter in letters),
        equations=tuple(PathEquation("X", tuple(a), tuple(b)) for a, b in equations),
    )


def test_the_representables_of_graphs() -> None:
    # A vertex alone, and an edge with its two ends.
    assert representable(GRAPH, "V").instance.names() == ("V",)
    edge = representable(GRAPH, "E")
    assert edge.instance.names() == ("E", "src(E)", "tgt(E)")
    assert is_isomorphic(edge.instance, path(2))
    assert edge.instance.name_of(edge.generators["E"]) == "E"


@pytest.mark.parametrize("kind", ["graph", "reflexive", "rich", "hierarchy"])
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_morphisms_from_a_representable_are_elements(
    kind: str, data: Any, kinds: Any, homs: Homs
) -> None:
    # The Yoneda lemma; elements of subtypes count, and tuples of relations are elements, too.
    instance = data.draw(kinds[kind]())
    schema = instance.schema
    for type_ in (*schema.types, *(relation.name for relation in schema.relations)):
        free = representable(schema, type_)
        generator = free.generators[type_]
        found = homs(free.instance, instance)
        elements = instance.elements(type_)
        assert sorted(hom(generator) for hom in found) == sorted(elements)
        for element in elements:
            assert free.universal(instance, {type_: element}) in found


def test_a_symmetric_edge_is_its_own_inverse_twice() -> None:
    symmetric = Schema(
        "symmetric_graph",
        {"V": (), "E": ()},
        (Function("src", "E", "V"), Function("tgt", "E", "V"), Function("inv", "E", "E")),
        equations=(
            PathEquation("E", ("inv", "inv"), ()),
            PathEquation("E", ("inv", "src"), ("tgt",)),
            PathEquation("E", ("inv", "tgt"), ("src",)),
        ),
    )
    edge = representable(symmetric, "E").instance
    assert sorted(edge.names()) == ["E", "inv(E)", "src(E)", "tgt(E)"]


@pytest.mark.parametrize(
    ("equations", "order"),
    [
        # Groups by generators and relations: cyclic of order 7, symmetric on 3 and on 4 letters,
        # alternating on 5 letters; s is an involution in all but the first, t has order 3.
        ([("s" * 7, ""), ("t", "s")], 7),
        ([("ss", ""), ("ttt", ""), ("stst", "")], 6),
        ([("ss", ""), ("ttt", ""), ("st" * 4, "")], 24),
        ([("ss", ""), ("ttt", ""), ("st" * 5, "")], 60),
        # A band, sts = st and tst = ts: the words "", s, t, st, ts.
        ([("ss", "s"), ("tt", "t"), ("sts", "st"), ("tst", "ts")], 5),
        # The trivial group in disguise: s t s^-1 = t^2 and t s t^-1 = s^2.
        ([("st", "tts"), ("ts", "sst"), ("sS", ""), ("Ss", ""), ("tT", ""), ("Tt", "")], 1),
    ],
)
def test_representables_of_monoids_are_the_monoids(
    equations: list[tuple[str, str]], order: int
) -> None:
    letters = "stST" if order == 1 else "st"
    schema = monoid(*equations, letters=letters)
    assert len(representable(schema, "X").instance.all_elements()) == order


def test_sigma_of_a_path_into_reflexive_graphs(reflexive_of: Any) -> None:
    # Case 12, its second half, by hand: P3 has 3 vertices, which get a loop each, and 2 edges.
    plain = path(3)
    schema = reflexive_of(plain).schema
    generators = {plain.name_of(id_): plain.type_of(id_) for id_ in plain.all_elements()}
    equations = [
        (Term(plain.name_of(edge), (end,)), plain.name_of(plain.apply(end, edge)))
        for edge in plain.elements("E")
        for end in ("src", "tgt")
    ]
    presented = present(schema, generators, equations)
    assert len(presented.instance.elements("V")) == 3
    assert len(presented.instance.elements("E")) == 5
    assert is_isomorphic(presented.instance, reflexive_of(plain))


def test_generators_and_equations_make_a_triangle() -> None:
    presented = present(
        GRAPH,
        {"a": "E", "b": "E", "c": "E"},
        [(Term(x, ("tgt",)), Term(y, ("src",))) for x, y in ("ab", "bc", "ca")],
    )
    assert is_isomorphic(presented.instance, cycle(3))
    assert edges_of(presented.instance) == [
        ("tgt(a)", "tgt(b)"),
        ("tgt(b)", "tgt(c)"),
        ("tgt(c)", "tgt(a)"),
    ]


@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_presentations_are_universal(data: Any, kinds: Any, homs: Homs) -> None:
    # Morphisms from what is presented are choices of images that satisfy the equations.
    target = data.draw(kinds["graph"]())
    generators = {name: data.draw(st.sampled_from("VE")) for name in "abc"}
    terms = [(name, ()) for name, type_ in generators.items() if type_ == "V"]
    terms += [(n, (f,)) for n, t in generators.items() if t == "E" for f in ("src", "tgt")]
    pairs = data.draw(st.lists(st.tuples(*[st.sampled_from(terms)] * 2), max_size=3))
    presented = present(GRAPH, generators, [(Term(*a), Term(*b)) for a, b in pairs])

    def at(images: dict[str, int], term: tuple[str, tuple[str, ...]]) -> int:
        image = images[term[0]]
        for step in term[1]:
            image = target.apply(step, image)
        return image

    choices = product(*(target.elements(type_) for type_ in generators.values()))
    satisfying = [
        images
        for images in (dict(zip(generators, choice, strict=True)) for choice in choices)
        if all(at(images, a) == at(images, b) for a, b in pairs)
    ]
    assert len(homs(presented.instance, target)) == len(satisfying)
    for images in satisfying:
        hom = presented.universal(target, images)
        assert {name: hom(id_) for name, id_ in presented.generators.items()} == images


# --- tuples and attributes

WORLD = Schema(
    "world",
    {"thing": (), "cup": ("thing",), "box": ("thing",), "robot": ()},
    (Function("base", "robot", "box"),),
    (
        Relation("on", (("item", "thing"), ("support", "thing")), ("item",)),
        Relation("open", (("what", "box"),)),
    ),
    (
        Attribute("size", "thing", AttributeKind.FLOAT),
        Attribute("since", "on", AttributeKind.INT),
    ),
)


def test_statements_hold_in_what_is_presented() -> None:
    presented = present(
        WORLD,
        {"c": "cup", "r": "robot"},
        tuples=[TupleStatement("on", ("c", Term("r", ("base",))))],
        attributes=[AttributeStatement("c", "size", 2)],
    )
    builder = InstanceBuilder(WORLD)
    cup, robot = builder.add("cup", "c", {"size": 2}), builder.add("robot", "r")
    base = builder.add("box", "base(r)")
    builder.set_function("base", robot, base)
    builder.relate("on", cup, base)
    assert presented.instance == builder.build()


def test_a_tuple_brings_its_elements() -> None:
    presented = present(WORLD, {"t": "on"}, [(Term("t", ("item",)), Term("t", ("support",)))])
    (legs,) = presented.instance.tuples("on").values()
    assert [presented.instance.name_of(leg) for leg in legs] == ["item(t)", "item(t)"]
    assert presented.instance.type_of(presented.generators["t"]) == "on"


def test_what_is_stated_twice_is_one_tuple_with_all_attributes() -> None:
    stated = [
        TupleStatement("on", ("a", "b"), {"since": 3}),
        TupleStatement("on", ("a", "b")),
    ]
    presented = present(WORLD, {"a": "thing", "b": "thing"}, tuples=stated)
    (row,) = presented.instance.tuples("on")
    assert presented.instance.attribute(row, "since") == 3


def test_a_leg_makes_its_element_one_of_its_type() -> None:
    presented = present(WORLD, {"a": "thing"}, tuples=[TupleStatement("open", ("a",))])
    assert presented.instance.type_of(presented.generators["a"]) == "box"


def test_an_element_that_gets_a_narrower_type_late_gets_its_functions() -> None:
    # At p, f leads to a thing. It is completed before the view v of the watcher w comes up, which
    # says by its equation that the thing is where g leads: a box, with a room inside.
    schema = Schema(
        "late",
        {"point": (), "thing": (), "box": ("thing",), "room": (), "watcher": (), "view": ()},
        (
            Function("f", "point", "thing"),
            Function("g", "point", "box"),
            Function("inside", "box", "room"),
            Function("at", "watcher", "point"),
            Function("view", "watcher", "view"),
            Function("from", "view", "point"),
            Function("onto", "view", "point"),
        ),
        equations=(
            PathEquation("watcher", ("view", "from"), ("at",)),
            PathEquation("view", ("from", "f"), ("onto", "g")),
        ),
    )
    presented = present(schema, {"p": "point", "w": "watcher"}, [(Term("w", ("at",)), "p")])
    instance = presented.instance
    seen = instance.apply("f", presented.generators["p"])
    assert instance.type_of(seen) == "box"
    assert instance.name_of(instance.apply("inside", seen)) == "inside(f(p))"


def test_equations_of_tuples_hold() -> None:
    # What is part of another is in the same room.
    schema = Schema(
        "parts",
        {"thing": (), "room": ()},
        (Function("room", "thing", "room"),),
        (Relation("part_of", (("part", "thing"), ("whole", "thing"))),),
        equations=(PathEquation("part_of", ("part", "room"), ("whole", "room")),),
    )
    generators = {"a": "thing", "b": "thing", "c": "thing"}
    presented = present(schema, generators, tuples=[TupleStatement("part_of", ("a", "b"))])
    rooms = [presented.instance.apply("room", presented.generators[name]) for name in "abc"]
    assert rooms[0] == rooms[1] != rooms[2]


def test_functional_legs_glue_if_so_chosen() -> None:
    stated = [TupleStatement("on", ("a", "b")), TupleStatement("on", ("a", "c"))]
    generators = {"a": "thing", "b": "thing", "c": "cup"}
    with pytest.raises(LimitError, match="'a' may be 'item' in one tuple"):
        present(WORLD, generators, tuples=stated)
    merged = present(WORLD, generators, tuples=stated, functional=FunctionalLegs.MERGE)
    assert merged.generators["b"] == merged.generators["c"]
    assert merged.instance.type_of(merged.generators["b"]) == "cup"
    kept = present(WORLD, generators, tuples=stated, functional=FunctionalLegs.KEEP)
    assert len(kept.instance.tuples("on")) == 2


def test_a_variable_is_one_throughout_a_presentation() -> None:
    def sizes(*equations: tuple[str, str]) -> list[Any]:
        presented = present(
            WORLD,
            {"a": "thing", "b": "thing", "c": "thing"},
            equations,
            attributes=[
                AttributeStatement("a", "size", ValueVariable("n")),
                AttributeStatement("b", "size", ValueVariable("n")),
                AttributeStatement("c", "size", 5),
            ],
        )
        return [presented.instance.attribute(presented.generators[name], "size") for name in "abc"]

    assert sizes() == [ValueVariable("n"), ValueVariable("n"), 5.0]
    assert sizes(("a", "c")) == [5.0, 5.0, 5.0]


# --- what is refused


@pytest.mark.parametrize(
    ("schema", "cycle"),
    [
        (DYNAMICS, "X -next-> X"),
        (monoid(("sss", "s")), "X -t-> X"),
        # Every power of s and of t comes back to the start; those of st never do.
        (monoid(("ss", ""), ("ttt", "")), "X -s-> X -t-> X"),
    ],
)
def test_what_never_ends_is_blamed_on_a_cycle(schema: Schema, cycle: str) -> None:
    with pytest.raises(PresentationError) as error:
        representable(schema, "X", bound=200)
    assert "more than 200 elements" in str(error.value)
    assert f"the cycle of functions {cycle} seems" in str(error.value)


def test_a_bound_that_is_too_low_is_said_to_be() -> None:
    with pytest.raises(PresentationError, match="no cycle of functions was seen"):
        representable(GRAPH, "E", bound=1)
    assert representable(GRAPH, "E", bound=2).instance.has("src(E)")


def test_statements_that_make_no_sense() -> None:
    def check(message: str, *arguments: Any, **options: Any) -> None:
        with pytest.raises(LimitError, match=message):
            present(WORLD, {"a": "thing", "c": "cup", "b": "box", "r": "robot"}, **options)

    check("no generator 'z'", equations=[("z", "a")])
    check("'a' is a thing, which has no function 'base'", equations=[(Term("a", ("base",)), "b")])
    check("no relation 'onn' .* did you mean 'on'", tuples=[TupleStatement("onn", ("a", "b"))])
    check(r"'on' has 2 legs \(item, support\), got 1", tuples=[TupleStatement("on", ("a",))])
    check("no attribute 'siz'", attributes=[AttributeStatement("a", "siz", 1)])
    check("'size' of .* is 'big'", attributes=[AttributeStatement("a", "size", "big")])
    check("'c', 'b' must be one element, but 'box', 'cup'", equations=[("c", "b")])
    check("'a', 'r' must be one element", equations=[("a", "r")])
    with pytest.raises(LimitError, match="'a', 't' must be one element"):
        present(WORLD, {"a": "thing", "t": "on"}, [("a", "t")])
    with pytest.raises(ValueError, match="the bound is -1"):
        present(WORLD, {}, bound=-1)
    with pytest.raises(PresentationError, match="no type 'thin' in generator 'a'"):
        present(WORLD, {"a": "thin"})
    with pytest.raises(PresentationError, match="no type 'cap'"):
        representable(WORLD, "cap")


def test_images_that_do_not_satisfy_the_statements() -> None:
    loop = present(GRAPH, {"e": "E"}, [(Term("e", ("src",)), Term("e", ("tgt",)))])
    edge = path(2)
    with pytest.raises(LimitError, match="no such morphism"):
        loop.universal(edge, {"e": edge.id_of("e1")})
    with pytest.raises(LimitError, match="wrong are e, f"):
        loop.universal(edge, {"f": 1})
    with pytest.raises(LimitError, match="'e' cannot be sent to 'v1', which has no 'src'"):
        loop.universal(edge, {"e": edge.id_of("v1")})
    same = present(GRAPH, {"v": "V", "w": "V"}, [("v", "w")])
    with pytest.raises(LimitError, match="generators v, w are equal"):
        same.universal(edge, {"v": edge.id_of("v1"), "w": edge.id_of("v2")})
    related = present(
        WORLD, {"a": "thing", "b": "thing"}, tuples=[TupleStatement("on", ("a", "b"))]
    )
    apart = present(WORLD, {"a": "thing", "b": "thing"})
    with pytest.raises(LimitError, match=r"on\(a, b\) would be sent to on\(a, b\), which is not"):
        related.universal(apart.instance, apart.generators)
