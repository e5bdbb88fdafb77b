# SPDX-License-Identifier: Apache-2.0
"""The alignment: plan with replace rules, try the plan, learn from the outcome, and again."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from fcp_ros.alignment.answer import AlignmentOptions, AlignmentResult, AlignmentStatus
from fcp_ros.alignment.merging import erase_leg_types
from fcp_ros.alignment.pairing import AlignmentTask
from fcp_ros.alignment.plan_finder import NotFound, PlanFinder, TrialPlan
from fcp_ros.alignment.predicate_use import find_opposites
from fcp_ros.alignment.predictor import Predictor, SynonymSet, Trial, list_hypotheses
from fcp_ros.alignment.proposals import TIERS, NameLikeness, propose_synonyms
from fcp_ros.alignment.record import AlignmentRecord
from fcp_ros.alignment.simulator import ConfirmingSimulator, Simulator
from fcp_ros.alignment.synonyms import ContradictorySynonyms, Image
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch

MOST_HYPOTHESES = 100
"""Sets of synonyms that are planned with where replace rules give no plan."""


def align(
    task: AlignmentTask,
    simulator: Simulator,
    options: AlignmentOptions | None = None,
    # compares names where structure leaves several candidates
    likeness: NameLikeness | None = None,
    *,
    cancelled: CancelCallback = never_cancel,  # asked every few milliseconds; True ends the request
    start: RequestStart | None = None,  # of the request; now by default
) -> AlignmentResult:
    """Find out which names of a model are one, by planning and trying the plans.

    Returns the answer; every failure is a status with a sentence, nothing is raised.
    """
    options = options or AlignmentOptions()
    begun = time.monotonic()
    watch = Watch(PlanningOptions(time_limit=options.time_limit), cancelled, start=start)
    record = AlignmentRecord()
    try:
        watch.check()
        propose_candidates(record, task, options.most_candidates, watch)
        finder = PlanFinder(task, record.open_predictor, options, watch, cancelled)
        likeness = likeness or NameLikeness(None)
        confirming = ConfirmingSimulator(simulator, watch.check)
        record.is_exact = confirming.is_exact
        result = _Alignment(record, finder, confirming, likeness, options, watch).run()
    except Interrupted as reason:
        if reason.status is PlanStatus.CANCELLED:
            result = record.conclude(AlignmentStatus.CANCELLED, reason.sentence)
        else:
            result = record.conclude_timeout(reason.sentence)
    return replace(result, seconds=time.monotonic() - begun)


def propose_candidates(
    record: AlignmentRecord, task: AlignmentTask, bound: int, watch: Watch
) -> None:
    """Find the candidates of a task. `bound`: the most candidates."""
    record.notes.extend(task.notes)
    record.opposites = find_opposites(task.model, task.uses, task.sides)
    record.proposals = propose_synonyms(task, bound, watch.check)
    left_out = record.proposals.left_out
    if left_out:
        record.notes.append(
            f"{left_out} of {bound + left_out} candidates were left out: give a smaller "
            "vocabulary, or the argument orders that are meant."
        )
    model = erase_leg_types(task.model)
    record.predictor = Predictor(model, task.uses, record.proposals.all, watch.check)


@dataclass
class _Alignment:
    record: AlignmentRecord
    finder: PlanFinder
    simulator: Simulator
    likeness: NameLikeness
    options: AlignmentOptions
    watch: Watch
    settled: int = 0

    def run(self) -> AlignmentResult:
        """Widen the candidates until a plan succeeds."""
        for tier in range(TIERS):
            self._compare_names(tier)
            result = self._try_tier(tier)
            if result is not None:
                return result
        return self._try_hypotheses()

    def _compare_names(self, tier: int) -> None:
        """Order candidates by their names where several share a name."""
        record = self.record
        if record.proposals.has_open_rivals(tier):
            record.proposals = record.proposals.weigh_names(tier, self.likeness, self.watch.check)
            note = f"{self.likeness.note[:1].upper()}{self.likeness.note[1:]}."
            if self.likeness.note and note not in record.notes:
                record.notes.append(note)

    def _try_tier(self, tier: int) -> AlignmentResult | None:
        """Plan and try with the candidates up to a tier; None if no plan is left."""
        record = self.record
        while (
            attempt := self.finder.find_attempt(record.proposals, record.conflicts, tier)
        ) is not None:
            result = self._try(attempt)
            if result is not None:
                return result
        return None

    def _try(self, attempt: TrialPlan) -> AlignmentResult | None:
        """Try a plan and learn from it; None if it goes on."""
        record = self.record
        if len(record.trials) >= self.options.most_trials:
            return record.conclude(AlignmentStatus.GAVE_UP, "Gave up: no more trials are allowed.")
        self.watch.check()
        seen = self.simulator.run(attempt.actions)
        record.trials.append(Trial(attempt.actions, attempt.synonyms, seen))
        twin = record.find_contradiction()
        if twin is not None:
            return record.conclude_unreliable(twin)
        if record.learn(attempt.synonyms):
            return None
        record.success = attempt
        return self._settle(replace(attempt, synonyms=record.list_needed(attempt)))

    # --- after a success

    def _settle(self, attempt: TrialPlan) -> AlignmentResult | None:
        """Try to tell the synonyms of a success from their rivals; None if a rival prevails."""
        record = self.record
        kept = record.prefer_likely(attempt.synonyms)
        attempt = record.success = replace(attempt, synonyms=kept)
        record.trials[-1] = replace(record.trials[-1], synonyms=kept)
        for synonym in sorted(kept):
            record.learn(kept - {synonym})
        for synonym in sorted(kept, key=record.prior_of):
            rivals = record.list_serious_rivals(synonym, kept) if self._may_settle() else ()
            for rival in rivals:
                if not self._may_settle():
                    return record.conclude_success(attempt)
                result = self._try_rival(kept, kept - {synonym} | {rival})
                if result is not None or not record.conflicts.allows(kept):
                    return result
        return record.conclude_success(attempt)

    def _may_settle(self) -> bool:
        few = len(self.record.trials) < self.options.most_trials
        return few and self.settled < self.options.settling

    def _try_rival(self, kept: SynonymSet, others: SynonymSet) -> AlignmentResult | None:
        """Try a plan that works only if other synonyms than those that are kept hold.

        Returns the answer if that ends the request.
        """
        other = self.finder.plan_merged(others)
        if not isinstance(other, TrialPlan):
            return None
        if self.record.open_predictor.predict(kept, other.actions).reached:
            return None  # both expect the same
        self.settled += 1
        result = self._try(other)
        if result is None:
            self.record.learn(kept)
        return result

    # --- without replace rules

    def _try_hypotheses(self) -> AlignmentResult:
        """Plan without replace rules, which miss plans that need two names at once."""
        record = self.record
        priors = {one.synonym: one.prior for one in record.proposals.all.values()}
        planned: set[frozenset[tuple[str, Image]]] = set()
        exhausted = not record.proposals.left_out
        for synonyms in list_hypotheses(priors):
            self.watch.check()
            if len(planned) >= MOST_HYPOTHESES:
                exhausted = False
                break
            key = self._identify(synonyms)
            if key is None or key in planned or not record.conflicts.allows(synonyms):
                continue
            planned.add(key)
            found = self.finder.plan_merged(synonyms)
            if found is NotFound.UNSETTLED:
                exhausted = False
            elif isinstance(found, TrialPlan):
                result = self._try(found)
                if result is not None:
                    return result
        return self._conclude_failure(exhausted)

    def _identify(self, synonyms: SynonymSet) -> frozenset[tuple[str, Image]] | None:
        """Return what several sets of synonyms with the same mapping share; None if it is none."""
        try:
            return frozenset(self.record.open_predictor.make_mapping(synonyms).images.items())
        except ContradictorySynonyms:
            return None

    def _conclude_failure(self, exhausted: bool) -> AlignmentResult:
        """Say why there is no mapping; a simulator that may be random is asked again first."""
        record = self.record
        for trial in list(record.trials):
            self.watch.check()
            again = self.simulator.run(trial.actions)
            if again.is_scattered or not again.agrees(trial.seen):
                return record.conclude_unreliable(trial)
        hopeless = not record.trials and not exhausted and self.finder.is_hopeless(record.proposals)
        return record.conclude_failure(exhausted, hopeless)
