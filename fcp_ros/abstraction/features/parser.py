# SPDX-License-Identifier: Apache-2.0
"""The text of features, concepts and roles; errors point at the character and say what to write.

    feature: flag(NAME) | any(C) | count(C) | distance(C, R, C)
    C:       NAME | top | not(C) | and(C, C, ...) | some(R, C) | all(R, C) | same(R, R)
    R:       NAME | inverse(R) | closure(R) | restrict(R, C) | and(R, R, ...) | chain(R, R, ...)
             | difference(R, R)

A name has letters, digits, `_`, `-` and `.`; any other stands in double quotes. Words of
constructors are names, too, where no parenthesis follows; only `top` needs quotes as a name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, NoReturn

from fcp_ros.abstraction.features.expressions import (
    TOP,
    AllConcept,
    AndConcept,
    AndRole,
    AnyFeature,
    ChainRole,
    ClosureRole,
    ConceptExpression,
    CountFeature,
    DifferenceRole,
    DistanceFeature,
    Feature,
    FlagFeature,
    InverseRole,
    NamedConcept,
    NamedRole,
    NotConcept,
    RestrictRole,
    RoleExpression,
    SameConcept,
    SomeConcept,
    Top,
)
from fcp_ros.abstraction.states.state import StateVocabulary
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import join_words, shorten_words, suggest_name

MAX_LENGTH = 10_000
"""Longest accepted text (characters)."""
MAX_DEPTH = 60
"""Deepest accepted nesting; keeps every recursion over expressions far from Python's limit."""

_NAME = r'([^\W\d][\w.\-]*)|("(?:[^"\\\n]|\\.)*")'
_ELSEWHERE = {
    "exists": "some",
    "forall": "all",
    "every": "all",
    "or": "not(and(not(...), not(...)))",
    "union": "not(and(not(...), not(...)))",
    "empty": "any (false where the concept is empty)",
    "nonempty": "any",
    "bool": "any",
    "num": "count",
    "equal": "same",
    "plus": "closure",
    "star": "closure",
    "intersection": "and",
    "compose": "chain",
    "minus": "difference",
    "set_minus": "difference",
}
"""Words of similar languages, with what stands for them here."""


class FeatureSyntaxError(InputError):
    """A text that is no feature, concept or role, or that uses names the vocabulary lacks.

    Args:
        message: one sentence: the fault and the fix.
        offset: 0-based position in `text` of the offending character.

    `str(error)` is the message, the line at fault and a caret below the character.
    """

    def __init__(self, message: str, text: str, offset: int) -> None:
        super().__init__(message, text, offset)
        self.message = message
        self.text = text
        self.offset = offset

    def __str__(self) -> str:
        start = self.text.rfind("\n", 0, self.offset) + 1
        line = self.text[start:].partition("\n")[0][:200]
        before = "".join("\t" if c == "\t" else " " for c in self.text[start : self.offset])
        return f"{self.message}\n  {line}\n  {before}^"


@dataclass(frozen=True, slots=True)
class _Kind:
    """Something that is read: a concept, a role, a flag or a feature."""

    name: str
    example: str


_CONCEPT = _Kind("a concept (a set of objects)", "some(at, top)")
_ROLE = _Kind("a role (pairs of objects)", "inverse(at)")
_FLAG = _Kind("a flag (a relation without legs)", "flag(empty)")
_FEATURE = _Kind("a feature", "count(some(at, top))")


@dataclass(frozen=True, slots=True)
class _Constructor:
    """A word with parentheses."""

    kinds: tuple[_Kind, ...]
    build: Callable[..., Any]
    is_repeated: bool = False  # True if more arguments of the last kind may follow

    def describe(self, word: str) -> str:
        """Return the form with its arguments, such as `some(R, C)`."""
        letters = {_CONCEPT: "C", _ROLE: "R", _FLAG: "NAME"}
        arguments = [letters[kind] for kind in self.kinds] + ["..."] * self.is_repeated
        return f"{word}({', '.join(arguments)})"


def _nest(build: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda *parts: reduce(build, parts)


_CONSTRUCTORS: Mapping[_Kind, Mapping[str, _Constructor]] = {
    _CONCEPT: {
        "not": _Constructor((_CONCEPT,), NotConcept),
        "and": _Constructor((_CONCEPT, _CONCEPT), _nest(AndConcept), is_repeated=True),
        "some": _Constructor((_ROLE, _CONCEPT), SomeConcept),
        "all": _Constructor((_ROLE, _CONCEPT), AllConcept),
        "same": _Constructor((_ROLE, _ROLE), SameConcept),
    },
    _ROLE: {
        "inverse": _Constructor((_ROLE,), InverseRole),
        "closure": _Constructor((_ROLE,), ClosureRole),
        "restrict": _Constructor((_ROLE, _CONCEPT), RestrictRole),
        "and": _Constructor((_ROLE, _ROLE), _nest(AndRole), is_repeated=True),
        "chain": _Constructor((_ROLE, _ROLE), _nest(ChainRole), is_repeated=True),
        "difference": _Constructor((_ROLE, _ROLE), DifferenceRole),
    },
    _FEATURE: {
        "flag": _Constructor((_FLAG,), FlagFeature),
        "any": _Constructor((_CONCEPT,), AnyFeature),
        "count": _Constructor((_CONCEPT,), CountFeature),
        "distance": _Constructor((_CONCEPT, _ROLE, _CONCEPT), DistanceFeature),
    },
    _FLAG: {},
}


def parse_feature(text: str, vocabulary: StateVocabulary | None = None) -> Feature:
    """Read a feature.

    `text`: such as `count(and(goal.served, not(served)))`. `vocabulary`: its names are the only
    ones allowed; None: all are. Raises FeatureSyntaxError if the text is no feature, or a name is
    unknown.
    """
    reader = ExpressionReader(text, vocabulary)
    feature = reader.read_feature()
    reader.expect_end()
    return feature


class ExpressionReader:
    """Reads expressions, one after the other; programs are read by a reader that knows more forms.

    `vocabulary`: its names are the only ones allowed; None: all are. `marks`: the signs that are
    words by themselves.
    """

    def __init__(
        self, text: str, vocabulary: StateVocabulary | None = None, marks: str = "(),"
    ) -> None:
        self.text = text
        self.offset = 0
        self._marks = marks
        self._token = re.compile(rf"\s*(?:{_NAME}|([{marks}])|(\Z)|(.))", re.DOTALL)
        self._depth = 0
        self._names: Mapping[_Kind, Iterable[str]] | None = None
        if vocabulary is not None:
            self._names = {
                _CONCEPT: frozenset(vocabulary.concepts),
                _ROLE: frozenset(vocabulary.roles),
                _FLAG: frozenset(vocabulary.flags),
            }

    def read_feature(self) -> Feature:
        """Read a feature. Raises FeatureSyntaxError if none stands there."""
        feature: Feature = self._read(_FEATURE)
        return feature

    def read_concept(self) -> ConceptExpression:
        """Read a concept. Raises FeatureSyntaxError if none stands there."""
        concept: ConceptExpression = self._read(_CONCEPT)
        return concept

    def read_role(self) -> RoleExpression:
        """Read a role. Raises FeatureSyntaxError if none stands there."""
        role: RoleExpression = self._read(_ROLE)
        return role

    def expect_end(self) -> None:
        """Check that nothing follows. Raises FeatureSyntaxError if something does."""
        token, start = self._look()
        if token:
            more = "one parenthesis too many" if token == ")" else "nothing may follow"
            self._fail(f"`{token}` is not expected here: {more}", start)

    def _read(self, kind: _Kind) -> Any:
        token, start = self._look()
        if len(self.text) > MAX_LENGTH:
            self._fail(f"the text has more than {MAX_LENGTH:,} characters", 0)
        if not token or token in self._marks:
            found = f"`{token}`" if token else "the end"
            self._fail(f"{kind.name} is missing before {found}, such as {kind.example}", start)
        self._skip()
        if self._look()[0] == "(" and not token.startswith('"'):
            return self._read_constructor(kind, token, start)
        return self._read_name(kind, token, start)

    def _read_constructor(self, kind: _Kind, word: str, start: int) -> Any:
        constructor = _CONSTRUCTORS[kind].get(word)
        if constructor is None:
            self._refuse_constructor(kind, word, start)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail(f"nested more than {MAX_DEPTH} deep", start)
        self._skip()
        arguments = [self._read(constructor.kinds[0])]
        while self._look()[0] == ",":
            if len(arguments) >= len(constructor.kinds) and not constructor.is_repeated:
                break
            self._skip()
            arguments.append(
                self._read(constructor.kinds[min(len(arguments), len(constructor.kinds) - 1)])
            )
        token, place = self._look()
        if len(arguments) < len(constructor.kinds) or token == ",":
            self._fail(f"`{word}` is written {constructor.describe(word)}", place)
        self._expect(")", f"it closes `{word}(`")
        self._depth -= 1
        return constructor.build(*arguments)

    def _refuse_constructor(self, kind: _Kind, word: str, start: int) -> NoReturn:
        for other, constructors in _CONSTRUCTORS.items():
            if word in constructors:
                form = constructors[word].describe(word)
                self._fail(f"{form} is {other.name}; here {kind.name} is needed", start)
        known = _CONSTRUCTORS[kind]
        if word in _ELSEWHERE:
            self._fail(f"there is no `{word}`; write {_ELSEWHERE[word]}", start)
        hint = suggest_name(word, known) if known else f"write a name, as in {kind.example}"
        self._fail(f"`{word}` makes no {kind.name.partition(' ')[2]}; {hint}", start)

    def _read_name(self, kind: _Kind, token: str, start: int) -> Any:
        if kind is _CONCEPT and token == TOP:
            return Top()
        if kind is _FEATURE:
            forms = [c.describe(word) for word, c in _CONSTRUCTORS[_FEATURE].items()]
            self._fail(f"a feature is written {join_words(forms, 'or')}", start)
        name = self._unquote(token, start)
        self._check_name(kind, name, start)
        return {_CONCEPT: NamedConcept, _ROLE: NamedRole, _FLAG: str}[kind](name)

    def _check_name(self, kind: _Kind, name: str, start: int) -> None:
        if self._names is None or name in self._names[kind]:
            return
        for other, names in self._names.items():
            if name in names:
                self._fail(f"`{name}` is {other.name}; here {kind.name} is needed", start)
        if name in _CONSTRUCTORS[kind]:
            form = _CONSTRUCTORS[kind][name].describe(name)
            self._fail(f"`{name}` is written {form}", start)
        hint = suggest_name(name, self._names[kind])
        self._fail(f"no {kind.name.split()[1]} `{name}`; {hint}", start)

    def _look(self) -> tuple[str, int]:
        """Return the next token, which is empty at the end, and its offset."""
        match = self._token.match(self.text, self.offset)
        assert match is not None  # the last alternative takes any character
        kind = match.lastindex or 0
        if kind == 5:
            token = match.group(5)
            hint = "; a name starts with a letter, or stands in double quotes"
            if token == '"':
                hint = "; the quotes are never closed"
            self._fail(f"`{token}` is not expected here{hint}", match.start(5))
        return match.group(kind), match.start(kind)

    def _skip(self) -> None:
        token, start = self._look()
        self.offset = start + len(token)

    def _expect(self, wanted: str, hint: str) -> int:
        """Skip a token; return its offset."""
        token, start = self._look()
        if token != wanted:
            found = f"before `{token}`" if token else "at the end"
            self._fail(f"`{wanted}` is missing {found}: {hint}", start)
        self._skip()
        return start

    def _unquote(self, token: str, start: int) -> str:
        """Return the name that a token writes."""
        if not token.startswith('"'):
            return token
        try:
            name: str = json.loads(token)
        except ValueError:
            self._fail("words in double quotes may use only the escapes of JSON", start)
        return name

    def _fail(self, message: str, offset: int) -> NoReturn:
        raise FeatureSyntaxError(shorten_words(f"{message}."), self.text, offset)
