# SPDX-License-Identifier: Apache-2.0
"""The shape of the file of a policy or of an abstraction: keys and the kinds of their values.

Unknown keys are refused. docs/generalized_plans.md describes every key.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _empty_list(value: Any) -> Any:
    return [] if value is None else value


Lines = Annotated[list[str], BeforeValidator(_empty_list)]


class _PolicyPart(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class ActionEntry(_PolicyPart):
    """An entry of `actions`."""

    when: Lines = Field(default_factory=list)
    effects: Lines = Field(default_factory=list)
    programs: Lines = Field(default_factory=list)


class AbstractionEntry(_PolicyPart):
    """A file that holds an abstraction and no policy."""

    features: dict[str, str]
    initial: Lines = Field(default_factory=list)
    goal: Lines
    actions: dict[str, ActionEntry]


class PolicyRow(_PolicyPart):
    """An item of `policy`."""

    when: Lines = Field(default_factory=list)
    do: Lines


class PolicyDomainEntry(_PolicyPart):
    """The key `domain`."""

    name: str
    hash: str


class ProvenanceEntry(_PolicyPart):
    """The key `provenance`."""

    proposer: str = ""
    training: Lines = Field(default_factory=list)
    seconds: float | int = 0.0
    remarks: Lines = Field(default_factory=list)


class PolicyFileEntry(AbstractionEntry):
    """A file that holds a policy."""

    format: str
    version: int
    name: str
    domain: PolicyDomainEntry
    goals: Lines = Field(default_factory=list)
    policy: list[PolicyRow]
    provenance: ProvenanceEntry = ProvenanceEntry()
