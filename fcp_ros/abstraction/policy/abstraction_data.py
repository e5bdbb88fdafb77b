# SPDX-License-Identifier: Apache-2.0
"""The shape of the file of a policy or of an abstraction: keys and the kinds of their values.

Unknown keys are refused. docs/generalized_plans.md describes every key.

features: {carrying: any(held), left: "count(and(goal.held, not(held)))"}
initial: [not carrying]    # `x` and `not x` of booleans, `n > 0` and `n = 0` of numbers
goal: [left = 0]
actions:
  pick:
    when: [not carrying, left > 0]
    effects: [carrying, left decreases]    # also `not x` and `n increases`
    programs: ["move(to: some(inverse(at), ball)); pick()"]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from fcp_ros.abstraction.features.expressions import Feature
from fcp_ros.abstraction.features.parser import FeatureSyntaxError, parse_feature
from fcp_ros.abstraction.policy.general_policy import (
    ConditionReader,
    write_condition,
    write_effects,
)
from fcp_ros.abstraction.policy.programs import (
    Program,
    RefinementMapping,
    Signatures,
    parse_program,
    write_program,
)
from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QnpError, check_action
from fcp_ros.abstraction.states.state import ONLY, StateVocabulary
from fcp_ros.domain import Domain
from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.foundation.wording import shorten_words
from fcp_ros.foundation.yaml_text import load_yaml


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


# --- an abstraction as plain data: features, conditions, abstract actions and their programs


_SEE = "see docs/generalized_plans.md"
_PLAIN = re.compile(r"[A-Za-z_][\w\-.]*( [\w\-.>=]+)*", re.ASCII)
_NAME = re.compile(r"[^\s=><:,]+")


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The names that an abstraction may use."""

    vocabulary: StateVocabulary
    signatures: Signatures  # the rules and their parameters


def list_signatures(domain: Domain) -> Signatures:
    """Return the parameters of each rule that programs may constrain."""
    return {
        name: tuple(p.name for p in rule.parameters if not p.type.startswith(ONLY))
        for name, rule in domain.rules.items()
    }


def read_abstraction(
    data: Any, report: Diagnostics, name: str, known: KnownNames | None = None
) -> tuple[Qnp, RefinementMapping]:
    """Read an abstraction.

    Raises DomainError for all faults of the shape, or else all others, with line and fix.

    Args:
        data: plain data in the shape above.
        report: knows the file and its lines; faults are added to it.
        known: the only names that are allowed; None: all are.
    """
    # Imported here because pydantic is slow to load.
    from fcp_ros.domain.yaml.sections import check_shape

    return build_abstraction(check_shape(AbstractionEntry, data, report), report, name, known)


def build_abstraction(
    entry: Any, report: Diagnostics, name: str, known: KnownNames | None = None
) -> tuple[Qnp, RefinementMapping]:
    """Build an abstraction from an entry of the right shape (`entries.AbstractionEntry`).

    Raises DomainError for all faults, with line and fix.
    """
    return _AbstractionBuilder(report, known).build(entry, name)


class _AbstractionBuilder:
    def __init__(self, report: Diagnostics, known: KnownNames | None) -> None:
        self._report = report
        self._vocabulary = None if known is None else known.vocabulary
        self._signatures = None if known is None else known.signatures
        self._features: dict[str, Feature] = {}

    def build(self, entry: Any, name: str) -> tuple[Qnp, RefinementMapping]:
        """Build everything, and raise all faults together."""
        report = self._report
        for variable, text in entry.features.items():
            self._read_feature(variable, text)
        booleans = tuple(n for n, feature in self._features.items() if feature.is_boolean)
        numerics = tuple(n for n, feature in self._features.items() if not feature.is_boolean)
        conditions = ConditionReader(report, self._features, entry.features)
        initial = conditions.read_condition(entry.initial, ("initial",))
        goal = conditions.read_condition(entry.goal, ("goal",))
        actions, programs = [], {}
        for action, part in entry.actions.items():
            path: Path = ("actions", action)
            before = len(report.diagnostics)
            when = conditions.read_condition(part.when, (*path, "when"))
            effects = conditions.read_effects(part.effects, (*path, "effects"))
            actions.append(AbstractAction(action, when, effects))
            if len(report.diagnostics) == before:
                self._check(path, check_action, actions[-1], set(booleans), set(numerics))
            programs[action] = self._read_programs(part.programs, (*path, "programs"))
        report.raise_if_any()
        try:
            qnp = Qnp(name, booleans, numerics, initial, goal, tuple(actions))
        except QnpError as error:
            self._add((), error)
            report.raise_if_any()
            raise
        return qnp, RefinementMapping(self._features, programs)

    def _read_feature(self, name: str, text: str) -> None:
        if _NAME.fullmatch(name) is None or name == "not":
            self._report.add(("features", name), f"{name!r} is no name", "use letters, digits, _")
            return
        try:
            self._features[name] = parse_feature(text, self._vocabulary)
        except FeatureSyntaxError as error:
            self._add(("features", name), error)

    def _check(self, path: Path, check: Callable[..., None], *arguments: Any) -> None:
        try:
            check(*arguments)
        except QnpError as error:
            self._add(path, error)

    def _read_programs(self, texts: Sequence[str], path: Path) -> tuple[Program, ...]:
        found = []
        for number, text in enumerate(texts):
            try:
                program = parse_program(text, self._features, self._vocabulary, self._signatures)
                found.append(program)
            except FeatureSyntaxError as error:
                self._add((*path, number), error)
        return tuple(found)

    def _add(self, path: Path, error: QnpError | FeatureSyntaxError) -> None:
        """Record a fault; that of an expression with its place."""
        if isinstance(error, FeatureSyntaxError):
            what, joint, fix = error.message.rstrip(".").partition("; ")
            if not joint and ": " in what:
                what, _, fix = what.rpartition(": ")
            what = f"{what}, at character {error.offset + 1} of {shorten_words(error.text, 60)!r}"
        else:
            what, _, fix = str(error).partition(": ")
        self._report.add(path, what, fix or _SEE)


def write_abstraction(qnp: Qnp, refinement: RefinementMapping) -> str:
    """Write an abstraction as YAML that `read_abstraction` reads: a line for each feature."""
    lines = ["features:"]
    for name in qnp.variables:
        lines.append(f"  {write_word(name)}: {write_text(refinement.features[name].text)}")
    lines.append(f"initial: {write_list(write_condition(qnp, qnp.initial))}")
    lines.append(f"goal: {write_list(write_condition(qnp, qnp.goal))}")
    lines.append("actions:")
    for action in qnp.actions:
        lines.append(f"  {write_word(action.name)}:")
        lines.append(f"    when: {write_list(write_condition(qnp, action.when))}")
        lines.append(f"    effects: {write_list(write_effects(action.effects))}")
        lines.append("    programs:")
        programs = refinement.programs.get(action.name, ())
        lines += [f"      - {write_text(write_program(program))}" for program in programs]
    return "\n".join([*lines, ""])


def write_text(text: str) -> str:
    """Write a text of YAML in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def write_word(word: str) -> str:
    """Write a word of YAML, in double quotes unless it can't be read as anything else."""
    is_plain = _PLAIN.fullmatch(word) is not None and load_yaml(word) == word
    return word if is_plain else write_text(word)


def write_list(words: Iterable[str]) -> str:
    return f"[{', '.join(map(write_word, words))}]"
