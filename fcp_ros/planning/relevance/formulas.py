# SPDX-License-Identifier: Apache-2.0
"""Disjunctive and quantified conditions of a rule whose parameters are bound.

What is static is decided by the scene. The rest is an and/or tree of literals over numbered facts,
most often a conjunction, which joins the other conditions of an operator. A disjunction becomes
several operators for one step, or a clause that the encoding keeps as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.planning.model.result import PlanStatus
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.planning.relevance.element_choice import Reach
from fcp_ros.planning.relevance.facts import Elements, FactTable
from fcp_ros.planning.task.lifted import (
    LiftedAtom,
    LiftedCondition,
    LiftedDomain,
    LiftedFormula,
    LiftedJunction,
    LiftedLiteral,
)

TRUE = -1
FALSE = -2


@dataclass(frozen=True, slots=True)
class Junction:
    """A conjunction (`every`) or disjunction of at least two trees, none of its own kind."""

    every: bool
    parts: tuple[Tree, ...]


Tree = int | Junction
"""TRUE, FALSE, a literal (2 * fact, 2 * fact + 1 for its absence), or a junction of trees."""

Literals = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """One way to meet the formulas of an operator."""

    present: tuple[int, ...] = ()
    denied: tuple[int, ...] = ()  # facts that must not hold
    clauses: tuple[Literals, ...] = ()  # sets of literals, in each of which one must hold


MAX_CASES = 32
"""Disjunctions are expanded into at most this many operators for one step."""
MAX_CLAUSES = 256
"""An operator has at most this many clauses, and an effect this many cases."""


class FormulaGrounder:
    """Grounds the formulas of rules."""

    def __init__(self, lifted: LiftedDomain, facts: FactTable, reach: Reach) -> None:
        self._below = lifted.below
        self._facts = facts
        self._reach = reach
        self._known: dict[tuple[LiftedCondition, Elements], Tree] = {}

    def find_cases(
        self,
        owner: str,
        conditions: Sequence[LiftedCondition],
        binding: Elements,
        # decides a literal by the other conditions: TRUE, FALSE, or the literal itself
        decide: Callable[[int], int],
        clauses: bool,  # whether cases may have clauses, so that a few of them will do
    ) -> list[Case]:
        """Find the cases in which all conditions hold; none if they never do."""
        trees = [_substitute(self._ground(one, binding), decide) for one in conditions]
        whole = _join(True, trees)
        if whole in (TRUE, FALSE):
            return [Case()] if whole == TRUE else []
        parts = _list_parts(whole, True)
        literals = frozenset(part for part in parts if isinstance(part, int))
        choices = [part for part in parts if isinstance(part, Junction)]
        cases, kept = [literals], list[Literals]()
        expanded = [(choice, _distribute(choice, True, MAX_CLAUSES)) for choice in choices]
        for choice, some in sorted(expanded, key=lambda one: len(one[1] or range(MAX_CLAUSES))):
            limit = MAX_CASES if clauses else MAX_CLAUSES
            if some is not None and len(cases) * len(some) <= limit:
                cases = [one | other for one in cases for other in some]
                continue
            all_ = _distribute(choice, False, MAX_CLAUSES) if clauses else None
            if all_ is None or len(kept) + len(all_) > MAX_CLAUSES:
                raise Interrupted(PlanStatus.UNSUPPORTED, _explain(owner, conditions))
            kept.extend(tuple(sorted(clause)) for clause in all_)
        return [_make_case(case, kept) for case in _drop_implied(cases)]

    def _ground(self, condition: LiftedCondition, binding: Elements) -> Tree:
        key = (condition, tuple([binding[slot] for slot in condition.reads]))
        found = self._known.get(key)
        if found is None:
            bound = dict(zip(condition.reads, key[1], strict=True))
            found = self._known[key] = self._build(condition.formula, bound)
        return found

    def _build(self, formula: LiftedFormula, binding: dict[int, int]) -> Tree:
        if isinstance(formula, LiftedLiteral):
            return self._build_literal(formula, binding)
        if isinstance(formula, LiftedJunction):
            return _join(formula.every, (self._build(part, binding) for part in formula.parts))
        open_ = dict(zip(formula.slots, formula.types, strict=True))
        return _join(
            formula.every,
            (
                self._build(formula.body, case)
                for case in self._list_matches(formula.guards, open_, binding)
            ),
        )

    def _build_literal(self, formula: LiftedLiteral, binding: dict[int, int]) -> Tree:
        (relation, slots), negated = formula.atom, formula.negated
        elements = tuple([binding[slot] for slot in slots])
        if not relation.changes:
            holds = self._facts.instance.find_tuple(relation.name, elements) is not None
            return TRUE if holds is not negated else FALSE
        type_of = self._facts.instance.type_of
        if any(
            type_of(element) not in kinds
            for element, kinds in zip(elements, relation.kinds, strict=True)
        ) or self._reach.excludes(relation, elements):
            return TRUE if negated else FALSE
        return 2 * self._facts.number(relation, elements) + negated

    def _list_matches(
        self, guards: Sequence[LiftedAtom], open_: dict[int, str], binding: dict[int, int]
    ) -> Iterator[dict[int, int]]:
        """Yield the binding extended by open slots, in all ways that the guards allow."""
        if not guards:
            ranges = [self._facts.instance.elements(type_) for type_ in open_.values()]
            for chosen in itertools.product(*ranges):
                yield {**binding, **dict(zip(open_, chosen, strict=True))}
            return
        guard = min(guards, key=lambda atom: _rank(atom, binding))
        relation, slots = guard
        rest = [atom for atom in guards if atom is not guard]
        bound = tuple([(p, binding[slot]) for p, slot in enumerate(slots) if slot in binding])
        for elements in self._facts.find_initial(relation, bound):
            extended = dict(binding)
            if all(
                extended.setdefault(slot, element) == element
                for slot, element in zip(slots, elements, strict=True)
            ) and all(self._fits(extended[slot], open_[slot]) for slot in slots if slot in open_):
                left = {slot: type_ for slot, type_ in open_.items() if slot not in extended}
                yield from self._list_matches(rest, left, extended)

    def _fits(self, element: int, type_: str) -> bool:
        return self._facts.instance.type_of(element) in self._below(type_)


def _rank(atom: LiftedAtom, binding: dict[int, int]) -> tuple[bool, int]:
    """Rank guards: a functional leg that is bound first, then by the number of open legs."""
    relation, slots = atom
    determined = any(slots[key] in binding for key in relation.keys)
    return not determined, sum(slot not in binding for slot in slots)


def _explain(owner: str, conditions: Sequence[LiftedCondition]) -> str:
    texts = ", ".join(f"`{to_text(condition.expression)}`" for condition in conditions)
    return (
        f"The rule {owner} has the condition {texts}, which can be met in more ways than planning "
        f"supports ({MAX_CLAUSES}): make several rules of it, or drop a part of the condition."
    )


def _make_case(literals: Iterable[int], clauses: Sequence[Literals]) -> Case:
    ordered = sorted(literals)
    return Case(
        tuple(literal >> 1 for literal in ordered if not literal & 1),
        tuple(literal >> 1 for literal in ordered if literal & 1),
        tuple(clauses),
    )


# --- trees


def _join(every: bool, trees: Iterable[Tree]) -> Tree:
    """Join trees; stop at the first that decides the whole."""
    neutral, deciding = (TRUE, FALSE) if every else (FALSE, TRUE)
    parts: dict[Tree, None] = {}
    for tree in trees:
        if tree == deciding:
            return deciding
        for part in _list_parts(tree, every):
            if part == neutral:
                continue
            if isinstance(part, int) and part ^ 1 in parts:
                return deciding
            parts[part] = None
    if len(parts) < 2:
        return next(iter(parts), neutral)
    return Junction(every, tuple(parts))


def _list_parts(tree: Tree, every: bool) -> Sequence[Tree]:
    return tree.parts if isinstance(tree, Junction) and tree.every is every else (tree,)


def _substitute(tree: Tree, decide: Callable[[int], int]) -> Tree:
    if isinstance(tree, Junction):
        return _join(tree.every, [_substitute(part, decide) for part in tree.parts])
    return tree if tree < 0 else decide(tree)


def _distribute(tree: Tree, disjunctive: bool, limit: int) -> list[frozenset[int]] | None:
    """Return the disjunctive (else the conjunctive) normal form; None beyond a number of terms."""
    if not isinstance(tree, Junction):
        return [frozenset((tree,))]
    found: list[frozenset[int]] = []
    if tree.every is not disjunctive:
        for part in tree.parts:
            some = _distribute(part, disjunctive, limit)
            if some is None or len(found) + len(some) > limit:
                return None
            found.extend(some)
        return _drop_implied(found)
    found = [frozenset()]
    for part in tree.parts:
        some = _distribute(part, disjunctive, limit)
        if some is None or len(found) * len(some) > limit * limit:
            return None
        found = _drop_implied(
            one | other
            for one in found
            for other in some
            if not any(literal ^ 1 in one for literal in other)
        )
        if len(found) > limit:
            return None
    return found


def _drop_implied(terms: Iterable[frozenset[int]]) -> list[frozenset[int]]:
    kept: list[frozenset[int]] = []
    for term in sorted(dict.fromkeys(terms), key=len):
        if not any(other <= term for other in kept):
            kept.append(term)
    return kept
