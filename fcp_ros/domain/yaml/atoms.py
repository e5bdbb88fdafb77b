# SPDX-License-Identifier: Apache-2.0
"""Atoms and conditions of rules and constraints, checked against the vocabulary."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from fcp_ros.domain.diagnostics import Diagnostics, Path, article
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Not,
    Or,
    Term,
    Text,
    Variable,
    Weighted,
    write_term,
)
from fcp_ros.domain.model import BUILT_IN, IS_A, TEXT, Literal, Parameter
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.entries import RelationEntry
from fcp_ros.foundation.wording import suggest_name


class PredicateKind(Enum):
    """The kind of predicate that a place takes."""

    RELATION = "relation"
    GRADED = "graded predicate"
    RULE = "rule"


@dataclass(frozen=True)
class AtomReader:
    """Reads atoms over the given parameters; faults go into the report.

    `parameters` may be written bare; those of unknown type take part in no type check. `owner`
    names the rule, constraint or chunk in messages.
    """

    vocabulary: Vocabulary
    report: Diagnostics
    parameters: Mapping[str, str]
    owner: str

    def read_condition(self, text: str, path: Path) -> Literal | Expression | None:
        """Read a literal, or a formula over relations; None if it is wrong."""
        expression = self._parse(text, path)
        if expression is None:
            return None
        negated = isinstance(expression, Not)
        atom = expression.body if isinstance(expression, Not) else expression
        if not isinstance(atom, Atom):
            return self._read_formula(expression, text, path)
        checked = self.check_atom(atom, PredicateKind.RELATION, text, path, existential=negated)
        return None if checked is None else Literal(checked, negated, self.report.line(path))

    def read_atom(self, text: str, kind: PredicateKind, path: Path) -> Atom | None:
        """Read a plain atom of the given kind; None if it is wrong."""
        expression = self._parse(text, path)
        if expression is None:
            return None
        if not isinstance(expression, Atom):
            message = f"`{text}` in {self.owner} is not a plain atom"
            advice = f"write {kind.value}(argument, ...) only"
            if isinstance(expression, Not):
                advice += "; `not` stands under `when` of the rules alone"
            self.report.add(path, message, advice)
            return None
        return self.check_atom(expression, kind, text, path)

    def read_conditions(
        self, texts: Sequence[str], path: Path
    ) -> tuple[tuple[Literal, ...], tuple[Expression, ...]]:
        """Read conditions as literals and formulas, without those that are wrong."""
        read = [self.read_condition(text, (*path, i)) for i, text in enumerate(texts)]
        literals = tuple(one for one in read if isinstance(one, Literal))
        formulas = (one for one in read if one is not None and not isinstance(one, Literal))
        return literals, tuple(formulas)

    def read_atoms(self, texts: Sequence[str], kind: PredicateKind, path: Path) -> tuple[Atom, ...]:
        """Read atoms, without those that are wrong."""
        read = (self.read_atom(text, kind, (*path, i)) for i, text in enumerate(texts))
        return tuple(atom for atom in read if atom is not None)

    def _parse(self, text: str, path: Path) -> Expression | None:
        try:
            return parse_expression(text)
        except ExpressionError as error:
            place = f" at character {error.column}" if error.column else ""
            message = f"`{text}` in {self.owner}{place}: {error.message}"
            self.report.add(path, message, _suggest_fix(text))
            return None

    # --- formulas

    def _read_formula(self, expression: Expression, text: str, path: Path) -> Expression | None:
        """Read a formula whose atoms fit and whose variables are bound; None if it is wrong."""
        if isinstance(expression, Atom):
            kind = PredicateKind.RELATION
            return self.check_atom(expression, kind, text, path, widely=True)
        if isinstance(expression, Weighted):
            message = f"`{text}` in {self.owner} has a weight"
            self.report.add(path, message, "drop it: conditions hold or do not")
            return None
        if isinstance(expression, (Exists, Forall)):
            return self._read_quantified(expression, text, path)
        if isinstance(expression, Not):
            body = self._read_formula(expression.body, text, path)
            return None if body is None else Not(body)
        if not isinstance(expression, (And, Or)):
            message = f"`{text}` in {self.owner} says more than a condition on one state"
            self.report.add(path, message, "counts, constraints and preferences belong to goals")
            return None
        parts = [self._read_formula(part, text, path) for part in expression.parts]
        read = tuple(part for part in parts if part is not None)
        return type(expression)(read) if len(read) == len(parts) else None

    def _read_quantified(
        self, expression: Exists | Forall, text: str, path: Path
    ) -> Expression | None:
        inner = dict(self.parameters)
        for variable in expression.variables:
            if variable.name in inner:
                message = f"?{variable.name} in `{text}` of {self.owner} is bound already"
                self.report.add(path, message, "rename it")
                return None
            if variable.type not in self.vocabulary.parents:
                message = f"?{variable.name} in `{text}` of {self.owner} has the unknown type"
                fix = suggest_name(variable.type, self.vocabulary.parents)
                self.report.add(path, f"{message} {variable.type}", fix)
                return None
            inner[variable.name] = variable.type
        body = replace(self, parameters=inner)._read_formula(expression.body, text, path)
        return None if body is None else type(expression)(expression.variables, body)

    # --- atoms

    def check_atom(
        self,
        atom: Atom,
        kind: PredicateKind,
        text: str,
        path: Path,
        *,
        existential: bool = False,  # variables that nothing binds stand for anything
        widely: bool = False,  # it is enough that some elements fit: the atom is false of others
    ) -> Atom | None:
        """Resolve the terms of an atom; None if it is wrong."""
        signature = self._find_signature(atom, kind, path)
        if signature is None:
            return None
        if len(signature) != len(atom.arguments):
            shape = f"{atom.predicate}({', '.join(p.name for p in signature)})"
            message = (
                f"`{text}` in {self.owner}: {atom.predicate} takes {len(signature)} arguments, "
                f"not {len(atom.arguments)}"
            )
            self.report.add(path, message, f"write {shape}")
            return None
        terms = [
            self._resolve_term(term, parameter, text, path, existential, widely)
            for term, parameter in zip(atom.arguments, signature, strict=True)
        ]
        good = tuple(term for term in terms if term is not None)
        return Atom(atom.predicate, good, atom.column) if len(good) == len(terms) else None

    def _find_signature(
        self, atom: Atom, kind: PredicateKind, path: Path
    ) -> tuple[Parameter, ...] | None:
        wanted, other = self.vocabulary.relations, self.vocabulary.graded
        other_key = "`graded:`"
        if kind is PredicateKind.GRADED:
            wanted, other = other, wanted
            other_key = "`when:`, `add:` or `delete:`"
        if atom.predicate in wanted:
            return wanted[atom.predicate]
        if atom.predicate in other or atom.predicate in BUILT_IN:
            message = f"{atom.predicate} in {self.owner} is not a {kind.value}"
            fix = f"move it to {other_key}"
            if atom.predicate in BUILT_IN:
                fix = "use a parameter's type" if atom.predicate == IS_A else "it belongs to goals"
        else:
            message = f"unknown {kind.value} {atom.predicate} in {self.owner}"
            fix = suggest_name(atom.predicate, wanted)
        self.report.add(path, message, fix)
        return None

    def _resolve_term(
        self,
        term: Term,
        parameter: Parameter,
        text: str,
        path: Path,
        existential: bool,
        widely: bool,
    ) -> Term | None:
        if isinstance(term, Text) or parameter.type == TEXT:
            return self._resolve_words(term, parameter, text, path)
        name = term.name
        if name not in self.parameters:
            if isinstance(term, Variable) and existential:
                return term
            self._report_unknown(term, text, path, existential)
            return None
        self._check_type(name, parameter, text, path, widely=existential or widely)
        return Variable(name, term.column)

    def _resolve_words(
        self, term: Term, parameter: Parameter, text: str, path: Path
    ) -> Term | None:
        if isinstance(term, Text) and parameter.type == TEXT:
            return term
        if isinstance(term, Text):
            message = f"`{text}` in {self.owner}: {parameter.name} takes a parameter, not words"
            fix = "name a parameter" if self.parameters else "declare a parameter and name it"
        elif self.parameters.get(term.name) == TEXT:
            return Variable(term.name, term.column)
        else:
            message = f"`{text}` in {self.owner}: {parameter.name} takes words"
            fix = f'write them in double quotes: "{term.name}"'
        self.report.add(path, message, fix)
        return None

    def _report_unknown(
        self, term: Variable | Constant, text: str, path: Path, existential: bool
    ) -> None:
        if isinstance(term, Variable) and not existential:
            message = f"?{term.name} in `{text}` of {self.owner} is bound by nothing"
            fix = f"declare {term.name} under parameters, or write exists ?{term.name}: type (...)"
        else:
            message = f"unknown parameter {term.name} in `{text}` of {self.owner}"
            fix = suggest_name(term.name, self.parameters)
            if existential:
                fix += f" For `any at all` write ?{term.name}"
        self.report.add(path, message, fix)

    def _check_type(
        self, name: str, parameter: Parameter, text: str, path: Path, *, widely: bool
    ) -> None:
        """Check the type of a term; `widely`: a common subtype with the parameter is enough."""
        type_ = self.parameters[name]
        known = self.vocabulary.parents
        if type_ not in known and type_ != TEXT:
            return
        if parameter.type not in known or self.vocabulary.is_subtype(type_, parameter.type):
            return
        meets = self.vocabulary.common_subtypes((type_, parameter.type)) if type_ in known else ()
        if widely and meets:
            return
        wanted = article(parameter.type)
        message = f"`{text}` in {self.owner}: {name} is {article(type_)}, where {wanted} is needed"
        narrower = f" (such as {meets[0]})" if meets else ""
        fix = f"give {name} a type that is {wanted}{narrower}, or use another parameter"
        self.report.add(path, message, fix)


def _suggest_fix(text: str) -> str:
    if text.count("(") != text.count(")"):
        return "inside [ ] put each atom in quotes, such as ['on(item, support)']"
    return "write it like on(item, support)"


def write_bare(atom: Atom) -> str:
    """Write the atom as in a domain file, with parameters bare."""
    words = (t.name if isinstance(t, Variable) else write_term(t) for t in atom.arguments)
    return f"{atom.predicate}({', '.join(words)})"


def covers(absent: Atom, atom: Atom, parameters: Collection[str]) -> bool:
    """Return True if `atom` fits the absent pattern, whose other names are existential."""
    if absent.predicate != atom.predicate:
        return False
    bound: dict[str, object] = {}
    for pattern, term in zip(absent.arguments, atom.arguments, strict=True):
        if isinstance(pattern, Variable) and pattern.name not in parameters:
            if bound.setdefault(pattern.name, term) != term:
                return False
        elif pattern != term:
            return False
    return True


def find_functional_conflict(
    atoms: Iterable[Atom], relations: Mapping[str, RelationEntry]
) -> tuple[Atom, Atom, str] | None:
    """Find two different atoms that share a functional leg, and that leg."""
    seen: dict[tuple[str, str, object], Atom] = {}
    for atom in atoms:
        entry = relations[atom.predicate]
        for leg, term in zip(entry.legs, atom.arguments, strict=True):
            if leg in entry.functional:
                other = seen.setdefault((atom.predicate, leg, term), atom)
                if other != atom:
                    return other, atom, leg
    return None
