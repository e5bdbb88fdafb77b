# SPDX-License-Identifier: Apache-2.0
"""Types that are too wide for what a scene shows of a thing.

A fridge is a surface, too. To plan with it as no more than that would leave its door and its
contents out, and milk would be taken through a closed door by a plan that verifies. So a type is
not written for a label if a narrower one allows what the scene shows of its things: their part in
a relation, what geometry finds inside them, or a truth value that nobody could read and that may
be such a state as being closed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fcp_ros.alignment.ontology.proposal import OntologyProposal, Proposer
from fcp_ros.alignment.ontology.target import Mask

_HOLDS = "inside"
"""The relation of geometry whose second place is a container."""
_READ = 0.5
"""Probability from which a reading counts."""


def list_hidden(
    proposer: Proposer, proposal: OntologyProposal, label: str, type_: str
) -> Iterator[str]:
    """Yield what a type would hide of a label's things, as ends of "it ..."; none if narrow."""
    target, vocabulary = proposer.target, proposer.vocabulary
    mask = target.mask(type_)
    things = frozenset(vocabulary.labels[label])

    def hides(leg: Mask) -> bool:
        """True if kinds of the type may fill a place that others may not fill."""
        return bool((mask & leg).any() and (mask & ~leg).any())

    for name, leg in _list_parts(proposer, proposal, things):
        if hides(leg):
            yield f"has a part in {name}"
    # Of things that the scene says lie on it, in the words of the domain, boxes say nothing more.
    on_it = set(vocabulary.relations.get("on", ()))
    found = [one.elements for one in proposer.geometry.relations_named(_HOLDS)]
    if any(one[1] in things and one not in on_it for one in found) and any(
        hides(one.legs[1]) for one in target.find_relations(2) if one.name == _HOLDS
    ):
        yield "has things within its box"
    states = {one.name: one.legs[0] for one in target.relations if len(one.legs) == 1}
    for name, values in vocabulary.attributes.items():
        if things.isdisjoint(values):
            continue
        read = [s for s in proposal.attributes[name] if s.probability >= _READ]
        # What nobody could read may be any state, so also that of a door.
        if any(map(hides, [states[s.fact.relation] for s in read] or states.values())):
            yield f"has {name}"


def _list_parts(
    proposer: Proposer, proposal: OntologyProposal, things: frozenset[str]
) -> Iterator[tuple[str, Mask]]:
    """Yield the relations that things take part in, each with the types that may do so."""
    for name, tuples in proposer.vocabulary.relations.items():
        scores = [
            belief.scores[0][0]
            for belief in proposal.relations[name]
            if belief.scores and belief.nothing < _READ
        ]
        for place in range(len(tuples[0])):
            if scores and any(one[place] in things for one in tuples):
                legs = [one.target.legs[one.reading.places.index(place)] for one in scores]
                yield name, np.logical_or.reduce(legs)
