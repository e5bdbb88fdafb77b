# SPDX-License-Identifier: Apache-2.0
"""Extending a match along L -> P: the morphisms P -> G that agree with it on L."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.instance.expressions import (
    Comparator,
    Comparison,
    Variable,
    variables_of,
)
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.rewriting.pattern_check import PatternCheck, compile_check
from fcp_ros.cset.search.homs import find_homs


@dataclass(frozen=True, slots=True)
class ExtensionPlan:
    """How to extend morphisms along an inclusion, worked out once for each inclusion.

    Attributes:
        inclusion: L -> P.
        given: (id of L, its image in P).
        follows: the tuples (relation, id, legs) of P that L lacks, where these are all that it
            lacks; then a match has at most one extension, and looking it up is enough. Otherwise
            None, and the extensions are searched.
        check: of the morphisms from P.
        source_check: of the morphisms from L.
        variables: that L and P share.
    """

    inclusion: Morphism
    given: tuple[tuple[int, int], ...]
    follows: tuple[tuple[str, int, tuple[int, ...]], ...] | None
    check: PatternCheck
    source_check: PatternCheck
    variables: tuple[str, ...]

    def extensions(
        self, match: Morphism, monic: bool, where: Sequence[Comparison] = ()
    ) -> Iterator[Morphism]:
        """The extensions of a natural match.

        Args:
            match: L -> G.
            monic: whether only monic extensions count.
            where: comparisons that the values of the variables must satisfy.

        Raises:
            ExpressionError: on the way, where a comparison has no truth value.
        """
        initial: dict[int, int] = {}
        for id_, image in self.given:
            found = match.mapping[id_]
            # L -> P may identify two elements; then only matches that do so too extend.
            if initial.setdefault(image, found) != found:
                return iter(())
        if self.follows is not None:
            return self._looked_up(match, initial, monic, where)
        bound = self._bound(match)
        if bound is None:
            return iter(())
        wanted = (*bound, *where)
        if not wanted:
            return find_homs(self.inclusion.target, match.target, monic=monic, initial=initial)
        return find_homs(
            self.inclusion.target, match.target, monic=monic, initial=initial, where=wanted
        )

    def _looked_up(
        self, match: Morphism, mapping: dict[int, int], monic: bool, where: Sequence[Comparison]
    ) -> Iterator[Morphism]:
        assert self.follows is not None
        for relation, row, legs in self.follows:
            by_legs = match.target.relation_table(relation).by_legs
            found = by_legs.get(tuple([mapping[leg] for leg in legs]))
            if found is None:
                return
            mapping[row] = found
        candidate = Morphism(self.inclusion.target, match.target, mapping)
        if (monic and not candidate.is_monic) or not self.check.holds(candidate):
            return
        values = self.check.values(candidate)
        if values is not None and all(comparison.holds(values) for comparison in where):
            yield Morphism(self.inclusion.target, match.target, mapping, values)

    def _bound(self, match: Morphism) -> list[Comparison] | None:
        """That variables of L keep their values; the search decides the others."""
        if not self.variables:
            return []
        values = self.source_check.values(match)
        if values is None:
            return None
        return [
            Comparison(Variable(name), Comparator.EQUAL, values[name]) for name in self.variables
        ]


def plan_extension(inclusion: Morphism) -> ExtensionPlan:
    """The plan for extending matches along an inclusion (a natural one)."""
    pattern = inclusion.target
    image = inclusion.image()
    check = compile_check(pattern)
    lacking = tuple(entry for entry in check.tuples if entry[1] not in image)
    elements = image.issuperset(pattern.all_elements())
    source_check = compile_check(inclusion.source)
    ours, theirs = ({v for _, _, v in c.variables} for c in (source_check, check))
    return ExtensionPlan(
        inclusion,
        given=tuple(inclusion.mapping.items()),
        follows=lacking if elements else None,
        check=check,
        source_check=source_check,
        variables=tuple(sorted(ours & theirs)),
    )


def variables_in(comparison: Comparison) -> frozenset[str]:
    """Names of the variables in a comparison."""
    return variables_of(comparison.left) | variables_of(comparison.right)
