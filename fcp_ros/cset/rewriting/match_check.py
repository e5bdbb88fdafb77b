# SPDX-License-Identifier: Apache-2.0
"""Whether a rule may be applied at a match: every reason why not, as values."""

from collections.abc import Collection, Iterator, Mapping

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.search.homs import find_homs


def check_match(rule: Rule, match: Morphism) -> tuple[Violation, ...]:
    """Every condition that the match breaks; empty where the rule is applicable.

    In this order: naturality (alone, for the rest presupposes it), monicity, identification,
    dangling, application conditions. Functional legs are a matter of the result (`rewrite`).

    Raises:
        ValueError: the match does not start at the rule's left side.
    """
    if not match.source.is_same(rule.L):
        raise ValueError(
            f"the match starts at {match.source!r}, which is not the left side of "
            f"rule {rule.name!r}; search matches of rule.L"
        )
    unnatural = match.violations()
    if unnatural:
        return unnatural
    deleted = rule.deleted
    failed = (condition.violation(match) for condition in rule.conditions)
    return (
        *_not_monic(rule, match),
        *_identification(rule, match, deleted),
        *dangling(match.target, {match.mapping[id_] for id_ in deleted}),
        *(violation for violation in failed if violation is not None),
    )


def find_matches(
    rule: Rule,
    target: Instance,
    *,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
) -> Iterator[Morphism]:
    """The matches at which the rule passes `check_match`; arguments as in `find_homs`."""
    candidates = find_homs(rule.L, target, monic=rule.monic, initial=initial, allowed=allowed)
    return (match for match in candidates if not check_match(rule, match))


def dangling(instance: Instance, deleted: Collection[int]) -> Iterator[Violation]:
    """What would refer to nothing if these elements and tuples, and nothing else, were deleted."""
    for element in deleted:
        for relation in instance.schema.relations:
            for leg, _ in relation.legs:
                for row in instance.tuples_at(relation.name, leg, element):
                    if row not in deleted:
                        names = (instance.name_of(element), instance.name_of(row))
                        text = f"{names[1]} stays, but its {leg!r} {names[0]!r} would be deleted"
                        yield Violation(ViolationKind.DANGLING, text, names)
        for function in instance.schema.functions:
            preimages = instance.function_table(function.name).preimages()
            for source in preimages.get(element, ()):
                if source not in deleted:
                    yield _dangling_value(instance, function.name, source, element)


def _dangling_value(instance: Instance, function: str, source: int, element: int) -> Violation:
    names = (instance.name_of(element), instance.name_of(source))
    text = (
        f"{names[1]!r} stays, but its {function!r} {names[0]!r} would be deleted. A function is "
        f"never without a value: if actions are to change {function!r}, declare it as a relation"
    )
    return Violation(ViolationKind.DANGLING, text, names)


def _not_monic(rule: Rule, match: Morphism) -> Iterator[Violation]:
    if rule.monic is False or match.is_monic:
        return
    schema = match.source.schema
    for image, members in _collisions(match).items():
        if rule.monic is not True:
            own = [(id_, schema.ancestors(match.source.type_of(id_))) for id_ in members]
            members = [id_ for id_, above in own if not above.isdisjoint(rule.monic)]
        if len(members) > 1:
            names = [match.source.name_of(id_) for id_ in members]
            text = (
                f"{', '.join(names)} must be different, but all are {match.target.name_of(image)!r}"
            )
            yield Violation(ViolationKind.NOT_MONIC, text, (match.target.name_of(image),))


def _identification(rule: Rule, match: Morphism, deleted: Collection[int]) -> Iterator[Violation]:
    for image, members in _collisions(match).items():
        lost = [match.source.name_of(id_) for id_ in members if id_ in deleted]
        if lost:
            names = [match.source.name_of(id_) for id_ in members]
            text = (
                f"{match.target.name_of(image)!r} is matched by {', '.join(names)}, and the rule "
                f"deletes {', '.join(lost)}: it cannot be told whether it stays"
            )
            yield Violation(ViolationKind.IDENTIFICATION, text, (match.target.name_of(image),))


def _collisions(match: Morphism) -> dict[int, list[int]]:
    """Images of more than one element or tuple, with their preimages."""
    if match.is_monic:
        return {}
    groups: dict[int, list[int]] = {}
    for id_, image in match.mapping.items():
        groups.setdefault(image, []).append(id_)
    return {image: members for image, members in groups.items() if len(members) > 1}
