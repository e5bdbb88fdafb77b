# SPDX-License-Identifier: Apache-2.0
"""Conditions of rules as application conditions of DPO rules: negations, formulas.

A formula is a nested condition over the pattern P so far, which is the rule's left side to begin
with (Habel, Pennemann, *Correctness of high-level transformation systems relative to nested
conditions*, 2009, section 3):

    exists x: a and f     some P -> P + x + a, at which f holds     positive
    forall x: f           not (exists x: not f)                     negative
    f and g               along P = P, at which f and g hold        positive
    f or g                not (not f and not g)                     negative

An element of an atom may be of a type that does not fit the leg (`not closed(container)`, where
some containers can't be closed). Then the larger pattern gives it the common subtype of both, with
one condition for each largest such subtype: elements of other types satisfy a negation trivially.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Instance,
    InstanceBuilder,
    Rule,
    Schema,
    inclusion,
)
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    list_variables,
    rename_free,
    to_text,
)
from fcp_ros.domain.model import ActionRule, Constraint, Domain
from fcp_ros.domain.vocabulary import common_subtypes


def build_pattern(schema: Schema, types: Mapping[str, str], atoms: Iterable[Atom]) -> Instance:
    """Build a pattern: one element for each name, and one tuple for each atom over the names."""
    builder = InstanceBuilder(schema)
    for name, type_ in types.items():
        builder.add(type_, name)
    for atom in atoms:
        builder.relate(atom.predicate, *(builder.id_of(name) for name in list_variables(atom)))
    # A forbidden pattern may break a functional leg.
    return builder.build(allow_conflicts=True)


@dataclass(frozen=True)
class Scope:
    """A pattern that conditions start from."""

    schema: Schema
    owner: str
    types: Mapping[str, str]
    atoms: tuple[Atom, ...]  # over these names

    @cached_property
    def pattern(self) -> Instance:
        """The pattern itself; the same elements have the same names in larger ones."""
        return build_pattern(self.schema, self.types, self.atoms)

    def forbid(self, atom: Atom) -> tuple[ApplicationCondition, ...]:
        """Build the conditions that no tuple fits an atom; names out of scope fit anything."""
        open_ = {name: f"?{name}" for name in list_variables(atom) if name not in self.types}
        absent = _rename(atom, open_)
        label = f"{self.owner}: not {atom.predicate}({', '.join(list_variables(absent))})"
        return tuple(
            ApplicationCondition(ConditionKind.NAC, label, inclusion(self.pattern, larger.pattern))
            for larger in self._extend({}, (absent,))
        )

    def require(self, formula: Expression, wanted: bool = True) -> ApplicationCondition:
        """Build the condition that a formula holds, or (if it is not `wanted`) that it doesn't.

        `formula`: over relations; its free variables are names of the scope. `wanted`: False to
        require that it does not hold.
        """
        if isinstance(formula, Not):
            return self.require(formula.body, not wanted)
        if isinstance(formula, (And, Or)):
            every = isinstance(formula, And) is wanted
            # "All hold" requires each part; "some holds" forbids that each part fails.
            parts = [self.require(part, wanted is every) for part in formula.parts]
            return self._join(formula, parts, every)
        if isinstance(formula, Forall):
            return self.require(Exists(formula.variables, Not(formula.body)), not wanted)
        assert isinstance(formula, (Atom, Exists)), "conditions of rules are crisp"
        return self._require_exists(formula, wanted)

    def _require_exists(self, formula: Atom | Exists, wanted: bool) -> ApplicationCondition:
        """Extend the pattern by the variables, and by the atoms that must hold of them."""
        variables, atoms, rest = self._open(formula)
        larger = list(self._extend(variables, atoms))
        # Some of several patterns occurs: not (neither this one nor that one).
        kind = ConditionKind.PAC if wanted and len(larger) == 1 else ConditionKind.NAC
        label = f"{self.owner}: {to_text(formula)}"
        found = [
            ApplicationCondition(
                kind,
                label,
                inclusion(self.pattern, scope.pattern),
                nested=tuple(scope.require(part) for part in rest),
            )
            for scope in larger
        ]
        return found[0] if len(found) == 1 else self._join(formula, found, not wanted)

    def _join(
        self, formula: Expression, parts: Sequence[ApplicationCondition], every: bool
    ) -> ApplicationCondition:
        """Build a condition along the identity: each part holds; or (not `every`) one fails."""
        kind = ConditionKind.PAC if every else ConditionKind.NAC
        label = f"{self.owner}: {to_text(formula)}"
        same = inclusion(self.pattern, self.pattern)
        return ApplicationCondition(kind, label, same, nested=tuple(parts))

    def _open(
        self, formula: Expression
    ) -> tuple[dict[str, str], tuple[Atom, ...], tuple[Expression, ...]]:
        """Take an existential conjunction apart: variables with types, atoms, other parts."""
        variables: dict[str, str] = {}
        atoms: list[Atom] = []
        rest: list[Expression] = []
        pending: list[tuple[Expression, bool, Mapping[str, str]]] = [(formula, True, {})]
        while pending:
            current, wanted, names = pending.pop()
            if isinstance(current, Not):
                pending.append((current.body, not wanted, names))
            elif isinstance(current, And if wanted else Or):
                pending.extend((part, wanted, names) for part in reversed(current.parts))
            elif isinstance(current, Exists if wanted else Forall):
                inner = dict(names)
                for variable in current.variables:
                    inner[variable.name] = self._take_fresh_name(variable.name, variables)
                    variables[inner[variable.name]] = variable.type
                pending.append((current.body, wanted, inner))
            elif isinstance(current, Atom) and wanted:
                atoms.append(_rename(current, names))
            else:
                part = rename_free(current, names)
                rest.append(part if wanted else Not(part))
        return variables, tuple(atoms), tuple(rest)

    def _take_fresh_name(self, name: str, taken: Collection[str]) -> str:
        """Return a name that nothing else in the pattern has."""
        found = f"?{name}"
        while found in taken or found in self.types:
            found += "'"
        return found

    def _extend(self, variables: Mapping[str, str], atoms: Sequence[Atom]) -> Iterator[Scope]:
        """List the larger patterns, one for each way in which all names can fit their legs."""
        wanted = {name: {type_} for name, type_ in variables.items()}
        for atom in atoms:
            legs = self.schema.relation(atom.predicate).legs
            for name, (_, type_) in zip(list_variables(atom), legs, strict=True):
                own = {self.types[name]} if name in self.types else set()
                wanted.setdefault(name, own).add(type_)
        fits = [common_subtypes(self.schema.types, together) for together in wanted.values()]
        for chosen in itertools.product(*fits):
            types = {**self.types, **dict(zip(wanted, chosen, strict=True))}
            yield Scope(self.schema, self.owner, types, (*self.atoms, *atoms))


def _rename(atom: Atom, names: Mapping[str, str]) -> Atom:
    renamed = rename_free(atom, names)
    assert isinstance(renamed, Atom), "an atom stays one"
    return renamed


@dataclass(frozen=True)
class RuleSpan:
    """A rule as a span; `parameters` gives the id in `rule.L` of each parameter's element."""

    rule: Rule
    parameters: Mapping[str, int]


class DomainSpans:
    """The spans of a domain's rules and the patterns of its constraints, each built once."""

    def __init__(self, domain: Domain) -> None:
        """Start without any span; they are built when asked for."""
        self._domain = domain
        self._spans: dict[str, RuleSpan] = {}

    def of(self, rule: ActionRule) -> RuleSpan:
        """Return the span of one of the domain's rules (see `build_span`)."""
        if rule.name not in self._spans:
            self._spans[rule.name] = build_span(rule, self._domain.schema)
        return self._spans[rule.name]

    @cached_property
    def constraints(self) -> tuple[tuple[Constraint, Instance], ...]:
        """Each constraint with its pattern (see `build_constraint_pattern`)."""
        schema = self._domain.schema
        return tuple((c, build_constraint_pattern(c, schema)) for c in self._domain.constraints)


def build_span(rule: ActionRule, schema: Schema) -> RuleSpan:
    """Build the DPO rule that an action rule means."""
    # Its elements are named like the parameters. Graded atoms, duration and resources are not part
    # of it: applicability is crisp. Nor are effects (see amalgam.py).
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    kept = tuple(atom for atom in rule.positive() if atom not in rule.delete)
    scope = Scope(schema, rule.name, types, rule.positive())
    left = scope.pattern
    glue = build_pattern(schema, types, kept)
    right = build_pattern(schema, types, (*kept, *rule.add))
    conditions = (
        *(condition for atom in rule.negative() for condition in scope.forbid(atom)),
        *map(scope.require, rule.formulas),
    )
    span = Rule(rule.name, inclusion(glue, left), inclusion(glue, right), conditions)
    return RuleSpan(span, {name: left.id_of(name) for name in types})


def build_constraint_pattern(constraint: Constraint, schema: Schema) -> Instance:
    """Build the pattern that must never newly match: one element for each variable."""
    types = {variable.name: variable.type for variable in constraint.variables}
    return build_pattern(schema, types, constraint.never)
