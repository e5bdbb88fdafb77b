# SPDX-License-Identifier: Apache-2.0
"""Things that appear while a plan for a relaxed goal runs, and make it strict again."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.foundation.wording import list_names

_QUOTED = re.compile(r'"([^"]+)"')
_VARIABLE = re.compile(r"\?(\w+): (\w+)")


class ArrivalWatch:
    """Notices things of a kind that a goal asked for and did not find.

    `originals`: the parts of the goal that were relaxed, as `Relaxation.original` has them: a kind
    of thing, or a condition in the goal language. `planned_from`: the state that the relaxed plan
    was made for.
    """

    def __init__(self, originals: Iterable[str], planned_from: Instance) -> None:
        self._labels = frozenset(label for text in originals for label in _list_kinds(text))
        self._known = self._find_things(planned_from)

    def find_arrival(self, present: Instance) -> str:
        """Return a sentence if something that was missing has appeared; empty if not."""
        arrived = self._find_things(present) - self._known
        if not arrived:
            return ""
        have = "has" if len(arrived) == 1 else "have"
        return f"{list_names(sorted(arrived))} {have} appeared, which the goal had to do without."

    def _find_things(self, instance: Instance) -> frozenset[str]:
        return frozenset(
            instance.name_of(element)
            for element in instance.all_elements()
            if any(is_a(instance, element, label) for label in self._labels)
        )


def _list_kinds(text: str) -> list[str]:
    """List the kinds that a text speaks of: labels, and types of variables without a label."""
    types = [kind for name, kind in _VARIABLE.findall(text) if f"is_a(?{name}, " not in text]
    return [text, *_QUOTED.findall(text), *types]
