# SPDX-License-Identifier: Apache-2.0
"""The one way to make an instance, or the next one from it: copy-on-write per table."""

import math
from collections.abc import Callable, Mapping
from typing import NoReturn

from fcp_ros.cset.constraints import Violation, find_conflicts_of
from fcp_ros.cset.draft import Change, Draft, find_open_ends
from fcp_ros.cset.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.schema import Attribute, AttributeKind, AttributeValue, Relation, Schema
from fcp_ros.foundation.wording import describe_unknown_name

_EXPECTED = {
    AttributeKind.BOOL: "true or false",
    AttributeKind.INT: "a whole number",
    AttributeKind.FLOAT: "a finite number",
    AttributeKind.STRING: "a text",
}


class InstanceBuilder:
    """Collects changes; `build` checks what they touched and returns the instance.

    Each method refuses what no schema-conforming instance could hold with an `InstanceError` (or a
    `SchemaError` for a name that the schema lacks). Functional legs may be
    broken for a time; `build` enforces them, and `violations` says where they are broken.
    """

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._counters: dict[str, int] = {}
        self._draft = Draft(schema)

    @classmethod
    def of(cls, instance: Instance) -> "InstanceBuilder":
        """Return a builder that continues from `instance`, which does not change."""
        builder = cls.__new__(cls)
        builder.schema = instance.schema
        builder._counters = {}
        builder._draft = Draft(instance.schema, instance)
        return builder

    # --- elements

    def add(
        self,
        type_: str,
        name: str | None = None,  # unique in the instance; made up from the type where it is None
        attributes: Mapping[str, AttributeValue] | None = None,
    ) -> int:
        if not self.schema.has_type(type_):
            where = f"schema {self.schema.name!r}"
            raise InstanceError(describe_unknown_name("type", type_, self.schema.types, where))
        if name is None:
            name = self._fresh_name(type_)
        elif name in self._draft.elements.ids:
            raise InstanceError(
                f"there is an element {name!r} already (a {self.type_of(self.id_of(name))!r}); "
                "names must be unique"
            )
        element = self._draft.add_element(type_, name)
        for attribute, value in (attributes or {}).items():
            self.set_attribute(element, attribute, value)
        return element

    def remove(self, id_: int) -> None:
        """Remove an element; what refers to it must be removed too before `build`."""
        if id_ not in self._draft.elements.types:
            raise UnknownElement(f"no element with id {id_} to remove; tuples go by unrelate")
        self._draft.remove_element(id_)

    def type_of(self, id_: int) -> str:
        """The type of an element; for a tuple, its relation."""
        found = self._draft.owner(id_)
        if found is None:
            raise UnknownElement(f"no element with id {id_} in the instance under construction")
        return found

    def id_of(self, name: str) -> int:
        """The id of the element called `name`."""
        ids = self._draft.elements.ids
        found = ids.get(name)
        if found is None:
            where = "the instance under construction"
            raise UnknownElement(describe_unknown_name("element", name, ids, where))
        return found

    def has(self, name: str) -> bool:
        """Return True if there is an element `name`."""
        return name in self._draft.elements.ids

    # --- columns

    def set_attribute(self, id_: int, name: str, value: AttributeValue | None) -> None:
        """Set an attribute of an element or a tuple; None unsets it."""
        attribute = self.schema.attribute(self.type_of(id_), name)
        if value is not None:
            value = check_value(attribute, value, lambda: repr(self._name_of(id_)))
        self._draft.set_attribute(id_, name, value)

    def set_function(self, function: str, id_: int, value: int) -> None:
        declared = self.schema.function(function)
        for what, element, type_ in (
            ("argument", id_, declared.source),
            ("value", value, declared.target),
        ):
            if not self.schema.is_subtype(self.type_of(element), type_):
                self._refuse_type(element, type_, f"function {function!r}: its {what}")
        self._draft.set_value(function, id_, value)

    def relate(self, relation: str, *ids: int) -> int:
        """Add a tuple, unless it is there, and return its id.

        A tuple that this builder has removed comes back with the id that it had.
        """
        declared = self._with_arity(relation, len(ids))
        draft = self._draft
        found = draft.relations[relation].by_legs.get(ids)
        if found is not None:
            return found
        types, is_subtype = draft.elements.types, self.schema.is_subtype
        for id_, (leg, type_) in zip(ids, declared.legs, strict=True):
            if not is_subtype(types.get(id_, ""), type_):
                self._refuse_type(id_, type_, f"relation {relation!r}: leg {leg!r}")
        return draft.add_tuple(relation, ids)

    def unrelate(self, relation: str, *ids: int) -> bool:
        """Remove the tuple with these elements, and its attributes; return True if it was there."""
        self._with_arity(relation, len(ids))
        row = self._draft.relations[relation].by_legs.get(ids)
        if row is None:
            return False
        self._draft.remove_tuple(relation, row)
        return True

    # --- the result

    def change(self) -> Change:
        """The difference from the instance that the builder started from, or last built."""
        return self._draft.change()

    def violations(self) -> tuple[Violation, ...]:
        """Find where the changes break functional legs."""
        return self._find_conflicts(self._check_draft())

    def build(
        self,
        *,
        # functional legs may be broken, as by a pattern that must never occur; `find_conflicts`
        # reports where they are
        allow_conflicts: bool = False,
    ) -> Instance:
        """Build the instance; the builder can continue from there.

        Raises InstanceError if a function has no value somewhere, something refers to a removed
        element, or what was changed breaks a functional leg.
        """
        instance = self._check_draft()
        violations = () if allow_conflicts else self._find_conflicts(instance)
        if violations:
            raise InstanceError("; ".join(violation.message for violation in violations))
        self._draft.seal()
        self._draft = Draft(self.schema, instance)
        self._counters = {}
        return instance

    def _check_draft(self) -> Instance:
        draft = self._draft
        if draft.functions or draft.removed:
            problems = find_open_ends(draft)
            if problems:
                raise InstanceError("; ".join(problems))
        return draft.instance()

    def _find_conflicts(self, instance: Instance) -> tuple[Violation, ...]:
        return find_conflicts_of(instance, self._draft.find_touched_tuples())

    # --- helpers

    def _fresh_name(self, type_: str) -> str:
        number = self._counters.get(type_, 0) + 1
        while f"{type_}_{number}" in self._draft.elements.ids:
            number += 1
        self._counters[type_] = number
        return f"{type_}_{number}"

    def _with_arity(self, relation: str, arguments: int) -> Relation:
        declared = self.schema.relation(relation)
        if arguments != len(declared.legs):
            legs = ", ".join(leg for leg, _ in declared.legs)
            raise InstanceError(
                f"relation {relation!r} has {len(declared.legs)} legs ({legs}), got {arguments}"
            )
        return declared

    def _refuse_type(self, id_: int, expected: str, what: str) -> NoReturn:
        actual = self.type_of(id_)
        name = self._name_of(id_)
        raise InstanceError(f"{what} must be a {expected!r}; {name!r} is a {actual!r}")

    def _name_of(self, id_: int) -> str:
        name = self._draft.elements.names.get(id_)
        return self._draft.instance().name_of(id_) if name is None else name


def check_value(
    attribute: Attribute, value: AttributeValue, where: Callable[[], str]
) -> AttributeValue:
    """Return the value as the attribute keeps it (kind FLOAT turns an int into a float)."""
    if not _admits(attribute, value):
        expected = _EXPECTED.get(attribute.kind) or f"one of: {', '.join(attribute.values)}"
        name = attribute.name
        raise InstanceError(f"attribute {name!r} of {where()} is {value!r}; give {expected}")
    return float(value) if attribute.kind is AttributeKind.FLOAT else value


def _admits(attribute: Attribute, value: AttributeValue) -> bool:
    kind = attribute.kind
    if kind is AttributeKind.ENUM:
        return value in attribute.values
    if kind is AttributeKind.STRING:
        return isinstance(value, str)
    if kind is AttributeKind.BOOL or isinstance(value, bool):
        return kind is AttributeKind.BOOL and isinstance(value, bool)
    if kind is AttributeKind.INT:
        return isinstance(value, int)
    return isinstance(value, (int, float)) and math.isfinite(value)


def find_unused_name(builder: InstanceBuilder, wanted: str) -> str:
    """Find a name that no element has: `wanted`, else that with a number, in logarithmic time."""
    if not builder.has(wanted):
        return wanted
    taken, free = 1, 2
    while builder.has(f"{wanted}_{free}"):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if builder.has(f"{wanted}_{middle}"):
            taken = middle
        else:
            free = middle
    return f"{wanted}_{free}"
