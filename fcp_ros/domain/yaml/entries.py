# SPDX-License-Identifier: Apache-2.0
"""The shape of a domain file: its keys and the kind of value that each takes.

Unknown keys are refused. The builders beside it check the meaning of names; docs/domain.md
describes every key.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _empty_list(value: Any) -> Any:
    return [] if value is None else value


def _empty_mapping(value: Any) -> Any:
    return {} if value is None else value


Words = Annotated[list[str], BeforeValidator(_empty_list)]
Amounts = Annotated[dict[str, float], BeforeValidator(_empty_mapping)]
Typing = Annotated[dict[str, str], BeforeValidator(_empty_mapping)]
Degree = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]
Degrees = Annotated[dict[str, Degree], BeforeValidator(_empty_mapping)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class RelationEntry(_Entry):
    """An entry of `relations`."""

    legs: dict[str, str]
    functional: Words = Field(default_factory=list)
    static: bool = False
    phrases: Words = Field(default_factory=list)
    negated_phrases: Words = Field(default_factory=list)
    removed: str = ""


class AttributeEntry(_Entry):
    """An entry of `attributes`."""

    of: str
    kind: Literal["bool", "int", "float", "string", "enum"]
    values: Words = Field(default_factory=list)


class DurationEntry(_Entry):
    """The key `duration` of a rule if it depends on a distance."""

    base: float
    per_metre: float = 0.0
    between: list[str] | None = None


class CostRow(_Entry):
    """A row of a cost table."""

    elements: list[str]
    cost: int | float


class CostTermEntry(_Entry):
    """A part of a cost that depends on parameters."""

    parameters: list[str]
    table: list[CostRow]


class CostEntry(_Entry):
    """The key `cost` of a rule if it has terms."""

    base: int | float
    terms: list[CostTermEntry] = Field(default_factory=list)


class WindowEntry(_Entry):
    """The key `window` of a rule."""

    opens: float = 0.0
    closes: float = math.inf


class EffectEntry(_Entry):
    """An item of `effects` of a rule."""

    variables: Typing = Field(default_factory=dict)
    when: Words = Field(default_factory=list)
    add: Words = Field(default_factory=list)
    delete: Words = Field(default_factory=list)


class RuleEntry(_Entry):
    """An entry of `rules`."""

    description: str = ""
    parameters: Typing
    when: Words = Field(default_factory=list)
    delete: Words = Field(default_factory=list)
    add: Words = Field(default_factory=list)
    effects: list[EffectEntry] = Field(default_factory=list)
    graded: Words = Field(default_factory=list)
    duration: float | DurationEntry
    cost: int | float | CostEntry = 1
    window: WindowEntry = WindowEntry()
    uses: Amounts = Field(default_factory=dict)
    executor: str
    phrases: Words = Field(default_factory=list)


class AnchorEntry(_Entry):
    """The meaning of a score of a rubric."""

    means: str
    examples: list[list[str]] = Field(default_factory=list)


class RubricEntry(_Entry):
    """The key `rubric` of a graded predicate."""

    question: str
    factors: Words = Field(default_factory=list)
    anchors: dict[int, AnchorEntry]


class TableRow(_Entry):
    """A row of the table of a graded predicate."""

    when: dict[str, str | list[str]]
    degree: Degree


class SigmoidEntry(_Entry):
    """A smooth step, as a fuzzy set of numbers."""

    middle: float
    width: float
    falling: bool = False


class RuleLineEntry(_Entry):
    """A line of the rule of a graded predicate."""

    value: str
    trapezoid: list[float] | None = None
    sigmoid: SigmoidEntry | None = None


class OracleEntry(_Entry):
    """The key `oracle` with several oracles that answer together."""

    first_of: Words = Field(default_factory=list)
    all_of: Words = Field(default_factory=list)
    t_norm: str | None = None


class GradedEntry(_Entry):
    """An entry of `graded`."""

    description: str = ""
    parameters: Typing
    context: Annotated[dict[str, list[str]], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict
    )
    oracle: str | OracleEntry = "default"
    rubric: RubricEntry | None = None
    table: list[TableRow] = Field(default_factory=list)
    rule: list[RuleLineEntry] = Field(default_factory=list)
    t_norm: str | None = None
    default_degree: Degree | None = None
    calibrated: bool = True
    judged_like: str = ""
    hazard: bool | None = None
    guides: bool = False
    phrases: Words = Field(default_factory=list)


class ConstraintEntry(_Entry):
    """An entry of `constraints`."""

    variables: Typing
    never: Words
    because: str


class ResourceEntry(_Entry):
    """An entry of `resources`."""

    initial: float
    minimum: float
    maximum: float
    unit: str = ""


class ChunkEntry(_Entry):
    """An entry of `chunks`."""

    description: str = ""
    parameters: Typing
    steps: Words
    graded: Words = Field(default_factory=list)


class AdditionEntry(_Entry):
    """An item of `additions` of a task."""

    phrases: Words
    parameters: Typing = Field(default_factory=dict)
    goal: str = ""


class TaskEntry(_Entry):
    """An entry of `tasks`."""

    description: str = ""
    phrases: Words
    parameters: Typing = Field(default_factory=dict)
    defaults: Annotated[dict[str, str | int], BeforeValidator(_empty_mapping)] = Field(
        default_factory=dict
    )
    goal: str
    several: str = ""
    left: str = ""
    additions: list[AdditionEntry] = Field(default_factory=list)


class WeakerEntry(_Entry):
    """An item of a relation in `relaxable`, in its long form."""

    to: str
    degree: Degree
    because: str = ""


class SubstituteEntry(_Entry):
    """An item of `substitute` in `relaxing`."""

    of: str
    by: str
    named: Degree | None = None
    purpose: str = ""


class ShiftEntry(_Entry):
    """An item of `shift` in `relaxing`."""

    of: str
    to: str
    degree: Degree | None = None
    by: str = ""
    because: str = ""


class RelaxingEntry(_Entry):
    """The section `relaxing`."""

    substitute: list[SubstituteEntry] | None = None
    fewer: float | str | None = None
    fewer_least: Degree | None = None
    is_a: Degrees | float = Field(default_factory=dict)
    drop: Degrees = Field(default_factory=dict)
    split: Degree | None = None
    shift: list[ShiftEntry] = Field(default_factory=list)
    ask: Degrees = Field(default_factory=dict)


class SetExtensionEntry(_Entry):
    """An item of `more` of a set."""

    phrases: Words
    members: Words


class SetEntry(_Entry):
    """An entry of `sets`."""

    description: str = ""
    words: Words
    parts: Words = Field(default_factory=list)
    members: Words
    more: list[SetExtensionEntry] = Field(default_factory=list)


class AttributeFactEntry(_Entry):
    """An item of `attribute_facts`."""

    attribute: str
    equals: bool | int | float | str
    relation: str


class SimilarLabelsEntry(_Entry):
    """The key `similar_labels`."""

    threshold: Degree


class OverridesEntry(_Entry):
    """The key `overrides` of `scene`, and of a file of its own."""

    labels: Typing = Field(default_factory=dict)
    relations: dict[str, str | list[str]] = Field(default_factory=dict)
    attributes: Typing = Field(default_factory=dict)


class OverridesFile(_Entry):
    """A file with nothing but overrides."""

    overrides: OverridesEntry


class SceneEntry(_Entry):
    """The section `scene`."""

    layers: dict[str, str]
    unknown: str
    unknown_small: str | None = None
    small_size: float = Field(default=0.3, gt=0.0, allow_inf_nan=False)
    similar_labels: SimilarLabelsEntry | None = None
    attribute_facts: list[AttributeFactEntry] = Field(default_factory=list)
    overrides: OverridesEntry | None = None


class DomainFile(_Entry):
    """A whole domain file."""

    domain: str
    version: str
    description: str = ""
    types: dict[str, Words]
    relations: dict[str, RelationEntry]
    attributes: dict[str, AttributeEntry] = Field(default_factory=dict)
    rules: dict[str, RuleEntry]
    graded: dict[str, GradedEntry] = Field(default_factory=dict)
    constraints: dict[str, ConstraintEntry] = Field(default_factory=dict)
    resources: dict[str, ResourceEntry] = Field(default_factory=dict)
    chunks: dict[str, ChunkEntry] = Field(default_factory=dict)
    labels: dict[str, Words] = Field(default_factory=dict)
    synonyms: Typing = Field(default_factory=dict)
    tasks: dict[str, TaskEntry] = Field(default_factory=dict)
    kinds: dict[str, Words] = Field(default_factory=dict)
    sets: dict[str, SetEntry] = Field(default_factory=dict)
    ignorable: Words = Field(default_factory=list)
    relaxable: dict[str, list[str | WeakerEntry]] = Field(default_factory=dict)
    relaxing: RelaxingEntry | None = None
    hard: Words = Field(default_factory=list)
    restore: dict[str, Annotated[int, Field(ge=1, le=1000)]] = Field(default_factory=dict)
    scene: SceneEntry
