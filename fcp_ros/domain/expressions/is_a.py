# SPDX-License-Identifier: Apache-2.0
"""The built-in crisp predicate is_a(element, "label"), in one place for everybody."""

from __future__ import annotations

from fcp_ros.cset import Instance
from fcp_ros.foundation.labels import label_forms, normalise_label

CATEGORY = "category"
"""The attribute that holds the label given by perception, where the schema has it."""


def is_a(instance: Instance, element: int, label: str) -> bool:
    """Decide whether an element goes by a label.

    Args:
        instance: the state.
        element: id of an element.
        label: such as "mug", "dining table", or the name of a type.

    Returns:
        True if the label (normalised as scene labels are) is the element's category, the last words
        of its category ("table" for a dining table), its type, or an ancestor of its type.
    """
    wanted = normalise_label(label)
    category = instance.attribute(element, CATEGORY)
    if isinstance(category, str) and wanted in label_forms(category):
        return True
    types = instance.schema.ancestors(instance.type_of(element))
    return any(wanted == normalise_label(type_) for type_ in types)
