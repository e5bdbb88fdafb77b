# SPDX-License-Identifier: Apache-2.0
"""Which relations change: those that some rule adds to or deletes from."""

from __future__ import annotations

from fcp_ros.domain.model import Domain


def fluents_of(domain: Domain) -> frozenset[str]:
    """Names of the relations that some rule changes, conditional effects included."""
    changed: set[str] = set()
    for rule in domain.rules.values():
        changed.update(atom.predicate for atom in (*rule.add, *rule.delete))
        for effect in rule.effects:
            changed.update(atom.predicate for atom in (*effect.add, *effect.delete))
    return frozenset(changed)
