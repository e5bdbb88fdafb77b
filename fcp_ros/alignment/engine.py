# SPDX-License-Identifier: Apache-2.0
"""The alignment: plan with replace rules, try the plan, learn from the outcome, and again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum

from fcp_ros.alignment.answer import AlignmentResult, AlignmentStatus
from fcp_ros.alignment.conflicts import (
    ConflictSet,
    ConflictSets,
    SynonymChoice,
    SynonymSet,
    list_hypotheses,
)
from fcp_ros.alignment.evidence import describe_false_friends, find_rivals, weigh_evidence
from fcp_ros.alignment.likeness import NameLikeness
from fcp_ros.alignment.merging import drop_unused, erase_leg_types, merge_texts
from fcp_ros.alignment.pairing import AlignmentTask
from fcp_ros.alignment.predicate_use import is_positive
from fcp_ros.alignment.proposals import TIERS, Proposals, propose_synonyms
from fcp_ros.alignment.replace_rules import ModelWithRules, add_replace_rules
from fcp_ros.alignment.simulator import GroundAction, Simulator
from fcp_ros.alignment.synonyms import ContradictorySynonyms, Places, Synonym
from fcp_ros.alignment.trials import Predictor, Trial
from fcp_ros.domain.pddl.reader import work_out
from fcp_ros.planning import Optimise, PlanningOptions, PlanStatus, Switches, plan
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch

MOST_HYPOTHESES = 100
"""Sets of synonyms that are planned with where replace rules give no plan."""
MOST_CHOICES = 50
"""Ways to comply with the trials that are planned with before more candidates are admitted."""
_SERIOUS = 0.5
"""Share of the prior of a synonym from which a rival is worth a plan of its own."""
_IMPROVE_SECONDS = 0.1
"""Seconds for a shorter plan after the first one: it is only tried, and not carried out."""


@dataclass(frozen=True)
class AlignmentOptions:
    """The settings of an alignment.

    Attributes:
        time_limit: for the whole request (s).
        plan_time: for one plan (s).
        most_trials: plans that are tried.
        most_candidates: synonyms that are considered.
        settling: plans that are tried after the first success, to tell synonyms from others that
            explain it as well.
        seed: decides between plans that are equally good.
    """

    time_limit: float = 60.0
    plan_time: float = 10.0
    most_trials: int = 200
    most_candidates: int = 100_000
    settling: int = 3
    seed: int = 0


class _Found(Enum):
    """The outcome of planning under a choice, where that gave no plan."""

    NO_PLAN = 1
    UNSETTLED = 2


@dataclass(frozen=True)
class _Attempt:
    """A plan and the synonyms behind it."""

    actions: tuple[GroundAction, ...]
    synonyms: frozenset[Synonym]


def align(
    task: AlignmentTask,
    simulator: Simulator,
    options: AlignmentOptions | None = None,
    likeness: NameLikeness | None = None,
    *,
    cancelled: CancelCallback = never_cancel,
    start: RequestStart | None = None,
) -> AlignmentResult:
    """Find out which names of a model are one, by planning and trying the plans.

    Args:
        task: the model.
        simulator: where plans are tried.
        options: limits and seed.
        likeness: compares names where structure leaves several candidates.
        cancelled: asked every few milliseconds; True ends the request.
        start: of the request; now by default.

    Returns:
        the answer; every failure is a status with a sentence, nothing is raised.
    """
    options = options or AlignmentOptions()
    begun = time.monotonic()
    watch = Watch(PlanningOptions(time_limit=options.time_limit), cancelled, start=start)
    alignment = _Alignment(
        task, simulator, options, likeness or NameLikeness(None), watch, cancelled
    )
    try:
        result = alignment.run()
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = AlignmentStatus.CANCELLED if stopped else AlignmentStatus.TIMEOUT
        result = alignment.conclude(status, f"{reason.sentence} {alignment.describe_trials()}")
    return replace(result, seconds=time.monotonic() - begun)


@dataclass
class _Alignment:
    task: AlignmentTask
    simulator: Simulator
    options: AlignmentOptions
    likeness: NameLikeness
    watch: Watch
    cancelled: CancelCallback
    proposals: Proposals = field(default_factory=lambda: Proposals({}))
    conflicts: ConflictSets = field(default_factory=ConflictSets)
    trials: list[Trial] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    opened: Predictor | None = None
    settled: int = 0

    def run(self) -> AlignmentResult:
        """Widen the candidates until a plan succeeds."""
        task, check = self.task, self.watch.check
        check()
        self.notes.extend(task.notes)
        bound = self.options.most_candidates
        self.proposals = propose_synonyms(task.uses, task.sides, bound, check)
        if self.proposals.left_out:
            self.notes.append(
                f"{self.proposals.left_out} of {bound + self.proposals.left_out} candidates were "
                "left out: give a smaller vocabulary, or the argument orders that are meant."
            )
        self.model = erase_leg_types(task.model)
        self.opened = Predictor(self.model, task.uses, self.proposals.all, check)
        for tier in range(TIERS):
            if self.proposals.has_open_rivals(tier):
                self.proposals = self.proposals.weigh_names(tier, self.likeness, check)
                note = f"{self.likeness.note[:1].upper()}{self.likeness.note[1:]}."
                if self.likeness.note and note not in self.notes:
                    self.notes.append(note)
            result = self._try_tier(tier)
            if result is not None:
                return result
        return self._try_hypotheses()

    @property
    def predictor(self) -> Predictor:
        """The predictor of trials, once the candidates are known."""
        assert self.opened is not None, "made before anything is planned"
        return self.opened

    def _try_tier(self, tier: int) -> AlignmentResult | None:
        """Plan and try with the candidates up to a tier; None if no plan is left."""
        while (attempt := self._find_attempt(tier)) is not None:
            result = self._try(attempt)
            if result is not None:
                return result
        return None

    def _try(self, attempt: _Attempt) -> AlignmentResult | None:
        """Try a plan and learn from it; None if it goes on."""
        if len(self.trials) >= self.options.most_trials:
            sentence = f"Gave up after {len(self.trials)} trials."
            return self.conclude(AlignmentStatus.GAVE_UP, sentence)
        self.watch.check()
        seen = self.simulator.run(attempt.actions)
        self.trials.append(Trial(attempt.actions, attempt.synonyms, seen))
        twin = self._find_contradiction()
        if twin is not None:
            return self._conclude_unreliable(twin)
        conflict = self.predictor.find_conflict(attempt.synonyms, attempt.actions, seen)
        if conflict is not None:
            self.conflicts.add(conflict)
            return None
        return self._settle(replace(attempt, synonyms=self._list_needed(attempt)))

    def _settle(self, attempt: _Attempt) -> AlignmentResult | None:
        """Try to tell the synonyms of a success from their rivals; None if a rival prevails."""
        self.trials[-1] = replace(self.trials[-1], synonyms=attempt.synonyms)
        for synonym in sorted(attempt.synonyms):
            self._learn(attempt.synonyms - {synonym})
        for synonym in sorted(attempt.synonyms, key=self._prior_of):
            for rival in self._list_rivals(synonym, attempt.synonyms):
                if not self._may_settle():
                    return self._conclude_success(attempt)
                other = self._plan_merged(attempt.synonyms - {synonym} | {rival})
                if not isinstance(other, _Attempt):
                    continue
                if self.predictor.predict(attempt.synonyms, other.actions).reached:
                    continue  # both expect the same
                self.settled += 1
                result = self._try(other)
                if result is not None:
                    return result
                self._learn(attempt.synonyms)
                if not self.conflicts.allows(attempt.synonyms):
                    return None
        return self._conclude_success(attempt)

    def _may_settle(self) -> bool:
        few = len(self.trials) < self.options.most_trials
        return few and self.settled < self.options.settling

    def _learn(self, synonyms: SynonymSet) -> None:
        """Learn from the last trial what it says about a hypothesis."""
        last = self.trials[-1]
        conflict = self.predictor.find_conflict(synonyms, last.actions, last.seen)
        if conflict is not None:
            self.conflicts.add(conflict)

    def _prior_of(self, synonym: Synonym) -> float:
        return self.proposals.all[synonym].prior

    def _list_rivals(self, synonym: Synonym, kept: SynonymSet) -> tuple[Synonym, ...]:
        if not self._may_settle():
            return ()
        return find_rivals(
            synonym,
            kept,
            self.proposals,
            self.conflicts,
            self.trials,
            self.predictor,
            least=_SERIOUS,
        )

    def _try_hypotheses(self) -> AlignmentResult:
        """Plan without replace rules, which miss plans that need two names at once."""
        priors = {one.synonym: one.prior for one in self.proposals.all.values()}
        planned: set[frozenset[tuple[str, tuple[str, Places]]]] = set()
        exhausted = not self.proposals.left_out
        for synonyms in list_hypotheses(priors):
            self.watch.check()
            if len(planned) >= MOST_HYPOTHESES:
                exhausted = False
                break
            if not self.conflicts.allows(synonyms):
                continue
            try:
                key = frozenset(self.predictor.make_mapping(synonyms).images.items())
            except ContradictorySynonyms:
                continue
            if key in planned:
                continue
            planned.add(key)
            found = self._plan_merged(synonyms)
            if found is _Found.UNSETTLED:
                exhausted = False
            elif isinstance(found, _Attempt):
                result = self._try(found)
                if result is not None:
                    return result
        return self._conclude_failure(exhausted)

    # --- plans

    def _find_attempt(self, tier: int) -> _Attempt | None:
        """Find a plan that complies with all trials; None if there is none in a tier."""
        hopeless: list[SynonymChoice] = []
        known = len(self.conflicts.sets)
        for _, choice in zip(range(MOST_CHOICES), self._list_choices(), strict=False):
            self.watch.check()
            if any(
                choice.adopted == other.adopted and choice.forbidden >= other.forbidden
                for other in hopeless
            ):
                continue
            found = self._plan_under(choice, tier)
            if isinstance(found, _Attempt):
                return found
            if found is _Found.NO_PLAN:
                hopeless.append(choice)
            elif len(self.conflicts.sets) > known:
                return self._find_attempt(tier)  # the choices have changed
        return None

    def _list_choices(self) -> Iterator[SynonymChoice]:
        return self.conflicts.list_choices(
            {synonym: one.prior for synonym, one in self.proposals.all.items()}
        )

    def _plan_under(self, choice: SynonymChoice, tier: int) -> _Attempt | _Found:
        """Plan with replace rules, then make sure of it in the model without them."""
        usable = [
            one
            for one in self.proposals.list_tier(tier)
            if one.synonym not in choice.forbidden and one.synonym not in choice.adopted
        ]
        model = add_replace_rules(self.model, usable, self.task.uses)
        try:
            mapping = self.predictor.make_mapping(choice.adopted)
            model = replace(model, texts=merge_texts(model.texts, mapping))
        except ContradictorySynonyms:
            return _Found.NO_PLAN
        found = self._plan(model)
        if not isinstance(found, _Attempt):
            return found
        synonyms = found.synonyms | choice.adopted
        return self._make_sure(found.actions, synonyms)

    def _make_sure(
        self, actions: tuple[GroundAction, ...], synonyms: frozenset[Synonym]
    ) -> _Attempt | _Found:
        """Return a plan that works where the synonyms are one name each; the given one if it can.

        A replace rule may have used a name that was out of date.
        """
        try:
            if self.predictor.predict(synonyms, actions).reached:
                return _Attempt(actions, synonyms)
            found = self._plan_merged(synonyms)
        except ContradictorySynonyms as error:
            wrong = frozenset(one for one in synonyms if one.names <= error.names)
            self.conflicts.add(ConflictSet(wrong))
            return _Found.UNSETTLED
        return found if isinstance(found, _Attempt) else _Found.UNSETTLED

    def _plan_merged(self, synonyms: SynonymSet) -> _Attempt | _Found:
        """Plan in the model in which synonyms are one predicate.

        Raises:
            ContradictorySynonyms: there is no such model.
        """
        merged = merge_texts(self.model, self.predictor.make_mapping(synonyms))
        found = self._plan(add_replace_rules(merged, (), self.task.uses))
        return replace(found, synonyms=synonyms) if isinstance(found, _Attempt) else found

    def _plan(self, model: ModelWithRules) -> _Attempt | _Found:
        """Plan, and leave the replace rules out."""
        self.watch.check()
        task = work_out(drop_unused(model.texts), self.watch.check)
        left = max(0.01, self.options.time_limit - self.watch.elapsed)
        result = plan(
            task.domain,
            task.instance,
            task.goal,
            PlanningOptions(
                optimise=Optimise.COST,
                time_limit=min(left, self.options.plan_time),
                improve_time=_IMPROVE_SECONDS,
                seed=self.options.seed,
                switches=Switches(chunks=False),
            ),
            NoMemberships(),
            cancelled=self.cancelled,
            explain_conflict=False,
        )
        self.watch.check()
        if result.plan is None:
            proven = result.status is PlanStatus.UNSOLVABLE_PROVEN
            return _Found.NO_PLAN if proven else _Found.UNSETTLED
        actions: list[GroundAction] = []
        used: set[Synonym] = set()
        for step in result.plan.steps:
            form, arguments = task.forms[step.rule], dict(step.arguments)
            if form.action in model.rules:
                used.add(model.rules[form.action])
            else:
                actions.append((form.action, tuple(arguments[one] for one in form.parameters)))
        return _Attempt(tuple(actions), frozenset(used))

    # --- conclusions

    def _find_contradiction(self) -> Trial | None:
        """Find an earlier trial that began with the same actions and went otherwise."""
        last = self.trials[-1]
        for other in self.trials[:-1]:
            if _contradict(last, other) or _contradict(other, last):
                return other
        return None

    def _conclude_success(self, attempt: _Attempt) -> AlignmentResult:
        needed = attempt.synonyms
        if not needed:
            status, sentence = AlignmentStatus.NOTHING_TO_ALIGN, "No name has to be replaced."
        else:
            status = AlignmentStatus.ALIGNED
            word = "synonym" if len(needed) == 1 else "synonyms"
            sentence = f"{len(needed)} {word} found: a plan with them succeeded."
        return self.conclude(status, f"{sentence} {self.describe_trials()}", attempt)

    def _list_needed(self, attempt: _Attempt) -> frozenset[Synonym]:
        """Leave out synonyms without which the same plan works."""
        needed = attempt.synonyms
        for synonym in sorted(needed, key=lambda one: self.proposals.all[one].prior):
            fewer = needed - {synonym}
            if self.predictor.predict(fewer, attempt.actions).reached:
                needed = fewer
        return needed

    def _conclude_failure(self, exhausted: bool) -> AlignmentResult:
        """Say why there is no mapping; a simulator that may be random is asked again first."""
        for trial in list(self.trials):
            self.watch.check()
            again = self.simulator.run(trial.actions)
            if not again.agrees(trial.seen):
                return self._conclude_unreliable(trial)
        if self.conflicts.contradictory:
            sentence = "No mapping of the candidates explains what was seen: the model or the"
            return self.conclude(
                AlignmentStatus.UNEXPLAINED,
                f"{sentence} simulator is wrong. {self.describe_trials()}",
            )
        if exhausted and self.trials:
            sentence = "No plan is left that agrees with what was seen."
            status = AlignmentStatus.UNEXPLAINED
        elif exhausted or self._is_hopeless():
            sentence = "No plan exists, whichever of the candidates are one name."
            status = AlignmentStatus.NO_PLAN
        else:
            sentence = "No plan was found, but not every combination of synonyms was settled."
            status = AlignmentStatus.GAVE_UP
        if not any(one.tier < TIERS - 1 for one in self.proposals.all.values()):
            sentence = f"The vocabularies have no structure in common. {sentence}"
        return self.conclude(status, f"{sentence} {self.describe_trials()}")

    def _is_hopeless(self) -> bool:
        """Prove that no plan exists under any of the candidates; False if that is not proven."""
        if self.proposals.left_out or self.trials or not is_positive(self.model):
            return False
        every = self.proposals.all.values()
        model = add_replace_rules(self.model, every, self.task.uses, keep=True)
        return self._plan(model) is _Found.NO_PLAN

    def _conclude_unreliable(self, trial: Trial) -> AlignmentResult:
        done = trial.seen.done
        return self.conclude(
            AlignmentStatus.UNRELIABLE_SIMULATOR,
            "The simulator showed different things for the same actions (the first "
            f"{min(done + 1, len(trial.actions))} of a trial): nothing can be learned from it.",
        )

    def conclude(
        self, status: AlignmentStatus, message: str, attempt: _Attempt | None = None
    ) -> AlignmentResult:
        """Make the answer."""
        kept = frozenset() if attempt is None else attempt.synonyms
        mapping, others = weigh_evidence(
            self.proposals, self.conflicts, self.trials, self.opened, kept
        )
        synonyms = (one.proposal.synonym for one in mapping)
        return AlignmentResult(
            status,
            message.strip(),
            mapping,
            others,
            None if attempt is None else attempt.actions,
            tuple(self.trials),
            len(self.proposals.all),
            (*self.notes, *describe_false_friends((*mapping, *others))),
            names={} if self.opened is None else self.opened.make_mapping(synonyms).images,
        )

    def describe_trials(self) -> str:
        """Return a sentence on the number of trials."""
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
