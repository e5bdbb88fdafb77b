# SPDX-License-Identifier: Apache-2.0
"""Double-pushout rewriting of graphs: cases 13 to 19 of the engine's specification."""

import dataclasses

import pytest
from example_graphs import cycle, edges_of, graph, path, subgraph
from isomorphism import is_isomorphic

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
    morphism,
    rewrite,
)


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


def dangling_of(outcome: Rewrite) -> set[tuple[str | None, str]]:
    """(function, edge) of what would dangle."""
    assert outcome.instance is None
    assert {v.kind for v in outcome.violations} == {ViolationKind.DANGLING}
    return {(v.symbol, v.elements[1]) for v in outcome.violations}


KITE = graph(4, [(1, 2), (1, 4), (2, 4), (3, 2), (4, 3)])


def test_case_13_an_edge_becomes_a_loop() -> None:
    # Each of the 4 edges of P5 is a match. Deleting an edge's target leaves the next edge of the
    # path, 2, 3 or 4, without a source; only the last edge has none after it. There, vertex 5 and
    # edge 4 go and a loop at vertex 4 comes.
    left = subgraph(path(2), "v1")
    rule = Rule("curl", left, inclusion(left.source, cycle(1)))
    target = path(5)
    outcomes = [rewrite(rule, match) for match in find_homs(rule.L, target)]
    assert len(outcomes) == 4
    for number, outcome in enumerate(outcomes[:3], start=2):
        assert dangling_of(outcome) == {("src", f"e{number}")}
        assert outcome.violations[0].elements == (f"v{number}", f"e{number}")
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
    assert dangling_of(outcome) == {("src", "e5"), ("tgt", "e3")}
    assert {v.elements[0] for v in outcome.violations} == {"v4"}


def test_case_16_a_match_that_is_not_monic_where_nothing_is_lost() -> None:
    # Both ends of the edge are preserved, so that they may be one vertex.
    rule = deleting(path(2), "v1", "v2", monic=False)
    outcome = applied(rule, graph(2, [(1, 1), (2, 2)]), v1="v1")
    assert outcome.instance == _without(graph(2, [(1, 1), (2, 2)]), "e1")
    assert edges_of(outcome.instance) == [("v2", "v2")]


@pytest.mark.parametrize("kept", [("v1", "v2", "e2"), ("v1", "v2")])
def test_case_17_identification(kept: tuple[str, ...]) -> None:
    # Two edges at one loop: to delete one would keep and delete it. To delete both is ruled out as
    # well: the pushout of L and what is left would have two edges again, not the loop.
    outcome = applied(deleting(graph(2, [(1, 2), (2, 1)]), *kept, monic=False), cycle(1))
    assert outcome.instance is None
    assert [v.kind for v in outcome.violations] == [ViolationKind.IDENTIFICATION]
    assert outcome.violations[0].elements == ("e1",)
    assert "'e1' is matched by e1, e2" in outcome.violations[0].message


def test_case_18_duplicating_an_edge() -> None:
    # The edge may be matched by 1->2, monically, or by the loop 2->2, with both ends at 2.
    left = identity(path(2))
    rule = Rule("double", left, inclusion(left.source, graph(2, [(1, 2), (1, 2)])), monic=False)
    target = graph(2, [(1, 2), (2, 2)])
    outcomes = [rewrite(rule, match) for match in find_homs(rule.L, target, monic=False)]
    assert [edges_of(_result(outcome)) for outcome in outcomes] == [
        [("v1", "v2"), ("v1", "v2"), ("v2", "v2")],
        [("v1", "v2"), ("v2", "v2"), ("v2", "v2")],
    ]
    assert sum(1 for _ in find_homs(rule.L, target)) == 1


def merging_a_parallel_pair() -> Rule:
    """Two parallel edges go, their ends become one vertex with a loop."""
    parallel, ends = graph(2, [(1, 2), (1, 2)]), graph(2)
    point = cycle(1).id_of("v1")
    merge = morphism(ends, cycle(1), {ends.id_of("v1"): point, ends.id_of("v2"): point})
    return Rule("contract", inclusion(ends, parallel), merge, monic=False)


def test_case_19_merging_a_parallel_pair() -> None:
    # Both edges at the same edge, for each of the three: not possible, for both are deleted. The
    # parallel pair in either order gives the same: 2 and 3 become one vertex with a loop.
    rule, target = merging_a_parallel_pair(), graph(3, [(1, 2), (2, 3), (2, 3)])
    outcomes = [rewrite(rule, match) for match in find_homs(rule.L, target, monic=False)]
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


def test_merging_may_chain_and_takes_its_edges_along() -> None:
    # Three vertices become one at a match that has merged two of them already.
    ends, one = graph(3), graph(1)
    all_one = morphism(ends, one, dict.fromkeys(ends.all_elements(), one.id_of("v1")))
    rule = Rule("collapse", identity(ends), all_one, monic=False)
    target = path(4)
    initial = {
        rule.L.id_of(key): target.id_of(value)
        for key, value in {"v1": "v2", "v2": "v4", "v3": "v2"}.items()
    }
    (match,) = find_homs(rule.L, target, monic=False, initial=initial)
    result = _result(rewrite(rule, match))
    assert edges_of(result) == [("v1", "v2"), ("v2", "v3"), ("v3", "v2")]


def test_a_match_must_be_monic_where_the_rule_says_so() -> None:
    rule = deleting(path(2), "v1", "v2")
    (match,) = find_homs(rule.L, cycle(1), monic=False)
    (violation,) = rewrite(rule, match).violations
    assert violation.kind is ViolationKind.NOT_MONIC
    assert violation.message == "v1, v2 must be different, but all are 'v1'"
    by_edges = dataclasses.replace(rule, monic=("E",))
    assert rewrite(by_edges, match).violations == ()


def test_a_match_that_is_no_morphism_is_refused() -> None:
    rule = deleting(path(2), "v1", "v2")
    target = path(3)
    names = {"v1": "v1", "v2": "v3", "e1": "e1"}
    match = Morphism(
        rule.L, target, {rule.L.id_of(key): target.id_of(value) for key, value in names.items()}
    )
    assert [v.kind for v in rewrite(rule, match).violations] == [ViolationKind.NATURALITY]


def test_a_match_of_something_else_is_an_error() -> None:
    rule = deleting(path(2), "v1", "v2")
    with pytest.raises(ValueError, match=r"not the left side of rule 'delete'; search matches of"):
        rewrite(rule, identity(path(3)))


def _result(outcome: Rewrite) -> Instance:
    assert outcome.instance is not None
    return outcome.instance


def _without(instance: Instance, name: str) -> Instance:
    builder = InstanceBuilder.of(instance)
    builder.remove(builder.id_of(name))
    return builder.build()
