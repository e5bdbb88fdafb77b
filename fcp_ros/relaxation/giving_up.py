# SPDX-License-Identifier: Apache-2.0
"""Giving up: a requirement as a whole, some of its conditions, or that it holds in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.structure import has_requirements
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Not,
    TrajectoryConstraint,
    atoms,
    conjoin,
    free_variables,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import ANY, BUILT_IN, SAME, Domain
from fcp_ros.fuzzy import TNorm
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.relaxation.acceptance import find_locations
from fcp_ros.relaxation.requirements import (
    GoalChange,
    Requirement,
    RequirementChoice,
    make_choice,
)
from fcp_ros.relaxation.weakening import find_positive_atoms, list_best, weigh

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
