# SPDX-License-Identifier: Apache-2.0
"""The goals of the tasks of a domain file, checked like the goals that users write.

Each is filled in with an element of the type of each slot, in a state that holds nothing else.
"""

from __future__ import annotations

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Constant, ExpressionError
from fcp_ros.domain.model import IS_A, TEXT, Domain
from fcp_ros.domain.phrase_goals import SlotValue, fill_goal
from fcp_ros.domain.words import ADDRESSEE, NUMBER, SPEAKER, Addition, TaskTemplate
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.wording import suggest_name


def check_task_goals(domain: Domain, report: Diagnostics) -> None:
    """Report goals of tasks that can't be read or do not fit the domain."""
    for name, removed in domain.words.removed.items():
        own: Path = ("relations", name, "removed")
        _check_goal(removed, None, domain, own, f"the absence of {name}", report)
    for name, task in domain.words.tasks.items():
        path: Path = ("tasks", name)
        faults = len(report.diagnostics)
        _check_goal(task, None, domain, (*path, "goal"), f"task {name}", report)
        _check_default_labels(task, domain, (*path, "defaults"), report)
        if task.several:
            several, owner = task.of_several(), f"several of task {name}"
            _check_goal(several, None, domain, (*path, "several"), owner, report)
        if len(report.diagnostics) > faults:
            continue
        for position, addition in enumerate(task.additions):
            if not addition.goal:
                continue
            here = (*path, "additions", position, "goal")
            owner = f"addition {position + 1} of {name}"
            _check_goal(task, addition, domain, here, owner, report)


def _check_goal(
    task: TaskTemplate,
    addition: Addition | None,
    domain: Domain,
    path: Path,
    owner: str,
    report: Diagnostics,
) -> None:
    additions = () if addition is None else (addition,)
    parameters = dict(task.parameters)
    parameters.update({} if addition is None else addition.parameters)
    builder = InstanceBuilder(domain.schema)
    values: dict[str, SlotValue] = {}
    for slot, type_ in parameters.items():
        if type_ in (NUMBER, TEXT):
            values[slot] = 1 if type_ == NUMBER else slot
        else:
            builder.add(type_, slot)
            values[slot] = Constant(slot)
    instance = builder.build()
    elements = {slot: v for slot, v in values.items() if isinstance(v, Constant)}
    spoken = {slot: v for slot, v in values.items() if slot not in elements}
    try:
        check_goal(fill_goal(task, values, additions, domain.words.kinds), domain, instance)
        free = [slot for slot in elements if _may_be_left_out(task, slot)]
        if free:  # the same with the elements that need not be said
            spoken.update((s, v) for s, v in elements.items() if s not in free)
            check_goal(fill_goal(task, spoken, additions, domain.words.kinds), domain, instance)
    except ExpressionError as error:
        fix = "write it in the language of docs/goals.md, with {slots} for the parameters"
        message = str(error.message).rstrip(".")
        shown = f" (in `{error.text}`)" if error.text else ""
        report.add(path, f"the goal of {owner}: {message}{shown}", fix)


def _may_be_left_out(task: TaskTemplate, slot: str) -> bool:
    return task.defaults.get(slot) not in (SPEAKER, ADDRESSEE) and any(
        slot not in {getattr(part, "name", "") for part in variant}
        for phrase in task.phrases
        for variant in phrase.variants
    )


def _check_default_labels(
    task: TaskTemplate, domain: Domain, path: Path, report: Diagnostics
) -> None:
    labels = domain.mapping.labels
    types = {normalise_label(type_): type_ for type_ in domain.schema.types}
    for slot, value in task.defaults.items():
        if task.parameters.get(slot) in (NUMBER, TEXT) or value in (SPEAKER, ADDRESSEE):
            continue
        label = normalise_label(value)
        if label in types or label in domain.words.kinds or match_label(value, labels) is not None:
            continue
        message = f"the default {value} of {slot} in task {task.name} is no label, type or kind"
        known = {**labels, **types, **dict.fromkeys((SPEAKER, ADDRESSEE), IS_A)}
        report.add((*path, slot), message, suggest_name(label, known))
