# SPDX-License-Identifier: Apache-2.0
"""Lists of a PDDL file read as terms, typed variables, conditions, numbers and effects."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.source_text import Source, words_with_offsets
from fcp_ros.foundation.s_expressions import SList, SNode, part_offsets, preview

MAX_DEPTH = 100
"""Deepest accepted nesting of a condition, effect or number; keeps recursion over syntax trees far
from Python's limit."""

MAX_DIGITS = 300
"""A number has at most this many characters, and its exponent is at most this: an exponent of nine
digits would take all memory."""
LARGEST = 1e300
"""Sums of numbers up to this one are finite as floats, too."""

NAME = re.compile(r"[a-z0-9_][\w-]*\Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(?:e([+-]?\d{1,9}))?\Z", re.ASCII)
_COMPARISONS = ("<", "<=", "=", ">=", ">")
_CHANGES = ("increase", "decrease", "assign", "scale-up", "scale-down")
_CHOICES = {
    "oneof": ("a non-deterministic effect (oneof)", "choose one outcome"),
    "probabilistic": ("a probabilistic effect", "choose one outcome"),
}
_TRAJECTORIES = {
    "always": (0, 1),
    "sometime": (0, 1),
    "at-most-once": (0, 1),
    "within": (1, 1),
    "sometime-after": (0, 2),
    "sometime-before": (0, 2),
    "always-within": (1, 2),
    "hold-during": (2, 1),
    "hold-after": (1, 1),
}
"""Operators of trajectory constraints, with their numbers of times and of conditions."""
_CONDITION = "write a condition, such as (on ?x ?y)"
_EFFECT = "write an effect, such as (on ?x ?y) or (not (on ?x ?y))"
_NUMBER_WANTED = "write a number, or (function object ...)"
_VARIABLES = "write variables with their types in parentheses, such as (?x ?y - place)"


def is_number(word: SNode) -> bool:
    return isinstance(word, str) and _NUMBER.match(word) is not None


@dataclass
class _Parts:
    """The parts of an effect, collected while it is read."""

    add: list[Atom] = field(default_factory=list)
    delete: list[Atom] = field(default_factory=list)
    numeric: list[pddl.NumericChange] = field(default_factory=list)
    nested: list[pddl.ActionEffect] = field(default_factory=list)

    def collect(
        self, variables: tuple[pddl.Typed, ...], condition: pddl.Formula
    ) -> list[pddl.ActionEffect]:
        """Build the effects under the variables and the condition, the plain one first."""
        if not (self.add or self.delete or self.numeric):
            return self.nested
        own = pddl.ActionEffect(
            variables, condition, tuple(self.add), tuple(self.delete), tuple(self.numeric)
        )
        return [own, *self.nested]


@dataclass(frozen=True)
class FormulaReader:
    """Reads the logic of one file; each method raises PddlError at the node at fault."""

    source: Source

    # --- words

    def read_name(self, parent: SList, position: int, kind: str) -> str:
        """Read a name at a position of a list; `kind` says of what."""
        if position < len(parent):
            node = parent[position]
            if isinstance(node, str) and NAME.match(node):
                return node
            wanted = f"write the name of {kind}: letters, digits, - and _"
            raise self.source.misplacement(parent, position, wanted)
        message = f"the name of {kind} is missing"
        raise self.source.error(parent.start, message, "write it behind the first word")

    def read_term(self, word: str, offset: int) -> pddl.PddlTerm:
        if word[0] == "?" and NAME.match(word, 1):
            return Variable(word[1:], offset + 1)
        if NAME.match(word):
            return Constant(word, offset + 1)
        fix = "write a variable such as ?x, or the name of an object"
        raise self.source.error(offset, f"{word!r} can't stand here", fix)

    def read_number(self, parent: SList, position: int) -> Fraction:
        node = parent[position] if position < len(parent) else ""
        if isinstance(node, str) and (found := _NUMBER.match(node)) is not None:
            is_short = max(len(node), abs(int(found[2] or 0))) <= MAX_DIGITS
            if is_short and abs(float(node)) <= LARGEST:
                return Fraction(node)
        if position >= len(parent):
            message = f"a number is missing in ({parent[0]} ...)"
            raise self.source.error(parent.start, message, "write one, such as 2 or 0.5")
        fix = f"write a number, such as 2 or 0.5, of at most {MAX_DIGITS} digits"
        raise self.source.misplacement(parent, position, fix)

    def read_words(self, node: SList) -> list[tuple[str, int]]:
        """Read the words of a list with their offsets; a list inside is a mistake."""
        if SList in map(type, node):
            position = next(n for n, part in enumerate(node) if isinstance(part, SList))
            raise self.source.misplacement(node, position, "write a variable or an object")
        return list(words_with_offsets(self.source, node))

    # --- typed lists

    def read_typed(self, parent: SList, first: int, prefix: str, kind: str) -> list[pddl.Typed]:
        """Read `name name - type ...` from a position of a list on.

        `prefix`: first character of names: `?` for variables, otherwise empty. `kind`: the declared
        kind in the plural, for messages.
        """
        found: list[pddl.Typed] = []
        waiting: list[tuple[str, int]] = []
        position = first
        offsets = self._find_offsets(parent)
        while position < len(parent):
            node = parent[position]
            if node == "-":
                types = self._read_types(parent, position + 1)
                found.extend(pddl.Typed(name, types, offsets[at]) for name, at in waiting)
                waiting = []
                position += 2
                continue
            if (
                not isinstance(node, str)
                or not node.startswith(prefix)
                or not NAME.match(node, len(prefix))
            ):
                message = f"{preview(node)!r} can't stand among the {kind}"
                fix = f"write {kind} as {prefix}name: letters, digits, - and _; types as `- type`"
                raise self.source.error(offsets[position], message, fix)
            waiting.append((node[len(prefix) :], position))
            position += 1
        found.extend(pddl.Typed(name, (pddl.ROOT,), offsets[at]) for name, at in waiting)
        return found

    def read_variables(
        self, node: SNode, parent: SList, position: int, first: int = 0
    ) -> tuple[pddl.Typed, ...]:
        """Read the variables of a quantifier or an action, each once, from `first` on."""
        if not isinstance(node, SList):
            raise self.source.misplacement(parent, position, _VARIABLES)
        found = self.read_typed(node, first, "?", "variables")
        seen: set[str] = set()
        for variable in found:
            if variable.name in seen:
                message = f"?{variable.name} is declared twice"
                raise self.source.error(variable.at, message, "rename one of them")
            seen.add(variable.name)
        return tuple(found)

    def _find_offsets(self, parent: SList) -> Sequence[int]:
        return list(part_offsets(self.source.code, parent))

    def _read_types(self, parent: SList, position: int) -> tuple[str, ...]:
        """Read a type, or the types of `(either a b)`, sorted."""
        node = parent[position] if position < len(parent) else ""
        if isinstance(node, SList) and len(node) > 1 and node[0] == "either":
            return tuple(sorted({self.read_name(node, n, "a type") for n in range(1, len(node))}))
        if position >= len(parent):
            raise self.source.error(parent.end - 1, "a type is missing behind `-`", "write it")
        return (self.read_name(parent, position, "a type"),)

    # --- conditions

    def read_formula(self, node: SNode, parent: SList, position: int) -> pddl.Formula:
        """Read a condition of an action or a goal; `()` is true."""
        return self._read_formula(node, parent, position, 0, False)

    def read_constraints(self, node: SNode, parent: SList, position: int) -> pddl.Formula:
        """Read trajectory constraints, which may be quantified, joined and preferred."""
        return self._read_formula(node, parent, position, 0, True)

    def _read_formula(
        self, node: SNode, parent: SList, position: int, depth: int, trajectory: bool
    ) -> pddl.Formula:
        if isinstance(node, str):
            raise self.source.misplacement(parent, position, _CONDITION)
        if not node:
            return pddl.TRUE
        self._check_depth(node, depth)
        head = node[0]
        if isinstance(head, SList):
            raise self.source.misplacement(node, 0, _CONDITION)
        if head in ("and", "or"):
            parts = tuple(self._read_parts(node, 1, depth, trajectory))
            join = pddl.Conjunction if head == "and" else pddl.Disjunction
            return join(parts, node.start)
        if head == "not":
            return pddl.Negation(self._read_only(node, depth, trajectory), node.start)
        if head == "imply":
            self._check_length(node, 3, "(imply condition condition)")
            first, then = self._read_parts(node, 1, depth, trajectory)
            return pddl.Disjunction((pddl.Negation(first, node.start), then), node.start)
        if head in ("forall", "exists"):
            self._check_length(node, 3, f"({head} (variables) condition)")
            variables = self.read_variables(node[1], node, 1)
            body = self._read_formula(node[2], node, 2, depth + 1, trajectory)
            return (
                pddl.Quantified(head == "forall", variables, body, node.start)
                if variables
                else body
            )
        if head == "preference":
            return self._read_preference(node, depth, trajectory)
        if trajectory and (head in _TRAJECTORIES or node[:2] == ["at", "end"]):
            return self._read_trajectory(node, head, depth)
        if trajectory or head in _TRAJECTORIES:
            self._check_trajectory(node, head, trajectory)
        if head == "=":
            return self._read_equality(node, depth)
        if head in _COMPARISONS:
            return self._read_comparison(node, head, depth)
        return self.read_atom(node, _CONDITION)

    def _read_parts(
        self, node: SList, first: int, depth: int, trajectory: bool
    ) -> Iterator[pddl.Formula]:
        for position in range(first, len(node)):
            yield self._read_formula(node[position], node, position, depth + 1, trajectory)

    def _read_only(self, node: SList, depth: int, trajectory: bool) -> pddl.Formula:
        self._check_length(node, 2, f"({node[0]} condition)")
        return self._read_formula(node[1], node, 1, depth + 1, trajectory)

    def _read_preference(self, node: SList, depth: int, trajectory: bool) -> pddl.Formula:
        named = len(node) > 2
        name = self.read_name(node, 1, "a preference") if named else ""
        self._check_length(node, 3 if named else 2, "(preference name condition)")
        place = len(node) - 1
        body = self._read_formula(node[place], node, place, depth + 1, trajectory)
        return pddl.PreferenceFormula(name, body, node.start)

    def _read_trajectory(self, node: SList, head: str, depth: int) -> pddl.Formula:
        """Read `(at end condition)`, or an operator with its numbers and conditions."""
        if head == "at":
            self._check_length(node, 3, "(at end condition)")
            body = self._read_formula(node[2], node, 2, depth + 1, False)
            return pddl.TrajectoryFormula("at end", (), (body,), node.start)
        times, conditions = _TRAJECTORIES[head]
        shape = f"({head}{' number' * times}{' condition' * conditions})"
        self._check_length(node, 1 + times + conditions, shape)
        numbers = tuple(float(self.read_number(node, 1 + n)) for n in range(times))
        rounded = [round(number, 6) for number in numbers]
        if any(number < 0 for number in numbers) or (times == 2 and rounded[0] >= rounded[1]):
            raise self.source.error(
                node.start,
                f"({head} ...) has the times {', '.join(f'{number:g}' for number in numbers)}",
                "write seconds from 0 on, the earlier time first",
            )
        parts = tuple(self._read_parts(node, 1 + times, depth, False))
        return pddl.TrajectoryFormula(head, numbers, parts, node.start)

    def _read_equality(self, node: SList, depth: int) -> pddl.Formula:
        self._check_length(node, 3, "(= ?x ?y)")
        if isinstance(node[1], SList) or isinstance(node[2], SList):
            return self._read_comparison(node, "=", depth)
        (_, _), (left, at), (right, other) = self.read_words(node)
        return pddl.Equality(self.read_term(left, at), self.read_term(right, other), node.start)

    def _read_comparison(self, node: SList, head: str, depth: int) -> pddl.Formula:
        self._check_length(node, 3, f"({head} number number)")
        left, right = (self.read_numeric(node[n], node, n, depth + 1) for n in (1, 2))
        return pddl.NumericComparison(head, left, right, node.start)

    def read_atom(self, node: SList, wanted: str) -> Atom:
        words = self.read_words(node)
        predicate, offset = words[0]
        if not NAME.match(predicate):
            raise self.source.misplacement(node, 0, wanted)
        terms = tuple([self.read_term(word, at) for word, at in words[1:]])
        return Atom(predicate, terms, offset + 1)

    # --- numbers

    def read_numeric(
        self, node: SNode, parent: SList, position: int, depth: int = 0
    ) -> pddl.Numeric:
        """Read a number, a function's value, or an operation on such."""
        if isinstance(node, str):
            if _NUMBER.match(node):
                return self.read_number(parent, position)
            if NAME.match(node):
                return pddl.FunctionValue(node, (), self.source.offset_of(parent, position))
            raise self.source.misplacement(parent, position, _NUMBER_WANTED)
        if not node:
            raise self.source.misplacement(parent, position, _NUMBER_WANTED)
        self._check_depth(node, depth)
        head = node[0]
        if head == "is-violated":
            self._check_length(node, 2, "(is-violated preference)")
            return pddl.ViolationCount(self.read_name(node, 1, "a preference"), node.start)
        if isinstance(head, str) and head in ("+", "-", "*", "/"):
            if len(node) < 2:
                raise self.source.misplacement(parent, position, f"write ({head} number number)")
            operands = tuple(self._read_operands(node, depth + 1))
            return pddl.NumericOperation(head, operands, node.start)
        return self.read_function_value(node)

    def _read_operands(self, node: SList, depth: int) -> Iterator[pddl.Numeric]:
        """Read the operands of an operation; a sum within a sum is a part of it."""
        # Metrics of IPC-2006 are sums of 400 preferences, each in one more pair of parentheses.
        waiting = [(node, 1)]
        while waiting:
            parent, position = waiting.pop()
            if position == len(parent):
                continue
            waiting.append((parent, position + 1))
            part = parent[position]
            if node[0] == "+" and isinstance(part, SList) and len(part) > 1 and part[0] == "+":
                waiting.append((part, 1))
            else:
                yield self.read_numeric(part, parent, position, depth)

    def read_function_value(self, node: SList) -> pddl.FunctionValue:
        name = self.read_name(node, 0, "a function")
        terms = tuple([self.read_term(word, at) for word, at in self.read_words(node)[1:]])
        return pddl.FunctionValue(name, terms, node.start)

    # --- effects

    def read_effects(
        self, node: SNode, parent: SList, position: int
    ) -> tuple[pddl.ActionEffect, ...]:
        """Read the effects of an action, unconditional ones first."""
        parts = _Parts()
        self._read_effect(node, parent, position, parts, (), pddl.TRUE, 0)
        return tuple(parts.collect((), pddl.TRUE))

    def _read_effect(
        self,
        node: SNode,
        parent: SList,
        position: int,
        parts: _Parts,
        variables: tuple[pddl.Typed, ...],
        condition: pddl.Formula,
        depth: int,
    ) -> None:
        if isinstance(node, str):
            raise self.source.misplacement(parent, position, _EFFECT)
        if not node:
            return
        self._check_depth(node, depth)
        head = node[0]
        if isinstance(head, SList):
            raise self.source.misplacement(node, 0, _EFFECT)
        if head == "and":
            for n in range(1, len(node)):
                self._read_effect(node[n], node, n, parts, variables, condition, depth + 1)
        elif head in ("when", "forall"):
            shape = "(when condition effect)" if head == "when" else "(forall (variables) effect)"
            self._check_length(node, 3, shape)
            within, both = variables, condition
            if head == "when":
                both = _join(condition, self._read_formula(node[1], node, 1, depth + 1, False))
            else:
                within, both = _bind(variables, condition, self.read_variables(node[1], node, 1))
            inner = _Parts()
            self._read_effect(node[2], node, 2, inner, within, both, depth + 1)
            parts.nested.extend(inner.collect(within, both))
        elif head in _CHOICES:
            feature, fix = _CHOICES[head]
            raise self.source.refusal(node.start, feature, fix)
        elif head in _CHANGES:
            self._check_length(node, 3, f"({head} (function object ...) number)")
            target = self.read_numeric(node[1], node, 1)
            if not isinstance(target, pddl.FunctionValue):
                raise self.source.misplacement(node, 1, "write (function object ...)")
            amount = self.read_numeric(node[2], node, 2, depth + 1)
            parts.numeric.append(pddl.NumericChange(head, target, amount, node.start))
        elif head == "not":
            self._check_length(node, 2, "(not (predicate object ...))")
            if not isinstance(node[1], SList) or not node[1]:
                raise self.source.misplacement(node, 1, _EFFECT)
            parts.delete.append(self.read_atom(node[1], _EFFECT))
        else:
            parts.add.append(self.read_atom(node, _EFFECT))

    # --- checks

    def _check_trajectory(self, node: SList, head: str, trajectory: bool) -> None:
        """Refuse a condition in the place of a constraint, and a constraint in that of one."""
        if trajectory:
            message = f"({head} ...) is not a constraint on the states of a plan"
            known = ", ".join(_TRAJECTORIES)
            fix = f"write (at end condition) for the last state, or one of {known}"
            raise self.source.error(node.start, message, fix)
        if SList in map(type, node):
            message = f"({head} ...) is a constraint on the states of a plan, not a condition"
            fix = "write it in the section :constraints, not within another one"
            raise self.source.error(node.start, message, fix)

    def _check_depth(self, node: SList, depth: int) -> None:
        if depth > MAX_DEPTH:
            message = f"parentheses are nested deeper than {MAX_DEPTH} levels"
            raise self.source.error(node.start, message, "simplify it")

    def _check_length(self, node: SList, length: int, shape: str) -> None:
        if len(node) != length:
            given = len(node) - 1
            parts = "part" if given == 1 else "parts"
            message = f"({node[0]} ...) has {given} {parts}, not {length - 1}"
            raise self.source.error(node.start, message, f"write {shape}")


def _bind(
    outer: tuple[pddl.Typed, ...], condition: pddl.Formula, inner: tuple[pddl.Typed, ...]
) -> tuple[tuple[pddl.Typed, ...], pddl.Formula]:
    """Bind the variables of a nested `forall` as well, with the condition that holds outside it."""
    # One list binds them all, so an outer variable that an inner one hides gets another name.
    hidden = {variable.name for variable in outer} & {variable.name for variable in inner}
    if not hidden:
        return outer + inner, condition
    taken = {variable.name for variable in (*outer, *inner)} | pddl.variable_names(condition)
    renamed: dict[str, str] = {}
    for name in sorted(hidden):
        number = next(n for n in itertools.count(2) if f"{name}-{n}" not in taken)
        renamed[name] = f"{name}-{number}"
        taken.add(renamed[name])
    kept = tuple(
        replace(variable, name=renamed.get(variable.name, variable.name)) for variable in outer
    )
    return kept + inner, pddl.bind_free(
        condition, {old: Variable(new) for old, new in renamed.items()}
    )


def _join(first: pddl.Formula, second: pddl.Formula) -> pddl.Formula:
    """Join two conditions, without one that is true."""
    if first == pddl.TRUE:
        return second
    return first if second == pddl.TRUE else pddl.Conjunction((first, second))
