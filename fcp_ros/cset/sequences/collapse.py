# SPDX-License-Identifier: Apache-2.0
"""Collapsing patterns: making some of their elements the same as others."""

from collections.abc import Mapping

from fcp_ros.cset.instance.expressions import variables_of
from fcp_ros.cset.sequences.known_state import CompositionError
from fcp_ros.cset.sequences.pattern_draft import Built, Key, PatternDraft


class CannotTell(CompositionError):
    """Whether elements can be the same depends on values that are not known."""


def collapse(
    pattern: PatternDraft, same: Mapping[Key, Key]
) -> tuple[PatternDraft, dict[Key, Key]] | None:
    """The pattern with some elements made the same as others.

    Args:
        pattern: what to collapse.
        same: for some elements the ones that take their place.

    Returns:
        The collapsed pattern, and where each element and tuple has gone; None where the elements
        cannot be the same.

    Raises:
        CannotTell: whether they can depends on values that are not known.
    """
    goes = {key: same.get(key, key) for key in pattern.types}
    if not _close(pattern, goes):
        return None
    result = PatternDraft(pattern.schema)
    for key, type_ in pattern.types.items():
        image = goes[key]
        known = result.types.setdefault(image, pattern.types[image])
        result.names[image] = pattern.names[image]
        if pattern.schema.is_subtype(type_, known):
            result.types[image] = type_
        elif not pattern.schema.is_subtype(known, type_):
            return None
    for (function, element), target in pattern.functions.items():
        result.functions[function, goes[element]] = goes[target]
    for key, (relation, legs) in pattern.tuples.items():
        images = tuple([goes[leg] for leg in legs])
        found = result.find(relation, images)
        goes[key] = key if found is None else found
        result.tuples[goes[key]] = (relation, images)
    for (holder, attribute), value in pattern.values.items():
        known_value = result.values.setdefault((goes[holder], attribute), value)
        if known_value != value:
            if variables_of(known_value) or variables_of(value):
                raise CannotTell(
                    f"whether two elements are the same depends on their {attribute!r}, which are "
                    f"{known_value} and {value}: a condition cannot say so"
                )
            return None
    return result, goes


def projection(source: Built, target: Built, goes: Mapping[Key, Key]) -> dict[int, int]:
    """The ids of the collapsed pattern by those of the pattern."""
    return {id_: target.ids[goes[key]] for key, id_ in source.ids.items()}


def _close(pattern: PatternDraft, goes: dict[Key, Key]) -> bool:
    """Make values of functions the same where their arguments are; whether that is possible."""
    changed = True
    while changed:
        changed = False
        values: dict[tuple[str, Key], Key] = {}
        for (function, element), value in pattern.functions.items():
            image = goes[value]
            known = values.setdefault((function, goes[element]), image)
            if known == image:
                continue
            # What has been replaced already, or is the newer, gives way.
            old, new = sorted((known, image))
            if goes[new] != new:
                return False
            goes.update({key: old for key, to in goes.items() if to == new})
            changed = True
    return True
