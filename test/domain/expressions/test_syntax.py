# SPDX-License-Identifier: Apache-2.0
"""The goal grammar: what it reads, that it round-trips, and where its errors point."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.expressions.parser import MAX_DEPTH, MAX_LENGTH, parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Constant,
    Exists,
    ExpressionError,
    Forall,
    Not,
    Or,
    Text,
    TypedVariable,
    Variable,
    Weighted,
    atoms,
    free_variables,
    to_text,
)

NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True)
ELEMENTS = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.\-]{0,8}", fullmatch=True)
TERMS = st.one_of(
    st.builds(Variable, NAMES), st.builds(Constant, ELEMENTS), st.builds(Text, st.text(max_size=12))
)
WORDS = st.sampled_from(["on", "inside", "serves_as", "p", "nothing", "android", "existsx"])
ATOMS = st.builds(Atom, WORDS, st.lists(TERMS, max_size=3).map(tuple))
QUANTIFIED = st.lists(
    st.builds(TypedVariable, NAMES, st.one_of(NAMES, st.text(max_size=8))), min_size=1, max_size=2
).map(tuple)


def _larger(inner):
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Exists, QUANTIFIED, inner),
        st.builds(Forall, QUANTIFIED, inner),
        st.builds(Weighted, st.floats(0.0, 1.0), inner),
    )


@given(st.recursive(ATOMS, _larger, max_leaves=8))
def test_text_round_trips(expression):
    assert parse_expression(to_text(expression)) == expression


def test_reads_the_documented_forms():
    x = Variable("x")
    assert parse_expression('on(?x, table_1) and serves_as(?x, "drinking")') == And(
        (Atom("on", (x, Constant("table_1"))), Atom("serves_as", (x, Text("drinking"))))
    )
    assert parse_expression("forall ?x: mug (on(?x, counter_1))") == Forall(
        (TypedVariable("x", "mug"),), Atom("on", (x, Constant("counter_1")))
    )
    assert parse_expression("not closed(fridge_1)") == Not(Atom("closed", (Constant("fridge_1"),)))
    assert parse_expression('0.5 * serves_as(?x, "drinking")') == Weighted(
        0.5, Atom("serves_as", (x, Text("drinking")))
    )
    assert parse_expression('exists ?x: "dining table", ?y: mug (on(?y, ?x))') == Exists(
        (TypedVariable("x", "dining table"), TypedVariable("y", "mug")),
        Atom("on", (Variable("y"), x)),
    )


def test_not_binds_tightest_then_and_then_or():
    a, b, c = (Atom(name, ()) for name in "abc")
    assert parse_expression("not a() and b() or c()") == Or((And((Not(a), b)), c))
    assert parse_expression("a() and (b() or c())") == And((a, Or((b, c))))
    assert parse_expression("0.5 * a() and b()") == And((Weighted(0.5, a), b))


def test_names_from_other_formats_can_be_quoted():
    assert parse_expression('on("O(3)", "Table|+01.00|2")') == Atom(
        "on", (Text("O(3)"), Text("Table|+01.00|2"))
    )
    assert to_text(Atom("on", (Constant("O(3)"), Constant("t-1")))) == 'on("O(3)", t-1)'


def test_columns_point_into_the_text_and_do_not_count_in_equality():
    expression = parse_expression("a(?x) and  b(t)")
    assert [atom.column for atom in atoms(expression)] == [1, 12]
    assert next(atoms(expression)).arguments[0].column == 3
    assert Variable("x", 3) == Variable("x")


def test_free_variables_leave_out_the_bound_ones():
    text = "a(?y) and exists ?x: t (b(?x, ?z)) and a(?z)"
    assert free_variables(parse_expression(text)) == ("y", "z")


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("on(?x, ", 7, "ends too early"),
        ("on(?x table)", 7, "comma"),
        ("on(x", 5, "`)`"),
        ("on x", 4, "`(`"),
        ("on(x) AND p(x)", 7, "lower case"),
        ("on(x) && p(x)", 7, "`and`"),
        ("on(x) | p(x)", 7, "`or`"),
        ("on(x) and !p(x)", 11, "`not`"),
        ("a('x')", 3, "double quotes"),
        ('a("x)', 3, "never closed"),
        ('a("\\q")', 3, "escape"),
        ("a(?)", 3, "needs a name"),
        ("?x = ?y", 1, "expected"),
        ("1.5 * a(b)", 1, "[0, 1]"),
        ("-0.5 * a(b)", 1, "[0, 1]"),
        ("exists x: mug (a(x))", 8, "?x"),
        ("exists ?x (a(?x))", 11, "colon"),
        ("not", 4, "ends too early"),
        ("a(b))", 5, "the end"),
        ("a(b) c(d)", 6, "and"),
    ],
)
def test_errors_point_at_the_character(text, column, words):
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert caught.value.column == column
    assert words in caught.value.message
    message, shown, caret = str(caught.value).split("\n")
    assert message == caught.value.message
    assert shown == f"  {text}".rstrip() or shown == f"  {text}"
    assert caret.index("^") == column + 1


def test_the_caret_stands_under_the_right_line():
    with pytest.raises(ExpressionError) as caught:
        parse_expression("on(a, b)\n\tand c(d e)\nand f(g)")
    assert str(caught.value).split("\n")[1:] == ["  \tand c(d e)", "  \t        ^"]


@pytest.mark.parametrize("text", ["", "  \n", "a(" + "x" * MAX_LENGTH + ")"])
def test_refuses_empty_and_huge_texts(text):
    with pytest.raises(ExpressionError):
        parse_expression(text)


@pytest.mark.parametrize("opening", ["not ", "("])
def test_depth_is_bounded_where_it_counts(opening):
    depth = 3000
    text = opening * depth + "a(b)" + (")" * depth if opening == "(" else "")
    if opening == "(":
        assert parse_expression(text) == Atom("a", (Constant("b"),))
    else:
        with pytest.raises(ExpressionError, match=str(MAX_DEPTH)):
            parse_expression(text)


@given(st.text(max_size=40))
def test_any_text_is_read_or_explained(text):
    error = None
    try:
        parse_expression(text)
    except ExpressionError as caught:
        error = caught
    assert error is None or (str(error) and 0 <= error.column <= len(text) + 1)


def test_values_refuse_what_cannot_be_meant():
    atom = Atom("a", ())
    for make in (
        lambda: And((atom,)),
        lambda: Or(()),
        lambda: Exists((), atom),
        lambda: Weighted(1.5, atom),
        lambda: Weighted(float("nan"), atom),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            make()
