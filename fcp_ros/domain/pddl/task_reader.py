# SPDX-License-Identifier: Apache-2.0
"""The reader of PDDL tasks, stage by stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike

from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import Atom, ExpressionError
from fcp_ros.domain.identity import hash_data
from fcp_ros.domain.pddl.definitions import Replacement, find_definitions
from fcp_ros.domain.pddl.domain_file import check_not_swapped, read_domain
from fcp_ros.domain.pddl.draft_rules import DraftRule
from fcp_ros.domain.pddl.drafting import draft_rules
from fcp_ros.domain.pddl.invariants import InvariantSearch, Part
from fcp_ros.domain.pddl.metric import price_task, require_known_values
from fcp_ros.domain.pddl.pddl_task import Legs, PddlTask
from fcp_ros.domain.pddl.problem_file import read_condition, read_problem
from fcp_ros.domain.pddl.source_text import PddlError, Source, read_source
from fcp_ros.domain.pddl.syntax_checks import (
    Layer,
    check_domain_features,
    check_domain_names,
    check_problem_features,
    check_problem_names,
    find_layers,
    list_uses,
)
from fcp_ros.domain.pddl.syntax_tree import (
    TRUE,
    DomainText,
    Formula,
    ProblemText,
    counts_violations,
    subformulas,
)
from fcp_ros.domain.pddl.syntax_writer import write_domain, write_formula
from fcp_ros.domain.pddl.task_assembly import DraftStratum, assemble
from fcp_ros.domain.pddl.universe import Universe, list_derivations
from fcp_ros.foundation.garbage import pause_garbage_collection
from fcp_ros.foundation.stopping import Check, never_stop


def draft_strata(
    layers: Iterable[Layer], universe: Universe, source: Source, check: Check
) -> tuple[DraftStratum, ...]:
    """Draft the rules of the derived predicates.

    `universe`: types, objects, facts. Raises UnsupportedPddl for a body with too many cases.
    """
    actions = {action.name: action for action in list_derivations(universe.domain)}
    return tuple(
        (layer, tuple(r for n in layer for r in draft_rules(actions[n], universe, source, check)))
        for layer in layers
    )


def settle_static(
    domain: DomainText,
    problem: ProblemText,
    sources: tuple[Source, Source],  # domain and problem file
    check: Check,
) -> tuple[DomainText, ProblemText]:
    """Derive the facts of static predicates, and drop their axioms."""
    static = _find_static(domain)
    if not static:
        return domain, problem
    own = tuple(axiom for axiom in domain.axioms if axiom.head.predicate in static)
    used = {atom.predicate for axiom in own for atom, _ in list_uses(axiom.body)} | static
    part = replace(domain, actions=(), axioms=own, constraints=TRUE)
    facts = {name: tuples for name, tuples in problem.facts.items() if name in used}
    start = replace(problem, facts=facts, goal=TRUE, constraints=TRUE, metric=None)
    universe = Universe(part, start)
    strata = draft_strata(find_layers(part, sources[0]), universe, sources[0], check)
    task = assemble(universe, [], {}, (TRUE, {}), sources, {}, check, strata)
    lower = {spelt: name for name, spelt in problem.spelling.items()}
    state = task.instance
    found: dict[str, frozenset[tuple[str, ...]]] = {}
    for relation, (predicate, has_world) in task.predicates.items():
        if predicate in static:
            found[predicate] = frozenset(
                tuple(lower[state.name_of(leg)] for leg in legs[has_world:])
                for legs in state.tuples(relation).values()
            )
    left = tuple(axiom for axiom in domain.axioms if axiom.head.predicate not in static)
    return replace(domain, axioms=left), replace(problem, facts={**problem.facts, **found})


def _find_static(domain: DomainText) -> frozenset[str]:
    """Find the derived predicates that depend on nothing that an action changes."""
    changing = {
        atom.predicate
        for action in domain.actions
        for effect in action.effects
        for atom in (*effect.add, *effect.delete)
    }
    users: dict[str, set[str]] = {}
    for axiom in domain.axioms:
        for part in subformulas(axiom.body):
            if isinstance(part, Atom):
                users.setdefault(part.predicate, set()).add(axiom.head.predicate)
    waiting = list(changing)
    while waiting:
        fresh = users.get(waiting.pop(), set()) - changing
        changing |= fresh
        waiting.extend(fresh)
    return domain.derived - changing


_GOAL = "the goal"
"""The name of the goal in the place of a file's."""


@dataclass(frozen=True)
class PddlTexts:
    """A domain and a problem file as checked syntax trees."""

    domain: DomainText
    problem: ProblemText
    sources: tuple[Source, Source]

    @property
    def goal(self) -> Formula:
        return self.problem.goal


def read_pddl(
    domain: str | PathLike[str],
    problem: str | PathLike[str],
    goal: str = "",  # a condition in PDDL that takes the place of the problem's goal
    check: Check = never_stop,
) -> PddlTask:
    """Read a domain file and a problem file.

    Raises UnsupportedPddl for a feature of PDDL that this planner does not support, by name. Raises
    PddlError for a mistake, with file, line and fix.
    """
    # What is read stays: of 9,400 actions, collecting garbage took a quarter of the time.
    with pause_garbage_collection():
        texts = read_texts(read_source(domain), read_source(problem), check=check)
        return work_out(with_goal(texts, goal) if goal else texts, check)


def parse_pddl(
    domain: str, problem: str, names: tuple[str, str] = ("domain", "problem")
) -> PddlTask:
    """Read a domain and a problem from texts; `names` are their names in messages."""
    return work_out(read_texts(Source(names[0], domain), Source(names[1], problem)))


def read_texts(
    domain_source: Source,
    problem_source: Source,
    *,
    supported_only: bool = True,  # refuse what `work_out` does not support, such as preferences
    check: Check = never_stop,
) -> PddlTexts:
    """Read and check both files as syntax trees; nothing is grounded.

    Raises UnsupportedPddl, PddlError as `read_pddl` does.
    """
    check_not_swapped(domain_source, problem_source)
    domain = read_domain(domain_source, check)
    if supported_only:
        check_domain_features(domain, domain_source)
    check_domain_names(domain, domain_source)
    find_layers(domain, domain_source)
    check()
    problem = read_problem(problem_source, domain, domain_source)
    domain = replace(domain, types=problem.types)
    if supported_only:
        check_problem_features(problem, problem_source)
    check()
    check_problem_names(problem, domain, problem_source)
    return PddlTexts(domain, problem, (domain_source, problem_source))


def is_condition(goal: str) -> bool:
    """Return True if a goal is written in PDDL, or wrongly, rather than in the goal language."""
    if not goal.lstrip().startswith("("):
        return False
    try:
        read_condition(Source(_GOAL, goal))
    except PddlError:
        try:
            parse_expression(goal)
        except ExpressionError:
            return True
        return False
    return True


def with_goal(texts: PddlTexts, goal: str) -> PddlTexts:
    """Return the texts with another goal, which is checked.

    Trajectory constraints of the problem go with its goal, and its metric if that counts violations
    of preferences. Raises UnsupportedPddl, PddlError as `read_pddl` does; the place is one in the
    text of the goal.
    """
    source = Source(_GOAL, goal)
    formula = read_condition(source)
    metric = texts.problem.metric
    if metric is not None and counts_violations(metric.value):
        metric = None
    problem = replace(texts.problem, goal=formula, constraints=TRUE, metric=metric)
    check_problem_features(problem, source)
    check_problem_names(problem, texts.domain, source)
    return replace(texts, problem=problem)


def work_out(texts: PddlTexts, check: Check = never_stop) -> PddlTask:
    """Translate syntax trees into rules, schema, state and goal.

    Raises UnsupportedPddl for conditions with too many cases.
    """
    source, _ = texts.sources
    # Before the metric: an action whose cost is undefined can't be done even if costs don't count.
    layers = find_layers(texts.domain, source)
    domain, problem = settle_static(texts.domain, texts.problem, texts.sources, check)
    layers = tuple(
        left for layer in layers if (left := tuple(n for n in layer if n in domain.derived))
    )
    domain, problem = require_known_values(domain, problem, source)
    priced = price_task(domain, problem, texts.sources)
    universe, goal = Universe(priced.domain, priced.problem), priced.goal
    drafts = _draft_all(universe, source, check)
    definitions = find_definitions(universe, drafts, check)
    # Before any replacement: replaced predicates take part in invariants of the others.
    search = InvariantSearch(drafts, universe.problem.facts, check)
    legs = {name: _find_legs(name, universe, search) for name in sorted(universe.changed)}
    for definition in definitions.values():
        legs[definition.part.predicate] = _add_key(legs, definition.part)
    if definitions:
        without = Replacement(definitions, universe)
        parts = (definition.part for definition in definitions.values())
        keys = {part.predicate: part.order for part in parts}
        universe, goal = (
            Universe(without.rewrite_domain(), without.rewrite_problem(), keys),
            without.rewrite(goal),
        )
        drafts = _draft_all(universe, source, check)
    task = assemble(
        universe,
        drafts,
        legs,
        (goal, priced.prices),
        texts.sources,
        definitions,
        check,
        draft_strata(layers, universe, source, check),
    )
    notes = (*domain.notes, *problem.notes)
    identified = replace(task.domain, identity=identify_text(texts.domain))
    goal_text = write_formula(texts.goal)
    return replace(task, domain=identified, goal_text=goal_text, notes=notes, metric=priced.metric)


def identify_text(domain: DomainText) -> str:
    """Return the identity of a domain file (see `domain.identity`): costs take no part."""
    actions = tuple(
        replace(action, effects=tuple(replace(e, numeric=()) for e in action.effects))
        for action in sorted(domain.actions, key=lambda action: action.name)
    )
    plain = replace(
        domain,
        actions=actions,
        types=dict(sorted(domain.types.items())),
        predicates=dict(sorted(domain.predicates.items())),
        constants=tuple(sorted(domain.constants, key=lambda constant: constant.name)),
        functions={},
        requirements=(),
    )
    return hash_data(write_domain(plain))


def _draft_all(universe: Universe, source: Source, check: Check) -> list[DraftRule]:
    return [
        rule
        for action in universe.domain.actions
        for rule in draft_rules(action, universe, source, check)
    ]


def _add_key(legs: Mapping[str, Legs], part: Part) -> Legs:
    """Add to the known legs of a predicate that its facts are single for each key of a part."""
    known = legs[part.predicate]
    if not part.order:
        return Legs(known.functional, single=True)
    if len(part.order) > 1:
        return known
    return Legs(tuple(sorted({*known.functional, *part.order})), known.single)


def _find_legs(predicate: str, universe: Universe, search: InvariantSearch) -> Legs:
    """Find the legs of a predicate that invariants prove functional."""
    arity = len(universe.domain.predicates[predicate])
    if arity == 1:
        return Legs(single=search.find(Part(predicate, (), 0)) is not None)
    if arity == 2:
        parts = (Part(predicate, (0,), 1), Part(predicate, (1,), 0))
        found = [search.find(part) is not None for part in parts]
        return Legs(tuple(place for place, is_key in enumerate(found) if is_key))
    return Legs()
