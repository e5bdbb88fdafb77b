# SPDX-License-Identifier: Apache-2.0
"""The lists of a problem file (objects, initial facts, costs): long, flat, and read in one pass."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import NoReturn

from fcp_ros.domain.pddl.check import is_below
from fcp_ros.domain.pddl.errors import PddlError, UnsupportedPddl
from fcp_ros.domain.pddl.source import Section, Source, words
from fcp_ros.domain.pddl.syntax import ROOT, DomainText, ProblemText, Typed
from fcp_ros.foundation.wording import suggest_name

_NAME = re.compile(r"[a-z][\w-]*\Z", re.ASCII)
_WRITTEN = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_HEAD = re.compile(r"\(\s*define\s*\(\s*problem\s+([^\s()]+)\s*\)")
_TOTAL_COST_ONLY = re.compile(r"\s*minimize\s+(\(\s*total-cost\s*\)|total-cost)\s*\Z")
_TOTAL_TIME_ONLY = re.compile(r"\s*minimize\s+(\(\s*total-time\s*\)|total-time)\s*\Z")
_ELEMENT = re.compile(
    r"\s*(?:\(\s*(?P<predicate>[^\s()=]+)(?P<arguments>[^()]*)\)"
    r"|\(\s*not\s*\([^()]*\)\s*\)"
    r"|\(\s*=\s*(?:\(\s*(?P<function>[^\s()]+)(?P<given>[^()]*)\)|(?P<bare>[^\s()]+))"
    r"\s+(?P<value>[^\s()]+)\s*\))"
)

Facts = Mapping[str, frozenset[tuple[str, ...]]]
Values = Mapping[str, Mapping[tuple[str, ...], float]]


def read_problem(source: Source, domain: DomainText, domain_source: Source) -> ProblemText:
    """Everything in a problem file but its goal.

    Arguments:
        source: the problem file.
        domain: what the domain file says.
        domain_source: the domain file, for the spelling of its constants.

    Raises:
        PddlError: a mistake, with its line.
    """
    head = _HEAD.search(source.code)
    if head is None:
        raise PddlError(
            source.file,
            1,
            "the file does not begin with `(define (problem name)`",
            "give the domain file first, and then the problem file",
        )
    objects = _objects(source, domain)
    facts, values = _Initial(source, domain, objects).read()
    spelt = {**_spelling(domain_source, objects), **_spelling(source, objects)}
    return ProblemText(
        name=head.group(1),
        domain=source.inside(":domain").strip(),
        objects=tuple(objects.values()),
        facts=facts,
        values=values,
        minimises_cost=_minimises_cost(source),
        spelling={name: spelt.get(name, name) for name in objects},
    )


def _spelling(source: Source, objects: Mapping[str, Typed]) -> dict[str, str]:
    """How the file first spells each object."""
    found: dict[str, str] = {}
    for section in source.sections:
        if section.name in (":objects", ":constants"):
            for written in _WRITTEN.findall(source.text, section.start, section.end):
                lower = written.lower()
                if lower in objects:
                    found.setdefault(lower, written)
    return found


def _minimises_cost(source: Source) -> bool:
    section = source.section(":metric")
    if section is None:
        return False
    if _TOTAL_TIME_ONLY.match(source.inside(":metric")):
        return False  # the length of the plan, where nothing has a duration
    if not _TOTAL_COST_ONLY.match(source.inside(":metric")):
        raise UnsupportedPddl(
            source.file,
            source.line(section.start),
            "a metric other than (total-cost)",
            "write (:metric minimize (total-cost)), or drop it",
        )
    return True


# --- objects


def _objects(source: Source, domain: DomainText) -> dict[str, Typed]:
    found = {constant.name: constant for constant in domain.constants}
    section = source.section(":objects")
    if section is None:
        return found
    waiting: list[str] = []
    separated = False
    for word in words(source.inside(":objects")):
        if separated:
            type_ = _object_type(source, section, word, domain)
            for name in waiting:
                _declare(source, section, found, Typed(name, (type_,)))
            waiting, separated = [], False
        elif word == "-":
            separated = True
        elif _NAME.match(word):
            waiting.append(word)
        else:
            fix = "name objects by letters, digits, - and _, and write types as `- type`"
            _wrong(source, section, word, f"{word!r} can't stand among the objects", fix)
    for name in waiting:
        _declare(source, section, found, Typed(name, (ROOT,)))
    return found


def _object_type(source: Source, section: Section, word: str, domain: DomainText) -> str:
    if word == "(":
        raise UnsupportedPddl(
            source.file,
            source.line_of("either", after=section.start),
            "an object of either of several types",
            "declare a type that is below them",
        )
    known = {ROOT, *domain.types, *domain.types.values()}
    if word not in known:
        fix = f"the types are {', '.join(sorted(known))}"
        _wrong(source, section, word, f"unknown type {word!r}", fix)
    return word


def _declare(source: Source, section: Section, found: dict[str, Typed], new: Typed) -> None:
    # A constant of the domain may be said again, as long as it has the same type.
    if found.setdefault(new.name, new) != new:
        message = f"{new.name!r} is declared twice, with different types"
        _wrong(source, section, new.name, message, "rename one of them")


def _wrong(source: Source, section: Section, word: str, message: str, fix: str) -> NoReturn:
    line = source.line_of(word, after=section.start) if word not in ("(", ")") else None
    raise PddlError(source.file, line or source.line(section.start), message, fix)


# --- initial facts


class _Initial:
    """The section `:init`: ground atoms, values of functions, and negated atoms (ignored)."""

    def __init__(self, source: Source, domain: DomainText, objects: Mapping[str, Typed]) -> None:
        self._source = source
        self._domain = domain
        self._objects = objects
        self._arities = {name: len(typed) for name, typed in domain.predicates.items()}
        self._facts: dict[str, set[tuple[str, ...]]] = {}
        self._values: dict[str, dict[tuple[str, ...], float]] = {}
        self._fitting: set[tuple[str, ...]] = set()
        self._start = 0

    def read(self) -> tuple[Facts, Values]:
        """What holds, and what functions are worth; what is not said is false, or has no value."""
        section = self._source.section(":init")
        if section is None:
            fix = "add (:init ...): what holds at first"
            raise PddlError(self._source.file, 1, "the problem has no section :init", fix)
        code = self._source.inside(":init")
        self._start = self._source.code.index(":init", section.start) + len(":init")
        position = 0
        while found := _ELEMENT.match(code, position):
            if found["predicate"] is not None:
                self._fact(found)
            elif found["value"] is not None:
                self._value(found)
            position = found.end()
        rest = code[position:].strip()
        if rest:
            position = code.index(rest[0], position)
            shown = rest.split("\n")[0][:40]
            fix = "write facts as (predicate object ...), and costs as (= (function object ...) 2)"
            raise self._error(position, f"{shown!r} is no initial fact", fix)
        return {name: frozenset(tuples) for name, tuples in self._facts.items()}, self._values

    def _fact(self, found: re.Match[str]) -> None:
        predicate, arguments = found["predicate"], tuple(found["arguments"].split())
        if self._arities.get(predicate) != len(arguments):
            self._refuse_predicate(found, predicate, len(arguments))
        if not all(map(self._objects.__contains__, arguments)):
            self._refuse_object(found, arguments)
        types = (predicate, *[self._objects[name].types[0] for name in arguments])
        if types not in self._fitting:
            self._check_types(found, predicate, arguments)
            self._fitting.add(types)
        self._facts.setdefault(predicate, set()).add(arguments)

    def _value(self, found: re.Match[str]) -> None:
        function = found["function"] or found["bare"]
        arguments = tuple((found["given"] or "").split())
        if function == "total-cost":
            return
        arity = self._domain.functions.get(function)
        if arity is None:
            fix = suggest_name(function, self._domain.functions)
            raise self._error(found.end() - 1, f"unknown function {function}", fix)
        if arity != len(arguments):
            message = f"{function} takes {arity} arguments, not {len(arguments)}"
            raise self._error(found.end() - 1, message, "give as many as it is declared with")
        if not all(map(self._objects.__contains__, arguments)):
            self._refuse_object(found, arguments)
        value = _number(found["value"])
        if value is None:
            message = f"{found['value']!r} is no finite number"
            raise self._error(found.end() - 1, message, "write a number, such as 2 or 0.5")
        self._values.setdefault(function, {})[arguments] = value

    def _refuse_predicate(self, found: re.Match[str], predicate: str, given: int) -> NoReturn:
        arity = self._arities.get(predicate)
        if arity is None:
            message = f"unknown predicate {predicate} in the initial state"
            fix = suggest_name(predicate, self._arities)
        else:
            message = f"{predicate} takes {arity} arguments, not {given}"
            fix = "give as many as it is declared with"
        raise self._error(found.end() - 1, message, fix)

    def _check_types(
        self, found: re.Match[str], predicate: str, arguments: tuple[str, ...]
    ) -> None:
        for name, leg in zip(arguments, self._domain.predicates[predicate], strict=True):
            types = self._objects[name].types
            if not is_below(types, leg.types, self._domain.types):
                wanted = " or ".join(leg.types)
                message = f"{name} is of type {types[0]}, where {predicate} takes {wanted}"
                raise self._error(found.end() - 1, message, "give it a type below that")

    def _refuse_object(self, found: re.Match[str], arguments: tuple[str, ...]) -> NoReturn:
        unknown = next(name for name in arguments if name not in self._objects)
        fix = f"declare it under :objects; {suggest_name(unknown, self._objects)}"
        raise self._error(found.end() - 1, f"unknown object {unknown}", fix)

    def _error(self, offset: int, message: str, fix: str) -> PddlError:
        line = self._source.line(self._start + offset)
        return PddlError(self._source.file, line, message, fix)


def _number(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
