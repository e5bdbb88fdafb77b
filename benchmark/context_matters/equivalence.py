# SPDX-License-Identifier: Apache-2.0
"""The comparison of two goals: equal when written alike, or of equal degree wherever it is tried.

Written alike: names of variables, order and nesting of parts, double negations, weights and names
of preferences make no difference. Otherwise both are evaluated on random states and traces, half of
them edited towards the one goal and half towards the other; one difference is enough. Degrees of
graded predicates are drawn for each element.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from benchmark.context_matters.worlds import Exchanges, World
from fcp_ros.cset import Instance
from fcp_ros.domain import Domain
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Preference,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    atoms,
    children,
    free_variables,
    rebuild,
    rename_free,
    to_text,
    walk,
)
from fcp_ros.domain.model import SAME
from fcp_ros.fuzzy import tnorm_by_name

SAMPLES, SECONDS = 300, 6.0
"""Traces for each comparison, and the time that it may take."""
LEAST_MET = 5
"""A comparison counts if the goals were met in this many samples."""
_WEIGHT = 0.5
_USUAL = "usual_place"
_TNORM = tnorm_by_name("product")
_DEGREES = (0.0, 0.3, 0.7, 1.0)
_SECONDS = (Fraction(5), Fraction(20), Fraction(45), Fraction(60), Fraction(90))


class Likeness(str, Enum):
    """The outcome of a comparison."""

    ALIKE = "written alike"
    EQUAL = "equal on all samples"
    DIFFERENT = "different"
    UNTRIED = "never met, so not compared"

    @property
    def same(self) -> bool:
        """True if the goals count as the same."""
        return self in (Likeness.ALIKE, Likeness.EQUAL)


@dataclass(frozen=True, slots=True)
class Comparison:
    """An outcome, the number of samples, and in how many either goal was met to some degree."""

    likeness: Likeness
    samples: int = 0
    met: int = 0


def compare_goals(
    one: Expression, other: Expression, domain: Domain, initial: Instance, seed: int = 0
) -> Comparison:
    """Compare two checked goals.

    Args:
        one: a goal.
        other: another one.
        domain: of both.
        initial: the state in which they are said: traces begin there.
        seed: of the samples.
    """
    one, other = close(one, domain), close(other, domain)
    if to_text(normalise(one)) == to_text(normalise(other)):
        return Comparison(Likeness.ALIKE)
    one, other = _arrange(set_weights(one)), _arrange(set_weights(other))
    generator = random.Random(seed)
    met, tried = 0, 0
    deadline = time.monotonic() + SECONDS
    for trace in draw_traces((one, other), domain, initial, generator, SAMPLES):
        degrees = [judge(goal, trace, domain) for goal in (one, other)]
        if abs(degrees[0] - degrees[1]) > 1e-9:
            return Comparison(Likeness.DIFFERENT, tried + 1, met)
        tried += 1
        met += degrees[0] > 0.0
        if time.monotonic() > deadline:
            break
    likeness = Likeness.EQUAL if met >= LEAST_MET else Likeness.UNTRIED
    return Comparison(likeness, tried, met)


def drop_set_down(goal: Expression) -> Expression | None:
    """Drop from a goal where things that it takes away are set down; all of it gives None.

    Who writes "not on(laptop_1, table_1)" leaves open what a reading says besides: that the
    laptop is in another place that is usual for it.
    """
    if isinstance(goal, Exists) and _is_set_down(goal):
        return None
    if isinstance(goal, (And, Or)):
        parts = [drop_set_down(part) for part in goal.parts]
        kept = tuple(part for part in parts if part is not None)
        if not kept or (isinstance(goal, Or) and len(kept) < len(parts)):
            return None
        return kept[0] if len(kept) == 1 else replace(goal, parts=kept)
    if isinstance(goal, (Forall, Exists)):
        body = drop_set_down(goal.body)
        return None if body is None else replace(goal, body=body)
    return goal


def _is_set_down(goal: Exists) -> bool:
    """Return True for "there is another place where it usually is, and it is there"."""
    parts = goal.body.parts if isinstance(goal.body, And) else ()
    named = {atom.predicate for part in parts for atom in atoms(part)}
    other = any(
        isinstance(part, Not) and isinstance(part.body, Atom) and part.body.predicate == SAME
        for part in parts
    )
    return other and _USUAL in named


# --- evaluation


def judge(goal: Expression, trace: Sequence[Instance], domain: Domain) -> float:
    """Compute the degree of a goal without free variables at the end of a trace."""
    reached = [Fraction(0)]
    for step in range(len(trace) - 1):
        reached.append(reached[-1] + _SECONDS[step % len(_SECONDS)])
    return evaluate(
        goal, trace[-1], _draw_degree, _TNORM, types={}, before=tuple(trace[:-1]), reached=reached
    )


def _draw_degree(predicate: str, arguments: tuple[str, ...]) -> float:
    digest = hashlib.blake2b("/".join((predicate, *arguments)).encode(), digest_size=2).digest()
    return _DEGREES[digest[0] % len(_DEGREES)]


# --- samples


def draw_traces(
    goals: Sequence[Expression],
    domain: Domain,
    initial: Instance,
    generator: random.Random,
    number: int,
) -> Iterator[tuple[Instance, ...]]:
    """Draw traces that begin in a state, edited towards each of the goals in turn."""
    exchanges = Exchanges(domain)
    moments = [part for goal in goals for part in _list_moments(goal)]
    on_the_way = any(_is_about_traces(goal) for goal in goals)
    start = World(domain, initial, exchanges, generator)
    for turn in range(number):
        goal = goals[turn % len(goals)]
        yield _draw_trace(goal, moments, start, initial, generator, on_the_way)


def _draw_trace(
    goal: Expression,
    moments: Sequence[tuple[Expression, bool]],
    start: World,
    initial: Instance,
    generator: random.Random,
    on_the_way: bool,
) -> tuple[Instance, ...]:
    states, world = [initial], start
    length = generator.randint(1, 5) if on_the_way else 1
    kept = generator.random() < 0.8
    plan = [generator.choice(moments) for _ in range(length)] if moments else []
    if moments and generator.random() < 0.5:  # the parts in the order in which they were written
        first = generator.randrange(len(moments))
        plan = [moments[(first + i) % len(moments)] for i in range(length)]
    for step in range(length):
        world = world.copy()
        if plan and generator.random() < 0.8:
            part, negative = plan[step]
            world.fulfil(part, (generator.random() < 0.85) != negative, {})
        for _ in range(generator.choice((0, 0, 1, 2))):
            world.change_something()
        if step == length - 1 and generator.random() < 0.9:
            for _ in range(2):  # one part may have undone another
                world.fulfil(goal, True, {})
            if generator.random() < 0.4:
                _spoil(goal, world, generator)
        elif kept:
            for constraint in _list_constraints(goal):
                world.fulfil(constraint, True, {})
        states.append(world.to_state())
    return tuple(states)


def _spoil(goal: Expression, world: World, generator: random.Random) -> None:
    """Break a part of a goal, or change something else."""
    parts = goal.parts if isinstance(goal, And) else (goal,)
    if generator.random() < 0.6:
        world.fulfil(generator.choice(parts), False, {})
    else:
        world.change_something()


def _list_moments(goal: Expression, negative: bool = False) -> list[tuple[Expression, bool]]:
    """List the conditions of the constraints of a goal, closed, and whether they are forbidden."""
    if isinstance(goal, TrajectoryConstraint):
        return [(part, negative) for part in goal.parts if not free_variables(part)]
    found = []
    for child in children(goal):
        found.extend(_list_moments(child, negative != isinstance(goal, Not)))
    if isinstance(goal, (Exists, Forall)):  # such as `forall ?x: item (never ...)`
        inner = [part for child in children(goal) for part in _list_open(child)]
        found.extend((Exists(goal.variables, part), negative) for part in inner)
    return found


def _list_open(goal: Expression) -> Iterator[Expression]:
    for constraint in walk(goal):
        if isinstance(constraint, TrajectoryConstraint):
            yield from filter(free_variables, constraint.parts)


def _list_constraints(goal: Expression) -> Iterator[Expression]:
    """Yield the parts of a goal that are constraints on all states."""
    if isinstance(goal, TrajectoryConstraint):
        yield goal
    elif isinstance(goal, And):
        for part in goal.parts:
            yield from _list_constraints(part)
    elif isinstance(goal, (Forall, Preference)) and _is_about_traces(goal):
        yield goal


def _is_about_traces(goal: Expression) -> bool:
    return any(isinstance(part, TrajectoryConstraint) for part in walk(goal))


# --- one way to write a goal


def close(goal: Expression, domain: Domain) -> Expression:
    """Bind the free variables of a goal by `exists`."""
    free = free_variables(goal)
    if not free:
        return goal
    types = infer_types(goal, domain)
    return Exists(tuple(TypedVariable(name, types[name]) for name in free), goal)


def set_weights(goal: Expression) -> Expression:
    """Give all preferences one weight, no cost and no name: any weight is as good."""
    if isinstance(goal, Preference):
        return Preference(_WEIGHT, Fraction(0), set_weights(goal.body))
    return _normalise_words(goal) if isinstance(goal, Atom) else rebuild(goal, set_weights)


def normalise(goal: Expression) -> Expression:
    """Return the form of a goal in which goals that are written alike are equal."""
    return _rename(_arrange(set_weights(goal)), itertools.count())


def _arrange(goal: Expression) -> Expression:
    """Flatten and sort conjunctions and disjunctions, join quantifiers, drop double negations."""
    if isinstance(goal, Atom):
        return goal
    if isinstance(goal, (And, Or)):
        parts: list[Expression] = []
        for part in map(_arrange, goal.parts):
            same = isinstance(part, type(goal))
            parts.extend(part.parts if same and isinstance(part, (And, Or)) else (part,))
        unique = {_sort_key(part): part for part in parts}
        arranged = tuple(unique[key] for key in sorted(unique))
        return arranged[0] if len(arranged) == 1 else type(goal)(arranged)
    if isinstance(goal, Not):
        body = _arrange(goal.body)
        return body.body if isinstance(body, Not) else Not(body)
    if isinstance(goal, TrajectoryConstraint):
        return rebuild(goal, _arrange)
    body = _arrange(goal.body)
    if isinstance(goal, (Exists, Forall)):
        variables = goal.variables
        if isinstance(body, type(goal)) and isinstance(body, (Exists, Forall)):
            variables, body = (*variables, *body.variables), body.body
        if isinstance(goal, Exists) and isinstance(body, And):
            return _split(variables, body)
        variables = tuple(sorted(variables, key=lambda v: (v.type, _uses(body, v.name))))
        return type(goal)(variables, body)
    return replace(goal, body=body)


def _split(variables: Sequence[TypedVariable], body: And) -> Expression:
    """Give each part of a conjunction the variables that it needs: `exists` for what is joined.

    The best choice for parts that share no variable is made for each by itself.
    """
    groups: list[tuple[set[str], list[Expression]]] = []
    bound = {variable.name for variable in variables}
    for part in body.parts:
        names = set(free_variables(part)) & bound
        parts = [part]
        for group in [g for g in groups if g[0] & names]:
            groups.remove(group)
            names |= group[0]
            parts = [*group[1], *parts]
        groups.append((names, parts))
    found: list[Expression] = []
    used = set[str]().union(*(names for names, _ in groups))
    for names, parts in groups:
        inner: Expression = parts[0] if len(parts) == 1 else And(tuple(parts))
        mine = [v for v in variables if v.name in names]
        mine.sort(key=lambda v, inner=inner: (v.type, _uses(inner, v.name)))  # type: ignore[misc]
        found.append(Exists(tuple(mine), inner) if mine else inner)
    idle = tuple(v for v in variables if v.name not in used)
    if idle:  # there has to be something of that type
        return Exists(idle, found[0] if len(found) == 1 else And(tuple(found)))
    if len(found) == 1:
        return found[0]
    keyed = {_sort_key(part): part for part in found}
    arranged = tuple(keyed[key] for key in sorted(keyed))
    return arranged[0] if len(arranged) == 1 else And(arranged)


def _sort_key(goal: Expression) -> str:
    """Text of an expression without the names of variables bound in it."""
    return to_text(_rename(goal, itertools.count()))


def _uses(body: Expression, name: str) -> str:
    """The atoms that use a variable, as text in which all other variables are alike."""
    others = {free: "other" for free in free_variables(body) if free != name}
    return to_text(rename_free(body, {**others, name: "self"}))


def _rename(goal: Expression, numbers: Iterator[int]) -> Expression:
    """Name the bound variables v0, v1, ... in the order of their quantifiers."""
    if isinstance(goal, (Exists, Forall, Count)):
        names = {v.name: f"v{next(numbers)}" for v in goal.variables}
        variables = tuple(TypedVariable(names[v.name], v.type) for v in goal.variables)
        body = _rename(rename_free(goal.body, names), numbers)
        return replace(goal, variables=variables, body=body)
    return rebuild(goal, lambda part: _rename(part, numbers))


def _normalise_words(atom: Atom) -> Atom:
    """Write the words of graded predicates alike: "wiping" for "wiping a surface"."""
    words = tuple(
        Text(term.value.lower().replace("_", " ").split(" a ")[0].split(" the ")[0].strip())
        if isinstance(term, Text)
        else term
        for term in atom.arguments
    )
    return Atom(atom.predicate, words)
