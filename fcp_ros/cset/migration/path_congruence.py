# SPDX-License-Identifier: Apache-2.0
"""Proofs that two paths are equal by the equations of a schema.

This is the word problem of the category that the schema presents, which is undecidable. So the
search is bounded, and may find no answer.
"""

from collections.abc import Iterator
from enum import Enum

from fcp_ros.cset.limits.chase import Chase, FunctionalLegs
from fcp_ros.cset.limits.diagrams import LimitError, PresentationError
from fcp_ros.cset.schema.schema import Schema, TypeName
from fcp_ros.cset.schema.symbols import PathEquation

Path = tuple[str, ...]

_LONGEST = 40
"""If equations make a path longer than that, the equal paths count as infinitely many."""


class Proof(str, Enum):
    """The result of comparing two paths."""

    EQUAL = "equal"
    """The equations make them equal in every instance."""
    DIFFERENT = "different"
    """The equations do not make them equal: in some instance they differ."""
    UNKNOWN = "unknown"
    """The bound was reached."""


def prove_equal(schema: Schema, source: TypeName, left: Path, right: Path, bound: int) -> Proof:
    """Decide if two paths lead to the same element in every instance.

    They do if they do at the generator of the representable of their source, which a chase
    enumerates. If the chase does not end, the paths that equations make of one of the two are
    enumerated as well, since these may be few.

    Args:
        schema: whose equations may be used, inherited ones included.
        source: the type or relation at which both paths start.
        left: a path from there.
        right: another one.
        bound: the most elements to create, and the most paths to look at.
    """
    chase = Chase(schema, FunctionalLegs.KEEP)
    start = chase.add(source, source)
    ends = [chase.at(start, path) for path in (left, right)]
    try:
        chase.run(bound)
        finite = True
    except PresentationError:
        finite = False
    except LimitError:
        return Proof.EQUAL  # no instance has an element of the source
    if chase.congruence.find(ends[0]) == chase.congruence.find(ends[1]):
        return Proof.EQUAL
    if finite:
        return Proof.DIFFERENT
    found = _find_equal_paths(schema, source, left, bound)
    if found is None:
        return Proof.UNKNOWN
    return Proof.EQUAL if right in found else Proof.DIFFERENT


def _find_equal_paths(schema: Schema, source: TypeName, path: Path, bound: int) -> set[Path] | None:
    """Find all paths that equations make of a path; None if they may be too many."""
    if not all(_keeps_type(schema, equation) for equation in schema.equations):
        return None
    found, todo = {path}, [path]
    while todo:
        for other in _rewrite_once(schema, source, todo.pop()):
            if len(other) > _LONGEST or len(found) > bound:
                return None
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def _rewrite_once(schema: Schema, source: TypeName, path: Path) -> Iterator[Path]:
    """Find the paths that one use of one equation makes of a path."""
    for start in range(len(path) + 1):
        reached = schema.path_end(source, path[:start])
        for equation in schema.equations:
            if schema.is_subtype(reached, equation.source):
                for old, new in (
                    (equation.left, equation.right),
                    (equation.right, equation.left),
                ):
                    if path[start : start + len(old)] == old:
                        yield path[:start] + new + path[start + len(old) :]


def _keeps_type(schema: Schema, equation: PathEquation) -> bool:
    """Return True if both sides declare one type; else elements have functions beyond the paths."""
    left, right = (schema.path_end(equation.source, p) for p in (equation.left, equation.right))
    return left == right
