# SPDX-License-Identifier: Apache-2.0
"""Weaker conditions: relations by their declared weaker forms, labels along `is_a`.

A condition A that is weakened to B with degree d becomes `B and (1 - d) * A`: its degree is d where
A fails, and 1 where it holds all the same.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.structure import has_constraints
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Preference,
    Text,
    TypedVariable,
    Variable,
    Weighted,
    children,
    conjoin,
    rename_free,
    substitute,
    to_text,
)
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.vetoes import find_veto
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.requirements import GoalChange

MOST_VARIANTS = 64
"""Combinations of weaker forms of one requirement that are considered."""


@dataclass(frozen=True)
class Variant:
    """A conjunction with some atoms weakened; `wider`: variable -> its type now."""

    parts: tuple[Expression, ...]
    changes: tuple[GoalChange, ...] = ()
    wider: tuple[tuple[str, str], ...] = ()

    def find_share(self, tnorm: TNorm) -> float:
        """Find the degree of the whole goal with these changes alone."""
        return tnorm.compose_all(change.share for change in self.changes)

    def widen(self, variables: Sequence[TypedVariable]) -> tuple[TypedVariable, ...]:
        """Give variables the types over which they have to range."""
        wider = dict(self.wider)
        return tuple(replace(v, type=wider.get(v.name, v.type)) for v in variables)


def weigh(weight: float, condition: Expression) -> list[Expression]:
    """Return the weighted condition, or nothing for weight 0."""
    if weight <= 0.0:
        return []
    if has_constraints(condition):
        return [Preference(weight, Fraction(0), condition)]
    return [Weighted(weight, condition)]


def list_variants(
    parts: Sequence[Expression],
    domain: Domain,
    instance: Instance,
    weight: float,
    tnorm: TNorm,
    leave_out: Callable[[float], None],
) -> list[Variant]:
    """List the ways to weaken the atoms of a conjunction, best first; the first changes nothing."""
    options = [
        sorted(
            (
                one
                for one in _vary(part, domain, instance, weight)
                if not _says_nothing(one, parts, domain)
            ),
            key=lambda one: -one.find_share(tnorm),
        )
        for part in parts
    ]
    found = []
    shares = [[one.find_share(tnorm) for one in each] for each in options]
    for indices in list_best(shares, tnorm, False, leave_out, MOST_VARIANTS):
        chosen = [each[index] for each, index in zip(options, indices, strict=True)]
        found.append(
            Variant(
                tuple(one.parts[0] for one in chosen),
                tuple(change for one in chosen for change in one.changes),
                tuple(pair for one in chosen for pair in one.wider),
            )
        )
    return found


def _says_nothing(variant: Variant, parts: Sequence[Expression], domain: Domain) -> bool:
    """Return True if a broader kind is one that everything has of which the parts can speak."""
    legs: dict[str, set[str]] = {}
    for atom in (atom for part in parts for atom in find_positive_atoms(part)):
        if domain.schema.has_relation(atom.predicate):
            relation = domain.schema.relation(atom.predicate)
            for (_, type_), term in zip(relation.legs, atom.arguments, strict=True):
                if isinstance(term, Variable):
                    legs.setdefault(term.name, set()).add(type_)
    return any(
        type_ in domain.schema.ancestors(leg)
        for name, type_ in variant.wider
        for leg in legs.get(name, ())
    )


def _vary(
    expression: Expression, domain: Domain, instance: Instance, weight: float
) -> Iterator[Variant]:
    yield Variant((expression,))
    if isinstance(expression, Atom) and expression.predicate == IS_A:
        yield from _broaden(expression, domain, instance, weight)
    elif isinstance(expression, Atom):
        yield from _weaken(expression, domain, weight)
    elif isinstance(expression, (And, Or)):
        for position, part in enumerate(expression.parts):
            for one in itertools.islice(_vary(part, domain, instance, weight), 1, None):
                before, after = expression.parts[:position], expression.parts[position + 1 :]
                whole = replace(expression, parts=(*before, one.parts[0], *after))
                yield Variant((whole,), one.changes, one.wider)
    elif isinstance(expression, Exists):
        for one in itertools.islice(_vary(expression.body, domain, instance, weight), 1, None):
            variables = one.widen(expression.variables)
            yield Variant((Exists(variables, one.parts[0]),), one.changes)


def _weaken(atom: Atom, domain: Domain, weight: float) -> Iterator[Variant]:
    relaxing = domain.relaxing
    if atom.predicate in relaxing.hard or atom.predicate not in relaxing.weaker:
        return
    legs = [leg for leg, _ in domain.schema.relation(atom.predicate).legs]
    terms = dict(zip(legs, atom.arguments, strict=True))
    for form in relaxing.weaker[atom.predicate]:
        names = {t.name for t in atom.arguments if isinstance(t, Variable)}
        formula = substitute(_rename_bound(form.formula, names, legs), terms)
        kept = weigh(weight * (1.0 - form.degree), atom)
        weaker = And((formula, *kept)) if kept else formula
        change = GoalChange(
            RelaxationKind.WEAKEN,
            to_text(atom),
            to_text(formula),
            form.degree,
            form.because,
            weight,
        )
        yield Variant((weaker,), (change,))


def _rename_bound(formula: Expression, taken: set[str], legs: Sequence[str]) -> Expression:
    if isinstance(formula, (Exists, Forall, Count)):
        names: Mapping[str, str] = {
            v.name: _choose_name(v.name, {*taken, *legs}) for v in formula.variables
        }
        body = _rename_bound(rename_free(formula.body, names), taken, legs)
        variables = tuple(replace(v, name=names[v.name]) for v in formula.variables)
        return replace(formula, variables=variables, body=body)
    if isinstance(formula, (And, Or)):
        parts = tuple(_rename_bound(part, taken, legs) for part in formula.parts)
        return replace(formula, parts=parts)
    if isinstance(formula, Not):
        return Not(_rename_bound(formula.body, taken, legs))
    return formula


def _choose_name(name: str, taken: set[str]) -> str:
    numbered = (f"{name}_{number}" for number in itertools.count(2))
    return next(one for one in (name, *itertools.islice(numbered, 100)) if one not in taken)


def _broaden(atom: Atom, domain: Domain, instance: Instance, weight: float) -> Iterator[Variant]:
    """Yield the declared kinds of thing above that of a label, the nearest first.

    What a word in its label rules out is left alone: a broken desk is no table to put things on.
    """
    subject, label = atom.arguments
    broader, hard = domain.relaxing.broader, domain.relaxing.hard
    if not broader or not isinstance(label, Text) or not isinstance(subject, Variable):
        return
    kind = match_label(label.value, domain.mapping.labels)
    if kind is None:
        kind = next((t for t in domain.schema.types if _is_named(t, label.value)), None)
    if kind is None or label.value in hard or kind in hard:
        return
    own = frozenset((kind,) if _is_named(kind, label.value) else ())
    for type_ in domain.schema.ancestors(kind):
        if type_ in own or type_ not in broader:
            continue
        words, degree = type_.replace("_", " "), broader[type_]
        ruled_out = [
            Not(Atom(SAME, (subject, Constant(instance.name_of(element)))))
            for element in instance.elements(type_)
            if find_veto(str(instance.attribute(element, CATEGORY) or ""), label.value)
        ]
        kept = weigh(weight * (1.0 - degree), atom)
        parts = conjoin([Atom(IS_A, (subject, Text(words))), *ruled_out, *kept])
        change = GoalChange(RelaxationKind.BROADEN, label.value, f"any {words}", degree, "", weight)
        yield Variant((parts,), (change,), ((subject.name, type_),))


def _is_named(type_: str, label: str) -> bool:
    return normalise_label(type_) == normalise_label(label)


def find_positive_atoms(expression: Expression) -> Iterator[Atom]:
    """Yield the atoms outside negations."""
    if isinstance(expression, Atom):
        yield expression
    elif not isinstance(expression, Not):
        for part in children(expression):
            yield from find_positive_atoms(part)


# --- combinations of choices, best first; what is left out of too many has a bound


MOST_TRIED = 20_000
"""Combinations that are looked at."""


def list_best(
    lists: Sequence[Sequence[float]],
    tnorm: TNorm,
    ascending: bool,  # the indices are those of a set: each is larger than the one before it
    leave_out: Callable[[float], None],
    most: int | None = None,  # combinations that are listed; without it, MOST_TRIED are looked at
) -> Iterator[tuple[int, ...]]:
    """List one index into each list of falling degrees, by the composed degree, best first."""
    first = tuple(range(len(lists))) if ascending else (0,) * len(lists)
    if any(index >= len(each) for index, each in zip(first, lists, strict=True)):
        return

    def compose(indices: tuple[int, ...]) -> float:
        return tnorm.compose_all(each[i] for each, i in zip(lists, indices, strict=True))

    heap, seen, listed = [(-compose(first), first)], {first}, 0
    while heap:
        if len(seen) >= MOST_TRIED or listed == most:
            leave_out(-heap[0][0])
            return
        _, indices = heapq.heappop(heap)
        listed += 1
        yield indices
        for position, index in enumerate(indices):
            following = indices[position + 1] if position + 1 < len(indices) else len(lists[-1])
            limit = following if ascending else len(lists[position])
            if index + 1 < limit:
                after = (*indices[:position], index + 1, *indices[position + 1 :])
                if after not in seen:
                    seen.add(after)
                    heapq.heappush(heap, (-compose(after), after))
