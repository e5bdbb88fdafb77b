# SPDX-License-Identifier: Apache-2.0
"""Draft rules, initial facts and goal put together as `Domain`, `Instance` and `Expression`."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fcp_ros.cset import Instance, InstanceBuilder, Schema
from fcp_ros.domain.derived_facts import FactDerivation
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    Preference,
    Term,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator, round_time
from fcp_ros.domain.model import ActionRule, Domain, Duration, Effect, Literal, Parameter, Stratum
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.definitions import Definitions
from fcp_ros.domain.pddl.draft_rules import SAME, DraftEffect, DraftRule
from fcp_ros.domain.pddl.pddl_task import ActionForm, Legs, Names, PddlTask, Replaced
from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.universe import Universe
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import FreeNames

Bound = Mapping[Term, Term]


@dataclass
class FormulaWriter:
    """Writes formulas of PDDL as expressions; `used` lists the extra relations that they need."""

    names: Names
    used: dict[str, None] = field(default_factory=dict)
    _world: Term = field(init=False)
    _prices: Mapping[str, Fraction] = field(default_factory=dict)
    _variables: FreeNames = field(default_factory=FreeNames)

    def write_goal(self, formula: pddl.Formula, prices: Mapping[str, Fraction]) -> Expression:
        """Write the goal; one that is true (or false) in any state becomes an atom of `always`.

        `prices`: the cost of each preference; one without a cost is left out.
        """
        self._prices = prices
        self._world = Constant(self.names.world)
        self._variables = FreeNames()
        return self._make_atom(self._write(formula, {}))

    def _make_atom(self, found: Expression | bool) -> Expression:
        if not isinstance(found, bool):
            return found
        self.used[""] = None
        always = Atom(self.names.name_relation(""), (self._world,))
        return always if found else Not(always)

    def write_condition(
        self,
        formula: pddl.Formula,  # over the rule's parameters and objects
        # the rule's parameters, and those of the effect that has the condition
        variables: Iterable[str],
        world: str,  # the rule's parameter for the leg `world`
    ) -> Expression | bool:
        """Write a condition of a rule; return its truth value if it is the same in any state.

        Objects become variables of a type with that object alone: rules name no elements.
        """
        self._world = Variable(world)
        self._variables = FreeNames()
        bound: dict[Term, Term] = {self._world: self._world}
        for name in variables:
            bound[Variable(name)] = Variable(self._variables.take(name))
        self._variables.take(world)
        objects: list[TypedVariable] = []
        for term in dict.fromkeys(pddl.terms_in(formula)):
            if isinstance(term, Constant):
                name = self._take_name(term.name)
                bound[term] = Variable(name)
                objects.append(TypedVariable(name, self.names.name_single_type(term.name)))
        found = self._write(formula, bound)
        if isinstance(found, bool) or not objects:
            return found
        return Exists(tuple(objects), found)

    def _write(self, formula: pddl.Formula, bound: Bound) -> Expression | bool:
        """Write an expression; return its truth value if it is the same in any state."""
        if isinstance(formula, Atom):
            terms = {term: self._write_term(term, bound) for term in formula.arguments}
            return self.names.translate_atom(formula, terms, self._world)
        if isinstance(formula, pddl.Equality):
            return self._write_equality(formula, bound)
        if isinstance(formula, pddl.Negation):
            body = self._write(formula.body, bound)
            return not body if isinstance(body, bool) else Not(body)
        if isinstance(formula, (pddl.Conjunction, pddl.Disjunction)):
            return self._join(formula, bound)
        if isinstance(formula, pddl.TrajectoryFormula):
            return self._write_constraint(formula, bound)
        if isinstance(formula, pddl.PreferenceFormula):
            cost = self._prices.get(formula.name, Fraction(0))
            body = self._make_atom(self._write(formula.body, bound))
            return Preference(0.0, cost, body, formula.name) if cost else True
        assert isinstance(formula, pddl.Quantified), "other formulas have been refused"
        return self._write_quantified(formula, bound)

    def _write_constraint(self, formula: pddl.TrajectoryFormula, bound: Bound) -> Expression | bool:
        parts = [self._write(part, bound) for part in formula.parts]
        if formula.operator == "at end":
            return parts[0]
        operator = TrajectoryOperator(formula.operator)
        if len(parts) > 1:
            parts.reverse()  # the goal language names what is demanded first
        elif isinstance(parts[0], bool):
            return parts[0] or operator is TrajectoryOperator.AT_MOST_ONCE
        times = tuple(map(round_time, formula.times))
        return TrajectoryConstraint(operator, tuple(map(self._make_atom, parts)), times=times)

    def _write_equality(self, formula: pddl.Equality, bound: Bound) -> Expression | bool:
        left, right = self._write_term(formula.left, bound), self._write_term(formula.right, bound)
        if left == right or (isinstance(left, Constant) and isinstance(right, Constant)):
            return left == right
        self.used[SAME] = None
        return Atom(self.names.name_relation(SAME), (left, right))

    def _join(
        self, formula: pddl.Conjunction | pddl.Disjunction, bound: Bound
    ) -> Expression | bool:
        """Join the parts; nested joins of the same kind are flattened, each part is there once."""
        neutral = isinstance(formula, pddl.Conjunction)
        join = And if neutral else Or
        parts: dict[Expression, None] = {}
        for part in formula.parts:
            found = self._write(part, bound)
            if isinstance(found, bool):
                if found is not neutral:
                    return found
            elif isinstance(found, join):
                parts.update(dict.fromkeys(found.parts))
            else:
                parts[found] = None
        if not parts:
            return neutral
        return next(iter(parts)) if len(parts) == 1 else join(tuple(parts))

    def _write_quantified(self, formula: pddl.Quantified, bound: Bound) -> Expression | bool:
        inner = dict(bound)
        typed: list[TypedVariable] = []
        for variable in formula.variables:
            if not self.names.universe.candidates(variable):
                return formula.universal
            name = self._take_name(variable.name)
            inner[Variable(variable.name)] = Variable(name)
            typed.append(TypedVariable(name, self.names.name_type(variable.types)))
        body = self._write(formula.body, inner)
        if isinstance(body, bool):
            return body
        return (Forall if formula.universal else Exists)(tuple(typed), body)

    def _take_name(self, name: str) -> str:
        """Take a free name like this one; the grammar of goals allows no hyphen in variables."""
        given = name.split(".")[1] if name.startswith("each.") else name
        return self._variables.take(re.sub(r"\W", "_", given))

    def _write_term(self, term: Term | pddl.PddlTerm, bound: Bound) -> Term:
        found = bound.get(term)
        if found is not None:
            return found
        assert isinstance(term, Constant), "variables are bound"
        return self.names.translate_object(term.name)


DraftStratum = tuple[tuple[str, ...], tuple[DraftRule, ...]]
"""Derived predicates and the rules that derive them."""

_STEP_SECONDS = 1.0
"""The duration of each action, which PDDL without durative actions does not state."""


def assemble(
    universe: Universe,  # types, objects, initial facts
    drafts: Sequence[DraftRule],
    legs: Mapping[str, Legs],  # functional legs of each predicate
    # of the problem, and the costs of its preferences by their names
    goal: tuple[pddl.Formula, Mapping[str, Fraction]],
    sources: Sequence[Source],  # domain and problem file
    definitions: Definitions,
    check: Check,
    strata: Sequence[DraftStratum] = (),  # the derived predicates with their rules
) -> PddlTask:
    """Put a task together; its state has all facts that follow."""
    names = Names(universe, legs)
    task = _Assembly(universe, names).build(drafts, goal, sources, check, strata)
    return replace(task, replaced=describe_replaced(definitions, names))


class _Assembly:
    def __init__(self, universe: Universe, names: Names) -> None:
        self._universe = universe
        self._names = names
        self._writer = FormulaWriter(names)

    def build(
        self,
        drafts: Sequence[DraftRule],
        goal: tuple[pddl.Formula, Mapping[str, Fraction]],
        sources: Sequence[Source],
        check: Check,
        strata: Sequence[DraftStratum],
    ) -> PddlTask:
        spelling = {a.name: a.spelling for a in self._universe.domain.actions}
        free = FreeNames()
        rules: dict[str, ActionRule] = {}
        idle: dict[str, ActionRule] = {}
        forms: dict[str, ActionForm] = {}
        for draft in sorted(drafts, key=lambda draft: draft.is_idle):
            check()
            rule = self._build_rule(draft.action, draft)
            if rule is None:
                continue
            rule = replace(rule, name=free.take(draft.action))
            (idle if draft.is_idle else rules)[rule.name] = rule
            forms[rule.name] = ActionForm(spelling.get(draft.action, draft.action), draft.arguments)
        derivation = tuple(self._build_stratum(layer, rules_) for layer, rules_ in strata)
        wanted = self._writer.write_goal(*goal)
        extra = dict(self._writer.used)
        every = (*drafts, *(draft for _, rules_ in strata for draft in rules_))
        if any(atom.predicate == SAME for draft in every for atom in draft.atoms()):
            extra[SAME] = None
        schema = self._names.build_schema(self._universe.domain.name, extra)
        domain = replace(self._build_domain(schema, rules, sources), strata=derivation)
        start = self._build_instance(schema, extra)
        instance = FactDerivation(derivation, schema).derive(start, check=check)
        problem = self._universe.problem
        cost = problem.minimises_cost
        return PddlTask(
            problem.name,
            domain,
            instance,
            wanted,
            forms,
            cost,
            idle,
            objects=tuple(problem.spelling.values()),
            predicates=self._names.describe_relations(),
        )

    def _build_domain(
        self, schema: Schema, rules: Mapping[str, ActionRule], sources: Sequence[Source]
    ) -> Domain:
        text = "\0".join(source.text for source in sources)
        return Domain(
            name=self._universe.domain.name,
            version="pddl",
            schema=schema,
            rules=rules,
            graded={},
            constraints=(),
            resources={},
            mapping=SceneMapping({}, {}, self._names.name_type(("object",))),
            source=" ".join(source.file for source in sources),
            content_hash=hashlib.sha256(text.encode()).hexdigest(),
            timed=False,
        )

    # --- rules

    def _build_stratum(self, layer: Iterable[str], drafts: Iterable[DraftRule]) -> Stratum:
        rules = (self._build_rule(draft.action, draft) for draft in drafts if not draft.is_idle)
        relations = tuple(map(self._names.name_relation, layer))
        return Stratum(relations, tuple(rule for rule in rules if rule is not None))

    def _build_rule(self, name: str, draft: DraftRule) -> ActionRule | None:
        """Build a rule; None if one of its formulas is false in any state."""
        world = _take_free_name(self._names.world, draft)
        parameters = [
            Parameter(p.name, self._names.name_parameter_type(p)) for p in draft.parameters
        ]
        names = [parameter.name for parameter in parameters]
        if any(self._names.is_worldly(atom.predicate) for atom in draft.atoms()):
            parameters.append(Parameter(world, self._names.name_single_type(self._names.world)))
        formulas = self._write_conditions(draft.formulas, names, world)
        if formulas is None:
            return None
        effects = (self._build_effect(effect, names, world) for effect in draft.effects)
        return ActionRule(
            name=name,
            parameters=tuple(parameters),
            when=self._build_literals(draft.positive, draft.negative, world),
            add=self._translate_atoms(draft.add, world),
            delete=self._translate_atoms(draft.delete, world),
            graded=(),
            duration=Duration(_STEP_SECONDS),
            uses={},
            executor=draft.action.replace("-", "_"),
            effects=tuple(effect for effect in effects if effect is not None),
            cost=draft.cost,
            formulas=formulas,
        )

    def _build_effect(
        self, drafted: DraftEffect, parameters: Sequence[str], world: str
    ) -> Effect | None:
        """Build an effect; None if one of its formulas is false in any state."""
        variables = tuple(
            Parameter(v.name, self._names.name_parameter_type(v)) for v in drafted.variables
        )
        names = (*parameters, *(variable.name for variable in variables))
        formulas = self._write_conditions(drafted.formulas, names, world)
        if formulas is None:
            return None
        when = self._build_literals(drafted.positive, drafted.negative, world)
        add, delete = (
            self._translate_atoms(drafted.add, world),
            self._translate_atoms(drafted.delete, world),
        )
        return Effect(variables, when, add, delete, formulas)

    def _write_conditions(
        self, formulas: Iterable[pddl.Formula], names: Sequence[str], world: str
    ) -> tuple[Expression, ...] | None:
        """Write formulas without those that are true in any state; None if one is false in any."""
        found: list[Expression] = []
        for formula in formulas:
            written = self._writer.write_condition(formula, names, world)
            if written is False:
                return None
            if not isinstance(written, bool):
                found.append(written)
        return tuple(found)

    def _build_literals(
        self, positive: Iterable[Atom], negative: Iterable[Atom], world: str
    ) -> tuple[Literal, ...]:
        return (
            *(Literal(atom) for atom in self._translate_atoms(positive, world)),
            *(Literal(atom, negated=True) for atom in self._translate_atoms(negative, world)),
        )

    def _translate_atoms(self, atoms: Iterable[Atom], world: str) -> tuple[Atom, ...]:
        return tuple(self._names.translate_atom(atom, {}, Variable(world)) for atom in atoms)

    # --- the initial state

    def _build_instance(self, schema: Schema, extra: Iterable[str]) -> Instance:
        names, spelling = self._names, self._universe.problem.spelling
        builder = InstanceBuilder(schema)
        ids = {n: builder.add(names.name_element_type(n), spelt) for n, spelt in spelling.items()}
        world: tuple[int, ...] = ()
        if schema.has_type(f"only.{names.world}"):
            world = (builder.add(names.name_single_type(names.world), names.world),)
        for predicate, tuples in self._universe.problem.facts.items():
            prefix = world if names.is_worldly(predicate) else ()
            relation = names.name_relation(predicate)
            for arguments in sorted(tuples):
                builder.relate(relation, *prefix, *[ids[name] for name in arguments])
        if SAME in extra:
            for id_ in ids.values():
                builder.relate(names.name_relation(SAME), id_, id_)
        if "" in extra:
            builder.relate(names.name_relation(""), *world)
        return builder.build()


def describe_replaced(definitions: Definitions, names: Names) -> dict[str, Replaced]:
    """Describe the replaced predicates in terms of the domain's relations."""
    found = {}
    for predicate, definition in definitions.items():
        part = definition.part
        shift = int(names.is_worldly(part.predicate))
        found[predicate] = Replaced(
            names.name_relation(part.predicate),
            tuple(position + shift for position in part.order),
            definition.complement,
        )
    return found


def _take_free_name(wanted: str, draft: DraftRule) -> str:
    """Return a name that none of the rule's variables has."""
    taken = Counter(p.name for p in draft.parameters)
    taken.update(v.name for effect in draft.effects for v in effect.variables)
    names = FreeNames()
    for name in taken:
        names.take(name)
    return names.take(wanted)
