# SPDX-License-Identifier: Apache-2.0
"""The cheapest features with good transitions; pairs are added to the program where violated."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import clingo
import numpy as np

from fcp_ros.abstraction.proposers.separation import (
    Selection,
    SeparationProblem,
    TransitionClasses,
    code_transitions,
    collapse_transitions,
    draw_hashing,
)
from fcp_ros.foundation.stopping import Check


def widen_good(problem: SeparationProblem, selection: Selection) -> np.ndarray:
    """Return (transitions,) True for all that may be good."""
    # The good transitions of the selection are among them. Groups are tried one after the other,
    # those with most transitions first.
    alive = problem.alive & ~problem.goal
    used = np.flatnonzero(alive[problem.sources])
    codes = code_transitions(problem, used)[:, list(selection.features)]
    _, groups = np.unique(codes, axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    count = int(groups.max(initial=-1)) + 1
    kept = np.zeros(count, dtype=bool)
    kept[groups[selection.good[used]]] = True
    candidates = np.zeros(count, dtype=bool)
    candidates[groups[improves_order(problem, selection, used)]] = True
    candidates[groups[~problem.alive[problem.targets[used]] | problem.refused[used]]] = False
    sizes = np.bincount(groups, minlength=count)
    for group in np.argsort(-sizes, kind="stable").tolist():
        if candidates[group] and not kept[group]:
            kept[group] = True
            kept[group] = _is_closed(problem, used[kept[groups]])
    good = np.zeros(len(problem.sources), dtype=bool)
    good[used] = kept[groups]
    return good


def _is_closed(problem: SeparationProblem, good: np.ndarray) -> bool:
    """Return True if good transitions lead only to states with another one, or to goals."""
    sources, targets = problem.sources[good], problem.targets[good]
    covered = problem.goal | ~problem.expanded
    covered[sources] = True
    reached = problem.initial.copy()
    while True:
        found = targets[reached[sources]]
        if reached[found].all():
            return bool(covered[reached].all())
        reached[found] = True


def improves_order(
    problem: SeparationProblem, selection: Selection, transitions: np.ndarray
) -> np.ndarray:
    """Return (transitions,) True for those that improve the first feature that they change."""
    before = problem.values[problem.sources[transitions]]
    after = problem.values[problem.targets[transitions]]
    improved = np.zeros(len(transitions), dtype=bool)
    undecided = np.ones(len(transitions), dtype=bool)
    for feature, direction in selection.order:
        change = direction * np.sign(after[:, feature] - before[:, feature])
        improved |= undecided & (change < 0)
        undecided &= change == 0
    return improved


LEVELS = 4  # features in the order; no domain tried needs more than 4
PREPARING = 2  # seconds that clingo may take to simplify a program
TICK = 0.2  # seconds between two looks at `check` while clingo searches


@dataclass(frozen=True)
class Model:
    """An answer set."""

    selected: np.ndarray  # indices of features, increasing
    good: np.ndarray  # (classes,), True for good classes
    reached: np.ndarray  # (nodes,), True for reached nodes
    # (feature, direction) that good classes improve, the first they change: 1 for a number to
    # decrease or a boolean to clear, -1 for a boolean to set
    order: tuple[tuple[int, int], ...]
    cost: int
    proven: bool  # True if no cheaper one exists


class SeparationProgram:
    """The program of one problem; clauses may be added after each solve."""

    def __init__(
        self, classes: TransitionClasses, weights: np.ndarray, boolean: np.ndarray, seed: int = 0
    ) -> None:
        self._control = clingo.Control(
            [
                "--configuration=crafty",
                "--opt-strategy=usc,k,0,stratify",
                # Before the search begins, nothing stops clingo: 240 s are its own bound here.
                f"--sat-prepro=2,iter=10,occ=25,time={PREPARING}",
                f"--seed={seed}",
                "--warn=none",
            ]
        )
        self._classes = classes
        self._ranked: list[dict[int, tuple[int, int]]] = []
        nodes = int(classes.node_of_state.max(initial=-1)) + 1
        with self._control.backend() as backend:
            self._selected = [backend.add_atom() for _ in weights]
            self._good = [backend.add_atom() for _ in classes.bad]
            self._reached = [backend.add_atom() for _ in range(nodes)]
            backend.add_rule(self._selected, choice=True)
            safe = [atom for atom, bad in zip(self._good, classes.bad, strict=True) if not bad]
            backend.add_rule(safe, choice=True)
            costs = zip(self._selected, weights.tolist(), strict=True)
            backend.add_minimize(0, [(atom, int(weight)) for atom, weight in costs])
            self._add_policy(backend)
            self._add_order(backend, boolean)

    def _add_order(self, backend: clingo.Backend, boolean: np.ndarray) -> None:
        """Require the order of features that good classes improve."""
        signs = self._classes.codes.astype(np.int8) % 3 - 1
        improved_before: list[list[int]] = [[] for _ in self._good]  # atoms, per class
        for _ in range(LEVELS):
            ranked: list[tuple[int, np.ndarray]] = []  # atom, change per class: -1 improves
            self._ranked.append({})
            for feature, selected in enumerate(self._selected):
                for direction in (1, -1) if boolean[feature] else (1,):
                    atom = backend.add_atom()
                    backend.add_rule([atom], [selected], choice=True)
                    self._ranked[-1][atom] = (feature, direction)
                    ranked.append((atom, direction * signs[:, feature]))
            backend.add_weight_rule([], 2, [(atom, 1) for atom, _ in ranked])
            changes = np.stack([change for _, change in ranked])
            atoms = np.array([atom for atom, _ in ranked])
            for number, good in enumerate(self._good):
                if self._classes.bad[number]:
                    continue
                worse = backend.add_atom()
                for atom in atoms[changes[:, number] > 0].tolist():
                    backend.add_rule([worse], [atom])
                better = backend.add_atom()
                for atom in atoms[changes[:, number] < 0].tolist():
                    backend.add_rule([better], [atom])
                backend.add_rule([], [good, worse, *(-a for a in improved_before[number])])
                improved_before[number].append(better)
        for number, good in enumerate(self._good):
            if not self._classes.bad[number]:
                backend.add_rule([], [good, *(-a for a in improved_before[number])])

    def _add_policy(self, backend: clingo.Backend) -> None:
        for node in self._classes.initial:
            backend.add_rule([self._reached[node]])
        for number, start, end in self._classes.edges.tolist():
            backend.add_rule([self._reached[end]], [self._good[number], self._reached[start]])
        for node, options in self._classes.options:
            lacking = [-self._good[number] for number in options if not self._classes.bad[number]]
            backend.add_rule([], [self._reached[node], *lacking])
        self._class_reached = [backend.add_atom() for _ in self._good]
        sources: dict[int, set[int]] = {}
        for node, options in self._classes.options:
            for number in options:
                sources.setdefault(number, set()).add(node)
        for number, starts in sources.items():
            for start in sorted(starts):
                backend.add_rule([self._class_reached[number]], [self._reached[start]])

    def require_one_of(self, features: Iterable[int]) -> None:
        """Require that at least one of some features is selected."""
        with self._control.backend() as backend:
            backend.add_rule([], [-self._selected[feature] for feature in features])

    def separate(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Require features that tell pairs of classes apart, if only the first one is good."""
        codes = self._classes.codes
        with self._control.backend() as backend:
            for good, other in pairs:
                body = [self._good[good], self._class_reached[other]]
                if not self._classes.bad[other]:
                    body.append(-self._good[other])
                telling = np.flatnonzero(codes[good] != codes[other])
                body.extend(-self._selected[feature] for feature in telling.tolist())
                backend.add_rule([], body)

    def forbid_together(self, features: Iterable[int], classes: Iterable[int]) -> None:
        """Forbid that all of some classes are good while none of some features is selected."""
        with self._control.backend() as backend:
            body = [self._good[number] for number in classes]
            body.extend(-self._selected[feature] for feature in features)
            backend.add_rule([], body)

    def solve(self, check: Check, deadline: float = float("inf")) -> Model | None:
        """Return the cheapest model; None if there is none.

        `deadline`: by `time.process_time`; the best model until then is returned. Raises
        TimeoutError if nothing was found until the deadline.
        """
        found: list[Model] = []

        def keep(model: clingo.Model) -> None:
            found[:] = [self._read(model)]

        with self._control.solve(on_model=keep, async_=True) as handle:
            while not handle.wait(TICK):
                check()
                if time.process_time() > deadline:
                    handle.cancel()
            result = handle.get()
        if found:
            return replace(found[0], proven=bool(result.exhausted))
        if result.unsatisfiable:
            return None
        raise TimeoutError

    def _read(self, model: clingo.Model) -> Model:
        def list_true(atoms: list[int]) -> np.ndarray:
            return np.fromiter((model.is_true(atom) for atom in atoms), dtype=bool)

        return Model(
            selected=np.flatnonzero(list_true(self._selected)),
            good=list_true(self._good),
            reached=list_true(self._reached),
            order=tuple(
                ranked
                for level in self._ranked
                for atom, ranked in level.items()
                if model.is_true(atom)
            ),
            cost=model.cost[0] if model.cost else 0,
            proven=False,
        )


HARDEST = 4  # pairs per class with a bad one that are told apart from the start
PAIRS = 24  # pairs added per group of classes in which good and other ones are mixed
ROUNDS = 500
MOST_MIXED = 60  # classes of a group that are compared: bounds the memory


@dataclass
class Selector:
    """Selects features for one problem, again after each refusal."""

    problem: SeparationProblem
    seed: int = 0  # decides between equally good selections

    def __post_init__(self) -> None:
        self.classes = collapse_transitions(self.problem)
        self.kept = keep_distinct_features(self.problem, self.classes)
        self.classes = _narrow(self.classes, self.kept)
        if not len(self.kept):
            return  # `select` says so
        self.program = SeparationProgram(
            self.classes,
            self.problem.weights[self.kept],
            self.problem.boolean[self.kept],
            seed=self.seed,
        )
        self._tell_goals()
        self._tell_hardest()

    def select(self, check: Check, deadline: float = float("inf")) -> Selection | None:
        """Return the cheapest selection; None if there is none.

        `deadline`: by `time.process_time`. Raises TimeoutError if none was found until the
        deadline.
        """
        if not len(self.kept):
            return None
        for _ in range(ROUNDS):
            if time.process_time() > deadline:
                break
            check()
            model = self.program.solve(check, deadline)
            if model is None:
                return None
            pairs = find_violated_pairs(self.classes, model)
            if not pairs:
                return self._describe(model)
            self.program.separate(pairs)
        raise TimeoutError

    def refuse(self, selection: Selection, transitions: Sequence[int]) -> None:
        """Refuse that some good transitions, which may go on for ever, are good all together.

        They may if a feature is selected that some of them decrease and none increases, or one
        whose truth one of them changes: then they need not belong to one component any more.
        `transitions`: one for each abstract step of the component.
        """
        classes = sorted({int(self.classes.of_transition[number]) for number in transitions})
        codes = self.classes.codes[classes]
        falls, rises = (codes % 3 == 0).any(axis=0), (codes % 3 == 2).any(axis=0)
        before = self.problem.values[self.problem.sources[transitions]][:, self.kept] > 0
        after = self.problem.values[self.problem.targets[transitions]][:, self.kept] > 0
        helping = (falls & ~rises) | (before != after).any(axis=0)
        helping &= ~np.isin(self.kept, selection.features)
        self.program.forbid_together(np.flatnonzero(helping).tolist(), classes)

    def _describe(self, model: Model) -> Selection:
        reached = model.reached[self.classes.node_of_state]
        good = np.zeros(len(self.problem.sources), dtype=bool)
        used = self.classes.of_transition >= 0
        good[used] = model.good[self.classes.of_transition[used]]
        return Selection(
            features=tuple(int(feature) for feature in self.kept[model.selected]),
            good=good & reached[self.problem.sources],
            order=tuple((int(self.kept[place]), direction) for place, direction in model.order),
            cost=model.cost,
            proven=model.proven,
        )

    def _tell_goals(self) -> None:
        for clause in list_goal_clauses(self.problem, self.kept):
            self.program.require_one_of(clause)

    def _tell_hardest(self) -> None:
        codes, bad = self.classes.codes, np.flatnonzero(self.classes.bad)
        if not len(bad):
            return
        pairs: list[tuple[int, int]] = []
        for number in np.flatnonzero(~self.classes.bad).tolist():
            differing = (codes[bad] != codes[number]).sum(axis=1)
            nearest = np.argsort(differing, kind="stable")[:HARDEST]
            pairs.extend((number, int(other)) for other in bad[nearest])
        self.program.separate(pairs)


def keep_distinct_features(problem: SeparationProblem, classes: TransitionClasses) -> np.ndarray:
    """Return the features of least weight for each distinct way to tell transitions and states."""
    telling = np.concatenate([classes.codes, (problem.values > 0).astype(np.int8)]).T
    hashing = draw_hashing(telling.shape[1])
    hashes = telling.astype(np.int64) @ hashing
    order = np.argsort(problem.weights, kind="stable")
    _, first = np.unique(hashes[order], return_index=True)
    return np.asarray(np.sort(order[first]))


def list_goal_clauses(problem: SeparationProblem, kept: np.ndarray) -> list[tuple[int, ...]]:
    """List, per state short of the goal, the features that tell it from all goal states."""
    # Only features with the same boolean value in all goal states count, so that the goal is a
    # conjunction. Clauses that follow from smaller ones are left out.
    truth = problem.values[:, kept] > 0
    if not problem.goal.any():
        return []
    goal_truth = truth[problem.goal]
    constant = (goal_truth == goal_truth[0]).all(axis=0)
    telling = (truth[~problem.goal] != goal_truth[0]) & constant
    clauses = sorted(
        {tuple(np.flatnonzero(row).tolist()) for row in np.unique(telling, axis=0)}, key=len
    )
    least: list[frozenset[int]] = []
    for clause in clauses:
        members = frozenset(clause)
        if not any(smaller <= members for smaller in least):
            least.append(members)
    return [tuple(sorted(clause)) for clause in least]


def find_violated_pairs(classes: TransitionClasses, model: Model) -> list[tuple[int, int]]:
    """Find pairs (good class, reached class that isn't good) that the selected features mix."""
    reached = np.zeros(len(classes.bad), dtype=bool)
    for node, options in classes.options:
        if model.reached[node]:
            reached[list(options)] = True
    chosen = np.ascontiguousarray(classes.codes[:, model.selected])
    _, groups = np.unique(chosen, axis=0, return_inverse=True)
    groups = groups.reshape(-1)
    good = model.good & ~classes.bad
    used, other = reached & good, reached & ~good
    mixed = np.intersect1d(groups[used], groups[other])
    pairs: list[tuple[int, int]] = []
    for group in mixed.tolist():
        inside = groups == group
        pairs.extend(
            _pair_nearest(classes, np.flatnonzero(inside & used), np.flatnonzero(inside & other))
        )
    return pairs


def _pair_nearest(
    classes: TransitionClasses, good: np.ndarray, other: np.ndarray
) -> list[tuple[int, int]]:
    """Pair classes that few features tell apart first: their clauses are the shortest."""
    good, other = good[:MOST_MIXED], other[:MOST_MIXED]
    distances = (classes.codes[good][:, None, :] != classes.codes[other][None, :, :]).sum(axis=2)
    order = np.argsort(distances, axis=None, kind="stable")[:PAIRS]
    rows, columns = np.unravel_index(order, distances.shape)
    return list(zip(good[rows].tolist(), other[columns].tolist(), strict=True))


def _narrow(classes: TransitionClasses, kept: np.ndarray) -> TransitionClasses:
    return replace(classes, codes=np.ascontiguousarray(classes.codes[:, kept]))
