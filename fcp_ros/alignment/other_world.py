# SPDX-License-Identifier: Apache-2.0
"""The world that plans are tried in, with its words: a PDDL problem, or a domain in a state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fcp_ros.alignment.merging import merge_texts
from fcp_ros.alignment.pairing import OTHER, AlignmentTask, open_world
from fcp_ros.alignment.simulator import DomainSimulator, GroundAction, Simulator
from fcp_ros.alignment.synonyms import NameMapping, Synonym
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
from fcp_ros.domain.pddl.syntax_tree import Conjunction, Disjunction, Formula, Negation
from fcp_ros.domain.pddl.task_reader import PddlTexts
from fcp_ros.foundation.wording import join_words

Check = Callable[[], None]


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
    """Open the world of a PDDL domain and problem."""
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
