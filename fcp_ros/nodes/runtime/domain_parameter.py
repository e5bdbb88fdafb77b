# SPDX-License-Identifier: Apache-2.0
"""The parameters ``domain``, ``type_overrides`` and ``world``, which several nodes have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.binding.label_types import with_type_overrides
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.grounding.options import EvidenceWorld
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.parameters import DOMAIN_FILES, ParameterSpec, ParameterTable
from fcp_ros.package_files import find_domain
from fcp_ros.scene.graph.elements import SceneError

DOMAIN = ParameterSpec(
    "domain",
    "household",
    "Planning domain: a YAML file, or a domain of this package by name.",
    files=DOMAIN_FILES,
)


TYPE_OVERRIDES = ParameterSpec(
    "type_overrides",
    [""],
    "Types of labels or elements, which take precedence over the domain: 'icebox=fridge' for each "
    "thing with this label, 'O(3)=table' for one element.",
)


AUTO = "auto"

WORLD = ParameterSpec(
    "world",
    AUTO,
    "Where outcomes come from. A store is about one world; auto is simulated with use_sim_time "
    "or the node simulated_executor of the same start, and otherwise real.",
    choices=(AUTO, *(world.value for world in EvidenceWorld)),
)


def load_configured_domain(name_or_path: str, overrides: Iterable[str] = ()) -> Domain:
    """Load the domain that the parameter names, with the type overrides of the other parameter.

    Raises ConfigureError if the domain is unusable; the sentence lists every problem with its line.
    """
    try:
        return apply_overrides(load_domain(find_domain(name_or_path)), overrides)
    except (DomainError, OSError) as error:
        raise ConfigureError(f"the domain {name_or_path!r} can't be used: {error}") from error
    except SceneError as error:
        raise ConfigureError(f"the parameter type_overrides can't be used: {error}") from error


def read_domain(values: ParameterTable) -> Domain:
    return load_configured_domain(values.file("domain"), values.texts("type_overrides"))


def apply_overrides(domain: Domain, overrides: Iterable[str]) -> Domain:
    """Return the domain with the entries of the parameter ``type_overrides``; ignore empty ones.

    Raises SceneError if an entry is no override, or names a type that the domain does not have.
    """
    texts = [text for text in overrides if text.strip()]
    if not texts:
        return domain
    return replace(domain, mapping=with_type_overrides(domain.mapping, domain.schema, texts))


def list_executors(domain: Domain) -> tuple[str, ...]:
    return tuple(sorted({rule.executor for rule in domain.rules.values()}))


def choose_world(values: ParameterTable, *, simulated_time: bool) -> EvidenceWorld:
    """Choose the world of the outcomes: as the parameter says, or else by the clock."""
    said = values.text("world")
    if said != AUTO:
        return EvidenceWorld(said)
    return EvidenceWorld.SIMULATED if simulated_time else EvidenceWorld.REAL
