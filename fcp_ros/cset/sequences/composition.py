# SPDX-License-Identifier: Apache-2.0
"""Composition: several rules, applied one after the other, as one rule (a macro).

For two DPO rules along an overlap of the first's right side and the second's left side this is the
E-concurrent rule (Ehrig, Ehrig, Prange, Taentzer, *Fundamentals of Algebraic Graph Transformation*,
2006, definition 5.21 and theorem 5.23, the concurrency theorem), with the application conditions of
both.
"""

from collections.abc import Mapping, Sequence

from fcp_ros.cset.instance.expressions import Variable
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism, morphism
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.rewriting.semantics import Semantics
from fcp_ros.cset.sequences.applied_step import AppliedStep, check_sequence
from fcp_ros.cset.sequences.composite_rule import composite_rule
from fcp_ros.cset.sequences.known_state import CompositionError
from fcp_ros.cset.sequences.macro import Macro, MacroPart, Origin
from fcp_ros.cset.sequences.pattern_draft import Key
from fcp_ros.cset.sequences.step_effects import AttributeCell, TupleCell, effects_of, value_at
from fcp_ros.cset.sequences.symbolic_run import SymbolicRun

__all__ = [
    "CompositionError",
    "Macro",
    "MacroPart",
    "Origin",
    "compose",
    "compose_sequence",
    "overlap_of",
]


def overlap_of(comatch: Morphism, match: Morphism) -> dict[int, int]:
    """What two successive steps have in common: ids of R by which a step ended, and of the next L.

    Args:
        comatch: of the first step, from its rule's right side.
        match: of the second step, from its rule's left side, in the same state.
    """
    ids = {image: id_ for id_, image in match.mapping.items()}
    return {id_: ids[image] for id_, image in comatch.mapping.items() if image in ids}


def compose(
    first: Rule, second: Rule, overlap: Mapping[int, int], *, name: str | None = None
) -> Macro:
    """The E-concurrent rule of two rules along an overlap.

    It is made for monic matches: what the two rules have in common is what the overlap says. Where
    a step takes away again what the one before it added, the macro asks that it was not there.

    Args:
        first: a DPO rule.
        second: a DPO rule over the same schema.
        overlap: ids of elements and tuples of the first's right side that are to be the same as
            ones of the second's left side. Tuples between elements of the overlap, and values of
            functions at them, are in it, too, without being named.
        name: of the composite.

    Raises:
        CompositionError: they cannot be composed along this overlap, or not by a rule that applies
            exactly where they do; the message says why.
    """
    run = _run([first, second])
    step = run.apply(first, {id_: run.known.names.key() for id_ in first.L.all_elements()})
    shared = _closed(first.R, second.L, overlap)
    keys = {id_: step.comatch[element] for element, id_ in shared.items()}
    for id_ in second.L.all_elements():
        keys.setdefault(id_, run.known.names.key())
    run.apply(second, keys)
    return _macro(run, name)[0]


def compose_sequence(
    steps: Sequence[AppliedStep], *, name: str | None = None
) -> tuple[Macro, Morphism]:
    """One rule for a whole sequence, and the match at which it does what the sequence did.

    Its left side is what the steps touched. It knows no names: at other matches it does the same
    with other elements.

    Args:
        steps: at least one; each starts where the one before it ended.
        name: of the composite.

    Raises:
        StepError: the steps do not follow one another.
        CompositionError: no rule applies exactly where they do; the message says why.
    """
    check_sequence(steps)
    run = _run([step.rule for step in steps])
    _assume(run, steps)
    keys: dict[int, Key] = {}
    for step in steps:
        images = {id_: step.match.mapping[id_] for id_ in step.rule.L.all_elements()}
        done = run.apply(step.rule, {id_: keys.get(image, image) for id_, image in images.items()})
        keys.update({step.comatch.mapping[id_]: key for id_, key in done.comatch.items()})
    macro, left = _macro(run, name)
    state = steps[0].before
    elements = {left[key]: key for key in run.known.start.types}
    return macro, morphism(macro.rule.L, state, elements)


def _run(rules: Sequence[Rule]) -> SymbolicRun:
    if not rules:
        raise CompositionError("there are no rules to compose; give at least one step")
    for rule in rules:
        if rule.L.schema != rules[0].L.schema:
            raise CompositionError(
                f"rule {rule.name!r} has schema {rule.L.schema.name!r}, rule {rules[0].name!r} has "
                f"{rules[0].L.schema.name!r}"
            )
        if rule.semantics is not Semantics.DPO:
            raise CompositionError(
                f"rule {rule.name!r} is {rule.semantics.value.upper()}: what it deletes depends on "
                "the state, so only DPO rules can be composed"
            )
        if not rule.right.is_monic:
            raise CompositionError(
                f"rule {rule.name!r} merges elements, so that what it was applied to cannot be "
                "told from the result (the pushout complement is not unique)"
            )
    return SymbolicRun(rules[0].L.schema)


def _closed(right: Instance, left: Instance, overlap: Mapping[int, int]) -> dict[int, int]:
    """The elements of the overlap that are given, or follow by functions and legs."""
    shared: dict[int, int] = {}
    todo: list[tuple[int, int]] = []
    for id_, other in overlap.items():
        if not right.contains(id_) or not left.contains(other):
            raise CompositionError(f"the overlap ({id_}, {other}) names what the rules do not have")
        relation = right.type_of(id_)
        if not right.schema.has_relation(relation):
            todo.append((id_, other))
        elif left.type_of(other) != relation:
            names = (right.name_of(id_), left.name_of(other))
            raise CompositionError(f"the overlap identifies {names[0]} with {names[1]}")
        else:
            legs = (right.tuples(relation)[id_], left.tuples(relation)[other])
            todo.extend(zip(*legs, strict=True))
    while todo:
        id_, other = todo.pop()
        known = shared.setdefault(id_, other)
        if known != other or list(shared.values()).count(other) > 1:
            names = (right.name_of(id_), left.name_of(other))
            raise CompositionError(
                f"the overlap identifies {names[0]!r} and {names[1]!r} with each other and with "
                "something else; it must be one to one"
            )
        if left.schema.has_relation(left.type_of(other)):
            raise CompositionError(
                f"the overlap identifies {right.name_of(id_)!r} with {left.name_of(other)}"
            )
        for function in right.schema.functions:
            ours = right.function_table(function.name).values.get(id_)
            theirs = left.function_table(function.name).values.get(other)
            if ours is not None and theirs is not None and shared.get(ours) != theirs:
                todo.append((ours, theirs))
    return shared


def _assume(run: SymbolicRun, steps: Sequence[AppliedStep]) -> None:
    """Let the macro know what was there before a step added or assigned it, where that matters.

    It matters where a later step takes it away again: then the macro must do so.
    """
    start = steps[0].before
    effects = [effects_of(step) for step in steps]
    for number, effect in enumerate(effects):
        for cell in effect:
            if any(cell in earlier for earlier in effects[:number]):
                continue
            later = any(other.get(cell, True) in (False, None) for other in effects[number + 1 :])
            if isinstance(cell, TupleCell):
                matters = later or bool(start.schema.attributes_of(cell.relation))
                if matters and value_at(start, cell):
                    _assume_tuple(run, start, cell)
            elif isinstance(cell, AttributeCell) and later and value_at(start, cell) is not None:
                _assume_value(run, start, cell)


def _assume_tuple(run: SymbolicRun, start: Instance, cell: TupleCell) -> Key:
    legs = run.known.schema.relation(cell.relation).legs
    for element, (_, type_) in zip(cell.legs, legs, strict=True):
        run.known.require_element(element, type_, start.name_of(element))
    return run.known.require_tuple(cell.relation, cell.legs)


def _assume_value(run: SymbolicRun, start: Instance, cell: AttributeCell) -> None:
    if isinstance(cell.holder, TupleCell):
        holder = _assume_tuple(run, start, cell.holder)
    else:
        holder = cell.holder.element
        owner = start.schema.attribute(start.type_of(holder), cell.attribute).owner
        run.known.require_element(holder, owner, start.name_of(holder))
    run.known.require_value((holder, cell.attribute), Variable(cell.attribute), {})


def _macro(run: SymbolicRun, name: str | None) -> tuple[Macro, Mapping[Key, int]]:
    """The macro of a run, and the ids of its left side by keys."""
    composite = composite_rule(run, name or "; ".join(step.rule.name for step in run.steps))
    origins = {key: Origin(None, composite.left.ids[key]) for key in run.known.start.types}
    parts = []
    for number, step in enumerate(run.steps):
        elements = {id_: origins[step.match[id_]] for id_ in step.rule.L.all_elements()}
        parts.append(MacroPart(step.rule, elements))
        for id_ in step.rule.created:
            origins[step.comatch[id_]] = Origin(number, id_)
    return Macro(composite.rule, tuple(parts)), composite.left.ids
