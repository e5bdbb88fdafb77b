# SPDX-License-Identifier: Apache-2.0
"""Goal expressions as values: terms, atoms and connectives, and their text.

The grammar is in `expression.lark`; `parse_expression` (parser.py) is the inverse of
`to_text`. Meaning (docs/design.md, evaluated by evaluation.py): an atom has a degree in [0, 1],
`and`/`forall` compose degrees with the t-norm, `or`/`exists` take the largest, `not` is 1 - x, and
a weight w turns x into 1 - w * (1 - x). Variables that no quantifier binds are existential over
the whole expression. Counts, preferences and trajectory constraints, which only goals have, are
evaluated by `trajectories.py`; `docs/goals.md` explains them with examples.

Every leaf keeps the 1-based `column` of its beginning in the text (0: not from a text). Columns
serve messages only and take no part in equality.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from fcp_ros.domain.expressions.trajectories import RESOLUTION, TrajectoryOperator
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.wording import hide_controls, write_decimal

NAME_PATTERN = re.compile(r"[^\W\d][\w.\-]*\Z")
"""A name that needs no quotes: a letter or underscore, then letters, digits, `_`, `.` and `-`."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, written `?name` (inside rules a parameter may also be written bare)."""

    name: str
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Constant:
    """An element, referred to by its name."""

    name: str
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Text:
    """A quoted string: free words ("drinking"), or an element name until `check_goal` decides."""

    value: str
    column: int = field(default=0, compare=False)


Term = Variable | Constant | Text

RESERVED = frozenset(
    [
        *("and", "or", "not", "exists", "forall", "exactly", "initially"),
        *("always", "never", "sometime", "first", "hold", "prefer"),
    ]
)
"""Words that begin an operand or join two: a predicate of that name is written in quotes."""


@dataclass(frozen=True, slots=True)
class TypedVariable:
    """A quantified or declared variable; `type` is a type name, in goals also a category label."""

    name: str
    type: str
    column: int = field(default=0, compare=False)


AT_ALPHA = -1.0
"""The degree that a graded predicate is compared with where it is the alpha of the request."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A relation, a graded predicate or the built-in `is_a`, applied to terms.

    `least`: of a graded predicate that is compared: the degree is 1 if that of the predicate is at
    least this, else 0; AT_ALPHA stands for the alpha of the request.
    """

    predicate: str
    arguments: tuple[Term, ...]
    column: int = field(default=0, compare=False)
    least: float | None = None


@dataclass(frozen=True, slots=True)
class Not:
    """Negation: 1 minus the degree of the body."""

    body: Expression


@dataclass(frozen=True, slots=True)
class And:
    """Conjunction of at least two parts. Nesting is kept as written."""

    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _need_two(self.parts, "And")


@dataclass(frozen=True, slots=True)
class Or:
    """Disjunction of at least two parts. Nesting is kept as written."""

    parts: tuple[Expression, ...]

    def __post_init__(self) -> None:
        _need_two(self.parts, "Or")


@dataclass(frozen=True, slots=True)
class Exists:
    """The body holds for some elements of the variables' types."""

    variables: tuple[TypedVariable, ...]
    body: Expression

    def __post_init__(self) -> None:
        _need_variables(self.variables, "Exists")


@dataclass(frozen=True, slots=True)
class Forall:
    """The body holds for all elements of the variables' types."""

    variables: tuple[TypedVariable, ...]
    body: Expression

    def __post_init__(self) -> None:
        _need_variables(self.variables, "Forall")


@dataclass(frozen=True, slots=True)
class Weighted:
    """`weight * body` with the weight in [0, 1], which scales the shortfall of the body."""

    weight: float
    body: Expression

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and 0.0 <= self.weight <= 1.0):
            raise ValueError(f"a weight lies in [0, 1], not {self.weight}: change the weight")


class Bound(str, Enum):
    """The meaning of the number of a count; the value is the word for it."""

    AT_LEAST = "at least"
    AT_MOST = "at most"
    EXACTLY = "exactly"
    MOST = "as many as possible"


@dataclass(frozen=True, slots=True)
class Count:
    """A number of bindings of the variables to elements for which the body holds.

    `at least n` has the degree of the n best bindings, composed; `at most n` of k bindings means
    that the negated body holds for at least k - n; `exactly n` composes both. `as many as possible`
    is no condition: each of the k bindings that the body chooses (`structure.split_choice`) is a
    preference of weight 1 / k for the rest of the body.
    """

    bound: Bound
    number: int  # at least 0; 0 for `as many as possible`
    variables: tuple[TypedVariable, ...]
    body: Expression
    column: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        _need_variables(self.variables, "Count")
        if self.number < 0 or (self.bound is Bound.MOST and self.number):
            raise ValueError(f"a count of {self.bound.value} {self.number}: give 0 or more")


@dataclass(frozen=True, slots=True)
class Initially:
    """The body, evaluated in the initial state."""

    body: Expression
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class TrajectoryConstraint:
    """A condition on the states that a plan goes through."""

    operator: TrajectoryOperator
    # its conditions (see `TrajectoryOperator.numbers`); what is demanded comes first
    parts: tuple[Expression, ...]
    column: int = field(default=0, compare=False)
    # its times (s), multiples of RESOLUTION, from the start of the plan; for ALWAYS_WITHIN from the
    # trigger
    times: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        times, least, most = self.operator.numbers
        if not least <= len(self.parts) <= (most or len(self.parts)):
            raise ValueError(f"{self.operator.value} with {len(self.parts)} conditions")
        if len(self.times) != times or any(time < 0 for time in self.times):
            raise ValueError(f"{self.operator.value} with the times {self.times}: give {times}")
        if any(time % RESOLUTION for time in self.times):
            raise ValueError(f"{self.operator.value} with the times {self.times}: round them")
        if self.operator is TrajectoryOperator.HOLD_DURING and self.times[0] >= self.times[1]:
            raise ValueError(f"hold-during from {self.times[0]} to {self.times[1]}: end it later")


@dataclass(frozen=True, slots=True)
class Preference:
    """A condition or constraint that may be given up."""

    weight: float  # in [0, 1]: giving it up scales the membership as `Weighted` does
    cost: Fraction  # of giving it up, at least 0, where costs are minimised
    body: Expression
    name: str = ""  # a name for it; preferences of one name are counted together. Empty for none.
    column: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and 0.0 <= self.weight <= 1.0):
            raise ValueError(f"a weight lies in [0, 1], not {self.weight}: change the weight")
        if self.cost < 0:
            raise ValueError(f"a cost is at least 0, not {self.cost}: change the cost")


Expression = (
    Atom
    | Not
    | And
    | Or
    | Exists
    | Forall
    | Weighted
    | Count
    | Initially
    | TrajectoryConstraint
    | Preference
)


def _need_two(parts: tuple[Expression, ...], name: str) -> None:
    if len(parts) < 2:
        raise ValueError(f"{name} joins at least two parts, got {len(parts)}: use the part itself")


def _need_variables(variables: tuple[TypedVariable, ...], name: str) -> None:
    if not variables:
        raise ValueError(f"{name} binds at least one variable: use its body instead")


class ExpressionError(InputError):
    """A goal text that can't be read or does not fit the domain: one sentence, fault and fix.

    `column`: 1-based position in `text` of the offending character; 0 if unknown. `str(error)` is
    the message, the line at fault and a caret below the character.
    """

    def __init__(self, message: str, text: str = "", column: int = 0) -> None:
        super().__init__(message, text, column)
        self.message = message
        self.text = text
        self.column = column

    def __str__(self) -> str:
        return hide_controls(self._point_at_fault())

    def _point_at_fault(self) -> str:
        if not self.text or self.column < 1:
            return self.message
        start = self.text.rfind("\n", 0, self.column - 1) + 1
        end = self.text.find("\n", start)
        line = self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")
        before = line[: self.column - 1 - start]
        caret = "".join("\t" if c == "\t" else " " for c in before) + "^"
        return f"{self.message}\n  {line}\n  {caret}"


def to_text(expression: Expression) -> str:
    """Write an expression so that `parse_expression` reads it back as an equal value."""
    # A `Constant` whose name needs quotes is read back as `Text`; `check_goal` makes it a
    # `Constant` again.
    if isinstance(expression, Atom):
        predicate = expression.predicate
        name = json.dumps(predicate) if predicate in RESERVED else predicate
        text = f"{name}({', '.join(write_term(t) for t in expression.arguments)})"
        if expression.least is None:
            return text
        return f"{text} >= {'alpha' if expression.least == AT_ALPHA else repr(expression.least)}"
    if isinstance(expression, Not):
        return f"not {_write_operand(expression.body)}"
    if isinstance(expression, And):
        return " and ".join(
            to_text(p) if _is_pair(p) else _write_operand(p) for p in expression.parts
        )
    if isinstance(expression, Or):
        return " or ".join(
            to_text(p) if isinstance(p, And) or _is_pair(p) else _write_operand(p)
            for p in expression.parts
        )
    if isinstance(expression, Weighted):
        return f"{expression.weight!r} * {_write_operand(expression.body)}"
    if isinstance(expression, Initially):
        return f"initially ({to_text(expression.body)})"
    if isinstance(expression, TrajectoryConstraint):
        return _write_constraint(expression)
    if isinstance(expression, Preference):
        return _write_preference(expression)
    return f"{_write_quantifier(expression)} ({to_text(expression.body)})"


def _write_quantifier(expression: Exists | Forall | Count) -> str:
    variables = ", ".join(f"?{v.name}: {quote_if_needed(v.type)}" for v in expression.variables)
    if isinstance(expression, Count):
        counted = expression.bound is not Bound.MOST
        number = f" {expression.number}" if counted else ""
        return f"{expression.bound.value}{number} {variables}"
    return f"{'exists' if isinstance(expression, Exists) else 'forall'} {variables}"


def _write_constraint(constraint: TrajectoryConstraint) -> str:
    parts = [_write_operand(part) for part in constraint.parts]
    operator, body = constraint.operator, constraint.parts[0]
    if operator is TrajectoryOperator.FIRST_THEN:
        return f"first {' then '.join(parts)}"
    if operator is TrajectoryOperator.BEFORE:
        return " before ".join(parts)
    if operator is TrajectoryOperator.AFTER:
        return " after ".join(parts)
    if operator is TrajectoryOperator.AT_MOST_ONCE:
        return f"at most once {parts[0]}"
    if constraint.times:
        return _write_timed(operator, parts, [f"{write_decimal(t)} s" for t in constraint.times])
    if operator is TrajectoryOperator.ALWAYS and isinstance(body, Not):
        return f"never {_write_operand(body.body)}"
    return f"{operator.value} {parts[0]}"


def _write_timed(operator: TrajectoryOperator, parts: Sequence[str], times: Sequence[str]) -> str:
    if operator is TrajectoryOperator.HOLD_AFTER:
        return f"hold {parts[0]} after {times[0]}"
    if operator is TrajectoryOperator.HOLD_DURING:
        return f"hold {parts[0]} during {times[0]} to {times[1]}"
    within = f"{parts[0]} within {times[0]}"
    return within if operator is TrajectoryOperator.WITHIN else f"{within} after {parts[1]}"


def _write_preference(preference: Preference) -> str:
    price = [f"{preference.weight!r}"] if preference.weight or not preference.cost else []
    price += [f"cost {write_decimal(preference.cost)}"] if preference.cost else []
    name = f" as {quote_if_needed(preference.name)}" if preference.name else ""
    body = preference.body
    written = to_text(body) if _is_pair(body) else _write_operand(body)
    return f"prefer {', '.join(price)}{name}: {written}"


def _is_pair(expression: Expression) -> bool:
    """Return True if words stand between or behind the operands of an expression."""
    if not isinstance(expression, TrajectoryConstraint):
        return isinstance(expression, Preference)
    pairs = (TrajectoryOperator.BEFORE, TrajectoryOperator.AFTER)
    return bool(expression.times) or expression.operator in pairs


def _write_operand(expression: Expression) -> str:
    text = to_text(expression)
    first_then = (
        isinstance(expression, TrajectoryConstraint)
        and expression.operator is TrajectoryOperator.FIRST_THEN
    )
    wide = isinstance(expression, (And, Or)) or first_then or _is_pair(expression)
    return f"({text})" if wide else text


def write_term(term: Term) -> str:
    """Write one argument: `?x`, `table_1`, `"drinking"`."""
    if isinstance(term, Variable):
        return f"?{term.name}"
    if isinstance(term, Constant):
        return quote_if_needed(term.name)
    return json.dumps(term.value, ensure_ascii=False)


def quote_if_needed(name: str) -> str:
    """Return the name bare if the grammar allows it, otherwise in double quotes."""
    return name if NAME_PATTERN.match(name) else json.dumps(name, ensure_ascii=False)


def children(expression: Expression) -> tuple[Expression, ...]:
    """Return the direct sub-expressions, in the order written."""
    if isinstance(expression, Atom):
        return ()
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        return expression.parts
    return (expression.body,)


def walk(expression: Expression) -> Iterator[Expression]:
    """List an expression and all in it, as they are written: a part before what is in it."""
    yield expression
    for part in children(expression):
        yield from walk(part)


def atoms(expression: Expression) -> Iterator[Atom]:
    """List all atoms, from left to right."""
    return (part for part in walk(expression) if isinstance(part, Atom))


def list_conjuncts(expression: Expression) -> Iterator[Expression]:
    """List the parts of nested conjunctions; of anything else itself."""
    if isinstance(expression, And):
        for part in expression.parts:
            yield from list_conjuncts(part)
    else:
        yield expression


def conjoin(parts: Sequence[Expression]) -> Expression:
    """Join parts, at least one, by `and`."""
    return And(tuple(parts)) if len(parts) > 1 else parts[0]


def rebuild(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the same expression with each direct part changed; an atom has none."""
    if isinstance(expression, Atom):
        return expression
    if isinstance(expression, (And, Or, TrajectoryConstraint)):
        return replace(expression, parts=tuple(map(change, expression.parts)))
    return replace(expression, body=change(expression.body))


def put_alpha(expression: Expression, alpha: float) -> Expression:
    """Put the alpha of a request in place of the word in comparisons."""
    if isinstance(expression, Atom):
        return replace(expression, least=alpha) if expression.least == AT_ALPHA else expression
    return rebuild(expression, lambda part: put_alpha(part, alpha))


def list_variables(atom: Atom) -> Iterator[str]:
    """List the names of an atom's variables."""
    return (term.name for term in atom.arguments if isinstance(term, Variable))


def free_variables(expression: Expression) -> tuple[str, ...]:
    """List the names of the variables that no quantifier binds, in the order of first use."""
    found: dict[str, None] = {}
    _collect_free(expression, frozenset(), found)
    return tuple(found)


def _collect_free(expression: Expression, bound: frozenset[str], found: dict[str, None]) -> None:
    if isinstance(expression, Atom):
        for term in expression.arguments:
            if isinstance(term, Variable) and term.name not in bound:
                found.setdefault(term.name)
        return
    if isinstance(expression, (Exists, Forall, Count)):
        bound = bound | {v.name for v in expression.variables}
    for part in children(expression):
        _collect_free(part, bound, found)


def substitute(expression: Expression, terms: Mapping[str, Term]) -> Expression:
    """Put terms in place of free variables; none of them is bound by a quantifier inside."""
    if not terms:
        return expression
    if isinstance(expression, Atom):
        arguments = tuple(
            terms.get(term.name, term) if isinstance(term, Variable) else term
            for term in expression.arguments
        )
        return replace(expression, arguments=arguments)
    if isinstance(expression, (Exists, Forall, Count)):
        bound = {variable.name for variable in expression.variables}
        terms = {name: term for name, term in terms.items() if name not in bound}
    return rebuild(expression, lambda part: substitute(part, terms))


def rename_free(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Rename free variables; no quantifier inside binds one of the new names."""
    return substitute(expression, {old: Variable(new) for old, new in names.items()})
