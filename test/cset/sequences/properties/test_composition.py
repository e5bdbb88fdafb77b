# SPDX-License-Identifier: Apache-2.0
"""A composite applies exactly where its parts do, and does what they do."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import (
    Instance,
    Morphism,
    Rule,
    check_match,
    find_homs,
    find_matches,
    is_isomorphic,
    rewrite,
)
from fcp_ros.cset.sequences.applied_step import AppliedStep, StepError
from fcp_ros.cset.sequences.composition import (
    CompositionError,
    Macro,
    compose,
    compose_sequence,
)

Make = Callable[..., Any]


def same(outcome: Instance | None, steps: Sequence[AppliedStep]) -> bool:
    """Whether two results are equal, up to the names of what is created."""
    assert outcome is not None
    last = steps[-1].after
    return outcome == last or is_isomorphic(outcome, last)


def applicable(macro: Macro, state: Instance) -> Iterator[Morphism]:
    for match in find_homs(macro.rule.L, state, limit=20):
        if rewrite(macro.rule, match).instance is not None:
            yield match


def does_what_its_parts_do(macro: Macro, state: Instance) -> bool:
    """Whether the composite, wherever it applies, gives what its parts give in turn."""
    for match in applicable(macro, state):
        outcome = rewrite(macro.rule, match)
        try:
            steps = macro.expand(match)
        except StepError as error:
            raise AssertionError(f"the parts do not apply: {error}") from error
        assert same(outcome.instance, steps)
    return True


def runs(rules: Sequence[Rule], state: Instance) -> Iterator[list[AppliedStep]]:
    """Some ways to apply rules one after the other."""
    if not rules:
        yield []
        return
    for match in islice(find_matches(rules[0], state), 6):
        outcome = rewrite(rules[0], match)
        if outcome.instance is not None:
            step = AppliedStep(rules[0], match, outcome)
            for rest in runs(rules[1:], outcome.instance):
                yield [step, *rest]


def match_for(macro: Macro, steps: Sequence[AppliedStep]) -> Morphism | None:
    """The match of the composite at which it stands for these steps; None where it does not."""
    elements: dict[int, int] = {}
    for part, step in zip(macro.parts, steps, strict=True):
        for id_, origin in part.elements.items():
            image = step.match.mapping[id_]
            if origin.part is None:
                if elements.setdefault(origin.id, image) != image:
                    return None
            elif steps[origin.part].comatch.mapping[origin.id] != image:
                return None
    start = steps[0].before
    if len(set(elements.values())) < len(elements) or not all(
        map(start.contains, elements.values())
    ):
        return None
    return next(find_homs(macro.rule.L, start, initial=elements), None)


def applies_where_its_parts_do(macro: Macro, state: Instance) -> bool:
    """Whether the composite applies wherever its parts do, with just the given overlap."""
    rules = [part.rule for part in macro.parts]
    for steps in islice(runs(rules, state), 20):
        match = match_for(macro, steps)
        if match is None:
            continue
        violations = check_match(macro.rule, match)
        assert not violations or any(map(repeats, steps)), (violations, steps)
    return True


def repeats(step: AppliedStep) -> bool:
    """Whether a step adds or assigns what was there: a macro that undoes it refuses that."""
    before, after = step.before, step.after
    rows = [
        (relation.name, after.tuples(relation.name)[step.comatch.mapping[row]])
        for relation in after.schema.relations
        for row in step.rule.R.tuples(relation.name)
        if row in step.rule.created
    ]
    return any(before.find_tuple(*row) is not None for row in rows) or any(
        before.contains(step.comatch.mapping[id_])
        and before.attribute(step.comatch.mapping[id_], attribute) is not None
        for attribute, id_, _ in step.rule.plan.assigned
    )


@pytest.mark.parametrize("graphs", [False, True])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_the_macro_of_a_sequence_does_what_it_did(
    data: st.DataObject, graphs: bool, sequences: Make, small_states: Make, small_graphs: Make
) -> None:
    state, steps = data.draw(sequences(3, rich=True, graphs=graphs))
    others = small_graphs() if graphs else small_states(3)
    assume(steps)
    refusal = ""
    try:
        macro, match = compose_sequence(steps)
    except CompositionError as error:
        refusal = str(error)
    event(refusal[:60] or "composed")
    if refusal:
        # What was done can be composed; only some conditions cannot be told.
        assert any(reason in refusal for reason in REFUSED), refusal
        return
    assert match.violations() == ()
    outcome = rewrite(macro.rule, match)
    assert outcome.violations == ()
    assert same(outcome.instance, steps)
    assert same(macro.expand(match)[-1].after, steps)
    for other in (data.draw(others), state, *(step.after for step in steps)):
        assert does_what_its_parts_do(macro, other)
        assert applies_where_its_parts_do(macro, other)


REFUSED = ("in more than", "cannot be said of the start", "a condition cannot say so")


@pytest.mark.parametrize("graphs", [False, True])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_the_composite_along_an_overlap_is_as_good_as_its_parts(
    data: st.DataObject, graphs: bool, sequences: Make, small_states: Make, small_graphs: Make
) -> None:
    _, steps = data.draw(sequences(2, rich=True, graphs=graphs))
    others = small_graphs() if graphs else small_states(3)
    assume(len(steps) == 2)
    first, second = (step.rule for step in steps)
    overlap: dict[int, int] = {}
    for id_ in first.R.all_elements():
        choices = [None, *(e for e in second.L.all_elements() if e not in overlap.values())]
        chosen = data.draw(st.sampled_from(choices))
        if chosen is not None:
            overlap[id_] = chosen
    try:
        macro = compose(first, second, overlap)
    except CompositionError as error:
        event(str(error)[:60])
        return
    event("composed")
    for other in (data.draw(others), data.draw(others), steps[0].before):
        assert does_what_its_parts_do(macro, other)
        assert applies_where_its_parts_do(macro, other)
