# SPDX-License-Identifier: Apache-2.0
"""The types of elements that a limit pairs, and of elements that a colimit glues.

A morphism may send an element to one of a subtype. So an instance is a family of elements labelled
by types, and limits and colimits of such families follow bounds in the order of types, which are
its limits and colimits (Mac Lane, *Categories for the Working Mathematician*, chapter III). A
family may hold several elements over one tuple of a product: one for each connected component of
the common ancestors (a multilimit in the sense of Diers).
"""

from collections.abc import Iterable

from fcp_ros.cset.limits.diagrams import LimitError
from fcp_ros.cset.schema.schema import Schema, TypeName


def find_greatest_common_subtype(schema: Schema, types: Iterable[TypeName]) -> TypeName | None:
    """Find the type of an element that is glued from elements of these types.

    Args:
        schema: of the types; a relation counts as a type, and has no subtypes but itself.
        types: at least one.

    Returns:
        The common subtype that all the others are below, or None.
    """
    common = frozenset.intersection(*(schema.subtypes(type_) for type_ in types))
    return next((type_ for type_ in common if common <= schema.subtypes(type_)), None)


def find_least_common_ancestors(schema: Schema, types: Iterable[TypeName]) -> tuple[TypeName, ...]:
    """Find the types of a tuple of elements of these types in a product.

    One for each connected component of the common ancestors, in the order of the schema: a tuple of
    elements that are things, and by a second `is_a` unrelated to the first also customers, is in
    the product once as a thing and once as a customer.

    Args:
        schema: of the types; a relation counts as a type, and is its only ancestor.
        types: none means that all types of the schema are common ancestors.

    Returns:
        The least type of each component; nothing where there is no common ancestor.

    Raises:
        LimitError: a component has no least type; the message names its minimal ones.
    """
    above = [schema.ancestors(type_) for type_ in types]
    common = frozenset.intersection(*above) if above else frozenset(schema.types)
    found = [_find_least(schema, component) for component in components(schema, common)]
    order = list(schema.types)
    return tuple(sorted(found, key=order.index)) if len(found) > 1 else tuple(found)


def components(schema: Schema, types: frozenset[TypeName]) -> Iterable[frozenset[TypeName]]:
    """Yield the connected components of the order of types, restricted to `types`."""
    left = set(types)
    for type_ in (*schema.types, *(relation.name for relation in schema.relations)):
        component: set[TypeName] = set()
        todo = [type_] if type_ in left else []
        left.discard(type_)
        while todo:
            current = todo.pop()
            component.add(current)
            near = (schema.ancestors(current) | schema.subtypes(current)) & left
            left -= near
            todo.extend(near)
        if component:
            yield frozenset(component)


def _find_least(schema: Schema, component: frozenset[TypeName]) -> TypeName:
    for type_ in component:
        if component <= schema.ancestors(type_):
            return type_
    minimal = sorted(t for t in component if schema.subtypes(t) & component == {t})
    raise LimitError(
        f"types {', '.join(map(repr, minimal))} are minimal among the common ancestors, and none "
        "is least; give them a common subtype that is an ancestor, too, or drop one is_a"
    )
