# SPDX-License-Identifier: Apache-2.0
"""Double-pushout rewriting of graphs: the DPO cases 13 to 19 of the engine's specification."""

from fcp_ros.cset import (
    Instance,
    InstanceBuilder,
    Morphism,
    Rewrite,
    Rule,
    ViolationKind,
    find_homs,
    find_matches,
    identity,
    inclusion,
    is_isomorphic,
    morphism,
    rewrite,
)
from fcp_ros.cset.graphs import GRAPH, cycle, edges_of, graph, path


def subgraph(whole: Instance, *names: str) -> Morphism:
    """The inclusion of the part of a graph with these vertices and edges."""
    builder = InstanceBuilder(GRAPH)
    for name in names:
        element = builder.add(whole.type_of(whole.id_of(name)), name)
        for function in GRAPH.functions_of(builder.type_of(element)):
            value = whole.name_of(whole.apply(function.name, whole.id_of(name)))
            builder.set_function(function.name, element, builder.id_of(value))
    return inclusion(builder.build(), whole)


def deleting(pattern: Instance, *kept: str, monic: bool = True) -> Rule:
    """The rule that deletes everything of the pattern but what is kept."""
    left = subgraph(pattern, *kept)
    return Rule("delete", left, identity(left.source), monic=monic)


def applied(rule: Rule, target: Instance, **fixed: str) -> Rewrite:
    """The rewrite at the one match where some elements are fixed, by name."""
    initial = {rule.L.id_of(key): target.id_of(value) for key, value in fixed.items()}
    (match,) = find_homs(rule.L, target, monic=rule.monic, initial=initial)
    outcome = rewrite(rule, match)
    if outcome.comatch is not None:
        assert not outcome.comatch.violations()
    return outcome


def dangling_of(outcome: Rewrite) -> set[tuple[str, ...]]:
    assert outcome.instance is None
    assert {v.kind for v in outcome.violations} == {ViolationKind.DANGLING}
    return {v.elements for v in outcome.violations}


KITE = graph(4, [(1, 2), (1, 4), (2, 4), (3, 2), (4, 3)])


def test_case_13_an_edge_becomes_a_loop() -> None:
    # Deleting the edge's target leaves the next edge of the path without a source, but at its end.
    left = subgraph(path(2), "v1")
    rule = Rule("curl", left, inclusion(left.source, cycle(1)))
    target = path(5)
    outcomes = [rewrite(rule, match) for match in find_homs(rule.L, target)]
    assert len(outcomes) == 4
    for number, outcome in enumerate(outcomes[:3], start=2):
        assert dangling_of(outcome) == {(f"v{number}", f"e{number}")}
        assert "its 'src'" in outcome.violations[0].message
    result = outcomes[3].instance
    assert result is not None
    assert is_isomorphic(result, graph(4, [(1, 2), (2, 3), (3, 4), (4, 4)]))
    assert ("v4", "v4") in edges_of(result)
    assert outcomes[3].delta.deleted == ("e4", "v5")
    assert outcomes[3].delta.created == ("e1_2",)
    assert len(list(find_matches(rule, target))) == 1


def test_case_14_deleting_an_apex() -> None:
    # Vertex 1 and its two edges go; 2->4, 3->2, 4->3 remain, a cycle.
    span = graph(3, [(1, 2), (1, 3)])
    outcome = applied(deleting(span, "v2", "v3"), KITE, v1="v1", v2="v2", v3="v4")
    assert outcome.instance is not None
    assert is_isomorphic(outcome.instance, cycle(3))


def test_case_15_two_dangling_ends() -> None:
    # Without vertex 4, edge 5 (4->3) would have no source and edge 3 (2->4) no target.
    span = graph(3, [(1, 2), (1, 3)])
    rule = deleting(span, "v1", "v2", "e1")
    outcome = applied(rule, KITE, v1="v1", v2="v2", v3="v4")
    assert dangling_of(outcome) == {("v4", "e5"), ("v4", "e3")}
    functions = {v.elements[1]: v.message.split("'")[3] for v in outcome.violations}
    assert functions == {"e5": "src", "e3": "tgt"}


def test_case_16_a_match_that_is_not_monic_where_nothing_is_lost() -> None:
    # Both ends of the edge are preserved, so that they may be one vertex.
    rule = deleting(path(2), "v1", "v2", monic=False)
    outcome = applied(rule, graph(2, [(1, 1), (2, 2)]), v1="v1")
    assert outcome.instance == _without(graph(2, [(1, 1), (2, 2)]), "e1")
    assert edges_of(outcome.instance) == [("v2", "v2")]


def test_case_17_identification() -> None:
    # Two edges at one loop: to delete one would keep and delete it, to delete both is ruled out as
    # well, for the pushout would not give the loop back.
    there_and_back = graph(2, [(1, 2), (2, 1)])
    for kept in (("v1", "v2", "e2"), ("v1", "v2")):
        outcome = applied(deleting(there_and_back, *kept, monic=False), cycle(1))
        assert outcome.instance is None
        assert [v.kind for v in outcome.violations] == [ViolationKind.IDENTIFICATION]
        assert outcome.violations[0].elements == ("e1",)
        assert "'e1' is matched by e1, e2" in outcome.violations[0].message


def test_case_18_duplicating_an_edge() -> None:
    left = identity(path(2))
    rule = Rule(
        "double",
        left,
        inclusion(left.source, graph(2, [(1, 2), (1, 2)])),
        monic=False,
    )
    target = graph(2, [(1, 2), (2, 2)])
    outcomes = [rewrite(rule, match) for match in find_homs(rule.L, target, monic=False)]
    assert [edges_of(_result(outcome)) for outcome in outcomes] == [
        [("v1", "v2"), ("v1", "v2"), ("v2", "v2")],
        [("v1", "v2"), ("v2", "v2"), ("v2", "v2")],
    ]
    assert sum(1 for _ in find_homs(rule.L, target)) == 1


def test_case_19_merging_two_vertices() -> None:
    # Two parallel edges, deleted, their ends merged with a loop on them. Both edges at the same
    # edge, three times, cannot be; the parallel pair in either order gives the same.
    parallel, ends = graph(2, [(1, 2), (1, 2)]), graph(2)
    loop = cycle(1)
    point = loop.id_of("v1")
    merge = morphism(ends, loop, {ends.id_of("v1"): point, ends.id_of("v2"): point})
    rule = Rule("contract", inclusion(ends, parallel), merge, monic=False)
    target = graph(3, [(1, 2), (2, 3), (2, 3)])
    outcomes = [rewrite(rule, match) for match in find_homs(parallel, target, monic=False)]
    assert len(outcomes) == 5
    refused = [outcome for outcome in outcomes if outcome.instance is None]
    assert len(refused) == 3
    for outcome in refused:
        assert [v.kind for v in outcome.violations] == [ViolationKind.IDENTIFICATION]
    for outcome in outcomes:
        if outcome.comatch is not None:
            assert is_isomorphic(_result(outcome), graph(2, [(1, 2), (2, 2)]))
            assert not outcome.comatch.violations()
            assert outcome.delta.deleted == ("e2", "e3", "v3")


def test_a_match_must_be_monic_where_the_rule_says_so() -> None:
    rule = deleting(path(2), "v1", "v2")
    (match,) = find_homs(rule.L, cycle(1), monic=False)
    (violation,) = rewrite(rule, match).violations
    assert violation.kind is ViolationKind.NOT_MONIC
    assert violation.message == "v1, v2 must be different, but all are 'v1'"
    by_edges = Rule("delete", rule.left, rule.right, monic=("E",))
    assert rewrite(by_edges, match).violations == ()


def test_a_match_that_is_no_morphism_is_refused() -> None:
    rule = deleting(path(2), "v1", "v2")
    target = path(3)
    names = {"v1": "v1", "v2": "v3", "e1": "e1"}
    match = Morphism(
        rule.L, target, {rule.L.id_of(key): target.id_of(value) for key, value in names.items()}
    )
    assert [v.kind for v in rewrite(rule, match).violations] == [ViolationKind.NATURALITY]


def _result(outcome: Rewrite) -> Instance:
    assert outcome.instance is not None
    return outcome.instance


def _without(instance: Instance, name: str) -> Instance:
    builder = InstanceBuilder.of(instance)
    builder.remove(builder.id_of(name))
    return builder.build()
