# SPDX-License-Identifier: Apache-2.0
"""Two domains as one task: the model that plans are made with, and the world they are tried in.

If the other domain has all actions of the own one, plans are made with the own one, and the other
domain is only tried. Otherwise plans are made with the actions of the other domain, for the goal in
the words of the own one; initial facts are given in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.alignment.merging import merge_texts, rename_predicates
from fcp_ros.alignment.predicate_use import PredicateUse, find_uses, list_atoms
from fcp_ros.alignment.simulator import DomainSimulator, GroundAction, ModelSimulator, Simulator
from fcp_ros.alignment.synonyms import NameMapping, Synonym, keep_name
from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Expression,
    ExpressionError,
    Not,
    Or,
    to_text,
)
from fcp_ros.domain.model import Domain
from fcp_ros.domain.pddl.rendering import render_in_pddl
from fcp_ros.domain.pddl.syntax_tree import TRUE, Conjunction, Disjunction, Formula, Negation
from fcp_ros.domain.pddl.task_reader import PddlTexts, work_out
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import join_words, shorten_words

OWN, OTHER = 0, 1
"""The vocabularies: of the domain that states the goal, and of the one that executes."""
MARK = "@own"
"""Follows names of the own vocabulary that the other one has as well."""


class AlignmentError(InputError):
    """Two domains that can't be compared; the message says why, and what to do."""


@dataclass(frozen=True)
class AlignmentTask:
    """A model whose names may mean the same."""

    model: PddlTexts  # domain and problem that plans are made with
    uses: Mapping[str, PredicateUse]
    sides: Mapping[str, int]  # the vocabulary of each predicate
    notes: tuple[str, ...] = ()  # sentences about how the model was made
    # synonyms that were named as possible ones, projections among them
    declared: tuple[Synonym, ...] = ()
    # objects of which both vocabularies speak; facts are compared of them only
    shared: frozenset[str] = frozenset()

    @property
    def crosses(self) -> bool:
        """There are two vocabularies: only names of different ones may be one."""
        return len(set(self.sides.values())) > 1


def make_task(model: PddlTexts) -> AlignmentTask:
    """Make the task of a model that has one vocabulary, in which names are torn apart."""
    return AlignmentTask(model, find_uses(model), dict.fromkeys(model.domain.predicates, OWN))


def open_world(other: PddlTexts, check: Check) -> ModelSimulator:
    return ModelSimulator(work_out(other, check), check)


def pair_domains(own: PddlTexts, other: PddlTexts) -> AlignmentTask:
    """Make the task of two domains, each with a problem of the same situation.

    Raises AlignmentError if they have no object in common, or the goal is empty.
    """
    _check(own, other)
    arities = {action.name: len(action.parameters) for action in other.domain.actions}
    if own.domain.actions and all(
        arities.get(action.name) == len(action.parameters) for action in own.domain.actions
    ):
        task = make_task(own)
        note = f"Plans are made with domain {own.domain.name} and tried in {other.domain.name}."
        return replace(task, notes=(note,))
    return _unite(own, other)


def _check(own: PddlTexts, other: PddlTexts) -> None:
    if own.problem.goal == TRUE:
        raise AlignmentError(
            f"problem {own.problem.name} has no goal: names are compared by plans, so give it one"
        )
    known = {one.name for one in other.problem.objects}
    missing = sorted(one.name for one in own.problem.objects if one.name not in known)
    if missing:
        raise AlignmentError(
            f"problem {other.problem.name} lacks objects of {own.problem.name}: "
            f"{shorten_words(', '.join(missing))}; both problems must describe one situation"
        )


def _unite(own: PddlTexts, other: PddlTexts) -> AlignmentTask:
    """Put the words of the own domain beside the other domain with its actions."""
    shared = own.domain.predicates.keys() & other.domain.predicates.keys()
    names = {name: f"{name}{MARK}" if name in shared else name for name in own.domain.predicates}
    renamed = rename_predicates(
        own,
        {name: keep_name(names[name], len(legs)) for name, legs in own.domain.predicates.items()},
    )
    predicates = {
        name: tuple(replace(leg, types=("object",)) for leg in legs)
        for name, legs in renamed.domain.predicates.items()
    }
    wanted = {atom.predicate for atom in list_atoms(renamed.problem.goal)}
    model = replace(
        other,
        domain=replace(other.domain, predicates={**other.domain.predicates, **predicates}),
        problem=replace(
            other.problem,
            facts={**other.problem.facts, **renamed.problem.facts},
            goal=renamed.problem.goal,
            constraints=renamed.problem.constraints,
        ),
    )
    uses = find_uses(model)
    for name, use in find_uses(renamed).items():
        uses[name] = replace(uses[name], declared=use.declared, wanted=name in wanted)
    notes = [
        f"Plans are made with the actions of domain {other.domain.name}, for the goal in the words "
        f"of {own.domain.name}."
    ]
    if other.problem.goal == TRUE:
        notes.append(
            f"Problem {other.problem.name} has no goal: a plan counts as a success once all its "
            "actions succeed."
        )
    sides = dict.fromkeys(other.domain.predicates, OTHER) | dict.fromkeys(predicates, OWN)
    objects = frozenset(one.name for one in own.problem.objects)
    return AlignmentTask(model, uses, sides, tuple(notes), shared=objects)


def split_mark(name: str) -> str:
    """Return a name without the mark of the own vocabulary."""
    return name.removesuffix(MARK)


def unmark_names(texts: PddlTexts) -> PddlTexts:
    """Return a model in which each marked name is one that can be written: `at@own` as `at-own`."""
    names = set(texts.domain.predicates)
    images = {}
    for name, legs in texts.domain.predicates.items():
        if not name.endswith(MARK):
            continue
        plain = f"{split_mark(name)}-own"
        while plain in names:
            plain += "-own"
        names.add(plain)
        images[name] = keep_name(plain, len(legs))
    return rename_predicates(texts, images)


# --- the world that plans are tried in, with its words: a PDDL problem, or a domain in a state


@dataclass(frozen=True)
class OtherWorld:
    """A world and its vocabulary.

    Attributes:
        domain, instance: the domain and the state; None for a world that was read from PDDL.
    """

    texts: PddlTexts  # types, relations and actions in PDDL, with the initial state
    simulator: Simulator
    # the relation behind each predicate; empty for a world that was read from PDDL
    relations: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # sentences about what is not tried
    domain: Domain | None = None
    instance: Instance | None = None


def open_problem(texts: PddlTexts, check: Check) -> OtherWorld:
    return OtherWorld(texts, open_world(texts, check))


def open_domain(domain: Domain, instance: Instance, check: Check) -> OtherWorld:
    """Open the world of a domain in a state; its own rules rewrite the state."""
    rendered = render_in_pddl(domain, instance)
    parts = {"constraints": domain.constraints, "resources": domain.resources}
    left_out = [word for word, part in parts.items() if part]
    if any(rule.graded for rule in domain.rules.values()):
        left_out.append("degrees")
    notes = (f"{join_words(left_out)} of {domain.name} play no part.",) if left_out else ()
    relations = {name: relation for relation, name in rendered.names.relations.items()}
    simulator = DomainSimulator(domain, instance, check=check)
    return OtherWorld(rendered.texts, simulator, relations, notes, domain, instance)


def translate_goal(task: AlignmentTask, synonyms: Iterable[Synonym], world: OtherWorld) -> str:
    """Write the goal of a task in the goal language of the other domain.

    Returns the goal; "" if a word of it has no name there, if it is quantified, or if the world was
    read from PDDL.
    """
    mapping = NameMapping(frozenset(synonyms), lambda name: task.sides.get(name) != OTHER)
    goal = merge_texts(task.model, mapping).problem.goal
    spelling = task.model.problem.spelling
    try:
        return to_text(_translate(goal, world.relations, spelling))
    except KeyError:
        return ""


def find_goal_fault(goal: str, world: OtherWorld, actions: Sequence[GroundAction]) -> str:
    """Say why a translated goal is none of the other domain, or is not reached; "" if fine."""
    if world.domain is None or world.instance is None:
        return ""
    try:
        checked = check_goal(parse_expression(goal), world.domain, world.instance, goal)
    except ExpressionError as error:
        return str(error)
    seen = DomainSimulator(world.domain, world.instance, checked).run(actions)
    return "" if seen.reached else seen.reason


def _translate(
    formula: Formula, relations: Mapping[str, str], spelling: Mapping[str, str]
) -> Expression:
    """Translate a formula; KeyError for what has no name."""
    if isinstance(formula, Atom):
        arguments = tuple(
            Constant(spelling[term.name])
            for term in formula.arguments
            if isinstance(term, Constant)
        )
        if len(arguments) < len(formula.arguments):
            raise KeyError(formula.predicate)
        return Atom(relations[formula.predicate], arguments)
    if isinstance(formula, Negation):
        return Not(_translate(formula.body, relations, spelling))
    if isinstance(formula, (Conjunction, Disjunction)) and formula.parts:
        parts = tuple(_translate(part, relations, spelling) for part in formula.parts)
        join = And if isinstance(formula, Conjunction) else Or
        return parts[0] if len(parts) == 1 else join(parts)
    raise KeyError(type(formula).__name__)
