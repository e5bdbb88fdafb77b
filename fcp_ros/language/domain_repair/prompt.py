# SPDX-License-Identifier: Apache-2.0
"""The question to a language model: which rules does a domain lack for what somebody wants?"""

from __future__ import annotations

from collections.abc import Sequence

from fcp_ros.cset import Instance
from fcp_ros.domain.diagnostics import Diagnostic
from fcp_ros.domain.expressions.syntax import Atom, Variable, write_term
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.yaml_text import dump_yaml
from fcp_ros.grounding.generation import quote_data
from fcp_ros.language.domain_repair.proposal import RepairAttempt
from fcp_ros.language.model_reader.names import find_stem, is_plain, split_words

MOST_LABELS = 60
MOST_RULES = 3
"""Rules of the domain that are shown whole."""
MOST_FAULTS = 6


def write_task(base: Domain, need: str, *, rules_only: bool) -> str:
    """Write what is there and how to write what is missing."""
    vocabulary = Vocabulary.of(base)
    types = ", ".join(
        f"{name} ({', '.join(above)})" if above else name
        for name, above in vocabulary.parents.items()
    )
    relations = "; ".join(
        f"{name}({', '.join(f'{p.name}: {p.type}' for p in parameters)})"
        for name, parameters in vocabulary.relations.items()
    )
    executors = ", ".join(dict.fromkeys(rule.executor for rule in base.rules.values()))
    shown = _choose_rules(base, need)
    others = [name for name in base.rules if name not in {rule.name for rule in shown}]
    keys = (
        "the key rules"
        if rules_only
        else "the keys types, relations, rules and labels, as far as needed"
    )
    example = dump_yaml({"rules": {rule.name: _show(rule) for rule in shown}}, width=100)
    return "\n".join(
        [
            "You extend the domain of a robot planner by actions that it lacks. Write YAML with "
            f"{keys}; only what is new, and nothing else.",
            f"Types, with what they are kinds of: {types}.",
            f"Relations: {relations}.",
            f"Executors: {executors}.",
            "A rule needs parameters, conditions in `when`, facts that end in `delete` and facts "
            "that begin in `add`. The robot has to be in the right place and to hold what it uses. "
            "Facts in `delete` also stand in `when`.",
            f"Rules that exist: {', '.join(others)}." if others else "",
            "Some of the rules that exist, as examples:",
            example.strip(),
        ]
    )


def write_question(need: str, instance: Instance | None, attempts: Sequence[RepairAttempt]) -> str:
    """Write what is missing, what is there, and the faults of the last attempt."""
    lines = []
    if instance is not None:
        labels = dict.fromkeys(
            normalise_label(str(instance.attribute(id_, "category") or ""))
            for id_ in instance.all_elements()
        )
        plain = [label for label in labels if label and is_plain(label)]
        lines.append(f"Things here: {', '.join(plain[:MOST_LABELS])}.")
    if attempts:
        last = attempts[-1]
        lines += ["Your last answer:", last.text.strip(), "What is wrong with it:"]
        lines += [f"- {_describe(fault)}" for fault in last.faults[:MOST_FAULTS]]
        lines.append("Write it again without these faults.")
    lines.append(f'The robot shall be able to do this: "{quote_data(need)}"')
    return "\n".join(lines)


def _describe(fault: Diagnostic) -> str:
    place = f"line {fault.line}: " if fault.line else ""
    return quote_data(f"{place}{fault.message}. Fix: {fault.fix}.", 300)


def _choose_rules(base: Domain, need: str) -> list[ActionRule]:
    """Choose the rules whose names are most like what is needed."""
    stems = {find_stem(word) for word in split_words(need)}

    def measure(rule: ActionRule) -> int:
        named = [rule.name, *(p.type for p in rule.parameters)]
        named += [atom.predicate for atom in (*rule.add, *rule.delete)]
        words = {find_stem(word) for name in named for word in split_words(name.replace("_", " "))}
        return len(words & stems)

    plain = [r for r in base.rules.values() if not (r.effects or r.graded or r.formulas)]
    return sorted(plain, key=lambda rule: -measure(rule))[:MOST_RULES]


def _show(rule: ActionRule) -> dict[str, object]:
    """Return a rule as the data of its YAML."""
    names = frozenset(rule.parameter_names)

    def write(atom: Atom) -> str:
        terms = (
            term.name if isinstance(term, Variable) and term.name in names else write_term(term)
            for term in atom.arguments
        )
        return f"{atom.predicate}({', '.join(terms)})"

    shown: dict[str, object] = {
        "parameters": {parameter.name: parameter.type for parameter in rule.parameters},
        "when": [f"{'not ' if one.negated else ''}{write(one.atom)}" for one in rule.when],
    }
    if rule.delete:
        shown["delete"] = [write(atom) for atom in rule.delete]
    if rule.add:
        shown["add"] = [write(atom) for atom in rule.add]
    return {**shown, "duration": round(rule.duration.base), "executor": rule.executor}
