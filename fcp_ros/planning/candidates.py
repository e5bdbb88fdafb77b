# SPDX-License-Identifier: Apache-2.0
"""What came of each way to bind the goal's variables: the candidates of a result."""

from __future__ import annotations

from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.goal_alternatives import Binding
from fcp_ros.planning.compile.task import Task
from fcp_ros.planning.explain import distinct, why_unreachable
from fcp_ros.planning.forward.contest import ContestResult, Entry, EntryState
from fcp_ros.planning.forward.solution import Solution
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.result import Candidate


def candidates_of(
    outcome: ContestResult, task: Task, conditions: Conditions, judge: Judge
) -> tuple[Candidate, ...]:
    """One candidate for each binding, best first: the best of its alternatives."""
    groups: dict[Binding, list[Entry]] = {}
    for entry in outcome.entries:
        groups.setdefault(entry.alternative.binding, []).append(entry)
    found = [_candidate(group, outcome.best, task, conditions, judge) for group in groups.values()]
    return tuple(sorted(found, key=lambda c: (not c.chosen, -c.membership, c.binding)))


def _candidate(
    group: list[Entry], best: Solution | None, task: Task, conditions: Conditions, judge: Judge
) -> Candidate:
    chosen = best is not None and any(entry.alternative is best.alternative for entry in group)
    entry = max(group, key=_worth)
    degree, alternative = entry.alternative.degree, entry.alternative
    membership, exact = _worth(entry), entry.solution is not None
    if chosen and best is not None:
        alternative, membership, exact = best.alternative, best.membership, True
        degree = best.alternative.degree
    hopeless = all(e.state in (EntryState.UNREACHABLE, EntryState.EXHAUSTED) for e in group)
    return Candidate(
        binding=alternative.binding,
        membership=max(0.0, membership),
        goal_degree=degree,
        reachable=chosen or not hopeless,
        chosen=chosen,
        judgements=tuple(judge.judged(atom) for atom in alternative.graded),
        reason=_reason(entry, chosen, hopeless, best, task, conditions),
        exact=exact or (hopeless and not chosen),
    )


def _worth(entry: Entry) -> float:
    """Membership of its plan, else its bound; below 0 without hope."""
    if entry.solution is not None:
        return entry.solution.membership
    if entry.state in (EntryState.UNREACHABLE, EntryState.EXHAUSTED):
        return -1.0
    return entry.bound


def _reason(
    entry: Entry,
    chosen: bool,
    hopeless: bool,
    best: Solution | None,
    task: Task,
    conditions: Conditions,
) -> str:
    if chosen and best is not None:
        return f"The best plan found rests on it: membership {best.membership:.2f}."
    if hopeless:
        return why_unreachable([entry.alternative], task, conditions)
    if entry.solution is not None:
        return f"Its best plan has membership {entry.solution.membership:.2f}."
    if entry.state is EntryState.OPEN or best is None:
        return f"At most {entry.bound:.2f}; not settled when the search ended."
    if abs(entry.bound - best.membership) <= EPSILON:
        return f"At most {entry.bound:.2f}: as good as the choice, but no better."
    bound, reached = distinct(entry.bound, best.membership)
    if entry.bound > best.membership:
        return f"No plan with it is better than {reached}."
    return f"At most {bound}, which is less than {reached}."
