# SPDX-License-Identifier: Apache-2.0
"""Telling good transitions from others: the problem, its classes, and a failure's conflict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SeparationProblem:
    """Transitions, and the features that may tell them apart."""

    values: np.ndarray  # (states, features), integers of at least 0; a boolean feature is 0 or 1
    weights: np.ndarray  # (features,), the cost of selecting each, of at least 1
    boolean: np.ndarray  # (features,), True for boolean features
    sources: np.ndarray  # (transitions,), index of the state before
    targets: np.ndarray  # (transitions,), index of the state after
    goal: np.ndarray  # (states,), True where the goal holds
    alive: np.ndarray  # (states,), True where the goal can be reached
    expanded: np.ndarray  # (states,), True where all transitions of the state are listed
    # (states,), True where the policy must begin. Every expanded state that it reaches from there
    # needs a good transition.
    initial: np.ndarray
    # (transitions,), True for those that must not be good, as those that lead where the goal can't
    # be reached
    refused: np.ndarray


@dataclass(frozen=True)
class Selection:
    """Features and good transitions."""

    features: tuple[int, ...]  # indices of the selected features, increasing
    # (transitions,), True for the good transitions of states that the policy reaches
    good: np.ndarray
    # (feature, direction) by which the policy terminates: a good transition improves the first that
    # it changes. 1: a number decreases or a boolean is cleared; -1: it is set.
    order: tuple[tuple[int, int], ...]
    cost: int
    proven: bool  # True if no cheaper selection exists


@dataclass(frozen=True)
class TransitionConflict:
    """A state without a transition that may be good, and the reason for one of them."""

    needed: int
    # one that looks the same, but leads where the goal can't be reached, or changes nothing that a
    # feature sees
    refused: int


def find_conflict(problem: SeparationProblem) -> TransitionConflict | None:
    """Find the state nearest to the beginning that no selection of features can serve."""
    classes = collapse_transitions(problem)
    refused = ~problem.alive[problem.targets] | problem.refused
    refused |= classes.node_of_state[problem.sources] == classes.node_of_state[problem.targets]
    for state in np.flatnonzero(problem.alive & ~problem.goal & problem.expanded).tolist():
        leaving = np.flatnonzero(problem.sources == state)
        options = classes.of_transition[leaving]
        if len(options) and classes.bad[options].all():
            safe = leaving[problem.alive[problem.targets[leaving]]]
            needed = int(safe[0]) if len(safe) else int(leaving[0])
            same = classes.of_transition == classes.of_transition[needed]
            return TransitionConflict(needed, int(np.flatnonzero(same & refused)[0]))
    return None


CHUNK = 20_000  # transitions coded at a time: bounds the memory for wide pools


@dataclass(frozen=True)
class TransitionClasses:
    """Classes of transitions between nodes."""

    codes: np.ndarray  # (classes, features)
    # (transitions,), class of each transition; -1 if its source is dead or a goal
    of_transition: np.ndarray
    # (classes,), True if a member ends where the goal can't be reached, is refused, or changes
    # nothing
    bad: np.ndarray
    members: np.ndarray  # (classes,), one transition of each class
    node_of_state: np.ndarray  # (states,), node of each state
    edges: np.ndarray  # unique (class, source node, target node), without those of bad classes
    # unique (node, classes that leave one of its states) of expanded states from which the goal can
    # be reached, but does not hold
    options: tuple[tuple[int, tuple[int, ...]], ...]
    initial: tuple[int, ...]  # nodes where the policy must begin, increasing


def collapse_transitions(problem: SeparationProblem) -> TransitionClasses:
    """Group states by their values and transitions by their codes."""
    hashing = draw_hashing(problem.values.shape[1])
    nodes = _number(np.asarray(problem.values.astype(np.int64) @ hashing))[1]
    live = problem.alive[problem.sources] & ~problem.goal[problem.sources]
    used = np.flatnonzero(live)
    first, numbers = _number(_hash_codes(problem, used, hashing))
    members = used[first]
    of_transition = np.full(len(problem.sources), -1, dtype=np.int64)
    of_transition[used] = numbers
    bad = np.zeros(len(members), dtype=bool)
    bad[numbers[~problem.alive[problem.targets[used]] | problem.refused[used]]] = True
    starts, ends = nodes[problem.sources[used]], nodes[problem.targets[used]]
    bad[numbers[starts == ends]] = True
    edges = np.unique(np.stack([numbers, starts, ends], axis=1), axis=0)
    return TransitionClasses(
        codes=code_transitions(problem, members),
        of_transition=of_transition,
        bad=bad,
        members=members,
        node_of_state=nodes,
        edges=edges[~bad[edges[:, 0]]] if len(edges) else edges,
        options=_list_options(problem, used, numbers, nodes),
        initial=tuple(int(node) for node in np.unique(nodes[problem.initial])),
    )


def code_transitions(problem: SeparationProblem, transitions: np.ndarray) -> np.ndarray:
    """Return the codes (transitions, features) of some transitions."""
    before = problem.values[problem.sources[transitions]]
    after = problem.values[problem.targets[transitions]]
    codes: np.ndarray = (3 * (before > 0) + np.sign(after - before) + 1).astype(np.int8)
    return codes


def draw_hashing(size: int) -> np.ndarray:
    """Return numbers whose sums of products tell rows of that size apart (64 bits)."""
    source = np.random.default_rng(0)
    return source.integers(-(2**63), 2**63 - 1, size=size, dtype=np.int64)


def _hash_codes(
    problem: SeparationProblem, transitions: np.ndarray, hashing: np.ndarray
) -> np.ndarray:
    chunks = [
        np.asarray(
            code_transitions(problem, transitions[start : start + CHUNK]).astype(np.int64) @ hashing
        )
        for start in range(0, len(transitions), CHUNK)
    ]
    return np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.int64)


def _number(hashes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first index of each distinct hash, in order of appearance, and all numbers."""
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse]


def _list_options(
    problem: SeparationProblem, used: np.ndarray, numbers: np.ndarray, nodes: np.ndarray
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    open_states = np.flatnonzero(problem.alive & ~problem.goal & problem.expanded)
    leaving: dict[int, set[int]] = {int(state): set() for state in open_states}
    for state, number in zip(problem.sources[used].tolist(), numbers.tolist(), strict=True):
        if state in leaving:
            leaving[state].add(number)
    return tuple(
        dict.fromkeys(
            (int(nodes[state]), tuple(sorted(classes))) for state, classes in leaving.items()
        )
    )
