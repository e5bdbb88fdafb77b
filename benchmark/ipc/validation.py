# SPDX-License-Identifier: Apache-2.0
"""Validity and cost of plans by the definition of PDDL, apart from the package: no code is shared.

States are sets of facts, formulas are evaluated as they stand. VAL (`validate`) is asked besides,
where its binary is given. Not covered: derived predicates, numbers other than costs.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

Fact = tuple[str, ...]
Tree = Any
"""A word, or a list of trees: an S-expression."""


class NotCovered(Exception):
    """The task uses a feature that is not checked here; the message names it."""


class InvalidPlan(Exception):
    """The plan is wrong; the message says where."""


@dataclass(frozen=True)
class Validation:
    """The judgement about one plan.

    Attributes:
        valid: True or False; None if the task uses what is not covered here.
        cost: By the metric of the problem, else the number of steps; None without a valid plan.
        note: The reason if `valid` is not True.
    """

    valid: bool | None
    cost: float | None
    note: str = ""


def validate_plan(domain: Path, problem: Path, plan: Path, val: Path | None = None) -> Validation:
    """Check a plan file of the IPC.

    Args:
        domain: The domain file.
        problem: The problem file.
        plan: A line ``(action object ...)`` a step.
        val: The binary of VAL, whose verdict counts then; None to rely on this file.
    """
    try:
        cost = float(_Task(domain, problem).execute(_read_plan(plan)))
        own = Validation(True, cost)
    except InvalidPlan as error:
        own = Validation(False, None, str(error))
    except NotCovered as error:
        own = Validation(None, float(len(_read_plan(plan))), f"not checked: {error}")
    if val is None:
        return own
    done = subprocess.run(
        [str(val), str(domain), str(problem), str(plan)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode == 0 and "Plan valid" in done.stdout:
        if own.valid is False:
            return Validation(False, None, f"VAL accepts, the own check refuses: {own.note}")
        return Validation(True, own.cost)
    if own.valid and not re.search(r"Plan (invalid|failed)|Goal not satisfied", done.stdout):
        return Validation(True, own.cost, "VAL gave no verdict")
    return Validation(False, None, f"VAL refuses; own check: {own.note or 'valid'}")


def _read_plan(plan: Path) -> list[Fact]:
    lines = plan.read_text(encoding="utf-8").lower().splitlines()
    codes = (line.partition(";")[0].strip() for line in lines)
    return [tuple(code.strip("()").split()) for code in codes if code]


def _read_tree(file: Path) -> Tree:
    text = re.sub(r";.*", "", file.read_text(encoding="utf-8", errors="replace")).lower()
    stack: list[list[Tree]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    return stack[0][0]


def _read_typed(words: Sequence[Tree]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each name of a typed list with its types."""
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-":
            type_ = next(rest)
            types = (type_,) if isinstance(type_, str) else tuple(type_[1:])
            yield from ((name, types) for name in waiting)
            waiting = []
        else:
            waiting.append(word)
    yield from ((name, ("object",)) for name in waiting)


class _Task:
    """One task as its S-expressions."""

    def __init__(self, domain: Path, problem: Path) -> None:
        self.actions: dict[str, dict[str, Tree]] = {}
        self.parents: dict[str, set[str]] = {}
        self.types_of: dict[str, set[str]] = {}
        self.facts: set[Fact] = set()
        self.values: dict[Fact, Fraction] = {}
        self.goal: Tree = ["and"]
        self.counts_cost = False
        for section in (*_read_tree(domain)[1:], *_read_tree(problem)[1:]):
            self._read(section)

    def _read(self, section: Tree) -> None:
        head, *body = section
        if head == ":types":
            for name, types in _read_typed(body):
                self.parents.setdefault(name, set()).update(types)
        elif head in (":constants", ":objects"):
            for name, types in _read_typed(body):
                self.types_of.setdefault(name, set()).update(types)
        elif head == ":action":
            parts = dict(zip(body[1::2], body[2::2], strict=True))
            self.actions[body[0]] = parts
        elif head == ":derived":
            raise NotCovered("derived predicates")
        elif head == ":init":
            for fact in body:
                if fact[0] == "=" and isinstance(fact[1], list):
                    self.values[tuple(fact[1])] = Fraction(fact[2])
                elif fact[0] != "not":
                    self.facts.add(tuple(fact))
        elif head == ":goal":
            self.goal = body[0]
        elif head == ":metric":
            if body[1] not in (["total-cost"], "total-cost"):
                raise NotCovered(f"metric {body[1]}")
            self.counts_cost = True

    def execute(self, plan: Sequence[Fact]) -> Fraction:
        """Return the cost of a plan.

        Raises:
            InvalidPlan: an action can't be done, or the goal does not hold in the end.
        """
        state, cost = self.facts, Fraction(0)
        for number, (name, *objects) in enumerate(plan, start=1):
            where = f"step {number} ({' '.join((name, *objects))})"
            if name not in self.actions:
                raise InvalidPlan(f"{where}: no such action")
            action = self.actions[name]
            parameters = list(_read_typed(action.get(":parameters", [])))
            if len(parameters) != len(objects):
                raise InvalidPlan(f"{where}: takes {len(parameters)} objects")
            for (_, types), value in zip(parameters, objects, strict=True):
                if not self._is_a(value, types):
                    raise InvalidPlan(f"{where}: {value} is no {' or '.join(types)}")
            bound = dict(zip((p for p, _ in parameters), objects, strict=True))
            if not self._holds(action.get(":precondition", []), bound, state):
                raise InvalidPlan(f"{where}: the precondition does not hold")
            added, deleted = set[Fact](), set[Fact]()
            paid = [Fraction(0)]
            self._collect(action.get(":effect", []), bound, state, (added, deleted), paid)
            state = (state - deleted) | added
            cost += sum(paid)
        if not self._holds(self.goal, {}, state):
            raise InvalidPlan("the goal does not hold in the end")
        return cost if self.counts_cost else Fraction(len(plan))

    def _is_a(self, value: str, types: Sequence[str]) -> bool:
        if value not in self.types_of:
            return False
        above, waiting = {"object"}, list(self.types_of[value])
        while waiting:
            type_ = waiting.pop()
            if type_ not in above:
                above.add(type_)
                waiting.extend(self.parents.get(type_, ()))
        return not above.isdisjoint(types)

    def _bind(self, variables: Tree, bound: Mapping[str, str]) -> Iterator[dict[str, str]]:
        typed = list(_read_typed(variables))
        choices = [[o for o in self.types_of if self._is_a(o, types)] for _, types in typed]
        names = [name for name, _ in typed]
        for chosen in itertools.product(*choices):
            yield {**bound, **dict(zip(names, chosen, strict=True))}

    def _holds(self, formula: Tree, bound: Mapping[str, str], state: set[Fact]) -> bool:
        if not formula:
            return True
        head, *body = formula
        if head == "and":
            return all(self._holds(part, bound, state) for part in body)
        if head == "or":
            return any(self._holds(part, bound, state) for part in body)
        if head == "not":
            return not self._holds(body[0], bound, state)
        if head == "imply":
            return not self._holds(body[0], bound, state) or self._holds(body[1], bound, state)
        if head in ("forall", "exists"):
            every = (self._holds(body[1], each, state) for each in self._bind(body[0], bound))
            return all(every) if head == "forall" else any(every)
        words = tuple(bound.get(word, word) if isinstance(word, str) else "" for word in body)
        if "" in words or head in ("<", ">", "<=", ">="):
            raise NotCovered(f"the condition {head} of numbers")
        return words[0] == words[1] if head == "=" else (head, *words) in state

    def _collect(
        self,
        effect: Tree,
        bound: Mapping[str, str],
        state: set[Fact],
        changes: tuple[set[Fact], set[Fact]],
        paid: list[Fraction],
    ) -> None:
        if not effect:
            return
        head, *body = effect
        if head == "and":
            for part in body:
                self._collect(part, bound, state, changes, paid)
        elif head == "forall":
            for each in self._bind(body[0], bound):
                self._collect(body[1], each, state, changes, paid)
        elif head == "when":
            if self._holds(body[0], bound, state):
                self._collect(body[1], bound, state, changes, paid)
        elif head == "increase" and body[0] in (["total-cost"], "total-cost"):
            paid.append(self._value(body[1], bound))
        elif head in ("increase", "decrease", "assign", "scale-up", "scale-down"):
            raise NotCovered(f"the effect {head} of numbers")
        elif head == "not":
            changes[1].add(tuple(bound.get(word, word) for word in body[0]))
        else:
            changes[0].add(tuple(bound.get(word, word) for word in effect))

    def _value(self, term: Tree, bound: Mapping[str, str]) -> Fraction:
        if isinstance(term, str):
            return Fraction(term)
        place = tuple(bound.get(word, word) for word in term)
        if place not in self.values:
            raise InvalidPlan(f"({' '.join(place)}) has no value")
        return self.values[place]
