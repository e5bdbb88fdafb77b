# SPDX-License-Identifier: Apache-2.0
"""Which matches of a constraint's pattern a step has brought about.

A match that is new uses a tuple that the step added, since elements and their types stay. So it is
enough to look from each added tuple, whatever the size of the state. (The tests compare this with
all matches before and after.)
"""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.cset import Instance, Morphism, find_homs


def newly_matched(
    pattern: Instance, after: Instance, added: Iterable[tuple[str, int, tuple[int, ...]]]
) -> list[str]:
    """What matches after a step and did not before it, in words.

    Args:
        pattern: of a constraint.
        after: the state after the step.
        added: (relation, id, legs) of each tuple that the step added.
    """
    found: dict[str, None] = {}
    for relation, id_, _ in added:
        for row in pattern.tuples(relation):
            for match in find_homs(pattern, after, initial={row: id_}):
                found[_bindings(match)] = None
    return list(found)


def _bindings(match: Morphism) -> str:
    pattern, target = match.source, match.target
    return ", ".join(
        f"{pattern.name_of(element)} = {target.name_of(match.mapping[element])}"
        for element in pattern.all_elements()
    )
