# SPDX-License-Identifier: Apache-2.0
"""Contexts: the state without what a rule deletes, before anything is glued to it.

In the diagram of a rewrite, the context is D::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation


@dataclass(frozen=True, slots=True)
class Context:
    """D, written as a state and what is still to be taken from it."""

    state: Instance
    # K -> D: an id of the state for each element and tuple of K
    glue: Mapping[int, int] = field(default_factory=dict)
    elements: Collection[int] = ()  # ids of the state to delete
    tuples: Collection[tuple[str, int]] = ()  # (relation, id of the state) to delete
    forgotten: Collection[tuple[str, int]] = ()  # (attribute, id of the state) to unset
    violations: tuple[Violation, ...] = ()
