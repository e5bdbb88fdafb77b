# SPDX-License-Identifier: Apache-2.0
"""The items of conditions and effects in files, such as `not carrying` and `left decreases`."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.qnp.problem import Condition, Qnp, QualitativeChange
from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.foundation.wording import suggest_name

_Value = TypeVar("_Value")

_CONDITION = re.compile(r"(?P<not>not\s+)?(?P<name>[^\s=><]+)\s*(?P<number>>\s*0|=\s*0)?")
_EFFECT = re.compile(r"(?P<not>not\s+)?(?P<name>\S+)(?P<number>\s+increases|\s+decreases)?")
_CONDITION_HELP = "write `x` or `not x` for a boolean, `n > 0` or `n = 0` for a number"
_EFFECT_HELP = "write `x` or `not x` for a boolean, `n increases` or `n decreases` for a number"


class ConditionReader:
    """Reads conditions and effects; faults are added to a report.

    `features`: those that could be read. `declared`: the names of all that the file declares.
    """

    def __init__(
        self, report: Diagnostics, features: Mapping[str, Feature], declared: Collection[str]
    ) -> None:
        self._report = report
        self._features = features
        self._declared = declared

    def read_condition(self, items: Sequence[str], path: Path) -> Condition:
        """Read the items of a condition; what is wrong is left out."""
        found: dict[str, bool] = {}
        for number, item in enumerate(items):
            match = self._match(_CONDITION, item, (*path, number), _CONDITION_HELP)
            if match is not None:
                value = not match["not"] and "=" not in (match["number"] or "")
                self._note(found, match["name"], value, (*path, number))
        return found

    def read_effects(self, items: Sequence[str], path: Path) -> Mapping[str, QualitativeChange]:
        """Read the items of effects; what is wrong is left out."""
        found: dict[str, QualitativeChange] = {}
        for number, item in enumerate(items):
            match = self._match(_EFFECT, item, (*path, number), _EFFECT_HELP)
            if match is None:
                continue
            change = QualitativeChange.CLEAR if match["not"] else QualitativeChange.SET
            if match["number"]:
                rises = match["number"].strip() == "increases"
                change = QualitativeChange.INCREASE if rises else QualitativeChange.DECREASE
            self._note(found, match["name"], change, (*path, number))
        return found

    def _match(
        self, form: re.Pattern[str], item: str, path: Path, help_text: str
    ) -> re.Match[str] | None:
        match = form.fullmatch(item.strip())
        if match is None or (match["not"] and match["number"]):
            self._report.add(path, f"{item!r} can't be read", help_text)
            return None
        name = match["name"]
        if name not in self._declared:
            hint = suggest_name(name, self._declared)
            self._report.add(path, f"there is no feature {name}", hint)
            return None
        feature = self._features.get(name)
        if feature is None:  # its own fault is in the report
            return None
        if feature.is_boolean == bool(match["number"]):
            kind = "a boolean" if feature.is_boolean else "a number"
            self._report.add(path, f"{name} is {kind}", help_text)
            return None
        return match

    def _note(self, found: dict[str, _Value], name: str, value: _Value, path: Path) -> None:
        if name in found:
            self._report.add(path, f"{name} is named twice", "leave one out")
        found[name] = value


def write_condition(qnp: Qnp, condition: Condition) -> list[str]:
    """Write the items of a condition, in the order of the variables."""
    numerics = set(qnp.numerics)
    return [
        f"{name} {'>' if condition[name] else '='} 0"
        if name in numerics
        else f"{'' if condition[name] else 'not '}{name}"
        for name in qnp.variables
        if name in condition
    ]


def write_effects(effects: Mapping[str, QualitativeChange]) -> list[str]:
    """Write the items of effects."""
    return [
        f"{name} {'increases' if change.raises else 'decreases'}"
        if change.is_numeric
        else f"{'' if change.raises else 'not '}{name}"
        for name, change in effects.items()
    ]
