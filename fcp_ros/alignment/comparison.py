# SPDX-License-Identifier: Apache-2.0
"""One request for alignment: read two domains, pair their names, try plans, learn, translate."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from fcp_ros.alignment.answer import AlignmentOptions, AlignmentResult, AlignmentStatus
from fcp_ros.alignment.merging import erase_leg_types
from fcp_ros.alignment.pairing import (
    MARK,
    OTHER,
    OWN,
    AlignmentError,
    AlignmentTask,
    OtherWorld,
    find_goal_fault,
    pair_domains,
    translate_goal,
)
from fcp_ros.alignment.plan_finder import NotFound, PlanFinder, TrialPlan
from fcp_ros.alignment.predicate_use import find_opposites
from fcp_ros.alignment.predictor import Predictor, SynonymSet, Trial, list_hypotheses
from fcp_ros.alignment.proposals import TIERS, NameLikeness, propose_synonyms
from fcp_ros.alignment.record import AlignmentRecord
from fcp_ros.alignment.simulator import Simulator
from fcp_ros.alignment.synonyms import ANY, ContradictorySynonyms, Image, Synonym, project_facts
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.syntax_checks import refuse_axioms
from fcp_ros.domain.pddl.task_reader import PddlTexts, read_texts
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import shorten_words, suggest_name, to_printable
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
        result = _Alignment(record, finder, simulator, likeness, options, watch).run()
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
            if not again.agrees(trial.seen):
                return record.conclude_unreliable(trial)
        hopeless = not record.trials and not exhausted and self.finder.is_hopeless(record.proposals)
        return record.conclude_failure(exhausted, hopeless)


_FORM = re.compile(r"\s*\(\s*([^()=]*?)\s*\)\s*=\s*\(\s*([^()=]*?)\s*\)\s*")
_EXAMPLE = "write for example (on-table ?b) = (on ?b table)"


@dataclass(frozen=True)
class _Side:
    """One side of a declaration: a predicate of the model, and its terms as written."""

    name: str
    terms: tuple[str, ...]
    text: str

    @property
    def variables(self) -> list[str]:
        return [term for term in self.terms if term.startswith("?")]

    @property
    def is_plain(self) -> bool:
        """All terms are variables."""
        return len(self.variables) == len(self.terms)


def declare_synonyms(task: AlignmentTask, lines: Iterable[str]) -> AlignmentTask:
    """Return a task with further candidates.

    Raises AlignmentError if one can't be read, or says what can't be tried.
    """
    declared = (*task.declared, *(_read(line, task) for line in lines))
    return replace(task, declared=tuple(dict.fromkeys(declared)))


def _read(line: str, task: AlignmentTask) -> Synonym:
    form = _FORM.fullmatch(line.lower())
    if form is None or not form[1] or not form[2]:
        shown = shorten_words(to_printable(line))
        raise AlignmentError(f"{shown!r} is not two predicates with = between them; {_EXAMPLE}")
    left, right = (
        _find_side(form[number], task, side if task.crosses else None)
        for number, side in ((1, OWN), (2, OTHER))
    )
    if left.name == right.name:
        raise AlignmentError(f"({left.text}) = ({right.text}): both sides have the same predicate")
    narrow, wide = left, right
    if not _is_within(left, right):
        narrow, wide = right, left
    if not _is_within(narrow, wide):
        raise AlignmentError(
            f"({left.text}) = ({right.text}): one side must consist of variables that are all on "
            f"the other one; {_EXAMPLE}"
        )
    return _build(narrow, wide, task)


def _is_within(narrow: _Side, wide: _Side) -> bool:
    return narrow.is_plain and set(narrow.variables) <= set(wide.variables)


def _find_side(text: str, task: AlignmentTask, side: int | None) -> _Side:
    """Find the predicate of one side.

    `text`: the side without its parentheses. `side`: the vocabulary that it belongs to; None if
    there is only one.
    """
    written, *terms = text.split()
    known = {name.removesuffix(MARK): name for name, of in task.sides.items() if side in (None, of)}
    if written not in known:
        whose = {None: "the domain", OWN: "your domain", OTHER: "the other domain"}[side]
        raise AlignmentError(
            f"({text}): {whose} has no predicate {written}; {suggest_name(written, known)}"
        )
    found = _Side(known[written], tuple(terms), text)
    arity = task.uses[found.name].arity
    if len(terms) != arity:
        raise AlignmentError(f"({text}): {written} has {arity} arguments, not {len(terms)}")
    if len(set(found.variables)) < len(found.variables) or "?" in found.variables:
        raise AlignmentError(f"({text}): each variable needs a name of its own")
    objects = {one.name for one in task.model.problem.objects}
    for term in terms:
        if not term.startswith("?") and term not in objects:
            raise AlignmentError(
                f"({text}): there is no object {term}; {suggest_name(term, objects)}"
            )
    return found


def _build(narrow: _Side, wide: _Side, task: AlignmentTask) -> Synonym:
    numbers: Mapping[str, int] = {term: at for at, term in enumerate(narrow.terms)}
    places: list[int] = []
    fillers: list[str] = []
    for at, term in enumerate(wide.terms):
        places.append(numbers.get(term, len(numbers) + len(fillers)))
        if term not in numbers:
            fits = task.uses[wide.name].declared[at]
            only = next(iter(fits)) if len(fits) == 1 else ANY
            fillers.append(only if term.startswith("?") else term)
    synonym = Synonym(narrow.name, wide.name, tuple(places), tuple(fillers))
    if ANY in fillers:
        _check_any(synonym, narrow, wide, task)
    return synonym


def _check_any(synonym: Synonym, narrow: _Side, wide: _Side, task: AlignmentTask) -> None:
    """Raise an error if it would have to be said which object a fact is about."""
    use, other = task.uses[narrow.name], task.uses[wide.name]
    reason = ""
    if use.produced:
        reason = "an action makes"
    elif use.facts - project_facts(synonym, other.facts):
        reason = "the initial state makes"
    if reason:
        missing = ", ".join(term for term in wide.terms if term not in narrow.terms)
        raise AlignmentError(
            f"({narrow.text}) = ({wide.text}): {reason} ({narrow.text}) true without saying of "
            f"which {missing}; write an object in its place"
        )


Guard = Callable[[Check], AbstractContextManager[None]]
"""Makes a context whose code ends when a check raises, even where it does not ask."""


def read_task(domain: str | PathLike[str], problem: str | PathLike[str], check: Check) -> PddlTexts:
    """Read a domain and a problem of PDDL, without derived predicates."""
    texts = read_texts(read_source(domain), read_source(problem), check=check)
    refuse_axioms(texts.domain, texts.sources[0], "in an alignment")
    return texts


@dataclass(frozen=True)
class Comparison:
    """The answer to a request."""

    result: AlignmentResult
    task: AlignmentTask | None = None  # what was compared; None if the time was over before
    own: str = ""  # names of both domains
    other: str = ""
    # the goal in the words of the other domain; "" without a plan, or if it can't be written there
    goal: str = ""

    def to_plain(self) -> dict[str, Any]:
        """Return the answer as plain data for JSON."""
        return {**self.result.to_plain(), "goal": self.goal}


def compare_vocabularies(
    read_own: Callable[[Check], PddlTexts],  # reads the domain and problem that state the goal
    open_other: Callable[[Check], OtherWorld],  # opens the world that plans are tried in
    options: AlignmentOptions,
    likeness: NameLikeness,
    declared: Iterable[str] = (),  # further candidates, such as `(on-table ?b) = (on ?b table)`
    *,
    cancelled: CancelCallback = never_cancel,  # asked every few milliseconds; True ends the request
    start: RequestStart | None = None,  # of the request; now by default
    guard: Guard = lambda _check: nullcontext(),  # ends reading that does not ask
) -> Comparison:
    """Find out which names of two vocabularies are one, within the limits from the first byte on.

    Raises InputError if the files can't be used, or compared; the message says why.
    """
    watch = Watch(PlanningOptions(time_limit=options.time_limit), cancelled, start=start)
    try:
        with guard(watch.check):
            own = read_own(watch.check)
            world = open_other(watch.check)
            task = declare_synonyms(pair_domains(own, world.texts), declared)
            task = replace(task, notes=(*task.notes, *world.notes))
    except Interrupted as reason:
        stopped = reason.status is PlanStatus.CANCELLED
        status = AlignmentStatus.CANCELLED if stopped else AlignmentStatus.TIMEOUT
        return Comparison(AlignmentResult(status, reason.sentence))
    simulator = world.simulator
    result = align(task, simulator, options, likeness, cancelled=cancelled, start=watch.start)
    goal, note = _translate_goal(result, task, world)
    if note:
        result = replace(result, notes=(*result.notes, note))
    return Comparison(result, task, own.domain.name, world.texts.domain.name, goal)


def _translate_goal(
    result: AlignmentResult, task: AlignmentTask, world: OtherWorld
) -> tuple[str, str]:
    """Return the goal in the words of the other domain, if it is one there, or else a note."""
    if result.plan is None:
        return "", ""
    synonyms = [one.proposal.synonym for one in result.mapping]
    goal = translate_goal(task, synonyms, world)
    fault = find_goal_fault(goal, world, result.plan) if goal else ""
    if fault:
        return "", f"The goal would be {goal}, but that can't be used: {fault}"
    return goal, ""
