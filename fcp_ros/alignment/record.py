# SPDX-License-Identifier: Apache-2.0
"""The record of a request: candidates and trials so far, and the answer that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.candidates.proposals import TIERS, Proposals
from fcp_ros.alignment.evidence import describe_false_friends, find_rivals, weigh_evidence
from fcp_ros.alignment.names.synonyms import Synonym
from fcp_ros.alignment.search.plan_finder import TrialPlan
from fcp_ros.alignment.trials.conflicts import ConflictSets, SynonymSet
from fcp_ros.alignment.trials.predictor import Predictor, Trial

_SERIOUS = 0.5
"""Share of the prior of a synonym from which a rival is worth a plan of its own."""


@dataclass
class AlignmentRecord:
    """Candidates and trials of a request.

    Attributes:
        proposals: the candidates.
        conflicts: what the trials said.
        trials: all of them, the last one last.
        notes: sentences about what was left out or done otherwise.
        opposites: pairs of names that seem to deny one another.
        predictor: of trials; None until the candidates are known.
        success: the last plan that succeeded, with its synonyms; None if there is none.
        is_exact: chance plays no part in the simulator.
    """

    proposals: Proposals = field(default_factory=lambda: Proposals({}))
    conflicts: ConflictSets = field(default_factory=ConflictSets)
    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    opposites: list[tuple[str, str]] = field(default_factory=list)
    predictor: Predictor | None = None
    success: TrialPlan | None = None
    is_exact: bool = True

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
        """Find a trial that began with the actions of the last one and went otherwise.

        It may be the last one itself, whose runs differed.
        """
        last = self.trials[-1]
        if last.seen.is_scattered:
            return last
        for other in self.trials[:-1]:
            if _contradict(last, other) or _contradict(other, last):
                return other
        return None

    # --- conclusions

    def conclude_success(self, attempt: TrialPlan, *, compare: bool = True) -> AlignmentResult:
        """Make the answer of a plan that succeeded.

        Args:
            attempt: the plan.
            compare: list other synonyms that fit as well.
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
        """Make the answer where the time is over; a success that still stands is kept.

        Args:
            reason: a sentence.
        """
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
        """Say why there is no mapping, where the simulator is not random.

        Names that deny one another are no candidates: where there are such, that may be why.

        Args:
            exhausted: every set of synonyms was planned with.
            hopeless: no plan exists under any of them.
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
        mapping, others = weigh_evidence(
            self.proposals, conflicts, self.trials, predictor, kept, self.is_exact
        )
        synonyms = (one.proposal.synonym for one in mapping)
        return AlignmentResult(
            status,
            f"{message} {self._describe_trials()}",
            mapping,
            others,
            None if attempt is None else attempt.actions,
            tuple(self.trials),
            len(self.proposals.all),
            (*self.notes, *self._describe_chance(), *describe_false_friends(mapping, others)),
            names={} if self.predictor is None else self.predictor.make_mapping(synonyms).images,
        )

    def _describe_chance(self) -> list[str]:
        stumbles = sum(trial.seen.stumbles for trial in self.trials)
        if not stumbles:
            return []
        runs = "run" if stumbles == 1 else "runs"
        return [f"{stumbles} {runs} failed where the same actions came farther in another one."]

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
