# SPDX-License-Identifier: Apache-2.0
"""The parameters with the folders of files that may be named while a node runs."""

from __future__ import annotations

from fcp_ros.nodes.runtime.allowed_files import FileRule
from fcp_ros.nodes.runtime.parameters import ParameterSpec, TakesEffect
from fcp_ros.package_files import config_folder, find_domain, find_scene


def make_folders(rule: FileRule, description: str) -> ParameterSpec:
    """Make the parameter with the folders of a rule, which is read only when a node starts."""
    return ParameterSpec(rule.folders, [""], description, takes_effect=TakesEffect.AT_START)


DOMAIN_FILES = FileRule("domain_folders", lambda: config_folder() / "domains", find_domain)
SCENE_FILES = FileRule("scene_folders", lambda: config_folder() / "scenes", find_scene)

DOMAIN_FOLDERS = make_folders(
    DOMAIN_FILES,
    "Folders that a domain may be read from that is named while the node runs (load_domain, or the "
    "parameter domain); without any, the package's own domains.",
)
