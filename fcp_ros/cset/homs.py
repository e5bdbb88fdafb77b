# SPDX-License-Identifier: Apache-2.0
"""The front door of homomorphism search: `find_homs` and `find_hom`.

The pattern is a conjunctive query: its join plan is evaluated one match at a time by
`Backtracking`. Its slow obvious twin, which tries every assignment, is in the tests.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import islice

from fcp_ros.cset.backtracking import Backtracking
from fcp_ros.cset.instance.expressions import ValueComparison
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.join_plan import Query, plan_join
from fcp_ros.cset.pattern import Pattern, analyse_pattern
from fcp_ros.cset.schema.schema import AttributeValue


def find_homs(
    pattern: Instance,
    target: Instance,
    *,
    # whether different elements and tuples must have different images; or the types (with their
    # subtypes) and relations for which they must
    monic: bool | Collection[str] = True,
    # images that are fixed, by id of the pattern. One of a tuple fixes its legs, too.
    initial: Mapping[int, int] | None = None,
    # the only images that some ids of the pattern may have
    allowed: Mapping[int, Collection[int]] | None = None,
    where: Sequence[ValueComparison] = (),
    limit: int | None = None,
) -> Iterator[Morphism]:
    """Find the morphisms from `pattern` to `target`, lazily.

    An element of the pattern matches elements of its type and subtypes, a tuple those of its
    relation. Attributes that are set in the pattern must be equal; those that are not set match
    anything; a `ValueVariable` matches any value that is set, the same one wherever it occurs.

    Raises:
        ValueError: schemas differ, `initial` or `allowed` has an id that the pattern lacks, or
            `where` a variable.
        SchemaError: `monic` names a type or relation that does not exist.
        ValueExpressionError: while searching, where a comparison has no value.
    """
    if pattern.schema is not target.schema and pattern.schema != target.schema:
        raise ValueError(
            f"the pattern has schema {pattern.schema.name!r}, the target "
            f"{target.schema.name!r}; they must be the same schema"
        )
    query = analyse_pattern(pattern)
    anchors = {_find_slot(query, id_, "initial"): image for id_, image in (initial or {}).items()}
    choices = {
        _find_slot(query, id_, "allowed"): images if isinstance(images, Set) else frozenset(images)
        for id_, images in (allowed or {}).items()
    }
    if not isinstance(monic, bool):
        monic = frozenset(monic)
        for type_ in monic:
            pattern.schema.subtypes(type_)
    asked = Query(monic, tuple(anchors), choices, tuple(where))
    if where:
        _check_variables(query, asked)
    most = None if limit is None else max(0, limit)
    return islice(_iterate_morphisms(pattern, target, asked, anchors), most)


def find_hom(
    pattern: Instance,
    target: Instance,
    *,
    monic: bool | Collection[str] = True,
    initial: Mapping[int, int] | None = None,
    allowed: Mapping[int, Collection[int]] | None = None,
    where: Sequence[ValueComparison] = (),
) -> Morphism | None:
    """Find one morphism, or None; the arguments are those of `find_homs`."""
    return next(
        find_homs(pattern, target, monic=monic, initial=initial, allowed=allowed, where=where), None
    )


def _iterate_morphisms(
    pattern: Instance, target: Instance, asked: Query, anchors: Mapping[int, int]
) -> Iterator[Morphism]:
    plan = plan_join(analyse_pattern(pattern), asked, target)
    search = Backtracking(plan, target, asked.allowed, asked.where)
    ids, binding, values = plan.pattern.ids, search.binding, search.values
    no_values: dict[str, AttributeValue] = {}
    for _ in search.run(anchors):
        bound = values.copy() if values else no_values
        # Both have an entry for each slot; strict=True would take a third of the loop's time.
        mapping = dict(zip(ids, binding))  # noqa: B905
        yield Morphism(pattern, target, mapping, bound)


def _find_slot(query: Pattern, id_: int, argument: str) -> int:
    slot = query.index.get(id_)
    if slot is None:
        raise ValueError(
            f"{argument!r} has id {id_}, which is neither an element nor a tuple of the pattern"
        )
    return slot


def _check_variables(query: Pattern, asked: Query) -> None:
    for comparison, compared in zip(asked.where, asked.compared, strict=True):
        lacking = compared - query.variables
        if lacking:
            known = ", ".join(sorted(query.variables)) or "none"
            raise ValueError(
                f"'where' compares {comparison}, but the pattern has no variable "
                f"{', '.join(sorted(lacking))}; its variables are: {known}"
            )
