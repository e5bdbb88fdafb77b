# SPDX-License-Identifier: Apache-2.0
"""Draft rules, initial facts and goal put together as `Domain`, `Instance` and `Expression`."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from fcp_ros.cset import Instance, InstanceBuilder, Schema
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.domain.derived_facts import FactDerivation
from fcp_ros.domain.expressions.syntax import Atom, Expression, Variable
from fcp_ros.domain.model import ActionRule, Domain, Duration, Effect, Literal, Parameter, Stratum
from fcp_ros.domain.pddl.definitions import Definitions
from fcp_ros.domain.pddl.expression_writer import FormulaWriter
from fcp_ros.domain.pddl.names import Legs, Names
from fcp_ros.domain.pddl.rules.draft import SAME, DraftEffect, DraftRule
from fcp_ros.domain.pddl.rules.universe import Universe
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import Formula
from fcp_ros.domain.pddl.task import ActionForm, PddlTask, Replaced
from fcp_ros.domain.scene_mapping import SceneMapping

DraftStratum = tuple[tuple[str, ...], tuple[DraftRule, ...]]
"""Derived predicates and the rules that derive them."""

_STEP_SECONDS = 1.0
"""The duration of each action, which PDDL without durative actions does not state."""


def assemble(
    universe: Universe,  # types, objects, initial facts
    drafts: Sequence[DraftRule],
    legs: Mapping[str, Legs],  # functional legs of each predicate
    # of the problem, and the costs of its preferences by their names
    goal: tuple[Formula, Mapping[str, Fraction]],
    sources: Sequence[Source],  # domain and problem file
    definitions: Definitions,
    check: Callable[[], None],
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
        goal: tuple[Formula, Mapping[str, Fraction]],
        sources: Sequence[Source],
        check: Callable[[], None],
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
        self, formulas: Iterable[Formula], names: Sequence[str], world: str
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
