# SPDX-License-Identifier: Apache-2.0
"""Condition to formula: every variable is replaced by the elements that it may stand for.

An element that a static fact rules out (wrong label, wrong room) is dropped before the next
variable is bound. `domain.evaluate` is the independent twin of this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import is_a, name_of
from fcp_ros.domain.expressions.structure import split_choice
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
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
    Weighted,
    free_variables,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    Crisp,
    Formula,
    Graded,
    drop_instantiations,
    make_at_least,
    make_both,
    make_complement,
    make_either,
    make_instantiation,
    make_scaled,
)
from fcp_ros.planning.model.memberships import ComparedAtom
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.task.lifted import find_fluents

MAX_BINDINGS = 200_000
"""Goals with more (partial) bindings of their variables are refused with UNSUPPORTED."""

HELD_BY_FIRST = (
    TrajectoryOperator.ALWAYS,
    TrajectoryOperator.SOMETIME,
    TrajectoryOperator.WITHIN,
    TrajectoryOperator.HOLD_AFTER,
    TrajectoryOperator.HOLD_DURING,
)
"""Constraints that hold where their condition always does."""
_HELD_WITHOUT = (
    TrajectoryOperator.AT_MOST_ONCE,
    TrajectoryOperator.BEFORE,
    TrajectoryOperator.AFTER,
    TrajectoryOperator.ALWAYS_WITHIN,
)
"""Constraints that hold where their (second) condition never does."""

Environment = Mapping[str, str]
Quantified = Exists | Forall | Count


class ConditionGrounding:
    """Grounds conditions in one state: replaces variables and evaluates static facts."""

    def __init__(self, domain: Domain, instance: Instance, watch: Watch) -> None:
        labels = ' or is_a(?x, "label")' if domain.mapping.labels else ""
        self.narrowing = f"a type{labels}"
        self._graded = domain.graded
        self._fluents = find_fluents(domain)
        self._instance = instance
        self._watch = watch
        self._labels: dict[tuple[str, str], bool] = {}
        self._free: dict[Quantified, tuple[str, ...]] = {}
        self._known: dict[tuple[Quantified, tuple[str | None, ...], bool], Formula] = {}
        self._tried = 0

    def ground(self, expression: Expression, environment: Environment) -> Formula:
        """Ground a condition whose free variables the environment binds."""
        if isinstance(expression, Atom):
            return self._ground_atom(expression, environment)
        if isinstance(expression, Not):
            return make_complement(self.ground(expression.body, environment))
        if isinstance(expression, And):
            return make_both(self.ground(part, environment) for part in expression.parts)
        if isinstance(expression, Or):
            return make_either(self.ground(part, environment) for part in expression.parts)
        if isinstance(expression, Weighted):
            return make_scaled(expression.weight, self.ground(expression.body, environment))
        if isinstance(expression, (Exists, Forall, Count)):
            return self._ground_known(expression, environment)
        if isinstance(expression, Initially):
            return self._ground_initially(expression, environment)
        assert isinstance(expression, Preference), "constraints stand in no condition"
        return make_scaled(expression.weight, self.ground(expression.body, environment))

    def _ground_known(self, expression: Quantified, environment: Environment) -> Formula:
        free = self._free.get(expression)
        if free is None:
            free = self._free[expression] = free_variables(expression)
        bound = tuple(map(environment.get, free))
        key = (expression, bound, bool(self._fluents))
        if key not in self._known:
            self._known[key] = self._ground_quantifier(expression, environment)
        return self._known[key]

    def _ground_quantifier(self, expression: Quantified, environment: Environment) -> Formula:
        if isinstance(expression, Exists):
            return make_either(
                self._instantiate(expression.variables, expression.body, environment)
            )
        if isinstance(expression, Forall):
            demanding = self.bind_all(expression.variables, environment, expression.body)
            return make_both(self._ground_instances(expression.body, demanding))
        if expression.bound is Bound.MOST:
            chosen, body = self.choose(expression, environment)
            degrees = (drop_instantiations(self.ground(body, inner)) for inner in chosen)
            return make_both(make_scaled(1.0 / len(chosen), degree) for degree in degrees)
        return make_both(
            make_at_least(number, parts)
            for number, parts in self.list_counts(expression, environment)
        )

    def _ground_instances(
        self, body: Expression, environments: Iterable[Environment]
    ) -> Iterator[Formula]:
        # An inner variable may be bound differently for each element: no binding of the goal.
        for inner in environments:
            yield drop_instantiations(self.ground(body, inner))

    def choose(
        self, count: Count, environment: Environment
    ) -> tuple[list[Environment], Expression]:
        """Choose the elements of `as many as possible`; also return what is preferred of each."""
        choosing, preferred = split_choice(count.body, self._instance.schema)
        if preferred is None:
            return [], count.body
        chosen = [
            inner
            for inner in self.bind_all(count.variables, environment)
            if all(self.ground(part, inner) == TRUE for part in choosing)
        ]
        return chosen, preferred

    def list_counts(
        self, count: Count, environment: Environment
    ) -> Iterator[tuple[int, list[Formula]]]:
        """Yield what a count means: of each list of formulas so many have to hold."""
        bindings = self.bind_all(count.variables, environment)
        parts = list(self._ground_instances(count.body, bindings))
        if count.bound is not Bound.AT_MOST:
            yield count.number, parts
        if count.bound is not Bound.AT_LEAST:
            yield len(parts) - count.number, [make_complement(part) for part in parts]

    def _ground_initially(self, expression: Initially, environment: Environment) -> Formula:
        changing, self._fluents = self._fluents, frozenset()
        try:
            return self.ground(expression.body, environment)
        finally:
            self._fluents = changing

    def _instantiate(
        self, variables: tuple[TypedVariable, ...], body: Expression, environment: Environment
    ) -> Iterator[Formula]:
        if not variables:
            yield self.ground(body, environment)
            return
        first, rest = variables[0], variables[1:]
        for element in self._elements(first.type):
            self._count_binding()
            inner = {**environment, first.name: element}
            if self._is_possible(body, inner):
                for choice in self._instantiate(rest, body, inner):
                    yield make_instantiation(first.name, element, choice)

    def bind_all(
        self,
        variables: tuple[TypedVariable, ...],
        environment: Environment,
        body: Expression | None = None,
    ) -> Iterator[Environment]:
        """Yield the bindings of variables.

        With a body, only those under which it is not settled to be true: a binding of the first
        variables is dropped as soon as static facts settle that.
        """
        if not variables:
            yield environment
            return
        for element in self._elements(variables[0].type):
            self._count_binding()
            inner = {**environment, variables[0].name: element}
            if body is None or not self._is_certain(body, inner):
                yield from self.bind_all(variables[1:], inner, body)

    def _elements(self, type_: str) -> tuple[str, ...]:
        return tuple(map(self._instance.name_of, self._instance.elements(type_)))

    def _count_binding(self) -> None:
        self._watch.check()
        self._tried += 1
        if self._tried > MAX_BINDINGS:
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"The goal's variables can be bound in more than {MAX_BINDINGS} ways: use fewer "
                f"variables, or narrow them with {self.narrowing}.",
            )

    # --- static facts

    def _is_possible(self, expression: Expression, environment: Environment) -> bool:
        """Return False only if static facts make the expression false, whatever is unbound."""
        if isinstance(expression, And):
            return all(self._is_possible(part, environment) for part in expression.parts)
        if isinstance(expression, Or):
            return any(self._is_possible(part, environment) for part in expression.parts)
        if isinstance(expression, Atom):
            return self._evaluate_static(expression, environment) is not False
        if isinstance(expression, Not):
            return not self._is_certain(expression.body, environment)
        if isinstance(expression, Exists):  # its variables have names of their own
            return self._is_possible(expression.body, environment)
        return True

    def _is_certain(self, expression: Expression, environment: Environment) -> bool:
        """Return True only if static facts make the expression true, whatever is unbound.

        Of a preference and a constraint that means that it demands nothing.
        """
        if isinstance(expression, And):
            return all(self._is_certain(part, environment) for part in expression.parts)
        if isinstance(expression, Or):
            return any(self._is_certain(part, environment) for part in expression.parts)
        if isinstance(expression, Atom):
            return self._evaluate_static(expression, environment) is True
        if isinstance(expression, Not):
            return not self._is_possible(expression.body, environment)
        if isinstance(expression, Forall):
            return self._is_certain(expression.body, environment)
        if isinstance(expression, (Preference, Weighted)):
            return self._is_certain(expression.body, environment)
        if isinstance(expression, TrajectoryConstraint):
            return self._is_idle(expression, environment)
        return False

    def _is_idle(self, constraint: TrajectoryConstraint, environment: Environment) -> bool:
        """Return True only if static facts make a constraint hold on every trajectory."""
        first, last = constraint.parts[0], constraint.parts[-1]
        if constraint.operator in HELD_BY_FIRST:
            return self._is_certain(first, environment)
        return constraint.operator in _HELD_WITHOUT and not self._is_possible(last, environment)

    def _evaluate_static(self, atom: Atom, environment: Environment) -> bool | None:
        """Evaluate a static atom whose arguments are all bound; None for any other atom."""
        if atom.predicate in self._graded or atom.predicate in self._fluents:
            return None
        arguments = self._bind_arguments(atom, environment)
        if arguments is None:
            return None
        if atom.predicate == SAME and not self._instance.schema.has_relation(SAME):
            return arguments[0] == arguments[1]
        if atom.predicate != IS_A:
            legs = tuple(map(self._instance.id_of, arguments))
            return self._instance.find_tuple(atom.predicate, legs) is not None
        key = (arguments[0], arguments[1])
        if key not in self._labels:
            element = self._instance.id_of(key[0])
            self._labels[key] = is_a(self._instance, element, key[1])
        return self._labels[key]

    # --- atoms

    def _ground_atom(self, atom: Atom, environment: Environment) -> Formula:
        truth = self._evaluate_static(atom, environment)
        if truth is not None:
            return TRUE if truth else FALSE
        arguments = self._bind_arguments(atom, environment)
        if arguments is None:
            raise ValueError(f"a variable of {atom.predicate} is not bound")
        if atom.predicate in self._graded:
            plain = (atom.predicate, arguments)
            return Graded(plain if atom.least is None else ComparedAtom(*plain, atom.least))
        return Crisp(Fact(atom.predicate, arguments))

    @staticmethod
    def _bind_arguments(atom: Atom, environment: Environment) -> tuple[str, ...] | None:
        try:
            return tuple(name_of(term, environment) for term in atom.arguments)
        except KeyError:
            return None
