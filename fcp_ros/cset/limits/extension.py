# SPDX-License-Identifier: Apache-2.0
"""Morphisms from where they send generators: all else follows along functions and legs."""

from collections import deque

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.limits.errors import LimitError


def extend(source: Instance, target: Instance, mapping: dict[int, int]) -> None:
    """Extend a partial map to all that functions and legs lead to, and to tuples between them.

    Whether the result is a morphism is for the caller to check.

    Args:
        source: where the map starts.
        target: where it ends.
        mapping: images by id; completed here.

    Raises:
        LimitError: an image has no value for a function that it needs, or there is no tuple where
            the image of one must be.
    """
    queue = deque(mapping)
    while queue:
        id_ = queue.popleft()
        values, images = _values(source, id_), _values(target, mapping[id_])
        for step, value in values.items():
            if step not in images:
                raise LimitError(
                    f"{source.name_of(id_)!r} cannot be sent to {target.name_of(mapping[id_])!r}, "
                    f"which has no {step!r}"
                )
            if value not in mapping:
                mapping[value] = images[step]
                queue.append(value)
    for relation in source.schema.relations:
        for row, legs in source.relation_table(relation.name).rows.items():
            if row not in mapping and all(leg in mapping for leg in legs):
                found = target.find_tuple(relation.name, tuple([mapping[leg] for leg in legs]))
                if found is None:
                    names = ", ".join(target.name_of(mapping[leg]) for leg in legs)
                    raise LimitError(
                        f"{source.name_of(row)} would be sent to {relation.name}({names}), "
                        "which is not there"
                    )
                mapping[row] = found


def _values(instance: Instance, id_: int) -> dict[str, int]:
    """The values of all functions at an element, or the legs of a tuple."""
    type_ = instance.type_of(id_)
    schema = instance.schema
    if schema.has_relation(type_):
        legs = instance.relation_table(type_).rows[id_]
        return {leg: e for (leg, _), e in zip(schema.relation(type_).legs, legs, strict=True)}
    return {f.name: instance.apply(f.name, id_) for f in schema.functions_of(type_)}
