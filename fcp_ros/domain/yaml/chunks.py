# SPDX-License-Identifier: Apache-2.0
"""The section `chunks` of a domain file: sequences of actions that belong together.

A step is read as an atom whose predicate is a rule.
"""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    ExpressionError,
    list_variables,
)
from fcp_ros.domain.model import ActionRule, Chunk
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.atoms import AtomReader, PredicateKind
from fcp_ros.domain.yaml.entries import ChunkEntry, DomainFile
from fcp_ros.domain.yaml.types import build_parameters, check_declarations, check_name

Step = tuple[str, tuple[str, ...]]
"""A rule and, for each of its parameters, a parameter of the chunk."""


def build_chunks(
    file: DomainFile, rules: Mapping[str, ActionRule], vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, Chunk]:
    """Build the chunks; report their faults."""
    reader = _ChunkReader(rules, vocabulary, report)
    return {name: reader.build(name, entry) for name, entry in file.chunks.items()}


class _ChunkReader:
    def __init__(
        self, rules: Mapping[str, ActionRule], vocabulary: Vocabulary, report: Diagnostics
    ) -> None:
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
        return chunk

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
