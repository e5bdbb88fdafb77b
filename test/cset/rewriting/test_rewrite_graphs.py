# SPDX-License-Identifier: Apache-2.0
"""Double-pushout rewriting of graphs: cases 13 to 19 of the engine's specification."""

import pytest
from example_graphs import cycle, graph, path, subgraph

from fcp_ros.cset import (
    Instance,
    Morphism,
    Rewrite,
    Rule,
    ViolationKind,
    find_homs,
    identity,
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


@pytest.mark.parametrize("kept", [("v1", "v2", "e2"), ("v1", "v2")])
def test_case_17_identification(kept: tuple[str, ...]) -> None:
    # Two edges at one loop: to delete one would keep and delete it. To delete both is ruled out as
    # well: the pushout of L and what is left would have two edges again, not the loop.
    outcome = applied(deleting(graph(2, [(1, 2), (2, 1)]), *kept, monic=False), cycle(1))
    assert outcome.instance is None
    assert [v.kind for v in outcome.violations] == [ViolationKind.IDENTIFICATION]
    assert outcome.violations[0].elements == ("e1",)
    assert "'e1' is matched by e1, e2" in outcome.violations[0].message


def test_a_match_must_be_monic_where_the_rule_says_so() -> None:
    rule = deleting(path(2), "v1", "v2")
    (match,) = find_homs(rule.L, cycle(1), monic=False)
    (violation,) = rewrite(rule, match).violations
    assert violation.kind is ViolationKind.NOT_MONIC
    assert violation.message == "v1, v2 must be different, but all are 'v1'"


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
