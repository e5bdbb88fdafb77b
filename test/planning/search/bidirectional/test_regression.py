# SPDX-License-Identifier: Apache-2.0
"""Patterns and regression are exact: compared with every state of small tasks."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from random_flat_tasks import flat_tasks

from fcp_ros.planning.flat import semantics
from fcp_ros.planning.flat.builder import FlatBuilder, FlatEffect, FlatOperator
from fcp_ros.planning.search.partial_states import (
    PartialStateIndex,
    Regression,
    StateTable,
    conjoin,
    explain_unsuitable,
    full_mask,
    holds,
    implies,
    read_operators,
)


def states_of(task):
    return list(product(*(range(size) for size in task.domain.tolist())))


@st.composite
def tasks_and_patterns(draw):
    """A task, and units and clauses over its variables."""
    task = draw(flat_tasks(max_operators=5))

    def literal():
        variable = draw(st.integers(0, len(task.domain) - 1))
        return variable, draw(st.integers(1, full_mask(task, variable)))

    units = dict(literal() for _ in range(draw(st.integers(0, 2))))
    clauses = [
        tuple(sorted(dict(literal() for _ in range(draw(st.integers(1, 3)))).items()))
        for _ in range(draw(st.integers(0, 2)))
    ]
    return task, units, clauses


def means(units, clauses, state):
    return all(mask >> state[variable] & 1 for variable, mask in units.items()) and all(
        any(mask >> state[variable] & 1 for variable, mask in clause) for clause in clauses
    )


@given(drawn=tasks_and_patterns())
def test_a_pattern_holds_where_its_units_and_clauses_do(drawn):
    task, units, clauses = drawn
    pattern = conjoin(units, clauses)
    for state in states_of(task):
        expected = means(units, clauses, state)
        assert (pattern is not None and holds(pattern, state)) == expected


@settings(max_examples=200)
@given(drawn=tasks_and_patterns())
def test_regression_gives_exactly_the_states_before(drawn):
    """Those that lead into the pattern, or had it already: such an operator is not needed."""
    task, units, clauses = drawn
    pattern = conjoin(units, clauses)
    if pattern is None:
        return
    regression = Regression(task, read_operators(task))
    for number in range(len(task.loss)):
        useful = list(regression.regress(pattern, number))
        every = list(regression.regress(pattern, number, idle=True))
        for state in states_of(task):
            leads = semantics.is_applicable(task, state, number) and holds(
                pattern, semantics.successor(task, state, number)
            )
            assert any(holds(before, state) for before in every) == leads
            if leads and not holds(pattern, state):
                assert any(holds(before, state) for before in useful)
                assert number in regression.find_achievers(pattern)


@given(drawn=tasks_and_patterns())
def test_what_operators_need_means_the_same(drawn):
    task, _, _ = drawn
    for number, operator in enumerate(read_operators(task)):
        for state in states_of(task):
            may = operator.needs is not None and holds(operator.needs, state)
            assert may == semantics.is_applicable(task, state, number)


@given(a=tasks_and_patterns(), data=st.data())
def test_implication_is_never_claimed_wrongly(a, data):
    task, units, clauses = a
    strong, weak = conjoin(units, clauses), conjoin(dict(list(units.items())[1:]), clauses)
    if strong is None or weak is None:
        return
    index = PartialStateIndex()
    index.add(0, weak)
    for first, second in ((strong, weak), (weak, strong), (strong, strong)):
        if implies(first, second):
            states = states_of(task)
            assert all(holds(second, state) for state in states if holds(first, state))
    assert implies(strong, strong)
    if implies(strong, weak):
        assert 0 in index.find_implied(strong)
    for state in states_of(task):
        if holds(weak, state):
            assert 0 in index.find_in_state(state)


@given(drawn=tasks_and_patterns(), data=st.data())
def test_the_table_finds_the_states_of_a_pattern(drawn, data):
    task, units, clauses = drawn
    pattern = conjoin(units, clauses)
    some = data.draw(st.lists(st.sampled_from(states_of(task)), unique=True))
    table = StateTable(len(task.domain))
    for state in some:
        table.add(state)
    if pattern is not None:
        found = [table.states[number] for number in table.find_matching(pattern)]
        assert found == [state for state in some if holds(pattern, state)]


def test_the_table_grows():
    table = StateTable(1)
    for number in range(300):
        table.add((number,))
    assert table.find_matching(conjoin({0: 1 << 200}, ())) == [200]


def test_too_many_conditional_effects_are_said_to_be_too_many():
    def task(effects):
        flips = tuple(FlatEffect(v, 1, ((v, 0),)) for v in range(effects))
        return FlatBuilder([2] * 12, [0] * 12, ((0, 1),), [FlatOperator(effects=flips)]).build()

    assert explain_unsuitable(task(8)) == ""
    assert "in 512 ways, more than 256: search forward" in explain_unsuitable(task(9))
    assert explain_unsuitable(task(0)._replace(domain=np.array([2] * 12, np.int32))) == ""
