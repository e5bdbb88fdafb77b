# SPDX-License-Identifier: Apache-2.0
"""Proofs that two paths are equal: found, refuted, or given up."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Function, Relation, Schema, SchemaError
from fcp_ros.cset.migration.path_congruence import Proof, prove_equal
from fcp_ros.cset.schema.symbols import PathEquation

TWO = (Function("f", "a", "a"), Function("g", "a", "b"), Function("h", "b", "a"))


def of(*equations: PathEquation) -> Schema:
    """A schema with three functions and these equations."""
    return Schema("three functions", {"a": (), "b": ()}, TWO, equations=equations)


def test_without_equations_only_the_same_path_is_equal() -> None:
    assert prove_equal(of(), "a", ("g", "h"), ("g", "h"), 10) is Proof.EQUAL
    assert prove_equal(of(), "a", ("f",), (), 10) is Proof.DIFFERENT


def test_equations_are_used_inside_of_paths_and_in_both_directions() -> None:
    # f of order 3, and h undoes g: then f.f.(g.h).f.f = f.f.f.f = f.
    order = PathEquation("a", ("f", "f", "f"), ())
    inverse = PathEquation("a", ("g", "h"), ())
    schema = of(order, inverse)
    assert prove_equal(schema, "a", ("f", "f", "g", "h", "f", "f"), ("f",), 1000) is Proof.EQUAL
    assert prove_equal(schema, "a", ("f",), ("f", "f", "g", "h", "f", "f"), 1000) is Proof.EQUAL


def test_the_search_is_bounded() -> None:
    # f.f = f makes infinitely many paths of f, none of which is the empty one; and of the functions
    # g and h there is no end of elements.
    schema = of(PathEquation("a", ("f", "f"), ("f",)))
    assert prove_equal(schema, "a", ("f",), (), 50) is Proof.UNKNOWN
    assert prove_equal(schema, "a", ("f",), ("f",) * 5, 50) is Proof.EQUAL
    # Only these two paths are equal to either: known, though elements are endless.
    schema = of(PathEquation("a", ("f", "f", "f"), ("g", "h")))
    assert prove_equal(schema, "a", ("f",), (), 50) is Proof.DIFFERENT
    assert prove_equal(schema, "b", ("h", "g", "h"), ("h", "f", "f", "f"), 50) is Proof.EQUAL


def test_where_equations_leave_only_one_element_all_paths_are_equal() -> None:
    schema = of(PathEquation("a", ("f",), ()), PathEquation("a", ("g", "h"), ()),
                PathEquation("b", ("h", "g"), ()))  # fmt: skip
    assert prove_equal(schema, "a", ("f", "g", "h", "f"), (), 50) is Proof.EQUAL
    assert prove_equal(schema, "a", ("f", "g"), ("g", "h", "g"), 50) is Proof.EQUAL


def test_types_that_only_equations_tell_are_known() -> None:
    # f of a thing is its g, which is a toy; and for a toy k is the identity.
    schema = Schema(
        "toys",
        {"thing": (), "toy": ("thing",)},
        (
            Function("f", "thing", "thing"),
            Function("g", "thing", "toy"),
            Function("k", "toy", "toy"),
        ),
        equations=(
            PathEquation("thing", ("f",), ("g",)),
            PathEquation("toy", ("k",), ()),
            PathEquation("thing", ("g", "f"), ("f",)),
            PathEquation("toy", ("g",), ()),
        ),
    )
    assert prove_equal(schema, "thing", ("f", "g"), ("g", "k"), 50) is Proof.EQUAL
    assert prove_equal(schema, "thing", ("f",), (), 50) is Proof.DIFFERENT


def test_equations_of_ancestors_hold_for_subtypes_only() -> None:
    schema = Schema(
        "toys",
        {"thing": (), "toy": ("thing",)},
        (Function("part_of", "thing", "thing"),),
        (Relation("on", (("item", "toy"), ("other", "thing"))),),
        equations=(PathEquation("toy", ("part_of",), ()),),
    )
    assert prove_equal(schema, "toy", ("part_of",), (), 50) is Proof.EQUAL
    assert prove_equal(schema, "on", ("item", "part_of"), ("item",), 50) is Proof.EQUAL
    # The other one may be a thing, of which there are parts without end.
    assert prove_equal(schema, "on", ("other", "part_of"), ("other",), 50) is Proof.UNKNOWN


@st.composite
def questions(draw: st.DrawFn) -> tuple[Schema, tuple[str, ...], tuple[str, ...]]:
    """A schema with one type, and two paths."""
    paths = st.lists(st.sampled_from("fg"), max_size=3).map(tuple)
    pairs = draw(st.lists(st.tuples(paths, paths), min_size=1, max_size=3))
    functions = (Function("f", "a", "a"), Function("g", "a", "a"))
    equations = tuple(PathEquation("a", *pair) for pair in pairs)
    return Schema("monoid", {"a": ()}, functions, equations=equations), draw(paths), draw(paths)


@settings(max_examples=60, deadline=None)
@given(question=questions())
def test_proofs_agree_with_chains_of_equations(
    question: tuple[Schema, tuple[str, ...], tuple[str, ...]],
) -> None:
    """The slow twin: paths of bounded length, joined where one use of an equation leads on."""
    schema, left, right = question
    found = prove_equal(schema, "a", left, right, 100)
    groups = {word: word for length in range(7) for word in product("fg", repeat=length)}

    def root(word: tuple[str, ...]) -> tuple[str, ...]:
        while groups[word] != word:
            word = groups[word]
        return word

    for word in list(groups):
        for equation, at in product(schema.equations, range(len(word) + 1)):
            if word[at : at + len(equation.left)] == equation.left:
                other = word[:at] + equation.right + word[at + len(equation.left) :]
                if other in groups:
                    groups[root(word)] = root(other)
    if root(left) == root(right):
        assert found is not Proof.DIFFERENT
    elif found is Proof.EQUAL:
        # Only by way of longer paths.
        assert any(len(e.left) != len(e.right) for e in schema.equations)


def test_few_proofs_are_given_up_where_all_can_be_had() -> None:
    # The group of order 6 with f of order 2, g of order 3, and f.g = g.g.f; its 6 elements differ.
    functions = (Function("f", "a", "a"), Function("g", "a", "a"))
    equations = (
        PathEquation("a", ("f", "f"), ()),
        PathEquation("a", ("g", "g", "g"), ()),
        PathEquation("a", ("f", "g"), ("g", "g", "f")),
    )
    schema = Schema("symmetric group", {"a": ()}, functions, equations=equations)
    words = [word for length in range(5) for word in product("fg", repeat=length)]
    normal = [("g",) * i + ("f",) * j for i in range(3) for j in range(2)]
    for word in words:
        proofs = [prove_equal(schema, "a", word, form, 300) for form in normal]
        assert proofs.count(Proof.EQUAL) == 1, word


def test_paths_that_are_none() -> None:
    with pytest.raises(SchemaError, match="no type 'c'"):
        prove_equal(of(PathEquation("a", ("f",), ())), "c", (), ("f",), 10)
