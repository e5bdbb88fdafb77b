# SPDX-License-Identifier: Apache-2.0
"""Random small QNPs and policies for property tests."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QnpPolicy, QualitativeChange
from fcp_ros.abstraction.qnp.state_space import EncodedQnp

_BOOLEAN = (QualitativeChange.SET, QualitativeChange.CLEAR)
_NUMERIC = (QualitativeChange.INCREASE, QualitativeChange.DECREASE)


@st.composite
def qnps(
    draw: st.DrawFn, most_booleans: int = 2, most_numerics: int = 2, most_actions: int = 5
) -> Qnp:
    """Draw a QNP; its initial condition may leave variables open."""
    booleans = tuple(f"b{number}" for number in range(draw(st.integers(0, most_booleans))))
    numerics = tuple(f"n{number}" for number in range(draw(st.integers(0, most_numerics))))
    variables = booleans + numerics
    actions = [
        draw(_actions(f"a{number}", booleans, numerics))
        for number in range(draw(st.integers(1, most_actions)))
    ]
    initial = draw(_conditions(variables, len(variables)))
    if draw(st.booleans()):
        initial = {name: initial.get(name, True) for name in variables}
    goal = draw(_conditions(variables, 2))
    return Qnp("random", booleans, numerics, initial, goal, tuple(actions))


def _conditions(variables: tuple[str, ...], most: int) -> st.SearchStrategy[dict[str, bool]]:
    if not variables:
        return st.just({})
    return st.dictionaries(st.sampled_from(variables), st.booleans(), max_size=most)


@st.composite
def _actions(
    draw: st.DrawFn, name: str, booleans: tuple[str, ...], numerics: tuple[str, ...]
) -> AbstractAction:
    when = draw(_conditions(booleans + numerics, 2))
    effects = {}
    changed = st.lists(st.sampled_from(booleans + numerics), max_size=3, unique=True)
    for variable in draw(changed) if booleans + numerics else ():
        effects[variable] = draw(st.sampled_from(_NUMERIC if variable in numerics else _BOOLEAN))
        if effects[variable] is QualitativeChange.DECREASE:
            when[variable] = True
    return AbstractAction(name, when, effects)


@st.composite
def policies(draw: st.DrawFn, qnp: Qnp, most: int) -> QnpPolicy:
    """Draw a policy: for every qstate, up to `most` of the actions that apply, at least one."""
    policy = {}
    for state in range(1 << len(qnp.variables)):
        names = list(list_applicable(qnp, state))
        if names:
            chosen = st.lists(st.sampled_from(names), min_size=1, max_size=most, unique=True)
            policy[state] = tuple(draw(chosen))
    return policy


def list_applicable(qnp: Qnp, state: int) -> Iterator[str]:
    """Yield the names of the actions that apply in a qstate."""
    return (action.name for action in EncodedQnp(qnp).actions if action.when.holds(state))
