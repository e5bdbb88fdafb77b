# SPDX-License-Identifier: Apache-2.0
"""Application conditions on the surroundings of a match: absent or present patterns.

A condition extends the left side L of a rule to a larger pattern P along L -> P. A negative one
(NAC) holds at a match L -> G when no P -> G extends the match, a positive one (PAC) when some does.
Extensions may have to satisfy conditions over P themselves: nested conditions (Habel, Pennemann,
*Correctness of high-level transformation systems relative to nested conditions*, 2009). Along the
identity of L, a positive condition says that all of its nested ones hold, a negative one that some
of them does not: with negation, that is all of first-order logic.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.homs import find_homs
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.schema import AttributeValue


@dataclass(frozen=True, slots=True)
class PatternCheck:
    """The conditions that every morphism from a pattern must satisfy, compiled for speed."""

    # each element, with the types that its image may have
    elements: tuple[tuple[int, frozenset[str]], ...]
    functions: tuple[tuple[str, int, int], ...]  # (function, element, value)
    tuples: tuple[tuple[str, int, tuple[int, ...]], ...]  # (relation, tuple, legs)
    # (attribute, element or tuple, value) of given values
    constants: tuple[tuple[str, int, AttributeValue], ...]

    def holds(self, match: Morphism) -> bool:
        """Return True if a mapping from the pattern is natural."""
        mapping, target = match.mapping, match.target
        types = target.element_table().types
        try:
            for element, accepted in self.elements:
                if types.get(mapping[element]) not in accepted:
                    return False
            for relation, row, legs in self.tuples:
                if target.relation_table(relation).rows.get(mapping[row]) != tuple(
                    [mapping[leg] for leg in legs]
                ):
                    return False
            for function, element, value in self.functions:
                values = target.function_table(function).values
                if values.get(mapping[element]) != mapping[value]:
                    return False
        except KeyError:
            return False
        return all(
            target.attribute(mapping[id_], attribute) == value
            for attribute, id_, value in self.constants
        )


def compile_check(pattern: Instance) -> PatternCheck:
    schema = pattern.schema
    elements = tuple((e, schema.subtypes(pattern.type_of(e))) for e in pattern.all_elements())
    functions = tuple(
        (function.name, element, value)
        for function in schema.functions
        for element, value in pattern.function_table(function.name).values.items()
    )
    tuples = tuple(
        (relation, row, legs)
        for relation in pattern.list_filled()
        for row, legs in pattern.tuples(relation).items()
    )
    constants = tuple(
        (attribute, id_, value)
        for id_ in (*(element for element, _ in elements), *(row for _, row, _ in tuples))
        for attribute, value in pattern.attributes(id_).items()
    )
    return PatternCheck(elements, functions, tuples, constants)


_FEW = 16


class ExtensionMethod(Enum):
    """Methods of finding the extensions of a match."""

    LOOK_UP = "look_up"
    """L lacks only tuples of P: there is at most one extension."""
    SCAN = "scan"
    """L lacks one tuple of P, and elements of that only: if few tuples may fit, try each."""
    SEARCH = "search"
    """All others, and if many tuples may fit."""


@dataclass(frozen=True, slots=True)
class ExtensionPlan:
    """A plan for extending morphisms along an inclusion, made once for each inclusion."""

    inclusion: Morphism
    given: tuple[tuple[int, int], ...]  # (id of L, its image in P)
    # the tuples (relation, id, legs) of P that L lacks
    lacking: tuple[tuple[str, int, tuple[int, ...]], ...]
    method: ExtensionMethod
    check: PatternCheck

    def find_extensions(self, match: Morphism, monic: bool) -> Iterator[Morphism]:
        """Find the extensions of a natural match."""
        initial: dict[int, int] = {}
        for id_, image in self.given:
            found = match.mapping[id_]
            # L -> P may identify two elements; then only matches that do so too extend.
            if initial.setdefault(image, found) != found:
                return iter(())
        if self.method is ExtensionMethod.LOOK_UP:
            candidates = self._look_up(match, initial)
        elif (
            self.method is ExtensionMethod.SCAN
            and (rows := self._find_rows(match, initial)) is not None
        ):
            candidates = self._scan(match, initial, rows)
        else:
            return find_homs(self.inclusion.target, match.target, monic=monic, initial=initial)
        return self._keep_valid(match, candidates, monic)

    def _look_up(self, match: Morphism, mapping: dict[int, int]) -> Iterator[dict[int, int]]:
        for relation, row, legs in self.lacking:
            by_legs = match.target.relation_table(relation).by_legs
            found = by_legs.get(tuple([mapping[leg] for leg in legs]))
            if found is None:
                return
            mapping[row] = found
        yield mapping

    def _find_rows(self, match: Morphism, mapping: dict[int, int]) -> Collection[int] | None:
        """The tuples that the one of P may become; None if they are too many to try."""
        ((relation, _, legs),) = self.lacking
        table = match.target.relation_table(relation)
        rows: Collection[int] = table.rows
        for position, leg in enumerate(legs):
            if leg in mapping:
                found = table.index(position).get(mapping[leg], ())
                if len(found) < len(rows):
                    rows = found
        return rows if len(rows) <= _FEW else None

    def _scan(
        self, match: Morphism, initial: dict[int, int], rows: Collection[int]
    ) -> Iterator[dict[int, int]]:
        ((relation, id_, legs),) = self.lacking
        table = match.target.relation_table(relation).rows
        for row in rows:
            mapping = {**initial, id_: row}
            if all(
                mapping.setdefault(leg, image) == image
                for leg, image in zip(legs, table[row], strict=True)
            ):
                yield mapping

    def _keep_valid(
        self, match: Morphism, candidates: Iterator[dict[int, int]], monic: bool
    ) -> Iterator[Morphism]:
        for mapping in candidates:
            candidate = Morphism(self.inclusion.target, match.target, mapping)
            if (candidate.is_monic or not monic) and self.check.holds(candidate):
                yield candidate


def plan_extension(inclusion: Morphism) -> ExtensionPlan:
    """Plan the extension of matches along an inclusion (a natural one)."""
    pattern = inclusion.target
    image = inclusion.image()
    check = compile_check(pattern)
    lacking = tuple(entry for entry in check.tuples if entry[1] not in image)
    fresh = {element for element in pattern.all_elements() if element not in image}
    method = ExtensionMethod.SEARCH
    if not fresh:
        method = ExtensionMethod.LOOK_UP
    elif len(lacking) == 1 and fresh.issubset(lacking[0][2]):
        method = ExtensionMethod.SCAN
    return ExtensionPlan(
        inclusion,
        given=tuple(inclusion.mapping.items()),
        lacking=lacking,
        method=method,
        check=check,
    )


class ConditionKind(str, Enum):
    """Negative (the extension must be absent) or positive (it must be present)."""

    NAC = "nac"
    PAC = "pac"


@dataclass(frozen=True)
class ApplicationCondition:
    """A larger pattern that must occur around a match, or must not."""

    kind: ConditionKind
    name: str
    inclusion: Morphism
    # True if only monic extensions count. By default the existential element of ``not
    # holding(robot, ?any)`` may be any element, matched already or not.
    monic: bool = False
    # conditions that start at the larger pattern; only extensions that satisfy them count ("some
    # shelf that holds nothing")
    nested: tuple["ApplicationCondition", ...] = ()

    @property
    def pattern(self) -> Instance:
        return self.inclusion.target

    @cached_property
    def plan(self) -> ExtensionPlan:
        return plan_extension(self.inclusion)

    def violation(self, match: Morphism) -> Violation | None:
        """Explain if the condition does not hold at a (natural) match; None if it holds."""
        found = next(find_extensions(self, match), None)
        if self.kind is ConditionKind.NAC and found is not None:
            names = _name_extra(self, found)
            text = f"{self.name!r} must not match, but it does: {', '.join(names) or 'always'}"
            return Violation(ViolationKind.NEGATIVE_CONDITION, text, names, self.name)
        if self.kind is ConditionKind.PAC and found is None:
            around = tuple(sorted(set(match.by_name().values())))
            text = f"{self.name!r} must match, but {self._explain_lack(match)}"
            return Violation(ViolationKind.POSITIVE_CONDITION, text, around, self.name)
        return None

    def _explain_lack(self, match: Morphism) -> str:
        lacking = ", ".join(self.pattern.name_of(id_) for id_ in _find_extra(self)) or "it"
        for near in self.plan.find_extensions(match, self.monic):
            names = ", ".join(_name_extra(self, near)) or "what is there"
            reasons = (condition.violation(near) for condition in self.nested)
            return f"{names} will not do: {next(r.message for r in reasons if r is not None)}"
        return f"nothing is like {lacking}"


def find_extensions(condition: ApplicationCondition, match: Morphism) -> Iterator[Morphism]:
    """Find the extensions of a (natural) match that count for a condition."""
    found = condition.plan.find_extensions(match, condition.monic)
    if not condition.nested:
        return found
    inner = condition.nested
    return (one for one in found if all(also.violation(one) is None for also in inner))


def _name_extra(condition: ApplicationCondition, extension: Morphism) -> tuple[str, ...]:
    return tuple(extension.target.name_of(extension.mapping[id_]) for id_ in _find_extra(condition))


def _find_extra(condition: ApplicationCondition) -> list[int]:
    """The tuples that the larger pattern adds to the left side; its elements if there are none."""
    pattern, image = condition.inclusion.target, condition.inclusion.image()
    rows = [
        row
        for relation in pattern.list_filled()
        for row in pattern.tuples(relation)
        if row not in image
    ]
    return rows or [e for e in pattern.all_elements() if e not in image]
