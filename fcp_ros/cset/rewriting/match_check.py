# SPDX-License-Identifier: Apache-2.0
"""The check of a match: every reason why a rule may not be applied there, as values."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.expressions import ValueExpressionError
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.context import Context
from fcp_ros.cset.rewriting.dpo import collisions, make_dpo_context
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.schema.schema import AttributeValue
from fcp_ros.cset.search.homs import find_homs


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of checking a match, before anything is glued.

    Attributes:
        violations: every condition that the match breaks.
        context: what the rule leaves of the state; None if the match is not natural.
        values: of the rule's variables.
    """

    violations: tuple[Violation, ...]
    context: Context | None = None
    values: Mapping[str, AttributeValue] = field(default_factory=dict)


def check_match(rule: Rule, match: Morphism) -> tuple[Violation, ...]:
    """Find every condition that the match breaks; empty if the rule is applicable.

    In this order: naturality (alone, for the rest presupposes it), monicity, identification and
    dangling, comparisons, application conditions.
    Functional legs, merges and the values of expressions concern the result (see `rewrite`).

    Raises:
        ValueError: the match does not start at the rule's left side.
    """
    return examine(rule, match).violations


def find_matches(
    rule: Rule,
    target: Instance,
    *,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
) -> Iterator[Morphism]:
    """Find the matches at which the rule passes `check_match`; arguments as in `find_homs`."""
    candidates = find_homs(
        rule.L,
        target,
        monic=rule.monic,
        initial=initial,
        allowed=allowed,
        where=rule.searchable,
    )
    return (match for match in candidates if not check_match(rule, match))


def examine(rule: Rule, match: Morphism) -> Examination:
    """Check a match, and make its context.

    Raises:
        ValueError: the match does not start at the rule's left side.
    """
    if match.source is not rule.L and not match.source.is_same(rule.L):
        raise ValueError(
            f"the match starts at {match.source!r}, which is not the left side of "
            f"rule {rule.name!r}; search matches of rule.L"
        )
    plan = rule.plan
    values = plan.check.read_values(match) if plan.check.holds(match) else None
    if values is None:
        return Examination(match.violations() or (_explain_unbound(rule, match),))
    monic = match.is_monic
    context = make_dpo_context(plan, match, monic=monic)
    violations: list[Violation] = []
    if not monic and rule.monic is not False:
        violations.extend(_check_monic(rule, match))
    violations.extend(context.violations)
    if rule.where:
        violations.extend(_check_comparisons(rule, values))
    for condition in rule.conditions:
        violation = condition.violation(match)
        if violation is not None:
            violations.append(violation)
    return Examination(tuple(violations), context, values)


def _explain_unbound(rule: Rule, match: Morphism) -> Violation:
    """Explain why a mapping fails to be natural because of the values of variables."""
    for attribute, id_, variable in rule.plan.check.variables:
        if match.target.attribute(match.mapping[id_], attribute) is None:
            name = match.target.name_of(match.mapping[id_])
            text = f"{attribute!r} of {name!r} is not set, but the rule calls it ?{variable}"
            return Violation(ViolationKind.NATURALITY, text, (name,), attribute)
    cells = [
        f"{attribute!r} of {match.target.name_of(match.mapping[id_])!r} is "
        f"{match.target.attribute(match.mapping[id_], attribute)!r}"
        for attribute, id_, _ in rule.plan.check.variables
    ]
    text = f"the rule calls different values by one name: {'; '.join(cells)}"
    return Violation(ViolationKind.NATURALITY, text)


def _check_comparisons(rule: Rule, values: Mapping[str, AttributeValue]) -> Iterator[Violation]:
    for comparison in rule.where:
        try:
            if comparison.holds(values):
                continue
        except ValueExpressionError as error:
            yield Violation(ViolationKind.EXPRESSION, str(error))
            continue
        shown = ", ".join(f"?{name} = {value!r}" for name, value in sorted(values.items()))
        text = f"{comparison} does not hold, where {shown}"
        yield Violation(ViolationKind.COMPARISON, text, (), str(comparison))


def _check_monic(rule: Rule, match: Morphism) -> Iterator[Violation]:
    schema = match.source.schema
    for image, members in collisions(match).items():
        if rule.monic is not True and rule.monic is not False:
            own = [(id_, schema.ancestors(match.source.type_of(id_))) for id_ in members]
            members = [id_ for id_, above in own if not above.isdisjoint(rule.monic)]
        if len(members) > 1:
            names = [match.source.name_of(id_) for id_ in members]
            text = (
                f"{', '.join(names)} must be different, but all are {match.target.name_of(image)!r}"
            )
            yield Violation(ViolationKind.NOT_MONIC, text, (match.target.name_of(image),))
