# SPDX-License-Identifier: Apache-2.0
"""Replace rules: actions that give a fact another name, at a penalty.

A rule takes the fact from the one name and gives it to the other. If it only added the other one,
the first would outlive it: an action that ends the fact knows one name only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.alignment.candidates.proposals import Proposal
from fcp_ros.alignment.names.predicate_use import PredicateUse
from fcp_ros.alignment.names.synonyms import ANY, Synonym
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl.reader import PddlTexts
from fcp_ros.domain.pddl.syntax.tree import (
    TOTAL_COST,
    ActionEffect,
    FunctionValue,
    Metric,
    NumericChange,
    PddlAction,
    PddlTerm,
    Typed,
)

_COST = FunctionValue(TOTAL_COST)


@dataclass(frozen=True)
class ModelWithRules:
    """A model with replace rules.

    Attributes:
        texts: the model.
        rules: the synonym of each replace rule, by the name of its action.
    """

    texts: PddlTexts
    rules: Mapping[str, Synonym]


def add_replace_rules(
    texts: PddlTexts,
    proposals: Iterable[Proposal],
    uses: Mapping[str, PredicateUse],
    *,
    keep: bool = False,
) -> ModelWithRules:
    """Return a model with replace rules, whose plans minimise actions and penalties.

    Args:
        texts: of the model.
        proposals: the synonyms to be used, each in both directions where that can be of use.
        uses: of the predicates of the model.
        keep: a fact keeps its first name as well. Where all conditions are positive, no plan then
            means that there is none under any of the synonyms.
    """
    domain, problem = texts.domain, texts.problem
    taken = {action.name for action in domain.actions}
    actions = list(domain.actions)
    if not problem.minimises_cost:
        actions = [_with_cost(action, 1) for action in actions]
    rules: dict[str, Synonym] = {}
    for proposal in proposals:
        for rule in _list_rules(proposal, uses, keep):
            number = len(rules)
            while (name := f"replace-{number}") in taken:
                number += 1
            taken.add(name)
            rules[name] = proposal.synonym
            actions.append(replace(rule, name=name, spelling=name))
    return ModelWithRules(
        replace(
            texts,
            domain=replace(
                domain,
                actions=tuple(actions),
                functions={**domain.functions, TOTAL_COST: ()},
            ),
            problem=replace(
                problem,
                metric=Metric(True, _COST),
                values={**problem.values, TOTAL_COST: {(): Fraction(0)}},
            ),
        ),
        rules,
    )


def _list_rules(
    proposal: Proposal, uses: Mapping[str, PredicateUse], keep: bool
) -> Iterator[PddlAction]:
    """Build the rules of a synonym, one for each direction that can be of use.

    A projection from any object gives the name with fewer arguments only. Its other name is true as
    well, where it holds.
    """
    synonym = proposal.synonym
    names = [f"x{number}" for number in range(synonym.arity)]
    extended: list[PddlTerm] = list(map(Variable, names))
    source = Atom(synonym.source, tuple(extended))
    for number, filler in enumerate(synonym.fillers):
        if filler == ANY:
            names.append(f"any{number}")
        extended.append(Variable(names[-1]) if filler == ANY else Constant(filler))
    target = Atom(synonym.target, tuple(extended[place] for place in synonym.places))
    ways = [(source, target)] if ANY not in synonym.fillers else []
    for before, after in (*ways, (target, source)):
        if uses[before.predicate].can_hold and uses[after.predicate].is_needed:
            effect = ActionEffect(add=(after,), delete=() if keep else (before,))
            rule = PddlAction("", tuple(map(Typed, names)), before, (effect,))
            yield _with_cost(rule, proposal.penalty)


def _with_cost(action: PddlAction, cost: int) -> PddlAction:
    """Return an action that adds a cost, and no other."""
    without = (
        replace(effect, numeric=tuple(one for one in effect.numeric if one.target != _COST))
        for effect in action.effects
    )
    change = NumericChange("increase", _COST, Fraction(cost))
    return replace(action, effects=(*without, ActionEffect(numeric=(change,))))
