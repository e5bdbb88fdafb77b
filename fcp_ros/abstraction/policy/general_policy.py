# SPDX-License-Identifier: Apache-2.0
"""A general policy as a value, with its conditions and effects as text."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from fcp_ros.abstraction.features.expressions import Feature
from fcp_ros.abstraction.policy.programs import RefinementMapping, list_steps
from fcp_ros.abstraction.qnp.problem import Condition, Qnp, QnpPolicy, QualitativeChange
from fcp_ros.abstraction.states.state import read_vocabulary
from fcp_ros.domain import Domain
from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.identity import identify_domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import join_words, suggest_name

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
    return [
        f"{name} {'increases' if change.raises else 'decreases'}"
        if change.is_numeric
        else f"{'' if change.raises else 'not '}{name}"
        for name, change in effects.items()
    ]


# --- A general policy as a value, and the domains that it fits


@dataclass(frozen=True, slots=True)
class PolicyProvenance:
    """The origin of a policy."""

    proposer: str = ""  # name of what proposed the abstraction
    training: tuple[str, ...] = ()  # names of the instances on which it was tried
    seconds: float = 0.0  # time that it took to find
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GeneralPolicy:
    """A policy for all instances of a domain."""

    name: str
    domain_name: str
    domain_hash: str  # its identity (`domain.identity`)
    goal_relations: tuple[str, ...]
    qnp: Qnp  # the abstraction; its goal is where the policy may stop
    policy: QnpPolicy  # the actions that may be taken in each qstate, tried in their order
    refinement: RefinementMapping
    provenance: PolicyProvenance = field(default_factory=PolicyProvenance)

    @property
    def features(self) -> Mapping[str, Feature]:
        return self.refinement.features


class PolicyFault(str, Enum):
    """The reason why a policy can't be used."""

    UNREADABLE = "UNREADABLE"
    """There is no such file, or it is no text."""
    MALFORMED = "MALFORMED"
    """The file is no policy; every fault is listed with its line."""
    OTHER_FORMAT = "OTHER_FORMAT"
    """The file is of a format or version that this program does not read."""
    OTHER_DOMAIN = "OTHER_DOMAIN"
    """It is a policy of another domain."""
    OTHER_VERSION = "OTHER_VERSION"
    """It is a policy of another version of this domain: their hashes differ."""
    UNKNOWN_NAMES = "UNKNOWN_NAMES"
    """It looks at something that this domain does not have."""


class PolicyError(InputError):
    """A policy that can't be used."""

    def __init__(self, fault: PolicyFault, sentence: str) -> None:
        super().__init__(sentence)
        self.fault = fault  # the reason as a code
        self.sentence = sentence


def check_fit(policy: GeneralPolicy, domain: Domain) -> None:
    """Refuse a policy that was not made for a domain.

    A rule that is missing is none of the policy's business: of PDDL, rules that can never apply in
    a problem are left out. Raises PolicyError with OTHER_DOMAIN, OTHER_VERSION or UNKNOWN_NAMES.
    """
    identity = identify_domain(domain)
    if identity != policy.domain_hash:
        if policy.domain_name != domain.name:
            raise PolicyError(
                PolicyFault.OTHER_DOMAIN,
                f"Policy {policy.name} is for domain {policy.domain_name}, not for {domain.name}.",
            )
        raise PolicyError(
            PolicyFault.OTHER_VERSION,
            f"Policy {policy.name} is for another version of domain {domain.name} (whose hash is "
            f"{policy.domain_hash[:12]}, not {identity[:12]}): learn it again for this one.",
        )
    relations = {relation.name for relation in domain.schema.relations}
    goals = relations & set(policy.goal_relations)
    unknown = sorted(policy.refinement.names - read_vocabulary(domain, goals).names)
    if unknown:
        raise PolicyError(
            PolicyFault.UNKNOWN_NAMES,
            f"Policy {policy.name} looks at {join_words(unknown, 'and')}, which domain "
            f"{domain.name} does not have in this problem.",
        )
    for program in policy.refinement.list_programs():
        for step in list_steps(program):
            rule = domain.rules.get(step.rule)
            extra = set(step.constraints) - set(rule.parameter_names) if rule else None
            if extra:
                raise PolicyError(
                    PolicyFault.UNKNOWN_NAMES,
                    f"Policy {policy.name} constrains {join_words(sorted(extra), 'and')} of "
                    f"{step.rule}, which has no such parameter.",
                )
