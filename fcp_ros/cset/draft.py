# SPDX-License-Identifier: Apache-2.0
"""An instance under construction: its tables, copied when they first change, and what changed."""

from collections import ChainMap
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from operator import itemgetter

from fcp_ros.cset.instance import Instance
from fcp_ros.cset.relation_table import RelationTable
from fcp_ros.cset.schema import AttributeValue, Schema
from fcp_ros.cset.tables import AttributeTable, ElementTable, FunctionTable
from fcp_ros.foundation.persistent_map import evolve

ChangedTuple = tuple[str, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """The net difference between an instance and the one that a builder made from it.

    Everything is by ascending id.
    """

    created: tuple[int, ...] = ()
    deleted: tuple[int, ...] = ()  # ids of elements that are gone
    added: tuple[ChangedTuple, ...] = ()  # (relation, id, legs) of new tuples
    removed: tuple[ChangedTuple, ...] = ()  # (relation, id, legs) of tuples that are gone
    # (function, element) where a function has a new value; at created elements, too
    functions: tuple[tuple[str, int], ...] = ()
    # (attribute, element or tuple) where an attribute was set, changed or unset; not where the
    # element or tuple is gone
    attributes: tuple[tuple[str, int], ...] = ()

    def __bool__(self) -> bool:
        elements = self.created or self.deleted
        return bool(elements or self.added or self.removed or self.functions or self.attributes)


Legs = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Blank:
    """The relations of the empty instance, which everything that is new starts from.

    A pattern has tuples in a handful of the relations of its schema, which may be thousands.
    """

    tables: dict[str, RelationTable]
    position: dict[str, int]

    @classmethod
    def of(cls, schema: Schema) -> "_Blank":
        found = schema.derived.get(cls)
        if not isinstance(found, cls):
            tables = {relation.name: RelationTable(relation, {}) for relation in schema.relations}
            for table in tables.values():
                table.seal()
            found = cls(tables, {name: number for number, name in enumerate(tables)})
            schema.derived[cls] = found
        return found


class Draft:
    """The tables of an instance under construction.

    Read the tables through the attributes; change them only through the methods, which first copy a
    table that an instance holds. Nothing is checked here.
    """

    __slots__ = (
        "_change",
        "_lost",
        "_next_id",
        "_owned",
        "_shared",
        "_touched_attributes",
        "_touched_rows",
        "_touched_values",
        "attributes",
        "before",
        "elements",
        "functions",
        "relations",
        "removed",
        "schema",
    )

    def __init__(self, schema: Schema, before: Instance | None = None) -> None:
        self.schema = schema
        self.before = before
        self.removed: dict[int, str] = {}  # names of the elements that were removed
        self._owned: list[ElementTable | FunctionTable | RelationTable | AttributeTable] = []
        self._change: Change | None = None
        self._lost: dict[tuple[str, Legs], int] = {}
        self._touched_rows: dict[int, str] = {}
        self._shared: MutableMapping[str, RelationTable]
        self._touched_values: dict[tuple[str, int], None] = {}
        self._touched_attributes: dict[tuple[str, int], None] = {}
        if before is not None:
            self.elements, self.functions, self.relations, self.attributes = before.tables()
            self._shared = self.relations
            self._next_id = before.next_id()
            return
        self.elements = ElementTable({}, {}, {})
        self.functions = {f.name: FunctionTable({}) for f in schema.functions}
        self._shared = self.relations = _Blank.of(schema).tables
        self.attributes = {a.name: AttributeTable({}) for a in schema.attributes}
        self._next_id = 1
        self._owned += self.functions.values()
        self._owned += self.attributes.values()
        self._owned.append(self.elements)

    def instance(self) -> Instance:
        """The present instance, for the checks; call `seal` before anybody else sees it."""
        tables = (self.elements, self.functions, self.relations, self.attributes)
        return Instance(self.schema, *tables, self._next_id, self._find_filled())

    def _find_filled(self) -> tuple[str, ...] | None:
        """Names of the relations with tuples, if they are known without looking at all of them."""
        if self.before is not None:
            return None
        owned = (t.declared.name for t in self._owned if isinstance(t, RelationTable) and t.rows)
        return tuple(sorted(owned, key=_Blank.of(self.schema).position.__getitem__))

    def seal(self) -> None:
        """Forbid further changes of the tables."""
        for table in self._owned:
            table.seal()

    def names(self) -> Mapping[int, str]:
        """Names by id, also of what was removed."""
        names = self.elements.names
        return ChainMap(self.removed, names) if self.removed else names

    def owner(self, id_: int) -> str | None:
        """The type of an element, or the relation of a tuple."""
        type_ = self.elements.types.get(id_)
        if type_ is not None:
            return type_
        return next((name for name, table in self.relations.items() if id_ in table.rows), None)

    def key_of(self, id_: int) -> Hashable:
        """The name of an element; the relation and names of a tuple."""
        names = self.names()
        if id_ in names:
            return names[id_]
        relation = self.owner(id_)
        assert relation is not None
        return (relation, *(names[leg] for leg in self.relations[relation].rows[id_]))

    # --- changes

    def add_element(self, type_: str, name: str) -> int:
        element = self._next_id
        self._next_id += 1
        self._own_elements().add(element, type_, name)
        return element

    def remove_element(self, element: int) -> None:
        name, type_ = self.elements.names[element], self.elements.types[element]
        for function in self.schema.functions_of(type_):
            if element in self.functions[function.name].values:
                self._own_function(function.name).unset(element, self.names())
        self._unset_attributes(element)
        self.removed[element] = name
        self._own_elements().remove(element)

    def set_value(self, function: str, element: int, value: int) -> None:
        self._own_function(function).set(element, value, self.names())
        if self.before is not None:
            self._touched_values[function, element] = None

    def set_attribute(self, id_: int, name: str, value: AttributeValue | None) -> None:
        """Set an attribute; None unsets it."""
        table = self._own_attribute(name)
        if value is None:
            table.unset(id_, self.key_of)
        else:
            table.set(id_, value, self.key_of)
        if self.before is not None:
            self._touched_attributes[name, id_] = None

    def add_tuple(self, relation: str, legs: Legs) -> int:
        """Add a tuple that is not there; return its id, the old one if it was there before."""
        row = self._lost.pop((relation, legs), 0) if self._lost else 0
        if not row:
            row = self._next_id
            self._next_id += 1
        self._own_relation(relation).add(row, legs, self.names())
        if self.before is not None:
            self._touched_rows[row] = relation
        return row

    def remove_tuple(self, relation: str, row: int) -> None:
        self._unset_attributes(row)
        table = self._own_relation(relation)
        self._lost[relation, table.rows[row]] = row
        table.remove(row, self.names())
        self._touched_rows[row] = relation

    def _unset_attributes(self, id_: int) -> None:
        for name in [name for name, table in self.attributes.items() if id_ in table.values]:
            self.set_attribute(id_, name, None)

    # --- what changed

    def find_created(self) -> list[int]:
        """The elements that are new, ascending."""
        first = 1 if self.before is None else self.before.next_id()
        if first == self._next_id:
            return []
        types = self.elements.types
        return [id_ for id_ in range(first, self._next_id) if id_ in types]

    def find_touched_tuples(self) -> list[ChangedTuple]:
        """The tuples that are there and may not have been there before."""
        if self.before is None:
            return list(_all_tuples(self.relations))
        found = []
        for row, relation in self._touched_rows.items():
            legs = self.relations[relation].rows.get(row)
            if legs is not None:
                found.append((relation, row, legs))
        return found

    def find_touched_values(self) -> Collection[tuple[str, int]]:
        """The functions and elements at which a value was set."""
        if self.before is None:
            return [(name, id_) for name, t in self.functions.items() for id_ in t.values]
        return self._touched_values

    def change(self) -> Change:
        """The net difference from the instance at the start."""
        if self._change is None:
            self._change = self._compare()
        return self._change

    def _compare(self) -> Change:
        if self.before is None:
            return self._describe_everything()
        first = self.before.next_id()
        added, removed = self._compare_tuples()
        return Change(
            tuple(self.find_created()),
            tuple(sorted([id_ for id_ in self.removed if id_ < first])),
            added,
            removed,
            tuple(sorted([key for key in self._touched_values if self._has_new_value(*key)])),
            tuple(
                sorted([key for key in self._touched_attributes if self._has_new_attribute(*key)])
            ),
        )

    def _describe_everything(self) -> Change:
        attributes = ((name, id_) for name, t in self.attributes.items() for id_ in t.values)
        return Change(
            created=tuple(self.find_created()),
            added=tuple(sorted(_all_tuples(self.relations), key=itemgetter(1))),
            functions=tuple(sorted(self.find_touched_values())),
            attributes=tuple(sorted(attributes)),
        )

    def _compare_tuples(self) -> tuple[tuple[ChangedTuple, ...], tuple[ChangedTuple, ...]]:
        added: list[ChangedTuple] = []
        removed: list[ChangedTuple] = []
        assert self.before is not None
        older = self.before.tables()[2]
        for row, relation in sorted(self._touched_rows.items()):
            new = self.relations[relation].rows.get(row)
            old = older[relation].rows.get(row)
            if old != new:
                if old is not None:
                    removed.append((relation, row, old))
                if new is not None:
                    added.append((relation, row, new))
        return tuple(added), tuple(removed)

    def _has_new_value(self, function: str, element: int) -> bool:
        if element not in self.elements.types:
            return False
        assert self.before is not None
        older = self.before.function_table(function).values.get(element)
        return older != self.functions[function].values.get(element)

    def _has_new_attribute(self, name: str, id_: int) -> bool:
        if self.owner(id_) is None:
            return False
        assert self.before is not None
        older = self.before.attribute(id_, name)
        return older != self.attributes[name].values.get(id_)

    # --- copy-on-write

    def _own_elements(self) -> ElementTable:
        self._change = None
        if self.elements.sealed:
            self.elements = self.elements.copy()
            self._owned.append(self.elements)
        return self.elements

    def _own_function(self, name: str) -> FunctionTable:
        self._change = None
        table = self.functions[name]
        if table.sealed:
            assert self.before is not None
            if self.functions is self.before.tables()[1]:
                self.functions = dict(self.functions)
            table = self.functions[name] = table.copy(self.before.element_table().names)
            self._owned.append(table)
        return table

    def _own_relation(self, name: str) -> RelationTable:
        self._change = None
        table = self.relations[name]
        if table.sealed:
            if self.relations is self._shared:
                self.relations = evolve(self.relations)
            if self.before is None:
                table = RelationTable(table.declared, {})
            else:
                table = table.copy(self.before.element_table().names)
            self.relations[name] = table
            self._owned.append(table)
        return table

    def _own_attribute(self, name: str) -> AttributeTable:
        self._change = None
        table = self.attributes[name]
        if table.sealed:
            assert self.before is not None
            if self.attributes is self.before.tables()[3]:
                self.attributes = dict(self.attributes)
            table = self.attributes[name] = table.copy(self.before.key_of)
            self._owned.append(table)
        return table


def _all_tuples(relations: Mapping[str, RelationTable]) -> Iterator[ChangedTuple]:
    for name, table in relations.items():
        for row, legs in table.rows.items():
            yield name, row, legs


def find_open_ends(draft: Draft) -> list[str]:
    """Find missing values of functions, and references to removed elements; a clause each."""
    created = draft.find_created() if draft.functions else []
    problems = list(_find_missing_values(draft, created)) if created else []
    if draft.removed:
        problems += [
            f"{draft.removed[element]!r} was removed, but is still {leg!r} in {relation!r}"
            for element, relation, leg in dict.fromkeys(
                (*_find_in_new_tuples(draft), *_find_in_old_tuples(draft))
            )
        ]
        problems += _find_as_values(draft)
    return problems


def _find_missing_values(draft: Draft, created: Iterable[int]) -> Iterator[str]:
    for element in created:
        for function in draft.schema.functions_of(draft.elements.types[element]):
            if element not in draft.functions[function.name].values:
                yield (
                    f"{draft.elements.names[element]!r} has no value for function "
                    f"{function.name!r}; use set_function"
                )


def _find_in_new_tuples(draft: Draft) -> Iterator[tuple[int, str, str]]:
    """Removed elements in tuples that were added or changed: element, relation, leg."""
    for name, _, legs in draft.find_touched_tuples():
        for position, element in enumerate(legs):
            if element in draft.removed:
                yield element, name, draft.schema.relation(name).legs[position][0]


def _find_in_old_tuples(draft: Draft) -> Iterator[tuple[int, str, str]]:
    """Removed elements in tuples that were there before and have not changed.

    The index is the one of the instance that the draft started from, so that all drafts share it.
    """
    before = draft.before
    if before is None:
        return
    for element in draft.removed:
        if not before.contains(element):
            continue
        above = draft.schema.ancestors(before.type_of(element))
        for relation in draft.schema.relations:
            rows = draft.relations[relation.name].rows
            for position, (leg, type_) in enumerate(relation.legs):
                if type_ in above:
                    index = before.relation_table(relation.name).index(position)
                    for row in index.get(element, ()):
                        if row in rows and rows[row][position] == element:
                            yield element, relation.name, leg


def _find_as_values(draft: Draft) -> Iterator[str]:
    """Removed elements that are still values of functions."""
    for name, table in draft.functions.items():
        for element in draft.removed:
            sources = {
                source for function, source in draft.find_touched_values() if function == name
            }
            if draft.before is not None:
                sources.update(draft.before.function_table(name).preimages().get(element, ()))
            for source in sorted(sources):
                if table.values.get(source) == element:
                    holder = draft.elements.names[source]
                    yield f"{draft.removed[element]!r} was removed, but is {name!r} of {holder!r}"
