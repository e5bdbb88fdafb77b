# SPDX-License-Identifier: Apache-2.0
"""Rewriting is undone by the inverse rule, up to isomorphism."""

from collections.abc import Callable
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Instance,
    InstanceBuilder,
    Morphism,
    Rewrite,
    Rule,
    find_homs,
    inclusion,
    is_isomorphic,
    rewrite,
)


def part_of(draw: st.DrawFn, whole: Instance) -> Instance:
    """A drawn part of an instance: some elements, and some of the tuples between them."""
    kept = {element for element in whole.all_elements() if draw(st.integers(0, 3))}
    kept |= {whole.apply("home", robot) for robot in kept if whole.type_of(robot) == "robot"}
    builder = InstanceBuilder(whole.schema)
    new = {
        old: builder.add(whole.type_of(old), whole.name_of(old), whole.attributes(old))
        for old in whole.all_elements()
        if old in kept
    }
    for old in new:
        if whole.type_of(old) == "robot":
            builder.set_function("home", new[old], new[whole.apply("home", old)])
    for relation in whole.schema.relations:
        for legs in whole.tuples(relation.name).values():
            if kept.issuperset(legs) and draw(st.booleans()):
                builder.relate(relation.name, *(new[leg] for leg in legs))
    return builder.build()


def grown(draw: st.DrawFn, glue: Instance) -> Instance:
    """The instance with some more elements and tuples."""
    builder = InstanceBuilder.of(glue)
    for number in range(draw(st.integers(0, 2))):
        builder.add(draw(st.sampled_from(["thing", "box"])), f"new_{number}")
    larger = builder.build()
    items = st.sampled_from(larger.elements("thing") or [0])
    for pair in draw(st.sets(st.tuples(items, items), max_size=2)):
        if 0 not in pair:
            builder.relate("on", *pair)
    return builder.build()


def without_conflicts(instance: Instance) -> Instance:
    builder = InstanceBuilder.of(instance)
    for element in instance.elements("thing"):
        for row in instance.tuples_at("on", "item", element)[1:]:
            builder.unrelate("on", *instance.tuples("on")[row])
    return builder.build()


@st.composite
def cases(draw: st.DrawFn, instances: Callable[..., Any]) -> tuple[Rule, Instance, int]:
    state = without_conflicts(draw(instances(3)))
    # A part of the state matches at least once; anything else may match in several ways or none.
    left = part_of(draw, state) if draw(st.booleans()) else draw(instances(1))
    glue = part_of(draw, left)
    rule = Rule(
        "drawn", inclusion(glue, left), inclusion(glue, grown(draw, glue)), (), draw(st.booleans())
    )
    return rule, state, draw(st.integers(0, 5))


def forgets(rule: Rule, match: Morphism, outcome: Rewrite) -> bool:
    """Whether the rewrite lost what the rule does not know, so that its inverse cannot restore it.

    That is: a deleted element was of a subtype or had attributes that the pattern does not mention;
    or, as relations are sets, a created tuple was there already, or two created ones became one.
    """
    if any(
        rule.L.schema.has_type(rule.L.type_of(id_))
        and (
            rule.L.type_of(id_) != match.target.type_of(match(id_))
            or rule.L.attributes(id_) != match.target.attributes(match(id_))
        )
        for id_ in rule.deleted
    ):
        return True
    rows = [id_ for id_ in rule.created if not rule.R.schema.has_type(rule.R.type_of(id_))]
    return len(outcome.delta.added) != len(rows)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_the_inverse_rule_restores_the_state(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    rule, state, skip = data.draw(cases(instances))
    matches = list(find_homs(rule.L, state, monic=rule.monic, limit=skip + 1))
    assume(matches)
    outcome = rewrite(rule, matches[-1])
    if outcome.instance is None:
        assert outcome.violations
        assert outcome.comatch is None
        return
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    assert outcome.instance.functional_conflicts() == ()
    assert len(outcome.instance.all_elements()) == (
        len(state.all_elements()) - len(outcome.delta.deleted) + len(outcome.delta.created)
    )
    if forgets(rule, matches[-1], outcome):
        return
    back = rewrite(rule.inverse(), outcome.comatch)
    assert back.violations == ()
    assert back.instance is not None
    assert is_isomorphic(back.instance, state)
    assert back.delta.created == tuple(
        sorted(set(back.instance.names()) - set(outcome.instance.names()))
    )
    assert back.delta.added == tuple(sorted(back.delta.added))
