# SPDX-License-Identifier: Apache-2.0
"""The reader of PDDL problem files: sections to a `ProblemText`.

Objects and initial facts are checked against the domain in the pass that reads them: a problem may
have 100,000 facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NoReturn

from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.domain_file import (
    check_object_types,
    check_sections,
    declare_objects,
    find_only_part,
    note_repeated,
    read_constraints,
)
from fcp_ros.domain.pddl.formulas import FormulaReader, is_number
from fcp_ros.domain.pddl.source_text import PddlError, Source, describe_arity
from fcp_ros.domain.pddl.syntax_writer import write_list
from fcp_ros.foundation.s_expressions import SList, part_offsets, preview
from fcp_ros.foundation.wording import list_names, suggest_name

SECTIONS = (
    ":domain",
    ":requirements",
    ":objects",
    ":init",
    ":goal",
    ":constraints",
    ":metric",
    ":length",
)
_FACT = "write facts as (predicate object ...), and costs as (= (function object ...) 2)"

Facts = Mapping[str, frozenset[tuple[str, ...]]]
Values = Mapping[str, Mapping[tuple[str, ...], Fraction]]


def read_problem(
    source: Source, domain: pddl.DomainText, domain_source: Source
) -> pddl.ProblemText:
    """Read a problem file.

    `domain_source`: the domain file, for the spelling of its constants. Raises UnsupportedPddl for
    a part that has no place in the syntax tree. Raises PddlError for a mistake, with its line.
    """
    check_sections(source, SECTIONS, "problem")
    head = source.head
    assert head is not None, "the head has been checked"
    types = dict(domain.types)
    objects, repeated = _read_objects(source, domain, types)
    domain = replace(domain, types=types)
    init = _InitReader(source, domain, objects)
    facts, values = init.read()
    given = source.section(":domain")
    wanted = " ".join(str(word) for word in (given or ())[1:])
    spelt = {**_read_spelling(domain_source, ":constants"), **_read_spelling(source, ":objects")}
    return pddl.ProblemText(
        name=str(head[1]),
        domain=wanted,
        objects=tuple(objects.values()),
        facts=facts,
        values=values,
        goal=_read_goal(source),
        metric=_read_metric(source),
        constraints=_read_constraints(source),
        spelling={name: spelt.get(name, name) for name in objects},
        types=types,
        notes=(
            *_note_domain(source, given, wanted, domain),
            *note_repeated(source, repeated, "objects"),
            *init.list_notes(),
        ),
    )


def _note_domain(
    source: Source, given: SList | None, wanted: str, domain: pddl.DomainText
) -> tuple[Diagnostic, ...]:
    """Make the remark that the problem is for a domain of another name, if it is."""
    if given is None or wanted == domain.name:
        return ()
    message = f"the problem is for the domain {wanted}, and the domain file is {domain.name}"
    return (source.note(given.start, message, "check that the files belong together"),)


def _read_spelling(source: Source, section_name: str) -> dict[str, str]:
    """Find the first spelling of each name of a section; empty without capitals."""
    section = source.section(section_name)
    found: dict[str, str] = {}
    if section is None or source.text.startswith(
        source.code[section.start : section.end], section.start
    ):
        return found
    for name, offset in zip(section, part_offsets(source.code, section), strict=True):
        if isinstance(name, str):
            found.setdefault(name, source.spelling(offset, len(name)))
    return found


def _read_goal(source: Source) -> pddl.Formula:
    section = source.section(":goal")
    if section is None:
        fix = "add (:goal ...), the condition of the final state"
        raise source.error(0, "the problem has no goal", fix)
    place = find_only_part(source, section, "(:goal (on a b))")
    return FormulaReader(source).read_formula(section[place], section, place)


def read_condition(source: Source) -> pddl.Formula:
    """Read a text that consists of one condition. Raises PddlError if it is none."""
    body = source.body
    return FormulaReader(source).read_formula(body, SList([], 0, len(source.text)), 0)


def _read_constraints(source: Source) -> pddl.Formula:
    section = source.section(":constraints")
    return read_constraints(FormulaReader(source), section) if section else pddl.TRUE


def _read_metric(source: Source) -> pddl.Metric | None:
    section = source.section(":metric")
    if section is None:
        return None
    example = "(:metric minimize (total-cost))"
    if len(section) != 3 or section[1] not in ("minimize", "maximize"):
        raise source.error(section.start, f"{preview(section)} is not a metric", f"write {example}")
    value = FormulaReader(source).read_numeric(section[2], section, 2)
    return pddl.Metric(section[1] == "minimize", value, section.start)


# --- objects


def _read_objects(
    source: Source, domain: pddl.DomainText, types: dict[str, tuple[str, ...]]
) -> tuple[dict[str, pddl.Typed], list[pddl.Typed]]:
    """Read all objects by name, and those that are declared again, as constants may be."""
    # `types` grow by those of objects with several types.
    constants = sorted(domain.constants, key=lambda constant: constant.name)
    found = {constant.name: constant for constant in constants}
    section = source.section(":objects")
    if section is None:
        return found, []
    given = FormulaReader(source).read_typed(section, 1, "", "objects")
    check_object_types(source, given, types)
    return found, declare_objects(given, found, types)


# --- initial facts


class _InitReader:
    """Reads `:init`: ground atoms, values of functions, and negated atoms, which add nothing."""

    def __init__(
        self, source: Source, domain: pddl.DomainText, objects: Mapping[str, pddl.Typed]
    ) -> None:
        self._source = source
        self._domain = domain
        self._derived = domain.derived
        self._objects = objects
        self._types = {name: typed.types[0] for name, typed in objects.items()}
        # Equal names are one value: the lists hold a copy of each word.
        self._names = {name: name for name in objects}
        self._facts: dict[str, set[tuple[str, ...]]] = {}
        self._values: dict[str, dict[tuple[str, ...], Fraction]] = {}
        self._fitting: set[tuple[str, ...]] = set()
        self._negated: list[tuple[str, tuple[str, ...], int]] = []

    def read(self) -> tuple[Facts, Values]:
        """Read the facts that hold and the values of functions; other facts are false."""
        section = self._source.section(":init")
        if section is None:
            fix = "add (:init ...), the facts that hold initially"
            raise self._source.error(0, "the problem has no section :init", fix)
        for position in range(1, len(section)):
            node = section[position]
            if isinstance(node, str) or not node:
                raise self._refuse_fact(section, position)
            head = node[0]
            if head == "=":
                self._read_value(node)
            elif head == "not":
                self._read_negated(section, position, node)
            elif isinstance(head, SList):
                raise self._refuse_fact(section, position)
            elif head == "at" and self._is_timed(node):
                feature = "a timed initial literal"
                raise self._source.refusal(node.start, feature, "let an action bring it about")
            else:
                arguments = self._read_fact(section, position, head, node)
                self._facts.setdefault(head, set()).add(arguments)
        costs = self._values.get(pddl.TOTAL_COST)
        if costs is not None and len(costs) == 1 and costs.get(()) == 0:
            del self._values[pddl.TOTAL_COST]  # as if nothing was given
        return {name: frozenset(tuples) for name, tuples in self._facts.items()}, self._values

    @staticmethod
    def _is_timed(node: SList) -> bool:
        return len(node) == 3 and is_number(node[1]) and isinstance(node[2], SList)

    def _refuse_fact(self, section: SList, position: int) -> PddlError:
        at = self._source.offset_of(section, position)
        shown = preview(section[position], 40)
        return self._source.error(at, f"{shown!r} is not an initial fact", _FACT)

    def list_notes(self) -> Iterator[Diagnostic]:
        """List the remarks on what was read: atoms that are given with and without `not`."""
        both = [
            (predicate, arguments, at)
            for predicate, arguments, at in self._negated
            if arguments in self._facts.get(predicate, ())
        ]
        if both:
            names = dict.fromkeys(write_list(name, arguments) for name, arguments, _ in both)
            message = (
                "given both with and without `not` in the initial state, and taken to hold: "
                f"{list_names(names)}"
            )
            yield self._source.note(both[0][2], message, "remove one of the two")

    def _read_negated(self, section: SList, position: int, node: SList) -> None:
        """Read `(not (predicate object ...))`."""
        inner = node[1] if len(node) == 2 else ""
        if isinstance(inner, str) or not inner or not isinstance(inner[0], str):
            raise self._refuse_fact(section, position)
        if inner[0] != "=":
            arguments = self._read_fact(node, 1, inner[0], inner)
            self._negated.append((inner[0], arguments, node.start))

    def _read_fact(
        self, section: SList, position: int, predicate: str, node: SList
    ) -> tuple[str, ...]:
        legs = self._domain.predicates.get(predicate)
        if legs is None or len(legs) != len(node) - 1:
            self._refuse_predicate(section, position, predicate, len(node) - 1)
        if predicate in self._derived:
            message = f"{predicate} is given in the initial state, and is derived"
            at = self._source.offset_of(section, position)
            fix = "leave it out, or give the facts that it follows from"
            raise self._source.error(at, message, fix)
        arguments = self._read_arguments(node)
        types = (predicate, *[self._types[name] for name in arguments])
        if types not in self._fitting:
            self._check_types(node, predicate, arguments)
            self._fitting.add(types)
        return arguments

    def _read_arguments(self, node: SList) -> tuple[str, ...]:
        try:
            return tuple([self._names[word] for word in node[1:]])  # type: ignore[index]
        except (KeyError, TypeError):
            self._refuse_argument(node)

    def _read_value(self, node: SList) -> None:
        if len(node) != 3:
            message = f"{preview(node, 40)!r} is not an initial fact"
            raise self._source.error(node.start, message, _FACT)
        target = node[1]
        if isinstance(target, str):
            target = SList([target], node.start, node.end)
        function = FormulaReader(self._source).read_name(target, 0, "a function")
        known = {pddl.TOTAL_COST: (), **self._domain.functions}  # which needs no declaration
        if function not in known:
            fix = suggest_name(function, known)
            raise self._source.error(node.start, f"unknown function {function}", fix)
        given = len(target) - 1
        if len(known[function]) != given:
            message = describe_arity(function, len(known[function]), given)
            fix = "give as many as it is declared with"
            raise self._source.error(node.start, message, fix)
        arguments = self._read_arguments(target)
        if not is_number(node[2]):
            message = f"{preview(node[2])!r} is not a finite number"
            at = self._source.offset_of(node, 2)
            raise self._source.error(at, message, "write a number, such as 2 or 0.5")
        value = FormulaReader(self._source).read_number(node, 2)
        if self._values.setdefault(function, {}).setdefault(arguments, value) != value:
            message = f"{preview(target)} has two values"
            raise self._source.error(node.start, message, "keep one of them")

    def _refuse_predicate(
        self, section: SList, position: int, predicate: str, given: int
    ) -> NoReturn:
        known = self._domain.predicates
        at = self._source.offset_of(section, position)
        if predicate not in known:
            message = f"unknown predicate {predicate} in the initial state"
            raise self._source.error(at, message, suggest_name(predicate, known))
        message = describe_arity(predicate, len(known[predicate]), given)
        raise self._source.error(at, message, "give as many as it is declared with")

    def _check_types(self, node: SList, predicate: str, arguments: Iterable[str]) -> None:
        legs = self._domain.predicates[predicate]
        for position, (name, leg) in enumerate(zip(arguments, legs, strict=True)):
            type_ = self._types[name]
            if not pddl.is_below((type_,), leg.types, self._domain.types):
                wanted = " or ".join(leg.types)
                message = f"{name} is of type {type_}, where {predicate} takes {wanted}"
                at = self._source.offset_of(node, position + 1)
                raise self._source.error(at, message, "give it a type below that")

    def _refuse_argument(self, node: SList) -> NoReturn:
        for position in range(1, len(node)):
            name = node[position]
            if isinstance(name, SList):
                raise self._source.misplacement(node, position, _FACT)
            if name not in self._objects:
                fix = f"declare it under :objects; {suggest_name(name, self._objects)}"
                at = self._source.offset_of(node, position)
                raise self._source.error(at, f"unknown object {name}", fix)
        raise AssertionError("all arguments are objects")
