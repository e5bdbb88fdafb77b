# SPDX-License-Identifier: Apache-2.0
"""Changes in turn: the net change from the first state to the last."""

from fcp_ros.cset.instance.change import Change
from fcp_ros.cset.instance.instance import Instance


def in_turn(first: Change, second: Change, result: Instance) -> Change:
    """The change that two changes make, one after the other.

    A value that the second one sets back is still said to have changed.

    Args:
        first: from some state to another.
        second: from there on.
        result: the state after both.
    """
    created, deleted = set(first.created), set(second.deleted)
    added, removed = set(first.added), set(second.removed)
    functions = sorted({*first.functions, *second.functions})
    attributes = sorted({*first.attributes, *second.attributes})
    return Change(
        created=(*(e for e in first.created if e not in deleted), *second.created),
        deleted=tuple(sorted({*first.deleted, *(deleted - created)})),
        added=tuple(
            sorted({*(added - removed), *second.added} - set(first.removed), key=lambda t: t[1])
        ),
        removed=tuple(
            sorted({*first.removed, *(removed - added)} - set(second.added), key=lambda t: t[1])
        ),
        functions=tuple((name, id_) for name, id_ in functions if result.contains(id_)),
        attributes=tuple((name, id_) for name, id_ in attributes if result.contains(id_)),
    )
