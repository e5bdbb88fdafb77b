# SPDX-License-Identifier: Apache-2.0
"""A domain and a training task in words for a language model, with the names of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from fcp_ros.abstraction.proposers.state_words import list_facts, write_atom
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.abstraction.states.building import build_state
from fcp_ros.abstraction.states.vocabulary import GOAL, RelationForm, StateVocabulary, list_forms
from fcp_ros.domain.expressions.syntax import Atom, Term, Variable, to_text, write_term
from fcp_ros.domain.model import ActionRule, Domain, Effect, Literal
from fcp_ros.domain.pddl.names import WORLD
from fcp_ros.grounding.generation.generator import quote_data

MOST_FACTS = 8
"""Facts of one relation, and of the goal, that are shown of an example."""
LONGEST = 2000
"""Longest list of facts (characters)."""
ANYTHING = "any"
"""Begins the names of variables that stand for anything in the conditions of rules."""


def describe_domain(domain: Domain, vocabulary: StateVocabulary) -> str:
    """Describe relations and actions, by the names that features use."""
    forms = list_forms(domain.schema)
    wanted = [name for name in (*vocabulary.concepts, *vocabulary.roles) if name.startswith(GOAL)]
    wanted += [name for name in vocabulary.flags if name.startswith(GOAL)]
    lines = [
        _list_names("Concepts (sets of objects)", vocabulary.concepts, vocabulary),
        _list_names("Roles (pairs of objects)", vocabulary.roles, vocabulary),
        _list_names("Flags (true or false)", vocabulary.flags, vocabulary),
        f"The goal's versions, which never change: {', '.join(wanted)}." if wanted else "",
        "Actions:",
        *(_describe_rule(rule, forms) for rule in domain.rules.values()),
    ]
    return "\n".join(line for line in lines if line)


def describe_task(task: TrainingTask) -> str:
    """Describe the initial facts and the goal of a task, within a bounded length."""
    state = build_state(task.domain, task.instance, task.goal)
    fluent, everything = state.vocabulary.fluent, (1 << len(state.objects)) - 1
    by_name: dict[str, list[str]] = {}
    for name, fact in list_facts(state):
        # The type of all objects, and what the goal asks for, are no news.
        if not name.startswith(GOAL) and state.concepts.get(name) != everything:
            by_name.setdefault(name, []).append(fact)
    names = sorted(by_name, key=lambda name: name not in fluent)  # what changes says most
    forms = list_forms(task.domain.schema)
    goal = [
        write_atom(fact.relation, [fact.arguments[p] for p in forms[fact.relation].positions])
        for fact in task.goal
    ]
    facts = "; ".join(_cut(by_name[name]) for name in names)
    return f"Initially: {facts}.\nGoal: {_cut(goal)}."


def _cut(facts: list[str]) -> str:
    more = [f"{len(facts) - MOST_FACTS} more like these"] if len(facts) > MOST_FACTS else []
    return quote_data(", ".join([*facts[:MOST_FACTS], *more]), LONGEST)


def _list_names(title: str, names: Iterable[str], vocabulary: StateVocabulary) -> str:
    """List names that are no versions of the goal; those that change have a star."""
    plain = [name for name in names if not name.startswith(GOAL)]
    marked = [f"{name}*" if name in vocabulary.fluent else name for name in plain]
    return f"{title}; * marks what actions change: {', '.join(marked)}." if marked else ""


def _describe_rule(rule: ActionRule, forms: Mapping[str, RelationForm]) -> str:
    parameters = [p for p in rule.parameters if p.name != WORLD]
    head = ", ".join(f"{p.name}: {p.type}" for p in parameters)
    parts = [f"- {rule.name}({head})"]
    conditions = [_write_literal(literal, forms) for literal in rule.when]
    conditions += [to_text(formula) for formula in rule.formulas]
    if conditions:
        parts.append(f"needs {', '.join(conditions)}")
    parts += _describe_changes(rule, forms)
    for effect in rule.effects:
        when = [_write_literal(literal, forms) for literal in effect.when]
        when += [to_text(formula) for formula in effect.formulas]
        changes = " and ".join(_describe_changes(effect, forms))
        parts.append(f"if {', '.join(when)}: {changes}" if when else changes)
    return "; ".join(parts)


def _describe_changes(part: ActionRule | Effect, forms: Mapping[str, RelationForm]) -> list[str]:
    words = (("adds", part.add), ("deletes", part.delete))
    return [
        f"{word} {', '.join(_write(atom, forms) for atom in atoms)}"
        for word, atoms in words
        if atoms
    ]


def _write_literal(literal: Literal, forms: Mapping[str, RelationForm]) -> str:
    return f"{'not ' if literal.negated else ''}{_write(literal.atom, forms)}"


def _write(atom: Atom, forms: Mapping[str, RelationForm]) -> str:
    form = forms.get(atom.predicate)
    kept = atom.arguments if form is None else [atom.arguments[p] for p in form.positions]
    return write_atom(atom.predicate, [_write_term(term) for term in kept])


def _write_term(term: Term) -> str:
    if not isinstance(term, Variable):
        return write_term(term)
    return "anything" if term.name.partition(".")[0] == ANYTHING else term.name
