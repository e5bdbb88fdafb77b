# SPDX-License-Identifier: Apache-2.0
"""Models in which synonyms are one predicate: planning with them needs no replace rules.

Where a predicate is projected from one with any object in place of an argument, a condition asks if
there is such an object, and a fact is deleted of all of them. It can't be made true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count

from fcp_ros.alignment.predicate_use import PredicateUse, list_atoms
from fcp_ros.alignment.synonyms import ANY, Image, NameMapping, Synonym, keep_name
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.task_reader import PddlTexts

Facts = Mapping[str, frozenset[tuple[str, ...]]]
Images = Mapping[str, Image]


def rank_names(uses: Mapping[str, PredicateUse]) -> Callable[[str], int]:
    """Return the rank by which a name stays: that which the goal has, then what actions need."""

    def rank(name: str) -> int:
        use = uses.get(name)
        own = 10 * ("@" in name)  # such a name can't be written
        return own if use is None else own - 2 * use.wanted - use.consumed

    return rank


def erase_leg_types(texts: PddlTexts) -> PddlTexts:
    """Return a model whose predicates hold of any objects; actions keep their types."""
    # A fact may then have the name of a predicate that is declared for another type.
    predicates = {
        name: tuple(replace(leg, types=(pddl.ROOT,)) for leg in legs)
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

    Raises ContradictorySynonyms if the mapping is none.
    """
    return rename_predicates(texts, mapping.images) if mapping.images else texts


def rename_predicates(texts: PddlTexts, images: Images) -> PddlTexts:
    """Give predicates of a model other names, and other orders of arguments.

    `images`: of predicates; others stay as they are.
    """
    domain, problem = texts.domain, texts.problem

    def rename(formula: pddl.Formula) -> pddl.Formula:
        if isinstance(formula, Atom):
            return _rename_atom(formula, images)
        return pddl.change_parts(formula, rename)

    actions = tuple(_rename_action(action, rename, images) for action in domain.actions)
    used = {filler for image in images.values() for filler in image.fillers} - {ANY}
    constants = (one for one in problem.objects if one.name in used)
    return replace(
        texts,
        domain=replace(
            domain,
            constants=tuple(dict.fromkeys((*domain.constants, *constants))),
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


def _rename_atom(atom: Atom, images: Images) -> pddl.Formula:
    """Return the image of an atom; ANY is a variable of its own."""
    image = images.get(atom.predicate)
    if image is None:
        return atom
    fillers: list[pddl.PddlTerm] = []
    variables = []
    taken = pddl.variable_names(atom)
    for filler in image.fillers:
        if filler != ANY:
            fillers.append(Constant(filler))
            continue
        name = next(n for n in map("any-{}".format, count(1)) if n not in taken)
        taken.add(name)
        variables.append(pddl.Typed(name))
        fillers.append(Variable(name))
    extended = (*pddl.terms_of(atom), *fillers)
    moved = Atom(image.name, tuple(extended[place] for place in image.places), atom.column)
    return pddl.Quantified(False, tuple(variables), moved) if variables else moved


def _rename_action(
    action: pddl.PddlAction, rename: Callable[[pddl.Formula], pddl.Formula], images: Images
) -> pddl.PddlAction:
    return replace(
        action,
        precondition=rename(action.precondition),
        effects=tuple(
            one for effect in action.effects for one in _rename_effect(effect, rename, images)
        ),
    )


def _rename_effect(
    effect: pddl.ActionEffect, rename: Callable[[pddl.Formula], pddl.Formula], images: Images
) -> Iterator[pddl.ActionEffect]:
    """Rename an effect; what is deleted of any object becomes an effect of its own."""
    condition = rename(effect.condition)
    delete: list[Atom] = []
    for atom in effect.delete:
        moved = _rename_atom(atom, images)
        if isinstance(moved, pddl.Quantified):
            variables = (*effect.variables, *moved.variables)
            gone = tuple(one for one in pddl.conjuncts(moved.body) if isinstance(one, Atom))
            yield pddl.ActionEffect(variables, condition, delete=gone)
        elif isinstance(moved, Atom):
            delete.append(moved)
    added = (_rename_atom(atom, images) for atom in effect.add)
    yield replace(
        effect,
        condition=condition,
        add=tuple(dict.fromkeys(one for one in added if isinstance(one, Atom))),
        delete=tuple(dict.fromkeys(delete)),
    )


def _merge_predicates(
    predicates: Mapping[str, tuple[pddl.Typed, ...]], images: Images
) -> dict[str, tuple[pddl.Typed, ...]]:
    """Give each name that stays, for each argument, all types of those that it stands for."""
    found: dict[str, tuple[pddl.Typed, ...]] = {}
    for name, legs in predicates.items():
        image = images.get(name) or keep_name(name, len(legs))
        if image.fillers:
            continue  # the objects of the predicate that it is projected from
        moved = tuple(legs[place] for place in image.places)
        known = found.get(image.name)
        if known is not None:
            moved = tuple(
                replace(leg, types=tuple(dict.fromkeys((*leg.types, *other.types))))
                for leg, other in zip(known, moved, strict=True)
            )
        found[image.name] = moved
    return found


def _rename_facts(facts: Facts, images: Images) -> Facts:
    found: dict[str, frozenset[tuple[str, ...]]] = {}
    for name, tuples in facts.items():
        image = images.get(name) or keep_name(name, len(next(iter(tuples), ())))
        if ANY not in image.fillers:  # else the facts that it is projected from say more
            extended = ((*one, *image.fillers) for one in tuples)
            moved = frozenset(tuple(one[place] for place in image.places) for one in extended)
            found[image.name] = found.get(image.name, frozenset()) | moved
    return found


def make_mapping(synonyms: Iterable[Synonym], uses: Mapping[str, PredicateUse]) -> NameMapping:
    return NameMapping(frozenset(synonyms), rank_names(uses))
