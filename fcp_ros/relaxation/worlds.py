# SPDX-License-Identifier: Apache-2.0
"""Other worlds to plan in: elements taken for another type, help that is asked for, more things.

The first two are relaxations: a plan made in such a world says so, and its goal carries the degree.
Things that are not there serve only to say what is missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain.expressions.evaluation import CATEGORY
from fcp_ros.domain.expressions.syntax import Atom, Constant, Expression, Not, Text, conjoin
from fcp_ros.domain.model import SAME, ActionRule, Domain, ShiftRule
from fcp_ros.domain.shifting import Shifts, shift_elements
from fcp_ros.foundation.labels import match_label
from fcp_ros.fuzzy import EPSILON, TNorm
from fcp_ros.planning.conflicts import GoalProofs
from fcp_ros.planning.model.memberships import Judge
from fcp_ros.planning.model.result import RelaxationKind
from fcp_ros.planning.session import PlanningSession
from fcp_ros.relaxation.requirements import (
    AS_WANTED,
    Form,
    GoalChange,
    Requirement,
    RequirementChoice,
    make_choice,
)
from fcp_ros.relaxation.substitution import RefusedChange
from fcp_ros.relaxation.weakening import list_best, weigh

MOST_SHIFTED = 2
"""Elements that are taken for another type at once."""
MOST_WORLDS = 200
"""Other worlds that are looked at."""

MakeProofs = Callable[[PlanningSession, Instance], GoalProofs]


@dataclass(frozen=True)
class PlanningWorld:
    """A domain and a state to plan in; `shifts`: elements that are taken for another type."""

    instance: Instance
    session: PlanningSession
    proofs: GoalProofs
    shifts: Shifts = ()

    @property
    def domain(self) -> Domain:
        return self.session.domain


@dataclass(frozen=True, slots=True)
class _Shift:
    """One element that is taken for another type: the change, and the atom that judges it."""

    change: GoalChange
    judged: Expression | None
    shift: tuple[str, str]


def remove_asking(domain: Domain) -> Domain:
    """Return the domain without the rules that ask a person."""
    asking = domain.relaxing.ask
    if not asking:
        return domain
    rules = {name: rule for name, rule in domain.rules.items() if name not in asking}
    used = {name: {rule for rule, _ in one.steps} for name, one in domain.chunks.items()}
    chunks = {n: one for n, one in domain.chunks.items() if used[n].isdisjoint(asking)}
    return replace(domain, rules=rules, chunks=chunks)


class WorldStream:
    """The worlds to plan in, best first, as choices; number 0 is the world as it is."""

    def __init__(
        self,
        whole: Domain,
        here: PlanningWorld,
        tnorm: TNorm,
        make_proofs: MakeProofs,
        judge: Judge,
    ) -> None:
        self._whole = whole
        self._here = here
        self._tnorm = tnorm
        self._make_proofs = make_proofs
        self._judge = judge
        self._made: dict[int, PlanningWorld] = {0: here}
        self.requirement = Requirement(Form.HARD, ())
        self.refused: list[RefusedChange] = []
        # upper bound of the degree of worlds that are not looked at, as they are too many
        self.left_out = 0.0

    @cached_property
    def found(self) -> Sequence[RequirementChoice]:
        return [AS_WANTED, *(choice for choice, _, _ in self._listed)]

    def find(self, number: int) -> RequirementChoice | None:
        """Return a choice by its number; None if there are not so many."""
        if number == 0:
            return AS_WANTED
        return self.found[number] if number < len(self.found) else None

    def make(self, number: int) -> PlanningWorld:
        known = self._made.get(number)
        if known is None:
            _, shifts, asks = self._listed[number - 1]
            domain = self._whole if asks else self._here.domain
            instance = self._here.instance
            if shifts:
                domain, instance = shift_elements(domain, instance, shifts)
            session = PlanningSession(domain)
            known = PlanningWorld(instance, session, self._make_proofs(session, instance), shifts)
            self._made[number] = known
        return known

    @cached_property
    def _listed(self) -> list[tuple[RequirementChoice, Shifts, bool]]:
        """The choices, with the shifts of each, and True for those that ask."""
        found = [*self._list_shifts(), *self._list_asking()]
        found.sort(key=lambda one: -one[0].degree)
        for choice, _, _ in found[MOST_WORLDS:]:
            self._leave_out(choice.degree)
        return found[:MOST_WORLDS]

    def _leave_out(self, degree: float) -> None:
        self.left_out = max(self.left_out, degree)

    def _list_asking(self) -> Iterator[tuple[RequirementChoice, Shifts, bool]]:
        asking = {
            name: degree
            for name, degree in self._whole.relaxing.ask.items()
            if self._can_stand_for_all(self._whole.rules[name])
        }
        if asking:
            degree = min(asking.values())
            what = " or ".join(asking)
            change = GoalChange(RelaxationKind.ASK, "without help", what, degree)
            yield self._make_choice([(change, None)]), (), True

    def _can_stand_for_all(self, rule: ActionRule) -> bool:
        elements = self._here.instance.elements
        return all(any(True for _ in elements(one.type)) for one in rule.parameters)

    def _list_shifts(self) -> Iterator[tuple[RequirementChoice, Shifts, bool]]:
        # Of many the best ones count, whatever their names are.
        single = sorted(self._list_single(), key=lambda one: -one.change.degree)
        for number in range(1, MOST_SHIFTED + 1):
            lists = [[one.change.share for one in single]] * number
            for indices in list_best(lists, self._tnorm, True, self._leave_out, MOST_WORLDS):
                chosen = [single[index] for index in indices]
                shifts = tuple(one.shift for one in chosen)
                if len({name for name, _ in shifts}) == number:
                    choice = self._make_choice([(one.change, one.judged) for one in chosen])
                    yield choice, shifts, False

    def _list_single(self) -> Iterator[_Shift]:
        """List the elements that may be taken for another type; those of a rule are one batch."""
        for rule in self._whole.relaxing.shifts:
            words = rule.to.replace("_", " ")
            elements = self._find_shiftable(rule)
            if rule.by:
                self._judge.judge((rule.by, (name, words)) for name in elements)
            for name in elements:
                judged, degree = None, rule.degree
                if rule.by:
                    judged = Atom(rule.by, (Constant(name), Text(words)))
                    degree = self._judge.degree(rule.by, (name, words))
                if degree > EPSILON:
                    change = GoalChange(RelaxationKind.SHIFT, name, words, degree, rule.because)
                    yield _Shift(change, judged, (name, rule.to))

    def _find_shiftable(self, rule: ShiftRule) -> list[str]:
        instance, schema = self._here.instance, self._here.domain.schema
        return [
            instance.name_of(element)
            for element in instance.elements(rule.of)
            if rule.to not in schema.ancestors(instance.type_of(element))
        ]

    def _make_choice(
        self, changes: Sequence[tuple[GoalChange, Expression | None]]
    ) -> RequirementChoice:
        """Make a choice whose condition has the degree of its changes in any state."""
        parts = []
        some = Constant(next(iter(self._here.instance.names())))
        for change, atom in changes:
            never = Not(Atom(SAME, (some, some)))
            parts += [atom] if atom is not None else weigh(1.0 - change.degree, never)
        expression = conjoin(parts) if parts else Atom(SAME, (some, some))
        return make_choice(expression, [change for change, _ in changes], self._tnorm)


def add_elements(
    domain: Domain, instance: Instance, lacking: Mapping[str, tuple[str, int]]
) -> Instance | None:
    """Add elements that are missing, each where something like it is; None if there is no such.

    Args:
        lacking: label -> a type of such elements, and their number.
    """
    builder = InstanceBuilder.of(instance)
    for label, (type_, number) in lacking.items():
        own = match_label(label, domain.mapping.labels) or type_
        own = own if domain.schema.has_type(own) else type_
        alike = _find_alike(instance, (own, type_))
        if alike is None:
            return None
        for _ in range(number):
            _copy_element(builder, instance, alike, own, label)
    return builder.build(allow_conflicts=True)


def _find_alike(instance: Instance, types: Sequence[str]) -> int | None:
    """Find an element of one of the types, or of the nearest kind above them, but not of any."""
    level = list(dict.fromkeys(types))
    parents = instance.schema.types
    while level:
        for type_ in level:
            for element in instance.elements(type_) if parents[type_] else ():
                return element
        level = list(dict.fromkeys(above for type_ in level for above in parents[type_]))
    return next((element for type_ in types for element in instance.elements(type_)), None)


def _copy_element(
    builder: InstanceBuilder, instance: Instance, like: int, type_: str, label: str
) -> None:
    """Add an element with a label, and with the facts of another one as far as they fit."""
    names = (f"missing {label} {number}" for number in itertools.count(1))
    name = next(one for one in names if not builder.has(one))
    schema = instance.schema
    known = {attribute.name for attribute in schema.attributes_of(type_)}
    given = {**instance.attributes(like), CATEGORY: label}
    made = builder.add(type_, name, {key: given[key] for key in given if key in known})
    for relation in schema.relations:
        for elements in instance.tuples(relation.name).values():
            if like not in elements:
                continue
            legs = list(zip(relation.legs, elements, strict=True))
            taken = any(leg in relation.functional and e != like for (leg, _), e in legs)
            fits = all(schema.is_subtype(type_, leg) for (_, leg), e in legs if e == like)
            if fits and not taken:
                builder.relate(relation.name, *(made if e == like else e for e in elements))
