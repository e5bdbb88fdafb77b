# SPDX-License-Identifier: Apache-2.0
"""Names and arities of a PDDL domain and goal: what the parser library lets through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.errors import PddlError
from fcp_ros.domain.pddl.source import Source
from fcp_ros.domain.pddl.syntax import (
    ROOT,
    Action,
    All,
    Any,
    DomainText,
    Equality,
    Formula,
    FunctionValue,
    Negation,
    PddlTerm,
    Quantified,
    Typed,
)
from fcp_ros.foundation.wording import suggest_name


def check_domain(domain: DomainText, source: Source) -> None:
    """Check that whatever the domain names is declared, as often and with as many arguments.

    Raises:
        PddlError: the first mistake, with its line.
    """
    checker = _Checker(domain, source)
    checker.check_types()
    for parameters in domain.predicates.values():
        checker.check_variables(parameters, source.code.find(":predicates"))
    twice = [name for name, n in Counter(a.name for a in domain.actions).items() if n > 1]
    for name in twice:
        raise checker.error(name, 0, f"there are several actions {name}", "rename one of them")
    for action in domain.actions:
        checker.check_action(action)


def check_goal(goal: Formula, domain: DomainText, objects: Iterable[Typed], source: Source) -> None:
    """The same for the goal of a problem, which has these objects."""
    start = source.code.find(":goal")
    _Checker(domain, source, objects).check(goal, {}, max(start, 0))


def is_below(types: Iterable[str], others: Iterable[str], parents: Mapping[str, str]) -> bool:
    """Whether whatever is of one of `types` is of one of `others`."""
    wanted = frozenset(others)
    return all(not wanted.isdisjoint(_upwards(type_, parents)) for type_ in types)


def _upwards(type_: str, parents: Mapping[str, str]) -> set[str]:
    """The type and all above it; a circle of types does no harm."""
    found = {ROOT}
    while type_ not in found:
        found.add(type_)
        type_ = parents.get(type_, ROOT)
    return found


class _Checker:
    def __init__(self, domain: DomainText, source: Source, objects: Iterable[Typed] = ()) -> None:
        self._domain = domain
        self._source = source
        self._objects = {typed.name: typed for typed in (*domain.constants, *objects)}
        self._types = {ROOT, *domain.types, *domain.types.values()}

    def error(self, word: str, after: int, message: str, fix: str) -> PddlError:
        line = self._source.line_of(word, after=after)
        return PddlError(self._source.file, line, message, fix)

    def check_types(self) -> None:
        """No type may be above itself."""
        for type_ in self._domain.types:
            seen, current = {type_}, self._domain.types.get(type_, ROOT)
            while current != ROOT:
                if current in seen:
                    message = f"the type {type_} is above itself"
                    raise self.error(type_, 0, message, "break the circle of types")
                seen.add(current)
                current = self._domain.types.get(current, ROOT)

    def check_variables(self, variables: Iterable[Typed], after: int) -> None:
        """Their types must be declared."""
        for variable in variables:
            for type_ in variable.types:
                if type_ not in self._types:
                    fix = suggest_name(type_, self._types)
                    raise self.error(type_, after, f"unknown type {type_}", fix)

    def check_action(self, action: Action) -> None:
        found = self._source.code.find(":action")
        while found >= 0 and self._source.code[found:].split(None, 2)[1] != action.name:
            found = self._source.code.find(":action", found + 1)
        start = max(found, 0)
        self.check_variables(action.parameters, start)
        scope = {parameter.name: parameter for parameter in action.parameters}
        self.check(action.precondition, scope, start)
        for effect in action.effects:
            self.check_variables(effect.variables, start)
            inner = {**scope, **{variable.name: variable for variable in effect.variables}}
            self.check(effect.condition, inner, start)
            for atom in (*effect.add, *effect.delete):
                self._atom(atom, inner, start)
        for part in action.cost:
            if isinstance(part, FunctionValue):
                self._function(part, scope, start)

    def check(self, formula: Formula, scope: Mapping[str, Typed], start: int) -> None:
        """A formula whose free variables `scope` binds."""
        if isinstance(formula, Atom):
            self._atom(formula, scope, start)
        elif isinstance(formula, Equality):
            self._terms((formula.left, formula.right), scope, start)
        elif isinstance(formula, Negation):
            self.check(formula.body, scope, start)
        elif isinstance(formula, (All, Any)):
            for part in formula.parts:
                self.check(part, scope, start)
        elif isinstance(formula, Quantified):
            self.check_variables(formula.variables, start)
            inner = {**scope, **{variable.name: variable for variable in formula.variables}}
            self.check(formula.body, inner, start)

    def _atom(self, atom: Atom, scope: Mapping[str, Typed], start: int) -> None:
        known = self._domain.predicates
        if atom.predicate not in known:
            message = f"unknown predicate {atom.predicate}"
            raise self.error(atom.predicate, start, message, suggest_name(atom.predicate, known))
        arity = len(known[atom.predicate])
        if arity != len(atom.arguments):
            message = f"{atom.predicate} takes {arity} arguments, not {len(atom.arguments)}"
            fix = "give as many as it is declared with"
            raise self.error(atom.predicate, start, message, fix)
        terms = [t for t in atom.arguments if isinstance(t, (Variable, Constant))]
        self._terms(terms, scope, start)
        for term, leg in zip(terms, known[atom.predicate], strict=True):
            given = scope if isinstance(term, Variable) else self._objects
            types = given[term.name].types
            if not is_below(types, leg.types, self._domain.types):
                message = (
                    f"{term.name} is of type {' or '.join(types)}, where {atom.predicate} takes "
                    f"{' or '.join(leg.types)}"
                )
                fix = "give it a type below that, or declare the predicate more widely"
                raise self.error(atom.predicate, start, message, fix)

    def _function(self, value: FunctionValue, scope: Mapping[str, Typed], start: int) -> None:
        arity = self._domain.functions.get(value.function)
        if arity != len(value.arguments):
            message = f"{value.function} is not declared with {len(value.arguments)} arguments"
            fix = suggest_name(value.function, self._domain.functions)
            raise self.error(value.function, start, message, fix)
        self._terms(value.arguments, scope, start)

    def _terms(self, terms: Iterable[PddlTerm], scope: Mapping[str, Typed], start: int) -> None:
        for term in terms:
            if isinstance(term, Variable) and term.name not in scope:
                line = self._source.line(max(self._source.code.find(f"?{term.name}", start), 0))
                fix = "declare it among the parameters, or bind it by a quantifier"
                message = f"?{term.name} is bound by nothing"
                raise PddlError(self._source.file, line, message, fix)
