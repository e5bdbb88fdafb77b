# SPDX-License-Identifier: Apache-2.0
"""Rules as DPO: conditions as application conditions, effects amalgamated into one ground span.

      L  <-----------------  K  ----------------->  R
    what the rule and        L minus what           K plus what
    all its effects matched  any of them deletes    any of them adds

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

A rule with effects is an interaction scheme: the rule is the kernel rule, each effect a multi-rule
that extends it. For one match of the rule, take all matches of each effect in the same state (not
monic: a variable of an effect may be the same element as a parameter), and apply their amalgamation
once (Ehrig, Golas, Habel, Lambers, Orejas, M-adhesive transformation systems with nested
application conditions, part 2, 2012: amalgamation). Additions win over deletions: a fact that any
of them adds is taken out of L - K.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fcp_ros.cset import (
    ApplicationCondition,
    ConditionKind,
    Fact,
    Instance,
    InstanceBuilder,
    Morphism,
    Rewrite,
    Rule,
    Schema,
    check_match,
    find_homs,
    inclusion,
    rewrite,
)
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    free_variables,
    list_variables,
    rename_free,
    to_text,
)
from fcp_ros.domain.model import ActionRule, Constraint, Domain, Effect
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
    # of it: applicability is crisp. Nor are effects (see `amalgamate`).
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


Ids = Mapping[str, int]
"""Name of a parameter or variable -> id of the element of the state that it is bound to."""


@dataclass
class Changes:
    """The facts that all matches together ask for, delete and add."""

    matched: dict[Fact, None] = field(default_factory=dict)
    delete: dict[Fact, None] = field(default_factory=dict)
    add: dict[Fact, None] = field(default_factory=dict)


def apply_rule(rule: ActionRule, span: RuleSpan, match: Morphism) -> Rewrite:
    """Apply a rule with all its effects.

    `span`: of the rule without its effects (`build_span`). `match`: of `span.rule.L` in the state.
    Returns the state afterwards, or the violations. Its comatch starts at the right side of the
    amalgamated span.
    """
    if not rule.effects:
        return rewrite(span.rule, match)
    violations = check_match(span.rule, match)
    if violations:
        return Rewrite(None, None, violations=violations)
    state = match.target
    bound = {name: match.mapping[id_] for name, id_ in span.parameters.items()}
    ground = amalgamate(rule.name, compute_changes(rule, state, bound), state)
    return rewrite(ground, _build_match(ground.L, state))


def compute_changes(rule: ActionRule, state: Instance, bound: Ids) -> Changes:
    """Compute the changes by the rule and all matches of its effects.

    `bound`: the rule's parameters; its conditions hold there.
    """
    changes = Changes()
    _collect(changes, state, rule.positive(), rule.delete, rule.add, bound)
    for effect in rule.effects:
        for binding in find_effect_matches(rule, effect, state, bound):
            _collect(changes, state, effect.positive(), effect.delete, effect.add, binding)
    return changes


def find_effect_matches(
    rule: ActionRule, effect: Effect, state: Instance, bound: Ids
) -> Iterator[dict[str, int]]:
    """Find the bindings of parameters and variables under which an effect happens, each once."""
    return EffectMatcher(rule, effect, state.schema).find(state, bound)


class EffectMatcher:
    """Finds the matches of one effect; its patterns are built once."""

    def __init__(self, rule: ActionRule, effect: Effect, schema: Schema) -> None:
        self._effect = effect
        self._scopes = [
            (scope.pattern, [scope.require(formula) for formula in effect.formulas])
            for scope in _find_scopes(rule, effect, schema)
        ]

    def find(self, state: Instance, bound: Ids) -> Iterator[dict[str, int]]:
        """Find the bindings in a state, each once; `bound` has the rule's parameters."""
        effect = self._effect
        # Patterns with different types of a variable may match under the same binding.
        seen: set[tuple[int, ...]] = set()
        for pattern, formulas in self._scopes:
            initial = {pattern.id_of(name): id_ for name, id_ in bound.items() if pattern.has(name)}
            for found in find_homs(pattern, state, monic=False, initial=initial):
                chosen = tuple(found.mapping[pattern.id_of(v.name)] for v in effect.variables)
                binding = {
                    **bound,
                    **{v.name: id_ for v, id_ in zip(effect.variables, chosen, strict=True)},
                }
                if chosen in seen or _is_forbidden(effect, state, binding):
                    continue
                if all(formula.violation(found) is None for formula in formulas):
                    seen.add(chosen)
                    yield binding


def amalgamate(name: str, changes: Changes, state: Instance) -> Rule:
    """Build the ground span of a rule's changes in a state; its elements are named like those.

    Facts that the state lacks are not deleted. The name is for messages.
    """
    before = [fact for fact in (*changes.matched, *changes.delete) if _has(state, fact)]
    # Additions win: what is deleted and added stays in K.
    kept = [fact for fact in before if fact not in changes.delete or fact in changes.add]
    elements = dict.fromkeys(n for f in (*before, *changes.add) for n in f.arguments)
    left = _build_part(state, elements, before)
    glue = _build_part(state, elements, kept)
    right = _build_part(state, elements, (*kept, *changes.add))
    return Rule(name, inclusion(glue, left), inclusion(glue, right))


# --- matches of effects


def _find_scopes(rule: ActionRule, effect: Effect, schema: Schema) -> Iterator[Scope]:
    """List the patterns that must match, one for each way to narrow the variables' types."""
    positive = effect.positive()
    asked = {name for atom in positive for name in list_variables(atom)}
    asked.update(name for formula in effect.formulas for name in free_variables(formula))
    wanted = {variable.name: {variable.type} for variable in effect.variables}
    for parameter in rule.parameters:
        if parameter.name in asked:
            wanted[parameter.name] = {parameter.type}
    for atom in positive:
        legs = schema.relation(atom.predicate).legs
        for name, (_, type_) in zip(list_variables(atom), legs, strict=True):
            wanted[name].add(type_)
    fits = [common_subtypes(schema.types, types) for types in wanted.values()]
    for chosen in itertools.product(*fits):
        types = dict(zip(wanted, chosen, strict=True))
        yield Scope(schema, f"an effect of {rule.name}", types, positive)


def _is_forbidden(effect: Effect, state: Instance, binding: Ids) -> bool:
    """Return True if a negated condition of the effect is violated."""
    return any(_occurs(atom, state, binding) for atom in effect.negative())


def _occurs(atom: Atom, state: Instance, binding: Ids) -> bool:
    """Return True if a tuple fits the atom; unbound variables fit anything."""
    names = tuple(list_variables(atom))
    if all(name in binding for name in names):
        legs = tuple(binding[name] for name in names)
        return state.find_tuple(atom.predicate, legs) is not None
    for legs in state.tuples(atom.predicate).values():
        open_: dict[str, int] = {}
        if all(
            binding.get(name, open_.setdefault(name, leg)) == leg
            for name, leg in zip(names, legs, strict=True)
        ):
            return True
    return False


# --- the ground span


def _collect(
    changes: Changes,
    state: Instance,
    matched: Iterable[Atom],
    delete: Iterable[Atom],
    add: Iterable[Atom],
    binding: Ids,
) -> None:
    for atoms, target in ((matched, changes.matched), (delete, changes.delete), (add, changes.add)):
        for atom in atoms:
            arguments = tuple(state.name_of(binding[name]) for name in list_variables(atom))
            target.setdefault(Fact(atom.predicate, arguments))


def _has(state: Instance, fact: Fact) -> bool:
    legs = tuple(state.id_of(name) for name in fact.arguments)
    return state.find_tuple(fact.relation, legs) is not None


def _build_part(state: Instance, elements: Iterable[str], facts: Iterable[Fact]) -> Instance:
    """Build an instance of some elements of a state and facts that need not all hold in it."""
    builder = InstanceBuilder(state.schema)
    for name in elements:
        builder.add(state.type_of(state.id_of(name)), name)
    for fact in facts:
        builder.relate(fact.relation, *map(builder.id_of, fact.arguments))
    # The result of the rewriting is checked for functional legs, not its parts.
    return builder.build(allow_conflicts=True)


def _build_match(left: Instance, state: Instance) -> Morphism:
    """Build the match that maps each element to its namesake."""
    mapping = {id_: state.id_of(left.name_of(id_)) for id_ in left.all_elements()}
    for relation in left.list_filled():
        for row, legs in left.tuples(relation).items():
            found = state.find_tuple(relation, tuple(mapping[leg] for leg in legs))
            assert found is not None, "the left side holds what is in the state"
            mapping[row] = found
    return Morphism(left, state, mapping)
