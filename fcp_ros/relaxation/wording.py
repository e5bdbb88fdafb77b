# SPDX-License-Identifier: Apache-2.0
"""Changes of a goal in words: what was given up, what takes its place, why, and to which degree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import is_a
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import (
    Atom,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Forall,
    Not,
    TypedVariable,
    Variable,
    free_variables,
    to_text,
    walk,
)
from fcp_ros.domain.model import SAME, Constraint, Domain
from fcp_ros.foundation.wording import choose_article
from fcp_ros.language.nouns import add_article, name_element, pluralise, write_label, write_number
from fcp_ros.language.paraphrase import paraphrase_clause
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, RelaxationKind
from fcp_ros.relaxation.intent import find_flaw
from fcp_ros.relaxation.requirements import Form, GoalChange, GoalRequirements, Requirement
from fcp_ros.relaxation.substitution import list_labels

MOST_CAUSES = 2
"""Parts of the goal that a sentence names as being in the way."""

Blockers = Mapping[int, Sequence[int]]
"""Number of a requirement -> numbers of those that it has no plan with; none: it has none alone."""


@dataclass(frozen=True, slots=True)
class RequirementChange:
    """A change with the number of its requirement; that of the world is after the last one."""

    position: int
    change: GoalChange


class ChangeWords:
    """Tells the changes of one goal."""

    def __init__(self, domain: Domain, instance: Instance, goal: GoalRequirements) -> None:
        self._domain = domain
        self._instance = instance
        self._goal = goal
        # number of a requirement -> a clause about what keeps it below alpha by itself
        self.weak: dict[int, str] = {}
        self._told: dict[tuple[int, str], str] = {}

    # --- conditions

    def tell(self, position: int, text: str = "") -> str:
        """Tell a condition of a requirement as a clause; "" for all of the requirement."""
        item = self._goal.items[position]
        text = text or item.text
        known = self._told.get((position, text))
        if known is None:
            known = self._told[position, text] = self._tell(item, text)
        return known

    def _tell(self, item: Requirement, text: str) -> str:
        try:
            condition = parse_expression(text)
        except ExpressionError:
            return text
        called = self._call_variables(item, condition)
        return paraphrase_clause(condition, self._domain, self._instance, called)

    def _call_variables(self, item: Requirement, condition: Expression) -> dict[str, str]:
        """Find what the free variables of a condition are called: "a vase", "the table"."""
        inner = (variable for part in item.parts for variable in _list_bound(part))
        types = {v.name: v.type for v in (*inner, *item.variables)} | dict(self._goal.types)
        called = {}
        for name in free_variables(condition):
            labels = [*list_labels(name, item.parts), *self._list_shared_labels(name)]
            labels.append(types.get(name) or "thing")
            noun = write_label(labels[0])
            own = name not in item.shared and isinstance(condition, Atom)
            called[name] = add_article(noun) if own else f"the {noun}"
        return called

    def _list_shared_labels(self, name: str) -> tuple[str, ...]:
        parts = (part for one in self._goal.items if one.is_free for part in one.parts)
        return list_labels(name, parts)

    def _tell_quoted(self, position: int, text: str) -> str:
        return '"' + self.tell(position, text).replace('"', "'") + '"'

    # --- changes

    def name(self, changed: RequirementChange) -> str:
        """Name a change within a sentence: "bowl_1 in place of a plate"."""
        position, change = changed.position, changed.change
        old, new = change.original, change.replacement
        if change.kind is RelaxationKind.SUBSTITUTION:
            return f"{self._name(new)} in place of {self._tell_wanted(old)}"
        if change.kind is RelaxationKind.BROADEN:
            return f"{new} in place of {add_article(write_label(old))}"
        if change.kind is RelaxationKind.SHIFT:
            return f"{self._name(old)} taken for {add_article(write_label(new))}"
        if change.kind is RelaxationKind.ASK:
            return f"help from a person by {new}"
        told = self._tell_quoted(position, old)
        if change.kind is RelaxationKind.DROP:
            return f"{told} left out"
        if change.kind is RelaxationKind.FEWER:
            return f"{new} in place of {told}"
        if change.kind is RelaxationKind.SPLIT:
            return f"{told} only on the way"
        instead = f'"{change.because}"' if change.because else self._tell_quoted(position, new)
        return f"{instead} in place of {told}"

    def explain(self, changed: RequirementChange, blockers: Blockers) -> str:
        """Explain a change in a sentence; `blockers` stand in the way of what is wanted."""
        position, change = changed.position, changed.change
        old, new, degree = change.original, change.replacement, f"{change.degree:.2f}"
        because = f" ({change.because})" if change.because else ""
        why = self._find_cause(position, blockers)
        if change.kind is RelaxationKind.SUBSTITUTION:
            cause = self._explain_lack(position, old, why)
            return f"{cause}; {new} is a suitable substitute to degree {degree}{because}."
        if change.kind is RelaxationKind.BROADEN:
            wanted = add_article(write_label(old))
            return f"{new.capitalize()} takes the place of {wanted} to degree {degree}{because}."
        if change.kind is RelaxationKind.SHIFT:
            wanted = add_article(write_label(new))
            return f"{self._name(old)} is taken for {wanted} to degree {degree}{because}."
        if change.kind is RelaxationKind.ASK:
            return f"A person is asked for help, by {new}, to degree {degree}{because}."
        told, as_why = self.tell(position, old), f", as {why}" if why else ""
        if change.kind is RelaxationKind.DROP:
            left = degree if change.degree else "none"
            return f"It is given up that {told}{as_why}; {left} of this part is left{because}."
        if change.kind is RelaxationKind.FEWER:
            return f"Only {new} can be had{as_why}: {told}, to degree {degree}{because}."
        if change.kind is RelaxationKind.SPLIT:
            return f"It is only on the way that {told}{as_why}; this has the degree {degree}."
        instead = change.because or self.tell(position, new)
        return f"It is given up that {told}{as_why}; instead, {instead}, to degree {degree}."

    # --- causes

    def tell_failure(self, failure: PlanningResult) -> str:
        """Tell why the goal as stated has no plan: what there is too little of comes first."""
        if failure.status is not PlanStatus.UNSOLVABLE_PROVEN:
            return failure.message
        lacks = [self._tell_lack(item) for item in self._goal.items]
        lacking = "; ".join(dict.fromkeys(lack for lack in lacks if lack))
        conflict = failure.conflict
        if lacking and (conflict is not None or not failure.is_reasoned):
            return f"{lacking[:1].upper()}{lacking[1:]}."
        if conflict is None:
            return failure.message
        parts = [self._tell_part(text) for text in conflict.parts]
        if len(parts) == 1:
            return f"No plan leads to this part of the goal, even alone: {parts[0]}."
        less = " Without one of them, whichever, there is a plan." if conflict.minimal else ""
        return f"No plan leads to these parts of the goal together: {'; and '.join(parts)}.{less}"

    def _tell_part(self, text: str) -> str:
        for position, item in enumerate(self._goal.items):
            if text in (item.text, *map(to_text, item.parts)):
                return self.tell(position, text)
        try:
            return paraphrase_clause(parse_expression(text), self._domain, self._instance)
        except ExpressionError:
            return text

    def _explain_lack(self, position: int, wanted: str, why: str) -> str:
        if self._instance.has(wanted):
            return f"{self._name(wanted)} will not do" + (f", as {why}" if why else "")
        item = self._goal.items[position]
        if not any(is_a(self._instance, e, wanted) for e in self._instance.all_elements()):
            return f'Nothing here is {choose_article(wanted)} "{wanted}"'
        lacking = self._tell_lack(item)
        if lacking:
            return lacking[:1].upper() + lacking[1:]
        return f'No "{wanted}" will do' + (f", as {why}" if why else "")

    def _find_cause(self, position: int, blockers: Blockers) -> str:
        """Find why a requirement can't be met as wanted, as a clause; "" if that is not known."""
        if position >= len(self._goal.items):
            return ""
        if self.weak.get(position):
            return self.weak[position]
        lacking = self._tell_lack(self._goal.items[position])
        if lacking or position not in blockers:
            return lacking
        others = [n for n in blockers[position] if n < len(self._goal.items)]
        if not others:
            banned = self._find_ban(self._goal.items[position])
            return banned or "no sequence of actions leads to that"
        told = [self.tell(number) for number in others[:MOST_CAUSES]]
        more = f" and {len(others) - MOST_CAUSES} more" if len(others) > MOST_CAUSES else ""
        return f"it can't be had together with this: {'; and '.join(told)}{more}"

    def _find_ban(self, item: Requirement) -> str:
        """Find why the domain never lets a requirement come about; "" if it may."""
        for wanted in item.parts:
            for constraint in self._domain.constraints:
                if isinstance(wanted, Atom) and self._is_banned(wanted, constraint):
                    return constraint.because
        return ""

    def _is_banned(self, wanted: Atom, constraint: Constraint) -> bool:
        """Return True if a fact is all that a constraint forbids."""
        types = {variable.name: variable.type for variable in constraint.variables}
        first, *more = constraint.never
        return (
            not more
            and first.predicate == wanted.predicate
            and all(
                isinstance(one, Constant)
                and isinstance(barred, Variable)
                and self._is_of_type(one.name, types[barred.name])
                for one, barred in zip(wanted.arguments, first.arguments, strict=True)
            )
        )

    def _is_of_type(self, element: str, type_: str) -> bool:
        found = self._instance.type_of(self._instance.id_of(element))
        return self._instance.schema.is_subtype(found, type_)

    def _tell_lack(self, item: Requirement) -> str:
        """Tell which kind of thing there is too little of; "" if there is enough of each."""
        if item.form is Form.HARD:
            return ""
        number = 1 if item.count is None else item.count.number
        for variable in item.variables:
            labels = list_labels(variable.name, item.parts)
            alike = [
                element
                for element in self._instance.elements(variable.type)
                if all(is_a(self._instance, element, label) for label in labels)
            ]
            excepted = {*_list_excepted(variable.name, item.parts)}
            flawed = [e for e in alike if self._instance.name_of(e) in excepted]
            fitting = len(alike) - len(flawed)
            noun = write_label((labels or (variable.type,))[0])
            if fitting == 0 and flawed:
                return self._tell_flawed(noun, flawed, labels)
            if fitting == 0:
                return f'nothing here is {choose_article(noun)} "{noun}"'
            if fitting < number:
                are = "is" if fitting == 1 else "are"
                nouns = noun if fitting == 1 else pluralise(noun)
                return f"there {are} only {write_number(fitting)} {nouns} here"
        return ""

    def _tell_flawed(self, noun: str, flawed: Sequence[int], labels: Sequence[str]) -> str:
        """Tell that nothing of a kind is here but things that are left out of what is asked for."""
        first, name = flawed[0], self._instance.name_of(flawed[0])
        others = f" and {len(flawed) - 1} more" if len(flawed) > 1 else ""
        why = find_flaw(first, labels, self._instance)
        which = f", and {why}" if why and not others else ""
        return f"there is no {noun} here but {name}{others}{which}"

    def _name(self, element: str) -> str:
        return name_element(element, self._instance)

    def _tell_wanted(self, original: str) -> str:
        if self._instance.has(original):
            return self._name(original)
        return add_article(write_label(original))


def _list_excepted(variable: str, parts: Iterable[Expression]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Not) and isinstance(part.body, Atom) and part.body.predicate == SAME:
            first, other = part.body.arguments
            if first == Variable(variable) and isinstance(other, Constant):
                yield other.name


def _list_bound(expression: Expression) -> Iterator[TypedVariable]:
    for part in walk(expression):
        if isinstance(part, (Exists, Forall, Count)):
            yield from part.variables


def find_blockers(conflicts: Iterable[Iterable[tuple[int, int]]]) -> dict[int, tuple[int, ...]]:
    """Find the fewest requirements with which each has no plan as wanted."""
    found: dict[int, tuple[int, ...]] = {}
    for conflict in conflicts:
        pairs = sorted(conflict)
        if any(choice for _, choice in pairs):
            continue
        wanted = [position for position, _ in pairs]
        for position in wanted:
            others = tuple(one for one in wanted if one != position)
            if position not in found or len(others) < len(found[position]):
                found[position] = others
    return found
