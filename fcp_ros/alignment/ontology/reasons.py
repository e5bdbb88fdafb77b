# SPDX-License-Identifier: Apache-2.0
"""Claims made of beliefs and trials, with the reasons for them in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from fcp_ros.alignment.ontology.beliefs import AttributeScore, Belief, ReadingScore, RelationBelief
from fcp_ros.alignment.ontology.claims import ClaimStanding, Meaning, NameClaim, NameKind, NameUse
from fcp_ros.alignment.ontology.experiments import TrialLog
from fcp_ros.alignment.ontology.proposal import CREDIBLE, OntologyProposal, Proposer
from fcp_ros.alignment.ontology.vocabulary import Mask
from fcp_ros.domain.scene_names import AttributeReading, RelationReading
from fcp_ros.foundation.wording import list_names
from fcp_ros.scene.graph.elements import Layer
from fcp_ros.scene.graph.roles import is_robot

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


_MOST_CERTAIN = 0.99
_RIVALS = 3
_WORTH_SAYING = 0.05
_NOTHING = 0.5
"""Probability of no meaning from which a name is said to mean nothing."""


class ClaimWriter:
    """Makes claims of what is believed."""

    def __init__(self, proposer: Proposer, log: TrialLog, before: OntologyProposal) -> None:
        self._proposer = proposer
        self._target = proposer.target
        self._vocabulary = proposer.vocabulary
        self._log = log
        self._before = before

    def write(self, proposal: OntologyProposal) -> tuple[NameClaim, ...]:
        """Make the claims about all names, and those that were refuted."""
        claims = [
            *(self._claim_label(label, proposal) for label in proposal.labels),
            *(
                claim
                for name, beliefs in proposal.relations.items()
                for claim in self._claim_relation(name, beliefs)
            ),
            *(self._claim_attribute(name, s) for name, s in proposal.attributes.items()),
        ]
        told = {(claim.name, claim.meaning) for claim in claims}
        return (*claims, *self._list_refuted(told))

    # --- labels

    def _claim_label(self, label: str, proposal: OntologyProposal) -> NameClaim:
        belief = proposal.labels[label]
        layer = self._vocabulary.find_layer(label)
        known = self._target.find_type(label)
        count = len(self._vocabulary.labels[label])
        robot = self._target.find_type("robot")
        if layer is Layer.AGENT and known is None and robot is not None:
            return self._claim_agent(label, robot, count)
        if layer is not Layer.OBJECT:
            layered = (f"in the layer {layer.value}",)
            own = known or self._target.mapping.layer_types.get(layer.value)
            standing = ClaimStanding.KNOWN if own else ClaimStanding.UNKNOWN
            claim = NameClaim(NameKind.LABEL, label, own, 0.99, standing, count, layered)
            return replace(claim, is_layer=True)
        own_mass = 0.0 if known is None else float(belief[self._target.mask(known)].sum())
        if known is not None and own_mass >= 0.5:
            sure, said = min(own_mass, _MOST_CERTAIN), ("a label of the domain",)
            return NameClaim(NameKind.LABEL, label, known, sure, ClaimStanding.KNOWN, count, said)
        type_, mass = self._proposer.choose_type(belief)
        reasons = self._explain_label(label, type_)
        if known is not None:
            reasons = (f"not the {known} that the domain means by it", *reasons)
        if not type_ or self._proposer.is_default(type_):
            claim = self._doubt_label(label, belief, reasons)
        else:
            claim = self._claim_type(label, proposal, (type_, mass), reasons)
        return replace(claim, namesake=known or "")

    def _doubt_label(self, label: str, belief: Belief, reasons: tuple[str, ...]) -> NameClaim:
        """Claim the likeliest type as doubtful, or that the label means nothing."""
        count = len(self._vocabulary.labels[label])
        rivals = self._rank_types(belief)
        best, share = rivals[0]
        if share < _NOTHING:
            return NameClaim(
                NameKind.LABEL,
                label,
                None,
                share,
                ClaimStanding.UNKNOWN,
                count,
                reasons,
                tuple(rivals),
            )
        return NameClaim(
            NameKind.LABEL,
            label,
            self._proposer.find_label(label, best),
            share,
            ClaimStanding.DOUBTFUL,
            count,
            reasons,
            tuple(rivals[1:]),
        )

    def _claim_type(
        self,
        label: str,
        proposal: OntologyProposal,
        chosen: tuple[str, float],
        reasons: tuple[str, ...],
    ) -> NameClaim:
        """Claim a type that says something: shown or refuted by trials, or untried."""
        type_, mass = chosen
        meaning = self._proposer.find_label(label, type_)
        used = [
            use
            for use in self._log.succeeded
            if use.kind is NameKind.LABEL and use.name == label and self._is_said_by(type_, use)
        ]
        succeeded = self._log.count_successes(used)
        # What the domain itself says is overruled by trials only.
        is_new = self._target.find_type(label) is None
        untried = ClaimStanding.PROPOSED if is_new else ClaimStanding.DOUBTFUL
        standing = ClaimStanding.KEPT if used else untried
        hidden = tuple(list_hidden(self._proposer, proposal, label, type_))
        if hidden:  # what is in a closed fridge is not taken from a "surface" (issue 28)
            standing = ClaimStanding.DOUBTFUL
            reasons = (f"{meaning} would hide that it {list_names(hidden)}", *reasons)
        before = float(self._before.labels[label][self._target.mask(type_)].sum())
        rivals = self._rank_types(proposal.labels[label])
        return NameClaim(
            NameKind.LABEL,
            label,
            meaning,
            _settle(before, mass, succeeded),
            standing,
            len(self._vocabulary.labels[label]),
            reasons,
            tuple(one for one in rivals if one[0] != type_),
            succeeded,
            sum(n for use, n in self._log.failed.items() if use.name == label),
        )

    def _claim_agent(self, label: str, robot: str, count: int) -> NameClaim:
        """Claim that an agent of an unknown kind is the robot, if the scene shows no other one."""
        # Without a robot, every goal is proven unsolvable. But a second one may be a person.
        agents = [id_ for id_, node in self._vocabulary.graph.nodes.items() if is_robot(node)]
        if len(agents) == 1:
            reasons = ("an agent that is no person, and the scene has no other robot",)
            standing, probability = ClaimStanding.PROPOSED, CREDIBLE
        else:
            reasons = (f"one of {len(agents)} agents that may be robots",)
            standing, probability = ClaimStanding.DOUBTFUL, 1.0 / len(agents)
        return NameClaim(NameKind.LABEL, label, robot, probability, standing, count, reasons)

    def _is_said_by(self, type_: str, use: NameUse) -> bool:
        """Return True if an action needs a type that says something, and a claimed type is one."""
        needed = str(use.meaning)
        is_kind = self._target.domain.schema.is_subtype
        return is_kind(type_, needed) and not self._proposer.is_default(needed)

    def _rank_types(self, belief: Belief) -> list[tuple[str, float]]:
        order = np.argsort(-belief, kind="stable")[:_RIVALS]
        ranked = [(self._target.types[at], float(belief[at])) for at in order]
        return [one for one in ranked if one[1] >= _WORTH_SAYING] or ranked[:1]

    def _explain_label(self, label: str, type_: str) -> tuple[str, ...]:
        reasons = []
        nearest = [
            found
            for one in self._target.types
            if type_
            and self._target.domain.schema.is_subtype(one, type_)
            and (found := self._proposer.words.find_nearest(label, one)) is not None
        ]
        if nearest:
            word, likeness = max(nearest, key=lambda one: one[1])
            reasons.append(f"like {word!r} ({likeness:.2f})")
        parts = [
            f"{name} ({place + 1})"
            for name, tuples in self._vocabulary.relations.items()
            for place in range(len(tuples[0]))
            if any(self._vocabulary.label_of.get(one[place]) == label for one in tuples)
        ]
        if parts:
            reasons.append(f"occurs in {', '.join(parts[:4])}")
        held = [
            name
            for name, values in self._vocabulary.attributes.items()
            if any(self._vocabulary.label_of[id_] == label for id_ in values)
        ]
        if held:
            reasons.append(f"has {', '.join(held[:3])}")
        return tuple(reasons)

    # --- relations and attributes

    def _claim_relation(
        self, name: str, beliefs: tuple[RelationBelief, ...]
    ) -> Iterator[NameClaim]:
        count = len(self._vocabulary.relations[name])
        for belief in beliefs:
            if not belief.scores or belief.nothing >= _NOTHING:
                yield self._claim_nothing(NameKind.RELATION, name, belief, count)
                continue
            score, probability = belief.scores[0]
            plain = RelationReading(name, tuple(range(len(score.reading.places))))
            use = NameUse(NameKind.RELATION, name, score.reading)
            standing = self._judge(use, probability)
            if score.reading == plain:  # beside another reading, it has to be written, too
                standing = ClaimStanding.KNOWN if len(beliefs) == 1 else ClaimStanding.PROPOSED
            yield NameClaim(
                NameKind.RELATION,
                name,
                score.reading,
                _settle(self._recall(name, score.reading), probability, self._log.succeeded[use]),
                standing,
                count,
                tuple(_explain_reading(score)),
                tuple(
                    (other.reading, share)
                    for other, share in belief.scores[1 : 1 + _RIVALS]
                    if share >= _WORTH_SAYING
                ),
                self._log.succeeded[use],
                self._log.failed[use],
            )

    def _recall(self, name: str, reading: RelationReading) -> float:
        """Return the probability of a reading before any trial."""
        return max(
            (
                share
                for belief in self._before.relations[name]
                for score, share in belief.scores
                if score.reading == reading
            ),
            default=0.0,
        )

    def _claim_nothing(
        self, kind: NameKind, name: str, belief: RelationBelief, count: int
    ) -> NameClaim:
        rivals = tuple((score.reading, share) for score, share in belief.scores[:_RIVALS])
        known = self._target.domain.schema.has_relation(name)
        reasons = ("the types of its ends do not fit the domain's relation",) if known else ()
        standing = ClaimStanding.UNKNOWN
        return NameClaim(kind, name, None, belief.nothing, standing, count, reasons, rivals)

    def _claim_attribute(self, name: str, scores: tuple[AttributeScore, ...]) -> NameClaim:
        count = len(self._vocabulary.attributes[name])
        nothing = 1.0 - sum(score.probability for score in scores)
        rivals = tuple((score.reading, score.probability) for score in scores[:_RIVALS])
        opposites = [one.probability for one in scores if one.fact == scores[0].fact]
        if nothing >= _NOTHING or sum(opposites) < _NOTHING:
            standing = ClaimStanding.UNKNOWN
            return NameClaim(NameKind.ATTRIBUTE, name, None, nothing, standing, count, (), rivals)
        best = scores[0]
        use = NameUse(NameKind.ATTRIBUTE, name, best.reading)
        is_same = best.reading == AttributeReading(name)
        standing = ClaimStanding.KNOWN if is_same else self._judge(use, best.probability)
        earlier = self._before.attributes[name]
        first = sum(one.probability for one in earlier if one.reading == best.reading)
        reasons = [f"{best.fit:.0%} of its things can be {best.fact.relation.replace('_', ' ')}"]
        if best.likeness is not None:
            reasons.append(f"likeness of the names {best.likeness:.2f}")
        return NameClaim(
            NameKind.ATTRIBUTE,
            name,
            best.reading,
            _settle(first, best.probability, self._log.succeeded[use]),
            standing,
            count,
            tuple(reasons),
            tuple(one for one in rivals[1:] if one[1] >= _WORTH_SAYING),
            self._log.succeeded[use],
            self._log.failed[use],
        )

    def _judge(self, use: NameUse, probability: float) -> ClaimStanding:
        if self._log.succeeded[use]:
            return ClaimStanding.KEPT
        if probability >= CREDIBLE and not self._log.is_suspected(use):
            return ClaimStanding.PROPOSED
        return ClaimStanding.DOUBTFUL

    def _list_refuted(self, told: set[tuple[str, Meaning | None]]) -> Iterator[NameClaim]:
        for use in sorted(
            self._log.refuted, key=lambda one: (one.kind, one.name, str(one.meaning))
        ):
            if (use.name, use.meaning) in told:
                continue
            yield NameClaim(
                use.kind,
                use.name,
                use.meaning,
                0.0,
                ClaimStanding.REFUTED,
                failed=self._log.failed[use],
                reasons=("an action failed for which nothing else is to blame",),
            )


def _settle(before: float, now: float, succeeded: int) -> float:
    """Return the probability that is told: what was believed first counts like two trials."""
    if succeeded:
        now = (2.0 * before + succeeded) / (2.0 + succeeded)
    return min(now, _MOST_CERTAIN)


def _explain_reading(score: ReadingScore) -> Iterator[str]:
    yield f"{score.fit:.0%} of its tuples have fitting types"
    if score.found is not None:
        yield f"geometry finds {score.found:.0%} of them"
    if score.target.functional and not score.repeats:
        yield "nothing occurs twice that may occur once"
    if score.likeness is not None:
        yield f"likeness of the names {score.likeness:.2f}"
