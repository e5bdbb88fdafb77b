# SPDX-License-Identifier: Apache-2.0
"""Sentences for people: why a goal is impossible, and what came of each candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.domain.expression import (
    And,
    Atom,
    Exists,
    Expression,
    Text,
    Variable,
    to_text,
)
from fcp_ros.domain.is_a import is_a
from fcp_ros.domain.model import IS_A
from fcp_ros.fuzzy import EPSILON
from fcp_ros.planning.contest import ContestResult, Entry, EntryState
from fcp_ros.planning.goal_alternatives import Alternative, Binding
from fcp_ros.planning.memberships import Judge
from fcp_ros.planning.result import Candidate
from fcp_ros.planning.solution import Solution
from fcp_ros.planning.task import Task


def why_impossible(goal: Expression, types: Mapping[str, str], task: Task) -> str:
    """Why no choice of elements can fulfil the goal, in one sentence."""
    kinds = dict(types)
    for atom in _required(goal, kinds):
        if atom.predicate == IS_A and not _anything_is(atom, kinds, task):
            label = atom.arguments[1]
            assert isinstance(label, Text)
            return f'Nothing here is a "{label.value}".'
        if atom.predicate not in task.domain.graded and atom.predicate != IS_A:
            bound = [
                (position, term.name)
                for position, term in enumerate(atom.arguments)
                if not isinstance(term, (Variable, Text))
            ]
            if not any(
                all(arguments[position] == name for position, name in bound)
                for arguments in task.store.matching(atom.predicate, bound)
            ):
                return f"{to_text(atom)} is never true here, whatever is done."
    return "No choice of elements meets the parts of the goal that no action can change."


def _required(goal: Expression, kinds: dict[str, str]) -> Iterator[Atom]:
    """The atoms that every way to fulfil the goal needs; also notes the variables' types."""
    if isinstance(goal, Atom):
        yield goal
    elif isinstance(goal, And):
        for part in goal.parts:
            yield from _required(part, kinds)
    elif isinstance(goal, Exists):
        kinds.update((variable.name, variable.type) for variable in goal.variables)
        yield from _required(goal.body, kinds)


def _anything_is(atom: Atom, kinds: Mapping[str, str], task: Task) -> bool:
    subject, label = atom.arguments
    assert isinstance(label, Text)
    instance = task.instance
    if isinstance(subject, Variable):
        elements = instance.elements(kinds[subject.name])
    else:
        elements = [instance.id_of(subject.value if isinstance(subject, Text) else subject.name)]
    return any(is_a(instance, element, label.value) for element in elements)


def why_unreachable(alternatives: Iterable[Alternative], task: Task) -> str:
    """What can't be reached, in one sentence."""
    reasons = list(dict.fromkeys(_wanted(alternative, task) for alternative in alternatives))
    if len(reasons) == 1:
        return f"No sequence of actions leads to {reasons[0]}."
    return f"No sequence of actions leads to any of: {'; '.join(reasons[:3])}" + (
        f"; and {len(reasons) - 3} more." if len(reasons) > 3 else "."
    )


def _wanted(alternative: Alternative, task: Task) -> str:
    if alternative.missing:
        return " and ".join(sorted(map(str, alternative.missing)))
    parts = [task.names(alternative.positive)] if alternative.positive else []
    parts.extend(f"not {task.facts[fact]}" for fact in sorted(alternative.negative))
    return " and ".join(parts) or "the goal"


def binding_text(binding: Binding) -> str:
    """`?x = mug_1, ?y = table_1`; empty without variables."""
    return ", ".join(f"?{variable} = {element}" for variable, element in binding)


def candidates_of(outcome: ContestResult, task: Task, judge: Judge) -> tuple[Candidate, ...]:
    """One candidate for each binding, best first: the best of its alternatives."""
    groups: dict[Binding, list[Entry]] = {}
    for entry in outcome.entries:
        groups.setdefault(entry.alternative.binding, []).append(entry)
    found = [_candidate(group, outcome.best, task, judge) for group in groups.values()]
    return tuple(sorted(found, key=lambda c: (not c.chosen, -c.membership, c.binding)))


def _candidate(group: list[Entry], best: Solution | None, task: Task, judge: Judge) -> Candidate:
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
        reason=_reason(entry, chosen, hopeless, best, task),
        exact=exact or (hopeless and not chosen),
    )


def _worth(entry: Entry) -> float:
    """Membership of its plan, else its bound; below 0 without hope."""
    if entry.solution is not None:
        return entry.solution.membership
    if entry.state in (EntryState.UNREACHABLE, EntryState.EXHAUSTED):
        return -1.0
    return entry.bound


def _reason(entry: Entry, chosen: bool, hopeless: bool, best: Solution | None, task: Task) -> str:
    if chosen and best is not None:
        return f"The best plan found rests on it: membership {best.membership:.2f}."
    if hopeless:
        return why_unreachable([entry.alternative], task)
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


def distinct(one: float, other: float) -> tuple[str, str]:
    """Two different numbers with as many digits as it takes to tell them apart."""
    for digits in range(2, 9):
        texts = (f"{one:.{digits}f}", f"{other:.{digits}f}")
        if texts[0] != texts[1]:
            return texts
    return (repr(one), repr(other))
