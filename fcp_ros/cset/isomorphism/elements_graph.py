# SPDX-License-Identifier: Apache-2.0
"""The category of elements of an instance as a coloured graph, for colour refinement.

Nodes are elements, tuples and attribute variables; arcs are function values, legs, and the places
where a variable stands. An arc is labelled, and of each label a node has at most one going out. The
colour of a node is its own type with the attribute values that are set. Two instances of a schema
are isomorphic exactly when these graphs are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fcp_ros.cset.instance.expressions import ValueOperation, ValueVariable
from fcp_ros.cset.instance.instance import Instance

Arc = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ColouredGraph:
    """A graph with coloured nodes 0, 1, ... and labelled arcs.

    Attributes:
        colours: the colour of each node.
        arcs: for each node the arcs that touch it, as (2 * label, target) for one that goes out and
            (2 * label + 1, source) for one that comes in.
    """

    colours: list[int]
    arcs: list[list[Arc]]

    def __len__(self) -> int:
        return len(self.colours)

    @property
    def weight(self) -> int:
        """The number of nodes and arcs: the unit in which work is counted."""
        return len(self.colours) + sum(map(len, self.arcs)) // 2

    def is_source(self, node: int) -> bool:
        """Return True if no arc comes in."""
        return not any(key & 1 for key, _ in self.arcs[node])

    def targets(self, node: int) -> list[Arc]:
        """List the arcs that go out."""
        return [arc for arc in self.arcs[node] if not arc[0] & 1]

    def part(self, nodes: Sequence[int], colour: Sequence[int]) -> "ColouredGraph":
        """Return the subgraph on some nodes, with other colours (for each node of this graph)."""
        index = {node: number for number, node in enumerate(nodes)}
        arcs = [
            [(key, index[other]) for key, other in self.arcs[node] if other in index]
            for node in nodes
        ]
        return ColouredGraph([colour[node] for node in nodes], arcs)


@dataclass(frozen=True, slots=True)
class ElementsGraph:
    """The category of elements of one instance, or of several side by side.

    Attributes:
        graph: the nodes of the first instance come first, then those of the second, and so on.
        palette: what each colour means.
        ids: for each instance the ids of its nodes in order, then the names of its variables.
        starts: the first node of each instance.
    """

    graph: ColouredGraph
    palette: tuple[str, ...]
    ids: tuple[tuple[int | str, ...], ...]
    starts: tuple[int, ...]


def elements_graph(*instances: Instance) -> ElementsGraph:
    """Build one graph of the categories of elements of instances of one schema.

    Colours and labels depend on the schema and the values alone: not on ids, names, or the process.
    """
    meanings: list[str] = []
    arcs: list[list[Arc]] = []
    ids: list[tuple[int | str, ...]] = []
    starts: list[int] = []
    for instance in instances:
        reader = _Reader(instance, len(meanings))
        starts.append(len(meanings))
        meanings.extend(reader.meanings)
        arcs.extend(reader.arcs)
        ids.append(tuple(reader.ids))
    palette = tuple(sorted(set(meanings)))
    rank = {meaning: number for number, meaning in enumerate(palette)}
    graph = ColouredGraph([rank[meaning] for meaning in meanings], arcs)
    return ElementsGraph(graph, palette, tuple(ids), tuple(starts))


class _Reader:
    """Reader of one instance into nodes numbered from `start` on."""

    def __init__(self, instance: Instance, start: int) -> None:
        self.instance = instance
        self.start = start
        schema = instance.schema
        types = instance.element_table().types
        self.ids: list[int | str] = list(types)
        self.meanings = list(types.values())
        self.tables = [
            (relation.name, instance.relation_table(relation.name).rows)
            for relation in sorted(schema.relations, key=lambda relation: relation.name)
        ]
        for name, rows in self.tables:
            self.ids.extend(rows)
            self.meanings.extend([name] * len(rows))
        self.index = {id_: start + number for number, id_ in enumerate(self.ids)}
        self.arcs: list[list[Arc]] = [[] for _ in self.ids]
        names = sorted({attribute.name for attribute in schema.attributes})
        functions = sorted(function.name for function in schema.functions)
        legs = [(r.name, p) for r in schema.relations for p in range(len(r.legs))]
        labels: list[object] = [*names, *(("", f) for f in functions), *sorted(legs)]
        self.label = {label: number for number, label in enumerate(labels)}
        for name in names:
            self.read_attribute(name)
        for name in functions:
            for source, target in instance.function_table(name).values.items():
                self.join(self.label["", name], self.index[source], self.index[target])
        for name, rows in self.tables:
            for row, elements in rows.items():
                for position, element in enumerate(elements):
                    self.join(self.label[name, position], self.index[row], self.index[element])

    def join(self, label: int, source: int, target: int) -> None:
        self.arcs[source - self.start].append((2 * label, target))
        self.arcs[target - self.start].append((2 * label + 1, source))

    def read_attribute(self, name: str) -> None:
        """Add the values to the colours; a variable becomes a node, with an arc to it."""
        for id_, value in self.instance.attribute_table(name).items():
            node = self.index[id_]
            self.meanings[node - self.start] += f"\n{name}={_format_value(value)}"
            for place, variable in enumerate(_list_variables(value)):
                # Labels of later places must not meet those of other attributes.
                label = self.label[name] + place * len(self.label)
                self.join(label, node, self.variable(variable))

    def variable(self, name: str) -> int:
        key = f"?{name}"
        if key not in self.index:
            self.index[key] = self.start + len(self.ids)
            self.ids.append(key)
            self.meanings.append("?")
            self.arcs.append([])
        return self.index[key]


def _format_value(value: object) -> str:
    """Format a value: equally for equal values of a kind; variables are all alike."""
    if isinstance(value, ValueVariable):
        return "?"
    if isinstance(value, ValueOperation):
        return f"({value.operator.value} {' '.join(map(_format_value, value.arguments))})"
    # Adding 0.0 turns -0.0, which equals 0.0, into it.
    return repr(value + 0.0 if isinstance(value, float) else value)


def _list_variables(value: object) -> Iterator[str]:
    """Yield the variables of an expression from left to right, as often as they occur."""
    if isinstance(value, ValueVariable):
        yield value.name
    elif isinstance(value, ValueOperation):
        for argument in value.arguments:
            yield from _list_variables(argument)
