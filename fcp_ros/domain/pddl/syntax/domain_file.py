# SPDX-License-Identifier: Apache-2.0
"""The reader of PDDL domain files: sections to a `DomainText`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fcp_ros.domain.pddl.syntax.formulas import FormulaReader
from fcp_ros.domain.pddl.syntax.source import PddlError, Source
from fcp_ros.domain.pddl.syntax.tree import (
    ROOT,
    TRUE,
    Conjunction,
    DomainText,
    Formula,
    PddlAction,
    Typed,
)
from fcp_ros.foundation.s_expressions import SList, preview
from fcp_ros.foundation.wording import suggest_name

SECTIONS = (
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":constraints",
    ":action",
)
_UNSUPPORTED = {
    ":durative-action": ("durative actions", "give durations in a YAML domain (docs/domain.md)"),
    ":derived": ("a derived predicate (axiom)", "let actions add and delete the predicate"),
    ":process": ("a process (PDDL+)", "describe what happens as actions"),
    ":event": ("an event (PDDL+)", "describe what happens as actions"),
    ":method": ("a method (HDDL)", "describe the task by a goal"),
    ":htn": ("a task network (HDDL)", "describe the task by a goal"),
    ":task": ("a task (HDDL)", "describe it as an action"),
}
_ACTION_KEYS = (":parameters", ":precondition", ":effect")


def check_sections(source: Source, known: tuple[str, ...], kind: str) -> None:
    """Check that a file consists of known sections, each once except actions.

    Raises:
        UnsupportedPddl: a section that this planner does not support, by name.
        PddlError: an unknown section, a section given twice, or a stray part.
    """
    seen: set[str] = set()
    for section in source.sections:
        name = section[0]
        assert isinstance(name, str), "sections begin with a word"
        if name in _UNSUPPORTED:
            raise source.refusal(section.start, *_UNSUPPORTED[name])
        if name not in known:
            message = f"unknown section {name} in a {kind} file"
            raise source.error(section.start, message, suggest_name(name, known))
        if name in seen and name != ":action":
            message = f"there are several sections {name}"
            raise source.error(section.start, message, "join them into one")
        seen.add(name)
    head = source.head
    if head is None or len(head) != 2 or head[0] != kind or not isinstance(head[1], str):
        other = "problem" if kind == "domain" else "domain"
        raise source.error(
            0,
            f"the file does not begin with `(define ({kind} name)`",
            f"give the domain file {'here' if kind == 'domain' else 'first'}, and the problem "
            f"file after it, not a {other} in its place",
        )
    sections = iter(source.sections)
    for position in range(2, len(source.body)):
        if source.body[position] is not next(sections, None):
            wanted = f"write sections, such as {known[0]}, in parentheses"
            raise source.misplacement(source.body, position, wanted)


def read_domain(source: Source) -> DomainText:
    """Read a domain file; names are not looked up yet.

    Raises:
        UnsupportedPddl: a section or an effect that has no place in the syntax tree.
        PddlError: a mistake, with its line.
    """
    check_sections(source, SECTIONS, "domain")
    reader = _DomainReader(source)
    head = source.head
    assert head is not None, "the head has been checked"
    return DomainText(
        name=str(head[1]),
        types=reader.read_types(),
        constants=tuple(reader.read_constants()),
        predicates=reader.read_predicates(),
        functions=reader.read_functions(),
        actions=tuple(reader.read_actions()),
        constraints=reader.read_constraints(),
        requirements=reader.read_requirements(),
    )


class _DomainReader:
    """Reads the sections of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._formulas = FormulaReader(source)

    def read_requirements(self) -> tuple[str, ...]:
        section = self._source.section(":requirements")
        return tuple(word for word in section or () if isinstance(word, str))[1:]

    def read_types(self) -> dict[str, str]:
        """Read the parent of each type."""
        section = self._source.section(":types")
        found: dict[str, str] = {}
        for typed in self._formulas.read_typed(section, 1, "", "types") if section else ():
            parents = typed.types
            if len(parents) > 1:
                message = f"the type {typed.name} has several parents"
                raise self._source.error(typed.at, message, "keep one of them")
            parent = parents[0]
            if typed.name == ROOT and parent != ROOT:
                message = f"{ROOT} is the type of everything and can't be {parent}"
                raise self._source.error(typed.at, message, "leave it out")
            if parent == typed.name != ROOT:
                raise self._refuse_circle(typed.name, typed.at)
            # Some files name a type twice, first without a parent of its own.
            known = found.get(typed.name, ROOT)
            if ROOT not in (known, parent) and known != parent:
                message = (
                    f"the type {typed.name} is declared twice, below {known} and below {parent}"
                )
                raise self._source.error(typed.at, message, "keep one of them")
            if typed.name != ROOT:
                found[typed.name] = parent if known == ROOT else known
        self._check_circles(found, section)
        return found

    def _check_circles(self, types: Mapping[str, str], section: SList | None) -> None:
        """Check that no type is above itself."""
        for type_ in types:
            seen, current = {type_}, types.get(type_, ROOT)
            while current in types:
                if current in seen:
                    assert section is not None, "types come from the section"
                    at = self._source.offset_of(section, section.index(type_))
                    raise self._refuse_circle(type_, at)
                seen.add(current)
                current = types[current]

    def _refuse_circle(self, type_: str, at: int) -> PddlError:
        message = f"the type {type_} is above itself (a circle)"
        return self._source.error(at, message, "break the circle of types")

    def read_constants(self) -> Iterator[Typed]:
        section = self._source.section(":constants")
        seen: set[str] = set()
        for typed in self._formulas.read_typed(section, 1, "", "constants") if section else ():
            if typed.name in seen:
                message = f"the constant {typed.name} is declared twice (duplicate)"
                raise self._source.error(typed.at, message, "keep one of the declarations")
            seen.add(typed.name)
            yield typed

    def read_predicates(self) -> dict[str, tuple[Typed, ...]]:
        section = self._source.section(":predicates")
        found: dict[str, tuple[Typed, ...]] = {}
        for position in range(1, len(section or ())):
            assert section is not None, "an empty section has no parts"
            name, arguments = self._read_signature(section, position, "a predicate")
            if name in found:
                raise self._refuse_duplicate(section, position, f"predicates {name}")
            found[name] = arguments
        return found

    def read_functions(self) -> dict[str, tuple[Typed, ...]]:
        """Read the arguments of each function; `- number` may follow one function or several."""
        section = self._source.section(":functions")
        found: dict[str, tuple[Typed, ...]] = {}
        position = 1
        while section is not None and position < len(section):
            if section[position] == "-":
                if section[position + 1 : position + 2] != ["number"]:
                    raise self._source.refusal(
                        self._source.offset_of(section, position),
                        "a function whose value is an object",
                        "use a predicate with one more argument",
                    )
                position += 2
                continue
            name, arguments = self._read_signature(section, position, "a function")
            if name in found:
                raise self._refuse_duplicate(section, position, f"functions {name}")
            found[name] = arguments
            position += 1
        return found

    def _read_signature(
        self, section: SList, position: int, kind: str
    ) -> tuple[str, tuple[Typed, ...]]:
        """Read a name and its typed arguments."""
        node = section[position]
        if not isinstance(node, SList):
            wanted = f"write {kind} in parentheses, such as (on ?x ?y)"
            raise self._source.misplacement(section, position, wanted)
        if node[:1] == ["="]:
            message = "= is built in"
            raise self._source.error(node.start, message, "leave it out")
        name = self._formulas.read_name(node, 0, kind)
        return name, tuple(self._formulas.read_typed(node, 1, "?", "variables"))

    def _refuse_duplicate(self, section: SList, position: int, what: str) -> PddlError:
        at = self._source.offset_of(section, position)
        return self._source.error(at, f"there are several {what} (duplicate)", "rename one of them")

    def read_constraints(self) -> Formula:
        section = self._source.section(":constraints")
        return read_constraints(self._formulas, section) if section else TRUE

    # --- actions

    def read_actions(self) -> Iterator[PddlAction]:
        seen: set[str] = set()
        for section in self._source.sections:
            if section[0] == ":action":
                action = self._read_action(section)
                if action.name in seen:
                    message = f"there are several actions {action.name}"
                    raise self._source.error(section.start, message, "rename one of them")
                seen.add(action.name)
                yield action

    def _read_action(self, section: SList) -> PddlAction:
        formulas = self._formulas
        name = formulas.read_name(section, 1, "an action")
        given: dict[str, int] = {}
        for position in range(2, len(section), 2):
            key = section[position]
            value = section[position + 1] if position + 1 < len(section) else key
            if key not in _ACTION_KEYS or value in _ACTION_KEYS:
                raise self._refuse_key(section, position)
            if key in given:
                message = f"{key} is given twice in action {name}"
                at = self._source.offset_of(section, position)
                raise self._source.error(at, message, "keep one of them")
            given[str(key)] = position + 1
        place = given.get(":parameters")
        parameters = formulas.read_variables(section[place], section, place) if place else ()
        place = given.get(":precondition")
        condition = formulas.read_formula(section[place], section, place) if place else TRUE
        place = given.get(":effect")
        effects = formulas.read_effects(section[place], section, place) if place else ()
        at = self._source.offset_of(section, 1)
        spelling = self._source.spelling(at, len(name))
        return PddlAction(name, parameters, condition, effects, spelling, section.start)

    def _refuse_key(self, section: SList, position: int) -> PddlError:
        node = section[position]
        if node in _ACTION_KEYS:
            at = self._source.offset_of(section, position)
            return self._source.error(at, f"nothing follows {node}", "write it, or drop the key")
        fix = "write `:parameters`, `:precondition` or `:effect`"
        if isinstance(node, str) and node.startswith(":"):
            fix = f"{fix}; {suggest_name(node, _ACTION_KEYS)}"
        return self._source.misplacement(section, position, fix)


def read_constraints(formulas: FormulaReader, section: SList) -> Formula:
    """Read the section `:constraints` of a domain or a problem; several parts are joined."""
    parts = tuple(
        formulas.read_constraints(section[position], section, position)
        for position in range(1, len(section))
    )
    return parts[0] if len(parts) == 1 else Conjunction(parts, section.start)


def find_only_part(source: Source, section: SList, example: str) -> int:
    """Find the position of the only part of a section.

    Raises:
        PddlError: it has none, or several.
    """
    if len(section) == 2:
        return 1
    if len(section) < 2:
        raise source.error(section.start, f"the section {section[0]} is empty", f"write {example}")
    raise source.error(
        source.offset_of(section, 2),
        f"{preview(section[2])!r} can't stand here",
        f"write one part only, such as {example}",
    )
