# SPDX-License-Identifier: Apache-2.0
"""Maintained matches of rules: always what a new search for legal matches would find."""

from collections.abc import Callable
from typing import Any

from example_graphs import graph, path
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    ApplicationCondition,
    Attribute,
    AttributeKind,
    ConditionKind,
    Function,
    Instance,
    InstanceBuilder,
    Morphism,
    Relation,
    Rule,
    Schema,
    find_homs,
    find_matches,
    identity,
    rewrite,
)
from fcp_ros.cset.conditions.conditions import Condition, CountCondition
from fcp_ros.cset.instance.draft import Change
from fcp_ros.cset.instance.expressions import ValueVariable
from fcp_ros.cset.rewriting.match_maintenance import maintain_matches
from fcp_ros.cset.rewriting.rule import Semantics
from fcp_ros.cset.search.match_set import MatchSet

Edited = Callable[..., tuple[Instance, Change]]
Instances = Callable[..., Any]


def mappings(matches: Any) -> set[frozenset[tuple[int, int]]]:
    found = [frozenset(match.mapping.items()) for match in matches]
    assert len(found) == len(set(found))
    return set(found)


def test_case_23_matches_of_a_path_when_a_triangle_is_put_on_an_edge() -> None:
    # L = K = P2, a single edge; R is the triangle {1->2, 1->3, 2->3}, and L's edge becomes 1->3 in
    # it. So the rule puts a detour over a new vertex n beside an edge. In P4 it is applied at the
    # second edge, 2->3, which brings 2->n and n->3. Paths of two edges before: 1-2-3 and 2-3-4.
    # The new ones: 1-2-n, 2-n-3 and n-3-4; both old ones are left: 2 -> 5.
    edge, triangle = path(2), graph(3, [(1, 2), (1, 3), (2, 3)])
    names = {"v1": "v1", "v2": "v3", "e1": "e2"}
    ids = {edge.id_of(name): triangle.id_of(image) for name, image in names.items()}
    rule = Rule("detour", identity(edge), Morphism(edge, triangle, ids))
    start = path(4)
    found = find_homs(edge, start, initial={edge.id_of("e1"): start.id_of("e2")})
    outcome = rewrite(rule, next(found))
    assert outcome.instance is not None
    before = MatchSet.of(path(3), start, monic=False)
    after = before.update(outcome.instance, outcome.change)
    assert (len(before), len(after)) == (2, 5)
    assert (len(after.appeared), after.vanished) == (3, ())
    assert mappings(after) == mappings(find_homs(path(3), outcome.instance, monic=False))


def included(small: Instance, large: Instance) -> Morphism:
    """The inclusion of an instance in one that was made from it, or the other way round."""
    return Morphism(
        small,
        large,
        {
            id_: id_
            for type_ in (*small.schema.types, *(r.name for r in small.schema.relations))
            for id_ in small.elements(type_)
        },
    )


def drawn_conditions(
    data: st.DataObject, edited: Edited, pattern: Instance, depth: int
) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for number in range(data.draw(st.integers(0, 2))):
        larger, _ = edited(data, pattern, ("add", "relate", "paint"))
        leg, monic = included(pattern, larger), data.draw(st.booleans())
        if leg.violations():
            continue  # what is painted may have been painted otherwise before
        nested = drawn_conditions(data, edited, larger, depth - 1) if depth else ()
        kind = data.draw(st.sampled_from([*ConditionKind, None]))
        if kind is not None:
            found.append(ApplicationCondition(kind, f"{number}", leg, monic, nested))
        else:
            least = data.draw(st.integers(0, 2))
            found.append(CountCondition(f"{number}", leg, least, least + 1, monic, nested))
    return tuple(found)


@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_maintained_equals_recomputed(
    data: st.DataObject, instances: Instances, edited: Edited, part_of: Callable[..., Instance]
) -> None:
    state = data.draw(instances(3))
    left = part_of(data, state, data.draw(st.integers(0, 3)))
    glue = left
    if data.draw(st.booleans()):
        glue, _ = edited(data, left, ("remove", "unrelate"))
    rule = Rule(
        "drawn",
        included(glue, left),
        identity(glue),
        drawn_conditions(data, edited, left, 1),
        data.draw(st.sampled_from([True, False, ("thing",)])),
        data.draw(st.sampled_from(Semantics)),
    )
    matches = maintain_matches(rule, state)
    assert mappings(matches) == mappings(find_matches(rule, state))
    for _ in range(data.draw(st.integers(1, 3))):
        before = mappings(matches)
        state, change = edited(data, state)
        matches = matches.update(state, change)
        after = mappings(find_matches(rule, state))
        assert mappings(matches) == after
        assert mappings(matches.appeared) == after - before
        assert mappings(matches.vanished) == before - after


NESTED = Schema(
    "nested",
    {"thing": (), "box": ("thing",)},
    (Function("inside", "box", "thing"),),
    (Relation("near", (("one", "thing"), ("other", "thing"))),),
)


def things(*names: str) -> Instance:
    builder = InstanceBuilder(NESTED)
    for name in names:
        builder.add("thing", name)
    return builder.build()


def by_name(small: Instance, large: Instance, **images: str) -> Morphism:
    return Morphism(
        small, large, {small.id_of(name): large.id_of(image) for name, image in images.items()}
    )


def deleting(semantics: Semantics, monic: bool) -> Rule:
    """Deletes one of two things; the other may be a box in it, or in a box in it, and so on."""
    left, glue = things("stays", "goes"), things("stays")
    leg = by_name(glue, left, stays="stays")
    return Rule("delete", leg, identity(glue), semantics=semantics, monic=monic)


def cloning() -> Rule:
    """Clones a thing, and what is inside of it, which cannot be done where it is inside itself."""
    left, glue = things("thing", "other"), things("first", "second", "other")
    leg = by_name(glue, left, first="thing", second="thing", other="other")
    return Rule("clone", leg, identity(glue), semantics=Semantics.SQPO, monic=False)


@settings(max_examples=100, deadline=None)
@given(
    rule=st.one_of(
        st.builds(deleting, st.sampled_from(Semantics), st.booleans()), st.builds(cloning)
    ),
    boxes=st.lists(st.integers(0, 4), max_size=3),
    near=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=2),
    edits=st.lists(
        st.tuples(
            st.sampled_from(["put", "add", "remove", "relate", "unrelate"]),
            st.integers(0, 4),
            st.integers(0, 4),
        ),
        min_size=3,
        max_size=10,
    ),
)
def test_what_refers_to_what_goes(
    rule: Rule, boxes: list[int], near: set[tuple[int, int]], edits: list[tuple[str, int, int]]
) -> None:
    builder = InstanceBuilder(NESTED)
    elements = [builder.add("thing") for _ in range(2)] + [builder.add("box") for _ in boxes]
    for box, place in zip(elements[2:], boxes, strict=True):
        builder.set_function("inside", box, elements[place % len(elements)])
    for pair in sorted(near):
        builder.relate("near", *(elements[number % len(elements)] for number in pair))
    state = builder.build()
    matches = maintain_matches(rule, state)
    for kind, first, second in edits:
        builder = InstanceBuilder.of(state)
        edit(kind, state, builder, first, second)
        change = builder.change()
        state = builder.build()
        matches = matches.update(state, change)
        assert mappings(matches) == mappings(find_matches(rule, state))


def edit(kind: str, state: Instance, builder: InstanceBuilder, first: int, second: int) -> None:
    things, boxes = state.elements("thing"), state.elements("box")
    one, other = things[first % len(things)], things[second % len(things)]
    if kind == "put" and boxes:
        builder.set_function("inside", boxes[first % len(boxes)], other)
    elif kind == "add":
        builder.set_function("inside", builder.add("box"), one)
    elif kind == "relate":
        builder.relate("near", one, other)
    elif kind == "unrelate" and state.tuples("near"):
        rows = list(state.tuples("near").values())
        builder.unrelate("near", *rows[first % len(rows)])
    elif kind == "remove" and len(things) > 1:
        for box in state.function_table("inside").preimages().get(one, ()):
            builder.set_function("inside", box, next(thing for thing in things if thing != one))
        for legs in state.tuples("near").values():
            if one in legs:
                builder.unrelate("near", *legs)
        builder.remove(one)


def test_what_goes_with_a_box_may_be_deleted() -> None:
    # Things a and d, and a box b in d. Two different things are matched, one stays and one goes;
    # while b is in d, only a and b can go, each beside two others. Without b, a and d can.
    builder = InstanceBuilder(NESTED)
    _, inner = builder.add("thing", "a"), builder.add("thing", "d")
    builder.set_function("inside", builder.add("box", "b"), inner)
    matches = maintain_matches(deleting(Semantics.DPO, True), builder.build())
    assert len(matches) == 4
    builder.remove(builder.id_of("b"))
    change = builder.change()
    after = matches.update(builder.build(), change)
    assert [match.by_name() for match in after.appeared] == [{"stays": "a", "goes": "d"}]
    assert len(after.vanished) == 3
    assert len(after) == 2


def test_what_extends_no_match_any_more_need_not_be_one() -> None:
    # Two different things are matched, the first by its weight; a third one near the first forbids
    # it, also for a and a, which is no match. Then a loses what is near it and its weight at once.
    schema = Schema(
        "weights",
        {"thing": ()},
        relations=NESTED.relations,
        attributes=(Attribute("weight", "thing", AttributeKind.INT),),
    )
    draft = InstanceBuilder(schema)
    first = draft.add("thing", "first", {"weight": ValueVariable("w")})
    draft.add("thing", "second")
    left = draft.build()
    draft.relate("near", first, draft.add("thing", "third"))
    forbidden = ApplicationCondition(
        ConditionKind.NAC, "something near", included(left, draft.build())
    )
    rule = Rule("alone", identity(left), identity(left), (forbidden,))
    builder = InstanceBuilder(schema)
    one, _ = builder.add("thing", "a", {"weight": 1}), builder.add("thing", "b", {"weight": 2})
    builder.relate("near", one, one)
    matches = maintain_matches(rule, builder.build())
    assert [match.by_name() for match in matches] == [{"first": "b", "second": "a"}]
    builder.unrelate("near", one, one)
    change = builder.change()
    freed = matches.update(builder.build(), change)
    assert [match.by_name() for match in freed.appeared] == [{"first": "a", "second": "b"}]
    builder = InstanceBuilder.of(matches.instance)
    builder.unrelate("near", one, one)
    builder.set_attribute(one, "weight", None)
    change = builder.change()
    after = matches.update(builder.build(), change)
    assert after.appeared == after.vanished == ()
