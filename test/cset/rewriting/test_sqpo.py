# SPDX-License-Identifier: Apache-2.0
"""Sesqui-pushout rewriting: deletion in unknown contexts, and cloning (case 22)."""

from collections.abc import Mapping

from example_graphs import (
    dynamical_system,
    edges_of,
    graph,
    path,
    reflexive_graph,
    subgraph,
    symmetric_graph,
)

from fcp_ros.cset import (
    Attribute,
    AttributeKind,
    Function,
    Instance,
    InstanceBuilder,
    Relation,
    Rewrite,
    Rule,
    Schema,
    ViolationKind,
    find_homs,
    identity,
    is_isomorphic,
    morphism,
    rewrite,
)
from fcp_ros.cset.rewriting.rule import Semantics


def cloning(glue: Instance, left: Instance, **images: str) -> Rule:
    """The rule that makes of L what K is; K goes to L by name, but for the given images."""
    names = {name: images.get(name, name) for name in glue.names()}
    leg = morphism(
        glue, left, {glue.id_of(name): left.id_of(image) for name, image in names.items()}
    )
    return Rule("clone", leg, identity(glue), semantics=Semantics.SQPO, monic=False)


def applied(rule: Rule, target: Instance, **fixed: str) -> Rewrite:
    """The rewrite at the one match where some elements are fixed, by name."""
    initial = {rule.L.id_of(key): target.id_of(value) for key, value in fixed.items()}
    (match,) = find_homs(rule.L, target, monic=rule.monic, initial=initial)
    return rewrite(rule, match)


def result_of(outcome: Rewrite) -> Instance:
    assert outcome.violations == ()
    assert outcome.instance is not None
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    return outcome.instance


def test_case_22_cloning_a_vertex_with_two_out_edges() -> None:
    # The copy has both edges, too: 3 + 1 vertices, 2 + 2 edges.
    outcome = applied(cloning(graph(2), graph(1), v2="v1"), graph(3, [(1, 2), (1, 3)]), v1="v1")
    result = result_of(outcome)
    assert (len(result.elements("V")), len(result.elements("E"))) == (4, 4)
    assert is_isomorphic(result, graph(4, [(1, 2), (1, 3), (4, 2), (4, 3)]))
    assert outcome.delta.created == ("e1_2", "e2_2", "v1_2")
    copies = {result.name_of(copy): id_ for copy, id_ in outcome.origins.items()}
    assert sorted(copies) == ["e1_2", "e2_2", "v1_2"]


def test_case_22_deleting_in_an_unknown_context() -> None:
    # Vertex 3 goes with 3->2 and 3->4; 1->2 remains, and vertex 4. DPO finds both dangling.
    target = graph(4, [(1, 2), (3, 2), (3, 4)])
    left = subgraph(graph(1))
    rule = Rule("delete", left, identity(left.source), semantics=Semantics.SQPO)
    result = result_of(applied(rule, target, v1="v3"))
    assert is_isomorphic(result, graph(3, [(1, 2)]))
    strict = Rule("delete", left, identity(left.source))
    violations = applied(strict, target, v1="v3").violations
    assert [v.kind for v in violations] == [ViolationKind.DANGLING] * 2
    assert {(v.symbol, v.elements) for v in violations} == {
        ("src", ("v3", "e2")),
        ("src", ("v3", "e3")),
    }


def test_a_loop_is_copied_once_for_each_choice_of_both_ends() -> None:
    result = result_of(applied(cloning(graph(2), graph(1), v2="v1"), graph(1, [(1, 1)])))
    assert edges_of(result) == [
        ("v1", "v1"),
        ("v1", "v1_2"),
        ("v1_2", "v1"),
        ("v1_2", "v1_2"),
    ]


def test_a_matched_edge_is_where_k_has_it() -> None:
    # L is an edge whose source is cloned; K keeps the edge at the second copy only, which is so
    # moved there. The loop is not in L: it has all four copies.
    rule = cloning(graph(3, [(3, 2)]), path(2), v3="v1")
    outcome = applied(rule, graph(2, [(1, 2), (1, 1)]), e1="e1")
    result = result_of(outcome)
    assert ("v1_2", "v2") in edges_of(result)
    assert ("v1", "v2") not in edges_of(result)
    assert len(edges_of(result)) == 5
    assert [change.function for change in outcome.delta.functions if change.before] == ["src"]


def test_symmetric_edges_are_copied_together() -> None:
    # An edge and its inverse refer to each other. An edge between a cloned and another vertex has
    # two copies, as has its inverse; a loop has four.
    rule = cloning(symmetric_graph(2), symmetric_graph(1), v2="v1")
    result = result_of(applied(rule, symmetric_graph(2, [(1, 2)]), v1="v1"))
    assert is_isomorphic(result, symmetric_graph(3, [(1, 2), (3, 2)]))
    result = result_of(applied(rule, symmetric_graph(1, [(1, 1)])))
    # Its inverse being another loop, they have the copies 1->1, 1->2, 2->1, 2->2 each.
    assert is_isomorphic(result, symmetric_graph(2, [(1, 1), (1, 2), (2, 1), (2, 2)]))


def test_reflexive_loops_are_where_k_has_them() -> None:
    # A vertex of L has its loop in L. So each copy has one, and the edge has two copies.
    rule = cloning(reflexive_graph(2), reflexive_graph(1), v2="v1", r2="r1")
    result = result_of(applied(rule, reflexive_graph(2, [(1, 2)]), v1="v1"))
    assert is_isomorphic(result, reflexive_graph(3, [(1, 2), (3, 2)]))


def test_what_leads_to_a_clone_is_cloned() -> None:
    # 3 -> 2 -> 1 -> 1, where the fixed point 1 becomes two: two chains.
    rule = cloning(dynamical_system([1, 2]), dynamical_system([1]), s2="s1")
    result = result_of(applied(rule, dynamical_system([1, 1, 2])))
    assert is_isomorphic(result, dynamical_system([1, 1, 2, 4, 4, 5]))


def test_infinitely_many_copies_are_refused() -> None:
    # 1 and 2 lead to each other, and each to a place that is cloned: on the way from 1, the copies
    # of that place can be chosen again and again.
    schema = Schema(
        "walk",
        {"S": (), "P": ()},
        (Function("next", "S", "S"), Function("at", "S", "P")),
    )
    builder = InstanceBuilder(schema)
    place = builder.add("P", "p")
    states = [builder.add("S", "s1"), builder.add("S", "s2")]
    for state, other in zip(states, reversed(states), strict=True):
        builder.set_function("next", state, other)
        builder.set_function("at", state, place)
    target = builder.build()
    places = []
    for count in (1, 2):
        builder = InstanceBuilder(schema)
        for number in range(count):
            builder.add("P", f"p{number}")
        places.append(builder.build())
    outcome = applied(cloning(places[1], places[0], p1="p0"), target)
    (violation,) = outcome.violations
    assert violation.kind is ViolationKind.UNBOUNDED
    assert violation.elements == ("s1", "s2")
    assert "next" in violation.message


def test_a_match_may_identify_what_is_preserved_but_not_what_is_cloned() -> None:
    # L: two vertices. Where both are one, that one can't have one copy for the first, two for the
    # second. Where K has each once, it is one vertex.
    rule = cloning(graph(3), graph(2), v3="v1")
    (violation,) = applied(rule, graph(1)).violations
    assert violation.kind is ViolationKind.IDENTIFICATION
    assert "the rule clones v1: it cannot be told which copies stand for the others" in str(
        violation
    )
    keep = Rule(
        "keep", identity(graph(2)), identity(graph(2)), semantics=Semantics.SQPO, monic=False
    )
    assert is_isomorphic(result_of(applied(keep, graph(1))), graph(1))


def test_both_deleted_may_be_one_but_one_deleted_and_one_preserved_may_not() -> None:
    # Corradini et al. 2006 call such matches conflict-free.
    both = Rule(
        "both", subgraph(graph(2)), identity(graph(0)), semantics=Semantics.SQPO, monic=False
    )
    assert is_isomorphic(result_of(applied(both, graph(1))), graph(0))
    left = subgraph(graph(2), "v1")
    one = Rule("one", left, identity(left.source), semantics=Semantics.SQPO, monic=False)
    (violation,) = applied(one, graph(1)).violations
    assert violation.kind is ViolationKind.IDENTIFICATION
    assert "'v1' is matched by v1, v2, and the rule deletes v2" in violation.message


# --- relations, attributes, subtypes

WORLD = Schema(
    "world",
    {"item": (), "cup": ("item",), "place": ()},
    (Function("home", "cup", "place"),),
    (
        Relation("on", (("item", "item"), ("place", "place")), ("item",)),
        Relation("near", (("one", "place"), ("other", "place"))),
    ),
    (
        Attribute("size", "item", AttributeKind.INT),
        Attribute("sure", "on", AttributeKind.FLOAT),
    ),
)


def world(
    elements: Mapping[str, str], *tuples: tuple[str, ...], homes: Mapping[str, str] | None = None
) -> Instance:
    builder = InstanceBuilder(WORLD)
    for name, type_ in elements.items():
        builder.add(type_, name)
    for relation, *legs in tuples:
        builder.relate(relation, *map(builder.id_of, legs))
    for cup, home in (homes or {}).items():
        builder.set_function("home", builder.id_of(cup), builder.id_of(home))
    return builder.build()


def test_tuples_of_what_is_cloned_are_copied_with_their_attributes() -> None:
    rule = cloning(world({"x": "item", "y": "item"}), world({"x": "item"}), y="x")
    builder = InstanceBuilder.of(world({"a": "item", "p": "place"}, ("on", "a", "p")))
    (row,) = builder.build().tuples("on")
    builder.set_attribute(row, "sure", 0.5)
    builder.set_attribute(builder.id_of("a"), "size", 3)
    outcome = applied(rule, builder.build())
    result = result_of(outcome)
    assert [result.name_of(row) for row in result.tuples("on")] == ["on(a, p)", "on(a_2, p)"]
    assert [result.attribute(row, "sure") for row in result.tuples("on")] == [0.5, 0.5]
    assert [result.attribute(id_, "size") for id_ in result.elements("item")] == [3, 3]
    assert sorted(outcome.origins) == sorted({result.id_of("a_2"), max(result.tuples("on"))})


def test_cloning_may_break_a_functional_leg() -> None:
    # With the place, what it says about the item is doubled.
    rule = cloning(world({"p": "place", "q": "place"}), world({"p": "place"}), q="p")
    target = world({"a": "item", "p": "place"}, ("on", "a", "p"), ("near", "p", "p"))
    (violation,) = applied(rule, target).violations
    assert violation.kind is ViolationKind.FUNCTIONAL
    near = world({"p": "place"}, ("near", "p", "p"))
    assert len(result_of(applied(rule, near)).tuples("near")) == 4


def test_a_copy_may_forget_an_attribute() -> None:
    glue, left = (world(dict.fromkeys(names, "item")) for names in (("x", "y"), ("x",)))
    builder = InstanceBuilder.of(left)
    builder.set_attribute(builder.id_of("x"), "size", 3)
    left = builder.build()
    builder = InstanceBuilder.of(glue)
    builder.set_attribute(builder.id_of("y"), "size", 3)
    target = InstanceBuilder.of(world({"a": "item"}))
    target.set_attribute(target.id_of("a"), "size", 3)
    result = result_of(applied(cloning(builder.build(), left, y="x"), target.build()))
    assert {result.name_of(e): result.attribute(e, "size") for e in result.elements("item")} == {
        "a": None,
        "a_2": 3,
    }


def test_functions_that_the_rule_does_not_know() -> None:
    # A cup is an item with a home. Where the rule speaks of the item and the place only, it cannot
    # delete or clone the place under the cup that it preserves; it may clone the cup.
    both = world({"x": "item", "p": "place"})
    delete = Rule(
        "delete", subgraph(both, "x"), identity(world({"x": "item"})), semantics=Semantics.SQPO
    )
    target = world({"c": "cup", "h": "place"}, homes={"c": "h"})
    (violation,) = applied(delete, target).violations
    assert violation.kind is ViolationKind.DANGLING
    assert violation.message.startswith("the rule preserves 'c', but its 'home' 'h' would be del")
    three = world({"x": "item", "p": "place", "q": "place"})
    (violation,) = applied(cloning(three, both, q="p"), target).violations
    assert violation.kind is ViolationKind.DANGLING
    assert "its 'home' 'h' would be cloned: it cannot be told which copy it keeps" in str(violation)
    clone = cloning(world({"x": "item", "y": "item"}), world({"x": "item"}), y="x")
    result = result_of(applied(clone, target))
    assert [result.type_of(id_) for id_ in result.elements("item")] == ["cup", "cup"]
    assert {result.apply("home", id_) for id_ in result.elements("cup")} == {result.id_of("h")}
