# SPDX-License-Identifier: Apache-2.0
"""Unification of attribute values, and names that are handed out once."""

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset.instance.expressions import Operator, ValueOperation, ValueVariable
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.limits.congruence import Clash, Unifier, substitute

X, Y, Z = map(ValueVariable, "xyz")


def plus(*arguments: Any) -> ValueOperation:
    return ValueOperation(Operator.ADD, arguments)


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.tuples(*[st.sampled_from([X, Y, Z, 1, 2])] * 2), max_size=5),
)
def test_unified_values_are_equal_under_every_solution(pairs: list[tuple[Any, Any]]) -> None:
    # The slow twin: all assignments of 1, 2, 3 to the variables that make all pairs equal.
    assignments = (dict(zip("xyz", values, strict=True)) for values in product((1, 2, 3), repeat=3))
    solutions = [a for a in assignments if all(_at(p, a) == _at(q, a) for p, q in pairs)]
    unifier = Unifier()
    for value in (X, Y, Z):
        unifier.declare(value)
    try:
        for first, second in pairs:
            unifier.unify(first, second)
    except Clash:
        assert not solutions
        return
    found = {name: unifier.resolve(ValueVariable(name)) for name in "xyz"}
    instances = {
        tuple(_at(found[name], assignment) for name in "xyz")
        for assignment in (
            dict(zip("xyz", values, strict=True)) for values in product((1, 2, 3), repeat=3)
        )
    }
    assert instances == {tuple(a.values()) for a in solutions}


def _at(value: Any, assignment: dict[str, int]) -> Any:
    return substitute(value, dict(assignment))


def test_the_variable_that_was_declared_first_stays() -> None:
    for first, second in ((X, Y), (Y, X)):
        unifier = Unifier()
        unifier.declare(plus(X, 1))
        unifier.declare(Y)
        unifier.unify(first, second)
        assert unifier.resolve(plus(Y, Z)) == plus(X, Z)


def test_operations_are_opaque() -> None:
    unifier = Unifier()
    unifier.unify(Z, plus(X, 1))
    unifier.unify(X, 2)
    assert unifier.resolve(Z) == plus(2, 1)
    with pytest.raises(Clash, match=r"\(2 \+ 1\) is not 3"):
        unifier.unify(Z, 3)
    with pytest.raises(Clash, match="which contains it"):
        Unifier().unify(X, plus(X, 1))


def test_long_chains_of_variables_are_followed() -> None:
    unifier = Unifier()
    for number in range(5000, 0, -1):
        unifier.unify(ValueVariable(f"v{number}"), ValueVariable(f"v{number - 1}"))
    unifier.unify(ValueVariable("v5000"), 7)
    assert unifier.resolve(ValueVariable("v2500")) == 7


def test_names_are_handed_out_once() -> None:
    names = FreeNames()
    wanted = ["a", "a", "a_2", "a", "b", "a_2"]
    assert [names.take(name) for name in wanted] == ["a", "a_2", "a_2_2", "a_3", "b", "a_2_3"]
