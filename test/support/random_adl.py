# SPDX-License-Identifier: Apache-2.0
"""Random small ADL tasks, as texts, whose goals are several steps away: for whole plans.

`random_pddl` mixes conditions as wildly as the translation allows, so that most of its goals hold
at once or never. Here each condition and effect is sensible by itself, and the goal is what a
random walk has led to. One number gives one task.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from random import Random

from pddl_interpreter import Interpreter

from fcp_ros.domain.pddl.source_text import Source
from fcp_ros.domain.pddl.task_reader import read_texts

Scope = dict[str, str]
"""The variables in scope, with their types."""

FARTHEST = 8
"""Steps of a random walk to the goal at most."""
LENGTHS = (0, 2, 3, 4, 5)
"""Steps of the walk that a task is wanted to allow."""
ATTEMPTS = 20
"""Tasks that are written until one allows them; then the last one is taken."""
AMOUNTS = ("0", "1", "1", "1", "2", "3", "0.1", "0.25", "2.5", "1000000000001", "1000000000002")
"""Costs as they are written in files."""
LONG_AMOUNTS = ("10000000000000001", "10000000000000002", "0.30000000000000004", "0.1", "0.2", "1")
"""Costs that floats do not tell apart, or not their sums."""
NUMBERS_OF_LEGS = (0, 1, 1, 1, 2, 2)


@functools.lru_cache(maxsize=16)
def make_task(seed: int, axioms: bool = False) -> tuple[str, str]:
    """Make a domain's and a problem's text; with `axioms`, some predicates are derived."""
    draw = Random(seed)
    wanted = draw.choice(LENGTHS)
    for _ in range(ATTEMPTS):
        writer = _Writer(draw, axioms)
        texts = writer.write()
        if writer.walked >= wanted:
            break
    return texts


def read_twin(domain: str, problem: str) -> Interpreter:
    """Read a task as PDDL by definition."""
    return Interpreter(read_texts(Source("domain", domain), Source("problem", problem)))


class _Writer:
    """Writes one task.

    Attributes:
        walked: steps of the random walk that chose the goal.

    The names: types `t0`..., objects `o0`..., static predicates `s0`..., changing ones `p0`...,
    functions `f0`... Types may be without objects.
    """

    def __init__(self, draw: Random, axioms: bool = False) -> None:
        self.draw = draw
        self.walked = 0
        self.types: dict[str, str] = {}
        for number in range(draw.randint(1, 3)):
            self.types[f"t{number}"] = draw.choice(["object", "object", *self.types])
        kinds = [*self.types, *self.types, "object"]
        self.objects = {f"o{n}": draw.choice(kinds) for n in range(draw.randint(1, 4))}
        self.constants = ["o0"] if draw.random() < 0.25 else []
        self.changing = {
            f"p{n}": self._draw_legs(kinds, draw.choice(NUMBERS_OF_LEGS))
            for n in range(draw.randint(1, 4))
        }
        self.static = {
            f"s{n}": self._draw_legs(kinds, draw.randint(1, 2)) for n in range(draw.randint(0, 2))
        }
        self.derived: dict[str, list[str]] = {}
        self.lower: dict[str, list[str]] = {}
        if axioms:
            self.derived = {
                f"d{n}": self._draw_legs(kinds, draw.choice(NUMBERS_OF_LEGS))
                for n in range(draw.randint(1, 3))
            }
        self.amounts = AMOUNTS if draw.random() < 0.9 else LONG_AMOUNTS
        self.functions: dict[str, list[str]] = {}
        if draw.random() < 0.5:
            legs = draw.randint(0, 2)
            self.functions = {"total-cost": [], "f0": self._draw_legs(kinds, legs)}

    def write(self) -> tuple[str, str]:
        """Write the task."""
        draw = self.draw
        derived = "\n".join(self._write_axioms())
        actions = "\n".join(self._write_action(f"a{n}") for n in range(draw.randint(1, 4)))
        shapes = {**self.changing, **self.static}
        domain = (
            f"(define (domain random) (:requirements :adl :action-costs)\n"
            f"(:types {' '.join(f'{name} - {above}' for name, above in self.types.items())})\n"
            f"(:constants {' '.join(f'{o} - {self.objects[o]}' for o in self.constants)})\n"
            f"(:predicates {_declare_shapes({**shapes, **self.derived})})\n"
            f"(:functions {_declare_shapes(self.functions)})\n{derived}\n{actions})"
        )
        facts = [
            _write_atom(name, chosen)
            for name, legs in shapes.items()
            for chosen in itertools.product(*map(self._list_objects, legs))
            if draw.random() < (0.5 if name in self.static else 0.3)
        ]
        for name, legs in self.functions.items():
            for chosen in itertools.product(*map(self._list_objects, legs)):
                amount = "0" if name == "total-cost" else draw.choice(self.amounts)
                if draw.random() < 0.9:
                    facts.append(f"(= {_write_atom(name, chosen)} {amount})")
        others = (o for o in self.objects if o not in self.constants)
        metric = "(:metric minimize (total-cost))"
        start = (
            "(define (problem one) (:domain random)\n"
            f"(:objects {' '.join(f'{o} - {self.objects[o]}' for o in others)})\n"
            f"(:init {' '.join(facts)})\n"
            f"{metric if self.functions and draw.random() < 0.7 else ''}"
        )
        goal = self._choose_goal(read_twin(domain, f"{start}(:goal (and)))"))
        return domain, f"{start}(:goal {goal}))"

    def _choose_goal(self, twin: Interpreter) -> str:
        """Choose a goal: mostly some of the facts that a random walk changes."""
        draw, state, seen = self.draw, twin.initial, {twin.initial}
        for _ in range(FARTHEST):
            following = sorted(sorted(s) for _, _, s in twin.transitions(state) if s not in seen)
            if not following:
                break
            state = frozenset(draw.choice(following))
            seen.add(state)
            self.walked += 1
        parts = [_write_atom(*_split(fact)) for fact in sorted(state - twin.initial)]
        parts += [f"(not {_write_atom(*_split(fact))})" for fact in sorted(twin.initial - state)]
        parts = draw.sample(parts, min(len(parts), draw.randint(1, 6)))
        if draw.random() < 0.2 or not parts:
            parts.append(self._write_condition({}, 2))
        if draw.random() < 0.2 and (kept := sorted(state & twin.initial)):
            parts.append(_write_atom(*_split(draw.choice(kept))))
        return f"(and {' '.join(parts)})"

    # --- axioms and actions

    def _write_axioms(self) -> Iterator[str]:
        """Write the derived predicates, each by earlier ones, or by itself unnegated."""
        draw = self.draw
        for name, legs in self.derived.items():
            if draw.random() < 0.15 and self.derived:  # of what never changes
                known, self.changing = self.changing, {}
            else:
                known = self.changing
            for _ in range(draw.choice((1, 1, 2, 3))):
                scope = {f"x{n}": leg for n, leg in enumerate(legs)}
                bodies = [self._write_condition(scope, 2) for _ in range(draw.choice((1, 1, 2)))]
                if draw.random() < 0.5:
                    inner = {**scope, "r": self._draw_type()}
                    again = self._write_one(name, legs, inner)
                    link = self._write_literal(inner, {**self.changing, **self.static}, "r")
                    if again and link:
                        bodies = [f"(exists ({_declare({'r': inner['r']})}) (and {link} {again}))"]
                head = f"({' '.join((name, *(f'?{x} - {leg}' for x, leg in scope.items())))})"
                yield f"(:derived {head} (and {' '.join(filter(None, bodies))}))"
            self.changing = known
            self.lower[name] = legs

    def _write_action(self, name: str) -> str:
        draw = self.draw
        scope = {f"x{n}": self._draw_type() for n in range(draw.choice((0, 1, 1, 2, 2, 3)))}
        conditions = [self._write_condition(scope, 2) for _ in range(draw.randint(0, 3))]
        effects = [self._write_effect(scope) for _ in range(draw.choice((1, 1, 2, 3)))]
        if draw.random() < 0.4:
            gone, there = self._write_move(scope)
            if gone and there:
                conditions.append(gone)
                effects += [f"(not {gone})", there]
        if self.functions and draw.random() < 0.8:
            effects.append(f"(increase (total-cost) {self._write_amount(scope)})")
        draw.shuffle(effects)
        return (
            f"(:action {name} :parameters ({_declare(scope)})\n"
            f"  :precondition (and {' '.join(filter(None, conditions))})\n"
            f"  :effect (and {' '.join(filter(None, effects))}))"
        )

    def _write_effect(self, scope: Scope) -> str:
        kind = self.draw.random()
        if kind < 0.55:
            return self._write_literal(scope, self.changing)
        if kind < 0.7:
            change = self._write_literal(scope, self.changing)
            return f"(when {self._write_condition(scope, 1) or '(and)'} (and {change}))"
        inner = {**scope, "y": self._draw_type()}
        change = self._write_literal(inner, self.changing, "y")
        if kind < 0.85:
            return f"(forall ({_declare({'y': inner['y']})}) {change or '(and)'})"
        condition = self._write_condition(inner, 1) or "(and)"
        return f"(forall ({_declare({'y': inner['y']})}) (when {condition} (and {change})))"

    def _write_move(self, scope: Scope) -> tuple[str, str]:
        """Write an atom and a similar one: what may become an invariant."""
        name = self.draw.choice(sorted(self.changing))
        one, other = (self._write_one(name, self.changing[name], scope) for _ in range(2))
        return one, other

    def _write_amount(self, scope: Scope) -> str:
        draw = self.draw
        value = self._write_one("f0", self.functions["f0"], scope)
        if not value or draw.random() < 0.4:
            return draw.choice(self.amounts)
        return value if draw.random() < 0.7 else f"(+ {draw.choice(self.amounts)} {value})"

    # --- conditions

    def _write_condition(self, scope: Scope, depth: int) -> str:
        """Write a condition that variables in scope decide, with quantifiers or without."""
        draw, kind = self.draw, self.draw.random()
        everything = {**self.changing, **self.static, **self.lower}
        if depth == 0 or kind < 0.55:
            return self._write_literal(scope, everything)
        if kind < 0.65 and len(scope) > 1:
            one, other = draw.sample(sorted(scope), 2)
            return draw.choice(("(= ?{} ?{})", "(not (= ?{} ?{}))")).format(one, other)
        if kind < 0.8:
            parts = [self._write_condition(scope, depth - 1) for _ in range(2)]
            form = draw.choice(("(or {} {})", "(imply {} {})", "(not (and {} {}))"))
            return form.format(*parts) if all(parts) else ""
        variable = f"z{depth}"
        inner = {**scope, variable: self._draw_type()}
        first = self._write_literal(inner, everything, variable)
        second = self._write_condition(inner, depth - 1)
        form = draw.choice(("(forall ({}) (imply {} {}))", "(exists ({}) (and {} {}))"))
        if not first or not second:
            return ""
        return form.format(_declare({variable: inner[variable]}), first, second)

    def _write_literal(self, scope: Scope, among: dict[str, list[str]], wanted: str = "") -> str:
        """Write a literal, of a variable if one is wanted; "" if nothing fits."""
        draw = self.draw
        names = draw.sample(sorted(among), len(among))
        atoms = [self._write_one(name, among[name], scope) for name in names]
        found = [atom for atom in atoms if atom]
        found = [atom for atom in found if f"?{wanted}" in atom] or found
        if not found:
            return ""
        return f"(not {found[0]})" if draw.random() < 0.4 else found[0]

    def _write_one(self, name: str, legs: list[str], scope: Scope) -> str:
        """Write an atom with terms in scope; "" if they do not fit."""
        terms = []
        for leg in legs:
            fitting = [f"?{v}" for v, type_ in scope.items() if self._is_below(type_, leg)]
            fitting *= 3
            fitting += [o for o in self.constants if self._is_below(self.objects[o], leg)]
            if not fitting:
                return ""
            terms.append(self.draw.choice(fitting))
        return _write_atom(name, terms)

    # --- types

    def _draw_legs(self, kinds: list[str], number: int) -> list[str]:
        return [self.draw.choice(kinds) for _ in range(number)]

    def _draw_type(self) -> str:
        names = sorted(self.types)
        if len(names) > 1 and self.draw.random() < 0.1:
            return f"(either {' '.join(self.draw.sample(names, 2))})"
        return self.draw.choice([*names, *names, "object"])

    def _list_objects(self, type_: str) -> list[str]:
        return [o for o, own in self.objects.items() if self._is_below(own, type_)]

    def _is_below(self, type_: str, wanted: str) -> bool:
        """Return True if all of a type (or of an `either`) is of another."""
        if type_.startswith("("):
            return all(self._is_below(one, wanted) for one in type_[1:-1].split()[1:])
        while type_ != wanted and type_ in self.types:
            type_ = self.types[type_]
        return type_ == wanted


def _split(fact: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    return fact[0], fact[1:]


def _write_atom(name: str, terms) -> str:
    return f"({' '.join((name, *terms))})"


def _declare(scope: Scope) -> str:
    return " ".join(f"?{name} - {type_}" for name, type_ in scope.items())


def _declare_shapes(shapes: dict[str, list[str]]) -> str:
    return " ".join(
        f"({' '.join((name, *(f'?v{n} - {leg}' for n, leg in enumerate(legs))))})"
        for name, legs in shapes.items()
    )
