# SPDX-License-Identifier: Apache-2.0
"""Declared objects and constants, each with all the types that it is declared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.pddl.syntax.source import Source
from fcp_ros.domain.pddl.syntax.tree import JOINT, Parents, Typed, list_ancestors, list_types
from fcp_ros.foundation.wording import list_names, suggest_name


def check_object_types(source: Source, given: Iterable[Typed], types: Parents) -> None:
    """Check that each declaration of an object names one declared type.

    Raises UnsupportedPddl for an object of either of several types. Raises PddlError for an unknown
    type.
    """
    known = frozenset(list_types(types))
    for typed in given:
        if len(typed.types) > 1:
            fix = "declare a type that is below them"
            raise source.refusal(typed.at, "an object of either of several types", fix)
        if typed.types[0] not in known:
            message = f"unknown type {typed.types[0]} of {typed.name}"
            raise source.error(typed.at, message, suggest_name(typed.types[0], known))


def declare_objects(
    given: Iterable[Typed], known: dict[str, Typed], types: dict[str, tuple[str, ...]]
) -> list[Typed]:
    """Add declared objects to the known ones by name; return those that were known already.

    An object that is declared with several types is of all of them, as the passengers of IPC-2000's
    elevators are: it gets a type of its own below them. `types`: the parents of each type, which
    grow.
    """
    repeated: list[Typed] = []
    for typed in given:
        first = known.setdefault(typed.name, typed)
        if first is not typed:
            repeated.append(typed)
            known[typed.name] = replace(first, types=(_meet((*first.types, *typed.types), types),))
    return repeated


def note_repeated(source: Source, repeated: Sequence[Typed], kind: str) -> tuple[Diagnostic, ...]:
    """Make the remark that objects are declared more than once, if any are."""
    if not repeated:
        return ()
    names = list_names(dict.fromkeys(typed.name for typed in repeated))
    message = f"declared more than once among the {kind}, and of all declared types: {names}"
    return (source.note(repeated[0].at, message, "keep one declaration, or rename one of them"),)


def _meet(several: Iterable[str], types: dict[str, tuple[str, ...]]) -> str:
    """Return the type of an object that is of several types, adding it where there is none."""
    plain = {one for type_ in several for one in (types[type_] if JOINT in type_ else (type_,))}
    above = {up for type_ in plain for up in list_ancestors(type_, types) if up != type_}
    lowest = tuple(sorted(plain - above))
    name = JOINT.join(lowest)
    if len(lowest) > 1:
        types[name] = lowest
    return name
