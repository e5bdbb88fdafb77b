# SPDX-License-Identifier: Apache-2.0
"""A planning task that was read from PDDL: its rules' forms, and its names, in PDDL.

- Types keep their names. `a.or.b` is the union of two types, `only.c` the type of the object c
  alone, for objects that actions name.
- A relation without arguments, or with at most one tuple at a time (the place of the robot), gets
  one more leg, `world`, for the only element of type `only.world`: so it is a variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from fcp_ros.cset import Instance, Relation, Schema
from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.expressions.syntax import NAME_PATTERN, Atom, Constant, Expression, Term
from fcp_ros.domain.model import TEXT, ActionRule, Domain
from fcp_ros.domain.pddl.draft_rules import SAME, DraftParameter
from fcp_ros.domain.pddl.syntax_tree import ROOT, Typed
from fcp_ros.domain.pddl.universe import Universe
from fcp_ros.foundation.wording import FreeNames


@dataclass(frozen=True)
class ActionForm:
    """The action of PDDL that a rule stands for."""

    action: str  # name of the action, as the file spells it
    # the rule's parameter for each of the action's; the same one twice if the rule identifies two
    # of them
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class MetricValue:
    """The value of a problem's metric: `constant + factor * cost` of a plan."""

    constant: Fraction = Fraction(0)  # of the metric, with the initial values of its functions
    factor: int = 1  # 1 if it is minimised, -1 if it is maximised

    def compute(self, cost: Fraction) -> Fraction:
        """Compute the value for the cost of a plan: of its steps and of what it gives up."""
        return self.constant + self.factor * cost


@dataclass(frozen=True)
class Replaced:
    """A predicate that is replaced by a relation (`hand-empty`: nothing is held)."""

    relation: str
    positions: tuple[int, ...]  # the positions of the predicate's arguments in the relation
    complement: bool  # True if the predicate holds of arguments without a tuple


@dataclass(frozen=True)
class PddlTask:
    """A domain and a problem."""

    name: str
    domain: Domain  # rules and schema; several rules may stand for one action (see `forms`)
    instance: Instance  # the initial state
    goal: Expression  # checked
    forms: Mapping[str, ActionForm]  # rule name -> its action in PDDL; of `idle` rules, too
    minimises_cost: bool  # the problem minimises total-cost; otherwise each action counts 1
    # actions that change nothing (driving from here to here), as rules; a plan is better without
    # them, so they are not part of the domain
    idle: Mapping[str, ActionRule] = field(default_factory=dict)
    objects: tuple[str, ...] = ()  # names of the problem's objects, as its file spells them
    # relation -> its predicate, and True if it has a leg `world` more
    predicates: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    goal_text: str = ""
    # predicates that only repeat a relation, and have no relation of their own
    replaced: Mapping[str, Replaced] = field(default_factory=dict)
    # remarks on what was read, but may not be meant (an object declared twice)
    notes: tuple[Diagnostic, ...] = ()
    metric: MetricValue = MetricValue()  # the number of steps if the problem has none

    @cached_property
    def _rules(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for rule, form in self.forms.items():
            found.setdefault(form.action.lower(), []).append(rule)
        return {action: tuple(rules) for action, rules in found.items()}

    def rules_of(self, action: str) -> tuple[str, ...]:
        """Return the rules that stand for an action, idle ones last; case does not matter."""
        return self._rules.get(action.lower(), ())

    def rule(self, name: str) -> ActionRule:
        """Return a rule of the domain, or an idle one."""
        return self.domain.rules[name] if name in self.domain.rules else self.idle[name]


WORLD = "world"
"""The leg of relations about the whole state, and the name of its element (if it is free)."""


@dataclass(frozen=True)
class Legs:
    """Positions of a predicate that are keys; `single` if at most one fact holds at a time."""

    functional: tuple[int, ...] = ()
    single: bool = False


@dataclass
class Names:
    """Names for PDDL's names; the types and relations used so far make the schema."""

    universe: Universe
    legs: Mapping[str, Legs]
    world: str = WORLD
    _types: dict[str, list[str]] = field(default_factory=dict)
    _renamed: dict[str, str] = field(default_factory=dict)
    _relations: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Take over the types, and give relations names that no type has."""
        taken = FreeNames()
        for type_ in (TEXT, "is_a", "and", "or", "not", "exists", "forall"):
            taken.take(type_)
        for type_ in (ROOT, *self.universe.parents):
            self._renamed[type_] = taken.take(type_)
        for type_ in (ROOT, *self.universe.parents):
            above = self.universe.parents.get(type_, ())
            self._types[self._renamed[type_]] = [self._renamed[parent] for parent in above]
        for predicate in (*sorted(self.universe.domain.predicates), SAME, ""):
            wanted = {SAME: "same", "": "always"}.get(predicate, predicate)
            # Goals write names without quotes; PDDL's may begin with a digit.
            fits = NAME_PATTERN.match(wanted) is not None
            self._relations[predicate] = taken.take(wanted if fits else f"_{wanted}")
        elements = FreeNames()
        for spelt in self.universe.problem.spelling.values():
            elements.take(spelt)
        self.world = elements.take(WORLD)

    # --- types

    def name_type(self, types: Sequence[str]) -> str:
        # A type below another one of them adds nothing: with it the union would be above itself.
        ancestors = {type_: self.universe.ancestors(type_) for type_ in types}
        wide = [t for t in ancestors if not any(t != o and o in ancestors[t] for o in ancestors)]
        names = sorted(self._renamed[type_] for type_ in wide)
        if len(names) == 1:
            return names[0]
        union = ".or.".join(names)
        if union not in self._types:
            above = set.intersection(*(set(ancestors[t]) for t in wide))
            higher = {up for t in above for up in self.universe.ancestors(t) if up != t}
            self._types[union] = sorted(self._renamed[t] for t in above - higher)
            for name in names:
                self._types[name].append(union)
        return union

    def name_single_type(self, constant: str) -> str:
        """Name the type of one object alone, or of the world."""
        name = f"only.{constant}"
        if name not in self._types:
            own = self.universe.type_of.get(constant)
            self._types[name] = [] if own is None else [self._renamed[own]]
        return name

    def name_parameter_type(self, parameter: DraftParameter) -> str:
        if parameter.constant is not None:
            return self.name_single_type(parameter.constant)
        return self.name_type(parameter.types)

    def name_element_type(self, name: str) -> str:
        """Name the type of an object; call it after all rules are built."""
        only = f"only.{name}"
        return only if only in self._types else self._renamed[self.universe.type_of[name]]

    # --- relations

    def name_relation(self, predicate: str) -> str:
        """Name the relation of a predicate; the empty name is the one that always holds."""
        return self._relations[predicate]

    def is_worldly(self, predicate: str) -> bool:
        """Return True if the predicate's relation has the leg `world`."""
        if predicate in ("", SAME):
            return predicate == ""
        arity = len(self.universe.domain.predicates[predicate])
        return arity == 0 or self.legs.get(predicate, Legs()).single

    def describe_relations(self) -> dict[str, tuple[str, bool]]:
        """Return the predicate of each relation, and True if the relation has the leg `world`."""
        plain = {SAME: "=", "": "and"}
        return {
            relation: (plain.get(predicate, predicate), self.is_worldly(predicate))
            for predicate, relation in self._relations.items()
        }

    def translate_atom(self, atom: Atom, terms: Mapping[Term, Term], world: Term) -> Atom:
        """Translate an atom; terms that are not mapped stay."""
        arguments = tuple(terms.get(term, term) for term in atom.arguments)
        if self.is_worldly(atom.predicate):
            arguments = (world, *arguments)
        return Atom(self.name_relation(atom.predicate), arguments)

    def translate_object(self, name: str) -> Constant:
        return Constant(self.universe.problem.spelling[name])

    # --- the schema

    def build_schema(self, name: str, extra: Iterable[str]) -> Schema:
        """Build the schema of all that has been named; `extra`: SAME and "" if they are used."""
        relations = [
            self._build_relation(predicate, legs)
            for predicate, legs in sorted(self.universe.domain.predicates.items())
        ]
        for predicate in extra:
            legs = (Typed("left"), Typed("right")) if predicate == SAME else ()
            relations.append(self._build_relation(predicate, legs))
        types = {type_: tuple(sorted(set(above))) for type_, above in self._types.items()}
        return Schema(name, types, relations=tuple(relations))

    def _build_relation(self, predicate: str, parameters: Sequence[Typed]) -> Relation:
        free = FreeNames()
        found = self.legs.get(predicate, Legs())
        legs: list[tuple[str, str]] = []
        functional: list[str] = []
        if self.is_worldly(predicate):
            legs.append((free.take(WORLD), self.name_single_type(self.world)))
            functional.append(WORLD)
        for position, parameter in enumerate(parameters):
            legs.append((free.take(parameter.name), self.name_type(parameter.types)))
            if position in found.functional:
                functional.append(legs[-1][0])
        static = predicate in ("", SAME) or self.universe.is_static(predicate)
        return Relation(self.name_relation(predicate), tuple(legs), tuple(functional), static)


_CALL = re.compile(r"""(?<![\w-])([\w-]+)\(((?:"[^"]*"|[^()"])*)\)""")
_NEGATION = re.compile(r"\bnot (\([^()]*\))")
_RULE = re.compile(r"\brule '?([\w-]+)'?")


class PddlNotation:
    """Writes facts, steps and sentences about one task in PDDL."""

    def __init__(self, task: PddlTask) -> None:
        self._forms = task.forms
        self._rules = {name: task.rule(name).parameter_names for name in task.forms}
        self._predicates = task.predicates
        self._arities = {
            relation.name: len(relation.legs) for relation in task.domain.schema.relations
        }

    def write_step(self, rule: str, arguments: Mapping[str, str]) -> str:
        """Write a step as `(action object ...)`.

        `arguments`: the object for each parameter of the rule.
        """
        form = self._forms[rule]
        return _write(form.action, [arguments[name] for name in form.parameters])

    def write_sentence(self, text: str) -> str:
        """Write a sentence with its facts, steps and rules in PDDL; all else stays as it is."""
        text = text.replace(f" for each {WORLD}.", " at a time.")
        text = _NEGATION.sub(r"(not \1)", _CALL.sub(self._translate_call, text))
        return _RULE.sub(self._translate_rule, text)

    def _translate_call(self, found: re.Match[str]) -> str:
        name, inner = found.groups()
        arguments = [word.strip().strip('"') for word in inner.split(",")] if inner else []
        if self._arities.get(name) == len(arguments):
            predicate, has_world = self._predicates[name]
            return _write(predicate, arguments[has_world:])
        parameters = self._rules.get(name)
        if parameters is not None and len(parameters) == len(arguments):
            return self.write_step(name, dict(zip(parameters, arguments, strict=True)))
        return found.group()

    def _translate_rule(self, found: re.Match[str]) -> str:
        form = self._forms.get(found.group(1))
        return found.group() if form is None else f"action {form.action}"


def _write(name: str, arguments: Sequence[str]) -> str:
    return f"({' '.join((name, *arguments))})"
