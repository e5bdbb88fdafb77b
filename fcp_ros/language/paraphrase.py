# SPDX-License-Identifier: Apache-2.0
"""A goal as an English sentence, through the phrases of the domain.

The scope of quantifiers and negations is never left to the reader: a quantifier becomes the subject
of a statement ("at least two plates are on table_1") only if nothing else in the statement
quantifies; otherwise it stands before what it governs ("for every item, ..."). What stands before
other words is put in parentheses where more follows; parts of a whole goal are set apart by
semicolons instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.resolution import expand_kinds, infer_types
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    Term,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
    free_variables,
    list_conjuncts,
    list_variables,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import IS_A, Domain
from fcp_ros.foundation.wording import join_words, write_decimal
from fcp_ros.language.nouns import (
    Scope,
    VariableNouns,
    add_article,
    is_countable,
    name_element,
    pluralise,
    quote_words,
    split_implication,
    write_number,
)
from fcp_ros.language.statement_table import Clause, StatementTable, join_clauses
from fcp_ros.language.task_statements import TaskFolder


def paraphrase_goal(
    goal: Expression,
    domain: Domain,
    instance: Instance,
    statements: StatementTable | None = None,
) -> str:
    """Write a goal as one English sentence.

    Args:
        goal: any goal, as parsed or as checked.
        domain: its phrases are used; predicates without any are called by their names.
        instance: the state, for what elements are.
        statements: those of the domain, if they are known: making them is a tenth of a reading.

    Returns:
        A sentence that mentions all elements and labels of the goal, such as "At least two plates
        are on table_1." What a task of the domain stands for is said in the task's words.
    """
    sentence = _Writer(domain, instance, statements).write_sentence(goal)
    first, _, _ = sentence.partition(" ")
    named = instance.has(first.rstrip(".,;"))
    return (sentence if named else sentence[:1].upper() + sentence[1:]) + "."


def paraphrase_clause(
    goal: Expression, domain: Domain, instance: Instance, called: Mapping[str, str] | None = None
) -> str:
    """Write a goal as a clause that may stand within a sentence: "two plates are on table_1".

    Args:
        goal: as of `paraphrase_goal`, like the next two arguments.
        called: what free variables are called: "the table". The others are chosen.
    """
    return _Writer(domain, instance).write_sentence(goal, called or {})


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a sentence."""

    text: str
    open: bool = False  # words that follow could be taken for a part of it
    clause: Clause | None = None  # the same as a statement, if it is one

    def guard(self) -> str:
        """Write it so that more words may follow."""
        return f"({self.text})" if self.open else self.text


def _state(clause: Clause) -> _Piece:
    return _Piece(clause.write(), False, clause)


class _Writer:
    def __init__(
        self, domain: Domain, instance: Instance, statements: StatementTable | None = None
    ) -> None:
        self._domain = domain
        self._instance = instance
        self._nouns = VariableNouns(domain)
        self._statements = statements if statements is not None else StatementTable(domain)
        self._tasks = TaskFolder(self._statements.tasks, instance)

    # --- the whole sentence

    def write_sentence(self, goal: Expression, called: Scope = MappingProxyType({})) -> str:
        wide = expand_kinds(goal, self._domain.words.kinds)
        parts = self._tasks.fold(self._bind_free(wide, called))
        pieces = self._join_pieces([self._write(part, called) for part in parts])
        if any(piece.open for piece in pieces) and len(pieces) > 1:
            return "; ".join([*(p.text for p in pieces[:-1]), f"and {pieces[-1].text}"])
        return _join_texts([piece.text for piece in pieces])

    def _bind_free(self, goal: Expression, called: Scope) -> list[Expression]:
        """Split a goal into parts, with the free variables bound around the parts that share them.

        Those in parts that share no variable can be bound apart.
        """
        parts = list(list_conjuncts(goal))
        try:
            types = dict(infer_types(goal, self._domain))
        except ExpressionError:
            types = dict.fromkeys(free_variables(goal), "")
        groups: list[tuple[set[str], list[Expression]]] = []
        for part in parts:
            mine = set(free_variables(part)).difference(called)
            group: tuple[set[str], list[Expression]] = (mine, [])
            kept = []
            for other in groups:
                if mine and other[0] & mine:
                    group = (group[0] | other[0], [*group[1], *other[1]])
                else:
                    kept.append(other)
            group[1].append(part)
            groups = [*kept, group]
        bound: list[Expression] = []
        for names, some in groups:
            body = And(tuple(some)) if len(some) > 1 else some[0]
            ordered = [name for name in types if name in names]
            variables = tuple(TypedVariable(name, types[name]) for name in ordered)
            bound.append(Exists(variables, body) if variables else body)
        return bound

    # --- expressions

    def _write(self, expression: Expression, scope: Scope) -> _Piece:
        if isinstance(expression, Atom):
            return _state(self._write_atom(expression, scope))
        if isinstance(expression, Not):
            return self._write_negation(expression.body, scope)
        if isinstance(expression, And):
            return self._write_conjunction(expression, scope)
        if isinstance(expression, Or):
            return self._write_disjunction(expression, scope)
        if isinstance(expression, (Exists, Forall, Count)):
            return self._write_quantified(expression, scope)
        if isinstance(expression, TrajectoryConstraint):
            return self._write_constraint(expression, scope)
        return self._write_marked(expression, scope)

    def _write_atom(self, atom: Atom, scope: Scope, negated: bool = False) -> Clause:
        clause, _ = self._statements.write(atom, self._make_refer(scope), negated=negated)
        return clause

    def _make_refer(self, scope: Scope) -> Callable[[Term], str]:
        def refer(term: Term) -> str:
            if isinstance(term, Variable):
                return scope.get(term.name, f"?{term.name}")
            if isinstance(term, Text):
                if self._instance.has(term.value):  # a name in quotes that is not resolved yet
                    return name_element(term.value, self._instance)
                return quote_words(term.value)
            return name_element(term.name, self._instance)

        return refer

    def _write_negation(self, body: Expression, scope: Scope) -> _Piece:
        if isinstance(body, Atom):
            return _state(self._write_atom(body, scope, negated=True))
        if isinstance(body, Not):
            return self._write(body.body, scope)
        if isinstance(body, Initially) and isinstance(body.body, Atom):
            clause = self._write_atom(body.body, scope, negated=True)
            return _state(replace(clause, past=True))
        if isinstance(body, Exists) and len(body.variables) == 1:
            return self._write_exists(body, scope, negated=True)
        return _Piece(f"it is not the case that {self._write(body, scope).guard()}", True)

    def _write_conjunction(self, expression: And, scope: Scope) -> _Piece:
        pieces = self._join_pieces(
            [self._write(part, scope) for part in list_conjuncts(expression)]
        )
        if len(pieces) == 1:
            return pieces[0]
        *first, last = pieces
        end = last.guard() if isinstance(expression.parts[-1], Or) else last.text
        return _Piece(_join_texts([*(p.guard() for p in first), end]), True)

    def _join_pieces(self, pieces: list[_Piece]) -> list[_Piece]:
        """Join neighbouring statements that say the same of different subjects."""
        joined: list[_Piece] = []
        run: list[Clause] = []
        for piece in [*pieces, _Piece("", True)]:
            if piece.clause is not None:
                run.append(piece.clause)
                continue
            joined += [_state(clause) for clause in join_clauses(run)]
            run = []
            joined.append(piece)
        return joined[:-1]

    def _write_disjunction(self, expression: Or, scope: Scope) -> _Piece:
        parts = [self._write(part, scope).guard() for part in expression.parts]
        return _Piece(f"either {', or '.join(parts)}", True)

    def _write_marked(self, expression: Initially | Weighted | Preference, scope: Scope) -> _Piece:
        piece = self._write(expression.body, scope)
        if isinstance(expression, Initially):
            clause = piece.clause
            if clause is not None and isinstance(expression.body, (Atom, Not)) and not clause.past:
                return _state(replace(clause, past=True))
            return _Piece(f"in the initial state, {piece.text}", True)
        if isinstance(expression, Weighted):
            return _Piece(f"with weight {expression.weight:g}, {piece.text}", True)
        price = (
            [f"weight {expression.weight:g}"] if expression.weight or not expression.cost else []
        )
        price += [f"cost {write_decimal(expression.cost)}"] if expression.cost else []
        price += [f"called {quote_words(expression.name)}"] if expression.name else []
        return _Piece(f"preferably ({', '.join(price)}), {piece.text}", True)

    # --- quantifiers

    def _write_quantified(self, expression: Exists | Forall | Count, scope: Scope) -> _Piece:
        if isinstance(expression, Count):
            return self._write_count(expression, scope)
        if len(expression.variables) > 1:
            expression = _split_variables(expression)
        if isinstance(expression, Exists):
            return self._write_exists(expression, scope)
        return self._write_forall(expression, scope)

    def _write_exists(self, expression: Exists, scope: Scope, negated: bool = False) -> _Piece:
        variable = expression.variables[0]
        noun, parts = self._nouns.find_noun(variable, list(list_conjuncts(expression.body)))
        article = f"no {noun.singular}" if negated else add_article(noun.singular)
        if not parts:
            return _Piece(f"there is {article}")
        said = self._say_of(variable.name, parts, scope)
        if said is not None and len(said) == 1 and not (negated and said[0].negated):
            return _state(replace(said[0], subject=article))
        if said is not None:
            which = join_words([clause.write_predicate() for clause in said])
            return _Piece(f"there is {article} that {which}", len(said) > 1)
        noun, inner = self._nouns.name_variable(variable.name, noun, scope, expression.body)
        article = f"no {noun.singular}" if negated else add_article(noun.singular)
        body = self._write_parts(parts, inner)
        return _Piece(f"there is {article} such that {body.text}", True)

    def _write_forall(self, expression: Forall, scope: Scope) -> _Piece:
        variable = expression.variables[0]
        conditions, demands = self._split_demand(variable.name, expression.body)
        noun, conditions = self._nouns.find_noun(variable, conditions)
        which = self._say_of(variable.name, conditions, scope) if conditions else []
        said = self._say_of(variable.name, demands, scope)
        if which is not None and said is not None:
            who = noun.singular
            if which:
                alike = who.endswith("s") and not is_countable(who)
                conditions_said = [replace(c, plural=alike).write_predicate() for c in which]
                who += f" that {join_words(conditions_said)}"
            if len(said) == 1 and said[0].negated:
                clause = replace(said[0], subject=f"no {who}", negated=False)
                return _state(clause) if not which else _Piece(clause.write())
            if not any(clause.negated for clause in said):
                every = "every" if is_countable(noun.singular) else "all"
                plural = every == "all" and noun.singular.endswith("s")
                clauses = [replace(c, subject=f"{every} {who}", plural=plural) for c in said]
                if len(clauses) == 1 and not which:
                    return _state(clauses[0])
                what = join_words([clause.write_predicate() for clause in clauses])
                return _Piece(f"{every} {who} {what}", len(clauses) > 1)
        noun, inner = self._nouns.name_variable(variable.name, noun, scope, expression.body)
        body = self._write_parts(demands, inner)
        text = f"for every {noun.singular}, "
        if conditions:
            text += f"if {self._write_parts(conditions, inner).guard()}, then "
        return _Piece(text + (body.guard() if conditions else body.text), True)

    def _split_demand(
        self, variable: str, body: Expression
    ) -> tuple[list[Expression], list[Expression]]:
        """Split the body of `forall` into conditions and demands.

        A label that `check_goal` has put into a preference stands before it.
        """
        if not isinstance(body, Preference):
            return split_implication(body)
        conditions, demands = split_implication(body.body)
        if conditions and all(self._nouns.list_labels(one, variable) for one in conditions):
            inner = And(tuple(demands)) if len(demands) > 1 else demands[0]
            return conditions, [replace(body, body=inner)]
        return [], [body]

    def _write_count(self, count: Count, scope: Scope) -> _Piece:
        if len(count.variables) > 1:
            return self._write_tuples(count, scope)
        variable = count.variables[0]
        noun, parts = self._nouns.find_noun(variable, list(list_conjuncts(count.body)))
        plural = count.number != 1
        who = self._write_amount(count, noun.plural if plural else noun.singular)
        there = "there are" if plural else "there is"
        if not parts:
            return _Piece(f"{there} {who}")
        said = self._say_of(variable.name, parts, scope)
        if said is not None and len(said) == 1:
            return _state(replace(said[0], subject=who, plural=plural))
        if said is not None and count.bound is Bound.MOST:
            was = [replace(c, plural=True).write_predicate() for c in said if c.past]
            are = [replace(c, plural=True).write_predicate() for c in said if not c.past]
            if was and are:
                some = f"as many of the {noun.plural} that {join_words(was)} as possible"
                return _Piece(f"{some} {join_words(are)}", len(are) > 1)
        elif said is not None:
            which = join_words([replace(c, plural=plural).write_predicate() for c in said])
            return _Piece(f"{there} {who} that {which}", True)
        noun, inner = self._nouns.name_variable(variable.name, noun, scope, count.body)
        who = self._write_amount(count, noun.plural if plural else noun.singular)
        if inner[variable.name] != f"the {noun.singular}":  # "plate B": plural before the letter
            label, _, letter = noun.singular.rpartition(" ")
            who = self._write_amount(
                count, f"{pluralise(label)} {letter}" if plural else noun.singular
            )
        return _Piece(f"for {who}, {self._write_parts(parts, inner).text}", True)

    def _write_tuples(self, count: Count, scope: Scope) -> _Piece:
        names = []
        inner = scope
        parts = list(list_conjuncts(count.body))
        for variable in count.variables:
            # The labels of several variables stand one after the other (see `check_goal`).
            mine = [p for p in parts[:1] if self._nouns.list_labels(p, variable.name) and parts[1:]]
            parts = parts[len(mine) :]
            noun, _ = self._nouns.find_noun(variable, mine)
            noun, inner = self._nouns.name_variable(variable.name, noun, inner, count.body)
            names.append(add_article(noun.singular))
        amount = self._write_amount(count, "combinations" if count.number != 1 else "combination")
        body = self._write_parts(parts, inner)
        return _Piece(f"for {amount} of {join_words(names)}, {body.text}", True)

    def _write_amount(self, count: Count, noun: str) -> str:
        if count.bound is Bound.MOST:
            return f"as many {noun} as possible"
        return f"{count.bound.value} {write_number(count.number)} {noun}"

    def _write_parts(self, parts: Sequence[Expression], scope: Scope) -> _Piece:
        body = And(tuple(parts)) if len(parts) > 1 else parts[0]
        return self._write(body, scope)

    def _say_of(
        self, variable: str, parts: Sequence[Expression], scope: Scope
    ) -> list[Clause] | None:
        """Say parts of a conjunction as predicates of a variable; None if one is not that simple.

        The variable is the subject of each, and stands nowhere else in it.
        """
        clauses = []
        for part in parts:
            negated, past, atom = False, False, part
            while isinstance(atom, Not):
                negated, atom = not negated, atom.body
            if isinstance(atom, Initially):
                past, atom = True, atom.body
            if not isinstance(atom, Atom) or list(list_variables(atom)).count(variable) != 1:
                return None
            refer = self._make_refer({**scope, variable: "it"})
            clause, subject = self._statements.write(atom, refer, negated=negated)
            if subject != Variable(variable):
                return None
            clauses.append(replace(clause, past=past))
        return clauses

    # --- what was on the way

    def _write_constraint(self, constraint: TrajectoryConstraint, scope: Scope) -> _Piece:
        operator = constraint.operator
        if operator is TrajectoryOperator.ALWAYS and isinstance(constraint.parts[0], Not):
            body = self._write(constraint.parts[0].body, scope)
            return _Piece(f"it never happens that {body.text}", True)
        if len(constraint.parts) == 1:
            said = [self._write(constraint.parts[0], scope).text]
        else:
            said = [self._write(part, scope).guard() for part in constraint.parts]
        times = [f"{write_decimal(time)} s" for time in constraint.times]
        if operator is TrajectoryOperator.FIRST_THEN:
            first, *more = said
            return _Piece(", and then ".join([f"first {first}", *more]), True)
        text = _CONSTRAINTS[operator].format(*said, *times)
        return _Piece(text, True)


_CONSTRAINTS = {
    TrajectoryOperator.ALWAYS: "at all times, {0}",
    TrajectoryOperator.SOMETIME: "at some time, {0}",
    TrajectoryOperator.AT_MOST_ONCE: "at most once, and without a break, {0}",
    TrajectoryOperator.AFTER: "whenever {1}, then at that time or later {0}",
    TrajectoryOperator.BEFORE: "before it happens that {1}, {0}",
    TrajectoryOperator.WITHIN: "within {1}, {0}",
    TrajectoryOperator.HOLD_AFTER: "from {1} on, {0}",
    TrajectoryOperator.HOLD_DURING: "from {1} to {2}, {0}",
    TrajectoryOperator.ALWAYS_WITHIN: "whenever {1}, then within {2} {0}",
}


def _split_variables(expression: Exists | Forall) -> Exists | Forall:
    """Bind the variables of a quantifier one after the other, each beside what labels it."""
    variable, *others = expression.variables
    rest = replace(expression, variables=tuple(others))
    if isinstance(expression, Forall):
        return replace(expression, variables=(variable,), body=rest)
    parts = list(list_conjuncts(expression.body))
    mine = [
        part
        for part in parts
        if isinstance(part, Atom)
        and part.predicate == IS_A
        and list(list_variables(part)) == [variable.name]
    ]
    left = [part for part in parts if part not in mine]
    if not mine or not left:
        return replace(expression, variables=(variable,), body=rest)
    rest = replace(rest, body=And(tuple(left)) if len(left) > 1 else left[0])
    return replace(expression, variables=(variable,), body=And((*mine, rest)))


def _join_texts(texts: Sequence[str]) -> str:
    """Join statements, with a comma before "and": they may hold an "and" of their own."""
    if len(texts) == 1:
        return texts[0]
    return f"{', '.join(texts[:-1])}{',' if len(texts) > 2 else ''} and {texts[-1]}"
