# SPDX-License-Identifier: Apache-2.0
"""The refinement mapping: what the variables and the actions of an abstraction stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.qnp.frozen_mapping import FrozenMapping
from fcp_ros.abstraction.refinement.programs import Program, list_names


@dataclass(frozen=True, slots=True)
class RefinementMapping:
    """The features behind the variables of a QNP, and the programs behind its actions."""

    # by the name of the variable; a boolean one has a boolean feature
    features: Mapping[str, Feature]
    # by the name of the abstract action; several are tried in their order
    programs: Mapping[str, tuple[Program, ...]]

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        object.__setattr__(self, "features", FrozenMapping(self.features))
        object.__setattr__(self, "programs", FrozenMapping(self.programs))

    @property
    def names(self) -> frozenset[str]:
        """The names of the vocabulary that features and programs use."""
        features = (feature.names for feature in self.features.values())
        programs = (list_names(program) for program in self.list_programs())
        return frozenset[str]().union(*features, *programs)

    def list_programs(self) -> Iterator[Program]:
        """List the programs of all actions."""
        for programs in self.programs.values():
            yield from programs
