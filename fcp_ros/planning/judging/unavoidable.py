# SPDX-License-Identifier: Apache-2.0
"""Loss that no plan avoids, whatever else there is in the scene.

The goal is regressed through the rules themselves, without looking for elements: a fact that does
not hold has to be made true by some rule, whose graded predicates about the fact's own elements
cost what they cost, and whose conditions have to be made true before. Of several rules the cheapest
counts, of several conditions the dearest; what depends on a free choice counts nothing. So the loss
is a lower bound for all plans, also for those that only a wider task would show.

(The requirements of DESIGN section 4, carried backwards as in hmax: Bonet and Geffner, Planning as
heuristic search, 2001.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

from fcp_ros.cset import Instance
from fcp_ros.domain.expression import Atom, Constant, Text, Variable
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.fuzzy import Composition, TNorm
from fcp_ros.planning.compile.formula import (
    Both,
    Bound,
    Crisp,
    Either,
    Formula,
    Graded,
    Known,
    Negation,
)
from fcp_ros.planning.model.memberships import GradedAtom

DEPTH = 4
"""Rules in a row that a fact is regressed through; what lies further back counts nothing."""

Pattern = tuple[str | None, ...]
"""An element for each leg of a relation; None for any."""


@dataclass(frozen=True, slots=True)
class Least:
    """What fulfilling a formula takes at least.

    Attributes:
        degree: the highest degree that the formula may have, in [0, 1].
        steps: lower bound of the loss of the steps.
        total: lower bound of the loss of the steps and the goal.
        open: graded atoms that are not judged yet, and of which that would raise the total.
    """

    degree: float
    steps: float
    total: float
    open: tuple[GradedAtom, ...] = ()


@dataclass(frozen=True, slots=True)
class _Loss:
    """A lower bound, and the open questions that it rests on.

    Of equal ones the one with questions decides what is dearest (an answer may raise it), and the
    one without decides what is cheapest (no answer will).
    """

    loss: float
    open: tuple[GradedAtom, ...] = ()

    @property
    def rank(self) -> tuple[float, bool]:
        """By what they are compared."""
        return self.loss, bool(self.open)


NOTHING = _Loss(0.0)
NEVER = _Loss(float("inf"))


class UnavoidableLoss:
    """Lower bounds by what is known now.

    Arguments:
        domain: its rules; chunks that are judged as a whole are not looked at.
        instance: the state to start in.
        known: degree of a graded atom in [0, 1], or None as long as it is not judged.
        tnorm: how degrees compose.
    """

    def __init__(
        self,
        domain: Domain,
        instance: Instance,
        known: Callable[[GradedAtom], float | None],
        tnorm: TNorm,
    ) -> None:
        self._domain = domain
        self._instance = instance
        self._known = known
        self._tnorm = tnorm
        self._achievers = _achievers(domain)
        self._relations = {relation.name for relation in domain.schema.relations}
        self._only_one: dict[str, str | None] = {}
        self._facts: dict[tuple[str, Pattern, int], _Loss] = {}

    def of(self, formula: Formula) -> Least:
        """What fulfilling a ground formula takes at least."""
        if isinstance(formula, Crisp):
            fact = self._fact(formula.fact.relation, formula.fact.arguments, DEPTH)
            return Least(1.0, fact.loss, fact.loss, fact.open)
        if isinstance(formula, Graded):
            return self._judged(formula.atom, False)
        if isinstance(formula, Known):
            return self._worth(formula.degree)
        if isinstance(formula, Both):
            # What the goal asks for in degrees is asked about first: it is shared more often.
            parts = sorted(formula.parts, key=lambda part: isinstance(part, Crisp))
            return self._both([self.of(part) for part in parts])
        if isinstance(formula, Either):
            return _cheapest([self.of(part) for part in formula.parts])
        if isinstance(formula, Bound):
            return self.of(formula.body)
        if isinstance(formula, Negation):
            return self._refuted(formula.body)
        inside = self.of(formula.body)
        degree = 1.0 - formula.weight * (1.0 - inside.degree)
        done = self._and(self._tnorm.loss(degree), inside.steps)
        left = self._worth(1.0 - formula.weight)
        return _cheapest([Least(degree, inside.steps, done, inside.open), left])

    # --- formulas

    def _worth(self, degree: float) -> Least:
        return Least(degree, 0.0, self._tnorm.loss(degree))

    def _judged(self, atom: GradedAtom, complement: bool) -> Least:
        degree = self._known(atom)
        if degree is None:
            return Least(1.0, 0.0, 0.0, (atom,))
        return self._worth(1.0 - degree if complement else degree)

    def _refuted(self, formula: Formula) -> Least:
        """The negation of a formula; of larger ones nothing is said."""
        if isinstance(formula, Graded):
            return self._judged(formula.atom, True)
        return Least(1.0, 0.0, 0.0)

    def _both(self, parts: Sequence[Least]) -> Least:
        degree = self._tnorm.compose_all(part.degree for part in parts)
        dearest = max(parts, key=lambda part: (part.steps, bool(part.open)))
        together = self._and(self._tnorm.loss(degree), dearest.steps)
        total = max(together, *(part.total for part in parts))
        # Other facts would have to become dearer than the dearest one first.
        asked = (part.open for part in parts if part.steps == 0.0 or part is dearest)
        return Least(degree, dearest.steps, total, tuple(dict.fromkeys(chain(*asked))))

    def _and(self, one: float, other: float) -> float:
        """Two losses along one plan."""
        return max(one, other) if self._tnorm.composition is Composition.MAXIMUM else one + other

    # --- facts

    def _fact(self, relation: str, pattern: Pattern, depth: int) -> _Loss:
        """What it takes until a fact that fits a pattern holds."""
        key = (relation, pattern, depth)
        found = self._facts.get(key)
        if found is None:
            found = self._facts[key] = self._reached(relation, pattern, depth)
        return found

    def _reached(self, relation: str, pattern: Pattern, depth: int) -> _Loss:
        if self._holds(relation, pattern):
            return NOTHING
        if depth == 0 and relation in self._achievers:
            return NOTHING
        best = NEVER
        for rule, atom in self._achievers.get(relation, ()):
            binding = self._unified(rule, atom, pattern)
            if binding is not None:
                step = self._step(rule, binding, depth)
                best = min(best, step, key=lambda one: one.rank)
        return best

    def _step(self, rule: ActionRule, binding: Mapping[str, str], depth: int) -> _Loss:
        """What it takes until a rule with these parameters has been applied."""
        before = NOTHING
        for condition in rule.positive():
            if condition.predicate not in self._relations:
                continue
            pattern = tuple(_element(term, binding) for term in condition.arguments)
            needed = self._fact(condition.predicate, pattern, depth - 1)
            before = max(before, needed, key=lambda one: one.rank)
        own = self._graded(rule, binding)
        return _Loss(self._and(own.loss, before.loss), (*own.open, *before.open))

    def _graded(self, rule: ActionRule, binding: Mapping[str, str]) -> _Loss:
        """The loss of a step, as far as it is clear what the step is about."""
        degrees: list[float] = []
        open_: list[GradedAtom] = []
        for atom in rule.graded:
            words = [_word(term, binding) for term in atom.arguments]
            if None not in words:
                ground = (atom.predicate, tuple(word for word in words if word is not None))
                degree = self._known(ground)
                if degree is None:
                    open_.append(ground)
                else:
                    degrees.append(degree)
        return _Loss(self._tnorm.loss(self._tnorm.compose_all(degrees)), tuple(open_))

    def _unified(self, rule: ActionRule, atom: Atom, pattern: Pattern) -> dict[str, str] | None:
        """The rule's parameters, as far as a fact that it adds tells them; None if it can't be."""
        binding: dict[str, str] = {}
        for term, element in zip(atom.arguments, pattern, strict=True):
            if element is None:
                continue
            if isinstance(term, Constant):
                if term.name != element:
                    return None
            elif isinstance(term, Variable) and binding.setdefault(term.name, element) != element:
                return None
        for parameter in rule.parameters:
            named = binding.get(parameter.name)
            if named is None:
                only = self._only(parameter.type)
                if only is not None:
                    binding[parameter.name] = only
            elif not self._is_a(named, parameter.type):
                return None
        return binding

    # --- the scene

    def _holds(self, relation: str, pattern: Pattern) -> bool:
        """Whether a fact that fits the pattern holds at first."""
        instance = self._instance
        bound = [(leg, name) for leg, name in enumerate(pattern) if name is not None]
        rows = instance.tuples(relation)
        if not bound:
            return bool(rows)
        ids = [(leg, instance.id_of(name)) for leg, name in bound]
        first, element = ids[0]
        shape = instance.schema.relation(relation)
        at = instance.tuples_at(relation, shape.legs[first][0], element)
        return any(all(rows[row][leg] == id_ for leg, id_ in ids) for row in at)

    def _is_a(self, name: str, type_: str) -> bool:
        instance = self._instance
        return instance.type_of(instance.id_of(name)) in instance.schema.subtypes(type_)

    def _only(self, type_: str) -> str | None:
        """The only element of a type; None where there are several, or none."""
        if type_ not in self._only_one:
            found = list(islice(self._instance.elements(type_), 2))
            self._only_one[type_] = self._instance.name_of(found[0]) if len(found) == 1 else None
        return self._only_one[type_]


def _achievers(domain: Domain) -> dict[str, list[tuple[ActionRule, Atom]]]:
    """Relation -> the rules that add to it, with the atom that does.

    Variables of an effect are renamed to nothing that a rule's parameter is called.
    """
    found: dict[str, list[tuple[ActionRule, Atom]]] = {}
    for rule in domain.rules.values():
        for atom in rule.add:
            found.setdefault(atom.predicate, []).append((rule, atom))
        for effect in rule.effects:
            own = {variable.name for variable in effect.variables}
            for atom in effect.add:
                found.setdefault(atom.predicate, []).append((rule, _renamed(atom, own)))
    return found


def _renamed(atom: Atom, names: set[str]) -> Atom:
    terms = (
        Variable(f"{term.name}'") if isinstance(term, Variable) and term.name in names else term
        for term in atom.arguments
    )
    return Atom(atom.predicate, tuple(terms))


def _element(term: object, binding: Mapping[str, str]) -> str | None:
    if isinstance(term, Variable):
        return binding.get(term.name)
    return term.name if isinstance(term, Constant) else None


def _word(term: object, binding: Mapping[str, str]) -> str | None:
    return term.value if isinstance(term, Text) else _element(term, binding)


def _cheapest(parts: Sequence[Least]) -> Least:
    """A choice of several: each bound by itself, the questions of the cheapest."""
    cheapest = min(parts, key=lambda part: (part.total, bool(part.open)))
    return Least(
        max(part.degree for part in parts),
        min(part.steps for part in parts),
        cheapest.total,
        cheapest.open,
    )
