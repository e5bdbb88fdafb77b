# SPDX-License-Identifier: Apache-2.0
"""The published method of fluent mapping, for comparison with `fcp_ros.alignment`.

Every pair of ground facts is a replace rule at a penalty. A rule reads a fact and makes the *known
copy* of another one true; conditions and goal read known copies, and actions change a fact with
its copy. The plan of least cost is tried without its replace rules in the true model. If it fails,
the last replace rule before the failure is removed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from fcp_ros.alignment.trials.simulator import GroundAction, Simulator
from fcp_ros.domain.expressions.syntax import Atom, Constant
from fcp_ros.domain.pddl.reader import PddlTexts, work_out
from fcp_ros.domain.pddl.syntax.tree import (
    TOTAL_COST,
    ActionEffect,
    Formula,
    FunctionValue,
    Metric,
    NumericChange,
    PddlAction,
    change_parts,
    is_below,
)
from fcp_ros.planning import Optimise, PlanningOptions, PlanStatus, plan
from fcp_ros.planning.model.memberships import NoMemberships

PENALTY = 100
GroundFact = tuple[str, tuple[str, ...]]
Pair = tuple[GroundFact, GroundFact]


@dataclass(frozen=True)
class PublishedResult:
    """The outcome of the published method.

    Attributes:
        solved: a plan succeeded.
        removed: the pairs that were removed, in their order.
        pairs: the number of pairs at first.
        seconds: of all iterations.
        proven: each plan but the last was proven to be one of least cost.
    """

    solved: bool
    removed: tuple[Pair, ...]
    pairs: int
    seconds: float
    proven: bool


def list_facts(texts: PddlTexts) -> list[GroundFact]:
    """List all ground facts of a model, by the types of its predicates."""
    parents = texts.problem.types or texts.domain.types
    objects = texts.problem.objects
    return [
        (name, arguments)
        for name, legs in texts.domain.predicates.items()
        for arguments in product(
            *([one.name for one in objects if is_below(one.types, leg.types, parents)]
              for leg in legs)
        )
    ]  # fmt: skip


def run_published(
    model: PddlTexts, simulator: Simulator, plan_time: float, most: int, total_time: float
) -> PublishedResult:
    """Run the published method.

    Args:
        model: the partial model.
        simulator: where plans are tried.
        plan_time: for each plan (s).
        most: removals before it is given up.
        total_time: for everything (s).
    """
    begun = time.perf_counter()
    copied = _copy_known(model)
    facts = list_facts(model)
    pairs: dict[Pair, None] = dict.fromkeys(product(facts, facts))
    count, removed, proven = len(pairs), [], True
    while len(removed) < most and time.perf_counter() - begun < total_time:
        names = {f"replace-{number}": pair for number, pair in enumerate(pairs)}
        steps, is_best = _plan(copied, names, plan_time)
        proven = proven and is_best
        if steps is None:
            break
        actions = [step for step in steps if step[0] not in names]
        seen = simulator.run(actions)
        if seen.reached:
            seconds = time.perf_counter() - begun
            return PublishedResult(True, tuple(removed), count, seconds, proven)
        last = _find_last(steps, names, seen.done)
        if last is None:
            break
        removed.append(names[last])
        del pairs[names[last]]
    seconds = time.perf_counter() - begun
    return PublishedResult(False, tuple(removed), count, seconds, proven)


def _find_last(steps: Sequence[GroundAction], names: dict[str, Pair], done: int) -> str | None:
    """Find the last replace rule before the action that failed, or before the end."""
    last, actions = None, 0
    for name, _ in steps:
        if name in names:
            last = name
        else:
            if actions == done:
                return last
            actions += 1
    return last


def _copy_known(texts: PddlTexts) -> PddlTexts:
    """Give each predicate a known copy, which conditions and goal read."""
    domain, problem = texts.domain, texts.problem

    def read_copy(formula: Formula) -> Formula:
        if isinstance(formula, Atom):
            return _copy(formula)
        return change_parts(formula, read_copy)

    actions = tuple(
        replace(
            action,
            precondition=read_copy(action.precondition),
            effects=(
                *(
                    replace(
                        effect,
                        condition=read_copy(effect.condition),
                        add=(*effect.add, *map(_copy, effect.add)),
                        delete=(*effect.delete, *map(_copy, effect.delete)),
                    )
                    for effect in action.effects
                ),
                _cost(1),
            ),
        )
        for action in domain.actions
    )
    copies = {f"known-{name}": legs for name, legs in domain.predicates.items()}
    facts = {f"known-{name}": tuples for name, tuples in problem.facts.items()}
    return replace(
        texts,
        domain=replace(
            domain,
            predicates={**domain.predicates, **copies},
            functions={TOTAL_COST: ()},
            actions=actions,
        ),
        problem=replace(
            problem,
            facts={**problem.facts, **facts},
            goal=read_copy(problem.goal),
            metric=Metric(True, FunctionValue(TOTAL_COST)),
            values={TOTAL_COST: {(): Fraction(0)}},
        ),
    )


def _copy(atom: Atom) -> Atom:
    return Atom(f"known-{atom.predicate}", atom.arguments)


def _cost(amount: int) -> ActionEffect:
    change = NumericChange("increase", FunctionValue(TOTAL_COST), Fraction(amount))
    return ActionEffect(numeric=(change,))


def _plan(
    texts: PddlTexts, names: dict[str, Pair], plan_time: float
) -> tuple[list[GroundAction] | None, bool]:
    """Plan with all pairs; None without a plan. Says if the plan is proven to be a best one."""
    rules = tuple(
        PddlAction(
            name,
            (),
            _ground(source),
            (ActionEffect(add=(_copy(_ground(target)),)), _cost(PENALTY)),
            spelling=name,
        )
        for name, (source, target) in names.items()
    )
    domain = replace(texts.domain, actions=(*texts.domain.actions, *rules))
    task = work_out(replace(texts, domain=domain))
    result = plan(
        task.domain,
        task.instance,
        task.goal,
        PlanningOptions(
            optimise=Optimise.COST, time_limit=plan_time, improve_time=plan_time, memory_limit=8192
        ),
        NoMemberships(),
        explain_conflict=False,
    )
    if result.plan is None:
        return None, result.status is PlanStatus.UNSOLVABLE_PROVEN
    steps = [
        (form.action, tuple(dict(step.arguments)[name] for name in form.parameters))
        for step in result.plan.steps
        for form in [task.forms[step.rule]]
    ]
    return steps, result.status is PlanStatus.SOLVED_OPTIMALLY


def _ground(fact: GroundFact) -> Atom:
    name, arguments = fact
    return Atom(name, tuple(map(Constant, arguments)))
