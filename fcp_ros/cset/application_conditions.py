# SPDX-License-Identifier: Apache-2.0
"""Application conditions on the surroundings of a match: absent or present patterns.

A condition extends the left side L of a rule to a larger pattern P along L -> P. A negative one
(NAC) holds at a match L -> G when no P -> G extends the match, a positive one (PAC) when some does.
Extensions may have to satisfy conditions over P themselves: nested conditions (Habel, Pennemann,
*Correctness of high-level transformation systems relative to nested conditions*, 2009). Along the
identity of L, a positive condition says that all of its nested ones hold, a negative one that some
of them does not: with negation, that is all of first-order logic.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from fcp_ros.cset.constraints import Violation, ViolationKind
from fcp_ros.cset.homs import find_homs
from fcp_ros.cset.instance import Instance
from fcp_ros.cset.morphisms import Morphism
from fcp_ros.cset.schema import AttributeValue
from fcp_ros.cset.value_expressions import (
    Comparator,
    ValueComparison,
    ValueExpressionError,
    ValueVariable,
    variables_of,
)


@dataclass(frozen=True, slots=True)
class PatternCheck:
    """The conditions that every morphism from a pattern must satisfy, compiled for speed."""

    # each element, with the types that its image may have
    elements: tuple[tuple[int, frozenset[str]], ...]
    functions: tuple[tuple[str, int, int], ...]  # (function, element, value)
    tuples: tuple[tuple[str, int, tuple[int, ...]], ...]  # (relation, tuple, legs)
    # (attribute, element or tuple, value) of given values
    constants: tuple[tuple[str, int, AttributeValue], ...]
    # (attribute, element or tuple, variable) of values that a variable stands for
    variables: tuple[tuple[str, int, str], ...]

    def holds(self, match: Morphism) -> bool:
        """Return True if a mapping from the pattern is natural, apart from values of variables."""
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

    def read_values(self, match: Morphism) -> dict[str, AttributeValue] | None:
        """Read the values of the variables at a mapping; None if one has none, or several."""
        found: dict[str, AttributeValue] = {}
        for attribute, id_, variable in self.variables:
            value = match.target.attribute(match.mapping[id_], attribute)
            if value is None or found.setdefault(variable, value) != value:
                return None
        return found


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
    constants: list[tuple[str, int, AttributeValue]] = []
    variables: list[tuple[str, int, str]] = []
    for id_ in [element for element, _ in elements] + [row for _, row, _ in tuples]:
        for attribute, value in pattern.attributes(id_).items():
            if isinstance(value, ValueVariable):
                variables.append((attribute, id_, value.name))
            else:
                constants.append((attribute, id_, value))
    return PatternCheck(elements, functions, tuples, tuple(constants), tuple(variables))


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
    source_check: PatternCheck
    variables: tuple[str, ...]

    def find_extensions(
        self, match: Morphism, monic: bool, where: Sequence[ValueComparison] = ()
    ) -> Iterator[Morphism]:
        """Find the extensions of a natural match.

        Raises ValueExpressionError while iterating, if a comparison has no truth value.
        """
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
            return self._search(match, initial, monic, where)
        return self._keep_valid(match, candidates, monic, where)

    def _search(
        self,
        match: Morphism,
        initial: dict[int, int],
        monic: bool,
        where: Sequence[ValueComparison],
    ) -> Iterator[Morphism]:
        bound = self._fix_variables(match)
        if bound is None:
            return iter(())
        return find_homs(
            self.inclusion.target,
            match.target,
            monic=monic,
            initial=initial,
            where=(*bound, *where),
        )

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
        self,
        match: Morphism,
        candidates: Iterator[dict[int, int]],
        monic: bool,
        where: Sequence[ValueComparison],
    ) -> Iterator[Morphism]:
        for mapping in candidates:
            candidate = Morphism(self.inclusion.target, match.target, mapping)
            if (monic and not candidate.is_monic) or not self.check.holds(candidate):
                continue
            values = self.check.read_values(candidate)
            if values is not None and all(comparison.holds(values) for comparison in where):
                yield Morphism(self.inclusion.target, match.target, mapping, values)

    def _fix_variables(self, match: Morphism) -> list[ValueComparison] | None:
        """Comparisons that make the variables of L keep their values; None if L has no match."""
        if not self.variables:
            return []
        values = self.source_check.read_values(match)
        if values is None:
            return None
        return [
            ValueComparison(ValueVariable(name), Comparator.EQUAL, values[name])
            for name in self.variables
        ]


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
    source_check = compile_check(inclusion.source)
    ours, theirs = ({v for _, _, v in c.variables} for c in (source_check, check))
    return ExtensionPlan(
        inclusion,
        given=tuple(inclusion.mapping.items()),
        lacking=lacking,
        method=method,
        check=check,
        source_check=source_check,
        variables=tuple(sorted(ours & theirs)),
    )


def variables_in(comparison: ValueComparison) -> frozenset[str]:
    return variables_of(comparison.left) | variables_of(comparison.right)


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
    # comparisons over the variables of the larger pattern; only extensions that satisfy them count
    where: tuple[ValueComparison, ...] = ()

    @property
    def pattern(self) -> Instance:
        return self.inclusion.target

    @cached_property
    def plan(self) -> ExtensionPlan:
        return plan_extension(self.inclusion)

    def violation(self, match: Morphism) -> Violation | None:
        """Explain if the condition does not hold at a (natural) match; None if it holds."""
        try:
            return self.judge(match)
        except ValueExpressionError as error:
            text = f"it cannot be told whether {self.name!r} matches: {error}"
            return Violation(ViolationKind.EXPRESSION, text, (), self.name)

    def find_extension(self, match: Morphism) -> Morphism | None:
        """Find a morphism from the larger pattern that extends the match and counts; else None."""
        return next(find_extensions(self, match), None)

    def judge(self, match: Morphism) -> Violation | None:
        """Explain like `violation`, but raise ValueExpressionError for a missing truth value."""
        found = self.find_extension(match)
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
        for near in self.plan.find_extensions(match, self.monic, self.where):
            names = ", ".join(_name_extra(self, near)) or "what is there"
            reasons = (condition.judge(near) for condition in self.nested)
            return f"{names} will not do: {next(r.message for r in reasons if r is not None)}"
        where = f" with {' and '.join(map(str, self.where))}" if self.where else ""
        return f"nothing is like {lacking}{where}"


def find_extensions(condition: ApplicationCondition, match: Morphism) -> Iterator[Morphism]:
    """Find the extensions of a (natural) match that count for a condition."""
    found = condition.plan.find_extensions(match, condition.monic, condition.where)
    if not condition.nested:
        return found
    return (one for one in found if all(inner.judge(one) is None for inner in condition.nested))


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
