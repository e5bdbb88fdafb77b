# SPDX-License-Identifier: Apache-2.0
"""PDDL's notation for what the planner says about a task in the words of its domain.

The domain of a task differs from the files: several rules stand for one action, some relations have
one more leg (`names`). Sentences of the planner name facts and steps as `name(argument, ...)`;
people who wrote PDDL read `(name argument ...)`, with the names and arguments of their files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fcp_ros.domain.pddl.names import WORLD
from fcp_ros.domain.pddl.task import PddlTask

_CALL = re.compile(r"""(?<![\w-])([\w-]+)\(((?:"[^"]*"|[^()"])*)\)""")
_NEGATION = re.compile(r"\bnot (\([^()]*\))")
_RULE = re.compile(r"\brule '?([\w-]+)'?")


class PddlNotation:
    """Writes facts, steps and sentences about one task in PDDL."""

    def __init__(self, task: PddlTask) -> None:
        self._forms = task.forms
        self._rules = {name: task.rule(name).parameter_names for name in task.forms}
        self._predicates = task.predicates
        self._arities = {
            relation.name: len(relation.legs) for relation in task.domain.schema.relations
        }

    def write_step(self, rule: str, arguments: Mapping[str, str]) -> str:
        """Write a step as `(action object ...)`.

        `arguments`: the object for each parameter of the rule.
        """
        form = self._forms[rule]
        return _write(form.action, [arguments[name] for name in form.parameters])

    def write_sentence(self, text: str) -> str:
        """Write a sentence with its facts, steps and rules in PDDL; all else stays as it is."""
        text = text.replace(f" for each {WORLD}.", " at a time.")
        text = _NEGATION.sub(r"(not \1)", _CALL.sub(self._translate_call, text))
        return _RULE.sub(self._translate_rule, text)

    def _translate_call(self, found: re.Match[str]) -> str:
        name, inner = found.groups()
        arguments = [word.strip().strip('"') for word in inner.split(",")] if inner else []
        if self._arities.get(name) == len(arguments):
            predicate, has_world = self._predicates[name]
            return _write(predicate, arguments[has_world:])
        parameters = self._rules.get(name)
        if parameters is not None and len(parameters) == len(arguments):
            return self.write_step(name, dict(zip(parameters, arguments, strict=True)))
        return found.group()

    def _translate_rule(self, found: re.Match[str]) -> str:
        form = self._forms.get(found.group(1))
        return found.group() if form is None else f"action {form.action}"


def _write(name: str, arguments: Sequence[str]) -> str:
    return f"({' '.join((name, *arguments))})"
