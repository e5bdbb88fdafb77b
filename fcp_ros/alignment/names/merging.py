# SPDX-License-Identifier: Apache-2.0
"""Models in which synonyms are one predicate: planning with them needs no replace rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from fcp_ros.alignment.names.predicate_use import PredicateUse, list_atoms
from fcp_ros.alignment.names.synonyms import NameMapping, Places, Synonym
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.pddl.reader import PddlTexts
from fcp_ros.domain.pddl.syntax.tree import (
    ROOT,
    ActionEffect,
    Formula,
    PddlAction,
    Typed,
    change_parts,
)

Facts = Mapping[str, frozenset[tuple[str, ...]]]
Images = Mapping[str, tuple[str, Places]]
"""The name that a predicate gets, and for each argument the one of before that it is."""


def rank_names(uses: Mapping[str, PredicateUse]) -> Callable[[str], int]:
    """Return the rank by which a name stays: that which the goal has, then what actions need."""

    def rank(name: str) -> int:
        use = uses.get(name)
        own = 10 * ("@" in name)  # such a name can't be written
        return own if use is None else own - 2 * use.wanted - use.consumed

    return rank


def erase_leg_types(texts: PddlTexts) -> PddlTexts:
    """Return a model whose predicates hold of any objects; actions keep their types.

    A fact may then have the name of a predicate that is declared for another type.
    """
    predicates = {
        name: tuple(replace(leg, types=(ROOT,)) for leg in legs)
        for name, legs in texts.domain.predicates.items()
    }
    return replace(texts, domain=replace(texts.domain, predicates=predicates))


def drop_unused(texts: PddlTexts) -> PddlTexts:
    """Return a model without predicates that no action and no goal mentions."""
    formulas = [texts.problem.goal, texts.problem.constraints, texts.domain.constraints]
    used = set()
    for action in texts.domain.actions:
        formulas += [action.precondition, *(effect.condition for effect in action.effects)]
        for effect in action.effects:
            used |= {atom.predicate for atom in (*effect.add, *effect.delete)}
    used |= {atom.predicate for formula in formulas for atom in list_atoms(formula)}
    kept = {name: legs for name, legs in texts.domain.predicates.items() if name in used}
    facts = {name: tuples for name, tuples in texts.problem.facts.items() if name in used}
    return replace(
        texts,
        domain=replace(texts.domain, predicates=kept),
        problem=replace(texts.problem, facts=facts),
    )


def merge_texts(texts: PddlTexts, mapping: NameMapping) -> PddlTexts:
    """Return a model in which each predicate has its image under a mapping.

    Args:
        texts: of the model.
        mapping: of its predicates.

    Raises:
        ContradictorySynonyms: the mapping is none.
    """
    return rename_predicates(texts, mapping.images) if mapping.images else texts


def rename_predicates(texts: PddlTexts, images: Images) -> PddlTexts:
    """Give predicates of a model other names, and other orders of arguments.

    Args:
        texts: of the model.
        images: the new name of a predicate, and for each argument the one of before that it is;
            others stay as they are.
    """
    domain, problem = texts.domain, texts.problem

    def rename(formula: Formula) -> Formula:
        if isinstance(formula, Atom):
            return _rename_atom(formula, images)
        return change_parts(formula, rename)

    actions = tuple(_rename_action(action, rename) for action in domain.actions)
    return replace(
        texts,
        domain=replace(
            domain,
            predicates=_merge_predicates(domain.predicates, images),
            actions=actions,
            constraints=rename(domain.constraints),
        ),
        problem=replace(
            problem,
            facts=_rename_facts(problem.facts, images),
            goal=rename(problem.goal),
            constraints=rename(problem.constraints),
        ),
    )


def _find_image(images: Images, name: str, arity: int) -> tuple[str, Places]:
    return images.get(name, (name, tuple(range(arity))))


def _rename_atom(atom: Atom, images: Images) -> Atom:
    name, places = _find_image(images, atom.predicate, len(atom.arguments))
    return Atom(name, tuple(atom.arguments[place] for place in places), atom.column)


def _rename_action(action: PddlAction, rename: Callable[[Formula], Formula]) -> PddlAction:
    return replace(
        action,
        precondition=rename(action.precondition),
        effects=tuple(_rename_effect(effect, rename) for effect in action.effects),
    )


def _rename_effect(effect: ActionEffect, rename: Callable[[Formula], Formula]) -> ActionEffect:
    def rename_atoms(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
        renamed = (rename(atom) for atom in atoms)
        return tuple(dict.fromkeys(one for one in renamed if isinstance(one, Atom)))

    return replace(
        effect,
        condition=rename(effect.condition),
        add=rename_atoms(effect.add),
        delete=rename_atoms(effect.delete),
    )


def _merge_predicates(
    predicates: Mapping[str, tuple[Typed, ...]], images: Images
) -> dict[str, tuple[Typed, ...]]:
    """Give each name that stays, for each argument, all types of those that it stands for."""
    found: dict[str, tuple[Typed, ...]] = {}
    for name, legs in predicates.items():
        image, places = _find_image(images, name, len(legs))
        moved = tuple(legs[place] for place in places)
        known = found.get(image)
        if known is not None:
            moved = tuple(
                replace(leg, types=tuple(dict.fromkeys((*leg.types, *other.types))))
                for leg, other in zip(known, moved, strict=True)
            )
        found[image] = moved
    return found


def _rename_facts(facts: Facts, images: Images) -> Facts:
    found: dict[str, frozenset[tuple[str, ...]]] = {}
    for name, tuples in facts.items():
        arity = len(next(iter(tuples), ()))
        image, places = _find_image(images, name, arity)
        moved = frozenset(tuple(one[place] for place in places) for one in tuples)
        found[image] = found.get(image, frozenset()) | moved
    return found


def make_mapping(synonyms: Iterable[Synonym], uses: Mapping[str, PredicateUse]) -> NameMapping:
    """Return the mapping of names that synonyms make, in the ranks of a model."""
    return NameMapping(frozenset(synonyms), rank_names(uses))
