# SPDX-License-Identifier: Apache-2.0
"""The values of an attribute as numbers in an array, so that columns of ids can be looked up."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.tables import Column
from fcp_ros.cset.search.id_index import is_dense

UNSET = -1
"""The number of no value."""

_LOOK_UP = 4
"""An index is made when at least one in so many ids is asked for."""


class AttributeIndex:
    """Which value each element or tuple has.

    Attributes:
        values: the different values, in order of their numbers.
    """

    def __init__(self, table: Mapping[int, Any]) -> None:
        """The index of the values by id."""
        numbers: dict[Any, int] = {}
        ids = np.fromiter(table.keys(), np.int64, len(table))
        given = [numbers.setdefault(value, len(numbers)) for value in table.values()]
        greatest = int(ids.max(initial=0))
        self.values = list(numbers)
        self._ids: Column | None = None
        if is_dense(greatest, len(ids)):
            # One more place than the greatest id needs: where greater ones are looked up.
            self._numbers = np.full(greatest + 2, UNSET)
            self._numbers[ids] = given
        else:
            order = np.argsort(ids)
            self._ids, self._numbers = ids[order], np.array(given, dtype=np.int64)[order]

    def numbers_of(self, ids: Column) -> Column:
        """The number of the value of each id."""
        if self._ids is None:
            return self._numbers.take(ids, mode="clip")
        places = np.searchsorted(self._ids, ids)
        found = self._ids.take(places, mode="clip") == ids
        return np.where(found, self._numbers.take(places, mode="clip"), UNSET)


def attribute_index(target: Instance, attribute: str, asked: int) -> AttributeIndex | None:
    """The index of an attribute, made when enough is asked for; None as long as it is not worth it.

    Args:
        target: where the attribute is.
        attribute: its name.
        asked: how many ids are to be looked up.
    """
    kept = target.attribute_derived(attribute)
    found = kept.get("index")
    if found is None:
        table = target.attribute_table(attribute)
        if not table or asked * _LOOK_UP < len(table):
            return None
        found = kept["index"] = AttributeIndex(table)
    assert isinstance(found, AttributeIndex)
    return found
