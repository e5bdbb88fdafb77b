# SPDX-License-Identifier: Apache-2.0
"""The formulas of clauses joined to a goal, with constraints for their order.

"A, then B": A holds before B does, and both hold at the end. Where B undoes A, A holds in some
state and B in a later one. What only prepares the next clause ("take the mug and ...") is no goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    children,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import Domain
from fcp_ros.language.domain_reader.composition import Composer
from fcp_ros.language.domain_reader.statements import (
    ComposedClause,
    Statement,
    close_groups,
    is_crisp,
    list_literals,
)
from fcp_ros.language.domain_reader.terms.places import PresentState
from fcp_ros.language.domain_reader.terms.referents import Quantifier, join, negate
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.english.verbs import KEEP_VERBS
from fcp_ros.language.parsing.trees import Act, Link, Sentence, SpokenClause

WISH = 0.5
"""Weight of what is only wished."""


class GoalJoiner:
    """A maker of a goal from the clauses of a sentence.

    Args:
        domain: the domain.
        composer: makes the formulas of clauses.
        state: the present state.
    """

    def __init__(self, domain: Domain, composer: Composer, state: PresentState) -> None:
        self._domain = domain
        self._composer = composer
        self._state = state
        self.degree = 1.0

    def join_sentence(self, sentence: Sentence) -> Expression:
        """Make the goal of a sentence.

        Raises:
            Unresolved: something can't be expressed, or contradicts something else.
        """
        composed = [self._compose(clause) for clause in sentence.clauses]
        order = _order_clauses(sentence.links)
        steps = [
            i for i in order if composed[i].statements and not self._is_constraint(composed[i])
        ]
        self._refuse_contradictions(composed)
        for position, one in enumerate(composed):
            if one.clause.after_each and position:
                one.constraints += self._follow_each(one, composed[position - 1])
        final, parts = self._order_steps(composed, steps, sentence.links)
        grouped = close_groups([s for i in final for s in composed[i].statements])
        rest = [c for i in order for c in composed[i].constraints]
        whole = [*grouped, *parts, *rest]
        if not whole:
            raise Unresolved("a goal")
        return join(whole)

    # --- single clauses

    def _compose(self, clause: SpokenClause) -> ComposedClause:
        try:
            conditions = self._compose_conditions(clause)
            composed = self._composer.compose(clause)
        except Unresolved:  # "wipe the table if it is dirty"
            if not clause.condition:
                raise
            composed = self._composer.compose(clause)
            conditions = self._compose_conditions(clause)
        for never in clause.never:
            inner = self._composer.compose(never)
            composed.constraints += [self._forbid(s) for s in inner.statements]
        if clause.act is Act.REMARK:
            if not all(self._holds_now(s.close()) for s in composed.statements):
                self.degree *= 0.8
            composed.statements = []
        elif clause.negated and clause.act is Act.KEEP and clause.verb in KEEP_VERBS:
            composed.statements = [Statement((), negate(s.close())) for s in composed.statements]
        elif clause.negated and clause.act is not Act.STATE:
            if clause.act is Act.STAY:
                raise Unresolved("to move something without saying where")
            composed.constraints += [self._forbid(s) for s in composed.statements]
            composed.statements = []
        elif clause.negated:
            composed.statements = [Statement((), negate(s.close())) for s in composed.statements]
        elif composed.clause.act is Act.KEEP:
            self._keep(composed)
        elif clause.act is not Act.HOLD and not self._takes_something(composed):
            self._take_turns(composed)
        if conditions:
            condition = join([c.close() for c in conditions])
            composed.statements = [
                Statement((), Or((Not(Initially(condition)), s.close())))
                for s in composed.statements
            ]
        if clause.within is not None:
            self._limit_time(composed, clause.within)
        if clause.preferred:
            bodies = [s.close() for s in composed.statements] + composed.constraints
            composed.constraints = [Preference(WISH, Fraction(0), body) for body in bodies]
            composed.statements = []
        return composed

    def _take_turns(self, composed: ComposedClause) -> None:
        """State that what can't be so at once is so one after the other ("bring me A and B")."""
        graded = self._domain.graded
        while len(composed.statements) > 1:
            first, *rest = composed.statements
            closed = first.close()
            clash = any(_contradict(closed, other.close(), self._domain) for other in rest)
            if not clash or not is_crisp(closed, graded):
                return
            composed.constraints.append(
                TrajectoryConstraint(TrajectoryOperator.SOMETIME, (closed,))
            )
            composed.statements = rest

    def _compose_conditions(self, clause: SpokenClause) -> list[ComposedClause]:
        return [
            self._composer.compose(SpokenClause(Act.STATE, (said,))) for said in clause.condition
        ]

    def _forbid(self, statement: Statement) -> Expression:
        """State that something never happens; what is so already does not count."""
        closed = statement.close()
        if not is_crisp(closed, self._domain.graded):
            return negate(closed)
        if self._state.holds(closed, {}):
            if statement.prefix and not isinstance(statement.matrix, Not):
                guarded = join([statement.matrix, Not(Initially(statement.matrix))])
                return _never(Statement(statement.prefix, guarded).close())
            self.degree *= 0.6
            return negate(closed)
        return _never(closed)

    def _keep(self, composed: ComposedClause) -> None:
        """State that it always holds, if it holds now; else it shall hold at the end."""
        left = []
        for statement in composed.statements:
            closed = statement.close()
            crisp = is_crisp(closed, self._domain.graded)
            if crisp and self._holds_now(closed):
                composed.constraints.append(
                    TrajectoryConstraint(TrajectoryOperator.ALWAYS, (closed,))
                )
            else:
                left.append(statement)
        composed.statements = left

    def _holds_now(self, closed: Expression) -> bool:
        return _mentions_initially(closed) or self._state.holds(closed, {})

    def _limit_time(self, composed: ComposedClause, seconds: Fraction) -> None:
        bodies = [s.close() for s in composed.statements]
        composed.statements = []
        for body in bodies:
            if not self._domain.timed or not is_crisp(body, self._domain.graded):
                raise Unresolved("a time: nobody says how long actions take")
            composed.constraints.append(
                TrajectoryConstraint(TrajectoryOperator.WITHIN, (body,), 0, (seconds,))
            )

    def _is_constraint(self, composed: ComposedClause) -> bool:
        return not composed.statements

    # --- order

    def _order_steps(
        self, composed: Sequence[ComposedClause], steps: Sequence[int], links: Sequence[Link]
    ) -> tuple[list[int], list[Expression]]:
        """Return the clauses that hold at the end, and the constraints on the order."""
        final: list[int] = []
        constraints: list[Expression] = []
        stages = _number_stages(steps, links)
        for position, current in enumerate(steps):
            following = steps[position + 1] if position + 1 < len(steps) else None
            if following is None:
                final.append(current)
                continue
            one, two = composed[current], composed[following]
            if self._is_means(one, two):
                continue
            strict = _is_strict(current, following, links)
            undone = any(
                _undoes(composed[later], one, self._domain) for later in steps[position + 1 :]
            )
            moved = one.clause.act is Act.GO or self._moves_robot(one)
            if not undone and not moved:
                final.append(current)
            if undone and not strict and two.clause.act is Act.KEEP:
                raise _refuse_both(one.close(), two.close())
            if undone or moved:
                if not strict and not moved:
                    self.degree *= 0.8
                constraints += self._demand(TrajectoryOperator.FIRST_THEN, one, two)
            else:  # before all that comes next: "A, then B and C"
                for later in (s for s in steps if stages[s] == stages[current] + 1):
                    after = composed[later].close()
                    held = self._holds_now(after) or _mentions_initially(after)
                    operator = TrajectoryOperator.FIRST_THEN if held else TrajectoryOperator.BEFORE
                    constraints += self._demand(operator, one, composed[later])
        return final, constraints

    def _follow_each(self, one: ComposedClause, before: ComposedClause) -> list[Expression]:
        """State that something is so again after each thing of the clause before it."""
        later = one.close()
        found: list[Expression] = []
        for statement in before.statements:
            earlier = statement.matrix
            inner = [r for r in statement.prefix if r.quantifier is not Quantifier.FORALL]
            wide = [r for r in statement.prefix if r.quantifier is Quantifier.FORALL]
            trigger = join(
                [
                    *(part for r in wide for part in r.restrictions),
                    Statement(tuple(inner), earlier).close(),
                ]
            )
            if not is_crisp(And((trigger, later)), self._domain.graded):
                self.degree *= 0.7
                continue
            formula: Expression = TrajectoryConstraint(TrajectoryOperator.AFTER, (later, trigger))
            for referent in reversed(wide):
                formula = Forall((TypedVariable(referent.name, referent.type),), formula)
            found.append(formula)
        return found

    def _demand(
        self, operator: TrajectoryOperator, one: ComposedClause, two: ComposedClause
    ) -> list[Expression]:
        first, second = one.close(), two.close()
        if first == second:
            return []
        graded = self._domain.graded
        if not all(is_crisp(part, graded) for part in (first, second)):
            self.degree *= 0.7
            return []
        if operator is not TrajectoryOperator.BEFORE or not isinstance(second, And):
            return [TrajectoryConstraint(operator, (first, second))]
        # What holds already can't be preceded by anything.
        held = [self._holds_now(part) for part in second.parts]
        operators = (TrajectoryOperator.FIRST_THEN if now else operator for now in held)
        return [
            TrajectoryConstraint(each, (first, part))
            for each, part in zip(operators, second.parts, strict=True)
        ]

    def _is_means(self, one: ComposedClause, two: ComposedClause) -> bool:
        """Return True if a clause only prepares the next: "take the mug and put it ..."."""
        means = one.clause.act is Act.HOLD or self._takes_something(one)
        if not means and not self._removes_something(one, two):
            return False
        return any(theme in (*two.themes, *two.terms) for theme in one.themes)

    def _removes_something(self, one: ComposedClause, two: ComposedClause) -> bool:
        """Return True for "take it from the couch and put it ...": it can't be in both places."""
        absent = [s.matrix.body for s in one.statements if isinstance(s.matrix, Not)]
        placed = [s.matrix for s in two.statements]
        return len(absent) == len(one.statements) and all(
            isinstance(atom, Atom)
            and any(
                _exclude(atom.predicate, atom.arguments, p, self._domain)
                for p in placed
                if isinstance(p, Atom)
            )
            for atom in absent
        )

    def _takes_something(self, one: ComposedClause) -> bool:
        holding = self._composer.acts.find_holding()
        return holding is not None and all(
            isinstance(s.matrix, Atom) and s.matrix.predicate == holding.name
            for s in one.statements
        )

    def _moves_robot(self, one: ComposedClause) -> bool:
        robot = Constant(self._composer.resolver.find_robot())
        names = {p.meaning.name for p in self._composer.resolver.places.list_theme_relations()}
        return all(
            isinstance(s.matrix, Atom)
            and s.matrix.predicate in names
            and s.matrix.arguments[0] == robot
            for s in one.statements
        )

    def _refuse_contradictions(self, composed: Sequence[ComposedClause]) -> None:
        """Refuse what can't be so as long as something else is always so."""
        kept = [
            constraint.parts[0]
            for one in composed
            for constraint in one.constraints
            if isinstance(constraint, TrajectoryConstraint)
            and constraint.operator is TrajectoryOperator.ALWAYS
        ]
        for always in kept:
            for one in composed:
                for statement in one.statements:
                    if _contradict(statement.close(), always, self._domain):
                        raise _refuse_both(statement.close(), always)


def _refuse_both(one: Expression, other: Expression) -> Unresolved:
    return Unresolved(f"both {to_text(one)} and {to_text(other)}: they contradict one another")


def _order_clauses(links: Sequence[Link]) -> list[int]:
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
            stages[step] = stages[before] + _is_strict(before, step, links)
    return stages


def _is_strict(first: int, second: int, links: Sequence[Link]) -> bool:
    """Return True if the order of two clauses was said."""
    if second > first:
        return any(links[k] is Link.THEN for k in range(first + 1, second + 1))
    return links[first] is Link.EARLIER


def _undoes(later: ComposedClause, earlier: ComposedClause, domain: Domain) -> bool:
    return any(
        _contradict(one.close(), two.close(), domain) or _refills(one.close(), two.close())
        for one in later.statements
        for two in earlier.statements
    )


def _refills(later: Expression, earlier: Expression) -> bool:
    """Return True if nothing shall be somewhere, and something later is: "empty it, then ..."."""
    if not isinstance(earlier, Not) or not isinstance(earlier.body, Exists):
        return False
    body = earlier.body.body
    absent = [body] if isinstance(body, Atom) else []
    return any(
        atom.predicate == none.predicate
        and all(
            isinstance(mine, Variable) or isinstance(its, Variable) or mine == its
            for mine, its in zip(none.arguments, atom.arguments, strict=True)
        )
        for none in absent
        for atom in _list_positive(later)
    )


def _list_positive(formula: Expression) -> Iterator[Atom]:
    """Yield the atoms that a formula says to hold at the end."""
    if isinstance(formula, Atom):
        yield formula
    elif not isinstance(formula, (Not, Initially)):
        for part in children(formula):
            yield from _list_positive(part)


def _contradict(one: Expression, two: Expression, domain: Domain) -> bool:
    """Return True if two conjunctions of facts can't both hold."""
    facts = list(list_literals(one))
    for atom, holds in list_literals(two):
        for other, so in facts:
            if other == atom and so != holds:
                return True
            if so and holds and _exclude(other.predicate, other.arguments, atom, domain):
                return True
    return False


def _exclude(predicate: str, arguments: Sequence[object], atom: Atom, domain: Domain) -> bool:
    """Return True if a functional relation can't have both tuples, or a thing both places."""
    schema = domain.schema
    if not schema.has_relation(predicate) or not schema.has_relation(atom.predicate):
        return False
    constants = all(isinstance(term, Constant) for term in (*arguments, *atom.arguments))
    if not constants or (predicate, tuple(arguments)) == (atom.predicate, atom.arguments):
        return False
    functional = schema.relation(predicate).functional
    legs = [leg for leg, _ in schema.relation(predicate).legs]
    if predicate != atom.predicate:
        two = schema.relation(atom.predicate)
        both = bool(functional) and bool(two.functional) and len(legs) == 2 == len(two.legs)
        plain = legs[0] in functional and two.legs[0][0] in two.functional if both else False
        return plain and legs[0] == two.legs[0][0] and arguments[0] == atom.arguments[0]
    return any(arguments[legs.index(leg)] == atom.arguments[legs.index(leg)] for leg in functional)


def _mentions_initially(formula: Expression) -> bool:
    return isinstance(formula, Initially) or any(map(_mentions_initially, children(formula)))


def _never(formula: Expression) -> Expression:
    return TrajectoryConstraint(TrajectoryOperator.ALWAYS, (negate(formula),))
