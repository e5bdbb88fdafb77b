# SPDX-License-Identifier: Apache-2.0
"""The parameters ``domain`` and ``type_overrides``, which several nodes have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fcp_ros.binding.label_types import with_type_overrides
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.model import Domain
from fcp_ros.domain.yaml.reader import load_domain
from fcp_ros.nodes.runtime.lifecycle import ConfigureError
from fcp_ros.nodes.runtime.parameters import ParameterSpec
from fcp_ros.package_files import find_domain
from fcp_ros.scene.graph.errors import SceneError

DOMAIN = ParameterSpec(
    "domain", "household", "Planning domain: a YAML file, or a domain of this package by name."
)


TYPE_OVERRIDES = ParameterSpec(
    "type_overrides",
    [""],
    "Types of labels or elements, which take precedence over the domain: 'icebox=fridge' for each "
    "thing with this label, 'O(3)=table' for one element.",
)


def load_configured_domain(name_or_path: str, overrides: Iterable[str] = ()) -> Domain:
    """Load the domain that the parameter names, with the type overrides of the other parameter.

    Raises:
        ConfigureError: the domain is unusable; the sentence lists every problem with its line.
    """
    try:
        return apply_overrides(load_domain(find_domain(name_or_path)), overrides)
    except (DomainError, OSError) as error:
        raise ConfigureError(f"the domain {name_or_path!r} can't be used: {error}") from error
    except SceneError as error:
        raise ConfigureError(f"the parameter type_overrides can't be used: {error}") from error


def apply_overrides(domain: Domain, overrides: Iterable[str]) -> Domain:
    """Return the domain with the entries of the parameter ``type_overrides``; ignore empty ones.

    Raises:
        SceneError: an entry is no override, or names a type that the domain does not have.
    """
    texts = [text for text in overrides if text.strip()]
    if not texts:
        return domain
    return replace(domain, mapping=with_type_overrides(domain.mapping, domain.schema, texts))


def list_executors(domain: Domain) -> tuple[str, ...]:
    """Return the names of all executors that a domain's rules need, sorted."""
    return tuple(sorted({rule.executor for rule in domain.rules.values()}))
