# SPDX-License-Identifier: Apache-2.0
"""A domain with a scene and a grounder: what the commands that work without ROS begin with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fcp_ros.cli.options import DEFAULT_ORACLE
from fcp_ros.domain import Domain, load_domain
from fcp_ros.grounding import (
    CalibrationOptions,
    EndpointOptions,
    Grounder,
    GroundingOptions,
    make_grounder,
)
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import SceneGraph, SceneState, load_scene, scene_to_instance


@dataclass(frozen=True)
class Session:
    """Everything that a request is answered from."""

    domain: Domain
    graph: SceneGraph
    state: SceneState


def open_session(domain_name: str, scene_name: str) -> Session:
    """Reads a domain and a scene, each given by name or path.

    Raises:
        DomainError, SceneError: what is wrong, where, and what to do.
    """
    domain = load_domain(find_domain(domain_name))
    graph = load_scene(find_scene(scene_name))
    return Session(domain, graph, scene_to_instance(graph, domain.schema, domain.mapping))


@dataclass(frozen=True)
class JudgeChoice:
    """Who judges, as the command line says.

    Attributes:
        oracle: name of the default oracle.
        model: folder of its model, or the model's name on the server; "" takes the usual one.
        endpoint: URL of a model server, which is the default oracle then; "" for none.
        calibration: the store to learn from; None for none.
    """

    oracle: str = DEFAULT_ORACLE
    model: str = ""
    endpoint: str = ""
    calibration: Path | None = None

    def options(self) -> GroundingOptions:
        """The settings that this stands for."""
        calibration = CalibrationOptions(path=self.calibration)
        if not self.endpoint:
            return GroundingOptions(oracle=self.oracle, model=self.model, calibration=calibration)
        return GroundingOptions(
            oracle="endpoint",
            endpoint=EndpointOptions(url=self.endpoint, model=self.model),
            calibration=calibration,
        )


def open_grounder(domain: Domain, choice: JudgeChoice) -> Grounder:
    """Returns a grounder for the domain's graded predicates.

    Raises:
        GroundingError: a model, server or store that can't be used.
    """
    return make_grounder(domain, choice.options())
