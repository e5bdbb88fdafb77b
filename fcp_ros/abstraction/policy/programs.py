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
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

from fcp_ros.abstraction.features.expressions import ConceptExpression, Feature, collect_names
from fcp_ros.abstraction.features.parser import ExpressionReader
from fcp_ros.abstraction.qnp.problem import FrozenMapping
from fcp_ros.abstraction.states.novelty import WIDTHS
from fcp_ros.abstraction.states.state import StateVocabulary
from fcp_ros.foundation.wording import suggest_name

WORDS = frozenset(["while", "lower", "if", "else", "not", "and", "search"])
"""Words of the language: a rule of that name is written in double quotes."""
_PLAIN_NAME = re.compile(r"[^\W\d][\w.\-]*")


@dataclass(frozen=True, slots=True)
class ConcreteStep:
    """One action; `constraints` are the concepts that its parameters must lie in."""

    rule: str
    constraints: Mapping[str, ConceptExpression] = field(default_factory=FrozenMapping)

    def __post_init__(self) -> None:
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
        object.__setattr__(self, "features", FrozenMapping(self.features))
        object.__setattr__(self, "programs", FrozenMapping(self.programs))

    @property
    def names(self) -> frozenset[str]:
        """The names of the vocabulary that features and programs use."""
        features = (feature.names for feature in self.features.values())
        programs = (list_names(program) for program in self.list_programs())
        return frozenset[str]().union(*features, *programs)

    def list_programs(self) -> Iterator[Program]:
        for programs in self.programs.values():
            yield from programs


# --- the text of programs, read; errors point at the character and say what to write


MAX_LENGTH = 10_000
"""Longest accepted text (characters)."""
MARKS = "(),:;{}"
MAX_DEPTH = 20
"""Deepest accepted nesting of loops and branches."""

_WIDTH = re.compile(r"\s*([0-9]{1,3})\b")

Signatures = Mapping[str, Collection[str]]
"""The parameters of each rule."""


def parse_program(
    text: str,  # such as `sail(to: some(inverse(goal.at), on)); debark()`
    features: Mapping[str, Feature] | None = None,  # may be named in tests instead of written out
    # its names are the only ones allowed in concepts; None: all are
    vocabulary: StateVocabulary | None = None,
    # the rules that there are; None: any rule may have any parameter
    signatures: Signatures | None = None,
) -> Program:
    """Read a program (the syntax is in `programs`).

    Raises FeatureSyntaxError if the text is no program; the message says where and what to do.
    """
    return _ProgramReader(text, features or {}, vocabulary, signatures).read()


class _ProgramReader(ExpressionReader):
    def __init__(
        self,
        text: str,
        features: Mapping[str, Feature],
        vocabulary: StateVocabulary | None,
        signatures: Signatures | None,
    ) -> None:
        super().__init__(text, vocabulary, MARKS)
        self._features = features
        self._signatures = signatures
        self._blocks = 0

    def read(self) -> Program:
        if len(self.text) > MAX_LENGTH:
            self._fail(f"the program has more than {MAX_LENGTH:,} characters", 0)
        program = self._read_statements()
        token, start = self._look()
        if token:
            self._fail(f"`{token}` is not expected here; statements are joined by `;`", start)
        return program

    def _read_statements(self) -> Program:
        statements = [self._read_statement()]
        while self._look()[0] == ";":
            self._skip()
            if self._look()[0] in ("", "}"):
                break
            statements.append(self._read_statement())
        return tuple(statements)

    def _read_statement(self) -> ProgramStatement:
        token, start = self._look()
        if token == "while":
            self._skip()
            return WhileLoop(self._read_test(), self._read_block())
        if token == "lower":
            self._skip()
            return LowerLoop(self._read_number(), self._read_block())
        if token == "if":
            self._skip()
            test, body = self._read_test(), self._read_block()
            if self._look()[0] != "else":
                return IfBranch(test, body)
            self._skip()
            return IfBranch(test, body, self._read_block())
        if token == "search":
            return self._read_search()
        if not token or token in MARKS or token in WORDS:
            found = f"`{token}`" if token else "the end"
            self._fail(f"an action is missing before {found}, such as move(to: goal.at)", start)
        return self._read_step()

    def _read_search(self) -> NoveltySearch:
        self._skip()
        match = _WIDTH.match(self.text, self.offset)
        if match is None or int(match.group(1)) not in WIDTHS:
            self._fail("the width of a search is missing: write search 1 or search 2", self.offset)
        self.offset = match.end()
        return NoveltySearch(int(match.group(1)))

    def _read_block(self) -> Program:
        start = self._expect("{", "the statements of a loop or branch stand in braces")
        self._blocks += 1
        if self._blocks > MAX_DEPTH:
            self._fail(f"nested more than {MAX_DEPTH} deep", start)
        body = self._read_statements()
        self._expect("}", "it closes the braces")
        self._blocks -= 1
        return body

    # --- steps

    def _read_step(self) -> ConcreteStep:
        start = self._look()[1]
        rule = self._read_word("a rule")
        if self._signatures is not None and rule not in self._signatures:
            self._fail(f"no rule `{rule}`; {suggest_name(rule, self._signatures)}", start)
        self._expect("(", f"a step is written {rule}(parameter: concept, ...) or {rule}()")
        constraints: dict[str, ConceptExpression] = {}
        if self._look()[0] != ")":
            self._read_constraint(rule, constraints)
            while self._look()[0] == ",":
                self._skip()
                self._read_constraint(rule, constraints)
        self._expect(")", f"it closes `{rule}(`")
        return ConcreteStep(rule, constraints)

    def _read_constraint(self, rule: str, constraints: dict[str, ConceptExpression]) -> None:
        start = self._look()[1]
        parameter = self._read_word("a parameter")
        known = None if self._signatures is None else self._signatures[rule]
        if known is not None and parameter not in known:
            self._fail(f"`{rule}` has no parameter `{parameter}`; it has {', '.join(known)}", start)
        if parameter in constraints:
            self._fail(f"`{parameter}` is there twice; join its concepts with and(...)", start)
        self._expect(":", "a concept is given to a parameter with a colon")
        constraints[parameter] = self.read_concept()

    # --- tests

    def _read_test(self) -> FeatureTest:
        literals = [self._read_literal()]
        while self._look()[0] == "and":
            self._skip()
            literals.append(self._read_literal())
        return FeatureTest(tuple(literals))

    def _read_literal(self) -> tuple[Feature, bool]:
        wanted = self._look()[0] != "not"
        if not wanted:
            self._skip()
        return self._read_tested(), wanted

    def _read_number(self) -> Feature:
        start = self._look()[1]
        feature = self._read_tested()
        if feature.is_boolean:
            self._fail(f"`lower` takes a number; {feature.text} is true or false", start)
        return feature

    def _read_tested(self) -> Feature:
        """Read the name of a feature, or a feature that is written out."""
        token, start = self._look()
        end = start + len(token)
        if not self.text[end:].lstrip().startswith("("):
            if token not in self._features:
                hint = f"; {suggest_name(token, self._features)}" if self._features else ""
                self._fail(f"no feature `{token}`; write any(C) or count(C){hint}", start)
            self.offset = end
            return self._features[token]
        return self.read_feature()

    # --- tokens

    def _read_word(self, what: str) -> str:
        token, start = self._look()
        if not token or token in MARKS:
            found = f"`{token}`" if token else "the end"
            self._fail(f"{what} is missing before {found}", start)
        self._skip()
        return self._unquote(token, start)
