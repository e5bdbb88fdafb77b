# SPDX-License-Identifier: Apache-2.0
"""Plans of other planners: the lines ``(action object ...)`` of an IPC plan file.

Such a plan claims nothing but its actions. They become a plan for a task that was read from PDDL,
which then has to pass the verifier like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fcp_ros.cset import Instance, find_homs, find_matches
from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.domain.pddl import PddlTask
from fcp_ros.domain.rule_spans import DomainSpans, build_span
from fcp_ros.planning.model.plan import Plan, PlanStep
from fcp_ros.planning.verification.stepping import StepRules

Action = tuple[str, tuple[str, ...]]
"""Name of an action and of its objects."""

_LINE = re.compile(r"(?:[0-9.]+\s*:\s*)?\(([^()]*)\)\s*(?:\[[^\]]*\])?")


class CannotReplay(Exception):
    """An action can't be done; the message says which, and why."""

    def __init__(self, message: str, done: int) -> None:
        super().__init__(message)
        self.done = done


def read_ipc_plan(text: str) -> tuple[Action, ...]:
    """Read a plan file: one action a line, with or without a time; ``;`` starts a comment."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        code = line.partition(";")[0].strip()
        if not code:
            continue
        match = _LINE.fullmatch(code)
        words = match[1].split() if match is not None else []
        if not words:
            raise ValueError(f"line {number}: {code!r} is no action; write (name object ...)")
        found.append((words[0], tuple(words[1:])))
    return tuple(found)


def plan_from_actions(task: PddlTask, actions: tuple[Action, ...]) -> Plan:
    """Make the plan of a sequence of actions; all its degrees are 1, since PDDL is crisp.

    Several rules may stand for one action, with parameters of their own. The first one that can be
    done is as good as any: all of them do what the action does.
    """
    known = {name.lower(): name for name in task.instance.names()}
    spans, rules = DomainSpans(task.domain), StepRules(task.domain)
    state, steps = task.instance, []
    for number, (action, objects) in enumerate(actions, start=1):
        where = f"action {number} ({' '.join((action, *objects))})"
        unknown = [name for name in objects if name.lower() not in known]
        if unknown or not task.rules_of(action):
            missing = f"objects {', '.join(unknown)}" if unknown else f"action {action}"
            reason = f"{where}: the problem has no {missing} that could be used"
            raise CannotReplay(reason, number - 1)
        elements = tuple(known[name.lower()] for name in objects)
        for step in _find_steps(task, spans, action, elements, state):
            after = rules.apply(step, state).instance
            if after is not None:
                state = after
                steps.append(step)
                break
        else:
            if not _is_idle(task, action, elements, state):
                raise CannotReplay(f"{where}: its precondition does not hold", number - 1)
    return Plan(to_text(task.goal), tuple(steps), 1.0, 1.0, (), (), 1.0, "lukasiewicz", "")


def _is_idle(task: PddlTask, action: str, elements: tuple[str, ...], state: Instance) -> bool:
    """Return True if the action can be done and does nothing: the plan goes on without it."""
    for name in task.rules_of(action):
        if name not in task.idle or (bound := _bind_parameters(task, name, elements)) is None:
            continue
        span = build_span(task.idle[name], task.domain.schema)
        initial = {span.parameters[p]: state.id_of(element) for p, element in bound.items()}
        if any(True for _ in find_matches(span.rule, state, initial=initial)):
            return True
    return False


def _bind_parameters(task: PddlTask, name: str, elements: tuple[str, ...]) -> dict[str, str] | None:
    """Return the parameters of a rule that is done with these objects; None if none fit."""
    parameters = task.forms[name].parameters
    bound = dict(zip(parameters, elements, strict=False))
    fits = len(parameters) == len(elements) and tuple(bound[p] for p in parameters) == elements
    return bound if fits else None


def _find_steps(
    task: PddlTask, spans: DomainSpans, action: str, elements: tuple[str, ...], state: Instance
) -> Iterator[PlanStep]:
    """Yield the possible steps: each rule of the action, at each match with these objects."""
    for name in task.rules_of(action):
        if name in task.idle or (bound := _bind_parameters(task, name, elements)) is None:
            continue
        rule = task.domain.rules[name]
        span = spans.of(rule)
        initial = {span.parameters[p]: state.id_of(element) for p, element in bound.items()}
        for match in find_homs(span.rule.L, state, initial=initial):
            arguments = tuple(
                (p, state.name_of(match.mapping[span.parameters[p]])) for p in rule.parameter_names
            )
            yield PlanStep(name, arguments, 1.0, 1.0, rule.duration.base, rule.executor)
