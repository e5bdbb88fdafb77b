# SPDX-License-Identifier: Apache-2.0
"""The published method of fluent mapping, for comparison with `fcp_ros.alignment`.

Every pair of ground facts is a replace rule at a penalty. A rule reads a fact and makes the *known
copy* of another one true; conditions read known copies, and actions change a fact with its copy.
The plan of least cost is tried without its replace rules in the true model. If it fails, the last
replace rule before the failure is removed. `PublishedDetails` are what may be read in several ways.

Plans are found by our planner, or by A* with LM-cut of Fast Downward (GPL), which runs as a program
of its own in an environment of its own and is no part of this package.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from pathlib import Path

from fcp_ros.alignment.names.predicate_use import list_atoms
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
from fcp_ros.domain.pddl.syntax.writer import write_domain, write_problem
from fcp_ros.planning import Optimise, PlanningOptions, PlanStatus, plan
from fcp_ros.planning.model.memberships import NoMemberships

PENALTY = 100
"""Of a replace rule, where an action costs 1."""
GroundFact = tuple[str, tuple[str, ...]]
Pair = tuple[GroundFact, GroundFact]


@dataclass(frozen=True)
class PublishedDetails:
    """What a description of the method leaves open.

    Attributes:
        goal_is_replaced: the goal reads known copies, so that a replaced fact reaches it; otherwise
            it reads the facts.
        only_read: the last replace rule before the failure is the last one of those that the
            condition that failed reads.
    """

    goal_is_replaced: bool = True
    only_read: bool = False


@dataclass(frozen=True)
class PublishedResult:
    """The outcome of the published method.

    Attributes:
        solved: a plan succeeded.
        end: the reason why it went no further; "" if it is solved.
        removed: the pairs that were removed, in their order.
        pairs: the number of pairs at first.
        seconds: of each iteration.
        proven: number of plans that were proven to be of least cost.
        before_right: removals before the first plan with the right pair; None if there was none.
    """

    solved: bool
    end: str
    removed: tuple[Pair, ...]
    pairs: int
    seconds: tuple[float, ...]
    proven: int
    before_right: int | None = None

    @property
    def spoilt(self) -> int:
        """The first iteration that removed the right pair; 0 for none."""
        return next((n for n, pair in enumerate(self.removed, start=1) if _is_right(pair)), 0)


RIGHT = {("not-holding", "handempty"), ("not-holding", "free"), ("in", "at")}
"""Names of right pairs, if they have the same arguments: of blocks, then of gripper."""


def _is_right(pair: Pair) -> bool:
    """Return True if a rule makes a fact true where the one that it stands for is."""
    (name, objects), (other, others) = pair
    return (name, other) in RIGHT and objects == others


@dataclass(frozen=True)
class FoundPlan:
    """The answer of a planner: the steps, None without a plan; are they proven to be the best?"""

    steps: Sequence[GroundAction] | None
    is_best: bool


Planner = Callable[[PddlTexts], FoundPlan]


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
    model: PddlTexts,
    simulator: Simulator,
    planner: Planner,
    most: int,
    total_time: float,
    details: PublishedDetails = PublishedDetails(),
    seed: int | None = None,
) -> PublishedResult:
    """Run the published method.

    Args:
        model: the partial model.
        simulator: where plans are tried.
        planner: finds a plan of least cost.
        most: removals before it is given up.
        total_time: for everything (s).
        details: what is left open.
        seed: shuffles the pairs, which decides between plans of equal cost; None leaves them.
    """
    begun = time.perf_counter()
    copied = _copy_known(model, details.goal_is_replaced)
    facts = list_facts(model)
    listed = list(product(facts, facts))
    if seed is not None:
        random.Random(seed).shuffle(listed)
    names = {f"replace-{number}": pair for number, pair in enumerate(listed)}
    removed: list[Pair] = []
    seconds: list[float] = []
    end, proven = "", 0
    before_right: int | None = None
    solved = False
    while True:
        if len(removed) >= most or time.perf_counter() - begun > total_time:
            end = "its time is over"
            break
        start = time.perf_counter()
        found = planner(_add_rules(copied, names))
        seconds.append(time.perf_counter() - start)
        proven += found.is_best
        if found.steps is None:
            end = "no plan is left" if found.is_best else "no plan was found in time"
            break
        if before_right is None and any(_is_right(names[n]) for n, _ in found.steps if n in names):
            before_right = len(removed)
        seen = simulator.run([step for step in found.steps if step[0] not in names])
        if seen.reached:
            solved = True
            break
        blamed = names
        if details.only_read:
            actions = [step for step in found.steps if step[0] not in names]
            read = _list_read(model, actions, seen.done)
            blamed = {name: pair for name, pair in names.items() if pair[1] in read}
        last = _find_last(found.steps, names, blamed, seen.done)
        if last is None:
            end = "a plan without replace rules failed"
            break
        removed.append(names.pop(last))
    return PublishedResult(
        solved, end, tuple(removed), len(listed), tuple(seconds), proven, before_right
    )


def _find_last(
    steps: Sequence[GroundAction],
    rules: Mapping[str, Pair],
    blamed: Mapping[str, Pair],
    done: int,
) -> str | None:
    """Find the last of the replace rules that may be blamed before the action that failed."""
    last, actions = None, 0
    for name, _ in steps:
        if name not in rules:
            if actions == done:
                return last
            actions += 1
        elif name in blamed:
            last = name
    return last


def _list_read(model: PddlTexts, actions: Sequence[GroundAction], done: int) -> set[GroundFact]:
    """List the facts that an action reads; after the last action, those that the goal reads."""
    if done == len(actions):
        condition, bound = model.problem.goal, {}
    else:
        name, objects = actions[done]
        (action,) = (one for one in model.domain.actions if one.name == name.lower())
        condition = action.precondition
        bound = {one.name: thing for one, thing in zip(action.parameters, objects, strict=True)}
    return {
        (atom.predicate, tuple(bound.get(one.name, one.name) for one in atom.arguments))
        for atom in list_atoms(condition)
    }


def _copy_known(texts: PddlTexts, goal_is_replaced: bool) -> PddlTexts:
    """Give each predicate a known copy, which conditions read, and the goal if it is replaced."""
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
            goal=read_copy(problem.goal) if goal_is_replaced else problem.goal,
            metric=Metric(True, FunctionValue(TOTAL_COST)),
            values={TOTAL_COST: {(): Fraction(0)}},
        ),
    )


def _copy(atom: Atom) -> Atom:
    return Atom(f"known-{atom.predicate}", atom.arguments)


def _cost(amount: int) -> ActionEffect:
    change = NumericChange("increase", FunctionValue(TOTAL_COST), Fraction(amount))
    return ActionEffect(numeric=(change,))


def _add_rules(texts: PddlTexts, names: Mapping[str, Pair]) -> PddlTexts:
    """Add a replace rule for each pair."""
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
    constants = texts.problem.objects
    domain = replace(texts.domain, actions=(*texts.domain.actions, *rules), constants=constants)
    return replace(texts, domain=domain)


def _ground(fact: GroundFact) -> Atom:
    name, arguments = fact
    return Atom(name, tuple(map(Constant, arguments)))


# --- planners


def plan_ourselves(plan_time: float) -> Planner:
    """Make a planner: ours, which goes on until the cost is proven or its time is over."""

    def find(texts: PddlTexts) -> FoundPlan:
        task = work_out(texts)
        result = plan(
            task.domain,
            task.instance,
            task.goal,
            PlanningOptions(
                optimise=Optimise.COST,
                time_limit=plan_time,
                improve_time=plan_time,
                memory_limit=8192,
            ),
            NoMemberships(),
            explain_conflict=False,
        )
        if result.plan is None:
            return FoundPlan(None, result.status is PlanStatus.UNSOLVABLE_PROVEN)
        steps = [
            (form.action, tuple(dict(step.arguments)[name] for name in form.parameters))
            for step in result.plan.steps
            for form in [task.forms[step.rule]]
        ]
        return FoundPlan(steps, result.status is PlanStatus.SOLVED_OPTIMALLY)

    return find


def plan_with_fast_downward(command: Sequence[str], plan_time: float) -> Planner:
    """Make a planner: A* with LM-cut of Fast Downward.

    Args:
        command: that calls its driver.
        plan_time: for one plan, translation included (s).
    """

    def find(texts: PddlTexts) -> FoundPlan:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            constants = texts.domain.constants
            (folder / "domain.pddl").write_text(write_domain(texts.domain))
            (folder / "problem.pddl").write_text(write_problem(texts.problem, constants))
            arguments = ["domain.pddl", "problem.pddl", "--search", "astar(lmcut())"]
            try:
                done = subprocess.run(
                    [*command, *arguments],
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=plan_time,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return FoundPlan(None, False)
            file = folder / "sas_plan"
            if not file.is_file():
                return FoundPlan(None, "unsolvable" in done.stdout.lower())
            lines = [line for line in file.read_text().splitlines() if line.startswith("(")]
            words = [line.strip("()").split() for line in lines]
            return FoundPlan([(name, tuple(rest)) for name, *rest in words], True)

    return find
