# SPDX-License-Identifier: Apache-2.0
"""Sentences for people: the end of a request, and the reasons why a goal is impossible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from itertools import combinations

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.evaluation import is_a
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
from fcp_ros.domain.model import BUILT_IN, IS_A, Domain
from fcp_ros.foundation.wording import choose_article, list_names
from fcp_ros.fuzzy import EPSILON, reaches
from fcp_ros.planning.answer.solution import SolverResult
from fcp_ros.planning.goal.alternatives import Alternative, Binding
from fcp_ros.planning.model.ground_step import describe_budgets, measure_uses
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import Optimise
from fcp_ros.planning.model.result import GivenUp, PlanningResult, PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.task.task import Conditions, Task

NAMED = 3
"""Preferences that a sentence names."""


@dataclass(frozen=True, slots=True)
class NoPlanReason:
    """A sentence about a goal without a plan, and whether it names a reason for that."""

    sentence: str
    is_named: bool = True
    wanted: str = ""  # of a reason that isn't named: what no sequence of actions leads to


_NO_CHOICE = NoPlanReason(
    "No choice of elements meets the parts of the goal that no action can change.", is_named=False
)


def _find_no_sequence(wanted: str, is_named: bool = False) -> NoPlanReason:
    return NoPlanReason(f"No sequence of actions leads to {wanted}.", is_named, wanted)


def explain_unsolvable(
    result: SolverResult, goal: Expression, types: Mapping[str, str]
) -> NoPlanReason:
    """Explain in one sentence why no sequence of actions fulfils the goal."""
    encoding, task, conditions = result.encoding, result.task, result.conditions
    if encoding is None or task is None or conditions is None:
        raise AssertionError("a proof needs a compiled task")
    if not encoding.alternatives:
        return explain_impossible(goal, types, task)
    if encoding.divided:
        return _find_no_sequence("the goal")
    return explain_unreachable(encoding.alternatives, task, conditions)


def explain_conflict(parts: Sequence[str], minimal: bool, alone: NoPlanReason | None) -> str:
    """Explain in a sentence or two that parts of a goal cannot be had together."""
    if len(parts) == 1:
        adds = alone is not None and (alone.is_named or alone.wanted not in ("", parts[0]))
        reason = f" {alone.sentence}" if alone is not None and adds else ""
        return f"No plan meets this part of the goal, even alone: {parts[0]}.{reason}"
    if len(parts) == 2:
        text = f"No plan meets both {parts[0]} and {parts[1]}"
    else:
        text = f"No plan meets these {len(parts)} parts of the goal together: {'; '.join(parts)}"
    if minimal:
        return f"{text}. Without one of them, whichever, there is a plan."
    return f"{text}. Fewer of them may be the reason: there was no time to find out."


def explain_impossible(goal: Expression, types: Mapping[str, str], task: Task) -> NoPlanReason:
    """Explain in one sentence why no choice of elements can fulfil the goal."""
    kinds = dict(types)
    required = list(_collect_required(goal, kinds))
    for one, other in combinations(required, 2):
        leg = _find_excluding_leg(one, other, task.domain.schema)
        if leg:
            return NoPlanReason(
                f"{to_text(one)} and {to_text(other)} can't hold at once: "
                f"at most one {one.predicate} holds for each {leg}."
            )
    for atom in required:
        if atom.predicate == IS_A and not _is_anything(atom, kinds, task):
            label = atom.arguments[1]
            assert isinstance(label, Text), "check_goal makes labels texts"
            a = choose_article(label.value)
            return NoPlanReason(f'Nothing here is {a} "{label.value}".')
    for atom in required:
        if _is_static(atom, task) and not _can_hold(atom, task):
            return NoPlanReason(f"{to_text(atom)} is never true here, whatever is done.")
    return _NO_CHOICE


def _is_static(atom: Atom, task: Task) -> bool:
    name = atom.predicate
    return name not in BUILT_IN and name not in task.domain.graded and not task.is_fluent(name)


def _can_hold(atom: Atom, task: Task) -> bool:
    bound = [
        (position, term.name)
        for position, term in enumerate(atom.arguments)
        if isinstance(term, Constant)
    ]
    return any(
        all(arguments[position] == name for position, name in bound)
        for arguments in task.store.matching(atom.predicate, bound)
    )


def _collect_required(goal: Expression, kinds: dict[str, str]) -> Iterator[Atom]:
    """Collect the atoms that every way to fulfil the goal needs; note the types of variables."""
    if isinstance(goal, Atom):
        yield goal
    elif isinstance(goal, And):
        for part in goal.parts:
            yield from _collect_required(part, kinds)
    elif isinstance(goal, Exists):
        kinds.update((variable.name, variable.type) for variable in goal.variables)
        yield from _collect_required(goal.body, kinds)


def _find_excluding_leg(one: Atom, other: Atom, schema: Schema) -> str:
    """Find the functional leg that keeps two atoms from both holding; "" without one."""
    if one.predicate != other.predicate or one.predicate in BUILT_IN:
        return ""
    relation = next((r for r in schema.relations if r.name == one.predicate), None)
    differing = [(a, b) for a, b in zip(one.arguments, other.arguments, strict=True) if a != b]
    certain = any(isinstance(a, Constant) and isinstance(b, Constant) for a, b in differing)
    if relation is None or not certain:
        return ""
    shared = (n for n in relation.keys if one.arguments[n] == other.arguments[n])
    return next((relation.legs[position][0] for position in shared), "")


def _is_anything(atom: Atom, kinds: Mapping[str, str], task: Task) -> bool:
    subject, label = atom.arguments
    assert isinstance(label, Text)
    instance = task.instance
    if isinstance(subject, Variable):
        elements = instance.elements(kinds[subject.name])
    else:
        elements = [instance.id_of(subject.value if isinstance(subject, Text) else subject.name)]
    return any(is_a(instance, element, label.value) for element in elements)


def explain_unreachable(
    alternatives: Iterable[Alternative], task: Task, conditions: Conditions
) -> NoPlanReason:
    """Explain in one sentence what cannot be reached, and the constraints that forbid it."""
    found = dict(_describe_wanted(one, task, conditions) for one in alternatives)
    told, more = list(found)[:3], len(found) - 3
    wanted = told[0] if len(found) == 1 else f"any of: {'; '.join(told)}"
    if more > 0:
        wanted += f"; and {more} more"
    return _find_no_sequence(wanted, is_named=any(found[one] for one in told))


def _describe_wanted(
    alternative: Alternative, task: Task, conditions: Conditions
) -> tuple[str, bool]:
    """Describe what an alternative asks for; True if that names a constraint that forbids it."""
    if alternative.missing:
        return " and ".join(sorted(map(str, alternative.missing))), False
    for fact in sorted(alternative.positive):
        names = _find_forbidding(fact, task, conditions)
        if names:
            because = "; ".join(
                f"{c.name} forbids it ({c.because})"
                for c in task.domain.constraints
                if c.name in names
            )
            return f"{task.describe(fact)}: {because}", True
    parts = [task.names(alternative.positive)] if alternative.positive else []
    parts.extend(f"not {task.describe(fact)}" for fact in sorted(alternative.negative))
    return " and ".join(parts) or "the goal", False


def _find_forbidding(fact: int, task: Task, conditions: Conditions) -> frozenset[str]:
    """Find the constraints that keep all operators from adding a fact; empty if one may add it."""
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


def format_binding(binding: Binding) -> str:
    """Format a binding as `?x = mug_1, ?y = table_1`; empty without variables."""
    return ", ".join(f"?{variable} = {element}" for variable, element in binding)


def format_distinct(one: float, other: float) -> tuple[str, str]:
    """Format two different numbers with enough digits to tell them apart."""
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


def is_best(result: SolverResult) -> bool:
    """Return True if no plan has a higher membership than the best one, not even a little."""
    assert result.best is not None
    return result.best.membership >= result.bound - EPSILON


def _describe_size(membership: float, steps: int) -> str:
    return f"A plan of {steps} step{'' if steps == 1 else 's'} with membership {membership:.2f}"


def _are(some: Sized) -> str:
    return "is" if len(some) == 1 else "are"


def tell_limit(interrupted: Interrupted | None) -> str:
    """Return the sentence of a limit; "" for a cancellation, which the whole answer begins with."""
    if interrupted is None or interrupted.status is PlanStatus.CANCELLED:
        return ""
    return interrupted.sentence


def _describe_quality(
    result: SolverResult, steps: int, optimise: Optimise, is_crisp: bool, indifference: float
) -> str:
    """Describe how good a plan is that is handed out."""
    assert result.best is not None
    text = _describe_size(result.best.membership, steps)
    if steps == 0:
        degree = f"{result.best.membership:.2f}"
        text = f"The goal holds already, to degree {degree}: there is nothing to do"
    if result.forgone and result.restored:
        right = list_names(map(str, result.restored), NAMED)
        more = format_distinct(result.best.membership, result.best.membership + result.forgone)[1]
        return f"{text}; one of {more} does not put right again: {right}."
    if result.optimal and is_crisp and optimise is Optimise.MEMBERSHIP:
        if steps == 0:
            return f"{text}."
        if result.shortest:
            return f"{text}; no plan has fewer steps."
        open_ = "it was not settled whether a shorter one exists (objective `cost` looks for it)"
        return f"{text}; {open_}."
    if result.optimal and optimise is Optimise.MEMBERSHIP and not is_best(result):
        if result.shortest:
            return f"{text}: optimal in membership within {indifference:g}, then in steps."
        open_ = "it was not settled whether fewer steps do"
        return f"{text}: optimal in membership within {indifference:g}; {open_}."
    if result.optimal:
        return f"{text}; {_BEST[optimise]}."
    reason = tell_limit(result.interrupted)
    return f"{text}; it was not settled whether a better one exists. {reason}".rstrip()


def describe_plan(
    result: SolverResult, steps: int, optimise: Optimise, is_crisp: bool, indifference: float
) -> str:
    """Describe a plan that is handed out, and what it leaves changed on the way."""
    text = _describe_quality(result, steps, optimise, is_crisp, indifference)
    if not result.disturbed:
        return text
    left = list_names(map(str, result.disturbed), NAMED)
    return f"{text} It changes on the way, and does not put right again: {left}."


def describe_parts(
    result: SolverResult, steps: int, left_out: int, budgets: str, optimise: Optimise
) -> str:
    """Describe a plan that may leave out parts of the goal for budgets."""
    assert result.best is not None
    text = _describe_size(result.best.membership, steps)
    if result.optimal:
        less = _LESS[optimise]
        if optimise is Optimise.MEMBERSHIP and result.shortest:
            less = "takes fewer steps"
        return f"{text}; no plan within {budgets} reaches more of the goal, or {less}."
    reason = tell_limit(result.interrupted)
    if left_out <= result.least_left_out:
        better = f"no plan within {budgets} reaches more of the goal; it was not settled whether "
        better += "one is better otherwise."
        return f"{text}; {better} {reason}".rstrip()
    bound = f"every plan leaves out at least {result.least_left_out} of its parts"
    more = f"it was not settled whether a plan within {budgets} reaches more of the goal"
    more += f" ({bound})" if result.least_left_out else ""
    return f"{text}; {more}. {reason}".rstrip()


_LESS = {
    Optimise.MEMBERSHIP: "has a higher membership",
    Optimise.COST: "costs less",
    Optimise.DURATION: "takes less time",
}


def describe_left_out(left_out: Sequence[GivenUp], parts: int) -> str:
    """Describe the parts of the goal that a plan leaves out."""
    if not left_out:
        return "No part of the goal is left out."
    named = list_names((one.text for one in left_out), 3)
    return f"Of the {parts} parts of the goal {len(left_out)} {_are(left_out)} left out: {named}."


def describe_given_up(given_up: Sequence[GivenUp], preferences: int) -> str:
    """Describe how many preferences a plan gives up, and at which cost."""
    cost = math.fsum(one.cost for one in given_up)
    price = f", at a cost of {cost:g}" if cost else ""
    if preferences == 1:
        return f"The preference is {f'given up{price}' if given_up else 'fulfilled'}."
    if not given_up:
        return "All preferences are fulfilled."
    return f"Of {preferences} preferences {len(given_up)} {_are(given_up)} given up{price}."


def mention_fallback(plan: Plan) -> str:
    """Mention degrees that a fallback judged in place of the oracle; "" without any."""
    judged = [*plan.goal_judgements, *(j for step in plan.steps for j in step.judgements)]
    reasons = [j.membership.fallback for j in judged if j.membership.fallback]
    if not reasons:
        return ""
    some = "One of its degrees is" if len(reasons) == 1 else f"{len(reasons)} of its degrees are"
    return f"{some} a fallback's, as the oracle that should judge could not: {reasons[0]}"


def explain_below_alpha(result: SolverResult, alpha: float, given_up: Iterable[GivenUp]) -> str:
    """Explain that executable plans exist, but none reaches alpha."""
    assert result.best is not None
    binding = format_binding(result.best.decoded.binding)
    choice = f", with {binding}" if binding else ""
    best = "the best one has" if result.optimal else "the best one found has"
    membership = format_distinct(result.best.membership, alpha)[0]
    return (
        f"Executable plans exist, but none reaches alpha {alpha:g}: {best} membership "
        f"{membership}{choice}.{_name_dearest(given_up)}"
    )


def _name_dearest(given_up: Iterable[GivenUp]) -> str:
    dear = sorted((one for one in given_up if one.weight), key=lambda one: -one.weight)
    return f" It gives up {list_names(map(str, dear), NAMED)}." if dear else ""


def explain_budgets(
    result: PlanningResult, free: PlanningResult, budgets: Mapping[str, float], domain: Domain
) -> str:
    """Explain how far the budgets of an unsolvable request stand in the way."""
    words = describe_budgets(budgets)
    if free.plan is not None:
        uses = measure_uses(free.plan.steps, free.plan.end, budgets, domain)
        enough = {name: round_up(use) for name, use in uses.items() if use > budgets[name]}
        if enough and result.status is PlanStatus.UNSOLVABLE_AT_ALPHA:
            return f"{result.message} With {describe_budgets(enough)} a plan reaches it."
        if enough:
            more = f"{describe_budgets(enough)} is enough for the whole goal"
            return f"No plan keeps within {words}; {more}."
    elif free.status not in (PlanStatus.UNSOLVABLE_PROVEN, PlanStatus.UNSOLVABLE_AT_ALPHA):
        open_ = "it was not settled whether there is one that uses more"
        return f"No plan keeps within {words}; {open_}."
    return result.message


def round_up(use: float) -> float:
    """Round a number up to the third place after the point, but for errors of adding up."""
    return math.ceil(round(use * 1000.0, 3)) / 1000.0


def describe_unfinished(result: SolverResult, alpha: float) -> str:
    """Describe an unfinished search without an acceptable plan."""
    if result.best is not None:
        return (
            f"The best plan found has membership {result.best.membership:.2f}, below alpha "
            f"{alpha:g}; it was not settled whether one reaches it."
        )
    if not reaches(result.bound, alpha):
        return f"No plan was found; it is proven that none reaches alpha {alpha:g}."
    return "No plan was found; it was not settled whether one exists."
