# SPDX-License-Identifier: Apache-2.0
"""Identifications: what the new elements of a condition's pattern may be, after some steps."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.sequences.frame import Frame
from fcp_ros.cset.sequences.known_state import CompositionError
from fcp_ros.cset.sequences.pattern_draft import Key, Legs
from fcp_ros.cset.sequences.run_names import RunNames

Assignment: TypeAlias = dict[int, Key]
"""A key for elements of the pattern."""

# With more ways than these a composite would have conditions that nobody could read.
_MOST = 500


def partitions(
    pattern: Instance, frame: Frame, base: Mapping[int, Key], names: RunNames, *, monic: bool
) -> Iterator[Assignment]:
    """Every way to say which new elements are the same as which others.

    Args:
        pattern: the condition's pattern.
        frame: where it is to be found.
        base: the keys of what the pattern extends.
        names: for keys of elements that are like no others.
        monic: whether no two elements of the pattern may be the same.

    Raises:
        CompositionError: there are too many.
    """
    extras = [element for element in pattern.all_elements() if element not in base]
    known = [key for key in frame.after.types if not (monic and key in base.values())]

    def assign(chosen: Assignment, fresh: list[Key]) -> Iterator[Assignment]:
        if len(chosen) == len(extras):
            yield {**base, **chosen}
            return
        extra = extras[len(chosen)]
        for key in [*known, *fresh]:
            same = key in chosen.values()
            if not (monic and same) and may_be(pattern, extra, frame, key):
                yield from assign({**chosen, extra: key}, fresh)
        new = names.key()
        yield from assign({**chosen, extra: new}, [*fresh, new])

    for number, assignment in enumerate(assign({}, [])):
        if number == _MOST:
            raise _too_many()
        yield assignment


def choices(pattern: Instance, frame: Frame, base: Mapping[int, Key]) -> list[Assignment]:
    """Every way to say which new elements and tuples are what the steps created or wrote to.

    What is assigned is that, and what its tuples lead to; the rest is left open.

    Raises:
        CompositionError: there are too many.
    """
    found: list[Assignment] = [dict(base)]
    for relation in pattern.schema.relations:
        for row, legs in pattern.tuples(relation.name).items():
            if row in base:
                continue
            changed = frame.changed(pattern.attributes(row))
            for key, (name, images) in frame.after.tuples.items():
                if name == relation.name and key in changed:
                    tried = [_with_legs(pattern, frame, a, legs, images) for a in found]
                    found = _checked([*found, *(one for one in tried if one is not None)])
    for element in pattern.all_elements():
        changed = frame.changed(pattern.attributes(element))
        for key in frame.after.types:
            if key in changed and may_be(pattern, element, frame, key):
                more = [{**a, element: key} for a in found if element not in a]
                found = _checked([*found, *more])
    return found


def may_be(pattern: Instance, element: int, frame: Frame, key: Key) -> bool:
    """Whether an element of the pattern may be one of the frame, as far as types tell."""
    known = frame.after.types.get(key)
    if known is None:
        return True
    wanted = pattern.type_of(element)
    if key in frame.created:
        return pattern.schema.is_subtype(known, wanted)
    return bool(pattern.schema.subtypes(known) & pattern.schema.subtypes(wanted))


def _with_legs(
    pattern: Instance, frame: Frame, known: Assignment, legs: Legs, images: Legs
) -> Assignment | None:
    extended = dict(known)
    for leg, image in zip(legs, images, strict=True):
        if extended.setdefault(leg, image) != image or not may_be(pattern, leg, frame, image):
            return None
    return extended


def _checked(found: list[Assignment]) -> list[Assignment]:
    distinct = {frozenset(assignment.items()): assignment for assignment in found}
    if len(distinct) > _MOST:
        raise _too_many()
    return list(distinct.values())


def _too_many() -> CompositionError:
    return CompositionError(f"a condition can come about in more than {_MOST} ways")
