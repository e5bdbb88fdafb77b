# SPDX-License-Identifier: Apache-2.0
"""Instances as graphs of networkx, and back.

Two ways. An instance of a graph-like schema, whose edges are a type with two functions or a
relation with two legs, *is* a directed multigraph. Any instance has a graph of its elements (its
category of elements): a node for each element and each tuple, an edge for each value of a function
and each leg.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from fcp_ros.cset.instance.builder import InstanceBuilder
from fcp_ros.cset.instance.free_names import FreeNames
from fcp_ros.cset.instance.instance import Instance, InstanceError
from fcp_ros.cset.schema.schema import Schema, SchemaError
from fcp_ros.foundation.wording import describe_unknown_name


@dataclass(frozen=True)
class GraphLayout:
    """How a schema is about graphs.

    Attributes:
        vertices: the type of the vertices.
        edges: the type, or the relation, of the edges.
        source: the function, or leg, from an edge to where it starts.
        target: the one to where it ends.
    """

    vertices: str = "V"
    edges: str = "E"
    source: str = "src"
    target: str = "tgt"


def to_multidigraph(instance: Instance, layout: GraphLayout | None = None) -> nx.MultiDiGraph:
    """The graph that an instance of a graph-like schema is.

    Nodes are the names of the vertices, and keys of edges the names of the edges (of tuples, their
    position); attributes are the data of nodes and edges.

    Args:
        instance: what to convert.
        layout: how its schema is about graphs; types V and E, functions src and tgt by default.

    Raises:
        InstanceError: the schema has not this layout, or the instance has other elements.
    """
    ends = _Ends(instance.schema, layout or GraphLayout())
    for id_ in _all_ids(instance):
        if instance.type_of(id_) not in (ends.layout.vertices, ends.layout.edges):
            raise InstanceError(
                f"{instance.name_of(id_)!r} is a {instance.type_of(id_)!r}, neither vertex nor "
                "edge of the graph; use elements_to_networkx"
            )
    graph = nx.MultiDiGraph()
    for vertex in instance.elements(ends.layout.vertices):
        graph.add_nodes_from([(instance.name_of(vertex), instance.attributes(vertex))])
    for number, edge in enumerate(instance.elements(ends.layout.edges), start=1):
        source, target = map(instance.name_of, ends.of(instance, edge))
        key: Hashable = number if ends.is_relation else instance.name_of(edge)
        graph.add_edges_from([(source, target, key, instance.attributes(edge))])
    return graph


def from_multidigraph(
    schema: Schema, graph: nx.Graph, layout: GraphLayout | None = None
) -> Instance:
    """The instance of a graph-like schema that a directed graph is.

    Nodes, written as texts, become names, and so do keys of edges that are texts; names that are
    there already get a number. The data of nodes and edges are attributes.

    Args:
        schema: of the instance.
        graph: a DiGraph or a MultiDiGraph.
        layout: how the schema is about graphs; types V and E, functions src and tgt by default.

    Raises:
        InstanceError: the graph is not directed, the schema has not this layout, edges of a
            relation are parallel, or data are no attributes; names the node or edge.
    """
    if not graph.is_directed():
        raise InstanceError("the graph is not directed; convert it by to_directed()")
    ends = _Ends(schema, layout or GraphLayout())
    reader = _GraphReader(schema, ends)
    for node, data in graph.nodes(data=True):
        reader.add_vertex(node, data)
    for key, source, target, data in _edges(graph):
        reader.add_edge(key, source, target, data)
    return reader.builder.build()


def elements_to_networkx(instance: Instance) -> nx.MultiDiGraph:
    """The graph of the elements of any instance.

    A node is the name of an element, or for a tuple ``(relation, name, name, ...)``. Its data are
    ``type`` and ``attributes``. An edge goes from an element to each value of a function, and from
    a tuple to each of its elements; its key is the name of the function or leg.
    """
    graph = nx.MultiDiGraph()
    for id_ in _all_ids(instance):
        graph.add_node(
            instance.key_of(id_), type=instance.type_of(id_), attributes=instance.attributes(id_)
        )
    for function in instance.schema.functions:
        for element in instance.elements(function.source):
            value = instance.apply(function.name, element)
            graph.add_edge(instance.name_of(element), instance.name_of(value), function.name)
    for relation in instance.schema.relations:
        for row, legs in instance.tuples(relation.name).items():
            for (leg, _), element in zip(relation.legs, legs, strict=True):
                graph.add_edge(instance.key_of(row), instance.name_of(element), leg)
    return graph


def elements_from_networkx(
    schema: Schema, graph: nx.MultiDiGraph, *, allow_conflicts: bool = False
) -> Instance:
    """The instance of which a graph is the graph of elements.

    Args:
        schema: of the instance.
        graph: as `elements_to_networkx` makes it. Nodes of types that are no texts are named by
            what they are written as; what nodes of relations are, does not matter.
        allow_conflicts: whether functional legs may be broken, as by a pattern.

    Raises:
        InstanceError: a node lacks its type, a function or leg is missing, there twice, or unknown;
            names the node.
    """
    if not (graph.is_directed() and graph.is_multigraph()):
        raise InstanceError(
            "a graph of elements is a MultiDiGraph, with functions and legs as keys"
        )
    return _ElementsReader(schema, graph).read(allow_conflicts)


class _Ends:
    """Where the edges of a layout start and end."""

    def __init__(self, schema: Schema, layout: GraphLayout) -> None:
        self.layout = layout
        self.is_relation = schema.has_relation(layout.edges)
        self._legs = (layout.source, layout.target)
        try:
            ends = [schema.path_end(layout.edges, (leg,)) for leg in self._legs]
        except SchemaError as error:
            raise InstanceError(
                f"schema {schema.name!r} is not about such graphs: {error}"
            ) from error
        if ends != [layout.vertices] * 2 or layout.vertices == layout.edges:
            raise InstanceError(
                f"schema {schema.name!r} is not about such graphs: {layout.source!r} and "
                f"{layout.target!r} lead to {ends[0]!r} and {ends[1]!r}, not to {layout.vertices!r}"
            )
        if self.is_relation:
            legs = [leg for leg, _ in schema.relation(layout.edges).legs]
            if sorted(legs) != sorted(self._legs):
                raise InstanceError(f"relation {layout.edges!r} has the legs {', '.join(legs)}")
            self._positions = tuple(map(schema.relation(layout.edges).position, self._legs))

    def of(self, instance: Instance, edge: int) -> tuple[int, int]:
        """The source and the target of an edge."""
        if self.is_relation:
            legs = instance.tuples(self.layout.edges)[edge]
            return legs[self._positions[0]], legs[self._positions[1]]
        source, target = (instance.apply(function, edge) for function in self._legs)
        return source, target

    def legs(self, source: int, target: int) -> tuple[int, int]:
        """The two in the order of the relation's legs."""
        return (source, target) if self._positions == (0, 1) else (target, source)


class _GraphReader:
    def __init__(self, schema: Schema, ends: _Ends) -> None:
        self.builder = InstanceBuilder(schema)
        self._ends = ends
        self._names = FreeNames()
        self._ids: dict[Hashable, int] = {}
        self._tuples: set[tuple[int, int]] = set()

    def add_vertex(self, node: Hashable, data: Mapping[str, Any]) -> None:
        name = self._names.take(str(node))
        type_ = self._ends.layout.vertices
        self._ids[node] = _located(f"node {node!r}", self.builder.add, type_, name, data)

    def add_edge(
        self, key: Hashable, source: Hashable, target: Hashable, data: Mapping[str, Any]
    ) -> None:
        layout, where = self._ends.layout, f"edge from {source!r} to {target!r}"
        start, end = self._ids[source], self._ids[target]
        if self._ends.is_relation:
            legs = self._ends.legs(start, end)
            if legs in self._tuples:
                raise InstanceError(
                    f"{where} is there twice, but {layout.edges!r} is a relation: remove one"
                )
            self._tuples.add(legs)
            row = self.builder.relate(layout.edges, *legs)
            for name, value in data.items():
                _located(where, self.builder.set_attribute, row, name, value)
        else:
            # networkx numbers the edges between two nodes: such keys are no names.
            name = self._names.take(key if isinstance(key, str) else f"{layout.edges}_1")
            edge = _located(where, self.builder.add, layout.edges, name, data)
            self.builder.set_function(layout.source, edge, start)
            self.builder.set_function(layout.target, edge, end)


class _ElementsReader:
    def __init__(self, schema: Schema, graph: nx.MultiDiGraph) -> None:
        self.schema = schema
        self.graph = graph
        self.builder = InstanceBuilder(schema)
        self.ids: dict[Hashable, int] = {}

    def read(self, allow_conflicts: bool) -> Instance:
        names = FreeNames()
        relations = []
        for node, data in self.graph.nodes(data=True):
            type_, attributes = data.get("type"), data.get("attributes", {})
            if not isinstance(attributes, Mapping):
                raise InstanceError(f"node {node!r}: 'attributes' must be a mapping")
            if self.schema.has_relation(str(type_)):
                relations.append((node, str(type_), attributes))
            elif type_ is None:
                raise InstanceError(f"node {node!r} has no type; set its data 'type'")
            else:
                name = names.take(str(node))
                add = self.builder.add
                self.ids[node] = _located(f"node {node!r}", add, type_, name, attributes)
        for node, id_ in self.ids.items():
            functions = self.schema.functions_of(self.builder.type_of(id_))
            for step, value in self.values(node, [f.name for f in functions]):
                self.builder.set_function(step, id_, value)
        seen: dict[int, Hashable] = {}
        for node, relation, attributes in relations:
            legs = [leg for leg, _ in self.schema.relation(relation).legs]
            ids = dict(self.values(node, legs))
            where = f"node {node!r}"
            row = _located(where, self.builder.relate, relation, *(ids[leg] for leg in legs))
            if row in seen:
                raise InstanceError(f"{where} is the same tuple as node {seen[row]!r}; remove one")
            seen[row] = node
            for name, value in attributes.items():
                _located(where, self.builder.set_attribute, row, name, value)
        return self.builder.build(allow_conflicts=allow_conflicts)

    def values(self, node: Hashable, steps: list[str]) -> Iterator[tuple[str, int]]:
        found: dict[str, Hashable] = {}
        for _, value, step in self.graph.out_edges(node, keys=True):
            if step not in steps:
                raise InstanceError(
                    describe_unknown_name("function", step, steps, f"node {node!r}")
                )
            if step in found:
                raise InstanceError(f"node {node!r} has {step!r} twice; leave one edge")
            found[step] = value
        for step in steps:
            if found.get(step) not in self.ids:
                raise InstanceError(
                    f"node {node!r} has no element for {step!r}; add an edge to one"
                )
            yield step, self.ids[found[step]]


def _edges(graph: nx.Graph) -> Iterator[tuple[Hashable, Hashable, Hashable, Mapping[str, Any]]]:
    """The edges with their keys; with None, where the graph is no multigraph."""
    if graph.is_multigraph():
        for source, target, key, data in graph.edges(keys=True, data=True):
            yield key, source, target, data
    else:
        for source, target, data in graph.edges(data=True):
            yield None, source, target, data


def _located(where: str, change: Callable[..., Any], *arguments: Any) -> Any:
    """Make a change of the builder; its errors say where."""
    try:
        return change(*arguments)
    except (InstanceError, SchemaError) as error:
        raise InstanceError(f"{where}: {error}") from error


def _all_ids(instance: Instance) -> Iterable[int]:
    yield from instance.all_elements()
    for relation in instance.schema.relations:
        yield from instance.elements(relation.name)
