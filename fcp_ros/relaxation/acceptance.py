# SPDX-License-Identifier: Apache-2.0
"""Plans that are accepted for a relaxed goal: they serve a purpose, and are poor only by length.

Giving everything up is no relaxation. A plan serves a requirement that is not given up if it brings
about a fact that the requirement speaks of, or ends one that it speaks of in a negation; what holds
before and after it is not its doing. Moves of an agent serve nothing by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Expression,
    Not,
    Text,
    Variable,
    Weighted,
    atoms,
    children,
)
from fcp_ros.domain.model import TEXT, ActionRule, Domain
from fcp_ros.foundation.wording import join_words
from fcp_ros.fuzzy import reaches
from fcp_ros.language.paraphrase import paraphrase_clause
from fcp_ros.planning.model.ground_step import AGENT_TYPES
from fcp_ros.planning.model.plan import Plan
from fcp_ros.planning.model.request import PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus


def find_moves(domain: Domain) -> frozenset[str]:
    """Find the rules that do nothing but change where an agent is."""
    return frozenset(name for name, rule in domain.rules.items() if _find_moved(rule, domain))


def find_locations(domain: Domain) -> frozenset[str]:
    """Find the relations that say where an agent is, and perhaps where other things are."""
    moved = (_find_moved(rule, domain) for rule in domain.rules.values())
    return frozenset(relation for relation in moved if relation)


def _find_moved(rule: ActionRule, domain: Domain) -> str:
    """Find the relation that a move changes; "" if the rule does anything else."""
    changed = [*rule.add, *rule.delete]
    relations = {atom.predicate for atom in changed}
    if rule.effects or len(relations) != 1 or not rule.add:
        return ""
    types = {parameter.name: parameter.type for parameter in rule.parameters}
    movers = {atom.arguments[0] for atom in changed}
    mover = next(iter(movers))
    if len(movers) != 1 or not isinstance(mover, Variable):
        return ""
    moves = _is_agent_type(types[mover.name], domain) and len(changed[0].arguments) > 1
    return next(iter(relations)) if moves else ""


def _is_agent_type(type_: str, domain: Domain) -> bool:
    agents = {*AGENT_TYPES, domain.mapping.layer_types.get("agent", "")}
    return not agents.isdisjoint(domain.schema.ancestors(type_))


def _is_agent(element: str, instance: Instance, domain: Domain) -> bool:
    return _is_agent_type(instance.type_of(instance.id_of(element)), domain)


def only_locates_agents(
    condition: Expression, types: Mapping[str, str], instance: Instance, domain: Domain
) -> bool:
    """Return True if a condition, over variables of some types, only says where agents are."""
    locations = find_locations(domain)
    for atom in atoms(condition):
        term = atom.arguments[0] if atom.arguments else None
        if isinstance(term, Variable):
            known = types.get(term.name)
            mover = known is not None and _is_agent_type(known, domain)
        else:
            mover = isinstance(term, Constant) and _is_agent(term.name, instance, domain)
        if atom.predicate not in locations or not mover:
            return False
    return True


def serves_purpose(
    plan: Plan, initial: Instance, final: Instance, wanted: Iterable[Expression], domain: Domain
) -> bool:
    """Return True if a plan brings about something that is wanted, and not given up."""
    moves = find_moves(domain)
    if all(step.rule in moves for step in plan.steps):
        return False
    locations = find_locations(domain)
    touched = {
        fact
        for fact in _list_touched(plan, domain)
        if not (fact.relation in locations and _is_agent(fact.arguments[0], initial, domain))
    }
    before = {fact for fact in touched if _holds(fact, initial)}
    after = {fact for fact in touched if _holds(fact, final)}
    asked = [pair for one in wanted for pair in _list_literals(one, True)]
    return any(
        _fits(atom, fact)
        for atom, positive in asked
        for fact in (after - before if positive else before - after)
    )


def _list_touched(plan: Plan, domain: Domain) -> Iterator[Fact]:
    """Yield the facts that the rules of a plan add or delete, without those of their effects."""
    for step in plan.steps:
        rule: ActionRule = domain.rules[step.rule]
        names: Mapping[str, str] = dict(step.arguments)
        for atom in (*rule.add, *rule.delete):
            terms = tuple(
                names[term.name] if isinstance(term, Variable) else str(term)
                for term in atom.arguments
            )
            yield Fact(atom.predicate, terms)


def _holds(fact: Fact, instance: Instance) -> bool:
    legs = tuple(map(instance.id_of, fact.arguments))
    return instance.find_tuple(fact.relation, legs) is not None


def _list_literals(expression: Expression, positive: bool) -> Iterator[tuple[Atom, bool]]:
    if isinstance(expression, Atom):
        yield expression, positive
    elif isinstance(expression, Not):
        yield from _list_literals(expression.body, not positive)
    elif not isinstance(expression, Weighted):  # what is only weighted holds anyway
        for part in children(expression):
            yield from _list_literals(part, positive)


def _fits(atom: Atom, fact: Fact) -> bool:
    """Return True if an atom can speak of a fact: it names no other element."""
    return atom.predicate == fact.relation and all(
        term.name == name
        for term, name in zip(atom.arguments, fact.arguments, strict=True)
        if isinstance(term, Constant)
    )


# --- plans below alpha: those that are only long are proposed, and of others is said what is poor
#
# Degrees compose over all steps, so many good steps make a poor plan, though each may be done as
# well as any other: a table for four is a dozen things to carry. Who asks in words, and can be
# asked, decides that. A plan with a single degree below alpha is never proposed.


MOST_EXPANDED = 40_000
"""States that are expanded only to say more about a failure."""
MOST_NAMED = 3
"""Poor degrees that a sentence names."""


def is_only_long(result: PlanningResult, alpha: float) -> bool:
    """Return True if each degree of a plan reaches alpha, and only all together do not."""
    plan = result.plan
    if plan is None or not result.status.solved or reaches(plan.membership, alpha):
        return False
    return all(reaches(degree, alpha) for degree in (plan.goal_degree, _find_least(plan)))


def _find_least(plan: Plan) -> float:
    return min((step.degree for step in plan.steps), default=1.0)


def describe_length(plan: Plan, alpha: float) -> str:
    """Describe why a plan is below alpha none of whose degrees is."""
    least, goal = _find_least(plan), plan.goal_degree
    met = f", and it meets the goal to {goal:.2f}" if goal < least else ""
    return (
        f"The plan has {len(plan.steps)} steps, each good to {least:.2f} or more{met}; "
        f"all of them together have only {plan.membership:.2f}, and alpha is {alpha:g}."
    )


def describe_weakness(plan: Plan, alpha: float, domain: Domain, instance: Instance) -> str:
    """Describe which degrees are below alpha: "mug_1 is safely on couch_1 only to 0.40"; or ""."""
    judged = [one for step in plan.steps for one in step.judgements]
    if not reaches(plan.goal_degree, alpha):  # otherwise a low one may be what is wanted
        judged += plan.goal_judgements
    degrees = {one.atom: one.membership.degree for one in judged}
    poor = {atom: degree for atom, degree in degrees.items() if not reaches(degree, alpha)}
    worst = sorted(poor, key=lambda atom: (poor[atom], atom))[:MOST_NAMED]
    told = [f"{_tell(*atom, domain, instance)} only to {poor[atom]:.2f}" for atom in worst]
    more = f" and {len(poor) - MOST_NAMED} more" if len(poor) > MOST_NAMED else ""
    return f"{join_words(told)}{more}" if told else ""


def _tell(predicate: str, arguments: tuple[str, ...], domain: Domain, instance: Instance) -> str:
    parameters = domain.graded[predicate].parameters
    terms = tuple(
        Text(name) if parameter.type == TEXT else Constant(name)
        for parameter, name in zip(parameters, arguments, strict=True)
    )
    return paraphrase_clause(Atom(predicate, terms), domain, instance)


def explain_below_alpha(
    strict: PlanningResult,  # the failure of the goal, UNSOLVABLE_AT_ALPHA
    options: PlanningOptions,
    plan_anyway: Callable[[PlanningOptions], PlanningResult],
    domain: Domain,
    instance: Instance,
) -> PlanningResult:
    """Look at the best plan for a goal none of whose plans reaches alpha.

    Returns:
        If only its length keeps the plan below alpha and somebody can be asked, a result with a
        question and the plan. Otherwise the failure, which names the poor degrees.
    """
    most = min(MOST_EXPANDED, options.max_expansions)
    best = plan_anyway(replace(options.with_alpha(0.0), max_expansions=most))
    if best.plan is None or not best.status.solved:
        return strict
    if not is_only_long(best, strict.alpha):
        poor = describe_weakness(best.plan, strict.alpha, domain, instance)
        return replace(strict, message=f"{strict.message} {poor}." if poor else strict.message)
    if not options.confirm_below:
        return strict
    question = f"{describe_length(best.plan, strict.alpha)} Shall I do it all the same?"
    return replace(
        best,
        status=PlanStatus.NEEDS_CLARIFICATION,
        confirmation=question,
        message=question,
        alpha=strict.alpha,
        optimal_in=(),
    )
