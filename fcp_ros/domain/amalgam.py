# SPDX-License-Identifier: Apache-2.0
"""Rules with conditional and universal effects, as DPO: amalgamated into one ground span.

      L  <-----------------  K  ----------------->  R
    what the rule and        L minus what           K plus what
    all its effects matched  any of them deletes    any of them adds

A rule with effects is an interaction scheme: the rule is the kernel rule, each effect a multi-rule
that extends it. For one match of the rule, take all matches of each effect in the same state (not
monic: a variable of an effect may be the same element as a parameter), and apply their amalgamation
once (Ehrig, Golas, Habel, Lambers, Orejas, M-adhesive transformation systems with nested
application conditions, part 2, 2012: amalgamation). Additions win over deletions: a fact that any
of them adds is taken out of L - K.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset import (
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
from fcp_ros.domain.expressions.syntax import Atom, free_variables, list_variables
from fcp_ros.domain.model import ActionRule, Effect
from fcp_ros.domain.span_conditions import RuleSpan, Scope
from fcp_ros.domain.vocabulary import common_subtypes

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
    """Build the ground span of some changes; its elements are named like the state's.

    Args:
        name: of the rule, for messages.
        changes: of the rule and its effects.
        state: the state before; facts that it lacks are not deleted.
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
