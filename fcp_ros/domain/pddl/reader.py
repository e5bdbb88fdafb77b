# SPDX-License-Identifier: Apache-2.0
"""PDDL files -> a task, stage by stage."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike

from fcp_ros.domain.pddl.assembly import assemble
from fcp_ros.domain.pddl.check import check_domain, check_goal
from fcp_ros.domain.pddl.definitions import Replacement, find_definitions
from fcp_ros.domain.pddl.draft import DraftRule
from fcp_ros.domain.pddl.drafting import draft_rules
from fcp_ros.domain.pddl.features import check_domain_features, check_problem_features
from fcp_ros.domain.pddl.invariants import Part, invariant_with
from fcp_ros.domain.pddl.library import LogicReader, Parser
from fcp_ros.domain.pddl.problem import read_problem
from fcp_ros.domain.pddl.source import Source, read_source
from fcp_ros.domain.pddl.syntax import DomainText, Formula, ProblemText
from fcp_ros.domain.pddl.task import PddlTask
from fcp_ros.domain.pddl.universe import Universe
from fcp_ros.domain.pddl.vocabulary import Legs

_ACTION = re.compile(r"\(\s*:action\s+([^\s()]+)", re.IGNORECASE)


@dataclass(frozen=True)
class PddlTexts:
    """What a domain and a problem file say, read and checked, but not worked out."""

    domain: DomainText
    problem: ProblemText
    goal: Formula
    sources: tuple[Source, Source]


def read_pddl(domain: str | PathLike[str], problem: str | PathLike[str]) -> PddlTask:
    """Read a domain file and a problem file.

    Raises:
        UnsupportedPddl: a feature of PDDL that this planner does not have, by name.
        PddlError: a mistake; file, line, what is wrong and what to do.
    """
    return work_out(read_texts(read_source(domain), read_source(problem)))


def parse_pddl(
    domain: str, problem: str, names: tuple[str, str] = ("domain", "problem")
) -> PddlTask:
    """Like `read_pddl`, from texts; `names` stand for the files in messages."""
    return work_out(read_texts(Source(names[0], domain), Source(names[1], problem)))


def read_texts(
    domain_source: Source, problem_source: Source, parser: Parser | None = None
) -> PddlTexts:
    """Read and check both files.

    Arguments:
        domain_source: the domain file.
        problem_source: the problem file.
        parser: one to be shared by many calls, which saves 0.1 s each time.

    Raises:
        UnsupportedPddl, PddlError: as `read_pddl`.
    """
    check_domain_features(domain_source)
    check_problem_features(problem_source)
    logic = LogicReader(domain_source, parser or Parser())
    domain = logic.domain()
    check_domain(domain, domain_source)
    problem = read_problem(problem_source, domain, domain_source)
    goal = logic.goal(problem_source, problem.spelling)
    check_goal(goal, domain, problem.objects, problem_source)
    return PddlTexts(domain, problem, goal, (domain_source, problem_source))


def work_out(texts: PddlTexts) -> PddlTask:
    """Rules, schema, state and goal of what was read.

    Raises:
        UnsupportedPddl: conditions with too many cases.
    """
    source, _ = texts.sources
    universe, goal = Universe(texts.domain, texts.problem), texts.goal
    drafts = _drafts(universe, source)
    definitions = find_definitions(universe, drafts)
    # Before anything is replaced: it takes part in the invariants of what stays.
    legs = {name: _legs(name, universe, drafts) for name in sorted(universe.fluents)}
    for definition in definitions.values():
        legs[definition.part.predicate] = _with_key(legs, definition.part)
    if definitions:
        without = Replacement(definitions, universe)
        parts = (definition.part for definition in definitions.values())
        keys = {part.predicate: part.order for part in parts}
        universe, goal = Universe(without.domain(), without.problem(), keys), without.formula(goal)
        drafts = _drafts(universe, source)
    spelling = {name.lower(): name for name in _ACTION.findall(source.text)}
    return assemble(universe, drafts, legs, goal, spelling, texts.sources, definitions)


def _drafts(universe: Universe, source: Source) -> list[DraftRule]:
    return [
        rule for action in universe.domain.actions for rule in draft_rules(action, universe, source)
    ]


def _with_key(legs: Mapping[str, Legs], part: Part) -> Legs:
    """What is known of a predicate, and that its facts are single for each key of the part."""
    known = legs[part.predicate]
    if not part.order:
        return Legs(known.functional, single=True)
    if len(part.order) > 1:
        return known
    return Legs(tuple(sorted({*known.functional, *part.order})), known.single)


def _legs(predicate: str, universe: Universe, drafts: list[DraftRule]) -> Legs:
    """Which legs of a predicate are functional, as far as invariants show it."""
    arity = len(universe.domain.predicates[predicate])
    facts = universe.problem.facts
    if arity == 1:
        alone = invariant_with(Part(predicate, (), 0), drafts, facts)
        return Legs(single=alone is not None)
    if arity == 2:
        parts = (Part(predicate, (0,), 1), Part(predicate, (1,), 0))
        found = [invariant_with(part, drafts, facts) is not None for part in parts]
        return Legs(tuple(place for place, is_key in enumerate(found) if is_key))
    return Legs()
