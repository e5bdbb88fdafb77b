# SPDX-License-Identifier: Apache-2.0
"""Programs of concrete actions as values, and their text.

    program:   statement (; statement)*
    statement: rule(parameter: concept, ...) | while test { program } | lower feature { program }
               | if test { program } | if test { program } else { program } | search width
    test:      [not] feature (and [not] feature)*

A parameter without a concept may be any element that the rule allows. A test reads the state
where it is reached; a number is true if it is above 0. `lower` does its program until the number
is 0, and each time the number must be lower than before: `lower distance(...) { walk() }` takes a
shortest way. `search 1` does any steps, fewest first, as far as each makes some fact true for the
first time; `search 2` looks at pairs of facts (`states.novelty`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

from fcp_ros.abstraction.features.expressions import ConceptExpression, collect_names
from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.qnp.problem import FrozenMapping

WORDS = frozenset(["while", "lower", "if", "else", "not", "and", "search"])
"""Words of the language: a rule of that name is written in double quotes."""
_PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")


@dataclass(frozen=True, slots=True)
class ConcreteStep:
    """One action; `constraints` are the concepts that its parameters must lie in."""

    rule: str
    constraints: Mapping[str, ConceptExpression] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
        """Freeze the mapping."""
        object.__setattr__(self, "constraints", FrozenMapping(self.constraints))

    def __str__(self) -> str:
        inner = ", ".join(f"{_write_name(p)}: {c}" for p, c in self.constraints.items())
        return f"{_write_name(self.rule)}({inner})"


@dataclass(frozen=True, slots=True)
class FeatureTest:
    """Features that must all be true, or false where the second value is False."""

    literals: tuple[tuple[Feature, bool], ...]

    def __str__(self) -> str:
        return " and ".join(f"{'' if wanted else 'not '}{f.text}" for f, wanted in self.literals)


@dataclass(frozen=True, slots=True)
class WhileLoop:
    """A program that is done again as long as a test holds before it."""

    test: FeatureTest
    body: Program

    def __str__(self) -> str:
        return f"while {self.test} {{ {write_program(self.body)} }}"


@dataclass(frozen=True, slots=True)
class LowerLoop:
    """A program that is done until a number is 0, and lowers it each time."""

    feature: Feature
    body: Program

    def __str__(self) -> str:
        return f"lower {self.feature.text} {{ {write_program(self.body)} }}"


@dataclass(frozen=True, slots=True)
class IfBranch:
    """One of two programs, as a test says; the second one may be empty."""

    test: FeatureTest
    body: Program
    otherwise: Program = ()

    def __str__(self) -> str:
        text = f"if {self.test} {{ {write_program(self.body)} }}"
        return f"{text} else {{ {write_program(self.otherwise)} }}" if self.otherwise else text


@dataclass(frozen=True, slots=True)
class NoveltySearch:
    """Any steps that a search of this width finds (`states.novelty`)."""

    width: int

    def __str__(self) -> str:
        return f"search {self.width}"


ProgramStatement: TypeAlias = Union[  # noqa: UP007  (Python 3.10)
    ConcreteStep, WhileLoop, LowerLoop, IfBranch, NoveltySearch
]
Program: TypeAlias = tuple[ProgramStatement, ...]
"""Statements that are done one after the other."""


def write_program(program: Program) -> str:
    """Write a program; `program_parser.parse_program` reads it back as an equal value."""
    return "; ".join(map(str, program))


def list_steps(program: Program) -> Iterator[ConcreteStep]:
    """List the steps of a program, in the order of its text."""
    for statement in program:
        if isinstance(statement, ConcreteStep):
            yield statement
        elif isinstance(statement, WhileLoop | LowerLoop):
            yield from list_steps(statement.body)
        elif isinstance(statement, IfBranch):
            yield from list_steps((*statement.body, *statement.otherwise))


def list_tests(program: Program) -> Iterator[FeatureTest]:
    """List the tests of a program, in the order of its text; `lower` tests for more than 0."""
    for statement in program:
        if isinstance(statement, WhileLoop):
            yield statement.test
            yield from list_tests(statement.body)
        elif isinstance(statement, LowerLoop):
            yield FeatureTest(((statement.feature, True),))
            yield from list_tests(statement.body)
        elif isinstance(statement, IfBranch):
            yield statement.test
            yield from list_tests((*statement.body, *statement.otherwise))


def list_names(program: Program) -> frozenset[str]:
    """Return the names of the vocabulary that a program uses."""
    concepts = (c for step in list_steps(program) for c in step.constraints.values())
    features = (f for test in list_tests(program) for f, _ in test.literals)
    return frozenset[str]().union(*map(collect_names, concepts), *(f.names for f in features))


def _write_name(name: str) -> str:
    """Write the name of a rule or parameter, in double quotes if it isn't a plain one."""
    plain = _PLAIN_NAME.fullmatch(name) and name not in WORDS
    return name if plain else json.dumps(name, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class RefinementMapping:
    """The features behind the variables of a QNP, and the programs behind its actions."""

    # by the name of the variable; a boolean one has a boolean feature
    features: Mapping[str, Feature]
    # by the name of the abstract action; several are tried in their order
    programs: Mapping[str, tuple[Program, ...]]

    def __post_init__(self) -> None:
        """Freeze the mappings."""
        object.__setattr__(self, "features", FrozenMapping(self.features))
        object.__setattr__(self, "programs", FrozenMapping(self.programs))

    @property
    def names(self) -> frozenset[str]:
        """The names of the vocabulary that features and programs use."""
        features = (feature.names for feature in self.features.values())
        programs = (list_names(program) for program in self.list_programs())
        return frozenset[str]().union(*features, *programs)

    def list_programs(self) -> Iterator[Program]:
        """List the programs of all actions."""
        for programs in self.programs.values():
            yield from programs
