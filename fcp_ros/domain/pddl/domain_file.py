# SPDX-License-Identifier: Apache-2.0
"""The reader of PDDL domain files: sections to a `DomainText`.

Declared objects and constants have all the types that they are declared with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter

from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.expressions.syntax import Atom, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.formulas import FormulaReader
from fcp_ros.domain.pddl.source_text import PddlError, Source
from fcp_ros.foundation.s_expressions import SList, preview
from fcp_ros.foundation.stopping import Check
from fcp_ros.foundation.wording import list_names, suggest_name


def check_object_types(source: Source, given: Iterable[pddl.Typed], types: pddl.Parents) -> None:
    """Check that each declaration of an object names one declared type.

    Raises UnsupportedPddl for an object of either of several types. Raises PddlError for an unknown
    type.
    """
    known = frozenset(pddl.list_types(types))
    for typed in given:
        if len(typed.types) > 1:
            fix = "declare a type that is below them"
            raise source.refusal(typed.at, "an object of either of several types", fix)
        if typed.types[0] not in known:
            message = f"unknown type {typed.types[0]} of {typed.name}"
            raise source.error(typed.at, message, suggest_name(typed.types[0], known))


def declare_objects(
    given: Iterable[pddl.Typed], known: dict[str, pddl.Typed], types: dict[str, tuple[str, ...]]
) -> list[pddl.Typed]:
    """Add declared objects to the known ones by name; return those that were known already.

    An object that is declared with several types is of all of them, as the passengers of IPC-2000's
    elevators are: it gets a type of its own below them. `types`: the parents of each type, which
    grow.
    """
    repeated: list[pddl.Typed] = []
    for typed in given:
        first = known.setdefault(typed.name, typed)
        if first is not typed:
            repeated.append(typed)
            known[typed.name] = replace(first, types=(_meet((*first.types, *typed.types), types),))
    return repeated


def note_repeated(
    source: Source, repeated: Sequence[pddl.Typed], kind: str
) -> tuple[Diagnostic, ...]:
    """Make the remark that objects are declared more than once, if any are."""
    if not repeated:
        return ()
    names = list_names(dict.fromkeys(typed.name for typed in repeated))
    message = f"declared more than once among the {kind}, and of all declared types: {names}"
    return (source.note(repeated[0].at, message, "keep one declaration, or rename one of them"),)


def _meet(several: Iterable[str], types: dict[str, tuple[str, ...]]) -> str:
    """Return the type of an object that is of several types, adding it where there is none."""
    plain = {
        one for type_ in several for one in (types[type_] if pddl.JOINT in type_ else (type_,))
    }
    above = {up for type_ in plain for up in pddl.list_ancestors(type_, types) if up != type_}
    lowest = tuple(sorted(plain - above))
    name = pddl.JOINT.join(lowest)
    if len(lowest) > 1:
        types[name] = lowest
    return name


SECTIONS = (
    ":requirements",
    ":types",
    ":constants",
    ":predicates",
    ":functions",
    ":constraints",
    ":derived",
    ":action",
)
_SEVERAL = (":action", ":derived")
"""The sections that a file may have several of."""
_UNSUPPORTED = {
    ":durative-action": ("durative actions", "give durations in a YAML domain (docs/domain.md)"),
    ":process": ("a process (PDDL+)", "describe what happens as actions"),
    ":event": ("an event (PDDL+)", "describe what happens as actions"),
    ":method": ("a method (HDDL)", "describe the task by a goal"),
    ":htn": ("a task network (HDDL)", "describe the task by a goal"),
    ":task": ("a task (HDDL)", "describe it as an action"),
}
_KINDS = ("domain", "problem")
_ACTION_KEYS = (":parameters", ":precondition", ":effect")


def check_sections(source: Source, known: tuple[str, ...], kind: str) -> None:
    """Check that a file is of its kind and consists of known sections, each once except `_SEVERAL`.

    Raises UnsupportedPddl for a section that this planner does not support, by name. Raises
    PddlError for another kind of file, an unknown section, a section given twice, or a stray part.
    """
    _check_head(source, kind)
    seen: set[str] = set()
    for section in source.sections:
        name = section[0]
        assert isinstance(name, str), "sections begin with a word"
        if name in _UNSUPPORTED and name not in known:
            raise source.refusal(section.start, *_UNSUPPORTED[name])
        if name not in known:
            message = f"unknown section {name} in a {kind} file"
            raise source.error(section.start, message, suggest_name(name, known))
        if name in seen and name not in _SEVERAL:
            message = f"there are several sections {name}"
            raise source.error(section.start, message, "join them into one")
        seen.add(name)
    sections = iter(source.sections)
    for position in range(2, len(source.body)):
        if source.body[position] is not next(sections, None):
            wanted = f"write sections, such as {known[0]}, in parentheses"
            raise source.misplacement(source.body, position, wanted)


def _check_head(source: Source, kind: str) -> None:
    """Check that a file begins as one of its kind does."""
    if source.kind in _KINDS and source.kind != kind:
        message = f"this file is a {source.kind}, and the {kind} was to be read from it"
        raise source.error(0, message, f"give the file that begins with `(define ({kind} name)`")
    head = source.head
    if head is None or len(head) != 2 or source.kind != kind or not isinstance(head[1], str):
        message = f"the file does not begin with `(define ({kind} name)`"
        raise source.error(0, message, f"give a PDDL {kind} file here")


def check_not_swapped(domain: Source, problem: Source) -> None:
    """Check that neither file was given in the place of the other.

    Raises PddlError if both were; or a file is no list.
    """
    if domain.kind == "problem" and problem.kind == "domain":
        message = f"the files are swapped: this one is a problem, and {problem.file} is its domain"
        raise domain.error(0, message, "give the domain first and the problem second")


def read_domain(source: Source, check: Check) -> pddl.DomainText:
    """Read a domain file; names are not looked up yet.

    Raises UnsupportedPddl for a section or an effect that has no place in the syntax tree. Raises
    PddlError for a mistake, with its line.
    """
    check_sections(source, SECTIONS, "domain")
    reader = _DomainReader(source)
    head = source.head
    assert head is not None, "the head has been checked"
    types = reader.read_types()
    constants, repeated = reader.read_constants(types)
    predicates = reader.read_predicates()
    return pddl.DomainText(
        name=str(head[1]),
        types=types,
        constants=constants,
        predicates=predicates,
        functions=reader.read_functions(),
        actions=tuple(reader.read_actions(check)),
        axioms=tuple(reader.read_axioms(predicates, check)),
        constraints=reader.read_constraints(),
        requirements=reader.read_requirements(),
        notes=note_repeated(source, repeated, "constants"),
    )


class _DomainReader:
    """Reads the sections of one file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._formulas = FormulaReader(source)

    def read_requirements(self) -> tuple[str, ...]:
        section = self._source.section(":requirements")
        return tuple(word for word in section or () if isinstance(word, str))[1:]

    def read_types(self) -> dict[str, tuple[str, ...]]:
        """Read the parents of each type: by `(either a b)`, or by naming the type several times."""
        section = self._source.section(":types")
        found: dict[str, dict[str, None]] = {}
        for typed in self._formulas.read_typed(section, 1, "", "types") if section else ():
            above = [parent for parent in typed.types if parent != pddl.ROOT]
            if typed.name == pddl.ROOT:
                if above:
                    message = f"{pddl.ROOT} is the type of everything and can't be {above[0]}"
                    raise self._source.error(typed.at, message, "leave it out")
                continue
            if typed.name in above:
                raise self._refuse_circle(typed.name, typed.at)
            found.setdefault(typed.name, {}).update(dict.fromkeys(above))
        types = {name: tuple(parents) or (pddl.ROOT,) for name, parents in found.items()}
        self._check_circles(types, section)
        return types

    def _check_circles(self, types: Mapping[str, tuple[str, ...]], section: SList | None) -> None:
        """Check that no type is above itself."""
        with suppress(CycleError):
            TopologicalSorter(types).prepare()
            return
        for type_, parents in types.items():
            if any(type_ in pddl.list_ancestors(parent, types) for parent in parents):
                assert section is not None, "types come from the section"
                at = self._source.offset_of(section, section.index(type_))
                raise self._refuse_circle(type_, at)

    def _refuse_circle(self, type_: str, at: int) -> PddlError:
        message = f"the type {type_} is above itself (a circle)"
        return self._source.error(at, message, "break the circle of types")

    def read_constants(
        self, types: dict[str, tuple[str, ...]]
    ) -> tuple[tuple[pddl.Typed, ...], list[pddl.Typed]]:
        """Read the constants, and those that are declared again; `types` grow by theirs."""
        section = self._source.section(":constants")
        given = self._formulas.read_typed(section, 1, "", "constants") if section else []
        times = Counter(typed.name for typed in given)
        several = [typed for typed in given if times[typed.name] > 1]
        check_object_types(self._source, several, types)
        found: dict[str, pddl.Typed] = {}
        repeated = declare_objects(given, found, types)
        return tuple(found.values()), repeated

    def read_predicates(self) -> dict[str, tuple[pddl.Typed, ...]]:
        section = self._source.section(":predicates")
        found: dict[str, tuple[pddl.Typed, ...]] = {}
        for position in range(1, len(section or ())):
            assert section is not None, "an empty section has no parts"
            name, arguments = self._read_signature(section, position, "a predicate")
            if name in found:
                raise self._refuse_duplicate(section, position, f"predicates {name}")
            found[name] = arguments
        return found

    def read_functions(self) -> dict[str, tuple[pddl.Typed, ...]]:
        """Read the arguments of each function; `- number` may follow one function or several."""
        section = self._source.section(":functions")
        found: dict[str, tuple[pddl.Typed, ...]] = {}
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
    ) -> tuple[str, tuple[pddl.Typed, ...]]:
        node = section[position]
        if not isinstance(node, SList):
            example = "(on ?x ?y)" if kind == "a predicate" else "(distance ?x ?y)"
            wanted = f"write {kind} in parentheses, such as {example}"
            raise self._source.misplacement(section, position, wanted)
        if node[:1] == ["="]:
            message = "= is built in"
            raise self._source.error(node.start, message, "leave it out")
        name = self._formulas.read_name(node, 0, kind)
        return name, tuple(self._formulas.read_typed(node, 1, "?", "variables"))

    def _refuse_duplicate(self, section: SList, position: int, what: str) -> PddlError:
        at = self._source.offset_of(section, position)
        return self._source.error(at, f"there are several {what} (duplicate)", "rename one of them")

    def read_constraints(self) -> pddl.Formula:
        section = self._source.section(":constraints")
        return read_constraints(self._formulas, section) if section else pddl.TRUE

    # --- axioms and actions

    def read_axioms(
        self, predicates: Mapping[str, tuple[pddl.Typed, ...]], check: Check
    ) -> Iterator[pddl.PddlAxiom]:
        """Read the sections `(:derived (predicate ?x - type) condition)`."""
        # A parameter without a type has the one with which the predicate is declared.
        source, formulas = self._source, self._formulas
        for section in source.sections:
            if section[0] != ":derived":
                continue
            check()
            if len(section) != 3 or not isinstance(section[1], SList):
                message = f"{preview(section)} does not define a predicate"
                fix = "write (:derived (predicate ?x - type) condition)"
                raise source.error(section.start, message, fix)
            head = section[1]
            name = formulas.read_name(head, 0, "a predicate")
            parameters = formulas.read_variables(head, section, 1, first=1)
            legs = predicates.get(name, ())
            if len(legs) == len(parameters):
                parameters = tuple(
                    replace(own, types=leg.types) if own.types == (pddl.ROOT,) else own
                    for own, leg in zip(parameters, legs, strict=True)
                )
            column = source.offset_of(head, 0) + 1
            atom = Atom(name, tuple(Variable(p.name, p.at + 1) for p in parameters), column)
            body = formulas.read_formula(section[2], section, 2)
            yield pddl.PddlAxiom(atom, parameters, body, section.start)

    def read_actions(self, check: Check) -> Iterator[pddl.PddlAction]:
        """Read the sections `:action`; no two of them have one name."""
        seen: set[str] = set()
        for section in self._source.sections:
            if section[0] == ":action":
                check()
                action = self._read_action(section)
                if action.name in seen:
                    message = f"there are several actions {action.name}"
                    raise self._source.error(section.start, message, "rename one of them")
                seen.add(action.name)
                yield action

    def _read_action(self, section: SList) -> pddl.PddlAction:
        formulas = self._formulas
        name, given = self._read_keys(section)
        place = given.get(":parameters")
        parameters = formulas.read_variables(section[place], section, place) if place else ()
        place = given.get(":precondition")
        condition = formulas.read_formula(section[place], section, place) if place else pddl.TRUE
        place = given.get(":effect")
        effects = formulas.read_effects(section[place], section, place) if place else ()
        at = self._source.offset_of(section, 1)
        spelling = self._source.spelling(at, len(name))
        return pddl.PddlAction(name, parameters, condition, effects, spelling, section.start)

    def _read_keys(self, section: SList) -> tuple[str, dict[str, int]]:
        """Read the name of an action, and where what follows each of its keys stands."""
        name = self._formulas.read_name(section, 1, "an action")
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
        return name, given

    def _refuse_key(self, section: SList, position: int) -> PddlError:
        node = section[position]
        if node in _ACTION_KEYS:
            at = self._source.offset_of(section, position)
            return self._source.error(at, f"nothing follows {node}", "write it, or drop the key")
        if node == ":vars":
            feature = "variables beside the parameters (:vars, of PDDL 1.2)"
            fix = "make them parameters, or bind them by `exists`"
            return self._source.refusal(self._source.offset_of(section, position), feature, fix)
        fix = f"write `{'`, `'.join(_ACTION_KEYS[:-1])}` or `{_ACTION_KEYS[-1]}`"
        if isinstance(node, str) and node.startswith(":"):
            fix = f"{fix}; {suggest_name(node, _ACTION_KEYS)}"
        return self._source.misplacement(section, position, fix)


def read_constraints(formulas: FormulaReader, section: SList) -> pddl.Formula:
    """Read the section `:constraints` of a domain or a problem; several parts are joined."""
    parts = tuple(
        formulas.read_constraints(section[position], section, position)
        for position in range(1, len(section))
    )
    return parts[0] if len(parts) == 1 else pddl.Conjunction(parts, section.start)


def find_only_part(source: Source, section: SList, example: str) -> int:
    """Find the position of the only part of a section.

    Raises PddlError if it has none, or several.
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
