# SPDX-License-Identifier: Apache-2.0
"""The section `chunks` of a domain file: sequences of actions that belong together.

A step is read as an atom whose predicate is a rule. Then the chunk is run symbolically: its
parameters are different elements, as a rule's are, so two atoms that are written differently are
different tuples. Relations that an effect of a rule may change are forgotten, because the outcome
depends on the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    ExpressionError,
    Variable,
    list_variables,
)
from fcp_ros.domain.model import ActionRule, Chunk
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.atoms import (
    AtomReader,
    PredicateKind,
    covers,
    find_functional_conflict,
    write_bare,
)
from fcp_ros.domain.yaml.entries import ChunkEntry, DomainFile, RelationEntry
from fcp_ros.domain.yaml.rules import is_readable
from fcp_ros.domain.yaml.types import build_parameters, check_declarations, check_name

Step = tuple[str, tuple[str, ...]]
"""A rule and, for each of its parameters, a parameter of the chunk."""


def build_chunks(
    file: DomainFile, rules: Mapping[str, ActionRule], vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, Chunk]:
    """Build the chunks; report their faults."""
    reader = _ChunkReader(file, rules, vocabulary, report)
    return {name: reader.build(name, entry) for name, entry in file.chunks.items()}


class _ChunkReader:
    def __init__(
        self,
        file: DomainFile,
        rules: Mapping[str, ActionRule],
        vocabulary: Vocabulary,
        report: Diagnostics,
    ) -> None:
        self._file = file
        self._rules = rules
        self._vocabulary = vocabulary
        signatures = {name: rule.parameters for name, rule in rules.items()}
        self._actions = Vocabulary(vocabulary.parents, signatures, {})
        self._report = report

    def build(self, name: str, entry: ChunkEntry) -> Chunk:
        path: Path = ("chunks", name)
        report = self._report
        check_name(name, "chunk", path, report)
        if name in self._rules:
            report.add(path, f"{name} is a rule already", "rename the chunk")
        declared = (*path, "parameters")
        check_declarations(entry.parameters, "parameter", name, declared, self._vocabulary, report)
        if len(entry.steps) < 2:
            message = f"the chunk {name} has {len(entry.steps) or 'no'} step"
            report.add((*path, "steps"), message, "name two or more, such as pick(robot, item)")
        before = len(report.diagnostics)
        owner = f"chunk {name}"
        steps = AtomReader(self._actions, report, entry.parameters, owner)
        read = [
            self._read_step(name, steps, text, (*path, "steps", position))
            for position, text in enumerate(entry.steps)
        ]
        atoms = AtomReader(self._vocabulary, report, entry.parameters, owner)
        graded = atoms.read_atoms(entry.graded, PredicateKind.GRADED, (*path, "graded"))
        chunk = Chunk(
            name,
            build_parameters(entry.parameters),
            tuple(step for step in read if step is not None),
            graded,
        )
        if len(report.diagnostics) == before:
            self._check_use(chunk, path)
            if all(self._is_readable(rule) for rule, _ in chunk.steps):
                check_sequence(chunk, self._rules, self._file.relations, path, report)
        return chunk

    def _is_readable(self, rule: str) -> bool:
        return is_readable(self._rules[rule], self._file.rules[rule])

    def _read_step(self, chunk: str, reader: AtomReader, text: str, path: Path) -> Step | None:
        """Read a step, written like an atom; None if it is wrong."""
        atom = self._parse(chunk, text, path)
        if atom is not None:
            atom = reader.check_atom(atom, PredicateKind.RULE, text, path)
        if atom is None:
            return None
        bound = tuple(list_variables(atom))
        twice = next((name for name in bound if bound.count(name) > 1), None)
        if twice is not None:
            message = f"`{text}` in chunk {chunk} takes {twice} twice"
            fix = "different parameters of a rule are different things: name another one"
            self._report.add(path, message, fix)
            return None
        return atom.predicate, bound

    def _parse(self, chunk: str, text: str, path: Path) -> Atom | None:
        fix = "write a rule with its arguments, such as pick(robot, item)"
        try:
            expression = parse_expression(text)
        except ExpressionError as error:
            self._report.add(path, f"`{text}` in chunk {chunk}: {error.message}", fix)
            return None
        if isinstance(expression, Atom) and all(
            isinstance(term, Constant) for term in expression.arguments
        ):
            return expression
        message = f"`{text}` in chunk {chunk} is not a step over the chunk's parameters"
        self._report.add(path, message, fix)
        return None

    def _check_use(self, chunk: Chunk, path: Path) -> None:
        used = {name for _, bound in chunk.steps for name in bound}
        for parameter in chunk.parameters:
            if parameter.name not in used:
                message = f"parameter {parameter.name} of chunk {chunk.name} is used in no step"
                here = (*path, "parameters", parameter.name)
                self._report.add(here, message, "use it or drop it")


@dataclass(frozen=True)
class _Reason:
    """The reason for an atom to be known as true or false: a step and its verb."""

    step: int
    verb: str

    def __str__(self) -> str:
        return f"step {self.step + 1} {self.verb}"


# --- steps that can follow one another


def check_sequence(
    chunk: Chunk,
    rules: Mapping[str, ActionRule],
    relations: Mapping[str, RelationEntry],
    path: Path,
    report: Diagnostics,
) -> None:
    """Report the first step that can't follow those before it, with the reason."""
    run = _Run(frozenset(parameter.name for parameter in chunk.parameters), relations)
    for number, (name, bound) in enumerate(chunk.steps):
        rule = rules[name]
        problem = run.take(number, rule, dict(zip(rule.parameter_names, bound, strict=True)))
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
        self._true: dict[Atom, _Reason] = {}
        self._false: dict[Atom, _Reason] = {}  # with existential variables: nothing that fits

    def take(self, number: int, rule: ActionRule, bound: Mapping[str, str]) -> str:
        """Take a step; return the reason why it is impossible, or an empty text."""
        positive = [_bind(atom, bound) for atom in rule.positive()]
        negative = [_bind(atom, bound) for atom in rule.negative()]
        problem = self._find_missing(positive) or self._find_present(negative)
        if problem:
            return problem
        for atom in positive:
            self._true.setdefault(atom, _Reason(number, "needs"))
        for atom in negative:
            self._false.setdefault(atom, _Reason(number, "needs the absence of"))
        problem = self._find_conflict("needs", positive)
        if problem:
            return problem
        for atom in rule.delete:
            self._true.pop(_bind(atom, bound), None)
            self._false[_bind(atom, bound)] = _Reason(number, "deletes")
        added = [_bind(atom, bound) for atom in rule.add]
        for atom in added:
            self._true[atom] = _Reason(number, "adds")
            for absent in [x for x in self._false if covers(x, atom, self._parameters)]:
                del self._false[absent]
        problem = self._find_conflict("adds", added)
        changed = {
            atom.predicate for effect in rule.effects for atom in (*effect.add, *effect.delete)
        }
        self._true = {a: why for a, why in self._true.items() if a.predicate not in changed}
        self._false = {a: why for a, why in self._false.items() if a.predicate not in changed}
        return problem

    def _find_missing(self, positive: list[Atom]) -> str:
        for atom in positive:
            for absent, why in self._false.items():
                if atom not in self._true and covers(absent, atom, self._parameters):
                    return f"needs {write_bare(atom)}, which {why}"
        return ""

    def _find_present(self, negative: list[Atom]) -> str:
        for absent in negative:
            for atom, why in self._true.items():
                if covers(absent, atom, self._parameters):
                    return f"needs not {write_bare(absent)}, but {why} {write_bare(atom)}"
        return ""

    def _find_conflict(self, verb: str, atoms: list[Atom]) -> str:
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
    """Write the atom over the chunk's parameters; existential variables keep theirs as `?name`."""
    terms = tuple(Variable(bound.get(name, f"?{name}")) for name in list_variables(atom))
    return Atom(atom.predicate, terms)
