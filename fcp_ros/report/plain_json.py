# SPDX-License-Identifier: Apache-2.0
"""Planning results as plain JSON, for scripts and for tests."""

from __future__ import annotations

import dataclasses
import enum
import json
from collections.abc import Mapping
from typing import Any

from fcp_ros.planning import Plan, PlanningResult


def to_plain(value: Any) -> Any:
    """Turn values of this package into the types of JSON; TypeError for one without a form."""
    if not isinstance(value, enum.Enum) and isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, enum.Enum):
        return value.name
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_plain(item) for item in value]
    raise TypeError(f"a {type(value).__name__} can't be written to a report's JSON")


def to_plain_result(result: PlanningResult) -> dict[str, Any]:
    """Return a planner's answer as JSON values, without the verifier's (large) final state."""
    if result.verification is not None:
        verdict = dataclasses.replace(result.verification, final=None)
        result = dataclasses.replace(result, verification=verdict)
    plain: dict[str, Any] = to_plain(result)
    return plain


def read_plan(text: str) -> Plan:
    """Read the plan out of what ``fcp plan --json`` printed; ValueError for wrong fields."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error
    plan = content.get("plan") if isinstance(content, dict) else None
    if plan is None:
        raise ValueError(
            'no plan in it: give the output of "fcp plan --json" for a goal that was solved'
        )
    from pydantic import TypeAdapter  # slow to import, and most commands read no plan

    return TypeAdapter(Plan).validate_python(plan)
