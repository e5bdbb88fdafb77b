# SPDX-License-Identifier: Apache-2.0
"""Which relations are worth deriving from geometry: those that a schema has words for."""

from __future__ import annotations

from collections.abc import Iterable

from fcp_ros.cset import Schema
from fcp_ros.scene.relations.options import ON_REQUEST, RelationOptions


def relation_options_for(schema: Schema, also: Iterable[str] = ()) -> RelationOptions:
    """The usual options, with what a schema declares among what is derived on request.

    Args:
        schema: The domain's.
        also: What else to derive, out of ``ON_REQUEST``.

    Raises:
        SceneError: ``also`` has an unknown name.
    """
    declared = {relation.name for relation in schema.relations if len(relation.legs) == 2}
    declared |= {attribute.name for attribute in schema.attributes}
    return RelationOptions(also=frozenset(declared.intersection(ON_REQUEST).union(also)))
