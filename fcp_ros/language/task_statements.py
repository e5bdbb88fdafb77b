# SPDX-License-Identifier: Apache-2.0
"""Tasks of a domain found again in goals: "mug_1 is in kitchen_1" says what a person asked for.

Spelled out it is a place that is in the room, that is usual for the mug, and that it is on or in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.resolution import expand_kinds
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Term,
    Variable,
    conjoin,
    list_conjuncts,
    rebuild,
)
from fcp_ros.domain.model import Domain
from fcp_ros.domain.phrases import ADDRESSEE, Phrase, TaskTemplate
from fcp_ros.language.meanings import make_task_meaning


@dataclass(frozen=True, slots=True)
class TaskStatement:
    """A task as a statement."""

    name: str  # as which it stands in an atom; no predicate has it
    slots: tuple[str, ...]  # what its phrases say
    unsaid: Mapping[str, str]  # slots that they leave out, with their types
    phrases: tuple[Phrase, ...]
    parts: tuple[Expression, ...]  # the conjuncts of its goal, over the slots


def list_task_statements(domain: Domain) -> Iterator[TaskStatement]:
    """Yield each task with each of its goals, also as they are where no place is chosen."""
    guides = frozenset(name for name, one in domain.graded.items() if one.guides)
    for task in domain.words.tasks.values():
        for text in dict.fromkeys((task.goal, task.several or task.goal, task.left or task.goal)):
            goal = make_task_meaning(task.with_goal(text)).goal
            if goal is None:
                continue
            goal = expand_kinds(goal, domain.words.kinds)
            plain = _drop_atoms(goal, guides)
            for one in (goal,) if plain == goal else (goal, plain):
                yield _make_statement(task, one)


def _make_statement(task: TaskTemplate, goal: Expression) -> TaskStatement:
    unsaid = {s: t for s, t in task.parameters.items() if task.defaults.get(s) == ADDRESSEE}
    slots = tuple(slot for slot in task.parameters if slot not in unsaid)
    parts = tuple(list_conjuncts(goal))
    return TaskStatement(f"task {task.name}", slots, unsaid, task.phrases, parts)


def _drop_atoms(expression: Expression, names: frozenset[str]) -> Expression:
    """Leave atoms of some predicates out of the conjunctions of a condition."""
    if isinstance(expression, And):
        kept = [part for part in expression.parts if not _is_of(part, names)]
        return conjoin([_drop_atoms(part, names) for part in kept or expression.parts])
    return rebuild(expression, lambda part: _drop_atoms(part, names))


def _is_of(expression: Expression, names: frozenset[str]) -> bool:
    return isinstance(expression, Atom) and expression.predicate in names


class TaskFolder:
    """Puts tasks in the place of the conditions that they stand for.

    Args:
        statements: of the tasks that can be stated.
        instance: a slot that isn't said is clear where the state has one such element.
    """

    def __init__(self, statements: Sequence[TaskStatement], instance: Instance) -> None:
        types = instance.schema.types
        self._statements = [
            one
            for one in statements
            if all(t in types and len(instance.elements(t)) == 1 for t in one.unsaid.values())
        ]

    def fold(self, parts: Sequence[Expression]) -> list[Expression]:
        """Fold the conjuncts of a goal."""
        left = list(parts)
        for statement in self._statements:
            while len(left) >= len(statement.parts):
                match = next(_match_parts(statement.parts, left, {}), None)
                if match is None:
                    break
                used, bound = match
                atom = Atom(statement.name, tuple(bound[slot] for slot in statement.slots))
                left[min(used)] = atom
                left = [part for n, part in enumerate(left) if n == min(used) or n not in used]
        return [rebuild(part, self._fold_whole) for part in left]

    def _fold_whole(self, expression: Expression) -> Expression:
        return conjoin(self.fold(list(list_conjuncts(expression))))


_Bindings = dict[str, Term]


def _match_parts(
    wanted: Sequence[Expression], parts: Sequence[Expression], bound: _Bindings
) -> Iterator[tuple[frozenset[int], _Bindings]]:
    """Yield the parts, by number, that conjuncts stand for, with what stands in the slots."""
    if not wanted:
        yield frozenset(), bound
        return
    for number, part in enumerate(parts):
        mine = _match(wanted[0], part, bound, {})
        if mine is None:
            continue
        for used, all_bound in _match_parts(wanted[1:], parts, mine):
            if number not in used:
                yield used | {number}, all_bound


def _match(
    wanted: Expression, given: Expression, bound: _Bindings, names: Mapping[str, str]
) -> _Bindings | None:
    """Match a condition over slots with another one; None if it is another condition.

    Args:
        names: bound variables of the first -> those of the other.
    """
    if isinstance(wanted, Atom) and isinstance(given, Atom):
        return _match_atom(wanted, given, bound, names)
    if type(wanted) is not type(given):
        return None
    if isinstance(wanted, (And, Or)) and isinstance(given, (And, Or)):
        inner, others = _list_parts(wanted), _list_parts(given)
        if len(inner) != len(others):
            return None
        for one, other in zip(inner, others, strict=True):
            matched = _match(one, other, bound, names)
            if matched is None:
                return None
            bound = matched
        return bound
    if isinstance(wanted, (Not, Initially)) and isinstance(given, (Not, Initially)):
        return _match(wanted.body, given.body, bound, names)
    if isinstance(wanted, (Exists, Forall)) and isinstance(given, (Exists, Forall)):
        if [v.type for v in wanted.variables] != [v.type for v in given.variables]:
            return None
        pairs = zip(wanted.variables, given.variables, strict=True)
        inner_names = {**names, **{one.name: other.name for one, other in pairs}}
        return _match(wanted.body, given.body, bound, inner_names)
    return bound if wanted == given else None


def _list_parts(expression: And | Or) -> Sequence[Expression]:
    return list(list_conjuncts(expression)) if isinstance(expression, And) else expression.parts


def _match_atom(
    wanted: Atom, given: Atom, bound: _Bindings, names: Mapping[str, str]
) -> _Bindings | None:
    if wanted.predicate != given.predicate or len(wanted.arguments) != len(given.arguments):
        return None
    found = dict(bound)
    for one, other in zip(wanted.arguments, given.arguments, strict=True):
        if isinstance(one, Variable) and one.name in names:
            if other != Variable(names[one.name]):
                return None
        elif isinstance(one, Variable):
            inner = isinstance(other, Variable) and other.name in names.values()
            if inner or found.setdefault(one.name, other) != other:
                return None
        elif one != other:
            return None
    return found
