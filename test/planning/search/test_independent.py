# SPDX-License-Identifier: Apache-2.0
"""Preferences that have nothing to do with one another, beside a search through all states."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from least_cost import settle

from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.planning import Phase, PlanningOptions, PlanningRequest, PlanStatus, plan
from fcp_ros.planning.flat import semantics
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.search import independent

FACTS = [[f"a{n}" for n in range(3)], [f"b{n}" for n in range(2)], ["c0"]]


@st.composite
def literals(draw, facts, least=1):
    chosen = draw(st.lists(st.sampled_from(facts), min_size=least, max_size=2, unique=True))
    return [(fact, draw(st.booleans())) for fact in chosen]


@st.composite
def tasks(draw):
    """Actions (pre, effect, cost), the goal, preferences (literals, weight), and initial facts."""
    actions, preferences, hard = [], [], []
    for facts in FACTS:
        for _ in range(draw(st.integers(1, 4))):
            actions.append(
                (draw(literals(facts, 0)), draw(literals(facts)), draw(st.integers(0, 4)))
            )
        for _ in range(draw(st.integers(0, 2))):
            preferences.append((draw(literals(facts)), draw(st.integers(1, 9))))
        if draw(st.integers(0, 3)) == 0:
            hard += draw(literals(facts))
    if draw(st.integers(0, 4)) == 0:  # what connects two of them
        mixed = [draw(st.sampled_from(FACTS[0])), draw(st.sampled_from(FACTS[1]))]
        preferences.append(([(fact, True) for fact in mixed], draw(st.integers(1, 9))))
    every = list(itertools.chain(*FACTS))
    initial = frozenset(draw(st.lists(st.sampled_from(every), unique=True)))
    return actions, hard, preferences, initial


def write(literals):
    found = [f"({fact})" if holds else f"(not ({fact}))" for fact, holds in literals]
    return f"(and {' '.join(found)})"


def read(task):
    actions, hard, preferences, initial = task
    rules = "".join(
        f"(:action x{n} :parameters () :precondition {write(pre)} :effect"
        f" (and {write(effect)} (increase (total-cost) {cost})))\n"
        for n, (pre, effect, cost) in enumerate(actions)
    )
    facts = " ".join(f"({fact})" for fact in itertools.chain(*FACTS))
    wanted = " ".join(f"(preference p{n} {write(one)})" for n, (one, _) in enumerate(preferences))
    violated = " ".join(
        f"(* {weight} (is-violated p{n}))" for n, (_, weight) in enumerate(preferences)
    )
    return parse_pddl(
        "(define (domain d) (:requirements :adl :preferences :action-costs)"
        f" (:predicates {facts}) (:functions (total-cost)) {rules})",
        "(define (problem p) (:domain d) (:init (= (total-cost) 0)"
        f" {' '.join(f'({fact})' for fact in sorted(initial))})"
        f" (:goal (and {write(hard)} {wanted})) (:metric minimize (+ (total-cost) {violated} 0)))",
    )


def agrees(state, literals):
    return all((fact in state) == holds for fact, holds in literals)


def find_least_cost(task):
    """Return the least cost of a plan with what it gives up; None if the goal can't be reached."""
    actions, hard, preferences, initial = task

    def follow(state):
        for pre, effect, cost in actions:
            if agrees(state, pre):
                deleted = {fact for fact, holds in effect if not holds}
                yield cost, (state - deleted) | {fact for fact, holds in effect if holds}

    totals = (
        paid + sum(weight for one, weight in preferences if not agrees(state, one))
        for paid, state in settle(initial, follow)
        if agrees(state, hard)
    )
    return min(totals, default=None)


@pytest.mark.parametrize("most_states", [2, independent.MOST_STATES])
@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(task=tasks())
def test_the_best_plan_is_that_of_a_search_through_all_states(degrees, most_states, task):
    parsed = read(task)
    costs = {f"x{n}": cost for n, (_, _, cost) in enumerate(task[0])}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(independent, "MOST_STATES", most_states)
        result = plan(
            PlanningRequest(
                parsed.domain,
                parsed.instance,
                parsed.goal,
                PlanningOptions(optimise=Optimise.COST, alpha=0.5),
            )
        )
    expected = find_least_cost(task)
    if expected is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN
        return
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    paid = sum(costs[step.executor] for step in result.plan.steps)
    assert paid + sum(one.cost for one in result.given_up) == pytest.approx(expected)


def many(count):
    """Preferences of one action each; of every third one the action costs more than it is worth."""
    actions = [([], [(f"f{n}", True)], 3 if n % 3 == 0 else 1) for n in range(count)]
    facts = " ".join(f"(f{n})" for n in range(count))
    rules = "".join(
        f"(:action x{n} :parameters () :precondition (and) :effect"
        f" (and {write(effect)} (increase (total-cost) {cost})))\n"
        for n, (_, effect, cost) in enumerate(actions)
    )
    wanted = " ".join(f"(preference p{n} (f{n}))" for n in range(count))
    violated = " ".join(f"(* 2 (is-violated p{n}))" for n in range(count))
    return parse_pddl(
        "(define (domain d) (:requirements :preferences :action-costs)"
        f" (:predicates {facts}) (:functions (total-cost)) {rules})",
        "(define (problem p) (:domain d) (:init (= (total-cost) 0))"
        f" (:goal (and {wanted})) (:metric minimize (+ (total-cost) {violated})))",
    )


def test_many_preferences_are_decided_without_a_search_for_all_of_them(degrees):
    """Of 500, 280 to 428 were given up by default (issue 28)."""
    task = many(300)
    result = plan(
        PlanningRequest(
            task.domain, task.instance, task.goal, PlanningOptions(optimise=Optimise.COST)
        )
    )
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert result.expansions == 0
    assert len(result.given_up) == 100


def test_a_component_with_too_many_states_proves_nothing(degrees, monkeypatch):
    monkeypatch.setattr(independent, "MOST_STATES", 1)
    task = many(30)
    result = plan(
        PlanningRequest(
            task.domain, task.instance, task.goal, PlanningOptions(optimise=Optimise.COST)
        )
    )
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert result.expansions > 0
    assert len(result.given_up) == 10


def test_doing_nothing_is_an_answer_if_nothing_better_was_found(degrees):
    """Of 20,000 preferences it was said that there is no plan (issue 28)."""
    task = many(300)
    phases = []
    result = plan(
        PlanningRequest(
            task.domain,
            task.instance,
            task.goal,
            PlanningOptions(optimise=Optimise.COST),
            cancelled=lambda: phases[-1:] == [Phase.SEARCH],
            progress=lambda progress: phases.append(progress.phase),
        )
    )
    assert result.status is PlanStatus.CANCELLED
    assert result.plan is not None
    assert result.plan.steps == ()
    assert result.verification.ok
    assert len(result.given_up) == 300
    assert "Nothing has to be done" in result.message


def test_settling_and_reading_a_plan_copies_no_state_for_each_step(degrees, monkeypatch):
    """20,000 preferences took 4 s for it without a look at the time limit (issue 28)."""
    count, copied = 200, 0

    def note(kind):
        def copy(values):
            nonlocal copied
            made = kind(values)
            copied += len(made)
            return made

        return copy

    task = many(count)
    for kind in (list, tuple):
        monkeypatch.setattr(semantics, kind.__name__, note(kind), raising=False)
    options = PlanningOptions(optimise=Optimise.COST, alpha=0.5)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message
    assert len(result.plan.steps) > count / 2
    assert copied < 20 * count


def test_what_axioms_connect_is_not_decided_apart():
    """Each preference is on a derived fact of its own, and both follow from one switch."""
    task = parse_pddl(
        """(define (domain d) (:predicates (on) (bright) (calm)) (:functions (total-cost))
        (:derived (bright) (on)) (:derived (calm) (not (on)))
        (:action press :parameters () :precondition (not (on))
          :effect (and (on) (increase (total-cost) 1))))""",
        """(define (problem p) (:domain d) (:init)
        (:goal (and (preference light (bright)) (preference rest (calm))))
        (:metric minimize (+ (total-cost) (* 5 (is-violated light)) (* 2 (is-violated rest)))))""",
    )
    options = PlanningOptions(alpha=0.0, optimise=Optimise.COST)
    result = plan(PlanningRequest(task.domain, task.instance, task.goal, options))
    assert result.status is PlanStatus.SOLVED_OPTIMALLY
    assert [step.rule for step in result.plan.steps] == ["press"]
    assert [one.name for one in result.given_up] == ["rest"]
