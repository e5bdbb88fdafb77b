# SPDX-License-Identifier: Apache-2.0
"""The section `chunks` of a domain file: sequences of actions that belong together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fcp_ros.domain.diagnostics import Diagnostics, Path, article
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import Atom, ExpressionError, Text, Variable
from fcp_ros.domain.model import ActionRule, Chunk, Parameter
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
from fcp_ros.domain.yaml.types import check_name, check_type
from fcp_ros.foundation.wording import suggest_name

Step = tuple[str, tuple[str, ...]]
"""Rule name, and a parameter of the chunk for each of the rule's."""


def build_chunks(
    file: DomainFile,
    rules: Mapping[str, ActionRule],
    vocabulary: Vocabulary,
    report: Diagnostics,
) -> dict[str, Chunk]:
    """All chunks that can be read; what is wrong goes into the report."""
    reader = _ChunkReader(file, rules, vocabulary, report)
    return {name: reader.chunk(name, entry) for name, entry in file.chunks.items()}


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
        self._report = report

    def chunk(self, name: str, entry: ChunkEntry) -> Chunk:
        path: Path = ("chunks", name)
        report = self._report
        check_name(name, "chunk", path, report)
        if name in self._rules:
            report.add(path, f"{name} is a rule already", "rename the chunk")
        for parameter, type_ in entry.parameters.items():
            here = (*path, "parameters", parameter)
            check_name(parameter, "parameter", here, report)
            check_type(type_, self._vocabulary, here, report, f"parameter {parameter} of {name}")
        if len(entry.steps) < 2:
            message = f"the chunk {name} has {len(entry.steps) or 'no'} step"
            report.add((*path, "steps"), message, "name two or more, such as pick(robot, item)")
        before = len(report.diagnostics)
        read = [
            self._read_step(name, entry, text, (*path, "steps", position))
            for position, text in enumerate(entry.steps)
        ]
        atoms = AtomReader(self._vocabulary, report, entry.parameters, f"chunk {name}")
        graded = atoms.atoms(entry.graded, PredicateKind.GRADED, (*path, "graded"))
        chunk = Chunk(
            name,
            tuple(Parameter(p, t) for p, t in entry.parameters.items()),
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

    def _read_step(self, chunk: str, entry: ChunkEntry, text: str, path: Path) -> Step | None:
        """A step, written like an atom; None if it is wrong."""
        atom = self._parse(chunk, text, path)
        if atom is None:
            return None
        rule = self._rules.get(atom.predicate)
        if rule is None:
            message = f"unknown rule {atom.predicate} in chunk {chunk}"
            self._report.add(path, message, suggest_name(atom.predicate, self._rules))
            return None
        if len(atom.arguments) != len(rule.parameters):
            shape = f"{rule.name}({', '.join(rule.parameter_names)})"
            message = (
                f"`{text}` in chunk {chunk}: {rule.name} takes {len(rule.parameters)} arguments, "
                f"not {len(atom.arguments)}"
            )
            self._report.add(path, message, f"write {shape}")
            return None
        bound: list[str] = []
        for term, parameter in zip(atom.arguments, rule.parameters, strict=True):
            name = None if isinstance(term, Text) else term.name
            if name is None or not self._fits(chunk, entry, name, parameter, text, path):
                return None
            if name in bound:
                message = f"`{text}` in chunk {chunk} takes {name} twice"
                fix = "different parameters of a rule are different things: name another one"
                self._report.add(path, message, fix)
                return None
            bound.append(name)
        return rule.name, tuple(bound)

    def _parse(self, chunk: str, text: str, path: Path) -> Atom | None:
        fix = "write a rule with its arguments, such as pick(robot, item)"
        try:
            expression = parse_expression(text)
        except ExpressionError as error:
            message = f"`{text}` in chunk {chunk}: {error.message}"
            self._report.add(path, message, fix)
            return None
        texts = isinstance(expression, Atom) and any(
            isinstance(term, (Text, Variable)) for term in expression.arguments
        )
        if not isinstance(expression, Atom) or texts:
            message = f"`{text}` in chunk {chunk} is not a step over the chunk's parameters"
            self._report.add(path, message, fix)
            return None
        return expression

    def _fits(
        self,
        chunk: str,
        entry: ChunkEntry,
        name: str,
        parameter: Parameter,
        text: str,
        path: Path,
    ) -> bool:
        type_ = entry.parameters.get(name)
        if type_ is None:
            message = f"unknown parameter {name} in `{text}` of chunk {chunk}"
            self._report.add(path, message, suggest_name(name, entry.parameters))
            return False
        known = self._vocabulary.parents
        if type_ not in known or parameter.type not in known:
            return True  # reported already
        if self._vocabulary.is_subtype(type_, parameter.type):
            return True
        wanted = article(parameter.type)
        message = f"`{text}` in chunk {chunk}: {name} is {article(type_)}, where {wanted} is needed"
        fix = f"give {name} a type that is {wanted}, or use another parameter"
        self._report.add(path, message, fix)
        return False

    def _check_use(self, chunk: Chunk, path: Path) -> None:
        used = {name for _, bound in chunk.steps for name in bound}
        for parameter in chunk.parameters:
            if parameter.name not in used:
                message = f"parameter {parameter.name} of chunk {chunk.name} is used in no step"
                here = (*path, "parameters", parameter.name)
                self._report.add(here, message, "use it or drop it")


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
