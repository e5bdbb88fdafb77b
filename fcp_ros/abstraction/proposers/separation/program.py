# SPDX-License-Identifier: Apache-2.0
"""The choice of features and good classes as an answer set program, built up between solves.

Atoms: a feature is selected, a class is good, a node is reached. Rules: the initial nodes are
reached, and so is the end of a good transition from a reached node; a reached node needs a good
transition; the selected features tell the goal from other states, and each pair of a good class and
a reached one that isn't good.

A policy that terminates: some selected features are put into an order, one a level. A good class
improves the first of them that it changes: it decreases a number, or changes a boolean in the
direction chosen for it. This is stricter than SIEVE, which may use another order in each component,
but it can be stated for features that are yet to be chosen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import clingo
import numpy as np

from fcp_ros.abstraction.proposers.separation.classes import TransitionClasses

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

    def solve(self, check: Callable[[], None], deadline: float = float("inf")) -> Model | None:
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
