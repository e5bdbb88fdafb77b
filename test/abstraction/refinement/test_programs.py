# SPDX-License-Identifier: Apache-2.0
"""The text of programs: what is written is read back, and faults are named with their place."""

from __future__ import annotations

import pytest
from feature_texts import parse_concept
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.abstraction.features.expressions import (
    AnyFeature,
    CountFeature,
    DistanceFeature,
    NamedConcept,
    NamedRole,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.features.parser import FeatureSyntaxError
from fcp_ros.abstraction.policy.programs import (
    ConcreteStep,
    FeatureTest,
    IfBranch,
    LowerLoop,
    NoveltySearch,
    WhileLoop,
    list_names,
    parse_program,
    write_program,
)
from fcp_ros.abstraction.states.novelty import WIDTHS

NAMES = st.sampled_from(
    ["move", "pick-up", "only.world", "while", "lower", "search", "not", "two words", "ü"]
)
CONCEPTS = st.recursive(
    st.just(Top()) | st.builds(NamedConcept, NAMES),
    lambda inner: st.builds(SomeConcept, st.builds(NamedRole, NAMES), inner),
    max_leaves=3,
)
STEPS = st.builds(ConcreteStep, NAMES, st.dictionaries(NAMES, CONCEPTS, max_size=2))
FEATURES = st.builds(AnyFeature, CONCEPTS) | st.builds(CountFeature, CONCEPTS)
NUMBERS = st.builds(CountFeature, CONCEPTS) | st.builds(
    DistanceFeature, CONCEPTS, st.builds(NamedRole, NAMES), CONCEPTS
)
TESTS = st.lists(st.tuples(FEATURES, st.booleans()), min_size=1, max_size=2).map(
    lambda literals: FeatureTest(tuple(literals))
)
PROGRAMS = st.recursive(
    st.lists(STEPS | st.builds(NoveltySearch, st.sampled_from(WIDTHS)), min_size=1, max_size=2).map(
        tuple
    ),
    lambda body: st.one_of(
        st.builds(lambda test, inner: (WhileLoop(test, inner),), TESTS, body),
        st.builds(lambda number, inner: (LowerLoop(number, inner),), NUMBERS, body),
        st.builds(lambda test, a, b: (IfBranch(test, a, b),), TESTS, body, body | st.just(())),
        st.builds(lambda a, b: (*a, *b), body, body),
    ),
    max_leaves=4,
)


@given(PROGRAMS)
def test_what_is_written_is_read_back(program) -> None:
    assert parse_program(write_program(program)) == program


@pytest.mark.parametrize("text", ["search", "search 3", "search 0", "search 12", "search x"])
def test_a_search_has_a_width_that_there_is(text) -> None:
    with pytest.raises(FeatureSyntaxError, match="write search 1 or search 2"):
        parse_program(text)


def test_a_program_is_read() -> None:
    left = CountFeature(parse_concept("some(at, top)"))
    text = (
        "if not any(here) { move(to: some(at, ball)) } else { wait() };"
        "while left and any(here) { pick(ball: here, room: top); }"
    )
    branch, loop = parse_program(text, {"left": left})
    here = AnyFeature(NamedConcept("here"))
    assert branch == IfBranch(
        FeatureTest(((here, False),)),
        (ConcreteStep("move", {"to": parse_concept("some(at, ball)")}),),
        (ConcreteStep("wait"),),
    )
    step = ConcreteStep("pick", {"ball": NamedConcept("here"), "room": Top()})
    assert loop == WhileLoop(FeatureTest(((left, True), (here, True))), (step,))
    assert list_names((branch, loop)) == {"at", "ball", "here"}


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", 0, "an action is missing before the end"),
        ("move(to some)", 8, "`:` is missing before `some`"),
        ("move(to: at, to: at)", 13, "`to` is there twice"),
        ("move(way: at)", 5, "`move` has no parameter `way`; it has from, to"),
        ("mvoe()", 0, "no rule `mvoe`; did you mean move?"),
        ("move() move()", 7, "statements are joined by `;`"),
        ("while any(at) move()", 14, "`{` is missing before `move`"),
        ("while at { move() }", 6, "no feature `at`; write any(C)"),
        ("lower any(at) { move() }", 6, "`lower` takes a number; any(at) is true or false"),
        ("else { move() }", 0, "an action is missing before `else`"),
    ],
)
def test_faults_are_named_with_their_place(text: str, place: int, words: str) -> None:
    signatures = {"move": ("from", "to")}
    with pytest.raises(FeatureSyntaxError) as caught:
        parse_program(text, signatures=signatures)
    assert words in caught.value.message
    assert caught.value.offset == place


def test_deep_and_long_programs_are_refused() -> None:
    with pytest.raises(FeatureSyntaxError, match="deep"):
        parse_program("if any(at) { " * 30 + "move()" + " }" * 30)
    with pytest.raises(FeatureSyntaxError, match="more than 10,000 characters"):
        parse_program("move(); " * 2000)
