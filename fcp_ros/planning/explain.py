# SPDX-License-Identifier: Apache-2.0
"""Sentences for people: how a request ended, and why a goal is impossible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.is_a import is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Text,
    Variable,
    to_text,
)
from fcp_ros.domain.model import IS_A
from fcp_ros.fuzzy import reaches
from fcp_ros.planning.goal.alternatives import Alternative, Binding
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.solution import Solved
from fcp_ros.planning.task.conditions import Conditions
from fcp_ros.planning.task.task import Task


def why_none(outcome: Solved, goal: Expression, types: Mapping[str, str]) -> str:
    """Why no sequence of actions fulfils the goal, in one sentence."""
    encoding, task, conditions = outcome.encoding, outcome.task, outcome.conditions
    if encoding is None or task is None or conditions is None:
        raise AssertionError("what is proven was compiled")
    if not encoding.alternatives:
        return why_impossible(goal, types, task)
    return why_unreachable(encoding.alternatives, task, conditions)


def why_impossible(goal: Expression, types: Mapping[str, str], task: Task) -> str:
    """Why no choice of elements can fulfil the goal, in one sentence."""
    kinds = dict(types)
    required = list(_required(goal, kinds))
    for one, other in combinations(required, 2):
        leg = _excluding_leg(one, other, task.domain.schema)
        if leg:
            return (
                f"{to_text(one)} and {to_text(other)} can't hold at once: "
                f"{one.predicate} is functional, with one tuple at most for each {leg}."
            )
    for atom in required:
        if atom.predicate == IS_A and not _anything_is(atom, kinds, task):
            label = atom.arguments[1]
            assert isinstance(label, Text), "check_goal makes labels texts"
            return f'Nothing here is a "{label.value}".'
    for atom in required:
        if _is_static(atom, task) and not _ever_holds(atom, task):
            return f"{to_text(atom)} is never true here, whatever is done."
    return "No choice of elements meets the parts of the goal that no action can change."


def _is_static(atom: Atom, task: Task) -> bool:
    """Whether an atom speaks of a relation that no action changes."""
    name = atom.predicate
    return name != IS_A and name not in task.domain.graded and not task.is_fluent(name)


def _ever_holds(atom: Atom, task: Task) -> bool:
    """Whether some tuple of the atom's relation has the elements that the atom names."""
    bound = [
        (position, term.name)
        for position, term in enumerate(atom.arguments)
        if isinstance(term, Constant)
    ]
    return any(
        all(arguments[position] == name for position, name in bound)
        for arguments in task.store.matching(atom.predicate, bound)
    )


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


def _excluding_leg(one: Atom, other: Atom, schema: Schema) -> str:
    """The functional leg because of which two atoms can't both hold; "" where there is none."""
    if one.predicate != other.predicate or one.predicate == IS_A:
        return ""
    relation = next((r for r in schema.relations if r.name == one.predicate), None)
    differing = [(a, b) for a, b in zip(one.arguments, other.arguments, strict=True) if a != b]
    certain = any(isinstance(a, Constant) and isinstance(b, Constant) for a, b in differing)
    if relation is None or not certain:
        return ""
    for position, (leg, _) in enumerate(relation.legs):
        if leg in relation.functional and one.arguments[position] == other.arguments[position]:
            return leg
    return ""


def _anything_is(atom: Atom, kinds: Mapping[str, str], task: Task) -> bool:
    subject, label = atom.arguments
    assert isinstance(label, Text)
    instance = task.instance
    if isinstance(subject, Variable):
        elements = instance.elements(kinds[subject.name])
    else:
        elements = [instance.id_of(subject.value if isinstance(subject, Text) else subject.name)]
    return any(is_a(instance, element, label.value) for element in elements)


def why_unreachable(alternatives: Iterable[Alternative], task: Task, conditions: Conditions) -> str:
    """What can't be reached, in one sentence, and which constraint forbids it where one does."""
    reasons = list(
        dict.fromkeys(_wanted(alternative, task, conditions) for alternative in alternatives)
    )
    if len(reasons) == 1:
        return f"No sequence of actions leads to {reasons[0]}."
    more = f"; and {len(reasons) - 3} more" if len(reasons) > 3 else ""
    return f"No sequence of actions leads to any of: {'; '.join(reasons[:3])}{more}."


def _wanted(alternative: Alternative, task: Task, conditions: Conditions) -> str:
    if alternative.missing:
        return " and ".join(sorted(map(str, alternative.missing)))
    for fact in sorted(alternative.positive):
        names = _forbidden_by(fact, task, conditions)
        if names:
            because = "; ".join(
                f"{c.name} forbids it ({c.because})"
                for c in task.domain.constraints
                if c.name in names
            )
            return f"{task.facts[fact]}: {because}"
    parts = [task.names(alternative.positive)] if alternative.positive else []
    parts.extend(f"not {task.facts[fact]}" for fact in sorted(alternative.negative))
    return " and ".join(parts) or "the goal"


def _forbidden_by(fact: int, task: Task, conditions: Conditions) -> frozenset[str]:
    """Constraints without which some operator would add the fact; empty if one may add it."""
    if fact in task.initial:
        return frozenset()
    found: set[str] = set()
    for operator in task.adders[fact]:
        names = {
            block.constraint
            for block in conditions.find_blocks(operator)
            if not block.rest and fact in block.completes and block.constraint
        }
        if not names:
            return frozenset()
        found |= names
    return frozenset(found)


def binding_text(binding: Binding) -> str:
    """`?x = mug_1, ?y = table_1`; empty without variables."""
    return ", ".join(f"?{variable} = {element}" for variable, element in binding)


def distinct(one: float, other: float) -> tuple[str, str]:
    """Two different numbers with as many digits as it takes to tell them apart."""
    for digits in range(2, 9):
        texts = (f"{one:.{digits}f}", f"{other:.{digits}f}")
        if texts[0] != texts[1]:
            return texts
    return (repr(one), repr(other))


_BEST = {
    Optimise.MEMBERSHIP: "no plan has a higher one",
    Optimise.COST: "no plan that reaches alpha costs less",
    Optimise.DURATION: "no plan that reaches alpha takes less time",
}


def said_of(outcome: Solved, steps: int, optimise: Optimise) -> str:
    """What is said of a plan that is handed out."""
    assert outcome.best is not None
    membership = f"{outcome.best.membership:.2f}"
    if steps == 0:
        text = f"The goal holds already, to degree {membership}: nothing is to be done"
    else:
        text = f"A plan of {steps} step{'' if steps == 1 else 's'} with membership {membership}"
    if outcome.optimal:
        return f"{text}; {_BEST[optimise]}."
    reason = outcome.interrupted.sentence if outcome.interrupted is not None else ""
    return f"{text}; whether a better one exists was not settled. {reason}".rstrip()


def by_fallback(plan: Plan) -> str:
    """What is said where an oracle could not answer and another one did; "" where none did."""
    judged = [*plan.goal_judgements, *(j for step in plan.steps for j in step.judgements)]
    reasons = [j.membership.fallback for j in judged if j.membership.fallback]
    if not reasons:
        return ""
    some = "One of its degrees is" if len(reasons) == 1 else f"{len(reasons)} of its degrees are"
    return f"{some} a fallback's, as the oracle that should judge could not: {reasons[0]}"


def below_alpha(outcome: Solved, alpha: float) -> str:
    """What is said when none of the executable plans reaches alpha."""
    assert outcome.best is not None
    binding = binding_text(outcome.best.alternative.binding)
    choice = f", with {binding}" if binding else ""
    best = "the best one has" if outcome.optimal else "the best one found has"
    membership = distinct(outcome.best.membership, alpha)[0]
    return (
        f"Executable plans exist, but none reaches alpha {alpha:g}: {best} membership "
        f"{membership}{choice}."
    )


def so_far(outcome: Solved, alpha: float) -> str:
    """What is said of an unfinished search without an acceptable plan."""
    if outcome.best is not None:
        return (
            f"The best plan found has membership {outcome.best.membership:.2f}, below alpha "
            f"{alpha:g}; whether one reaches it was not settled."
        )
    if not reaches(outcome.bound, alpha):
        return f"No plan was found; it is proven that none reaches alpha {alpha:g}."
    return "No plan was found; whether one exists was not settled."
