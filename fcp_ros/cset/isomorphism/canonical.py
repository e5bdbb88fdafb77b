# SPDX-License-Identifier: Apache-2.0
"""A hash of instances that does not depend on the names and ids of elements.

After colour refinement, the rest is cut into components. In each of them every node of one cell is
individualised in turn, and the result is hashed recursively (individualisation and refinement:
McKay, "Practical graph isomorphism", 1981; McKay and Piperno, "Practical graph isomorphism, II",
2014). Automorphisms are not used to prune, and the work is counted in a unit that isomorphic
instances share. So they always get the same hash, even where the bound stops it.
"""

from dataclasses import dataclass
from hashlib import blake2b

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.isomorphism.colour_refinement import (
    Colouring,
    components,
    describe_quotient,
    refine,
)
from fcp_ros.cset.isomorphism.elements_graph import ColouredGraph, elements_graph

DEFAULT_BOUND = 200_000


@dataclass(frozen=True, slots=True)
class CanonicalHash:
    """The hash of an instance up to isomorphism.

    Attributes:
        digest: 32 hexadecimal digits.
        is_complete: whether the search was finished. Instances with equal complete digests are
            isomorphic (but for collisions of a 128-bit hash).
    """

    digest: str
    is_complete: bool


def canonical_hash(instance: Instance, *, bound: int = DEFAULT_BOUND) -> CanonicalHash:
    """Hash an instance up to isomorphism, equally in every process and on every machine.

    An isomorphism keeps types, attribute values, function values and tuples; names and ids do not
    count. Attribute variables count up to renaming: ``weight = ?x`` and ``weight = ?y`` are alike,
    but one variable in two places differs from two variables.

    Isomorphic instances of one schema have equal hashes for the same `bound`. Others have different
    hashes (but for collisions of the 128-bit hash) if at least one is complete. Two incomplete
    hashes may collide, if neither colour refinement nor the first steps from each node of the
    components that were given up show a difference. Such components are connected, highly regular,
    and large for the bound: a cycle of 1,000 vertices, a strongly regular graph with 100. Use
    `is_isomorphic` to compare them.

    Args:
        instance: what to hash.
        bound: maximum number of nodes and arcs visited after the first colour refinement; a
            million take about a second.
    """
    read = elements_graph(instance)
    colouring = Colouring.of(read.graph)
    refine(read.graph, colouring)
    found = _certify(read.graph, colouring, max(0, bound))
    digest = _digest(instance.schema.name, read.palette, found.digest)
    return CanonicalHash(digest.hex(), found.is_complete)


@dataclass(frozen=True, slots=True)
class _Certificate:
    digest: bytes
    is_complete: bool


def _certify(graph: ColouredGraph, colouring: Colouring, allowance: int) -> _Certificate:
    """Compute the certificate of a graph with an equitable colouring."""
    pieces = components(graph, colouring)
    if pieces.is_whole(graph):
        return _branch(graph, colouring, allowance)
    parts = [graph.part(nodes, colouring.colour) for nodes in pieces.parts]
    total = sum(part.weight for part in parts)
    # A part may be cut again: a node that was one of several alike may be the only one in a part.
    found = [_certify(part, Colouring.of(part), allowance * part.weight // total) for part in parts]
    described = (describe_quotient(graph, colouring), pieces.derived, pieces.free)
    digest = _digest(described, sorted(part.digest for part in found))
    return _Certificate(digest, all(part.is_complete for part in found))


def _branch(graph: ColouredGraph, colouring: Colouring, allowance: int) -> _Certificate:
    """Compute the certificate of a single component: individualise each node of a cell in turn."""
    described = describe_quotient(graph, colouring)
    cell = choose_branching_cell(graph, colouring)
    nodes = list(colouring.cells[cell])
    left = allowance - len(nodes) * graph.weight
    branch = _sketch_branch if left < 0 else _certify_branch
    share = (allowance if left < 0 else left) // len(nodes)
    found = []
    for node in nodes:
        count = len(colouring.cells)
        found.append(branch(graph, colouring, colouring.split(cell, {node}), share))
        colouring.undo(count)
    digest = _digest(described, cell, sorted(branch.digest for branch in found))
    return _Certificate(digest, all(branch.is_complete for branch in found))


def _certify_branch(
    graph: ColouredGraph, colouring: Colouring, fresh: int, allowance: int
) -> _Certificate:
    """Compute the certificate of a graph in which a node has been individualised."""
    refine(graph, colouring, (fresh,))
    return _certify(graph, colouring, allowance)


def _sketch_branch(
    graph: ColouredGraph, colouring: Colouring, fresh: int, allowance: int
) -> _Certificate:
    """Hash the first steps from an individualised node, where the whole exceeds the bound."""
    refine(graph, colouring, (fresh,), limit=allowance)
    return _Certificate(_digest(colouring.shape(fresh), "given up"), False)


def choose_branching_cell(graph: ColouredGraph, colouring: Colouring, copies: int = 1) -> int:
    """Choose the smallest cell that has more than one node to choose from.

    Source nodes are not chosen: their images follow from those of the nodes that they point to.

    Args:
        graph: a component.
        colouring: an equitable colouring of it.
        copies: the cell size that leaves no choice: the number of graphs side by side.
    """
    return min(
        (len(cell), number)
        for number, cell in enumerate(colouring.cells)
        if len(cell) > copies and not graph.is_source(next(iter(cell)))
    )[1]


def _digest(*parts: object) -> bytes:
    """Hash texts, numbers, bytes, and lists and tuples of them."""
    return blake2b(repr(parts).encode(), digest_size=16).digest()
