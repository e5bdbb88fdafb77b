# SPDX-License-Identifier: Apache-2.0
"""A general policy as a value, and the domains that it fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.qnp.problem import Qnp, QnpPolicy
from fcp_ros.abstraction.refinement.programs import RefinementMapping, list_steps
from fcp_ros.abstraction.states.vocabulary import read_vocabulary
from fcp_ros.domain import Domain
from fcp_ros.domain.identity import identify_domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import join_words


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
        """The features by the names of the variables."""
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
