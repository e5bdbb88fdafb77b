# SPDX-License-Identifier: Apache-2.0
"""Contexts: what a state is, without what a rule deletes and before anything is glued to it.

In the diagram of a rewrite, the context is D::

    L <----- K -----> R
    |        |        |
    G <----- D -----> H
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fcp_ros.cset.instance.change import Change
from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.violation import Violation


@dataclass(frozen=True, slots=True)
class Context:
    """D, written as a state and what is yet to be taken from it.

    Attributes:
        state: G, or what cloning made of it.
        glue: K -> D: an id of the state for each element and tuple of K that is in D.
        elements: ids of the state that go.
        tuples: (relation, id of the state) that go.
        forgotten: (attribute, id of the state) that is unset.
        cloning: how the state differs from G; None where it is G.
        origins: for each element and tuple that cloning made, what of G it is a copy of.
        lost: ids of R that are not glued, because what they stand for was deleted (SPO).
        lost_values: (attribute, id of R) that are not kept, for the same reason.
        violations: why there is no context; then the rest means nothing.
    """

    state: Instance
    glue: Mapping[int, int] = field(default_factory=dict)
    elements: Collection[int] = ()
    tuples: Collection[tuple[str, int]] = ()
    forgotten: Collection[tuple[str, int]] = ()
    cloning: Change | None = None
    origins: Mapping[int, int] = field(default_factory=dict)
    lost: frozenset[int] = frozenset()
    lost_values: frozenset[tuple[str, int]] = frozenset()
    violations: tuple[Violation, ...] = ()
