# SPDX-License-Identifier: Apache-2.0
"""The use of each predicate in a model: who makes it true, who needs it, of which objects.

A name that is made true and never needed, beside one that is needed and never made true, is the
trace of one predicate with two names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.task_reader import PddlTexts

Objects = frozenset[str]


@dataclass(frozen=True)
class PredicateUse:
    """The use of one predicate."""

    name: str
    declared: tuple[Objects, ...]  # for each argument the objects of its type
    # for each argument the objects that it can be in a state that is reached; empty if none was
    # found
    occurring: tuple[Objects, ...]
    # for each argument the objects of which an action or the goal may need it
    asked: tuple[Objects, ...]
    facts: frozenset[tuple[str, ...]]  # the argument tuples of which it holds initially
    produced: bool
    deleted: bool
    consumed: bool  # needed by an action, as a condition of any kind
    wanted: bool  # it is part of the goal

    @property
    def arity(self) -> int:
        return len(self.declared)

    @property
    def can_hold(self) -> bool:
        """It holds initially, or an action makes it true."""
        return self.produced or bool(self.facts)

    @property
    def is_needed(self) -> bool:
        """An action or the goal needs it."""
        return self.consumed or self.wanted

    @property
    def is_rigid(self) -> bool:
        """It is given, no action changes it, and the goal does not ask for more of it."""
        return self.is_static and not self.wanted

    @property
    def is_static(self) -> bool:
        """It is given, and no action changes it."""
        return bool(self.facts) and not (self.produced or self.deleted)

    @property
    def is_loose(self) -> bool:
        """It can hold, and nobody needs it."""
        return self.can_hold and not self.is_needed

    @property
    def is_missing(self) -> bool:
        """It is needed, and no action makes it true, though it is not rigid."""
        return self.is_needed and not self.produced and not self.is_rigid


def list_atoms(formula: pddl.Formula) -> Iterable[Atom]:
    """List the atoms of a formula, also those that are negated."""
    return (part for part in pddl.subformulas(formula) if isinstance(part, Atom))


def list_condition_names(action: pddl.PddlAction) -> frozenset[str]:
    return frozenset(atom.predicate for atom in list_atoms(action.precondition))


def is_positive(texts: PddlTexts) -> bool:
    """Return True if no condition or goal asks for what does not hold, or about the way there."""
    conditions = [texts.problem.goal]
    for action in texts.domain.actions:
        conditions += [action.precondition, *(effect.condition for effect in action.effects)]
    return not any(
        (isinstance(part, pddl.Negation) and not isinstance(part.body, pddl.Equality))
        or isinstance(part, (pddl.TrajectoryFormula, pddl.PreferenceFormula))
        for formula in conditions
        for part in pddl.subformulas(formula)
    )


class _Survey:
    """Finds the uses of the predicates of one model."""

    def __init__(self, texts: PddlTexts) -> None:
        self._texts = texts
        self._domain, self._problem = texts.domain, texts.problem

    def find_uses(self) -> dict[str, PredicateUse]:
        effects = [effect for action in self._domain.actions for effect in action.effects]
        conditions = [action.precondition for action in self._domain.actions]
        conditions += [effect.condition for effect in effects]
        produced = {atom.predicate for effect in effects for atom in effect.add}
        deleted = {atom.predicate for effect in effects for atom in effect.delete}
        consumed = {atom.predicate for formula in conditions for atom in list_atoms(formula)}
        wanted = {atom.predicate for atom in list_atoms(self._problem.goal)}
        return {
            name: PredicateUse(
                name,
                tuple(self._objects_of(leg) for leg in legs),
                tuple(frozenset(self._places[name, at]) for at in range(len(legs))),
                tuple(frozenset(self._asked[name, at]) for at in range(len(legs))),
                frozenset(self._problem.facts.get(name, frozenset())),
                produced=name in produced,
                deleted=name in deleted,
                consumed=name in consumed,
                wanted=name in wanted,
            )
            for name, legs in self._domain.predicates.items()
        }

    @cached_property
    def _places(self) -> Mapping[tuple[str, int], set[str]]:
        """The objects that each argument can be, by a fixpoint over the actions."""
        # A condition whose predicate has none yet restricts nothing: it may have another name.
        found: dict[tuple[str, int], set[str]] = {
            (name, at): set()
            for name, legs in self._domain.predicates.items()
            for at in range(len(legs))
        }
        for name, tuples in self._problem.facts.items():
            for arguments in tuples:
                for at, one in enumerate(arguments):
                    found[name, at].add(one)
        rules = [(action, self._needs_of(action)) for action in self._domain.actions]
        grows = True
        while grows:
            grows = False
            for action, needs in rules:
                if self._apply(action, needs, found):
                    grows = True
        return found

    @cached_property
    def _asked(self) -> Mapping[tuple[str, int], set[str]]:
        """The objects of which each argument may be needed, by the other conditions beside it."""
        asked: dict[tuple[str, int], set[str]] = {key: set() for key in self._places}
        for atom in list_atoms(self._problem.goal):
            for at, term in enumerate(pddl.terms_of(atom)):
                everything = self._by_types(("object",))
                asked[atom.predicate, at] |= (
                    {term.name} if isinstance(term, Constant) else everything
                )
        for action in self._domain.actions:
            needs = self._needs_of(action)
            for parameter in action.parameters:
                for key in needs.get(parameter.name, ()):
                    others = [one for one in needs[parameter.name] if one[0] != key[0]]
                    asked[key] |= self._limit(parameter, others, self._places)
        return asked

    def _needs_of(self, action: pddl.PddlAction) -> dict[str, list[tuple[str, int]]]:
        """Return the arguments of positive conditions that each parameter fills."""
        needs: dict[str, list[tuple[str, int]]] = {}
        for part in pddl.conjuncts(action.precondition):
            if isinstance(part, Atom):
                for at, term in enumerate(pddl.terms_of(part)):
                    if isinstance(term, Variable):
                        needs.setdefault(term.name, []).append((part.predicate, at))
        return needs

    def _apply(
        self,
        action: pddl.PddlAction,
        needs: Mapping[str, list[tuple[str, int]]],
        found: dict[tuple[str, int], set[str]],
    ) -> bool:
        """Add what an action can make true; return True if that is anything new."""
        values: dict[str, set[str]] = {}
        for parameter in action.parameters:
            values[parameter.name] = self._limit(parameter, needs.get(parameter.name, ()), found)
        grew = False
        for effect in action.effects:
            bound = {v.name: set(self._objects_of(v)) for v in effect.variables}
            for atom in effect.add:
                for at, term in enumerate(pddl.terms_of(atom)):
                    if isinstance(term, Constant):
                        new = {term.name}
                    else:
                        new = bound.get(term.name, values.get(term.name, set()))
                    before = len(found[atom.predicate, at])
                    found[atom.predicate, at] |= new
                    grew |= len(found[atom.predicate, at]) > before
        return grew

    def _limit(
        self,
        parameter: pddl.Typed,
        needs: Iterable[tuple[str, int]],
        found: Mapping[tuple[str, int], set[str]],
    ) -> set[str]:
        """Return the objects that a parameter can be; what nobody makes true restricts nothing."""
        objects = set(self._objects_of(parameter))
        for key in needs:
            if found[key]:
                objects &= found[key]
        return objects

    def _objects_of(self, typed: pddl.Typed) -> Objects:
        return self._by_types(tuple(typed.types))

    def _by_types(self, types: tuple[str, ...]) -> Objects:
        parents = self._problem.types or self._domain.types
        return frozenset(
            one.name for one in self._problem.objects if pddl.is_below(one.types, types, parents)
        )


def find_uses(texts: PddlTexts) -> dict[str, PredicateUse]:
    """Find the use of each predicate in a model. `texts`: the domain and problem of the model."""
    return _Survey(texts).find_uses()


def find_opposites(
    texts: PddlTexts, uses: Mapping[str, PredicateUse], sides: Mapping[str, int]
) -> list[tuple[str, str]]:
    """List pairs of names that seem to deny one another: `closed` and `open`."""
    # In one vocabulary, each action that makes the one true ends the other one, and the reverse. Of
    # two vocabularies, the initial facts of both share the things that they may be about. `sides`:
    # the vocabulary of each predicate.
    effects = [effect for action in texts.domain.actions for effect in action.effects]
    begun = {(atom, number) for number, one in enumerate(effects) for atom in one.add}
    ended = {(atom, number) for number, one in enumerate(effects) for atom in one.delete}

    def changes(changed: set[tuple[Atom, int]], name: str) -> set[tuple[object, int]]:
        return {(atom.arguments, number) for atom, number in changed if atom.predicate == name}

    found = []
    for first, second in combinations(sorted(uses), 2):
        one, other = uses[first], uses[second]
        if not one.arity or one.arity != other.arity:
            continue
        if sides[first] != sides[second]:
            things = {(thing,) for thing in one.declared[0] & other.declared[0]}
            is_split = not one.facts & other.facts and one.facts | other.facts == things
            denied = one.arity == 1 and bool(one.facts and other.facts) and is_split
        else:
            turned, back = changes(begun, first), changes(begun, second)
            is_turned = turned == changes(ended, second) and back == changes(ended, first)
            denied = bool(turned or back) and is_turned
        if denied:
            found.append((first, second))
    return found
