# SPDX-License-Identifier: Apache-2.0
"""The formulas of clauses joined to a goal, with constraints for their order.

"A, then B": A holds before B does, and both hold at the end. Where B undoes A, A holds in some
state and B in a later one. What only prepares the next clause ("take the mug and ...") is no goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
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
    substitute,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import SAME, Domain
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.domain_reader.composition import Composer
from fcp_ros.language.domain_reader.contradictions import Contradictions, mentions_initially
from fcp_ros.language.domain_reader.graded_goals import list_judging
from fcp_ros.language.domain_reader.quantified import ban_any, widen_any
from fcp_ros.language.domain_reader.slot_filling import choose_goal
from fcp_ros.language.domain_reader.statements import (
    ComposedClause,
    Statement,
    ban_remainders,
    close_groups,
    is_crisp,
    state_under,
)
from fcp_ros.language.domain_reader.step_order import (
    StepOrder,
    is_strict,
    order_clauses,
    refuse_both,
)
from fcp_ros.language.domain_reader.terms.places import PresentState
from fcp_ros.language.domain_reader.terms.referents import (
    Quantifier,
    Referent,
    join,
    list_constants,
    negate,
)
from fcp_ros.language.domain_reader.terms.spoken_scene import Unresolved
from fcp_ros.language.domain_reader.timing import (
    WISH,
    ProvisoComposer,
    TimingComposer,
)
from fcp_ros.language.english.verbs import KEEP_VERBS
from fcp_ros.language.parsing.trees import (
    Act,
    Link,
    NounPhrase,
    Predication,
    Reference,
    Sentence,
    SpokenClause,
)
from fcp_ros.language.reading import Refusal


class GoalJoiner:
    """A maker of a goal from the clauses of a sentence."""

    def __init__(self, domain: Domain, composer: Composer, state: PresentState) -> None:
        self._judging = list_judging(domain)
        self._composer = composer
        self._state = state
        self._timing = TimingComposer(domain, self._holds_now)
        self._contradictions = Contradictions(domain, state, composer.resolver.places)
        self._provisos = ProvisoComposer(domain, self._contradictions, self._holds_now)
        self._steps = StepOrder(domain, composer, self._contradictions, self._holds_now)
        self._awaited: list[Expression] = []  # states that are waited for, and aren't so now
        self.degree = 1.0

    def join_sentence(self, sentence: Sentence) -> Expression:
        """Make the goal of a sentence.

        Raises:
            Unresolved: something can't be expressed, or contradicts something else.
        """
        order = order_clauses(sentence.links)
        composed = [self._compose(clause) for clause in self._choose_goals(sentence, order)]
        steps = [
            i for i in order if composed[i].statements and not self._is_constraint(composed[i])
        ]
        self._doubt_awaited(composed)
        self._spare_kept(composed)
        self._leave_neighbours(composed)
        self._refuse_contradictions(composed)
        for position, one in enumerate(composed):
            if one.clause.after_each and position:
                one.constraints += self._follow_each(one, composed[position - 1])
        final, parts = self._steps.order_steps(composed, steps, sentence.links)
        self.degree *= self._steps.degree
        grouped = close_groups([s for i in final for s in composed[i].statements])
        rest = [c for i in order for c in composed[i].constraints]
        whole = [*grouped, *parts, *rest]
        if not whole:
            raise Unresolved("a goal")
        return join(whole)

    def _choose_goals(self, sentence: Sentence, order: Sequence[int]) -> list[SpokenClause]:
        """Choose the goals of tasks that have several, by what else is asked for.

        Clauses after which the robot is sent somewhere, or has to do something else, are marked as
        `leaving`; where there are none, the tasks leave its hand free for one another.
        """
        clauses = list(sentence.clauses)
        ends = [
            position
            for position, number in enumerate(order)
            if self._sends(clauses[number])
            or (position and self._follows(clauses[number], order[position - 1 :], sentence.links))
        ]
        last = max(ends, default=-1)
        for number in order[: max(last, 0)]:
            clauses[number] = replace(clauses[number], leaving=True)
        return clauses if last > 0 else _bring_all(clauses)

    def _follows(self, clause: SpokenClause, order: Sequence[int], links: Sequence[Link]) -> bool:
        """Return True for an act of which it was said that it comes after the one before."""
        acts = clause.act in (Act.ACHIEVE, Act.BRING, Act.RETURN)
        return acts and not clause.negated and is_strict(order[0], order[1], links)

    def _sends(self, clause: SpokenClause) -> bool:
        """Return True if a clause says where the robot shall go."""
        places = {p.meaning.name for p in self._composer.resolver.places.list_theme_relations()}
        goals = [(p, p.meaning.goal) for p in clause.predications if p.meaning is not None]
        sent = [
            goal.predicate in places
            and isinstance(goal.arguments[0], Variable)
            and goal.arguments[0].name not in said.arguments  # so it is who is spoken to
            for said, goal in goals
            if isinstance(goal, Atom)
        ]
        acts = clause.act is Act.GO or (clause.act is Act.ACHIEVE and bool(sent) and all(sent))
        return acts and not clause.negated

    def _spare_kept(self, composed: Sequence[ComposedClause]) -> None:
        """Leave out of "everything" and "nothing" what shall stay where it is."""
        kept = [
            constraint.parts[0]
            for one in composed
            if one.clause.act in (Act.STAY, Act.KEEP)
            for constraint in one.constraints
            if isinstance(constraint, TrajectoryConstraint)
            and constraint.operator is TrajectoryOperator.ALWAYS
        ]
        names = list(dict.fromkeys(t for always in kept for t in list_constants(always)))
        self._spare_some(composed, kept)
        wide = (Quantifier.FORALL, Quantifier.NONE)
        for one in composed:
            for statement in one.statements:
                if isinstance(statement.matrix, Not):
                    statement.matrix = self._spare_in_none(statement.matrix, kept)
                for referent in statement.prefix:
                    if referent.quantifier not in wide:
                        continue
                    for name in names:
                        if any(self._disturbs(statement, referent, name, a) for a in kept):
                            same = Atom(SAME, (Variable(referent.name), name))
                            referent.restrictions.append(Not(same))

    def _spare_some(self, composed: Sequence[ComposedClause], kept: Sequence[Expression]) -> None:
        """Let as many be where nothing shall be as stay: "clear it, but leave a cup there"."""
        for one in composed:
            for position, statement in enumerate(one.statements):
                none = statement.close()
                if isinstance(none, Forall) and isinstance(none.body, Not):
                    none = Not(Exists(none.variables, none.body.body))
                staying = [some for some in kept if self._contradictions.empties(none, some)]
                if staying and isinstance(none, Not) and isinstance(none.body, Exists):
                    many = sum(some.number if isinstance(some, Count) else 1 for some in staying)
                    few = Count(Bound.AT_MOST, many, none.body.variables, none.body.body)
                    one.statements[position] = Statement((), few)

    def _spare_in_none(self, none: Not, kept: Sequence[Expression]) -> Expression:
        """Leave out of "there is nothing on ..." what shall stay there."""
        found = none.body
        if not isinstance(found, Exists) or len(found.variables) != 1:
            return none
        variable = found.variables[0].name
        parts = [found.body]
        for always in kept:
            for name in dict.fromkeys(list_constants(always)):
                if self._contradictions.contradict(
                    negate(substitute(found.body, {variable: name})), always
                ):
                    parts.append(Not(Atom(SAME, (Variable(variable), name))))
        return Not(Exists(found.variables, join(parts)))

    def _leave_neighbours(self, composed: Sequence[ComposedClause]) -> None:
        """State that what something is put beside stays there, unless it is moved itself.

        Else the shortest plan for "put the mug next to the bowl" may move the bowl.
        """
        resolver = self._composer.resolver
        moved = [theme for one in composed for theme in one.themes]
        named = [t for t in resolver.beside if isinstance(t, Constant) and t not in moved]
        movable = resolver.places.find_movable()
        stay = [t for t in named if resolver.places.rate_types(resolver.list_types(t), movable)]
        for one in composed:
            for statement in one.statements:
                statement.matrix = self._leave_in_place(statement.matrix, stay)

    def _leave_in_place(self, matrix: Expression, stay: Sequence[Constant]) -> Expression:
        if not isinstance(matrix, Exists) or not isinstance(matrix.body, And):
            return matrix
        there = [
            Initially(part)
            for part in matrix.body.parts
            if isinstance(part, Atom)
            and any(term in stay for term in part.arguments)
            and self._state.holds(Exists(matrix.variables, part), {})
        ]
        return Exists(matrix.variables, join([matrix.body, *there])) if there else matrix

    def _disturbs(
        self, statement: Statement, referent: Referent, name: Constant, always: Expression
    ) -> bool:
        """Return True if a statement about all things can't be so of one that is kept."""
        named = {referent.name: name}
        if not all(self._state.holds(substitute(r, named), {}) for r in referent.restrictions):
            return False
        asked = substitute(statement.matrix, named)
        if referent.quantifier is Quantifier.NONE:
            asked = negate(asked)
        return self._contradictions.contradict(asked, always)

    # --- single clauses

    def _compose(self, clause: SpokenClause) -> ComposedClause:
        clause = ban_any(widen_any(clause))
        composed, conditions, provisos = self._compose_parts(clause)
        if clause.negated:
            ban_remainders(composed.statements)
        if clause.provisos:
            self._follow_provisos(composed, provisos)
        elif clause.permitted:
            raise Unresolved("what is only permitted", Refusal.PERMISSION)
        if not clause.provisos and self._timing.constrain(composed):
            self.degree *= self._timing.degree
        else:
            self._follow_act(clause, composed, conditions)
        if conditions:
            composed.statements = state_under(composed.statements, conditions)
        if clause.preferred:
            bodies = [s.close() for s in composed.statements] + composed.constraints
            composed.constraints = [Preference(WISH, Fraction(0), body) for body in bodies]
            composed.statements = []
        return composed

    def _compose_parts(
        self, clause: SpokenClause
    ) -> tuple[ComposedClause, list[ComposedClause], list[ComposedClause]]:
        """Compose a clause, its conditions and provisos in the order in which they are said."""
        if clause.condition or any(proviso.ahead for proviso in clause.provisos):
            try:
                conditions = self._compose_conditions(clause)
                provisos = self._compose_provisos(clause)
                return self._composer.compose(clause), conditions, provisos
            except Unresolved:  # "wipe the table if it is dirty"
                pass
        composed = self._composer.compose(clause)
        return composed, self._compose_conditions(clause), self._compose_provisos(clause)

    def _follow_act(
        self, clause: SpokenClause, composed: ComposedClause, conditions: list[ComposedClause]
    ) -> None:
        """Turn the statements of a clause into what its act and negation ask for."""
        if clause.act in (Act.REMARK, Act.TOPIC):
            if not all(self._holds_now(s.close()) for s in composed.statements):
                self.degree *= 0.8
            composed.statements = []
        elif clause.negated:
            self._follow_negation(clause, composed, conditions)
        elif composed.clause.act is Act.KEEP and conditions:
            broken = [Statement((), negate(s.close())) for s in composed.statements]
            composed.constraints += self._forbid_under(broken, conditions)
            composed.statements = []
        elif composed.clause.act is Act.KEEP:
            self._keep(composed)
        elif clause.act is not Act.HOLD and not self._steps.takes_something(composed):
            self._take_turns(composed)

    def _follow_negation(
        self, clause: SpokenClause, composed: ComposedClause, conditions: list[ComposedClause]
    ) -> None:
        """Negate what shall not be so, and forbid what shall not be done."""
        closed = [s.close() for s in composed.statements]
        if clause.act is Act.KEEP and clause.verb in KEEP_VERBS:
            ended = [True] * len(closed)
        elif clause.act is Act.STATE:
            if any(r.single for s in composed.statements for r in s.prefix):
                closed = close_groups(composed.statements)
            ended = [True] * len(closed)
        elif clause.act is Act.STAY:
            raise Unresolved("to move something without saying where", Refusal.BAN)
        else:
            ended = [clause.verb == "let" and self._state.holds(one, {}) for one in closed]
            forbidden = [s for s, end in zip(composed.statements, ended, strict=True) if not end]
            composed.constraints += (
                self._forbid_under(forbidden, conditions)
                if conditions
                else [self._forbid(s) for s in forbidden]
            )
        composed.statements = [
            Statement((), negate(one)) for one, end in zip(closed, ended, strict=True) if end
        ]

    def _take_turns(self, composed: ComposedClause) -> None:
        """State that what can't be so at once is so one after the other ("bring me A and B")."""
        graded = self._judging
        while len(composed.statements) > 1:
            first, *rest = composed.statements
            closed = first.close()
            clash = any(self._contradictions.contradict(closed, other.close()) for other in rest)
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

    def _compose_provisos(self, clause: SpokenClause) -> list[ComposedClause]:
        return [self._composer.compose(proviso.clause) for proviso in clause.provisos]

    def _follow_provisos(
        self, composed: ComposedClause, conditions: Sequence[ComposedClause]
    ) -> None:
        """Replace the statements of a clause by constraints under its provisos."""
        pairs = list(zip(composed.clause.provisos, conditions, strict=True))
        followed = [self._provisos.constrain(composed, one.kind, state) for one, state in pairs]
        awaited = [state.close() for one, state in pairs if one.awaited]
        self._awaited += [state for state in awaited if not self._holds_now(state)]
        composed.constraints += [part for parts in followed for part in parts]
        composed.statements = []

    def _doubt_awaited(self, composed: Sequence[ComposedClause]) -> None:
        """Have somebody asked where a plan would bring about what shall only be waited for."""
        asked = [statement.close() for one in composed for statement in one.statements]
        if any(state not in asked for state in self._awaited):
            self.degree *= Confidence.DOUBTFUL.degree

    def _forbid_under(
        self, statements: Sequence[Statement], conditions: Sequence[ComposedClause]
    ) -> list[Expression]:
        """State that something is never so while a condition is: "don't ... unless ..."."""
        condition = join([one.close() for one in conditions])
        closed = [statement.close() for statement in statements]
        if not all(is_crisp(one, self._judging) for one in (condition, *closed)):
            raise Unresolved("a condition on the way that is only so to a degree", Refusal.DEGREE)
        return [_never(join([one, condition])) for one in closed]

    def _forbid(self, statement: Statement) -> Expression:
        """State that something never happens; what is so already does not count."""
        closed = statement.close()
        if not is_crisp(closed, self._judging):
            return negate(closed)
        if not statement.prefix and isinstance(statement.matrix, Or):
            return join([self._forbid(Statement((), part)) for part in statement.matrix.parts])
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
            crisp = is_crisp(closed, self._judging)
            if crisp and self._holds_now(closed):
                composed.constraints.append(
                    TrajectoryConstraint(TrajectoryOperator.ALWAYS, (closed,))
                )
            else:
                left.append(statement)
        composed.statements = left

    def _holds_now(self, closed: Expression) -> bool:
        return mentions_initially(closed) or self._state.holds(closed, {})

    def _is_constraint(self, composed: ComposedClause) -> bool:
        return not composed.statements

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
            if not is_crisp(And((trigger, later)), self._judging):
                self.degree *= 0.7
                continue
            formula: Expression = TrajectoryConstraint(TrajectoryOperator.AFTER, (later, trigger))
            for referent in reversed(wide):
                formula = Forall((TypedVariable(referent.name, referent.type),), formula)
            found.append(formula)
        return found

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
                for asked in (statement.close() for statement in one.statements):
                    if self._contradictions.contradict(asked, always):
                        raise refuse_both(asked, always)


def _bring_all(clauses: Sequence[SpokenClause]) -> list[SpokenClause]:
    """Let tasks that are asked for in several clauses leave the robot's hand free for the others.

    "Bring the apple, and the book as well" is as good as "bring the apple and the book"; else the
    apple was brought first, and carried away again.
    """
    asking = [
        number
        for number, clause in enumerate(clauses)
        if not (clause.negated or clause.preferred or clause.condition)
        and any(_has_several(said) for said in clause.predications)
    ]
    found = list(clauses)
    for number in asking if len(asking) > 1 else ():
        said = tuple(_mean_several(one) for one in found[number].predications)
        found[number] = replace(found[number], predications=said)
    return found


def _has_several(said: Predication) -> bool:
    """Return True for a task that several things may be asked of; "it" was asked for already."""
    task = said.meaning.task if said.meaning is not None else None
    pronoun = any(
        isinstance(one, NounPhrase) and one.head in (Reference.IT, Reference.THEM)
        for one in said.arguments.values()
    )
    return task is not None and bool(task.several) and not pronoun


def _mean_several(said: Predication) -> Predication:
    meaning = said.meaning
    if meaning is None or meaning.task is None:
        return said
    return replace(said, meaning=choose_goal(meaning, meaning.task, several=True, leaving=False))


def _never(formula: Expression) -> Expression:
    return TrajectoryConstraint(TrajectoryOperator.ALWAYS, (negate(formula),))
