# SPDX-License-Identifier: Apache-2.0
"""Reading PDDL's logic through the library `pddl` (MIT); the only file that knows it.

It reads the domain file, and the goal as the precondition of an action. The long lists of a problem
(objects, initial facts) are read by problem.py: they have no logic in them, and the library needs
2 s for 20,000 objects. What the library lacks is made up for here: it insists on requirements,
which are all given to it; it knows no type `object`, which is given another name; it keeps actions
as a set, which is sorted again; and it leaves `sys.tracebacklimit` at 0 after a syntax error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pddl.action import Action as LibraryAction
from pddl.core import Domain as LibraryDomain
from pddl.exceptions import PDDLError as LibraryError
from pddl.logic.base import And, Imply, Not, Or, QuantifiedCondition
from pddl.logic.base import ForallCondition as UniversalCondition
from pddl.logic.effects import Forall, When
from pddl.logic.functions import Increase, NumericFunction, NumericValue, Plus
from pddl.logic.predicates import EqualTo, Predicate
from pddl.logic.terms import Constant as LibraryConstant
from pddl.logic.terms import Variable as LibraryVariable
from pddl.parser.domain import DomainParser

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.errors import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.parser_errors import explained, traceback_limit_kept
from fcp_ros.domain.pddl.source import Source, words
from fcp_ros.domain.pddl.syntax import (
    ROOT,
    TRUE,
    Action,
    ActionEffect,
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

_REQUIREMENTS = (
    "(:requirements :strips :typing :equality :adl :negative-preconditions "
    ":disjunctive-preconditions :existential-preconditions :universal-preconditions "
    ":quantified-preconditions :conditional-effects :action-costs :numeric-fluents)"
)
_HEAD = re.compile(r"\(\s*define\s*\(\s*domain\s+[^\s()]+\s*\)")
_ACTION = re.compile(r"\(\s*:action\s+([^\s()]+)")
_TOTAL_COST = "total-cost"
_WORD_OBJECT = re.compile(r"(?<![\w?-])object(?![\w-])")
_ALIAS = "object-of-any-type"


class Parser:
    """The library's parser; making one takes 0.1 s (its tables), so that it may be shared."""

    def __init__(self) -> None:
        """Makes the tables when they are first needed."""
        self._ready: DomainParser | None = None

    def parse(self, code: str) -> LibraryDomain:
        """What the library makes of a domain; raises what the library raises."""
        parser = self._ready or DomainParser()
        self._ready = None  # an error leaves it in the middle of things
        parsed = parser(_WORD_OBJECT.sub(_ALIAS, code))
        self._ready = parser
        return parsed


class LogicReader:
    """Reads a domain, and goals for it."""

    def __init__(self, source: Source, parser: Parser) -> None:
        """Reads nothing yet; `source` is the domain file."""
        self._source = source
        self._parser = parser

    def domain(self) -> DomainText:
        """The domain.

        Raises:
            PddlError: a mistake, with its line.
        """
        source = self._source
        code = source.code
        given = source.section(":requirements")
        if given is not None:
            code = source.blanked(given.start, given.end)
        head = _HEAD.search(code)
        if head is None:
            raise PddlError(
                source.file,
                1,
                "the file does not begin with `(define (domain name)`",
                "give the domain file here, and the problem file after it",
            )
        types = source.section(":types")
        if types is not None:
            code = f"{code[: types.start]}{self._types(code)}{code[types.end :]}"
        before = f"{code[: head.end()]} {_REQUIREMENTS}{self._types('') if types is None else ''}"
        parsed = self._parsed(f"{before}{code[head.end() :]}", source)
        return _Translation(source).domain(parsed)

    def goal(self, problem: Source, objects: Mapping[str, object]) -> Formula:
        """The goal of a problem.

        Arguments:
            problem: the problem file.
            objects: the lower-case names of all objects.

        Raises:
            PddlError: there is none, or a mistake in it, with its line.
        """
        section = problem.section(":goal")
        if section is None:
            fix = "add (:goal ...): what shall hold in the end"
            raise PddlError(problem.file, 1, "the problem has no goal", fix)
        text = problem.inside(":goal")
        named = sorted({word for word in words(text) if word in objects})
        types = self._types(self._source.code).replace("\n", " ")
        code = "".join(
            (
                f"(define (domain goal) {_REQUIREMENTS} {types}",
                f" (:constants {' '.join(named)}) (:action goal :parameters () :precondition",
                # The goal keeps its lines, so that messages are right.
                "\n" * (problem.line(section.start) - 1),
                text,
                " :effect ()))",
            )
        )
        (action,) = self._parsed(code, problem).actions
        return _Translation(problem).formula(action.precondition)

    def _types(self, code: str) -> str:
        """The section :types of some code, with `object` declared, under whatever name."""
        section = self._source.section(":types")
        if section is None or not code:
            return f"(:types {ROOT})"
        written = code[section.start : section.end - 1]
        declared = re.sub(r"-\s*\S+", " ", written).split()
        return f"{written} {'' if ROOT in declared else ROOT})"

    def _parsed(self, code: str, source: Source) -> LibraryDomain:
        with explained(source, LibraryError, (_ALIAS, ROOT)), traceback_limit_kept():
            return self._parser.parse(code)


class _Translation:
    """From the library's values to ours."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def domain(self, parsed: LibraryDomain) -> DomainText:
        order = {name: place for place, name in enumerate(_ACTION.findall(self._source.code))}
        actions = sorted(parsed.actions, key=lambda action: order[str(action.name)])
        return DomainText(
            name=str(parsed.name),
            types={
                _own(t): _own(above or ROOT) for t, above in parsed.types.items() if _own(t) != ROOT
            },
            constants=tuple(
                Typed(_own(c.name), (_own(c.type_tag or ROOT),))
                for c in sorted(parsed.constants, key=lambda c: str(c.name))
            ),
            predicates={
                _own(p.name): tuple(_typed(term) for term in p.terms)
                for p in sorted(parsed.predicates, key=lambda p: str(p.name))
            },
            functions={str(f.name): len(f.terms) for f in parsed.functions},
            actions=tuple(self._action(action) for action in actions),
        )

    def _action(self, action: LibraryAction) -> Action:
        effects, cost = self._effects(action.effect, (), TRUE, str(action.name))
        return Action(
            str(action.name),
            tuple(_typed(parameter) for parameter in action.parameters),
            self.formula(action.precondition),
            effects,
            cost,
        )

    # --- conditions

    def formula(self, condition: object) -> Formula:
        """A condition; what the library makes of `()` is true."""
        if condition is None or (isinstance(condition, (And, Or)) and not condition.operands):
            return TRUE
        return self._formula(condition)

    def _formula(self, condition: object) -> Formula:
        if isinstance(condition, EqualTo):
            return Equality(_term(condition.left), _term(condition.right))
        if isinstance(condition, Predicate):
            return _atom(condition)
        if isinstance(condition, Not):
            return Negation(self._formula(condition.argument))
        if isinstance(condition, And):
            return All(tuple(map(self._formula, condition.operands)))
        if isinstance(condition, Or):
            return Any(tuple(map(self._formula, condition.operands)))
        if isinstance(condition, Imply):
            first, then = map(self._formula, condition.operands)
            return Any((Negation(first), then))
        if isinstance(condition, QuantifiedCondition):
            body = self._formula(condition.condition)
            variables = _variables(condition.variables)
            if not variables:
                return body
            return Quantified(isinstance(condition, UniversalCondition), variables, body)
        fix = "keep only action costs: (increase (total-cost) ...)"
        raise UnsupportedPddl(self._source.file, 0, f"the numeric condition {condition}", fix)

    # --- effects

    def _effects(
        self, effect: object, variables: tuple[Typed, ...], condition: Formula, action: str
    ) -> tuple[tuple[ActionEffect, ...], tuple[float | FunctionValue, ...]]:
        add: list[Atom] = []
        delete: list[Atom] = []
        nested: list[ActionEffect] = []
        cost: list[float | FunctionValue] = []
        for part in _parts(effect):
            if isinstance(part, When):
                both = All((condition, self.formula(part.condition)))
                inner, more = self._effects(part.effect, variables, both, action)
            elif isinstance(part, Forall):
                within = (*variables, *_variables(part.variables))
                inner, more = self._effects(part.effect, within, condition, action)
            elif isinstance(part, Increase):
                inner, more = (), self._increase(part, action)
            else:
                inner, more = (), ()
                if isinstance(part, Not):
                    delete.append(_atom(part.argument))
                else:
                    add.append(_atom(part))
            nested.extend(inner)
            cost.extend(more)
        if cost and (variables or condition is not TRUE):
            feature = "a cost that depends on a condition"
            raise self._unsupported(feature, action, "make it an action of its own")
        if add or delete:
            nested.insert(0, ActionEffect(variables, condition, tuple(add), tuple(delete)))
        return tuple(nested), tuple(cost)

    def _increase(self, effect: Increase, action: str) -> tuple[float | FunctionValue, ...]:
        target, amount = effect.operands
        if not isinstance(target, NumericFunction) or str(target.name) != _TOTAL_COST:
            feature = f"a numeric effect on {target}"
            raise self._unsupported(feature, action, "keep only (increase (total-cost) ...)")
        return tuple(self._sum(amount, action))

    def _sum(self, amount: object, action: str) -> Iterator[float | FunctionValue]:
        if isinstance(amount, NumericValue):
            yield float(amount.value)
        elif isinstance(amount, NumericFunction) and str(amount.name) != _TOTAL_COST:
            yield FunctionValue(str(amount.name), tuple(map(_term, amount.terms)))
        elif isinstance(amount, Plus):
            for part in amount.operands:
                yield from self._sum(part, action)
        else:
            feature = f"the cost {amount}"
            fix = "use numbers, functions of the initial state, and their sums"
            raise self._unsupported(feature, action, fix)

    def _unsupported(self, feature: str, action: str, fix: str) -> UnsupportedPddl:
        line = self._source.line_of(action, after=self._source.code.find(":action"))
        return UnsupportedPddl(self._source.file, line, f"{feature}, in action {action},", fix)


def _parts(effect: object) -> Iterator[object]:
    if effect is None:
        return
    if isinstance(effect, (And, Or)):
        for part in effect.operands:
            yield from _parts(part)
    else:
        yield effect


def _variables(variables: frozenset[LibraryVariable]) -> tuple[Typed, ...]:
    return tuple(sorted((_typed(variable) for variable in variables), key=lambda v: v.name))


def _typed(variable: LibraryVariable) -> Typed:
    types = tuple(sorted(map(_own, variable.type_tags)))
    return Typed(str(variable.name), types or (ROOT,))


def _own(name: object) -> str:
    """A name as it stands in the file."""
    return str(name).replace(_ALIAS, ROOT)


def _atom(predicate: Predicate) -> Atom:
    return Atom(_own(predicate.name), tuple(map(_term, predicate.terms)))


def _term(term: LibraryVariable | LibraryConstant) -> PddlTerm:
    name = str(term.name)
    return Constant(name) if isinstance(term, LibraryConstant) else Variable(name)
