# SPDX-License-Identifier: Apache-2.0
"""The rule that a symbolic run amounts to."""

from collections.abc import Iterator
from dataclasses import dataclass

from fcp_ros.cset.conditions.conditions import ApplicationCondition, Condition, ConditionKind
from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    Expression,
    Operation,
    Variable,
)
from fcp_ros.cset.instance.instance import InstanceError
from fcp_ros.cset.rewriting.rule import Rule, RuleError
from fcp_ros.cset.sequences.condition_translation import NeverHolds, Translation
from fcp_ros.cset.sequences.frame import Frame, frame_of
from fcp_ros.cset.sequences.implied_conditions import without_implied
from fcp_ros.cset.sequences.known_state import CompositionError
from fcp_ros.cset.sequences.pattern_draft import Built, Key, Legs, PatternDraft
from fcp_ros.cset.sequences.symbolic_run import RunStep, SymbolicRun


@dataclass(frozen=True)
class Composite:
    """A composite rule.

    Attributes:
        rule: the rule; its matches are monic.
        left: its left side.
    """

    rule: Rule
    left: Built


def composite_rule(run: SymbolicRun, name: str) -> Composite:
    """The rule from the start of a run to its end.

    Raises:
        CompositionError: there is none that applies exactly where the run is possible.
    """
    frames = [frame_of(run, step) for step in run.steps]
    start, glue, end = run.known.start, _glue(run), _end(run)
    try:
        for draft in (start, *(frame.after for frame in frames), end):
            draft.build(strict=True)
        left, middle, right = start.build(), glue.build(), end.build()
    except InstanceError as error:
        raise CompositionError(f"no state can be like that: {error}") from error
    conditions: list[Condition] = [
        *_untouched(run, left),
        *(
            condition
            for frame, step in zip(frames, run.steps, strict=True)
            for condition in _translated(run, frame, step, left)
        ),
    ]
    where = _comparisons(run, end)
    legs = (middle.to(left), middle.to(right))
    try:
        return Composite(Rule(name, *legs, without_implied(conditions), where=where), left)
    except RuleError as error:
        raise CompositionError(str(error)) from error


def _comparisons(run: SymbolicRun, end: PatternDraft) -> tuple[Comparison, ...]:
    """What must hold, without what is said twice.

    That an expression has a value (that it is equal to itself) need not be said where it is part of
    another one that must have one.
    """
    where = list(dict.fromkeys(run.known.where))
    real = [comparison for comparison in where if comparison.left != comparison.right]
    used: set[Expression] = set()
    for comparison in real:
        used |= _parts(comparison.left) | _parts(comparison.right)
    for value in end.values.values():
        used |= _parts(value)
    others = [comparison.left for comparison in where if comparison.left == comparison.right]
    for number, expression in enumerate(others):
        again = any(expression in _parts(other) for other in others[number + 1 :])
        if not again and expression not in used:
            real.append(Comparison(expression, Comparator.EQUAL, expression))
    return tuple(real)


def _parts(expression: Expression) -> set[Expression]:
    """The expression and all that it is made of."""
    found = {expression}
    if isinstance(expression, Operation):
        found.update(*map(_parts, expression.arguments))
    return found


def _glue(run: SymbolicRun) -> PatternDraft:
    """What stays, with the attributes that stay."""
    glue = run.known.start.copy()
    for key in sorted(run.known.deleted, key=lambda key: key in glue.types):
        glue.remove(key)
    for place in run.known.written:
        glue.values.pop(place, None)
    return glue


def _end(run: SymbolicRun) -> PatternDraft:
    """What is there in the end."""
    end = run.known.now.copy()
    kept = {
        place: value
        for place, value in run.known.start.values.items()
        if place[0] in end.types or place[0] in end.tuples
    }
    end.values = {
        place: value for place, value in {**kept, **run.known.written}.items() if value is not None
    }
    return end


def _translated(run: SymbolicRun, frame: Frame, step: RunStep, left: Built) -> Iterator[Condition]:
    translation = Translation(frame, left, step.match, step.values, run.known.names)
    for condition in step.rule.conditions:
        try:
            yield from translation.of(condition)
        except NeverHolds:
            number = run.steps.index(step)
            raise CompositionError(
                f"condition {condition.name!r} of rule {step.rule.name!r} (number {number}) can "
                "never hold here"
            ) from None


def _untouched(run: SymbolicRun, left: Built) -> Iterator[ApplicationCondition]:
    """That nothing was there yet of what one step adds and a later one takes away again.

    Otherwise the later one would have to take away what was there before.
    """
    for relation, legs in dict.fromkeys(run.passing):
        for pattern in _rivals(run, relation, legs):
            name = f"no {run.known.shown(relation, legs)} yet"
            inclusion = left.to(pattern.build())
            yield ApplicationCondition(ConditionKind.NAC, name, inclusion)
    for place, value in run.known.written.items():
        key, attribute = place
        if value is None and place not in run.known.start.values and key in left.ids:
            pattern = run.known.start.copy()
            pattern.values[place] = Variable(run.known.names.variable(attribute))
            name = f"no {run.known.shown_place(place)} yet"
            yield ApplicationCondition(ConditionKind.NAC, name, left.to(pattern.build()))


def _rivals(run: SymbolicRun, relation: str, legs: Legs) -> Iterator[PatternDraft]:
    """The start with a tuple that would be the same, or have a key of it."""
    start = run.known.start
    declared = run.known.schema.relation(relation)
    keys = [declared.position(leg) for leg in declared.functional]
    known = [position for position in keys if legs[position] in start.types]
    for position in known:
        # Where the start has a tuple with this key, it has no other one.
        if not any(start.with_key(relation, position, legs[position])):
            yield _with_tuple(run, relation, {position: legs[position]})
    there = all(leg in start.types for leg in legs)
    if not known and there and start.find(relation, legs) is None:
        yield _with_tuple(run, relation, dict(enumerate(legs)))


def _with_tuple(run: SymbolicRun, relation: str, given: dict[int, Key]) -> PatternDraft:
    pattern = run.known.start.copy()
    legs = []
    for position, (leg, type_) in enumerate(run.known.schema.relation(relation).legs):
        key = given.get(position)
        if key is None:
            key = run.known.names.key()
            _add_with_functions(run, pattern, key, type_, leg)
        legs.append(key)
    pattern.tuples[run.known.names.key()] = (relation, tuple(legs))
    return pattern


def _add_with_functions(
    run: SymbolicRun, pattern: PatternDraft, key: Key, type_: str, name: str
) -> None:
    pattern.types[key], pattern.names[key] = type_, run.known.names.element(name)
    if run.known.schema.functions_of(type_):
        raise CompositionError(
            f"that there is no {name!r} of type {type_!r} cannot be said, for it has functions"
        )
