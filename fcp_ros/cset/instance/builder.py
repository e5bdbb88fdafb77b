# SPDX-License-Identifier: Apache-2.0
"""The one way to make an instance, or to make the next one from it: copy-on-write per table."""

from collections.abc import Mapping
from typing import NoReturn

from fcp_ros.cset.instance.change import Change
from fcp_ros.cset.instance.checks import unfinished
from fcp_ros.cset.instance.conflicts import conflicts_of_all
from fcp_ros.cset.instance.draft import Draft
from fcp_ros.cset.instance.equations import broken_by
from fcp_ros.cset.instance.expressions import Expression
from fcp_ros.cset.instance.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.instance.values import checked_value
from fcp_ros.cset.instance.violation import Violation
from fcp_ros.cset.schema.schema import Relation, Schema
from fcp_ros.foundation.wording import describe_unknown_name


class InstanceBuilder:
    """Collects changes; `build` checks what they touched and gives the instance.

    Each method refuses what no schema-conforming instance could hold with an `InstanceError` (or a
    `SchemaError` for a name that the schema lacks). Functional legs and path equations may be
    broken for a time; `build` enforces them, and `violations` says where they are broken.
    """

    def __init__(self, schema: Schema) -> None:
        """Start from the empty instance of `schema`."""
        self.schema = schema
        self._counters: dict[str, int] = {}
        self._draft = Draft(schema)

    @classmethod
    def of(cls, instance: Instance) -> "InstanceBuilder":
        """A builder that continues from `instance`, which stays as it is."""
        builder = cls.__new__(cls)
        builder.schema = instance.schema
        builder._counters = {}
        builder._draft = Draft(instance.schema, instance)
        return builder

    # --- elements

    def add(
        self,
        type_: str,
        name: str | None = None,
        attributes: Mapping[str, Expression] | None = None,
    ) -> int:
        """Add an element and return its id.

        Args:
            type_: its type.
            name: unique in the instance; made up from the type where it is None.
            attributes: those that are set.
        """
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
        """Whether there is an element `name`."""
        return name in self._draft.elements.ids

    # --- columns

    def set_attribute(self, id_: int, name: str, value: Expression | None) -> None:
        """Set an attribute of an element or a tuple; None unsets it.

        Args:
            id_: the element or the tuple.
            name: of the attribute.
            value: of its kind; in a pattern or the right side of a rule it may be an expression.
        """
        attribute = self.schema.attribute(self.type_of(id_), name)
        if value is not None:
            value = checked_value(attribute, value, lambda: repr(self._name_of(id_)))
        self._draft.set_attribute(id_, name, value)

    def set_function(self, function: str, id_: int, value: int) -> None:
        """Set the value of a function at an element."""
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

        Args:
            relation: its name.
            ids: one element for each leg, in order.
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
        """Remove the tuple with these elements, and its attributes; whether it was there."""
        self._with_arity(relation, len(ids))
        row = self._draft.relations[relation].by_legs.get(ids)
        if row is None:
            return False
        self._draft.remove_tuple(relation, row)
        return True

    def merge(self, keep: int, gone: int) -> None:
        """Let `keep` take the place of `gone` in every tuple and function, and remove `gone`.

        Tuples that become equal become one (the one created first stays). Attributes that only what
        goes has pass to what stays; where both have a value, the one that stays is kept, and so
        are function values: the caller has made sure that they agree.
        """
        draft = self._draft
        for relation in self.schema.relations:
            for position in range(len(relation.legs)):
                table = draft.relations[relation.name]
                for row in table.index(position).get(gone, ()):
                    self._replace_leg(relation.name, row, gone, keep)
        for name in list(draft.functions):
            for source in draft.functions[name].preimages().get(gone, ()):
                draft.set_value(name, source, keep)
        self._inherit(keep, gone)
        self.remove(gone)

    def _replace_leg(self, relation: str, row: int, gone: int, keep: int) -> None:
        draft = self._draft
        legs = draft.relations[relation].rows.get(row)
        if legs is None:
            return
        replaced = tuple([keep if leg == gone else leg for leg in legs])
        other = draft.relations[relation].by_legs.get(replaced)
        if other is None:
            draft.replace_tuple(relation, row, replaced)
        elif other < row:
            self._inherit(other, row)
            draft.remove_tuple(relation, row)
        else:
            self._inherit(row, other)
            draft.remove_tuple(relation, other)
            draft.replace_tuple(relation, row, replaced)

    def _inherit(self, keep: int, gone: int) -> None:
        for name, table in list(self._draft.attributes.items()):
            if gone in table.values and keep not in table.values:
                self._draft.set_attribute(keep, name, table.values[gone])

    # --- the result

    def change(self) -> Change:
        """What differs from the instance that the builder was made of, or last built."""
        return self._draft.change()

    def violations(self) -> tuple[Violation, ...]:
        """Where the changes break functional legs or path equations.

        Raises:
            InstanceError: as `build`, for what is no matter of either.
        """
        instance = self._finished()
        return (*self._conflicts(instance), *self._broken(instance))

    def build(self, *, allow_conflicts: bool = False) -> Instance:
        """The instance; the builder can go on from there.

        Args:
            allow_conflicts: whether functional legs may be broken, as by a pattern that is never
                to occur. `Instance.functional_conflicts` reports where they are.

        Raises:
            InstanceError: a function has no value somewhere, something refers to a removed element,
                or what was changed breaks a functional leg or a path equation; the message names
                the elements, the leg or equation, and the values.
        """
        instance = self._finished()
        violations = () if allow_conflicts else self._conflicts(instance)
        if self.schema.equations:
            violations += self._broken(instance)
        if violations:
            raise InstanceError("; ".join(violation.message for violation in violations))
        self._draft.seal()
        self._draft = Draft(self.schema, instance)
        self._counters = {}
        return instance

    def _finished(self) -> Instance:
        draft = self._draft
        if draft.functions or draft.removed:
            problems = unfinished(draft)
            if problems:
                raise InstanceError("; ".join(problems))
        return draft.instance()

    def _conflicts(self, instance: Instance) -> tuple[Violation, ...]:
        return conflicts_of_all(instance, self._draft.touched_tuples())

    def _broken(self, instance: Instance) -> tuple[Violation, ...]:
        return tuple(broken_by(instance, self._draft.change()))

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
