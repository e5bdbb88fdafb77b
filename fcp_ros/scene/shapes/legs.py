# SPDX-License-Identifier: Apache-2.0
"""Furniture whose box is open below: a table's box holds what stands between its legs."""

from functools import lru_cache

from fcp_ros.foundation.labels import label_forms

OPEN_BELOW = frozenset({"table", "desk", "stool", "workbench", "trestle"})
"""Labels of furniture on legs with a flat top; the last words of a label count."""


@lru_cache(maxsize=16_384)
def stands_on_legs(category: str) -> bool:
    """Whether things can stand in the lower half of such a box without being inside anything."""
    return any(form in OPEN_BELOW for form in label_forms(category))
