# SPDX-License-Identifier: Apache-2.0
"""Application conditions of a step of a run, translated to conditions at its start."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.cset.conditions.conditions import (
    ApplicationCondition,
    Condition,
    ConditionKind,
    CountCondition,
)
from fcp_ros.cset.instance.expressions import Expression
from fcp_ros.cset.instance.morphism import Morphism, identity
from fcp_ros.cset.sequences.case_assembly import Case, cases_of
from fcp_ros.cset.sequences.collapse import CannotTell, collapse, projection
from fcp_ros.cset.sequences.frame import Frame
from fcp_ros.cset.sequences.known_state import CompositionError
from fcp_ros.cset.sequences.pattern_draft import Built, Key
from fcp_ros.cset.sequences.run_names import RunNames

Conditions = tuple[Condition, ...]


class NeverHolds(Exception):
    """A condition that no start of the run can satisfy."""


@dataclass(frozen=True)
class _ToldCase:
    """A case as it can be written: its pattern, and what only counts in it."""

    case: Case
    built: Built
    nested: Conditions


@dataclass(frozen=True)
class Translation:
    """The translation of conditions that start at one pattern.

    Attributes:
        frame: what the pattern is at the start, and what it has become.
        start: the pattern at the start, built.
        source: the keys of the elements and tuples of the pattern that the conditions start at.
        values: what the variables of that pattern stand for.
        names: for what is new.
        within: whether the conditions are nested in another one.
    """

    frame: Frame
    start: Built
    source: Mapping[int, Key]
    values: Mapping[str, Expression]
    names: RunNames
    within: bool = False

    def of(self, condition: Condition) -> Conditions:
        """Conditions at the start that hold together exactly where the condition does later.

        Raises:
            NeverHolds: it never does.
            CompositionError: no conditions can say it; the message says why.
        """
        if isinstance(condition, CountCondition):
            return self._of_count(condition)
        if condition.kind is ConditionKind.NAC:
            return self._of_negative(condition)
        return self._of_positive(condition)

    def _of_negative(self, condition: ApplicationCondition) -> Conditions:
        told = self._told(condition, rigid=False)
        if any(self._is_certain(one) for one in told):
            raise NeverHolds
        return tuple(self._written(condition, ConditionKind.NAC, one) for one in told)

    def _of_positive(self, condition: ApplicationCondition) -> Conditions:
        told = self._told(condition, rigid=False)
        if len(told) > 1 and any(one.nested for one in told):
            told = self._told(condition, rigid=True)
        if any(self._is_certain(one) for one in told):
            return ()
        if not told:
            raise NeverHolds
        if len(told) == 1:
            return (self._written(condition, ConditionKind.PAC, told[0]),)
        if self.within or any(one.nested for one in told):
            raise _unsupported(condition, "it can come about in several ways, and is nested")
        # One of them must occur: not all of them may be absent.
        absent = tuple(self._written(condition, ConditionKind.NAC, one) for one in told)
        here = identity(self.start.instance)
        return (ApplicationCondition(ConditionKind.NAC, condition.name, here, nested=absent),)

    def _of_count(self, condition: CountCondition) -> Conditions:
        told = self._told(condition, rigid=False)
        certain = sum(map(self._is_certain, told))
        rest = [one for one in told if not self._is_certain(one)]
        if len(rest) > 1:
            raise _unsupported(condition, "what it counts can come about in several ways")
        least = max(0, condition.at_least - certain)
        most = None if condition.at_most is None else condition.at_most - certain
        if most is not None and most < 0:
            raise NeverHolds
        if not rest:
            if least:
                raise NeverHolds
            return ()
        if not least and most is None:
            return ()
        one = rest[0]
        return (
            CountCondition(
                condition.name,
                self.start.to(one.built),
                least,
                most,
                one.case.monic,
                one.nested,
                tuple(one.case.values.where),
            ),
        )

    # --- cases

    def _told(self, condition: Condition, *, rigid: bool) -> list[_ToldCase]:
        """The cases in which an extension counts."""
        small = not condition.nested and not self.within
        if condition.monic or not (small or self.frame.is_trivial):
            rigid = True
        if not rigid:
            try:
                return list(self._cases(condition, rigid=False))
            except CannotTell:
                pass
        return list(self._cases(condition, rigid=True))

    def _cases(self, condition: Condition, *, rigid: bool) -> Iterator[_ToldCase]:
        found = cases_of(
            condition,
            self.frame,
            self.source,
            self.values,
            self.names,
            rigid=rigid,
            counted=isinstance(condition, CountCondition),
        )
        for case in found:
            built = case.pattern.build()
            try:
                nested = self._nested(condition, case, built)
            except NeverHolds:
                continue
            yield _ToldCase(case, built, (*nested, *_apart(condition, case, built)))

    def _nested(self, condition: Condition, case: Case, built: Built) -> Conditions:
        if not condition.nested:
            return ()
        frame = self.frame.extended(case.pattern)
        inner = Translation(frame, built, case.images, case.values.values, self.names, within=True)
        return tuple(one for nested in condition.nested for one in inner.of(nested))

    def _is_certain(self, told: _ToldCase) -> bool:
        return not told.nested and told.case.says_nothing(self.frame)

    def _written(
        self, condition: ApplicationCondition, kind: ConditionKind, told: _ToldCase
    ) -> ApplicationCondition:
        return ApplicationCondition(
            kind,
            condition.name,
            self.start.to(told.built),
            told.case.monic,
            told.nested,
            tuple(told.case.values.where),
        )


def _apart(condition: Condition, case: Case, built: Built) -> list[Condition]:
    """That new elements are not what they must not be."""
    found: list[Condition] = []
    for same in case.apart:
        collapsed = collapse(case.pattern, same)
        if collapsed is not None:
            target = collapsed[0].build()
            mapping = projection(built, target, collapsed[1])
            inclusion = Morphism(built.instance, target.instance, mapping)
            name = f"another one for {condition.name}"
            found.append(ApplicationCondition(ConditionKind.NAC, name, inclusion))
    return found


def _unsupported(condition: Condition, why: str) -> CompositionError:
    return CompositionError(f"condition {condition.name!r} cannot be said of the start, as {why}")
