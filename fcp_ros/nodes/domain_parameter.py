# SPDX-License-Identifier: Apache-2.0
"""The parameter ``domain``, which several nodes have: declared and read in one place."""

from __future__ import annotations

from fcp_ros.domain.model import Domain
from fcp_ros.domain.problems import DomainError
from fcp_ros.domain.yaml_reader import load_domain
from fcp_ros.nodes.lifecycle import ConfigureError
from fcp_ros.nodes.parameters import ParameterSpec
from fcp_ros.package_files import find_domain

DOMAIN = ParameterSpec(
    "domain", "household", "Planning domain: a YAML file, or a domain of this package by name."
)


def configured_domain(name_or_path: str) -> Domain:
    """The domain that the parameter names.

    Raises:
        ConfigureError: it can't be used; the sentence lists every problem with its line.
    """
    try:
        return load_domain(find_domain(name_or_path))
    except (DomainError, OSError) as error:
        raise ConfigureError(f"the domain {name_or_path!r} can't be used: {error}") from error
