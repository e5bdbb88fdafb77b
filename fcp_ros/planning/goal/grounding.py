# SPDX-License-Identifier: Apache-2.0
"""Goal expression -> formula: every variable replaced by the elements that it may stand for.

Choices that a static fact rules out (wrong label, wrong room) are dropped as soon as it is bound,
before the next variable is tried. `domain.evaluate` is the independent twin of all this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.is_a import is_a
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    TypedVariable,
    Variable,
    Weighted,
    free_variables,
)
from fcp_ros.domain.model import IS_A, Domain
from fcp_ros.planning.goal.formula import (
    FALSE,
    TRUE,
    Crisp,
    Formula,
    Graded,
    both,
    bound,
    either,
    negation,
    scaled,
    without_bindings,
)
from fcp_ros.planning.model.status import PlanStatus
from fcp_ros.planning.model.watch import Interrupted, Watch
from fcp_ros.planning.task.fluents import fluents_of

MAX_BINDINGS = 200_000
"""More (partial) choices for the goal's variables than this are refused with UNSUPPORTED."""

Environment = Mapping[str, str]


def ground_goal(
    goal: Expression, types: Mapping[str, str], domain: Domain, instance: Instance, watch: Watch
) -> Formula:
    """The goal over facts.

    Arguments:
        goal: a checked goal.
        types: free variable -> type (from `infer_types`).
        domain: tells which relations change, and which predicates are graded.
        instance: the state: its elements and what never changes of it.
        watch: checked all the time.

    Raises:
        Interrupted: cancelled, out of time, or too many choices for the variables.
    """
    free = tuple(TypedVariable(name, types[name]) for name in free_variables(goal))
    grounding = _Grounding(domain, instance, watch)
    return grounding.ground(Exists(free, goal) if free else goal, {})


class _Grounding:
    """Grounds expressions in one state."""

    def __init__(self, domain: Domain, instance: Instance, watch: Watch) -> None:
        self._graded = domain.graded
        self._fluents = fluents_of(domain)
        self._instance = instance
        self._watch = watch
        self._labels: dict[tuple[str, str], bool] = {}
        self._tried = 0

    def ground(self, expression: Expression, environment: Environment) -> Formula:
        """The formula of an expression whose free variables the environment binds."""
        if isinstance(expression, Atom):
            return self._atom(expression, environment)
        if isinstance(expression, Not):
            return negation(self.ground(expression.body, environment))
        if isinstance(expression, And):
            return both(self.ground(part, environment) for part in expression.parts)
        if isinstance(expression, Or):
            return either(self.ground(part, environment) for part in expression.parts)
        if isinstance(expression, Weighted):
            return scaled(expression.weight, self.ground(expression.body, environment))
        if isinstance(expression, Exists):
            return either(self._choices(expression.variables, expression.body, environment))
        return self._forall(expression, environment)

    def _choices(
        self, variables: tuple[TypedVariable, ...], body: Expression, environment: Environment
    ) -> Iterator[Formula]:
        """One formula for each way to bind the variables that no static fact rules out."""
        if not variables:
            yield self.ground(body, environment)
            return
        first, rest = variables[0], variables[1:]
        for element in self._elements(first.type):
            self._count()
            inner = {**environment, first.name: element}
            if self._possible(body, inner):
                for choice in self._choices(rest, body, inner):
                    yield bound(first.name, element, choice)

    def _forall(self, expression: Forall, environment: Environment) -> Formula:
        # What is chosen inside may differ from one element to the next: no binding of the goal.
        return both(
            without_bindings(self.ground(expression.body, inner))
            for inner in self._environments(expression.variables, environment)
        )

    def _environments(
        self, variables: tuple[TypedVariable, ...], environment: Environment
    ) -> Iterator[Environment]:
        if not variables:
            yield environment
            return
        for element in self._elements(variables[0].type):
            self._count()
            yield from self._environments(
                variables[1:], {**environment, variables[0].name: element}
            )

    def _elements(self, type_: str) -> tuple[str, ...]:
        return tuple(map(self._instance.name_of, self._instance.elements(type_)))

    def _count(self) -> None:
        self._watch.check()
        self._tried += 1
        if self._tried > MAX_BINDINGS:
            raise Interrupted(
                PlanStatus.UNSUPPORTED,
                f"The goal's variables can be bound in more than {MAX_BINDINGS} ways: use fewer "
                'variables, or narrow them with a type or is_a(?x, "label").',
            )

    # --- what static facts say

    def _possible(self, expression: Expression, environment: Environment) -> bool:
        """False only if the expression is surely false, however unbound variables are bound."""
        if isinstance(expression, And):
            return all(self._possible(part, environment) for part in expression.parts)
        if isinstance(expression, Or):
            return any(self._possible(part, environment) for part in expression.parts)
        if isinstance(expression, Atom):
            return self._static(expression, environment) is not False
        if isinstance(expression, Not) and isinstance(expression.body, Atom):
            return self._static(expression.body, environment) is not True
        return True

    def _static(self, atom: Atom, environment: Environment) -> bool | None:
        """Truth of a static atom whose arguments are all bound; None for any other atom."""
        if atom.predicate in self._graded or atom.predicate in self._fluents:
            return None
        arguments = self._arguments(atom, environment)
        if arguments is None:
            return None
        if atom.predicate != IS_A:
            legs = tuple(map(self._instance.id_of, arguments))
            return self._instance.find_tuple(atom.predicate, legs) is not None
        key = (arguments[0], arguments[1])
        if key not in self._labels:
            element = self._instance.id_of(key[0])
            self._labels[key] = is_a(self._instance, element, key[1])
        return self._labels[key]

    # --- atoms

    def _atom(self, atom: Atom, environment: Environment) -> Formula:
        truth = self._static(atom, environment)
        if truth is not None:
            return TRUE if truth else FALSE
        arguments = self._arguments(atom, environment)
        if arguments is None:
            raise ValueError(f"a variable of {atom.predicate} is bound by nothing")
        if atom.predicate in self._graded:
            return Graded((atom.predicate, arguments))
        return Crisp(Fact(atom.predicate, arguments))

    @staticmethod
    def _arguments(atom: Atom, environment: Environment) -> tuple[str, ...] | None:
        found = []
        for term in atom.arguments:
            if isinstance(term, Variable):
                if term.name not in environment:
                    return None
                found.append(environment[term.name])
            else:
                found.append(term.name if isinstance(term, Constant) else term.value)
        return tuple(found)
