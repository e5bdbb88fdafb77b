# SPDX-License-Identifier: Apache-2.0
"""The JSON of the schemas of ACSets, as ACSets.jl 0.2.27 writes and reads it.

An object with the lists ``Ob``, ``Hom``, ``AttrType``, ``Attr`` and ``equations``, and ``version``
(https://github.com/AlgebraicJulia/ACSets.jl, `JSONACSets.jl` and `acset.schema.json`; schema format
0.0.1). Older files lack ``equations``. Types and relations are ``Ob``, functions and legs ``Hom``.

ACSets know no `is_a`, no relations, no kinds of values, and no names of schemas. These travel in
keys that readers of ACSets skip: ``is_a`` and ``relation`` of an ``Ob``, ``kind`` and ``values`` of
an ``AttrType``, ``name``. Without them, a file describes a schema of types only.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fcp_ros.cset.interchange.columns import AttributeTypes, attribute_types_of
from fcp_ros.cset.schema.schema import (
    Attribute,
    AttributeKind,
    Function,
    PathEquation,
    Relation,
    Schema,
    SchemaError,
)
from fcp_ros.foundation.wording import describe_unknown_name

_VERSION = {"ACSetSchema": "0.0.1", "ACSets": "0.2.27"}

_KINDS: Mapping[str, AttributeKind] = {
    "Bool": AttributeKind.BOOL,
    "Int": AttributeKind.INT,
    "Int64": AttributeKind.INT,
    "Float": AttributeKind.FLOAT,
    "Float64": AttributeKind.FLOAT,
    "Real": AttributeKind.FLOAT,
    "String": AttributeKind.STRING,
    "Symbol": AttributeKind.STRING,
}


@dataclass(frozen=True)
class AcsetSchema:
    """A schema, with the names that ACSets have for the types of its attributes.

    Attributes:
        schema: the schema.
        attribute_types: their names, which the JSON of instances uses for variables.
    """

    schema: Schema
    attribute_types: AttributeTypes


def schema_to_acset_json(schema: Schema, attribute_types: AttributeTypes | None = None) -> str:
    """Return the ACSets JSON of a schema.

    Args:
        schema: to be written.
        attribute_types: names for the types of attributes; made from their kinds by default.
    """
    names = attribute_types_of(schema) if attribute_types is None else attribute_types
    kinds = {names[a.owner, a.name]: _kind_data(a) for a in schema.attributes}
    relations = {relation.name: relation for relation in schema.relations}
    data = {
        "version": _VERSION,
        "name": schema.name,
        "Ob": [
            *({"name": t, "is_a": list(p)} if p else {"name": t} for t, p in schema.types.items()),
            *({"name": name, "relation": _marks(r)} for name, r in relations.items()),
        ],
        "Hom": [
            *(_arrow(f.name, f.source, f.target) for f in schema.functions),
            *(_arrow(leg, r.name, t) for r in schema.relations for leg, t in r.legs),
        ],
        "AttrType": [{"name": name, **kind} for name, kind in kinds.items()],
        "Attr": [_arrow(a.name, a.owner, names[a.owner, a.name]) for a in schema.attributes],
        "equations": [_equation_data(schema, equation) for equation in schema.equations],
    }
    return json.dumps(data)


def schema_from_acset_json(
    text: str, *, name: str = "acset", kinds: Mapping[str, AttributeKind] | None = None
) -> AcsetSchema:
    """Read the schema that an ACSets JSON describes.

    Args:
        text: the JSON.
        name: of the schema, if the text has none.
        kinds: kinds of values by attribute type, for types whose kind neither the text nor a usual
            name (``Int``, ``Float64``, ``String``, ...) tells.

    Raises:
        SchemaError: not JSON, not of this layout, or no valid schema; names the entry.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise SchemaError(f"not JSON: {error}") from error
    return _Reader(data, name, kinds or {}).read()


class _Reader:
    def __init__(self, data: Any, name: str, kinds: Mapping[str, AttributeKind]) -> None:
        if not isinstance(data, dict):
            raise SchemaError("the schema of an ACSet is an object with lists Ob, Hom, ...")
        self.data = data
        self.name = self.text("the schema", {"name": name, **data}, "name")
        self.kinds = {**_KINDS, **kinds}

    def read(self) -> AcsetSchema:
        objects = list(self.entries("Ob", required=True))
        homs = [self.arrow(where, entry) for where, entry in self.entries("Hom", required=True)]
        marked = {
            self.text(where, e, "name"): e["relation"] for where, e in objects if "relation" in e
        }
        types = {
            self.text(where, entry, "name"): self.names(where, entry, "is_a")
            for where, entry in objects
            if "relation" not in entry
        }
        if len(types) + len(marked) < len(objects):
            raise SchemaError("two entries of Ob have one name; rename one")
        self.check_ends(homs, [*types, *marked])
        attribute_types = self.attribute_types()
        attributes, names = [], {}
        for where, entry in self.entries("Attr", required=True):
            attribute, owner, type_ = self.arrow(where, entry)
            if type_ not in attribute_types:
                raise SchemaError(describe_unknown_name("AttrType", type_, attribute_types, where))
            attributes.append(Attribute(attribute, owner, *attribute_types[type_]))
            names[owner, attribute] = type_
        schema = Schema(
            self.name,
            types,
            tuple(Function(*hom) for hom in homs if hom[1] not in marked),
            tuple(self.relation(name, marks, homs) for name, marks in marked.items()),
            tuple(attributes),
            tuple(self.equation(*entry) for entry in self.entries("equations")),
        )
        return AcsetSchema(schema, names)

    def entries(self, key: str, *, required: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
        if required and key not in self.data:
            raise SchemaError(f"the schema of an ACSet has a list {key!r}; it is missing")
        entries = self.data.get(key, [])
        if not isinstance(entries, list):
            raise SchemaError(f"{key!r} must be a list, not {entries!r}")
        for number, entry in enumerate(entries, start=1):
            where = f"{key}, entry {number}"
            if not isinstance(entry, dict):
                raise SchemaError(f"{where} must be an object, not {entry!r}")
            yield where, entry

    def text(self, where: str, entry: Mapping[str, Any], key: str) -> str:
        if not isinstance(entry.get(key), str):
            raise SchemaError(f"{where}: {key!r} must be a text, not {entry.get(key)!r}")
        return str(entry[key])

    def names(self, where: str, entry: Mapping[str, Any], key: str) -> tuple[str, ...]:
        found = entry.get(key, [])
        if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
            raise SchemaError(f"{where}: {key!r} must be a list of names, not {found!r}")
        return tuple(found)

    def arrow(self, where: str, entry: Mapping[str, Any]) -> tuple[str, str, str]:
        name, source, target = (self.text(where, entry, key) for key in ("name", "dom", "codom"))
        return name, source, target

    def check_ends(self, homs: list[tuple[str, str, str]], objects: list[str]) -> None:
        for name, source, _ in homs:
            if source not in objects:
                raise SchemaError(
                    describe_unknown_name("Ob", source, objects, f"the dom of Hom {name!r}")
                )

    def attribute_types(self) -> dict[str, tuple[AttributeKind, tuple[str, ...]]]:
        found = {}
        for where, entry in self.entries("AttrType", required=True):
            name = self.text(where, entry, "name")
            values = self.names(where, entry, "values")
            found[name] = (self.kind(where, name, entry), values)
        return found

    def kind(self, where: str, name: str, entry: Mapping[str, Any]) -> AttributeKind:
        if "kind" not in entry:
            if name not in self.kinds:
                raise SchemaError(
                    f"{where}: ACSets do not say what values {name!r} has; "
                    f"give kinds={{{name!r}: AttributeKind...}}"
                )
            return self.kinds[name]
        known = [kind.value for kind in AttributeKind]
        if entry["kind"] not in known:
            raise SchemaError(describe_unknown_name("kind", entry["kind"], known, where))
        return AttributeKind(entry["kind"])

    def relation(self, name: str, marks: Any, homs: list[tuple[str, str, str]]) -> Relation:
        where = f"relation {name!r}"
        if not isinstance(marks, dict) or not isinstance(marks.get("static", False), bool):
            raise SchemaError(f"{where} must have an object with functional and static")
        legs = tuple((hom, target) for hom, source, target in homs if source == name)
        functional = self.names(where, marks, "functional")
        return Relation(name, legs, functional, marks.get("static", False))

    def equation(self, where: str, entry: Mapping[str, Any]) -> PathEquation:
        paths = entry.get("paths")
        if not isinstance(paths, list) or len(paths) != 2:
            raise SchemaError(f"{where}: 'paths' must be two paths, not {paths!r}")
        left, right = ({"path": path} for path in paths)
        return PathEquation(
            self.text(where, entry, "dom"),
            self.names(where, left, "path"),
            self.names(where, right, "path"),
        )


def _arrow(name: str, source: str, target: str) -> dict[str, str]:
    return {"name": name, "dom": source, "codom": target}


def _kind_data(attribute: Attribute) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": attribute.kind.value}
    return {**data, "values": list(attribute.values)} if attribute.values else data


def _marks(relation: Relation) -> dict[str, Any]:
    return {"functional": list(relation.functional), "static": relation.static}


def _equation_data(schema: Schema, equation: PathEquation) -> dict[str, Any]:
    return {
        "name": None,
        "dom": equation.source,
        "codom": schema.path_end(equation.source, equation.left),
        "paths": [list(equation.left), list(equation.right)],
    }
