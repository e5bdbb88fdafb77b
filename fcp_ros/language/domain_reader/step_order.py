# SPDX-License-Identifier: Apache-2.0
"""The order of clauses: which of them hold at the end, and what comes before what."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    TrajectoryConstraint,
    Variable,
    atoms,
    children,
    substitute,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.language.domain_reader.composition import Composer
from fcp_ros.language.domain_reader.contradictions import Contradictions, mentions_initially
from fcp_ros.language.domain_reader.graded_goals import list_judging
from fcp_ros.language.domain_reader.statements import ComposedClause, Statement, is_crisp
from fcp_ros.language.domain_reader.terms.referents import Referent, Term, TermGroup
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.english.verbs import PUT_VERBS
from fcp_ros.language.parsing.trees import Act, Link
from fcp_ros.language.reading import Refusal


class StepOrder:
    """A maker of constraints for the order of clauses."""

    def __init__(
        self,
        domain: Domain,
        composer: Composer,  # knows the robot, and what holds things
        contradictions: Contradictions,
        holds_now: Callable[[Expression], bool],  # tells whether something is so initially
    ) -> None:
        self._judging = list_judging(domain)
        self._composer = composer
        self._contradictions = contradictions
        self._holds_now = holds_now
        self.degree = 1.0

    def order_steps(
        self, composed: Sequence[ComposedClause], steps: Sequence[int], links: Sequence[Link]
    ) -> tuple[list[int], list[Expression]]:
        """Return the clauses that hold at the end, and the constraints on the order.

        Args:
            steps: those that ask for something to be so, in their order.
            links: how each clause goes on from the one before it.
        """
        final: list[int] = []
        constraints: list[Expression] = []
        stages = _number_stages(steps, links)
        for position, current in enumerate(steps):
            one, laters = composed[current], [composed[step] for step in steps[position + 1 :]]
            if not laters:
                if not one.clause.sometime:
                    final.append(current)
                elif position == 0 or not is_strict(steps[position - 1], current, links):
                    constraints += self._demand_sometime(one)
                continue
            following = steps[position + 1]
            two = composed[following]
            taken = self.takes_something(one) and not one.clause.negated
            if taken and any(_places_theme(one, later) for later in laters):
                continue
            if self._is_means(one, two):
                continue
            strict = is_strict(current, following, links)
            undone = any(self._contradictions.undoes(later, one) for later in laters)
            known = [composed[step].close() for step in steps[:position]]
            new = [later for later in laters if later.close() not in known]
            moved = self._moves_robot(one) and (strict or not self._stays_there(one, new))
            passing = one.clause.sometime or moved
            if not undone and not passing:
                final.append(current)
            if undone and not strict and two.clause.act is Act.KEEP:
                raise refuse_both(one.close(), two.close())
            if one.clause.sometime and not strict:
                constraints += self._demand_sometime(one)
            elif undone or passing:
                if not strict and not moved:
                    self.degree *= 0.8
                constraints += self._demand(TrajectoryOperator.FIRST_THEN, one, two)
            else:  # before all that comes next: "A, then B and C"
                for later in (s for s in steps if stages[s] == stages[current] + 1):
                    constraints += self._demand(
                        self._choose_operator(composed[later]), one, composed[later]
                    )
        return final, _chain(constraints)

    def _choose_operator(self, later: ComposedClause) -> TrajectoryOperator:
        """Choose how something comes before a clause: strictly, if that is not so by the way."""
        closed = later.close()
        passing = self.takes_something(later) or self._moves_robot(later)
        passing = passing or later.clause.sometime
        if passing or mentions_initially(closed) or self._holds_now(closed):
            return TrajectoryOperator.FIRST_THEN
        return TrajectoryOperator.BEFORE

    def _demand_sometime(self, one: ComposedClause) -> list[Expression]:
        closed = one.close()
        if not is_crisp(closed, self._judging):
            raise Unresolved("that something is so on the way to a degree", Refusal.DEGREE)
        return [TrajectoryConstraint(TrajectoryOperator.SOMETIME, (closed,))]

    def _stays_there(self, one: ComposedClause, laters: Sequence[ComposedClause]) -> bool:
        """Return True if what comes later is done where the robot goes: it is there at the end."""
        robot = self._composer.resolver.find_robot()
        rooms = {a.name for s in one.statements for a in _list_constants(s.matrix)[1:]}
        for later in laters:
            if later.clause.act is Act.HOLD and later.clause.verb == "keep":
                continue  # what it has in its hand goes with it
            for statement in later.statements:
                if statement.prefix or self.takes_something(later):
                    return False
                for constant in _list_constants(statement.matrix):
                    room = self._composer.acts.find_room(constant.name)
                    elsewhere = constant.name not in rooms and room not in rooms
                    if room and constant.name != robot and elsewhere:
                        return False
        return True

    def _demand(
        self, operator: TrajectoryOperator, one: ComposedClause, two: ComposedClause
    ) -> list[Expression]:
        first, second = one.close(), two.close()
        if first == second:
            return []
        graded = self._judging
        if not all(is_crisp(part, graded) for part in (first, second)):
            self.degree *= 0.7
            return []
        if operator is TrajectoryOperator.BEFORE and isinstance(second, Forall):
            return [TrajectoryConstraint(operator, (first, self._find_start(first, second)))]
        if operator is not TrajectoryOperator.BEFORE or not isinstance(second, And):
            return [TrajectoryConstraint(operator, (first, second))]
        # What holds already can't be preceded by anything; and where the robot is may be so by the
        # way: "bring me the milk, then bring me the bowl" has it there twice.
        passing = [self._holds_now(part) or self._places_robot(part) for part in second.parts]
        operators = (TrajectoryOperator.FIRST_THEN if one else operator for one in passing)
        return [
            TrajectoryConstraint(each, (first, part))
            for each, part in zip(operators, second.parts, strict=True)
        ]

    def _find_start(self, first: Expression, second: Forall) -> Expression:
        """Find when something begins to be so of all: "then put them all back" with the first one.

        That can't be told from the state where one of them is so already, or the clause before may
        make it so.
        """
        demanded = second.body.parts if isinstance(second.body, Or) else (second.body,)
        conditions = [part.body for part in demanded if isinstance(part, Not)]
        wanted = [part for part in demanded if not isinstance(part, Not)]
        if len(wanted) != 1 or _has_negation(wanted[0]):
            return second
        spoken = {atom.predicate for atom in atoms(wanted[0])}
        start = Exists(second.variables, And((*conditions, *wanted)) if conditions else wanted[0])
        shared = not spoken.isdisjoint(atom.predicate for atom in atoms(first))
        return second if shared or self._holds_now(start) else start

    def _is_means(self, one: ComposedClause, two: ComposedClause) -> bool:
        """Return True if a clause only prepares the next: "take the mug and put it ..."."""
        if one.clause.verb == "want" and _places_theme(one, two):
            return True
        means = one.clause.act is Act.HOLD or self.takes_something(one)
        if not means and not self._removes_something(one, two):
            return False
        later = [*two.themes, *two.terms]
        later += [term.whole for term in later if isinstance(term, Referent) and term.whole]
        return any(theme in later or _has_parts(theme, later) for theme in one.themes)

    def _removes_something(self, one: ComposedClause, two: ComposedClause) -> bool:
        """Return True for "take it from the couch and put it ...": it can't be in both places."""
        others = [s for s in one.statements if not self._takes(s)]
        absent = [s.matrix.body for s in others if isinstance(s.matrix, Not)]
        placed = [s.matrix for s in two.statements]
        return len(absent) == len(others) and all(
            isinstance(atom, Atom)
            and any(
                self._contradictions.exclude(
                    atom.predicate, _pin_variables(atom, p).arguments, _pin_variables(p, atom)
                )
                for p in placed
                if isinstance(p, Atom)
            )
            for atom in absent
        )

    def takes_something(self, one: ComposedClause) -> bool:
        """Return True if a clause only says that the robot holds something."""
        return all(map(self._takes, one.statements))

    def _takes(self, statement: Statement) -> bool:
        holding = self._composer.acts.find_holding()
        if holding is None or _has_negation(statement.matrix):
            return False
        return all(atom.predicate == holding.name for atom in atoms(statement.matrix))

    def _moves_robot(self, one: ComposedClause) -> bool:
        """Return True if each statement of a clause says where the robot is."""
        return one.clause.act is Act.GO or all(self._places_robot(s.matrix) for s in one.statements)

    def _places_robot(self, condition: Expression) -> bool:
        """Return True for a condition on where the robot is, and others."""
        robot = Constant(self._composer.resolver.find_robot())
        names = {p.meaning.name for p in self._composer.resolver.places.list_theme_relations()}
        return all(atom.predicate in names for atom in atoms(condition)) and any(
            atom.arguments[0] == robot for atom in atoms(condition)
        )


def _has_negation(condition: Expression) -> bool:
    """Return True if some part of a condition is negated."""
    return isinstance(condition, Not) or any(map(_has_negation, children(condition)))


def _pin_variables(atom: Atom, other: Atom) -> Atom:
    """Return an atom with constants for the variables that another one has, too."""
    shared = [t for t in atom.arguments if isinstance(t, Variable) and t in other.arguments]
    pinned = substitute(atom, {t.name: Constant(t.name) for t in shared})
    assert isinstance(pinned, Atom)
    return pinned


def refuse_both(one: Expression, other: Expression) -> Unresolved:
    """Make the fault that two things were asked for that can't both be so."""
    said = f"both {to_text(one)} and {to_text(other)}: they contradict one another"
    return Unresolved(said, Refusal.CONTRADICTION)


def order_clauses(links: Sequence[Link]) -> list[int]:
    """Return the clauses in the order of time: one that is "earlier" goes before the last one."""
    order: list[int] = []
    for number, link in enumerate(links):
        if link is Link.EARLIER and order:
            order.insert(len(order) - 1, number)
        else:
            order.append(number)
    return order


def _number_stages(steps: Sequence[int], links: Sequence[Link]) -> dict[int, int]:
    """Number the clauses: those whose order was not said have the same number."""
    stages: dict[int, int] = {}
    for position, step in enumerate(steps):
        if position == 0:
            stages[step] = 0
        else:
            before = steps[position - 1]
            stages[step] = stages[before] + is_strict(before, step, links)
    return stages


def is_strict(first: int, second: int, links: Sequence[Link]) -> bool:
    """Return True if the order of two clauses was said."""
    if second > first:
        return any(links[k] is Link.THEN for k in range(first + 1, second + 1))
    return links[first] is Link.EARLIER


def _chain(constraints: Sequence[Expression]) -> list[Expression]:
    """Join what is "first A then B" and "first B then C"."""
    found: list[Expression] = []
    for one in constraints:
        last = found[-1] if found else None
        if (
            isinstance(one, TrajectoryConstraint)
            and isinstance(last, TrajectoryConstraint)
            and one.operator is last.operator is TrajectoryOperator.FIRST_THEN
            and last.parts[-1] == one.parts[0]
        ):
            found[-1] = TrajectoryConstraint(one.operator, (*last.parts, *one.parts[1:]))
        elif one not in found:
            found.append(one)
    return found


def _list_constants(formula: Expression) -> list[Constant]:
    return [t for atom in atoms(formula) for t in atom.arguments if isinstance(t, Constant)]


def _places_theme(one: ComposedClause, two: ComposedClause) -> bool:
    """Return True if a clause says where the thing shall be that was wanted before it."""
    said = two.clause.predications
    placing = two.clause.verb in PUT_VERBS and any(len(p.arguments) == 2 for p in said)
    placed = placing or any(p.preposition for p in said)
    wished = one.terms if one.clause.verb == "want" else ()  # "I need the mug. Put it there."
    return placed and any(theme in two.themes for theme in (*one.themes, *wished))


def _has_parts(group: Term, later: Sequence[Term]) -> bool:
    """Return True if some of several things are spoken of again."""
    if not isinstance(group, TermGroup) or group.alternative:
        return False
    groups = [term.parts if isinstance(term, TermGroup) else (term,) for term in later]
    return any(set(parts) <= set(group.parts) for parts in groups if parts)
