# SPDX-License-Identifier: Apache-2.0
"""Evidence for and against each synonym, gathered for the answer."""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.alignment.answer import Standing, SynonymEvidence
from fcp_ros.alignment.candidates.proposals import Proposal, Proposals
from fcp_ros.alignment.names.synonyms import Synonym
from fcp_ros.alignment.trials.conflicts import ConflictSets
from fcp_ros.alignment.trials.predictor import Predictor, Trial

CLOSEST = 10
"""Candidates that are shown where nothing was tried."""
MOST_RIVALS = 60
"""Candidates that are looked at as rivals of one synonym."""


def weigh_evidence(
    proposals: Proposals,
    conflicts: ConflictSets,
    trials: Sequence[Trial],
    predictor: Predictor | None,
    kept: frozenset[Synonym],
    is_exact: bool = True,
) -> tuple[tuple[SynonymEvidence, ...], tuple[SynonymEvidence, ...]]:
    """Gather what is known: of the synonyms that are kept, and of all others.

    Args:
        proposals: the candidates.
        conflicts: what the trials said.
        trials: all of them.
        predictor: of trials; None if nothing was tried, or to list no rivals.
        kept: the synonyms of the plan that succeeded; none without one.
        is_exact: chance plays no part in the simulator.
    """
    touched = {one for trial in trials for one in trial.synonyms} | conflicts.refuted
    others = [proposals.all[one] for one in sorted(touched - kept) if one in proposals.all]
    if not trials:
        others = list(proposals.all.values())[:CLOSEST]
    gathered = [
        _gather(
            proposals.all[one],
            conflicts,
            trials,
            is_exact,
            find_rivals(one, kept, proposals, conflicts, trials, predictor),
        )
        for one in sorted(kept)
    ]
    return tuple(gathered), tuple(_gather(one, conflicts, trials, is_exact) for one in others)


def _gather(
    proposal: Proposal,
    conflicts: ConflictSets,
    trials: Sequence[Trial],
    is_exact: bool,
    rivals: tuple[Synonym, ...] = (),
) -> SynonymEvidence:
    synonym = proposal.synonym
    seen = [trial.seen for trial in trials if synonym in trial.synonyms]
    succeeded = sum(one.reached for one in seen)
    failed = sum(one.failures for one in seen if not one.reached)
    standing = Standing.KEPT if succeeded else Standing.OPEN
    if synonym in conflicts.refuted:
        standing = Standing.REFUTED
    elif synonym in conflicts.proven:
        standing = Standing.PROVEN
    stumbles = sum(one.stumbles for one in seen)
    return SynonymEvidence(proposal, standing, succeeded, failed, rivals, stumbles, is_exact)


def find_rivals(
    synonym: Synonym,
    kept: frozenset[Synonym],
    proposals: Proposals,
    conflicts: ConflictSets,
    trials: Sequence[Trial],
    predictor: Predictor | None,
    least: float = 0.0,
) -> tuple[Synonym, ...]:
    """Find other synonyms of the same names that explain every trial in the place of one.

    Args:
        synonym: one that is kept.
        kept: all that are.
        proposals: the candidates.
        conflicts: what the trials said.
        trials: all of them.
        predictor: of trials; None if nothing was tried.
        least: share of the prior of the synonym that a rival has to have, in no later tier; 0 for
            any.
    """
    if predictor is None:
        return ()
    own = proposals.all[synonym]
    others = [
        one
        for one, proposal in proposals.all.items()
        if one.names & synonym.names
        and one not in kept
        and one not in conflicts.refuted
        and (not least or (proposal.prior >= least * own.prior and proposal.tier <= own.tier))
    ]
    return tuple(
        one
        for one in others[:MOST_RIVALS]
        if all(
            predictor.find_conflict(kept - {synonym} | {one}, trial.actions, trial.seen) is None
            for trial in trials
        )
    )


def describe_false_friends(known: Sequence[SynonymEvidence]) -> list[str]:
    """Describe names that both vocabularies have, and that mean different things."""
    sentences = []
    for one in known:
        synonym = one.proposal.synonym
        plain = [name.partition("@")[0] for name in (synonym.source, synonym.target)]
        if one.standing is Standing.REFUTED and plain[0] == plain[1]:
            sentences.append(f"Both domains have {plain[0]}, but do not mean the same by it.")
        if one.standing in (Standing.KEPT, Standing.PROVEN) and plain[0] != plain[1]:
            marked = [name for name in (synonym.source, synonym.target) if "@" in name]
            sentences += [
                f"Both domains have {name.partition('@')[0]}; here that of the own one is "
                f"{min(synonym.names - {name})} of the other one."
                for name in marked
            ]
    return list(dict.fromkeys(sentences))
