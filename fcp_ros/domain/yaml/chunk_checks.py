# SPDX-License-Identifier: Apache-2.0
"""The check that the steps of a chunk can follow one another.

The chunk is run on what its steps say. Its parameters stand for different elements, as a rule's do,
so two atoms that are written differently are different tuples. What an effect of a rule may change
is forgotten, because it depends on the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.model import ActionRule, Chunk
from fcp_ros.domain.yaml.atoms import covers, find_functional_conflict, write_bare
from fcp_ros.domain.yaml.entries import RelationEntry


@dataclass(frozen=True)
class _Said:
    """The reason why an atom is known to be true or false: a step, and what it does."""

    step: int
    verb: str

    def __str__(self) -> str:
        return f"step {self.step + 1} {self.verb}"


def check_sequence(
    chunk: Chunk,
    rules: Mapping[str, ActionRule],
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    """Report the first step that can't follow those before it, and why."""
    run = _Run(frozenset(parameter.name for parameter in chunk.parameters), relations)
    for number, (name, bound) in enumerate(chunk.steps):
        rule = rules[name]
        problem = run.step(number, rule, dict(zip(rule.parameter_names, bound, strict=True)))
        if problem:
            message = (
                f"the steps of chunk {chunk.name} can't follow one another: "
                f"step {number + 1} {name}({', '.join(bound)}) {problem}"
            )
            report.add((*path, "steps", number), message, "put another step between, or drop one")
            return


class _Run:
    """The facts that are known after some steps."""

    def __init__(self, parameters: frozenset[str], relations: Mapping[str, RelationEntry]) -> None:
        self._parameters = parameters
        self._relations = relations
        self._true: dict[Atom, _Said] = {}
        self._false: dict[Atom, _Said] = {}  # with existential variables: nothing that fits

    def step(self, number: int, rule: ActionRule, bound: Mapping[str, str]) -> str:
        """Take a step; returns why it is impossible, or an empty text."""
        positive = [_bind(atom, bound) for atom in rule.positive()]
        negative = [_bind(atom, bound) for atom in rule.negative()]
        problem = self._missing(positive) or self._present(negative)
        if problem:
            return problem
        for atom in positive:
            self._true.setdefault(atom, _Said(number, "needs"))
        for atom in negative:
            self._false.setdefault(atom, _Said(number, "needs the absence of"))
        problem = self._two_of_one("needs", positive)
        if problem:
            return problem
        for atom in rule.delete:
            self._true.pop(_bind(atom, bound), None)
            self._false[_bind(atom, bound)] = _Said(number, "deletes")
        added = [_bind(atom, bound) for atom in rule.add]
        for atom in added:
            self._true[atom] = _Said(number, "adds")
            for absent in [x for x in self._false if covers(x, atom, self._parameters)]:
                del self._false[absent]
        problem = self._two_of_one("adds", added)
        changed = {
            atom.predicate for effect in rule.effects for atom in (*effect.add, *effect.delete)
        }
        self._true = {a: why for a, why in self._true.items() if a.predicate not in changed}
        self._false = {a: why for a, why in self._false.items() if a.predicate not in changed}
        return problem

    def _missing(self, positive: list[Atom]) -> str:
        for atom in positive:
            for absent, why in self._false.items():
                if atom not in self._true and covers(absent, atom, self._parameters):
                    return f"needs {write_bare(atom)}, which {why}"
        return ""

    def _present(self, negative: list[Atom]) -> str:
        for absent in negative:
            for atom, why in self._true.items():
                if covers(absent, atom, self._parameters):
                    return f"needs not {write_bare(absent)}, but {why} {write_bare(atom)}"
        return ""

    def _two_of_one(self, verb: str, atoms: list[Atom]) -> str:
        found = find_functional_conflict(self._true, self._relations)
        if found is None:
            return ""
        new = next((atom for atom in found[:2] if atom in atoms), found[1])
        old = found[0] if new is found[1] or new == found[1] else found[1]
        return (
            f"{verb} {write_bare(new)}, but {self._true[old]} {write_bare(old)}, and "
            f"{new.predicate} is functional in {found[2]} (at most one each)"
        )


def _bind(atom: Atom, bound: Mapping[str, str]) -> Atom:
    """The atom over the chunk's parameters; an existential variable gets a name of its own."""
    names = (t.name for t in atom.arguments if isinstance(t, Variable))
    return Atom(atom.predicate, tuple(Variable(bound.get(name, f"?{name}")) for name in names))
