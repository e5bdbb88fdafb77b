# SPDX-License-Identifier: Apache-2.0
"""The goal grammar: what it reads, that it round-trips, and where its errors point."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.expressions import grammar as module
from fcp_ros.domain.expressions.grammar import MAX_DEPTH
from fcp_ros.domain.expressions.parser import MAX_LENGTH, parse_expression
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    ExpressionError,
    Forall,
    Initially,
    Not,
    Or,
    Preference,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    Weighted,
    atoms,
    free_variables,
    to_text,
)
from fcp_ros.domain.expressions.trajectories import TrajectoryOperator
from fcp_ros.foundation.wording import find_control

WORDS = st.text(max_size=12).filter(lambda text: not find_control(text, multiline=True))
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True)
ELEMENTS = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.\-]{0,8}", fullmatch=True)
TERMS = st.one_of(st.builds(Variable, NAMES), st.builds(Constant, ELEMENTS), st.builds(Text, WORDS))
USUAL = ["on", "inside", "serves_as", "p", "nothing", "android", "existsx", "at", "holding"]
RESERVED_ONES = ["first", "then", "after", "always", "prefer", "not", "cost", "at_most"]
RESERVED_ONES += ["hold", "within", "during", "to", "s", "min"]
WORDS = st.sampled_from([*USUAL, *RESERVED_ONES])
ATOMS = st.builds(Atom, WORDS, st.lists(TERMS, max_size=3).map(tuple))
QUANTIFIED = st.lists(
    st.builds(TypedVariable, NAMES, st.one_of(NAMES, WORDS)), min_size=1, max_size=2
).map(tuple)
BOUNDS = st.sampled_from([Bound.AT_LEAST, Bound.AT_MOST, Bound.EXACTLY])
FIRST_THEN = TrajectoryOperator.FIRST_THEN
HOLD_DURING = TrajectoryOperator.HOLD_DURING
ALWAYS_WITHIN = TrajectoryOperator.ALWAYS_WITHIN
PAIRED = st.sampled_from([TrajectoryOperator.AFTER, TrajectoryOperator.BEFORE])
SINGLE = st.sampled_from(
    [TrajectoryOperator.ALWAYS, TrajectoryOperator.SOMETIME, TrajectoryOperator.AT_MOST_ONCE]
)
TIMED = st.sampled_from([TrajectoryOperator.WITHIN, TrajectoryOperator.HOLD_AFTER])
TIMES = st.decimals(0, 10**9, places=6).map(Fraction)
SPANS = st.lists(TIMES, min_size=2, max_size=2, unique=True).map(lambda times: tuple(sorted(times)))
PRICES = st.decimals(0, 10**6, places=3).map(Fraction)


def _constrain(operator, parts, times):
    return TrajectoryConstraint(operator, parts, times=times)


def _larger(inner):
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Not, inner),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Exists, QUANTIFIED, inner),
        st.builds(Forall, QUANTIFIED, inner),
        st.builds(Weighted, st.floats(0.0, 1.0), inner),
        st.builds(Initially, inner),
        st.builds(Count, BOUNDS, st.integers(0, 12), QUANTIFIED, inner),
        st.builds(lambda v, body: Count(Bound.MOST, 0, v, body), QUANTIFIED, inner),
        st.builds(TrajectoryConstraint, SINGLE, st.tuples(inner)),
        st.builds(TrajectoryConstraint, PAIRED, st.tuples(inner, inner)),
        st.builds(lambda parts: TrajectoryConstraint(FIRST_THEN, parts), several),
        st.builds(_constrain, TIMED, st.tuples(inner), st.tuples(TIMES)),
        st.builds(_constrain, st.just(HOLD_DURING), st.tuples(inner), SPANS),
        st.builds(_constrain, st.just(ALWAYS_WITHIN), st.tuples(inner, inner), st.tuples(TIMES)),
        st.builds(Preference, st.floats(0.0, 1.0), PRICES, inner, NAMES | st.just("")),
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


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("never p() and q()", "(never p()) and q()"),
        ("prefer 0.5: p() and q()", "(prefer 0.5: p()) and q()"),
        ("first p() then not q() then s()", "first p() then (not q()) then s()"),
        ("at  most\nonce p()", "at most once p()"),
        ("never p()", "always not p()"),
        ("p() and q() within 2 min", "p() and (q() within 120 s)"),
        ("hold not p() after .5h and q()", "(hold (not p()) after 1800 s) and q()"),
        ("initially(p())", "initially (p())"),
        ("at(p)", '"at"(p)'),
    ],
)
def test_words_of_constraints_bind_like_not(text, same):
    assert parse_expression(text) == parse_expression(same)


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
        ("exists x: mug (a(x))", 8, "?x"),
        ("exists ?x (a(?x))", 11, "colon"),
        ("a(b) c(d)", 6, "and"),
        ("a(b) within 5", 14, "`min`"),
        ("a(b) within 5 sec", 15, "unit"),
        ("a(b) within 1e-999999999 s", 13, "at most 300 digits"),
        ("a(b) within 1e10 s", 13, "A time is at most"),
        ("prefer cost -3: a(b)", 13, "at least 0"),
        ("a(b) after 5 s", 14, "No time"),
        ("hold a(b)", 10, "`during`"),
        ("hold a(b) during 5 s to 5 s", 25, "before it begins"),
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


def test_each_expectation_has_its_words():
    parser = module._parser()
    names = {terminal.name for terminal in parser.terminals} - {"WS"}
    assert names | {"$END"} == set(module._WORDS)
    assert parser.parse_interactive("").accepts() - {"HOLD", "PREFER"} == module._BEGINNINGS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("p() and", "a condition such as on(?x, table_1), `hold` or `prefer`."),
        ("first p()", "`then`."),
        ("prefer", "a number or `cost`."),
        ("prefer 0.5", "a comma, a colon or `as` and a name."),
        ("prefer 0.5 as", 'a name or words in "double quotes".'),
        ("hold p() during 1 s", "`to` and a later time."),
        (
            "p() %",
            "`>=` and a degree, `and`, `or`, `before`, `after`, `within` and a time or the end.",
        ),
    ],
)
def test_messages_name_all_that_could_follow(text, words):
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert caught.value.message.endswith(f"expected {words}")


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
        lambda: _constrain(ALWAYS_WITHIN, (atom,), (Fraction(1),)),
        lambda: _constrain(ALWAYS_WITHIN, (atom, atom), ()),
        lambda: _constrain(HOLD_DURING, (atom,), (Fraction(2), Fraction(1))),
        lambda: _constrain(HOLD_DURING, (atom,), (Fraction(-2), Fraction(1))),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            make()


@pytest.mark.parametrize(
    "text", ['serves_as(?x, "drinking") >= alpha', 'not serves_as(mug_1, "drinking") >= 0.7']
)
def test_a_comparison_is_read_and_written(text):
    assert to_text(parse_expression(text)) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('serves_as(?x, "drinking") >= beta', "a number or with `alpha`"),
        ('serves_as(?x, "drinking") >= 1.5', "lies in"),
        ('serves_as(?x, "drinking") > 0.5', "expected `>=` and a degree"),
    ],
)
def test_what_cannot_be_compared_is_refused(text, words):
    with pytest.raises(ExpressionError, match=words):
        parse_expression(text)
