# SPDX-License-Identifier: Apache-2.0
"""The grounder's parameters have the defaults of the library's options."""

from dataclasses import replace

from fcp_ros.grounding import EvidenceOrigin, GroundingOptions
from fcp_ros.nodes.grounder.parameters import PARAMETERS, read_grounding_options
from fcp_ros.nodes.runtime.parameters import ParameterTable


class Defaults(ParameterTable):
    """A table of parameters that nobody has changed."""

    def __init__(self):
        self._specs = {spec.name: spec for spec in PARAMETERS}

    def __getitem__(self, name):
        return self._specs[name].default

    file = __getitem__


def test_defaults_are_those_of_the_library_but_for_the_files_and_the_fallback():
    options = read_grounding_options(Defaults(), EvidenceOrigin("robot_1"))
    assert options.fallback == "embedding"
    assert options.cache_path is not None
    assert options.calibration.path is not None
    calibration = replace(options.calibration, path=None, origin=None)
    assert GroundingOptions() == replace(
        options, fallback="", cache_path=None, calibration=calibration
    )
