# SPDX-License-Identifier: Apache-2.0
"""Trying to achieve a literal: which operators are made for it, and how many of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from fcp_ros.planning.relevance.achievers import Ways
from fcp_ros.planning.relevance.binding import Matcher, Run
from fcp_ros.planning.relevance.binding_plans import Plan, Style
from fcp_ros.planning.relevance.facts import Elements, FactTable
from fcp_ros.planning.relevance.grounder import Grounder
from fcp_ros.planning.relevance.joins import Joins
from fcp_ros.planning.relevance.open_literals import Agenda
from fcp_ros.planning.relevance.progress import Progress
from fcp_ros.planning.task.lifted import Trigger

CHOSEN = 3
"""How many of many values that are as good as each other are taken at first."""
CANDIDATES = 64
"""Among how many."""

Emit = Callable[[Trigger, Elements, int], None]
"""Takes a trigger, its bound slots, and the literal that they achieve."""


class Attempts:
    """Binds rules that achieve literals.

    Args:
        facts: the facts.
        ways: what may achieve a literal.
        matcher, joins: bind slots.
        agenda, progress, grounder: what is known of literals and operators.
        emit: told of all that is found, now or later.
    """

    def __init__(
        self,
        facts: FactTable,
        ways: Ways,
        matcher: Matcher,
        joins: Joins,
        agenda: Agenda,
        progress: Progress,
        grounder: Grounder,
        emit: Emit,
    ) -> None:
        self._facts = facts
        self._ways = ways
        self._matcher = matcher
        self._joins = joins
        self._agenda = agenda
        self._progress = progress
        self._grounder = grounder
        self._emit = emit

    def to(self, literal: int, style: Style, limit: int) -> bool:
        """Make operators that achieve a literal; whether there may be more."""
        truncated = False
        for plan in self._ways.to(literal, style):
            truncated |= self._try(plan, literal, style, limit)
        return truncated

    def _try(
        self, plan: Plan, literal: int, style: Style, limit: int, nearby: bool = False
    ) -> bool:
        chooses = bool(limit) and (
            plan.loose if self._agenda.is_own(literal) else self._free(plan, literal)
        )
        if style in (Style.NOW, Style.ALL) and not chooses:
            self._listen(plan, literal, limit, style is Style.ALL)
            truncated = False
        else:
            contexts: Sequence[tuple[int, ...] | None] = (None,)
            if chooses and (style is Style.NOW or nearby):
                contexts = self._progress.contexts(literal >> 1)
            truncated = self._look(plan, literal, limit, chooses, contexts)
        if style is Style.NOW and plan.graded and not self._agenda.is_own(literal):
            # What is there may do the job badly.
            truncated |= self._try_far(plan.trigger, literal, limit)
        if style is Style.NOW and chooses and self._progress.has_users(literal >> 1):
            # What was of use may be laid down where that was, or next to it.
            truncated |= self._try_far(plan.trigger, literal, limit, nearby=True)
        return truncated

    def _try_far(self, trigger: Trigger, literal: int, limit: int, nearby: bool = False) -> bool:
        if self._ways.is_idle(trigger, Style.FAR):
            return False
        plan = self._ways.of(trigger, Style.FAR, trigger.slots)
        return self._try(plan, literal, Style.FAR, limit, nearby)

    def _look(
        self,
        plan: Plan,
        literal: int,
        limit: int,
        chooses: bool,
        contexts: Sequence[tuple[int, ...] | None],
    ) -> bool:
        """Emit what is there now; whether there may be more."""
        truncated = False
        for context in contexts:
            binding = self._started(plan, literal)
            if binding is None:
                return False
            run = Run(plan, literal, limit, context=context)
            found = self._matcher.bindings(run, binding)
            for elements in self._chosen(run, found) if chooses else found:
                self._emit(plan.trigger, elements, literal)
            truncated |= run.truncated
        return truncated

    def _listen(self, plan: Plan, literal: int, limit: int, demands: bool) -> None:
        """Emit what is there, and what comes to be possible later."""
        binding = self._started(plan, literal)
        if binding is None:
            return
        if plan.join is not None:
            for found in self._joins.wanted(plan.join, literal):
                self._emit(*found)
        elif plan.links is None or not self._by_links(plan.links, binding, literal):
            run = Run(plan, literal, limit, True, demands)
            for elements in self._matcher.bindings(run, binding):
                self._emit(plan.trigger, elements, literal)

    def _started(self, plan: Plan, literal: int) -> list[int] | None:
        return self._matcher.started(plan.trigger, self._facts.elements[literal >> 1])

    @staticmethod
    def _free(plan: Plan, literal: int) -> bool:
        """Whether it does not matter how what is in the way goes away."""
        return bool(literal & 1) and plan.chooses

    def _by_links(self, plan: Plan, binding: list[int], literal: int) -> bool:
        """Try the other way to the same; False where there are too many links."""
        run = Run(plan, literal, listens=True, by_links=True)
        for elements in self._matcher.bindings(run, list(binding)):
            self._emit(plan.trigger, elements, literal)
        return not run.crowded

    def _chosen(self, run: Run, found: Iterator[Elements]) -> Iterator[Elements]:
        """A few of them: nothing in the way, of many types, in order."""
        trigger = run.plan.trigger
        candidates = list(islice(found, CANDIDATES))
        wanted = CHOSEN * run.limit
        if len(candidates) > wanted:
            run.truncated = True
        type_of = self._facts.instance.type_of
        seen: dict[tuple[str, ...], int] = {}
        ranked = []
        for number, elements in enumerate(candidates):
            kinds = tuple([type_of(element) for element in elements])
            seen[kinds] = seen.get(kinds, -1) + 1
            arguments = elements[: len(trigger.rule.types)]
            obstructed = self._grounder.obstructed(trigger.rule, arguments)
            ranked.append((obstructed, seen[kinds], number))
        for _, _, number in sorted(ranked)[:wanted]:
            yield candidates[number]
