# SPDX-License-Identifier: Apache-2.0
"""Weaker requirements: some of the conditions, other times, or none of it.

A condition A that is weakened to B with degree d becomes `B and (1 - d) * A`: its degree is d where
A fails, and 1 where it holds all the same.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY, evaluate
from fcp_ros.domain.expressions.structure import has_constraints, has_requirements
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
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
    atoms,
    children,
    conjoin,
    free_variables,
    rebuild,
    rename_free,
    substitute,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import ANY, BUILT_IN, IS_A, SAME, Domain
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.vetoes import find_veto
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.acceptance import find_locations
from fcp_ros.relaxation.requirements import GoalChange, Requirement, RequirementChoice, make_choice

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
    return rebuild(formula, lambda part: _rename_bound(part, taken, legs))


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


MOST_SHORTER = 64
"""Ways to leave conditions out, for each number of them."""


class GivingUp:
    """The ways to give a requirement up."""

    def __init__(
        self,
        requirement: Requirement,
        domain: Domain,
        instance: Instance,
        tnorm: TNorm,
        # quantifies the variables that are left of some conjuncts
        express: Callable[[Sequence[Expression]], Expression],
        # told the bound of choices that are not made, if they are too many
        leave_out: Callable[[float], None],
    ) -> None:
        self._requirement = requirement
        self._domain = domain
        self._instance = instance
        self._tnorm = tnorm
        self._express = express
        self._leave_out = leave_out

    def weigh(self, degree: float, wanted: Expression) -> list[Expression]:
        """Make a condition that has a degree where a wanted one fails, and 1 where it holds.

        A graded one neither holds nor fails: then the degree is the same in any state.
        """
        graded = any(atom.predicate in self._domain.graded for atom in atoms(wanted))
        if not graded:
            return weigh(self._requirement.weight * (1.0 - degree), wanted)
        some = Constant(next(iter(self._instance.names())))
        never = Not(Atom(SAME, (some, some)))
        return weigh(self._requirement.weight * (1.0 - degree), never)

    def list_choices(self) -> Iterator[RequirementChoice]:
        """Yield the ways to give the requirement up, as a whole, in part, or in the end."""
        wanted = self._requirement
        spoken = {name for part in wanted.parts for name in self._list_predicates(part)}
        degree = self._find_drop(spoken)
        if degree is None:
            degree = self._find_drop(spoken - self._list_companions())
        if degree is not None:
            yield from self._drop(degree)
        if len(wanted.units) > 1:
            yield from self._drop_conjuncts()
        for part in wanted.parts:
            if isinstance(part, TrajectoryConstraint):
                yield from self._shorten(part)
        split = self._domain.relaxing.split
        mentioned = {atom.predicate for part in wanted.parts for atom in atoms(part)}
        crisp = mentioned.isdisjoint(self._domain.graded)
        closed = not free_variables(wanted.closed) and not has_requirements(wanted.closed)
        if split is not None and crisp and closed and not self._holds_initially():
            yield self._split(split)

    def _find_drop(self, predicates: Iterable[str]) -> float | None:
        """Find the degree without conditions on these predicates; None if one must not go."""
        drop = self._domain.relaxing.drop
        schema = self._instance.schema
        relations = [
            name
            for name in predicates
            if name not in BUILT_IN
            and not (schema.has_relation(name) and schema.relation(name).static)
        ]
        known = [drop.get(name, drop.get(ANY)) for name in relations]
        degrees = [degree for degree in known if degree is not None]
        return min(degrees) if degrees and len(degrees) == len(relations) else None

    def _list_companions(self) -> frozenset[str]:
        """List what goes with the rest of a requirement: where the robot is, and mere guides."""
        guides = (name for name, one in self._domain.graded.items() if one.guides)
        return find_locations(self._domain).union(guides)

    def _drop(self, degree: float) -> Iterator[RequirementChoice]:
        wanted = self._requirement
        change = GoalChange(RelaxationKind.DROP, wanted.text, "", degree, "", wanted.weight)
        left = self.weigh(degree, wanted.closed)
        if left:
            yield make_choice(left[0], [change], self._tnorm)

    def _drop_conjuncts(self) -> Iterator[RequirementChoice]:
        """Yield what is left of a conjunction about chosen elements without some of its conjuncts.

        What says of which kind an element is goes with the last conjunct that speaks of it.
        """
        wanted, tnorm = self._requirement, self._tnorm
        degrees = [self._find_drop(self._list_predicates(unit)) for unit in wanted.units]
        for count in range(1, len(wanted.units)):
            for gone in self._choose_gone(degrees, count, wanted.unit):
                dropped = [wanted.units[number] for number in gone]
                kept = [unit for unit in wanted.units if unit not in dropped]
                spoken = {name for unit in kept for name in free_variables(unit)} | wanted.shared
                left = [
                    part
                    for part in wanted.parts
                    if part not in dropped and spoken.issuperset(free_variables(part))
                ]
                changes = [
                    GoalChange(
                        RelaxationKind.DROP,
                        to_text(wanted.units[number]),
                        "",
                        degrees[number] or 0.0,
                        "",
                        wanted.unit,
                    )
                    for number in gone
                ]
                share = tnorm.compose_all(change.share for change in changes)
                # In any state: what was left out may hold of other elements.
                some = Constant(next(iter(self._instance.names())))
                constant = weigh(1.0 - share, Not(Atom(SAME, (some, some))))
                expression = conjoin([self._express(left), *constant])
                choice = make_choice(expression, changes, tnorm)
                yield replace(choice, is_dropped=False)

    def _choose_gone(
        self, degrees: Sequence[float | None], count: int, weight: float
    ) -> Iterator[tuple[int, ...]]:
        """Yield the ways to leave out so many conditions of these degrees, best first."""
        known = [(degree, number) for number, degree in enumerate(degrees) if degree is not None]
        known.sort(key=lambda one: -one[0])
        shares = [1.0 - weight * (1.0 - degree) for degree, _ in known]
        lists = [shares] * count
        for chosen in list_best(lists, self._tnorm, True, self._leave_out, MOST_SHORTER):
            yield tuple(sorted(known[index][1] for index in chosen))

    @staticmethod
    def _list_predicates(condition: Expression) -> set[str]:
        return {atom.predicate for atom in find_positive_atoms(condition)}

    def _shorten(self, sequence: TrajectoryConstraint) -> Iterator[RequirementChoice]:
        """Yield what is left of `first A then B then C` without some of its conditions."""
        if sequence.operator is not TrajectoryOperator.FIRST_THEN:
            return
        found = [self._find_drop({a.predicate for a in atoms(part)}) for part in sequence.parts]
        weight = self._requirement.weight / len(found)
        for count in range(1, len(sequence.parts)):
            for gone in self._choose_gone(found, count, weight):
                left = [part for n, part in enumerate(sequence.parts) if n not in gone]
                shorter = (
                    replace(sequence, parts=tuple(left))
                    if len(left) > 1
                    else TrajectoryConstraint(TrajectoryOperator.SOMETIME, tuple(left))
                )
                changes = [
                    GoalChange(
                        RelaxationKind.DROP,
                        to_text(sequence.parts[n]),
                        "",
                        found[n] or 0.0,
                        "",
                        weight,
                    )
                    for n in gone
                ]
                degree = self._tnorm.compose_all(one.share for one in changes)
                expression = conjoin([shorter, *weigh(1.0 - degree, sequence)])
                choice = make_choice(expression, changes, self._tnorm)
                yield replace(choice, is_dropped=False)

    def _holds_initially(self) -> bool:
        wanted, tnorm = self._requirement.closed, self._tnorm
        return evaluate(wanted, self._instance, lambda *_: None, tnorm) >= 1.0

    def _split(self, degree: float) -> RequirementChoice:
        wanted = self._requirement
        on_the_way = TrajectoryConstraint(TrajectoryOperator.SOMETIME, (wanted.closed,))
        left = weigh(wanted.weight * (1.0 - degree), wanted.closed)
        expression = conjoin([on_the_way, *left])
        change = GoalChange(
            RelaxationKind.SPLIT,
            wanted.text,
            to_text(on_the_way),
            degree,
            "it is left again",
            wanted.weight,
        )
        return make_choice(expression, [change], self._tnorm)
