# SPDX-License-Identifier: Apache-2.0
"""Noun phrases looked up in the state: constants, or variables with a quantifier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Text,
    TypedVariable,
    Variable,
    atoms,
    substitute,
)
from fcp_ros.domain.model import IS_A, SAME, Domain
from fcp_ros.foundation.labels import match_label
from fcp_ros.language.parsing.trees import HalfOf, Noun, NounPhrase


class Quantifier(Enum):
    """The quantifier of a variable."""

    EXISTS = "exists"
    FORALL = "forall"
    COUNT = "count"
    NONE = "no"


@dataclass(eq=False)
class Referent:
    """A variable of a goal."""

    name: str
    quantifier: Quantifier
    type: str = ""  # a type of the schema, or a label; empty: that of the slot
    # what is true of the values, beside the type
    restrictions: list[Expression] = field(default_factory=list)
    bound: Bound = Bound.AT_LEAST
    number: int = 1
    most: int | None = None  # the most of a range; `number` is the least
    noun: Noun | None = None  # the noun; None for "something"
    types: frozenset[str] = frozenset()  # the types that its values may have; none: any
    plural: bool = False  # referred to by "them"
    listed: tuple[Constant, ...] = ()  # the elements that it may be, if they were named one by one
    # one for all the things that are spoken of beside it ("on one of the tables")
    single: bool = False
    further: bool = False  # one of which it isn't so already ("one more cup")
    whole: Term | None = None  # the things of which it is one or several, if these were spoken of
    apart: tuple[Referent, ...] = ()  # variables of things that it is not ("another one")
    remainder: bool = False  # "the rest", "the others": what is left of several things

    def wrap(self, body: Expression) -> Expression:
        """Bind the variable around a formula."""
        if self.listed:
            return self._name_each(body)
        variables = (TypedVariable(self.name, self.type),)
        if self.quantifier is Quantifier.FORALL:
            absent = tuple(negate(part) for part in self.restrictions)
            return Forall(variables, Or((*absent, body)) if absent else body)
        whole = join([*self.restrictions, body])
        if self.quantifier is Quantifier.EXISTS:
            return Exists(variables, whole)
        if self.quantifier is Quantifier.NONE:
            return Not(Exists(variables, whole))
        return self._count(variables, whole)

    def _count(self, variables: tuple[TypedVariable, ...], whole: Expression) -> Expression:
        count = Count(self.bound, self.number, variables, whole)
        if self.most is None:
            return count
        return join([count, Count(Bound.AT_MOST, self.most, variables, whole)])

    def _name_each(self, body: Expression) -> Expression:
        """Write a formula out for each of the elements; count them where that can't be done."""
        bodies = tuple(substitute(body, {self.name: element}) for element in self.listed)
        most = self.bound is Bound.AT_LEAST
        count = self.quantifier is Quantifier.COUNT and self.most is None
        if self.quantifier is Quantifier.NONE:
            return join([negate(one) for one in bodies])
        if self.quantifier is Quantifier.FORALL or (count and most and self.number == len(bodies)):
            return join(bodies)
        if self.quantifier is Quantifier.EXISTS or (count and most and self.number == 1):
            return Or(bodies) if len(bodies) > 1 else bodies[0]
        same = [Atom(SAME, (Variable(self.name), element)) for element in self.listed]
        kind = Or(tuple(same)) if len(same) > 1 else same[0]
        return self._count((TypedVariable(self.name, self.type),), join([kind, body]))


@dataclass(frozen=True)
class TermGroup:
    """Several things, all of them or, as an alternative, some of them."""

    parts: tuple[Term, ...]
    alternative: bool = False


@dataclass(frozen=True)
class Value:
    """Words or a number in a slot."""

    value: str | int


Term = Constant | Referent | TermGroup | Value


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A noun phrase that could be any of several elements."""

    place: tuple[int, int]  # of the phrase: its first token and the one after the last
    said: str
    candidates: tuple[str, ...]


def join(parts: Sequence[Expression]) -> Expression:
    """Join formulas by "and"; nested conjunctions are flattened."""
    flat: list[Expression] = []
    for part in parts:
        for piece in part.parts if isinstance(part, And) else (part,):
            if piece not in flat:
                flat.append(piece)
    return And(tuple(flat)) if len(flat) > 1 else flat[0]


def negate(formula: Expression) -> Expression:
    """Return the opposite of a formula, without a double "not"."""
    return formula.body if isinstance(formula, Not) else Not(formula)


def list_constants(formula: Expression) -> list[Constant]:
    """List the elements that a formula names."""
    return [t for atom in atoms(formula) for t in atom.arguments if isinstance(t, Constant)]


class VariableMaker:
    """A maker of variables for kinds of things, with types as the goal language takes them."""

    def __init__(self, domain: Domain, instance: Instance, check: Callable[[], None]) -> None:
        self._domain = domain
        self._schema = domain.schema
        self._instance = instance
        self._check = check
        self._count = 0

    def make(self, phrase: NounPhrase, noun: Noun | None, quantifier: Quantifier) -> Referent:
        """Make a variable for a noun phrase; without a noun it may be anything."""
        self._check()
        self._count += 1
        referent = Referent(f"x{self._count}", quantifier, noun=noun)
        if noun is not None and noun.labels:
            self._type_noun(referent, noun)
        self._count_things(referent, phrase)
        return referent

    @staticmethod
    def _count_things(referent: Referent, phrase: NounPhrase) -> None:
        number = phrase.number
        if number is None or referent.quantifier is not Quantifier.COUNT:
            return
        if number.share is HalfOf.MANY:
            referent.bound, referent.number = Bound.MOST, 0
        elif number.share is not None:
            return  # counted when all is known that is said of them
        else:
            referent.bound, referent.number, referent.most = number.bound, number.value, number.most

    def _type_noun(self, referent: Referent, noun: Noun) -> None:
        """Type a variable by a label where the goal language knows it, else by `is_a`."""
        referent.types = self.list_types(noun)
        if len(noun.labels) == 1:
            label = noun.labels[0]
            by_name = {t.replace("_", " ").lower(): t for t in self._schema.types}
            if label in by_name:
                referent.type = by_name[label]
                return
            type_ = match_label(label, self._domain.mapping.labels)
            if type_ is not None and all(
                self._schema.is_subtype(own, type_) for own in referent.types
            ):
                referent.type = label
                return
        referent.type = noun.type
        referent.restrictions.append(self.state_kind(referent.name, noun))

    def state_kind(self, variable: str, noun: Noun) -> Expression:
        """State that a variable is of a kind."""
        atoms = tuple(Atom(IS_A, (Variable(variable), Text(label))) for label in noun.labels)
        return Or(atoms) if len(atoms) > 1 else atoms[0]

    def list_types(self, noun: Noun) -> frozenset[str]:
        """List the types of what a noun names."""
        types = {self._instance.type_of(self._instance.id_of(name)) for name in noun.members}
        if not types and noun.type:
            types = {noun.type}
        return frozenset(types)
