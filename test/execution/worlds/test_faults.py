# SPDX-License-Identifier: Apache-2.0
"""Faults and success probabilities: how they are written, and to which steps they happen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.execution.simulated_world import (
    ALWAYS,
    INJECTABLE,
    Fault,
    FaultError,
    FaultKind,
    FaultPlan,
    StepPattern,
    SuccessModel,
    parse_fault,
    parse_faults,
    parse_pattern,
    parse_success,
)
from fcp_ros.planning.model.plan import PlanStep


def pick(item: str) -> PlanStep:
    arguments = (("robot", "robot_1"), ("item", item))
    return PlanStep("pick", arguments, 1.0, 1.0, 5.0, "execute_pick")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "pick(item=mug_1): EXECUTION_FAILED",
            Fault(StepPattern("pick", (("item", "mug_1"),)), FaultKind.FAIL),
        ),
        ("*: delay 2.5", Fault(StepPattern(), FaultKind.DELAY, delay=2.5)),
        (
            'pick(item="O(3): a|b", robot=r.1): hang',
            Fault(StepPattern("pick", (("item", "O(3): a|b"), ("robot", "r.1"))), FaultKind.HANG),
        ),
    ],
)
def test_faults_are_read(text, expected):
    assert parse_fault(text) == expected
    assert parse_fault(str(expected)) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pick", "no colon"),
        ("pick: explode", "EXECUTION_FAILED, .*hang, crash"),
        ("pick: CANCELLED", "not an effect"),
        ("pick: delay -1", "seconds"),
        ("pick: hang 3", "only a delay"),
        ("pick: hang x0", "0 times"),
        ("2pick: hang", "not a pattern"),
    ],
)
def test_a_fault_that_cannot_be_read_says_why(text, said):
    with pytest.raises(FaultError, match=said):
        parse_fault(text)


names = st.text(st.sampled_from("abc_(3)|: ,="), min_size=1, max_size=8)


@given(
    st.sampled_from(["*", "pick", "put_in"]),
    st.lists(st.tuples(st.sampled_from(["item", "robot"]), names), max_size=3),
    st.sampled_from(INJECTABLE),
    st.sampled_from([ALWAYS, 1, 7]),
)
def test_writing_and_reading_a_fault_gives_the_same(rule, arguments, outcome, times):
    fault = Fault(StepPattern(rule, tuple(arguments)), FaultKind.FAIL, outcome, times=times)
    assert parse_fault(str(fault)) == fault


def test_a_fault_happens_as_often_as_it_says_then_the_next_one_does():
    plan = parse_faults(["pick(item=mug_1): EXECUTION_FAILED x2", "", "pick: hang"])
    used: dict[int, int] = {}
    kinds = [plan.find_fault(pick("mug_1"), used).kind for _ in range(3)]
    assert kinds == [FaultKind.FAIL, FaultKind.FAIL, FaultKind.HANG]
    assert plan.find_fault(pick("cup_1"), used).kind is FaultKind.HANG
    assert FaultPlan().find_fault(pick("cup_1"), {}) is None


def test_the_most_specific_success_probability_counts():
    model = parse_success(0.9, ["pick: 0.5", "pick(item=mug_1): 0.2", "*: 0.7", ""])
    assert model.find_probability(pick("mug_1")) == 0.2
    assert model.find_probability(pick("cup_1")) == 0.5
    assert model.find_probability(PlanStep("go", (), 1.0, 1.0, 1.0, "go")) == 0.7
    assert SuccessModel(0.9).find_probability(pick("mug_1")) == 0.9


@pytest.mark.parametrize("text", ["pick: often", "pick: 1.5", "pick: nan", "pick"])
def test_a_success_probability_outside_its_range_is_refused(text):
    with pytest.raises(FaultError):
        parse_success(1.0, [text])


def test_names_that_the_domain_does_not_have_are_found():
    rules = {"pick": ("robot", "item"), "go": ("robot", "to")}
    parse_pattern("*(to=hall)").check(rules)
    parse_pattern("pick(item=mug_1)").check(rules)
    with pytest.raises(FaultError, match=r"no rule 'pik'.*go, pick"):
        parse_pattern("pik").check(rules)
    with pytest.raises(FaultError, match=r"no parameter 'to'.*item, robot"):
        parse_pattern("pick(to=hall)").check(rules)
