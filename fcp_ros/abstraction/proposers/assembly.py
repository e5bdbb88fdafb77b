# SPDX-License-Identifier: Apache-2.0
"""Selected features and good transitions as QNP, programs and policy."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fcp_ros.abstraction.features.expressions import Feature, NamedConcept
from fcp_ros.abstraction.policy.programs import Program, RefinementMapping
from fcp_ros.abstraction.proposers.exploration import TransitionSample
from fcp_ros.abstraction.proposers.program_writers import ProgramWriter
from fcp_ros.abstraction.qnp.problem import (
    AbstractAction,
    Qnp,
    QnpPolicy,
    QState,
    QualitativeChange,
    encode_state,
)

Row = tuple[bool, ...]
"""The truth of each feature."""
Changes = tuple[int, ...]
"""The sign of the change of each feature."""

MOST_FEATURES = 6  # with more, there are too many combinations


def extrapolate_steps(
    # (feature, direction): 1 for a number to decrease or a boolean to be cleared, -1 for it to be
    # set
    order: Sequence[tuple[int, int]],
    boolean: Sequence[bool],  # per feature True if it is a boolean
    known: Mapping[tuple[Row, Changes], Collection[str]],
    refused: Collection[tuple[Row, Changes]],  # sampled steps that are not good
    # per rule and feature the signs of changes that some sampled step of the rule has
    seen: Mapping[str, Sequence[Collection[int]]],
) -> Iterator[tuple[Row, Changes, tuple[str, ...]]]:
    """Yield steps that are not known, fewest changes first, with the rules to try."""
    if len(boolean) > MOST_FEATURES:
        return
    leading: dict[int, dict[str, None]] = {}
    for (_, changes), rules in known.items():
        lead = find_lead(order, changes)
        if lead is not None:
            leading.setdefault(lead, {}).update(dict.fromkeys(rules))
    found: dict[tuple[Row, Changes], dict[str, None]] = {}
    for lead, rules in leading.items():
        for rule in rules:
            for changes in itertools.product(*(sorted({0, *signs}) for signs in seen[rule])):
                if find_lead(order, changes) == lead:
                    for row in itertools.product((False, True), repeat=len(boolean)):
                        if is_possible(row, changes, boolean):
                            found.setdefault((row, changes), {})[rule] = None
    steps = [
        (*step, tuple(rules))
        for step, rules in found.items()
        if step not in known and step not in refused
    ]
    yield from sorted(steps, key=lambda step: sum(map(abs, step[1])))


def find_lead(order: Sequence[tuple[int, int]], changes: Changes) -> int | None:
    """Return the place in the order of the first feature that changes, if it is improved."""
    for place, (feature, direction) in enumerate(order):
        if changes[feature]:
            return place if direction * changes[feature] < 0 else None
    return None


def is_possible(row: Row, changes: Changes, boolean: Sequence[bool]) -> bool:
    """Return True if what is to become less is more than nothing, and what is set is false."""
    return all(
        (change >= 0 or true) and (change <= 0 or not (is_boolean and true))
        for true, change, is_boolean in zip(row, changes, boolean, strict=True)
    )


UNREADABLE = re.compile(r"[\s=><:,]")
"""Characters that names of features can't have in the file of a policy."""


def name_features(features: Sequence[Feature]) -> list[str]:
    """Name features: by a feature's only word (`boarded` of count(boarded)), else b1, n1, ..."""
    # Two features with the same word, such as any(boarded) and count(boarded), both get numbers.
    words = [_find_word(feature) for feature in features]
    taken = [word for word in words if word]
    names: list[str] = []
    for feature, word in zip(features, words, strict=True):
        letter = "b" if feature.is_boolean else "n"
        number = sum(other.is_boolean == feature.is_boolean for other in features[: len(names)]) + 1
        numbered = f"{letter}{number}"
        is_free = taken.count(word) == 1 and re.fullmatch(r"[bn]\d+", word) is None
        names.append(word if word and is_free else numbered)
    return names


def _find_word(feature: Feature) -> str:
    """Return the name that a feature consists of; empty if it has several or none."""
    names = feature.names
    if len(names) != 1 or not all(isinstance(part, NamedConcept) for part in feature.parts):
        return ""
    (word,) = names
    return "" if word == "not" or UNREADABLE.search(word) else word


@dataclass(frozen=True)
class LearnedAbstraction:
    """An abstraction with its policy."""

    qnp: Qnp
    refinement: RefinementMapping
    policy: QnpPolicy  # the good actions of each qstate that the sample reaches
    initial: tuple[QState, ...]  # the qstates of the sample's first states
    # a good transition for each qstate and action of the policy
    examples: Mapping[tuple[QState, str], int]


def assemble_abstraction(
    name: str,
    features: Sequence[Feature],  # the selected ones, booleans first
    values: NDArray[np.int32],  # (states, features) of them
    order: Sequence[tuple[int, int]],  # (feature, direction) that good transitions improve
    good: NDArray[np.bool_],  # (transitions,)
    sample: TransitionSample,
    first_values: NDArray[np.int32],  # (training tasks, features) in the tasks' own initial states
    writer: ProgramWriter,
) -> LearnedAbstraction:
    """Assemble the abstraction of good transitions.

    Raises NoProgram if the writer knows none for some of the good transitions.
    """
    names = name_features(features)
    boolean = [feature.is_boolean for feature in features]
    truth = values > 0
    firsts = np.concatenate([truth[sample.initial], first_values > 0])
    known, refused = _collect_steps(values, good, sample)
    goal = _find_goal(names, truth, sample.goal)
    steps = [(row, changes, tuple(use.rules)) for (row, changes), use in known.items()]
    rules = {step: tuple(use.rules) for step, use in known.items()}
    write = _find_programs(known, sample, writer)
    steps.extend(extrapolate_steps(order, boolean, rules, refused, _see_changes(values, sample)))
    steps = _drop_unreached(steps, firsts, goal, names, boolean)
    actions, programs, action_of = _name_actions(features, names, steps, write)
    qnp = Qnp(
        name=name,
        booleans=tuple(n for n, is_boolean in zip(names, boolean, strict=True) if is_boolean),
        numerics=tuple(n for n, is_boolean in zip(names, boolean, strict=True) if not is_boolean),
        initial=_find_common(names, firsts),
        goal=goal,
        actions=actions,
    )

    def encode(row: Sequence[bool]) -> QState:
        return encode_state(qnp, dict(zip(names, map(bool, row), strict=True)))

    policy: dict[QState, tuple[str, ...]] = {}
    examples: dict[tuple[QState, str], int] = {}
    for row, changes, _ in steps:
        state, action = encode(row), action_of[changes]
        policy[state] = (*policy.get(state, ()), action)
        if (row, changes) in known:
            examples[state, action] = known[row, changes].transitions[0]
    refinement = RefinementMapping(dict(zip(names, features, strict=True)), programs)
    initial = tuple(dict.fromkeys(map(encode, firsts.tolist())))
    return LearnedAbstraction(qnp, refinement, policy, initial, examples)


def _find_programs(
    known: Mapping[tuple[Row, Changes], _Use], sample: TransitionSample, writer: ProgramWriter
) -> Callable[[str, Changes], tuple[Program, ...]]:
    # Where no sampled transition has these changes, they are all programs of the rule.
    uses: dict[tuple[str, Changes], list[int]] = {}
    for (_, changes), use in known.items():
        for number in use.transitions:
            uses.setdefault((sample.steps[number][0], changes), []).append(number)
    programs = {(r, changes): writer.write(r, found) for (r, changes), found in uses.items()}

    def write(rule: str, changes: Changes) -> tuple[Program, ...]:
        if (rule, changes) in programs:
            return programs[rule, changes]
        others = (found for (other, _), found in programs.items() if other == rule)
        return tuple(dict.fromkeys(itertools.chain(*others)))

    return write


@dataclass
class _Use:
    """Good transitions with the same truth of features before, and the same changes."""

    rules: dict[str, None]  # names of their rules, in order of appearance
    transitions: list[int]


def _collect_steps(
    values: NDArray[np.int32], good: NDArray[np.bool_], sample: TransitionSample
) -> tuple[dict[tuple[Row, Changes], _Use], set[tuple[Row, Changes]]]:
    """Collect good steps, those that come nearer to the goal most often first, and others."""
    uses: dict[tuple[Row, Changes], _Use] = {}
    refused: set[tuple[Row, Changes]] = set()
    signs = np.sign(values[sample.targets] - values[sample.sources])
    truth = (values > 0)[sample.sources]
    open_sources = (sample.distances > 0)[sample.sources]
    for number in np.flatnonzero(open_sources).tolist():
        step = (tuple(truth[number].tolist()), tuple(signs[number].tolist()))
        if good[number]:
            use = uses.setdefault(step, _Use({}, []))
            use.rules[sample.steps[number][0]] = None
            use.transitions.append(number)
        else:
            refused.add(step)
    gained = sample.distances[sample.targets] < sample.distances[sample.sources]
    share = {step: float(gained[use.transitions].mean()) for step, use in uses.items()}
    ordered = dict(sorted(uses.items(), key=lambda item: -share[item[0]]))
    return ordered, refused - uses.keys()


def _see_changes(
    values: NDArray[np.int32], sample: TransitionSample
) -> dict[str, list[frozenset[int]]]:
    signs = np.sign(values[sample.targets] - values[sample.sources])
    rules = np.array([rule for rule, _ in sample.steps])
    return {
        str(rule): [frozenset(column.tolist()) for column in signs[rules == rule].T]
        for rule in np.unique(rules)
    }


def _drop_unreached(
    steps: Sequence[tuple[Row, Changes, tuple[str, ...]]],
    firsts: NDArray[np.bool_],
    goal: Mapping[str, bool],
    names: Sequence[str],
    boolean: Sequence[bool],
) -> list[tuple[Row, Changes, tuple[str, ...]]]:
    """Leave out steps of truth values that no chain of steps leads to, and those of goals."""
    by_row: dict[Row, list[Changes]] = {}
    for row, changes, _ in steps:
        by_row.setdefault(row, []).append(changes)
    queue = list(dict.fromkeys(tuple(row) for row in firsts.tolist()))
    seen = set(queue)
    for row in queue:  # the list grows meanwhile
        if all(row[names.index(name)] == value for name, value in goal.items()):
            by_row.pop(row, None)
            continue
        for changes in by_row.get(row, ()):
            outcomes = (
                _list_outcomes(true, change, is_boolean)
                for true, change, is_boolean in zip(row, changes, boolean, strict=True)
            )
            for after in itertools.product(*outcomes):
                if after not in seen:
                    seen.add(after)
                    queue.append(after)
    return [step for step in steps if step[0] in seen and step[0] in by_row]


def _list_outcomes(true: bool, change: int, is_boolean: bool) -> tuple[bool, ...]:
    if change == 0:
        return (true,)
    if change > 0:
        return (True,)
    return (False,) if is_boolean else (False, True)


def _find_change(feature: Feature, change: int) -> QualitativeChange:
    if feature.is_boolean:
        return QualitativeChange.SET if change > 0 else QualitativeChange.CLEAR
    return QualitativeChange.INCREASE if change > 0 else QualitativeChange.DECREASE


def _name_actions(
    features: Sequence[Feature],
    names: Sequence[str],
    steps: Sequence[tuple[Row, Changes, tuple[str, ...]]],
    write: Callable[[str, Changes], tuple[Program, ...]],
) -> tuple[tuple[AbstractAction, ...], dict[str, tuple[Program, ...]], dict[Changes, str]]:
    """Make one action for all steps with the same changes; its condition is what they share."""
    rows: dict[Changes, list[Row]] = {}
    rules: dict[Changes, dict[str, None]] = {}
    for row, changes, names_of_rules in steps:
        rows.setdefault(changes, []).append(row)
        rules.setdefault(changes, {}).update(dict.fromkeys(names_of_rules))
    taken: dict[str, int] = {}
    action_of: dict[Changes, str] = {}
    actions = []
    programs = {}
    for changes, found in rows.items():
        base = "-or-".join(rules[changes])
        taken[base] = taken.get(base, 0) + 1
        action = f"{base}-{taken[base]}"
        action_of[changes] = action
        effects = {
            name: _find_change(feature, change)
            for name, feature, change in zip(names, features, changes, strict=True)
            if change
        }
        actions.append(AbstractAction(action, _find_common(names, np.array(found)), effects))
        found_programs = itertools.chain(*(write(rule, changes) for rule in rules[changes]))
        programs[action] = tuple(dict.fromkeys(found_programs))
    return tuple(actions), programs, action_of


def _find_common(names: Sequence[str], truth: NDArray[np.bool_]) -> dict[str, bool]:
    same = (truth == truth[0]).all(axis=0)
    return {name: bool(truth[0, place]) for place, name in enumerate(names) if same[place]}


def _find_goal(
    names: Sequence[str], truth: NDArray[np.bool_], goal: NDArray[np.bool_]
) -> dict[str, bool]:
    """Find few literals that hold in all goal states, and together in no other state."""
    common = _find_common(names, truth[goal])
    left = np.flatnonzero(~goal)
    chosen: dict[str, bool] = {}
    while len(left):
        best = max(common, key=lambda name: (truth[left, names.index(name)] != common[name]).sum())
        telling = truth[left, names.index(best)] != common[best]
        if not telling.any():
            break
        chosen[best] = common[best]
        left = left[~telling]
    return chosen
