# SPDX-License-Identifier: Apache-2.0
"""The record of a request: candidates and trials so far, and the answer that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.pairing import split_mark
from fcp_ros.alignment.plan_finder import TrialPlan
from fcp_ros.alignment.predictor import ConflictSets, Predictor, SynonymSet, Trial
from fcp_ros.alignment.proposals import TIERS, Proposals
from fcp_ros.alignment.synonyms import Proposal, Standing, Synonym, SynonymEvidence

CLOSEST = 10
"""Candidates that are shown where nothing was tried."""
MOST_RIVALS = 60
"""Candidates that are looked at as rivals of one synonym."""


def weigh_evidence(
    proposals: Proposals,
    conflicts: ConflictSets,
    trials: Sequence[Trial],
    predictor: Predictor | None,  # of trials; None if nothing was tried, or to list no rivals
    kept: frozenset[Synonym],  # the synonyms of the plan that succeeded; none without one
) -> tuple[tuple[SynonymEvidence, ...], tuple[SynonymEvidence, ...]]:
    """Gather what is known: of the synonyms that are kept, and of all others."""
    touched = {one for trial in trials for one in trial.synonyms} | conflicts.refuted
    others = [proposals.all[one] for one in sorted(touched - kept) if one in proposals.all]
    if not trials:
        others = list(proposals.all.values())[:CLOSEST]
    gathered = [
        _gather(
            proposals.all[one],
            conflicts,
            trials,
            find_rivals(one, kept, proposals, conflicts, trials, predictor),
        )
        for one in sorted(kept)
    ]
    rest = [_gather(one, conflicts, trials) for one in others]
    if predictor is not None:  # without it, a namesake may be a rival
        rest = exclude_namesakes(gathered, rest, proposals)
    return tuple(gathered), tuple(rest)


def exclude_namesakes(
    kept: Sequence[SynonymEvidence], others: Sequence[SynonymEvidence], proposals: Proposals
) -> list[SynonymEvidence]:
    """Refute that a name of both domains is one, where the own one is another name of the other.

    The names of one domain are different things. So that follows, unless the trials agree with the
    equal names as well. `kept`: the synonyms of the mapping, with their rivals. Returns the others,
    with the equal names among them.
    """
    known = {one.proposal.synonym: one for one in others}
    mapping = {one.proposal.synonym for one in kept}
    for evidence in kept:
        for namesake in _find_namesakes(evidence, proposals):
            if namesake in mapping or namesake in evidence.rivals:
                continue
            before = known.get(namesake) or SynonymEvidence(
                proposals.all[namesake], Standing.OPEN, 0, 0
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
    rivals: tuple[Synonym, ...] = (),
) -> SynonymEvidence:
    synonym = proposal.synonym
    seen = [trial.seen for trial in trials if synonym in trial.synonyms]
    succeeded = sum(one.reached for one in seen)
    failed = len(seen) - succeeded
    standing = Standing.KEPT if succeeded else Standing.OPEN
    if synonym in conflicts.refuted:
        standing = Standing.REFUTED
    elif synonym in conflicts.proven:
        standing = Standing.PROVEN
    return SynonymEvidence(proposal, standing, succeeded, failed, rivals)


def find_rivals(
    synonym: Synonym,
    kept: frozenset[Synonym],
    proposals: Proposals,
    conflicts: ConflictSets,
    trials: Sequence[Trial],
    predictor: Predictor | None,  # of trials; None if nothing was tried
    # share of the prior of the synonym that a rival has to have, in no later tier; 0 for any
    least: float = 0.0,
) -> tuple[Synonym, ...]:
    """Find other synonyms of the same names that explain every trial in the place of one."""
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

    `others`: what else was tried or excluded.
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


_SERIOUS = 0.5
"""Share of the prior of a synonym from which a rival is worth a plan of its own."""


@dataclass
class AlignmentRecord:
    """Candidates and trials of a request."""

    proposals: Proposals = field(default_factory=lambda: Proposals({}))
    conflicts: ConflictSets = field(default_factory=ConflictSets)
    trials: list[Trial] = field(default_factory=list)  # all of them, the last one last
    # sentences about what was left out or done otherwise
    notes: list[str] = field(default_factory=list)
    # pairs of names that seem to deny one another
    opposites: list[tuple[str, str]] = field(default_factory=list)
    predictor: Predictor | None = None  # of trials; None until the candidates are known
    # the last plan that succeeded, with its synonyms; None if there is none
    success: TrialPlan | None = None

    @property
    def open_predictor(self) -> Predictor:
        """The predictor of trials, once the candidates are known."""
        assert self.predictor is not None, "made before anything is planned"
        return self.predictor

    def learn(self, synonyms: SynonymSet) -> bool:
        """Learn from the last trial what it says about a hypothesis; True if it speaks against."""
        last = self.trials[-1]
        conflict = self.open_predictor.find_conflict(synonyms, last.actions, last.seen)
        if conflict is not None:
            self.conflicts.add(conflict)
        return conflict is not None

    def prior_of(self, synonym: Synonym) -> float:
        """Return the probability of a candidate before any trial."""
        return self.proposals.all[synonym].prior

    def list_needed(self, attempt: TrialPlan) -> SynonymSet:
        """Return the synonyms without which a plan does not work."""
        needed = attempt.synonyms
        for synonym in sorted(needed, key=self.prior_of):
            fewer = needed - {synonym}
            if self.open_predictor.predict(fewer, attempt.actions).reached:
                needed = fewer
        return needed

    def list_serious_rivals(self, synonym: Synonym, kept: SynonymSet) -> tuple[Synonym, ...]:
        """Return other synonyms that explain all trials, and are likely enough to be tried."""
        return find_rivals(
            synonym,
            kept,
            self.proposals,
            self.conflicts,
            self.trials,
            self.predictor,
            least=_SERIOUS,
        )

    def prefer_likely(self, kept: SynonymSet) -> SynonymSet:
        """Exchange synonyms for likelier ones that explain all trials as well."""
        for synonym in sorted(kept):
            rivals = self.list_serious_rivals(synonym, kept)
            best = max((synonym, *rivals), key=self.prior_of)
            if best != synonym and self.prior_of(best) > self.prior_of(synonym):
                kept = kept - {synonym} | {best}
        return kept

    def find_contradiction(self) -> Trial | None:
        """Find a trial that began with the actions of the last one and went otherwise."""
        last = self.trials[-1]
        for other in self.trials[:-1]:
            if _contradict(last, other) or _contradict(other, last):
                return other
        return None

    # --- conclusions

    def conclude_success(self, attempt: TrialPlan, *, compare: bool = True) -> AlignmentResult:
        """Make the answer of a plan that succeeded.

        `compare`: list other synonyms that fit as well.
        """
        needed = attempt.synonyms
        if not needed:
            status, sentence = AlignmentStatus.NOTHING_TO_ALIGN, "No name has to be replaced."
        else:
            status = AlignmentStatus.ALIGNED
            word = "synonym" if len(needed) == 1 else "synonyms"
            sentence = f"{len(needed)} {word} found: a plan with them succeeded."
        return self.conclude(status, sentence, attempt, compare=compare)

    def conclude_timeout(self, reason: str) -> AlignmentResult:
        """Make the answer where the time is over; a success that still stands is kept."""
        success = self.success
        if (
            success is None
            or not self.conflicts.allows(success.synonyms)
            or self.learn(success.synonyms)  # it is known what they predict: that takes no time
        ):
            return self.conclude(AlignmentStatus.TIMEOUT, reason)
        self.notes.append(
            f"{reason} A plan had succeeded by then. Its synonyms were still being told from "
            "others that may fit as well; those are not listed."
        )
        return self.conclude_success(success, compare=False)

    def conclude_failure(self, exhausted: bool, hopeless: bool) -> AlignmentResult:
        """Say why there is no mapping.

        Names that deny one another are no candidates: where there are such, that may be why.
        `exhausted`: every set of synonyms was planned with. `hopeless`: no plan exists under any of
        them.
        """
        self.notes += [
            f"{first} and {second} seem to be opposites: that one name denies another one, "
            f"({first} ?x) as (not ({second} ?x)), is not compared; write one of them in terms of "
            "the other, and try again."
            for first, second in self.opposites
        ]
        if self.conflicts.contradictory:
            return self.conclude(
                AlignmentStatus.UNEXPLAINED,
                "No mapping of the candidates explains what was seen: the model or the simulator "
                "is wrong.",
            )
        if exhausted and self.trials:
            sentence = "No plan is left that agrees with what was seen."
            status = AlignmentStatus.UNEXPLAINED
        elif exhausted or hopeless:
            sentence = "No plan exists, whichever of the candidates are one name."
            status = AlignmentStatus.NO_PLAN
        else:
            sentence = "No plan was found, but not every combination of synonyms was settled."
            status = AlignmentStatus.GAVE_UP
        if not any(one.tier < TIERS - 1 for one in self.proposals.all.values()):
            sentence = f"The vocabularies have no structure in common. {sentence}"
        return self.conclude(status, sentence)

    def conclude_unreliable(self, trial: Trial) -> AlignmentResult:
        """Make the answer where a trial went otherwise when it was tried again."""
        done = trial.seen.done
        return self.conclude(
            AlignmentStatus.UNRELIABLE_SIMULATOR,
            "The simulator showed different things for the same actions (the first "
            f"{min(done + 1, len(trial.actions))} of a trial): nothing can be learned from it.",
        )

    def conclude(
        self,
        status: AlignmentStatus,
        message: str,
        attempt: TrialPlan | None = None,
        *,
        compare: bool = True,
    ) -> AlignmentResult:
        """Make the answer; the number of trials is added to the message."""
        kept = frozenset() if attempt is None else attempt.synonyms
        predictor = self.predictor if compare else None
        conflicts = self.conflicts
        if status is AlignmentStatus.UNEXPLAINED:
            # What is proven is so if one of the candidates explains the trials: none does.
            conflicts = replace(conflicts, proven=set())
        mapping, others = weigh_evidence(self.proposals, conflicts, self.trials, predictor, kept)
        synonyms = (one.proposal.synonym for one in mapping)
        return AlignmentResult(
            status,
            f"{message} {self._describe_trials()}",
            mapping,
            others,
            None if attempt is None else attempt.actions,
            tuple(self.trials),
            len(self.proposals.all),
            (*self.notes, *describe_false_friends(mapping, others)),
            names={} if self.predictor is None else self.predictor.make_mapping(synonyms).images,
        )

    def _describe_trials(self) -> str:
        failed = sum(not trial.seen.reached for trial in self.trials)
        word = "plan was" if len(self.trials) == 1 else "plans were"
        return f"{len(self.trials)} {word} tried, {failed} failed."


def _contradict(first: Trial, second: Trial) -> bool:
    """Return True if the failing step of the first trial succeeded in the second one."""
    done = first.seen.done
    if done == len(first.actions):
        same = first.actions == second.actions
        return same and not first.seen.agrees(second.seen)
    same = first.actions[: done + 1] == second.actions[: done + 1]
    return same and second.seen.done > done
