# SPDX-License-Identifier: Apache-2.0
"""One request for alignment, from the files on: read, pair, try, translate."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from fcp_ros.alignment.answer import AlignmentOptions, AlignmentResult, AlignmentStatus
from fcp_ros.alignment.engine import align
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
from fcp_ros.alignment.proposals import NameLikeness
from fcp_ros.alignment.synonyms import ANY, Synonym, project_facts
from fcp_ros.domain.pddl.source_text import read_source
from fcp_ros.domain.pddl.syntax_checks import refuse_axioms
from fcp_ros.domain.pddl.task_reader import PddlTexts, read_texts
from fcp_ros.foundation.wording import shorten_words, suggest_name, to_printable
from fcp_ros.planning import PlanningOptions, PlanStatus
from fcp_ros.planning.model.request import CancelCallback, never_cancel
from fcp_ros.planning.model.watch import Interrupted, RequestStart, Watch

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
        """The terms that are variables."""
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


Check = Callable[[], None]
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
