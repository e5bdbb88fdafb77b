# SPDX-License-Identifier: Apache-2.0
"""The grounder that a command's options choose; apart from `judge`, which needs scenes."""

from __future__ import annotations

from dataclasses import dataclass

from fcp_ros import grounding
from fcp_ros.cli.options import (
    DEFAULT_ORACLE,
    CalibrationOption,
    EndpointOption,
    ModelOption,
    OracleOption,
)
from fcp_ros.domain import Domain
from fcp_ros.grounding.options import CalibrationOptions, EndpointOptions, GroundingOptions


@dataclass(frozen=True)
class JudgeChoice:
    """The options that decide who judges; a command takes them with `expand_options`."""

    oracle: OracleOption = DEFAULT_ORACLE  # Name of the default oracle
    # Folder of its model, or the model's name on the server; "" takes the usual one
    model: ModelOption = ""
    # URL of a model server, which is the default oracle then; "" for none
    endpoint: EndpointOption = ""
    # The store whose evidence counts, which is not written to; None for none
    calibration: CalibrationOption = None

    def to_options(self) -> GroundingOptions:
        """Return the settings of the grounder."""
        calibration = CalibrationOptions(path=self.calibration, read_only=True)
        if not self.endpoint:
            return GroundingOptions(oracle=self.oracle, model=self.model, calibration=calibration)
        return GroundingOptions(
            oracle="endpoint",
            endpoint=EndpointOptions(url=self.endpoint, model=self.model),
            calibration=calibration,
        )


def open_grounder(domain: Domain, choice: JudgeChoice) -> grounding.Grounder:
    """Open a grounder for the domain's graded predicates; its modules are imported here.

    Raises GroundingError for a model, server or store that can't be used.
    """
    return grounding.make_grounder(domain, choice.to_options())
