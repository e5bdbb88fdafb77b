# SPDX-License-Identifier: Apache-2.0
"""Instances as triples, and as N-Triples."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Attribute, AttributeKind, InstanceBuilder, InstanceError, Schema
from fcp_ros.cset.graphs import path
from fcp_ros.cset.instance.expressions import Operation, Operator, Variable
from fcp_ros.cset.interchange.triples import (
    RDF_TYPE,
    XSD,
    Resource,
    schema_triples,
    to_ntriples,
    triples,
)

BASE = "https://example.org/home"


def test_the_triples_of_an_edge() -> None:
    found = [tuple(map(str, triple)) for triple in triples(path(2))]
    assert found == [
        ("v1", "is_a", "V"),
        ("v2", "is_a", "V"),
        ("e1", "is_a", "E"),
        ("e1", "src", "v1"),
        ("e1", "tgt", "v2"),
    ]


def test_tuples_and_attributes(full_schema: Schema) -> None:
    builder = InstanceBuilder(full_schema)
    hall = builder.add("place", "hall")
    builder.set_function("near", hall, hall)
    mugs = [builder.add("mug", name, {"litres": 0.25}) for name in ("a", "b")]
    for mug in mugs:
        builder.set_function("home", mug, hall)
    builder.set_attribute(builder.relate("on", *mugs), "since", 7)
    found = [tuple(map(str, triple)) for triple in triples(builder.build())]
    assert found[-4:] == [
        ("on(a, b)", "is_a", "on"),
        ("on(a, b)", "on.item", "a"),
        ("on(a, b)", "on.support", "b"),
        ("on(a, b)", "on.since", "7"),
    ]
    assert ("a", "mug.litres", "0.25") in found
    assert [tuple(map(str, triple)) for triple in schema_triples(full_schema)] == [
        ("mug", "is_a", "thing")
    ]
    text = to_ntriples(builder.build(), BASE + "/")
    iri = f"<{BASE}/tuple/on/a/b>"
    assert f"{iri} <{RDF_TYPE}> <{BASE}/relation/on> .\n" in text
    assert f"{iri} <{BASE}/leg/on/item> <{BASE}/element/a> .\n" in text
    assert f'{iri} <{BASE}/attribute/on/since> "7"^^<{XSD}integer> .\n' in text
    assert "rdf-schema#subClassOf" in text.splitlines()[0]


# The grammar of RDF 1.1 N-Triples, section 7, as far as it is needed here.
IRIREF = r"<([^\x00-\x20<>\"{}|^`\\]*)>"
BLANK = r"_:([A-Za-z0-9]+)"
LITERAL = r'"((?:[^"\\\n\r]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4})*)"(?:\^\^' + IRIREF + r")?"
LINE = re.compile(rf"{IRIREF} {IRIREF} (?:{IRIREF}|{BLANK}|{LITERAL}) \.")
UNESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "\\": "\\"}


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if code[0] == "u" else UNESCAPED[code]

    return re.sub(r"\\(u[0-9A-Fa-f]{4}|.)", character, text)


def _value(lexical: str, datatype: str | None) -> Any:
    kind = (datatype or "").removeprefix(XSD)
    if kind == "boolean":
        return {"true": True, "false": False}[lexical]
    convert: dict[str, Callable[[str], Any]] = {"integer": int, "double": float}
    return convert.get(kind, str)(lexical)


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_ntriples_say_what_the_triples_say(
    data: st.DataObject, full_instances: Callable[..., Any]
) -> None:
    """Read back by the grammar, with names taken from the IRIs."""
    instance = data.draw(full_instances())
    text = to_ntriples(instance, BASE)
    lines = [LINE.fullmatch(line) for line in text.split("\n")[:-1]]
    expected = [*schema_triples(instance.schema), *triples(instance)]
    assert len(lines) == len(expected)
    blanks: dict[str, Variable] = {}
    for line, (subject, predicate, object_) in zip(lines, expected, strict=True):
        assert line is not None
        assert _names(line[1]) == (subject.kind.value, *subject.names)
        if predicate.names:
            assert _names(line[2]) == (predicate.kind.value, *predicate.names)
        if isinstance(object_, Resource):
            assert _names(line[3]) == (object_.kind.value, *object_.names)
        elif isinstance(object_, Variable):
            assert blanks.setdefault(line[4], object_) == object_
        else:
            found = _value(_unescaped(line[5]), line[6])
            assert found == object_
            assert type(found) is type(object_)
    assert len(set(blanks.values())) == len(blanks)
    text.encode("utf-8")


def _names(iri: str) -> tuple[str, ...]:
    assert iri.startswith(f"{BASE}/")
    return tuple(map(unquote, iri.removeprefix(f"{BASE}/").split("/")))


def test_awkward_names_and_values() -> None:
    schema = Schema("s", {"T": ()}, (), (), (Attribute("a", "T", AttributeKind.STRING),))
    builder = InstanceBuilder(schema)
    builder.add("T", "..", {"a": 'say "no"\n\\ \x01 é 😀'})
    builder.add("T", "a/b?#<é>")
    lines = to_ntriples(builder.build(), BASE).splitlines()
    assert lines[0].startswith(f"<{BASE}/element/%2E%2E> ")
    assert lines[1].endswith(' "say \\"no\\"\\n\\\\ \\u0001 é 😀" .')
    assert lines[2].startswith(f"<{BASE}/element/a%2Fb%3F%23%3C%C3%A9%3E> ")


@pytest.mark.parametrize("base", ["home", "https://example.org/a b", "https://e.org/#x", "x:<y>"])
def test_a_base_that_is_no_absolute_iri_is_refused(base: str) -> None:
    with pytest.raises(InstanceError, match="is no absolute IRI; give one like"):
        to_ntriples(path(1), base)


def test_what_rdf_cannot_say_is_refused() -> None:
    schema = Schema("s", {"T": ()}, (), (), (Attribute("a", "T", AttributeKind.STRING),))
    builder = InstanceBuilder(schema)
    element = builder.add("T", "x", {"a": "\ud800"})
    with pytest.raises(InstanceError, match="has no UTF-8"):
        to_ntriples(builder.build(), BASE)
    sum_ = Operation(Operator.ADD, (Variable("x"), 1))
    builder.set_attribute(element, "a", sum_)  # type: ignore[arg-type]
    with pytest.raises(InstanceError, match=r"'x' holds .*, which triples cannot say"):
        list(triples(builder.build()))
    builder = InstanceBuilder(schema)
    builder.add("T", "\udfff")
    with pytest.raises(InstanceError, match="has no UTF-8"):
        to_ntriples(builder.build(), BASE)


def test_rdflib_reads_the_same(full_schema: Schema) -> None:
    rdflib = pytest.importorskip("rdflib")
    builder = InstanceBuilder(full_schema)
    hall = builder.add("place", 'a "hall" / é', {"label": "line\nbreak \\ 😀"})
    builder.set_function("near", hall, hall)
    instance = builder.build()
    found = rdflib.Graph().parse(data=to_ntriples(instance, BASE), format="nt")
    assert len(found) == len([*schema_triples(full_schema), *triples(instance)])
    assert rdflib.Literal("line\nbreak \\ 😀") in set(found.objects())
