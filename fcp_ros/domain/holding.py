# SPDX-License-Identifier: Apache-2.0
"""The relation between a robot and what it holds or carries, whatever a domain calls it."""

from __future__ import annotations

from typing import NamedTuple

from fcp_ros.domain.model import ActionRule, Domain


class Holding(NamedTuple):
    """A relation of two legs, the robot and the thing."""

    relation: str
    robot: str  # the leg of the robot
    item: str
    robot_type: str


def find_holding(domain: Domain) -> Holding | None:
    """Return the relation that the first rule adds by which a robot takes something away.

    It adds that its first parameter has the thing, and deletes another fact about the thing.
    """
    found = (_find_taken(domain, rule) for rule in domain.rules.values())
    return next((holding for holding in found if holding is not None), None)


def _find_taken(domain: Domain, rule: ActionRule) -> Holding | None:
    robot = rule.parameters[0].name if rule.parameters else ""
    for atom in rule.add:
        names = [getattr(term, "name", "") for term in atom.arguments]
        if len(names) != 2 or robot not in names or names[0] == names[1]:
            continue
        place = names.index(robot)
        thing = atom.arguments[1 - place]
        left = any(
            fact.predicate != atom.predicate
            and thing in fact.arguments
            and atom.arguments[place] not in fact.arguments
            for fact in rule.delete
        )
        if left:
            legs = domain.schema.relation(atom.predicate).legs
            return Holding(atom.predicate, legs[place][0], legs[1 - place][0], legs[place][1])
    return None
