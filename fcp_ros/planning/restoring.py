# SPDX-License-Identifier: Apache-2.0
"""Restoring of what a plan changes on the way: the fridge is closed again.

A domain says which relations are restored, and how many steps that is worth (`Domain.restore`).
Each fact of them that a plan leaves changed costs that number of steps, unless the goal that the
plan reaches excludes the fact. Only what some good plan disturbs becomes a preference of the goal:
as in lazy constraint generation, the best plan that disturbs nothing else is the best one of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.evaluation import name_of
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.foundation.stopping import never_stop
from fcp_ros.planning.answer.solution import Disturbance, Solution
from fcp_ros.planning.encoding.encoding import Encoding
from fcp_ros.planning.goal.alternatives import Alternative
from fcp_ros.planning.goal.formula import Crisp, make_complement
from fcp_ros.planning.goal.ground_goal import GroundPreference
from fcp_ros.planning.goal.stages import Places
from fcp_ros.planning.model.ground_step import Agents, GroundStep
from fcp_ros.planning.verification.stepping import holds


def find_disturbances(
    solution: Solution,
    encoding: Encoding,
    domain: Domain,
    before: Instance,
    # finds the state that steps lead to; asked only if their own facts don't tell
    replay: Callable[[Sequence[GroundStep]], Instance],
) -> tuple[Disturbance, ...]:
    """Find what a plan leaves changed, though its goal does not ask for it."""
    steps = solution.decoded.steps
    written = _write(steps, domain)
    if not written:
        return ()
    after = None if _tells_all(steps, domain) else replay(steps)
    found: dict[Fact, Disturbance] = {}
    agents = Agents(domain, before)
    for fact, is_written in written.items():
        if _is_own_state(fact, agents, domain):
            continue
        held = holds(fact, before)
        if held == (is_written if after is None else holds(fact, after)):
            continue
        # What is at a new place is no longer at the old one: one fact tells of both. What occupies
        # another thing besides, such as a hand, counts by itself.
        if held or len(domain.schema.relation(fact.relation).functional) != 1:
            found[fact] = Disturbance(fact, held, domain.restore[fact.relation])
    return tuple(_drop_excluded(found, solution, encoding)) if found else ()


def _is_own_state(fact: Fact, agents: Agents, domain: Domain) -> bool:
    """Return True for what is a function of an agent alone, such as where the robot is.

    That may change: a relation for the places of all things is restored for the other ones.
    """
    relation = domain.schema.relation(fact.relation)
    if len(relation.functional) != 1:
        return False
    legs = [leg for leg, _ in relation.legs]
    return agents.contains(fact.arguments[legs.index(relation.functional[0])])


def is_reversible(one: Disturbance, domain: Domain) -> bool:
    """Return True if some rule may change a fact of the relation back."""

    def changes_back(rule: ActionRule) -> bool:
        atoms = rule.add if one.held else rule.delete
        return bool(rule.effects) or any(atom.predicate == one.fact.relation for atom in atoms)

    return any(map(changes_back, domain.rules.values()))


def make_preference(one: Disturbance) -> GroundPreference:
    """Make the preference that something is put right again."""
    body = Crisp(one.fact) if one.held else make_complement(Crisp(one.fact))
    return GroundPreference("", 0.0, Fraction(0), body, str(one), steps=one.steps)


def _write(steps: Iterable[GroundStep], domain: Domain) -> dict[Fact, bool]:
    """Find the facts of the restored relations that steps write, and if they hold after that."""
    written: dict[Fact, bool] = {}
    for step in steps:
        bound = dict(zip(step.rule.parameter_names, step.arguments, strict=True))
        for atoms, is_added in ((step.rule.delete, False), (step.rule.add, True)):
            for atom in atoms:
                if atom.predicate in domain.restore:
                    names = tuple(name_of(term, bound) for term in atom.arguments)
                    written[Fact(atom.predicate, names)] = is_added
    return written


def _tells_all(steps: Iterable[GroundStep], domain: Domain) -> bool:
    """Return True if the facts that the rules of steps name are all that the steps change."""
    return not domain.strata and not any(step.rule.effects for step in steps)


def _drop_excluded(
    found: Mapping[Fact, Disturbance], solution: Solution, encoding: Encoding
) -> Iterator[Disturbance]:
    task, parts = encoding.task, solution.decoded.goal_parts
    positive = frozenset(fact for part in parts for fact in part.positive)
    negative = frozenset(fact for part in parts for fact in part.negative)
    goal = Alternative(1.0, positive, negative)
    ways: list[tuple[Disturbance, Alternative]] = []
    for one in found.values():
        number = task.fact_ids.get(one.fact)
        if number is None:  # the task does not know of a way to change it
            continue
        facts = frozenset((number,))
        way = Alternative(1.0, facts) if one.held else Alternative(1.0, negative=facts)
        ways.append((one, way))
    places = Places([goal, *(way for _, way in ways)], task, never_stop)
    for one, way in ways:
        if places.drop_excluded([way], [goal]):
            yield one
