# SPDX-License-Identifier: Apache-2.0
"""The text of programs, read; errors point at the character and say what to write."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import NoReturn

from fcp_ros.abstraction.features.expressions import ConceptExpression
from fcp_ros.abstraction.features.feature import Feature
from fcp_ros.abstraction.features.parser import ExpressionReader, FeatureSyntaxError
from fcp_ros.abstraction.refinement.programs import (
    WORDS,
    ConcreteStep,
    FeatureTest,
    IfBranch,
    LowerLoop,
    NoveltySearch,
    Program,
    ProgramStatement,
    WhileLoop,
)
from fcp_ros.abstraction.states.novelty import WIDTHS
from fcp_ros.abstraction.states.vocabulary import StateVocabulary
from fcp_ros.foundation.wording import suggest_name

MAX_LENGTH = 10_000
"""Longest accepted text (characters)."""
MAX_DEPTH = 20
"""Deepest accepted nesting of loops and branches."""

_TOKEN = re.compile(r'\s*(?:([^\W\d][\w.\-]*)|("(?:[^"\\\n]|\\.)*")|([(),:;{}])|(\Z)|(.))', re.S)

_WIDTH = re.compile(r"\s*([0-9]{1,3})\b")

Signatures = Mapping[str, Collection[str]]
"""The parameters of each rule."""


def parse_program(
    text: str,
    features: Mapping[str, Feature] | None = None,
    vocabulary: StateVocabulary | None = None,
    signatures: Signatures | None = None,
) -> Program:
    """Read a program (the syntax is in `programs`).

    Args:
        text: such as `sail(to: some(inverse(goal.at), on)); debark()`.
        features: may be named in tests instead of written out.
        vocabulary: its names are the only ones allowed in concepts; None: all are.
        signatures: the rules that there are; None: any rule may have any parameter.

    Raises:
        FeatureSyntaxError: the text is no program; the message says where and what to do.
    """
    return _ProgramReader(text, features or {}, vocabulary, signatures).read()


class _ProgramReader:
    def __init__(
        self,
        text: str,
        features: Mapping[str, Feature],
        vocabulary: StateVocabulary | None,
        signatures: Signatures | None,
    ) -> None:
        self._text = text
        self._features = features
        self._signatures = signatures
        self._expressions = ExpressionReader(text, vocabulary)
        self._offset = 0
        self._depth = 0

    def read(self) -> Program:
        """Read the whole text."""
        if len(self._text) > MAX_LENGTH:
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
        if not token or token in "(),:;{}" or token in WORDS:
            found = f"`{token}`" if token else "the end"
            self._fail(f"an action is missing before {found}, such as move(to: goal.at)", start)
        return self._read_step()

    def _read_search(self) -> NoveltySearch:
        self._skip()
        match = _WIDTH.match(self._text, self._offset)
        if match is None or int(match.group(1)) not in WIDTHS:
            self._fail("the width of a search is missing: write search 1 or search 2", self._offset)
        self._offset = match.end()
        return NoveltySearch(int(match.group(1)))

    def _read_block(self) -> Program:
        start = self._expect("{", "the statements of a loop or branch stand in braces")
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"nested more than {MAX_DEPTH} deep", start)
        body = self._read_statements()
        self._expect("}", "it closes the braces")
        self._depth -= 1
        return body

    # --- steps

    def _read_step(self) -> ConcreteStep:
        start = self._look()[1]
        rule = self._read_name("a rule")
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
        parameter = self._read_name("a parameter")
        known = None if self._signatures is None else self._signatures[rule]
        if known is not None and parameter not in known:
            self._fail(f"`{rule}` has no parameter `{parameter}`; it has {', '.join(known)}", start)
        if parameter in constraints:
            self._fail(f"`{parameter}` is there twice; join its concepts with and(...)", start)
        self._expect(":", "a concept is given to a parameter with a colon")
        self._expressions.offset = self._offset
        constraints[parameter] = self._expressions.read_concept()
        self._offset = self._expressions.offset

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
        return self._read_feature(), wanted

    def _read_number(self) -> Feature:
        start = self._look()[1]
        feature = self._read_feature()
        if feature.is_boolean:
            self._fail(f"`lower` takes a number; {feature.text} is true or false", start)
        return feature

    def _read_feature(self) -> Feature:
        """Read the name of a feature, or a feature that is written out."""
        token, start = self._look()
        end = start + len(token)
        if not self._text[end:].lstrip().startswith("("):
            if token not in self._features:
                hint = f"; {suggest_name(token, self._features)}" if self._features else ""
                self._fail(f"no feature `{token}`; write any(C) or count(C){hint}", start)
            self._offset = end
            return self._features[token]
        self._expressions.offset = start
        feature = self._expressions.read_feature()
        self._offset = self._expressions.offset
        return feature

    # --- tokens

    def _read_name(self, what: str) -> str:
        token, start = self._look()
        if not token or token in "(),:;{}":
            found = f"`{token}`" if token else "the end"
            self._fail(f"{what} is missing before {found}", start)
        self._skip()
        if not token.startswith('"'):
            return token
        try:
            name: str = json.loads(token)
        except ValueError:
            self._fail("words in double quotes may use only the escapes of JSON", start)
        return name

    def _expect(self, wanted: str, hint: str) -> int:
        token, start = self._look()
        if token != wanted:
            found = f"before `{token}`" if token else "at the end"
            self._fail(f"`{wanted}` is missing {found}: {hint}", start)
        self._skip()
        return start

    def _look(self) -> tuple[str, int]:
        """Return the next token, which is empty at the end, and its offset."""
        match = _TOKEN.match(self._text, self._offset)
        assert match is not None  # the last alternative takes any character
        kind = match.lastindex or 0
        if kind == 5:
            token, hint = match.group(5), "a name starts with a letter, or stands in double quotes"
            if token == '"':
                hint = "the quotes are never closed"
            self._fail(f"`{token}` is not expected here; {hint}", match.start(5))
        return match.group(kind), match.start(kind)

    def _skip(self) -> None:
        token, start = self._look()
        self._offset = start + len(token)

    def _fail(self, message: str, offset: int) -> NoReturn:
        raise FeatureSyntaxError(f"{message}.", self._text, offset)
