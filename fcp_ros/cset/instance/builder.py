# SPDX-License-Identifier: Apache-2.0
"""The one way to make an instance, or to make the next one from it: copy-on-write per table."""

from collections.abc import Mapping

from fcp_ros.cset.instance.instance import Instance, InstanceError, UnknownElement
from fcp_ros.cset.instance.tables import ElementTable, FunctionTable, RelationTable
from fcp_ros.cset.instance.values import checked_value
from fcp_ros.cset.schema.names import unknown_name
from fcp_ros.cset.schema.schema import AttributeValue, Relation, Schema


class InstanceBuilder:
    """Collects changes; `build` checks what they touched and gives the instance.

    Each method refuses what no schema-conforming instance could hold with an `InstanceError` (or a
    `SchemaError` for a name that the schema lacks). Functional legs are *not* enforced here: a
    pattern that is never to occur may well break one. `Instance.functional_conflicts` reports them.
    """

    def __init__(self, schema: Schema) -> None:
        """Start from the empty instance of `schema`."""
        self.schema = schema
        self._elements = ElementTable({}, {}, {})
        self._functions = {f.name: FunctionTable({}) for f in schema.functions}
        self._relations = {r.name: RelationTable.empty(r) for r in schema.relations}
        self._attributes: dict[str, dict[int, AttributeValue]] = {
            attribute.name: {} for attribute in schema.attributes
        }
        self._next_id = 1
        self._owned: set[object] = set()
        self._added: set[int] = set()
        self._removed: dict[int, str] = {}
        self._counters: dict[str, int] = {}

    @classmethod
    def of(cls, instance: Instance) -> "InstanceBuilder":
        """A builder that continues from `instance`, which stays as it is."""
        builder = cls.__new__(cls)
        builder.schema = instance.schema
        builder._adopt(instance)
        return builder

    def _adopt(self, instance: Instance) -> None:
        self._elements = instance._elements
        self._functions = dict(instance._functions)
        self._relations = dict(instance._relations)
        self._attributes = dict(instance._attributes)
        self._next_id = instance._next_id
        self._owned = set()
        self._added = set()
        self._removed = {}
        self._counters = {}

    # --- elements

    def add(
        self,
        type_: str,
        name: str | None = None,
        attributes: Mapping[str, AttributeValue] | None = None,
    ) -> int:
        """Add an element and return its id.

        Args:
            type_: its type.
            name: unique in the instance; made up from the type where it is None.
            attributes: those that are set.
        """
        if not self.schema.has_type(type_):
            where = f"schema {self.schema.name!r}"
            raise InstanceError(unknown_name("type", type_, self.schema.types, where))
        if name is None:
            name = self._fresh_name(type_)
        elif name in self._elements.ids:
            raise InstanceError(
                f"there is an element {name!r} already (a {self.type_of(self.id_of(name))!r}); "
                "names must be unique"
            )
        element = self._new_id()
        self._own_elements().add(element, type_, name)
        self._added.add(element)
        for attribute, value in (attributes or {}).items():
            self.set_attribute(element, attribute, value)
        return element

    def remove(self, id_: int) -> None:
        """Remove an element; what refers to it must be removed too before `build`."""
        name = self._elements.names.get(id_)
        if name is None:
            raise UnknownElement(f"no element with id {id_} to remove; tuples go by unrelate")
        for function in self.schema.functions_of(self.type_of(id_)):
            self._own_function(function.name).unset(id_)
        for attribute in self._attributes:
            if id_ in self._attributes[attribute]:
                del self._own_attribute(attribute)[id_]
        self._own_elements().remove(id_)
        self._added.discard(id_)
        self._removed[id_] = name

    def type_of(self, id_: int) -> str:
        """The type of an element."""
        found = self._elements.types.get(id_)
        if found is None:
            raise UnknownElement(f"no element with id {id_} in the instance under construction")
        return found

    def id_of(self, name: str) -> int:
        """The id of the element called `name`."""
        found = self._elements.ids.get(name)
        if found is None:
            where = "the instance under construction"
            raise UnknownElement(unknown_name("element", name, self._elements.ids, where))
        return found

    def has(self, name: str) -> bool:
        """Whether there is an element `name`."""
        return name in self._elements.ids

    # --- columns

    def set_attribute(self, id_: int, name: str, value: AttributeValue | None) -> None:
        """Set an attribute of an element; None unsets it."""
        attribute = self.schema.attribute(self.type_of(id_), name)
        if value is None:
            self._own_attribute(name).pop(id_, None)
            return
        where = f"{self._elements.names[id_]!r}"
        self._own_attribute(name)[id_] = checked_value(attribute, value, where)

    def set_function(self, function: str, id_: int, value: int) -> None:
        """Set the value of a function at an element."""
        declared = self.schema.function(function)
        for what, element, type_ in (
            ("argument", id_, declared.source),
            ("value", value, declared.target),
        ):
            self._check_type(element, type_, f"function {function!r}: its {what}")
        self._own_function(function).set(id_, value)

    def relate(self, relation: str, *ids: int) -> int:
        """Add a tuple, unless it is there, and return its id.

        Args:
            relation: its name.
            ids: one element for each leg, in order.
        """
        declared = self._with_arity(relation, len(ids))
        found = self._relations[relation].by_legs.get(ids)
        if found is not None:
            return found
        for id_, (leg, type_) in zip(ids, declared.legs, strict=True):
            self._check_type(id_, type_, f"relation {relation!r}: leg {leg!r}")
        row = self._new_id()
        self._own_relation(relation).add(row, ids)
        return row

    def unrelate(self, relation: str, *ids: int) -> bool:
        """Remove the tuple with these elements; whether it was there."""
        self._with_arity(relation, len(ids))
        row = self._relations[relation].by_legs.get(ids)
        if row is None:
            return False
        self._own_relation(relation).remove(row)
        return True

    def merge(self, keep: int, gone: int) -> None:
        """Let `keep` take the place of `gone` in every tuple and function, and remove `gone`.

        Tuples that become equal become one (the one created first stays). Values that functions and
        attributes have at `gone` are dropped; the caller has made sure that they agree.
        """
        for relation in self.schema.relations:
            for position in range(len(relation.legs)):
                for row in self._relations[relation.name].index(position).get(gone, ()):
                    self._replace_leg(relation.name, row, gone, keep)
        for name, table in self._functions.items():
            for source in table.preimages().get(gone, ()):
                self._own_function(name).set(source, keep)
        self.remove(gone)

    def _replace_leg(self, relation: str, row: int, gone: int, keep: int) -> None:
        legs = self._relations[relation].rows.get(row)
        if legs is None:
            return
        table = self._own_relation(relation)
        table.remove(row)
        replaced = tuple(keep if leg == gone else leg for leg in legs)
        other = table.by_legs.get(replaced)
        if other is not None and other < row:
            return
        if other is not None:
            table.remove(other)
        table.add(row, replaced)

    # --- the result

    def build(self) -> Instance:
        """The instance; the builder can go on from there.

        Raises:
            InstanceError: a function has no value somewhere, or something refers to a removed
                element; the message names them.
        """
        problems = [*self._missing_values(), *self._dangling()]
        if problems:
            raise InstanceError("; ".join(problems))
        instance = Instance(
            self.schema,
            self._elements,
            self._functions,
            self._relations,
            self._attributes,
            self._next_id,
        )
        self._adopt(instance)
        return instance

    def _missing_values(self) -> list[str]:
        if not self._functions:
            return []
        return [
            f"{self._elements.names[element]!r} has no value for function {function.name!r}; "
            "use set_function"
            for element in sorted(self._added)
            for function in self.schema.functions_of(self._elements.types[element])
            if element not in self._functions[function.name].values
        ]

    def _dangling(self) -> list[str]:
        problems = []
        for element, name in self._removed.items():
            for relation in self.schema.relations:
                table = self._relations[relation.name]
                for position, (leg, _) in enumerate(relation.legs):
                    if table.index(position).get(element):
                        problems.append(
                            f"{name!r} was removed, but is still {leg!r} in {relation.name!r}"
                        )
            for function, values in self._functions.items():
                for source in values.preimages().get(element, ()):
                    holder = self._elements.names[source]
                    problems.append(f"{name!r} was removed, but is {function!r} of {holder!r}")
        return problems

    # --- copy-on-write

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def _fresh_name(self, type_: str) -> str:
        number = self._counters.get(type_, 0) + 1
        while f"{type_}_{number}" in self._elements.ids:
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

    def _check_type(self, id_: int, expected: str, what: str) -> None:
        actual = self.type_of(id_)
        if not self.schema.is_subtype(actual, expected):
            name = self._elements.names[id_]
            raise InstanceError(f"{what} must be a {expected!r}; {name!r} is a {actual!r}")

    def _own_elements(self) -> ElementTable:
        if "elements" not in self._owned:
            self._owned.add("elements")
            self._elements = self._elements.copy()
        return self._elements

    def _own_function(self, name: str) -> FunctionTable:
        if ("function", name) not in self._owned:
            self._owned.add(("function", name))
            self._functions[name] = self._functions[name].copy()
        return self._functions[name]

    def _own_relation(self, name: str) -> RelationTable:
        if ("relation", name) not in self._owned:
            self._owned.add(("relation", name))
            self._relations[name] = self._relations[name].copy()
        return self._relations[name]

    def _own_attribute(self, name: str) -> dict[int, AttributeValue]:
        if ("attribute", name) not in self._owned:
            self._owned.add(("attribute", name))
            self._attributes[name] = dict(self._attributes[name])
        return self._attributes[name]
