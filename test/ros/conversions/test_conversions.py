# SPDX-License-Identifier: Apache-2.0
"""Messages stand for values of the model: what goes over the network comes back the same."""

from __future__ import annotations

import math
import uuid
from dataclasses import replace

import pytest
from action_msgs.msg import GoalStatus
from builtin_interfaces.msg import Time
from hypothesis import given, settings
from hypothesis import strategies as st
from random_scenes import attributes, names
from scene_messages import over_the_wire

from fcp_ros.action import ExecuteStep
from fcp_ros.client.queries import plan_request
from fcp_ros.execution.outcome import OutcomeCode as ModelOutcomeCode
from fcp_ros.grounding.judgement import ArgumentContext, JudgementRequest, Membership
from fcp_ros.msg import (
    Argument,
    Attribute,
    Budget,
    OutcomeCode,
    Plan,
    PlanRequest,
    PlanResult,
    PlanStatus,
    PlanStep,
    PredicateQuery,
)
from fcp_ros.msg import ExploredRelaxation as ExploredMessage
from fcp_ros.msg import GivenUp as GivenUpMessage
from fcp_ros.msg import Membership as MembershipMessage
from fcp_ros.msg import Relaxation as RelaxationMessage
from fcp_ros.nodes.conversions import common, judgement, plan, planning
from fcp_ros.nodes.conversions.common import ConversionError
from fcp_ros.nodes.conversions.plan import absent_to_ros
from fcp_ros.nodes.conversions.planning import Wish
from fcp_ros.nodes.conversions.step_outcome import outcome_from_answer
from fcp_ros.planning.model.plan import Judged, Schedule
from fcp_ros.planning.model.plan import Plan as ModelPlan
from fcp_ros.planning.model.plan import PlanStep as ModelStep
from fcp_ros.planning.model.request import AbsentExecutor, Optimise, PlanningOptions
from fcp_ros.planning.model.result import (
    Candidate,
    ExploredRelaxation,
    GivenUp,
    KeepingPrice,
    KeptPreference,
    Measure,
    PlanningResult,
    PriceKind,
    Relaxation,
    RelaxationKind,
    RelaxationOutcome,
    Verdict,
)
from fcp_ros.planning.model.result import PlanStatus as ModelStatus

STAMP = Time(sec=17, nanosec=5)

degrees = st.floats(0.0, 1.0)


# --- attributes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([Attribute(name="k")], "the attribute 'k' has kind 0"),
        ([Attribute(name="k", kind=Attribute.FLOAT, float_value=math.nan)], "nan"),
        ([Attribute(name="k", kind=1), Attribute(name="k", kind=1)], "twice"),
    ],
)
def test_bad_attributes_are_named(messages, words):
    with pytest.raises(ConversionError, match=words):
        common.attributes_from_ros(messages)


# --- judgements ---------------------------------------------------------------------------------

arguments = st.builds(ArgumentContext, names, names) | st.builds(
    ArgumentContext, names, names, names, attributes.map(lambda table: tuple(sorted(table.items())))
)
requests = st.builds(JudgementRequest, names, st.lists(arguments, max_size=3).map(tuple))
memberships = st.builds(
    Membership,
    degree=degrees,
    prior=degrees,
    samples=st.lists(degrees, max_size=4).map(tuple),
    spread=degrees,
    source=names,
    model=names,
    evidence_count=st.integers(0, 2**32 - 1),
    note=names,
    distribution=st.sampled_from([(), (0.0,) * 100 + (1.0,), (1 / 101,) * 101]),
    latency=st.floats(0.0, 1e6),
    fallback=names,
)
judged = st.builds(Judged, requests, memberships)


def test_queries_without_arguments():
    query = PredicateQuery(predicate="p")
    assert judgement.request_from_ros(query) == JudgementRequest("p", ())
    with pytest.raises(ConversionError, match="names no predicate"):
        judgement.request_from_ros(PredicateQuery())


def test_bad_arguments_and_degrees():
    from fcp_ros.msg import ArgumentContext as Message

    kindless = PredicateQuery(predicate="p", arguments=[Message(argument=Argument(parameter="a"))])
    with pytest.raises(ConversionError, match="'a' has kind 0"):
        judgement.request_from_ros(kindless)
    element = Argument(parameter="a", kind=Argument.ELEMENT, value="mug_1")
    nameless = PredicateQuery(predicate="p", arguments=[Message(argument=element)])
    with pytest.raises(ConversionError, match="say what 'mug_1' is"):
        judgement.request_from_ros(nameless)
    with pytest.raises(ConversionError, match="degree"):
        judgement.membership_from_ros(MembershipMessage(degree=1.5))


# --- plans --------------------------------------------------------------------------------------

pairs = st.lists(st.tuples(names, names), max_size=3).map(tuple)
budgets = st.dictionaries(names, st.floats(0, 1e9), max_size=2)
durations = st.integers(0, 10**12).map(lambda n: n / 1e6)
steps = st.builds(
    ModelStep,
    rule=names,
    arguments=pairs,
    degree=degrees,
    membership_after=degrees,
    duration=durations,
    executor=names,
    judgements=st.lists(judged, max_size=1).map(tuple),
    chunk=st.sampled_from(["", "fetch", "fetch 2"]),
)
ids = st.uuids(version=4).map(str)
plans = st.builds(
    ModelPlan,
    goal=names,
    steps=st.lists(steps, max_size=3).map(tuple),
    membership=degrees,
    goal_degree=degrees,
    goal_judgements=st.lists(judged, max_size=1).map(tuple),
    binding=st.lists(st.tuples(names.map(lambda n: "v" + n), names), max_size=2).map(tuple),
    alpha=degrees,
    tnorm=st.sampled_from(["lukasiewicz", "product", "goedel", "hamacher(0.5)"]),
    id=ids,
    resources_after=st.dictionaries(names, st.floats(-1e9, 1e9), max_size=2),
    budgets=budgets,
    left_out=st.lists(names, max_size=2).map(tuple),
    shifts=pairs,
)
given_up = st.builds(
    GivenUp,
    names,
    names,
    degrees,
    st.floats(0, 1e9),
    st.none()
    | st.builds(
        KeepingPrice,
        st.sampled_from(PriceKind),
        st.floats(-1.0, 1.0),
        st.floats(-1e9, 1e9),
        st.sampled_from(Measure),
        names,
    ),
    st.booleans(),
)
explored = st.lists(
    st.builds(
        ExploredRelaxation,
        st.integers(0, 2**32 - 1),
        st.integers(-1, 2**31 - 1),
        st.lists(names, max_size=2).map(tuple),
        degrees,
        degrees,
        st.sampled_from(RelaxationOutcome),
        names,
    ),
    max_size=2,
)
kept_preferences = st.builds(KeptPreference, names, names, degrees, st.floats(0, 1e9), degrees)


@settings(max_examples=40, deadline=None)
@given(plans)
def test_plan_round_trip(value):
    origin = plan.PlanOrigin(asked="asked", scene_sequence=7, stamp=STAMP, frame_id="odom")
    message = over_the_wire(plan.plan_to_ros(value, origin))
    assert (message.goal, message.planned_goal) == ("asked", value.goal)
    assert (message.scene_sequence_number, message.header.frame_id) == (7, "odom")
    back = plan.plan_from_ros(message)
    close = [pytest.approx(step.duration, abs=1e-9, rel=1e-12) for step in value.steps]
    assert [step.duration for step in back.steps] == close
    same = [replace(step, duration=0.0) for step in value.steps]
    assert replace(back, steps=tuple(replace(s, duration=0.0) for s in back.steps)) == replace(
        value, steps=tuple(same)
    )


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(ModelStatus),
    plans.map(lambda p: replace(p, steps=())),
    st.lists(
        st.builds(
            Candidate,
            pairs,
            degrees,
            degrees,
            st.booleans(),
            st.booleans(),
            st.lists(judged, max_size=1).map(tuple),
            names,
            st.booleans(),
        ),
        max_size=2,
    ),
    st.lists(st.builds(Relaxation, names, names, names, degrees, names), max_size=2),
    st.lists(st.builds(Relaxation, names, names, names, degrees, names), max_size=2),
    explored,
    st.dictionaries(names, st.floats(0, 1e6), max_size=3),
    st.tuples(
        st.lists(given_up, max_size=2).map(tuple), st.lists(kept_preferences, max_size=2).map(tuple)
    ),
)
def test_result_round_trip(
    status, found, candidates, relaxations, refused, looked_at, timings, preferences
):
    candidates = [
        replace(c, binding=tuple(("v" + variable, e) for variable, e in c.binding))
        for c in candidates
    ]
    asks = status is ModelStatus.NEEDS_CLARIFICATION
    result = PlanningResult(
        status=status,
        message="One sentence.",
        plan=found if status.solved or asks else None,
        best_membership=0.25,
        candidates=tuple(candidates),
        relaxations=tuple(relaxations),
        refused_relaxations=tuple(refused),
        explored=tuple(looked_at),
        confirmation="Shall I?" if asks else "",
        would_take="A fork is missing.",
        policy="tidy",
        policy_notes=("Policy other was not used: it sleeps.",),
        expansions=12,
        timings=timings,
        verification=Verdict(True, (), (), None) if status.solved else None,
        goal=found.goal,
        alpha=found.alpha,
        given_up=preferences[0],
        kept_preferences=preferences[1],
    )
    message = over_the_wire(planning.result_to_ros(result, plan.PlanOrigin(asked="a")))
    assert message.plan.goal == "a"
    assert planning.result_from_ros(message) == result


def test_unknown_words_of_a_price_are_named():
    message = PlanResult(given_up=[GivenUpMessage(text="a")])
    message.status.code = PlanStatus.TIMEOUT
    message.given_up[0].price.kind = "cheap"
    with pytest.raises(ConversionError, match="'cheap'"):
        planning.result_from_ros(message)


def test_a_schedule_travels_with_its_plan():
    step = ModelStep("go", (), 1.0, 1.0, 2.5, "go")
    schedule = Schedule(
        starts=(0.0, 0.0, 2.5),
        ends=(2.5, 2.5, 5.0),
        latest_starts=(0.0, 0.0, 2.5),
        order=((0, 2), (1, 2)),
        agents=(("bot_1",), ("bot_2",), ("bot_1", "bot_2")),
        makespan=5.0,
    )
    id_ = str(uuid.uuid4())
    made = ModelPlan("g", (step,) * 3, 1.0, 1.0, (), (), 0.5, "goedel", id_, {}, schedule)
    message = over_the_wire(plan.plan_to_ros(made, plan.PlanOrigin()))
    assert plan.plan_from_ros(message) == made
    message.steps[1].after = [3]
    with pytest.raises(ConversionError, match="step 1 follows step 3, but the last of 3 is 2"):
        plan.plan_from_ros(message)


@pytest.mark.parametrize("is_scheduled", [True, False])
@pytest.mark.parametrize(
    ("after", "words"),
    [
        ({0: [0]}, "no order of the steps is possible: 0 after 0"),
        ({0: [2], 1: [0], 2: [1]}, "no order of the steps is possible: "),
        ({2: [2**32 - 1]}, "step 2 follows step 4294967295"),
    ],
)
def test_an_order_that_nothing_keeps_is_refused(is_scheduled, after, words):
    message = Plan(
        steps=[PlanStep(rule="go", degree=1.0, membership_after=1.0) for _ in range(3)],
        scheduled=is_scheduled,
    )
    plan.plan_from_ros(message)
    for number, befores in after.items():
        message.steps[number].after = befores
    with pytest.raises(ConversionError, match=words):
        plan.plan_from_ros(message)


@pytest.mark.parametrize(
    "field", ["expected_duration", "earliest_start", "latest_start", "makespan"]
)
def test_a_plan_takes_no_negative_time(field):
    message = Plan(steps=[PlanStep(rule="go")], scheduled=True)
    target = message if field == "makespan" else message.steps[0]
    getattr(target, field).sec = -1
    with pytest.raises(ConversionError, match="must not be negative"):
        plan.plan_from_ros(message)


def test_a_code_without_a_meaning_is_no_success():
    odd = ExecuteStep.Result(outcome=OutcomeCode(code=77, message="all is well\x1b[31m"))
    found = outcome_from_answer(GoalStatus.STATUS_SUCCEEDED, odd)
    assert found.code is ModelOutcomeCode.INVALID_ACTION
    assert "outcome code 77, which has no meaning" in found.message
    assert "\x1b" not in found.message
    empty = ExecuteStep.Result()
    assert outcome_from_answer(GoalStatus.STATUS_SUCCEEDED, empty).succeeded
    assert not outcome_from_answer(GoalStatus.STATUS_ABORTED, empty).succeeded


def test_statuses_have_the_numbers_of_the_message():
    for status in ModelStatus:
        assert getattr(PlanStatus, status.name) == status.value
    with pytest.raises(ConversionError, match="unknown code 0"):
        planning.result_from_ros(PlanResult())


@pytest.mark.parametrize("unset", [math.nan, 0.0])
def test_words_are_asked_about_where_nobody_set_that(unset):
    defaults = PlanningOptions(confirm_below=0.8)
    said = PlanRequest(instruction="bring me a cup", confirm_below=unset)
    assert planning.request_from_ros(said, defaults)[1].confirm_below == 0.8
    formula = PlanRequest(goal="g", confirm_below=unset)
    assert not planning.request_from_ros(formula, defaults)[1].confirm_below


def test_request_leaves_open_what_is_not_set():
    defaults = PlanningOptions(alpha=0.7, time_limit=9.0, tnorm="product")
    open_ = PlanRequest(goal="g", alpha=math.nan, confirm_below=math.nan, indifference=math.nan)
    wish, options = planning.request_from_ros(open_, defaults)
    assert (wish, options) == (Wish("g"), defaults)
    wanted = PlanningOptions(
        0.25,
        2.5,
        tnorm="goedel",
        allow_relaxation=False,
        confirm_below=0.75,
        indifference=0.125,
        optimise=Optimise.DURATION,
        deadline=60.0,
        budgets={"battery": 20.0, "steps": 0.0},
        absent=frozenset({AbsentExecutor("robot_1", "pick"), AbsentExecutor("robot_2", "go")}),
    )
    for wish in (Wish("g"), Wish(instruction="bring me a cup", speaker="person_1")):
        message = plan_request(
            wish.goal,
            instruction=wish.instruction,
            speaker=wish.speaker,
            alpha=wanted.alpha,
            time_limit=wanted.time_limit,
            tnorm=wanted.tnorm,
            relax=wanted.allow_relaxation,
            confirm_below=wanted.confirm_below,
            indifference=wanted.indifference,
            optimise=wanted.optimise.value,
            deadline=wanted.deadline,
            budgets=wanted.budgets,
        )
        message.absent = absent_to_ros(wanted.absent)
        message = over_the_wire(message)
        assert planning.request_from_ros(message, defaults) == (wish, wanted)
    with pytest.raises(ConversionError, match="choose one of membership"):
        planning.request_from_ros(PlanRequest(goal="g", optimise="beauty"), defaults)
    twice = PlanRequest(goal="g", budgets=[Budget(name="cost", amount=1.0)] * 2)
    with pytest.raises(ConversionError, match="two budgets of 'cost'"):
        planning.request_from_ros(twice, defaults)
    # A node that never relaxes can't be talked into it.
    for empty in (PlanRequest(), PlanRequest(speaker="person_1")):
        with pytest.raises(ConversionError, match="neither a goal nor an instruction"):
            planning.request_from_ros(empty, defaults)
    never = replace(defaults, allow_relaxation=False)
    assert not planning.request_from_ros(PlanRequest(goal="g"), never)[1].allow_relaxation


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (PlanRequest(instruction="a" * 10_001), "instruction has 10001 characters: 10000 are all"),
        (PlanRequest(instruction="i", speaker="a" * 1001), "the speaker has 1001 characters"),
    ],
)
def test_a_wish_is_short(request_, words):
    with pytest.raises(ConversionError, match=words):
        planning.request_from_ros(request_, PlanningOptions())


def test_of_many_relaxed_goals_the_first_and_the_solved_ones_travel():
    def node(number, parent, outcome=RelaxationOutcome.BELOW_ALPHA):
        return ExploredRelaxation(number, parent, ("c",), 0.5, 0.0, outcome)

    many = [node(0, -1), *(node(n, n - 1 if n in (1, 2, 700, 1999) else 0) for n in range(1, 2000))]
    many[1999] = node(1999, 700, RelaxationOutcome.SOLVED)
    many[700] = node(700, 2)
    kept = planning.limit_explored(many)
    numbers = [one.number for one in kept]
    assert len(kept) == planning.MOST_EXPLORED
    assert numbers == sorted(numbers)
    assert {0, 1, 2, 700, 1999} <= set(numbers)
    assert planning.limit_explored(many[:500]) == many[:500]


def test_unknown_words_of_a_relaxed_goal_are_named():
    message = ExploredMessage(outcome="fine")
    with pytest.raises(ConversionError, match="'fine'"):
        planning.EXPLORED.read_all([message])


def test_kinds_and_outcomes_of_relaxations_are_those_of_the_messages():
    for kind in RelaxationKind:
        assert getattr(RelaxationMessage, kind.name) == kind.value
    for outcome in RelaxationOutcome:
        assert getattr(ExploredMessage, outcome.name) == outcome.value


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PlanStep(), "names no rule"),
        (PlanStep(rule="r", degree=math.nan), "degree of r"),
        (PlanStep(rule="r", membership_after=-0.1), "membership after r"),
        (PlanStep(rule="r", arguments=[Argument(parameter="p", kind=2)]), "'p' of r has kind 2"),
    ],
)
def test_bad_steps_are_named(step, words):
    with pytest.raises(ConversionError, match=words):
        plan.plan_from_ros(Plan(steps=[step]))


# --- common -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [math.nan, math.inf, 1e10])
def test_durations_that_no_message_holds(seconds):
    with pytest.raises(ConversionError, match="does not fit"):
        common.duration_to_ros(seconds)


def test_ids():
    text = str(uuid.uuid4())
    assert common.id_from_ros(over_the_wire(common.id_to_ros(text))) == text
    assert common.id_from_ros(Plan().id) == "00000000-0000-0000-0000-000000000000"
    with pytest.raises(ConversionError, match="no UUID"):
        common.id_to_ros("plan-1")
