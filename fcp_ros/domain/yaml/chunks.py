# SPDX-License-Identifier: Apache-2.0
"""The section `chunks` of a domain file: sequences of actions that belong together."""

from __future__ import annotations

from collections.abc import Mapping

from fcp_ros.domain.diagnostics import Diagnostics, Path, article
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import Atom, ExpressionError, Text, Variable
from fcp_ros.domain.model import ActionRule, Chunk, Parameter
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.atoms import AtomReader, PredicateKind
from fcp_ros.domain.yaml.chunk_checks import check_sequence
from fcp_ros.domain.yaml.entries import ChunkEntry, DomainFile
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
