# SPDX-License-Identifier: Apache-2.0
"""Evidence for and against each synonym, gathered for the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fcp_ros.alignment.answer import Standing, SynonymEvidence
from fcp_ros.alignment.candidates.pairing import split_mark
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
    rest = [_gather(one, conflicts, trials, is_exact) for one in others]
    if predictor is not None:  # without it, a namesake may be a rival
        rest = exclude_namesakes(gathered, rest, proposals)
    return tuple(gathered), tuple(rest)


def exclude_namesakes(
    kept: Sequence[SynonymEvidence], others: Sequence[SynonymEvidence], proposals: Proposals
) -> list[SynonymEvidence]:
    """Refute that a name of both domains is one, where the own one is another name of the other.

    The names of one domain are different things. So that follows, unless the trials agree with the
    equal names as well.

    Args:
        kept: the synonyms of the mapping, with their rivals.
        others: what else was tried.
        proposals: the candidates.

    Returns:
        the others, with the equal names among them.
    """
    known = {one.proposal.synonym: one for one in others}
    mapping = {one.proposal.synonym for one in kept}
    for evidence in kept:
        for namesake in _find_namesakes(evidence, proposals):
            if namesake in mapping or namesake in evidence.rivals:
                continue
            before = known.get(namesake) or SynonymEvidence(
                proposals.all[namesake], Standing.OPEN, 0, 0, is_exact=evidence.is_exact
            )
            if before.standing is Standing.OPEN:
                known[namesake] = replace(before, standing=Standing.REFUTED, excluded_by=evidence)
    return list(known.values())


def _find_namesakes(evidence: SynonymEvidence, proposals: Proposals) -> list[Synonym]:
    """Find the candidates by which a name of a synonym is an equal one, in the same order."""
    names = evidence.proposal.synonym.names
    equal = [frozenset((name, split_mark(name))) for name in names if split_mark(name) not in names]
    return [
        one
        for one in proposals.all
        if one.names in equal and list(one.places) == sorted(one.places) and not one.fillers
    ]


def _gather(
    proposal: Proposal,
    conflicts: ConflictSets,
    trials: Sequence[Trial],
    is_exact: bool,
    rivals: tuple[Synonym, ...] = (),
) -> SynonymEvidence:
    synonym = proposal.synonym
    seen = [trial.seen for trial in trials if synonym in trial.synonyms]
    succeeded = sum(one.repeats for one in seen if one.reached)
    failed = sum(one.repeats for one in seen if not one.reached)
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


def describe_false_friends(
    kept: Sequence[SynonymEvidence], others: Sequence[SynonymEvidence]
) -> list[str]:
    """Describe names that both vocabularies have, and that mean different things.

    Args:
        kept: the synonyms of the mapping.
        others: what else was tried or excluded.
    """
    refuted = {
        one.proposal.synonym.names: one for one in others if one.standing is Standing.REFUTED
    }
    sentences = []
    for one in kept:
        names = one.proposal.synonym.names
        for name in sorted(one for one in names if split_mark(one) not in names):
            (other,) = names - {name}
            if frozenset((name, split_mark(name))) in refuted:
                meaning = f"here that of the own one is {other} of the other one."
            else:
                meaning = (
                    f"that of the own one may be {other} of the other one, but it may be the same "
                    "in both: the trials do not tell."
                )
            sentences.append(f"Both domains have {split_mark(name)}; {meaning}")
    for names, one in refuted.items():
        plain = {split_mark(name) for name in names}
        if len(plain) == 1 and one.excluded_by is None:
            sentences.append(f"Both domains have {min(plain)}, but do not mean the same by it.")
    return list(dict.fromkeys(sentences))
