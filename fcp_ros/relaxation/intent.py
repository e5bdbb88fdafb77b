# SPDX-License-Identifier: Apache-2.0
"""The intent of an instruction beyond the goal that was read: whole things, and what they are for.

A broken glass is a glass, and "the broken glass" and "throw it away" mean it. But it is none of
those from which the robot may choose. And who says "I want to read, bring me something" wants
something for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.evaluation import CATEGORY, is_a
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    ExpressionError,
    Not,
    Or,
    Text,
    TrajectoryConstraint,
    TypedVariable,
    Variable,
    atoms,
    conjoin,
    list_conjuncts,
    rebuild,
    to_text,
)
from fcp_ros.domain.model import SAME, Domain
from fcp_ros.foundation.vetoes import find_veto, is_about_state
from fcp_ros.language.english.inflection import write_gerund
from fcp_ros.language.parsing.clauses.hedges import ASIDE
from fcp_ros.language.reading import Reading, WordRole
from fcp_ros.language.syntax import ParsedClause, parse_clauses
from fcp_ros.relaxation.substitution import list_labels

_FEELINGS = {"thirsty": "quenching thirst", "hungry": "satisfying hunger", "cold": "keeping warm"}
_WISHES = frozenset(("have", "get", "need", "want", "like", "love", "go", "try", "be"))
"""Verbs before the one that says what for: "I have to call", "I am about to eat"."""
_POINTERS = frozenset(("that", "this", "it", "so"))
"""Purposes that only point at what was said beside the request."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A goal as it is meant, and what somebody says that it is for: "calling a doctor", or ""."""

    goal: str
    purpose: str = ""


def complete_goal(instruction: str, reading: Reading, domain: Domain, instance: Instance) -> Intent:
    """Complete the goal of a reading by what goes without saying, and by what was said beside it.

    Flawed things are left out of what is asked for by its kind alone, unless the instruction is
    about throwing away, cleaning or repairing. What is asked for by no kind serves the purpose.
    """
    purpose = read_purpose(instruction, reading)
    try:
        goal = check_goal(parse_expression(reading.goal), domain, instance, reading.goal)
    except ExpressionError:
        return Intent(reading.goal, purpose)  # whoever plans it says what is wrong with it
    completion = _Completion(domain, instance, purpose, not is_about_state(instruction))
    whole = completion.complete(goal)
    return Intent(reading.goal if whole == goal else to_text(whole), purpose)


class _Completion:
    """Completes what is chosen in a goal.

    Args:
        whole: True if flawed things are left out.
    """

    def __init__(self, domain: Domain, instance: Instance, purpose: str, whole: bool) -> None:
        rules = domain.relaxing.substitutes if purpose else ()
        self._judges = {rule.of: rule.purpose for rule in rules if rule.purpose}
        self._instance = instance
        self._purpose = purpose
        self._whole = whole

    def complete(self, expression: Expression) -> Expression:
        if isinstance(expression, (And, Or, TrajectoryConstraint)):
            return rebuild(expression, self.complete)
        if isinstance(expression, Atom):
            return self._resolve_pointer(expression)
        is_most = isinstance(expression, Count) and expression.bound in (Bound.AT_MOST, Bound.MOST)
        if not isinstance(expression, (Exists, Count)) or is_most:
            return expression
        parts = tuple(list_conjuncts(self.complete(expression.body)))
        added = [one for v in expression.variables for one in self._list_conditions(v, parts)]
        return replace(expression, body=conjoin([*added, *parts]))

    def _resolve_pointer(self, atom: Atom) -> Atom:
        """Put the purpose in the place of "that" in "bring me something for that"."""
        if atom.predicate not in self._judges.values():
            return atom
        terms = tuple(
            Text(self._purpose) if isinstance(term, Text) and term.value in _POINTERS else term
            for term in atom.arguments
        )
        return replace(atom, arguments=terms)

    def _list_conditions(
        self, variable: TypedVariable, parts: Sequence[Expression]
    ) -> Iterator[Expression]:
        labels = list_labels(variable.name, parts)
        judge = self._judges.get(variable.type)
        judged = any(atom.predicate == judge for part in parts for atom in atoms(part))
        if judge and not labels and not judged:
            yield Atom(judge, (Variable(variable.name), Text(self._purpose)))
        if self._whole and labels:
            for name in list_flawed(variable, labels, self._instance):
                yield Not(Atom(SAME, (Variable(variable.name), Constant(name))))


def list_flawed(
    variable: TypedVariable, labels: Sequence[str], instance: Instance
) -> Iterable[str]:
    """Yield the elements with some labels that have a word in their own label against that use."""
    for element in instance.elements(variable.type):
        fits = all(is_a(instance, element, label) for label in labels)
        if fits and find_flaw(element, labels, instance):
            yield instance.name_of(element)


def find_flaw(element: int, labels: Iterable[str], instance: Instance) -> str:
    """Find what is against an element that has some labels, as a clause: "it is broken"; or ""."""
    category = instance.attribute(element, CATEGORY)
    if not isinstance(category, str):
        return ""
    return next(filter(None, (find_veto(category, label) for label in labels)), "")


def read_purpose(instruction: str, reading: Reading) -> str:
    """Read the purpose out of the remarks of an instruction: "calling a doctor"; "" without one."""
    for word in reading.words:
        if word.role is WordRole.FILLER and word.meaning == ASIDE:
            said = instruction[word.start : word.end].strip(" ,.;:!")
            purposes = (_read_purpose(said, clause) for clause in parse_clauses(said))
            found = next(filter(None, purposes), "")
            if found:
                return found
    return ""


def _read_purpose(said: str, clause: ParsedClause) -> str:
    """Read the purpose off one clause: "(I have) to call a doctor", "I must write", "I'm cold"."""
    tree, verb = clause.tree, clause.tree.words[clause.verb]
    if clause.negated:
        return ""
    if clause.has_subject and verb.lemma == "be":
        feelings = (_FEELINGS.get(word.lemma, "") for word in tree.list_children(clause.verb))
        return next(filter(None, feelings), "")
    above = tree.words[verb.head]
    if above.role == "acomp":  # "about to"
        above = tree.words[above.head]
    refused = tree.find_child(above.place, "neg") is not None
    wished = clause.relation == "xcomp" and above.lemma in _WISHES and not refused
    modal = clause.has_subject and any(
        word.tag == "MD" for word in tree.list_children(verb.place, "aux")
    )
    if verb.lemma in _WISHES or not (wished or modal):
        return ""
    return f"{write_gerund(verb.lemma)}{said[verb.end : clause.end]}".lower().strip()
