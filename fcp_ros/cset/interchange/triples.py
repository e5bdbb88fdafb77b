# SPDX-License-Identifier: Apache-2.0
"""Instances as triples (subject, predicate, object), the way RDF writes graphs.

The triples are the category of elements of the instance: an element has its type, the values of its
functions and its attributes; a tuple has its relation, the elements in its legs and its attributes.
`to_ntriples` writes them as RDF 1.1 N-Triples (W3C Recommendation of 25 February 2014).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias
from urllib.parse import quote, urlsplit

from fcp_ros.cset.instance.expressions import Operation, Variable
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.schema.schema import AttributeValue, Schema

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SUBCLASS_OF = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
XSD = "http://www.w3.org/2001/XMLSchema#"


class ResourceKind(str, Enum):
    """What a resource is; also the part of its IRI that says so."""

    ELEMENT = "element"
    TUPLE = "tuple"
    TYPE = "type"
    RELATION = "relation"
    FUNCTION = "function"
    LEG = "leg"
    ATTRIBUTE = "attribute"
    IS_A = "is_a"
    """The predicate from an element to its type, and from a type to its parents."""


@dataclass(frozen=True)
class Resource:
    """Something that triples speak of.

    Attributes:
        kind: what it is.
        names: an element's, type's or function's name; a tuple's relation and elements; a leg's
            relation and name; an attribute's owner and name; nothing for `IS_A`.
    """

    kind: ResourceKind
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind is ResourceKind.IS_A:
            return "is_a"
        if self.kind is ResourceKind.TUPLE:
            return f"{self.names[0]}({', '.join(self.names[1:])})"
        return ".".join(self.names)


Value: TypeAlias = AttributeValue | Variable
Triple: TypeAlias = tuple[Resource, Resource, Resource | Value]

IS_A = Resource(ResourceKind.IS_A)


def triples(instance: Instance) -> Iterator[Triple]:
    """What an instance says, in the order of its elements, then of its tuples.

    Raises:
        InstanceError: an attribute holds an operation.
    """
    schema = instance.schema
    for element in instance.all_elements():
        subject = _element(instance, element)
        type_ = instance.type_of(element)
        yield subject, IS_A, Resource(ResourceKind.TYPE, (type_,))
        for function in schema.functions_of(type_):
            value = _element(instance, instance.apply(function.name, element))
            yield subject, Resource(ResourceKind.FUNCTION, (function.name,)), value
        yield from _attributes(instance, element, subject)
    for relation in schema.relations:
        for row, legs in instance.tuples(relation.name).items():
            names = (relation.name, *map(instance.name_of, legs))
            subject = Resource(ResourceKind.TUPLE, names)
            yield subject, IS_A, Resource(ResourceKind.RELATION, (relation.name,))
            for (leg, _), element in zip(relation.legs, legs, strict=True):
                predicate = Resource(ResourceKind.LEG, (relation.name, leg))
                yield subject, predicate, _element(instance, element)
            yield from _attributes(instance, row, subject)


def schema_triples(schema: Schema) -> Iterator[Triple]:
    """Which type is_a which."""
    for type_, parents in schema.types.items():
        for parent in parents:
            subject, object_ = (Resource(ResourceKind.TYPE, (name,)) for name in (type_, parent))
            yield subject, IS_A, object_


def to_ntriples(instance: Instance, base: str) -> str:
    """The N-Triples text of an instance and of the is_a of its schema.

    Names become IRIs below `base`, such as ``<base/element/mug_1>``, with all but letters, digits
    and ``-._~`` percent-encoded. Variables become blank nodes.

    Args:
        instance: what to write.
        base: an absolute IRI, such as ``https://example.org/home``.

    Raises:
        InstanceError: the base is no absolute IRI; a name or value has no UTF-8; an attribute holds
            an operation.
    """
    if not urlsplit(base).scheme or _NOT_IN_IRIS.search(base):
        raise InstanceError(
            f"base {base!r} is no absolute IRI; give one like https://example.org/a"
        )
    writer = _Writer(base.rstrip("/"))
    lines = [writer.line(triple) for triple in schema_triples(instance.schema)]
    lines.extend(writer.line(triple) for triple in triples(instance))
    return "".join(lines)


class _Writer:
    def __init__(self, base: str) -> None:
        self.base = base
        self.blanks: dict[str, str] = {}

    def line(self, triple: Triple) -> str:
        subject, predicate, object_ = triple
        if predicate == IS_A:
            is_type = subject.kind is ResourceKind.TYPE
            shown = f"<{SUBCLASS_OF if is_type else RDF_TYPE}>"
        else:
            shown = self.iri(predicate)
        return f"{self.iri(subject)} {shown} {self.object(object_)} .\n"

    def object(self, object_: Resource | Value) -> str:
        if isinstance(object_, Resource):
            return self.iri(object_)
        if isinstance(object_, Variable):
            return self.blanks.setdefault(object_.name, f"_:variable{len(self.blanks) + 1}")
        return _literal(object_)

    def iri(self, resource: Resource) -> str:
        try:
            parts = [_quoted(name) for name in (resource.kind.value, *resource.names)]
        except UnicodeEncodeError as error:
            raise InstanceError(f"{str(resource)!r} has no UTF-8 ({error.reason})") from error
        return f"<{'/'.join((self.base, *parts))}>"


# What an IRI of N-Triples cannot hold (grammar rule IRIREF), and what would cut the base short.
_NOT_IN_IRIS = re.compile(r'[\x00-\x20<>"{}|^`\\#?\ud800-\udfff]')
# Characters that a literal holds only escaped (grammar rules STRING_LITERAL_QUOTE and ECHAR).
_ESCAPED = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\b": "\\b",
    "\f": "\\f",
}


def _quoted(name: str) -> str:
    # "." and ".." would be steps of a path.
    return name.replace(".", "%2E") if name in {".", ".."} else quote(name, safe="")


def _literal(value: AttributeValue) -> str:
    if isinstance(value, bool):
        return f'"{str(value).lower()}"^^<{XSD}boolean>'
    if isinstance(value, int):
        return f'"{value}"^^<{XSD}integer>'
    if isinstance(value, float):
        return f'"{value!r}"^^<{XSD}double>'
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise InstanceError(f"{value!r} has no UTF-8 (surrogates not allowed)")
    return f'"{"".join(map(_escaped, value))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    return f"\\u{ord(character):04X}" if character < " " or character == "\x7f" else character


def _element(instance: Instance, id_: int) -> Resource:
    return Resource(ResourceKind.ELEMENT, (instance.name_of(id_),))


def _attributes(instance: Instance, id_: int, subject: Resource) -> Iterator[Triple]:
    type_ = instance.type_of(id_)
    for name, value in instance.attributes(id_).items():
        if isinstance(value, Operation):
            raise InstanceError(f"{str(subject)!r} holds {value}, which triples cannot say")
        owner = instance.schema.attribute(type_, name).owner
        yield subject, Resource(ResourceKind.ATTRIBUTE, (owner, name)), value
