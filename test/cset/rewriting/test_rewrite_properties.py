# SPDX-License-Identifier: Apache-2.0
"""Rewriting agrees with its definitions, computed slowly, and is undone by the inverse rule."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st
from isomorphism import is_isomorphic

from fcp_ros.cset import (
    Instance,
    InstanceBuilder,
    Morphism,
    Rewrite,
    Rule,
    ViolationKind,
    difference,
    find_homs,
    inclusion,
    rewrite,
)
from fcp_ros.cset.constraints import find_conflicts
from fcp_ros.cset.presentation import PresentationError, pushout


def part_of(draw: st.DrawFn, whole: Instance) -> Instance:
    """A drawn part of an instance: some elements, some of their values, some of the tuples."""
    kept = {element for element in whole.all_elements() if draw(st.integers(0, 3))}
    kept |= {whole.apply("home", robot) for robot in kept if whole.type_of(robot) == "robot"}
    builder = InstanceBuilder(whole.schema)
    new: dict[int, int] = {}
    for old in whole.all_elements():
        if old in kept:
            values = {k: v for k, v in whole.attributes(old).items() if draw(st.integers(0, 3))}
            new[old] = builder.add(whole.type_of(old), whole.name_of(old), values)
    for old in new:
        if whole.type_of(old) == "robot":
            builder.set_function("home", new[old], new[whole.apply("home", old)])
    for relation in whole.schema.relations:
        for legs in whole.tuples(relation.name).values():
            if kept.issuperset(legs) and draw(st.booleans()):
                builder.relate(relation.name, *(new[leg] for leg in legs))
    return builder.build(allow_conflicts=True)


def grown(draw: st.DrawFn, glue: Instance) -> Instance:
    """The instance with some more elements, tuples and values."""
    builder = InstanceBuilder.of(glue)
    for number in range(draw(st.integers(0, 2))):
        builder.add(draw(st.sampled_from(["thing", "box"])), f"new_{number}")
    for element in glue.elements("thing"):
        if glue.attribute(element, "colour") is None and draw(st.integers(0, 2)) == 0:
            builder.set_attribute(element, "colour", draw(st.sampled_from(["red", "blue"])))
    larger = builder.build(allow_conflicts=True)
    items = st.sampled_from(larger.elements("thing") or [0])
    for pair in draw(st.sets(st.tuples(items, items), max_size=2)):
        if 0 not in pair:
            builder.relate("on", *pair)
    return builder.build(allow_conflicts=True)


@st.composite
def cases(draw: st.DrawFn, instances: Callable[..., Any]) -> tuple[Rule, Instance, int]:
    """A rule, a state, and which of its matches to take."""
    state = draw(instances(3, conflicts=False))
    # A part of the state matches at least once; anything else may match in several ways or none.
    left = part_of(draw, state) if draw(st.booleans()) else draw(instances(1))
    glue = part_of(draw, left)
    right = inclusion(glue, grown(draw, glue))
    rule = Rule("drawn", inclusion(glue, left), right, (), draw(st.booleans()))
    return rule, state, draw(st.integers(0, 5))


def match_in(case: tuple[Rule, Instance, int]) -> tuple[Rule, Morphism]:
    rule, state, skip = case
    matches = list(islice(find_homs(rule.L, state, monic=rule.monic), skip + 1))
    assume(matches)
    return rule, matches[-1]


# --- the inverse rule


def forgets(rule: Rule, match: Morphism, outcome: Rewrite) -> bool:
    """Whether the rewrite lost what the rule does not know, so that its inverse cannot restore it.

    That is: a deleted element was of a subtype or had attributes that the pattern does not mention;
    an attribute was assigned over another value; or, as relations are sets, a created tuple was
    there already, or two created ones became one.
    """
    if any(
        rule.L.type_of(id_) != match.target.type_of(match(id_))
        or rule.L.attributes(id_) != match.target.attributes(match(id_))
        for id_ in rule.deleted
    ):
        return True
    for id_, original in rule.left.mapping.items():
        known, assigned = rule.L.attributes(original), rule.R.attributes(rule.right(id_))
        if any(n in assigned and n not in known for n in match.target.attributes(match(original))):
            return True
    rows = [id_ for id_ in rule.created if not rule.R.schema.has_type(rule.R.type_of(id_))]
    return len(outcome.delta.added) != len(rows)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_the_inverse_rule_restores_the_state(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    rule, match = match_in(data.draw(cases(instances)))
    state = match.target
    outcome = rewrite(rule, match)
    if outcome.instance is None:
        assert outcome.violations
        assert outcome.comatch is None
        return
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    assert find_conflicts(outcome.instance) == ()
    assert outcome.delta == difference(state, outcome.instance)
    if forgets(rule, match, outcome):
        return
    event("restored")
    back = rewrite(rule.inverse(), outcome.comatch)
    assert back.violations == ()
    assert back.instance is not None
    assert is_isomorphic(back.instance, state)


# --- the definition by pushouts


def pushout_complement(rule: Rule, match: Morphism) -> Morphism | None:
    """K -> D, with D made element by element; None where it is not an instance.

    Values that R replaces are taken from D, too.
    """
    state = match.target
    deleted = {match(id_) for id_ in rule.deleted}
    builder = InstanceBuilder(state.schema)
    new: dict[int, int] = {}
    for element in state.all_elements():
        if element not in deleted:
            new[element] = builder.add(state.type_of(element), state.name_of(element))
    for robot in state.elements("robot"):
        if robot in new:
            if state.apply("home", robot) not in new:
                return None
            builder.set_function("home", new[robot], new[state.apply("home", robot)])
    for relation in state.schema.relations:
        for row, legs in state.tuples(relation.name).items():
            if row not in deleted:
                if not new.keys() >= set(legs):
                    return None
                new[row] = builder.relate(relation.name, *(new[leg] for leg in legs))
    for old, image in new.items():
        for name, value in state.attributes(old).items():
            if (old, name) not in dropped(rule, match):
                builder.set_attribute(image, name, value)
    context = builder.build()
    mapping = {id_: new[match(original)] for id_, original in rule.left.mapping.items()}
    return Morphism(rule.K, context, mapping)


def dropped(rule: Rule, match: Morphism) -> set[tuple[int, str]]:
    """The attributes that L sets and K does not, and those to which R gives another value."""
    return {
        (match(original), name)
        for id_, original in rule.left.mapping.items()
        for name in (*rule.L.attributes(original), *rule.R.attributes(rule.right(id_)))
        if name not in rule.K.attributes(id_)
        and match.target.attribute(match(original), name) != rule.R.attribute(rule.right(id_), name)
    }


def identifies_deleted(rule: Rule, match: Morphism) -> bool:
    images = list(match.mapping.values())
    return any(images.count(match(id_)) > 1 for id_ in rule.deleted)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_rewriting_is_a_pushout_complement_and_a_pushout(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    rule, match = match_in(data.draw(cases(instances)))
    outcome = rewrite(rule, match)
    kinds = {violation.kind for violation in outcome.violations}
    glue = None if identifies_deleted(rule, match) else pushout_complement(rule, match)
    if glue is None:
        assert kinds <= {ViolationKind.IDENTIFICATION, ViolationKind.DANGLING}
        assert kinds
        return
    if glue.violations():
        # K keeps an attribute that L forgets, or R assigns, at another element with the same image.
        assert kinds & {ViolationKind.IDENTIFICATION, ViolationKind.CONTRADICTION}
        return
    try:
        square = pushout(glue, rule.right)
    except PresentationError:
        assert kinds == {ViolationKind.CONTRADICTION}
        return
    if find_conflicts(square.apex):
        assert kinds == {ViolationKind.FUNCTIONAL}
        return
    event("rewritten")
    assert outcome.violations == ()
    assert outcome.instance is not None
    assert is_isomorphic(outcome.instance, square.apex)
    assert outcome.comatch is not None
    assert outcome.comatch.violations() == ()
    assert outcome.delta == difference(match.target, outcome.instance)
