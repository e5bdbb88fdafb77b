# SPDX-License-Identifier: Apache-2.0
"""Single-pushout rewriting: deletion wins, over what would dangle and over what is preserved."""

from example_graphs import cycle, edges_of, graph, path, subgraph

from fcp_ros.cset import (
    Fact,
    Function,
    Instance,
    InstanceBuilder,
    Relation,
    Rewrite,
    Rule,
    Schema,
    facts,
    find_homs,
    find_matches,
    identity,
    inclusion,
    is_isomorphic,
    morphism,
    rewrite,
)
from fcp_ros.cset.rewriting.rule import Semantics


def applied(rule: Rule, target: Instance, **fixed: str) -> Rewrite:
    """The rewrite at the one match where some elements are fixed, by name."""
    initial = {rule.L.id_of(key): target.id_of(value) for key, value in fixed.items()}
    (match,) = find_homs(rule.L, target, monic=rule.monic, initial=initial)
    outcome = rewrite(rule, match)
    assert outcome.violations == ()
    return outcome


def result_of(outcome: Rewrite) -> Instance:
    assert outcome.instance is not None
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    return outcome.instance


def part_of_r(outcome: Rewrite) -> list[str]:
    """Names of what of R is in the result."""
    assert outcome.comatch is not None
    return sorted(outcome.comatch.source.names())


def test_what_would_dangle_is_deleted() -> None:
    left = subgraph(graph(1))
    rule = Rule("delete", left, identity(left.source), semantics=Semantics.SPO)
    outcome = applied(rule, graph(4, [(1, 2), (3, 2), (3, 4)]), v1="v3")
    assert edges_of(result_of(outcome)) == [("v1", "v2")]
    assert outcome.delta.deleted == ("e2", "e3", "v3")


def test_deletion_wins_over_preservation() -> None:
    # Of two vertices one is deleted, one gets a loop. Where both are one, it goes, and with it the
    # loop that R would have put there.
    pair = graph(2)
    left = subgraph(pair, "v1")
    right = inclusion(left.source, cycle(1))
    rule = Rule("choose", left, right, monic=False, semantics=Semantics.SPO)
    outcome = applied(rule, graph(1))
    assert is_isomorphic(result_of(outcome), graph(0))
    assert part_of_r(outcome) == []
    outcome = applied(rule, graph(2), v1="v2", v2="v1")
    assert edges_of(result_of(outcome)) == [("v2", "v2")]
    assert part_of_r(outcome) == ["e1", "v1"]


def test_what_is_merged_with_something_lost_is_lost() -> None:
    # v1 and v2 of K become one in R; v3 is deleted. Where v3 is v2, the one vertex of R stands for
    # something deleted; so v1, which it stands for as well, goes, too.
    triple = graph(3)
    left = subgraph(triple, "v1", "v2")
    one = graph(1)
    right = morphism(left.source, one, dict.fromkeys(left.source.all_elements(), one.id_of("v1")))
    rule = Rule("merge", left, right, monic=False, semantics=Semantics.SPO)
    outcome = applied(rule, graph(3), v1="v1", v2="v2", v3="v2")
    assert result_of(outcome).names() == ("v3",)
    assert part_of_r(outcome) == []
    outcome = applied(rule, graph(3), v1="v1", v2="v2", v3="v3")
    assert result_of(outcome).names() == ("v1",)


def test_both_edges_at_one_loop() -> None:
    # Case 17, which DPO refuses: the loop goes, whether one of the edges is preserved or not.
    for kept in (("v1", "v2", "e2"), ("v1", "v2")):
        left = subgraph(graph(2, [(1, 2), (2, 1)]), *kept)
        rule = Rule("delete", left, identity(left.source), monic=False, semantics=Semantics.SPO)
        outcome = applied(rule, cycle(1))
        assert is_isomorphic(result_of(outcome), graph(1))
        assert part_of_r(outcome) == ["v1", "v2"]


ROOMS = Schema(
    "rooms",
    {"item": (), "cup": ("item",), "room": ()},
    (Function("home", "cup", "room"),),
    (Relation("on", (("item", "item"), ("support", "item"))), Relation("lit", (("room", "room"),))),
)


def rooms(*tuples: tuple[str, ...], cup: bool = True) -> Instance:
    """A cup c at home in room r, an item i; or only item and room."""
    builder = InstanceBuilder(ROOMS)
    builder.add("room", "r")
    builder.add("item", "i")
    if cup:
        builder.set_function("home", builder.add("cup", "c"), builder.id_of("r"))
    for relation, *legs in tuples:
        builder.relate(relation, *map(builder.id_of, legs))
    return builder.build()


def test_tuples_go_with_their_elements() -> None:
    state = rooms(("on", "c", "i"), ("lit", "r"))
    builder = InstanceBuilder(ROOMS)
    builder.add("room", "r")
    room = builder.build()
    left = subgraph(room)
    rule = Rule("demolish", left, identity(left.source), semantics=Semantics.SPO)
    outcome = applied(rule, state)
    assert facts(result_of(outcome)) == frozenset()
    assert result_of(outcome).names() == ("i",)
    assert outcome.delta.removed == (Fact("lit", ("r",)), Fact("on", ("c", "i")))


def test_a_preserved_element_goes_with_a_function_that_the_rule_does_not_know() -> None:
    # The rule preserves an item and deletes a room. The item may be a cup at home in that room.
    pattern = rooms(cup=False)
    left = subgraph(pattern, "i")
    lit = InstanceBuilder.of(left.source)
    lit.relate("on", lit.id_of("i"), lit.id_of("i"))
    rule = Rule("demolish", left, inclusion(left.source, lit.build()), semantics=Semantics.SPO)
    outcome = applied(rule, rooms(), i="c")
    assert result_of(outcome).names() == ("i",)
    assert facts(result_of(outcome)) == frozenset()
    assert part_of_r(outcome) == []
    outcome = applied(rule, rooms(), i="i")
    assert result_of(outcome).names() == ("i",)
    assert facts(result_of(outcome)) == {Fact("on", ("i", "i"))}


def test_every_match_is_admitted() -> None:
    left = subgraph(path(2), "v1")
    rule = Rule("cut", left, identity(left.source), monic=False, semantics=Semantics.SPO)
    target = graph(3, [(1, 1), (1, 2), (2, 3), (3, 1)])
    matches = list(find_homs(rule.L, target, monic=False))
    assert matches == list(find_matches(rule, target))
    assert [len(result_of(rewrite(rule, match)).elements("V")) for match in matches] == [2, 2, 2, 2]
