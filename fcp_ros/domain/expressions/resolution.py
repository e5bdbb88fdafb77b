# SPDX-License-Identifier: Apache-2.0
"""The names of a goal resolved against a domain and a state, and the types of its variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.diagnostics import article
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.parser import MAX_LENGTH, parse_expression
from fcp_ros.domain.expressions.structure import check_structure
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Not,
    Or,
    Preference,
    Term,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    atoms,
    free_variables,
    rebuild,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.domain.model import BUILT_IN, IS_A, SAME, TEXT, Domain, Parameter
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.wording import suggest_name

_ORDINALS = ("first", "second", "third", "fourth", "fifth")


def check_goal(
    expression: Expression, domain: Domain, instance: Instance, text: str = ""
) -> Expression:
    """Resolve the names of a goal.

    Names and quoted strings become `Constant` (an element of the state) or `Text` (words),
    depending on the predicate. A quantifier over a label that is not a type (`exists ?x: mug`)
    becomes one over the label's type, restricted by `is_a`. What a noun of the domain's
    `kinds` stands for takes its place in `is_a`. `instance`: the state whose elements may be
    named. `text`: the user's text, to which the columns of `expression` refer; without it,
    messages show the expression's own text. Returns the goal, ready for the planner; `infer_types`
    gives the types of its free variables. Raises ExpressionError for unknown predicate, element or
    type, wrong number or type of arguments, a variable bound twice or of contradictory types; with
    the column.
    """
    try:
        free = frozenset(free_variables(expression))
        checker = _Resolver(domain, instance, Vocabulary.of(domain), text, free)
        check_structure(expression, domain.graded, text, domain.timed)
        checked = expand_kinds(checker.resolve(expression, {}), domain.words.kinds)
        infer_types(checked, domain, text)
    except ExpressionError:
        if not text:
            own = to_text(expression)
            if len(own) <= MAX_LENGTH:  # the same error, with the place
                check_goal(parse_expression(own), domain, instance, own)
        raise
    return checked


def expand_kinds(goal: Expression, kinds: Mapping[str, Sequence[str]]) -> Expression:
    """Write `is_a(x, "kind")` out as the labels that the kind stands for, itself included."""
    if isinstance(goal, Atom):
        label = goal.arguments[-1] if goal.predicate == IS_A and goal.arguments else None
        kind = normalise_label(label.value) if isinstance(label, Text) else ""
        if kind not in kinds:
            return goal
        labels = dict.fromkeys([*kinds[kind], kind])
        atoms = tuple(replace(goal, arguments=(goal.arguments[0], Text(name))) for name in labels)
        return Or(atoms) if len(atoms) > 1 else atoms[0]
    if isinstance(goal, Or):
        parts: list[Expression] = []
        for part in goal.parts:
            wide = expand_kinds(part, kinds)
            if isinstance(part, Atom) and isinstance(wide, Or):
                # What is said already isn't said again: a goal may be checked more than once.
                parts += [one for one in wide.parts if one == part or one not in goal.parts]
            else:
                parts.append(wide)
        return Or(tuple(parts))
    return rebuild(goal, lambda part: expand_kinds(part, kinds))


@dataclass(frozen=True)
class _Resolver:
    domain: Domain
    instance: Instance
    vocabulary: Vocabulary
    text: str
    free: frozenset[str]

    def _error(self, message: str, column: int) -> ExpressionError:
        return ExpressionError(message, self.text, column)

    def resolve(self, expression: Expression, bound: Mapping[str, str]) -> Expression:
        """Resolve the names of an expression; `bound` types the quantified variables."""
        if isinstance(expression, Atom):
            return self._resolve_atom(expression, bound)
        if isinstance(expression, (Exists, Forall, Count)):
            return self._resolve_quantified(expression, bound)
        return rebuild(expression, lambda part: self.resolve(part, bound))

    # --- quantifiers

    def _resolve_quantified(
        self, expression: Exists | Forall | Count, bound: Mapping[str, str]
    ) -> Expression:
        inner = dict(bound)
        variables: list[TypedVariable] = []
        labels: list[Atom] = []
        for variable in expression.variables:
            if variable.name in inner or variable.name in self.free:
                message = f"?{variable.name} is used outside this quantifier too: rename one."
                raise self._error(message, variable.column)
            type_ = self._resolve_type(variable)
            if type_ != variable.type:
                subject = Variable(variable.name, variable.column)
                labels.append(Atom(IS_A, (subject, Text(variable.type)), variable.column))
            inner[variable.name] = type_
            variables.append(TypedVariable(variable.name, type_, variable.column))
        body = self.resolve(expression.body, inner)
        if labels and isinstance(expression, Forall):
            body = _restrict(body, labels)
        elif labels:
            body = And((*labels, body))
        return replace(expression, variables=tuple(variables), body=body)

    def _resolve_type(self, variable: TypedVariable) -> str:
        """Find the type of a quantified variable: the type named, or that of the label named."""
        if variable.type in self.vocabulary.parents:
            return variable.type
        found = match_label(variable.type, self.domain.mapping.labels)
        if found is not None:
            return found
        known = (*self.vocabulary.parents, *self.domain.mapping.labels)
        message = f"Unknown type {variable.type}: {suggest_name(variable.type, known)}"
        raise self._error(message, variable.column)

    # --- atoms

    def _resolve_atom(self, atom: Atom, bound: Mapping[str, str]) -> Atom:
        signature = self.vocabulary.signature(atom.predicate)
        if signature is None and atom.predicate == IS_A:
            signature = (Parameter("element", ""), Parameter("label", TEXT))
        if signature is None and atom.predicate == SAME:
            signature = (Parameter("element", ""), Parameter("other", ""))
        if signature is None:
            known = (*self.vocabulary.relations, *self.vocabulary.graded, *BUILT_IN)
            fix = suggest_name(atom.predicate, known)
            raise self._error(f"Unknown predicate {atom.predicate}: {fix}", atom.column)
        if len(signature) != len(atom.arguments):
            shape = f"{atom.predicate}({', '.join(p.name for p in signature)})"
            plural = "" if len(signature) == 1 else "s"
            message = (
                f"{atom.predicate} takes {len(signature)} argument{plural}, "
                f"not {len(atom.arguments)}: write {shape}."
            )
            raise self._error(message, atom.column)
        terms = tuple(
            self._resolve_term(atom, position, term, parameter, bound)
            for position, (term, parameter) in enumerate(
                zip(atom.arguments, signature, strict=True)
            )
        )
        if atom.least is not None and atom.predicate not in self.vocabulary.graded:
            message = f"{atom.predicate} has no degree to compare: drop `>=` and what follows."
            raise self._error(message, atom.column)
        return replace(atom, arguments=terms)

    def _resolve_term(
        self, atom: Atom, position: int, term: Term, parameter: Parameter, bound: Mapping[str, str]
    ) -> Term:
        if parameter.type == TEXT:
            return self._resolve_words(atom, term, parameter)
        if isinstance(term, Variable):
            self._check_bound(atom, position, term, parameter, bound)
            return term
        name = term.value if isinstance(term, Text) else term.name
        if not self.instance.has(name):
            raise self._error(self._describe_unknown(name), term.column)
        type_ = self.instance.type_of(self.instance.id_of(name))
        if parameter.type and not self.vocabulary.is_subtype(type_, parameter.type):
            message = (
                f"{name} is {article(type_)}, but {atom.predicate} takes "
                f"{article(parameter.type)} as its {_write_ordinal(position)} argument: "
                "name another element."
            )
            raise self._error(message, term.column)
        return Constant(name, term.column)

    def _resolve_words(self, atom: Atom, term: Term, parameter: Parameter) -> Text:
        if isinstance(term, Variable):
            message = (
                f"{atom.predicate} takes words as its {parameter.name}: "
                f'write them in double quotes, such as "{term.name}".'
            )
            raise self._error(message, term.column)
        return term if isinstance(term, Text) else Text(term.name, term.column)

    def _check_bound(
        self,
        atom: Atom,
        position: int,
        term: Variable,
        parameter: Parameter,
        bound: Mapping[str, str],
    ) -> None:
        """Check that a graded predicate fits all values; a relation is false of the others."""
        type_ = bound.get(term.name)
        if type_ is None or not parameter.type:
            return
        if self.vocabulary.is_subtype(type_, parameter.type):
            return
        meets = self.vocabulary.common_subtypes((type_, parameter.type))
        if meets and atom.predicate in self.vocabulary.relations:
            return
        narrower = f"quantify over {meets[0]}" if meets else "use another variable"
        message = (
            f"?{term.name} is {article(type_)}, but {atom.predicate} takes "
            f"{article(parameter.type)} as its {_write_ordinal(position)} argument: {narrower}."
        )
        raise self._error(message, term.column)

    def _describe_unknown(self, name: str) -> str:
        instance = self.instance
        numbered = name[-1:].isdigit()
        if not numbered and any(is_a(instance, e, name) for e in instance.all_elements()):
            return (
                f"There is no element called {name}: "
                f'for any {name} write ?x and add is_a(?x, "{name}").'
            )
        return f"There is no element called {name}: {suggest_name(name, instance.names())}"


def _restrict(body: Expression, labels: Sequence[Atom]) -> Expression:
    """Restrict the body of a `forall` to elements that go by some labels."""
    # Of any other element it demands nothing, and prefers nothing.
    if isinstance(body, And):
        return And(tuple(_restrict(part, labels) for part in body.parts))
    if isinstance(body, (Forall, Preference)):
        return replace(body, body=_restrict(body.body, labels))
    if isinstance(body, Count) and body.bound is Bound.MOST:
        return replace(body, body=And((*labels, body.body)))
    absent = tuple(Not(atom) for atom in labels)
    if not isinstance(body, TrajectoryConstraint):
        return Or((*absent, body))
    *first, last = body.parts
    if len(body.parts) == 2 and body.operator is not TrajectoryOperator.FIRST_THEN:
        return replace(body, parts=(*first, And((*labels, last))))
    if body.operator is TrajectoryOperator.AT_MOST_ONCE:
        return replace(body, parts=(And((*labels, last)),))
    return replace(body, parts=tuple(Or((*absent, part)) for part in body.parts))


def _write_ordinal(position: int) -> str:
    return _ORDINALS[position] if position < len(_ORDINALS) else f"{position + 1}th"


def infer_types(expression: Expression, domain: Domain, text: str = "") -> Mapping[str, str]:
    """Infer the type of each free variable, in the order of first use.

    It is the largest type that fits every predicate in which the variable occurs. If several types
    fit (a support that can be closed: a fridge, a locker ...), it is the type that graded
    predicates take, otherwise the one of the first predicate; atoms are false of elements that
    don't fit. `is_a` counts only if no other predicate has the variable. `expression`: a goal whose
    names and arities are right (see `check_goal`). `text`: the user's text, to which the columns of
    the expression refer. Raises ExpressionError if no type fits, or several do.
    """
    names = free_variables(expression)
    if not names:  # the atoms of a goal with 20,000 preferences take a while to list
        return {}
    vocabulary, uses = Vocabulary.of(domain), list(atoms(expression))
    return {name: _infer(name, uses, domain, vocabulary, text) for name in names}


def open_goal(goal: Expression, domain: Domain) -> tuple[Expression, dict[str, str]]:
    """Drop the leading `exists` of a goal; return the rest with the types of its free variables.

    A leading existential variable means the same as a free one. A plan states the element that it
    bound it to, so only that choice has to be evaluated. Raises ExpressionError as
    `infer_types` does.
    """
    types = dict(infer_types(goal, domain))
    while isinstance(goal, Exists):
        types.update((variable.name, variable.type) for variable in goal.variables)
        goal = goal.body
    return goal, types


def _infer(name: str, uses: list[Atom], domain: Domain, vocabulary: Vocabulary, text: str) -> str:
    crisp: dict[str, int] = {}
    graded: dict[str, int] = {}
    labels: list[str] = []
    column = 0
    for atom in uses:
        signature = vocabulary.signature(atom.predicate)
        for position, term in enumerate(atom.arguments):
            if not isinstance(term, Variable) or term.name != name:
                continue
            column = column or term.column
            if atom.predicate == IS_A:
                labels.extend(t.value for t in atom.arguments if isinstance(t, Text))
            elif signature is not None:
                types = graded if atom.predicate in vocabulary.graded else crisp
                types.setdefault(signature[position].type, term.column)
    if TEXT in graded:
        message = f"?{name} stands where words are needed: write them in double quotes."
        raise ExpressionError(message, text, graded[TEXT])
    if not crisp and not graded:
        return _infer_from_labels(name, labels, domain, vocabulary, text, column)
    meet = vocabulary.common_subtypes((*graded, *crisp))
    if len(meet) == 1:
        return meet[0]
    if not meet:
        raise _contradict(name, {**graded, **crisp}, text)
    if not graded:
        return next(iter(crisp))
    asked = vocabulary.common_subtypes(graded)
    if len(asked) == 1:
        return asked[0]
    message = (
        f"?{name} could be any of {', '.join(asked)}: "
        f"say which, as in exists ?{name}: {asked[0]} (...)."
    )
    raise ExpressionError(message, text, next(iter(graded.values())))


def _infer_from_labels(
    name: str, labels: Iterable[str], domain: Domain, vocabulary: Vocabulary, text: str, column: int
) -> str:
    for label in labels:
        found = match_label(label, domain.mapping.labels)
        if found is not None:
            return found
        by_words = match_label(label, {t.replace("_", " ").lower(): t for t in vocabulary.parents})
        if by_words is not None:
            return by_words
    roots = [type_ for type_, parents in vocabulary.parents.items() if not parents]
    if len(roots) == 1:
        return roots[0]
    example = f"exists ?{name}: {roots[0]} (...)"
    message = f"Nothing says what ?{name} is: give it a type, as in {example}."
    raise ExpressionError(message, text, column)


def _contradict(name: str, types: Mapping[str, int], text: str) -> ExpressionError:
    words = " and ".join(article(type_) for type_ in types)
    message = f"?{name} would have to be {words}, and nothing is: use two variables."
    return ExpressionError(message, text, max(types.values()))
