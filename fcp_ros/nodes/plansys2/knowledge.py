# SPDX-License-Identifier: Apache-2.0
"""The knowledge of PlanSys2's experts: a domain; instances, facts, numbers and goal of a problem.

A change is made by reading it as a small problem file, so that it is checked, and a mistake in it
explained, as one in a file is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.syntax import Constant
from fcp_ros.domain.pddl.domain_file import read_domain
from fcp_ros.domain.pddl.durative import sequence_actions
from fcp_ros.domain.pddl.problem_file import read_condition, read_problem
from fcp_ros.domain.pddl.source_text import PddlError, Source
from fcp_ros.domain.pddl.syntax_checks import (
    check_domain_features,
    check_domain_names,
    check_problem_features,
    check_problem_names,
)
from fcp_ros.domain.pddl.syntax_tree import (
    TRUE,
    Conjunction,
    DomainText,
    Formula,
    ProblemText,
    Typed,
    conjuncts,
    terms_in,
)
from fcp_ros.domain.pddl.syntax_writer import declare, write_list, write_problem
from fcp_ros.domain.pddl.task_reader import PddlTexts, settle_static, work_out
from fcp_ros.foundation.input_error import InputError
from fcp_ros.foundation.stopping import never_stop
from fcp_ros.foundation.wording import suggest_name, write_decimal
from fcp_ros.fuzzy.tnorm import Goedel

_REQUEST = "the request"
"""The name of a request in the place of a file's."""
_NAME = re.compile(r"[\w-]+\Z", re.ASCII)
_WORD = re.compile(r"[\w-]+", re.ASCII)
_INNERMOST = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True)
class ExpertDomain:
    """A domain file; its durative actions are among its actions, as ones without durations, too."""

    source: Source
    domain: DomainText

    @classmethod
    def read(cls, source: Source) -> ExpertDomain:
        """Read and check a domain file.

        Raises UnsupportedPddl, PddlError as the reader does.
        """
        domain = sequence_actions(read_domain(source, never_stop, durative=True), source)
        check_domain_features(domain, source)
        check_domain_names(domain, source)
        return cls(source, domain)


@dataclass(frozen=True)
class Knowledge:
    """A problem as it is now; each change makes another one.

    All changes raise InputError for what the domain does not allow; one sentence what.
    """

    model: ExpertDomain
    problem: ProblemText

    @classmethod
    def empty(cls, model: ExpertDomain) -> Knowledge:
        return cls(model, _read(model, (), ()))

    @property
    def instances(self) -> tuple[Typed, ...]:
        """The objects that were added; constants of the domain are not among them."""
        constants = frozenset(self.model.domain.constants)
        return tuple(typed for typed in self.problem.objects if typed not in constants)

    def find_instance(self, name: str) -> Typed:
        """Find an instance. Raises InputError if there is none of that name."""
        found = next((one for one in self.instances if one.name == name.lower()), None)
        if found is None:
            known = self.spell(one.name for one in self.instances)
            raise InputError(f"There is no instance {name!r}: {suggest_name(name, known)}")
        return found

    @property
    def facts(self) -> Mapping[str, frozenset[tuple[str, ...]]]:
        """The facts that hold, with those that follow from them, in lower case."""
        if not self.model.domain.axioms:
            return self.problem.facts
        domain = replace(self._without_actions(), types=self.problem.types)
        sources = (self.model.source, self.model.source)
        return settle_static(domain, self.problem, sources, never_stop)[1].facts

    def spell(self, words: Iterable[str]) -> list[str]:
        return [self.problem.spelling.get(word, word) for word in words]

    def write(self) -> str:
        return write_problem(self.problem, self.model.domain.constants)

    def holds(self, goal: Formula) -> bool:
        problem = replace(self.problem, goal=goal, constraints=TRUE, metric=None)
        domain = replace(self._without_actions(), types=self.problem.types)
        task = work_out(PddlTexts(domain, problem, (self.model.source, self.model.source)))
        return evaluate(task.goal, task.instance, lambda *_: None, Goedel()) > 0.0

    def has_fact(self, name: str, arguments: Sequence[str]) -> bool:
        """Tell if a fact holds, or follows from what does."""
        is_derived = name.lower() in self.model.domain.derived
        facts = self.facts if is_derived else self.problem.facts
        return _lower(arguments) in facts.get(name.lower(), ())

    def find_value(self, name: str, arguments: Sequence[str]) -> Fraction | None:
        return self.problem.values.get(name.lower(), {}).get(_lower(arguments))

    def read_goal(self, text: str) -> Formula:
        source = Source(_REQUEST, text)
        goal = read_condition(source)
        problem = replace(self.problem, goal=goal)
        domain = replace(self.model.domain, types=self.problem.types)
        check_problem_features(problem, source)
        check_problem_names(problem, domain, source)
        return goal

    # --- changes

    def add_problem(self, text: str) -> Knowledge:
        """Add everything in a problem file; its goal, constraints and metric replace the old."""
        source = Source(_REQUEST, text)
        new = read_problem(source, self.model.domain, self.model.source)
        if new.domain != self.model.domain.name:
            known = self.model.domain.name
            raise InputError(f"The problem is for the domain {new.domain!r}, and this is {known}.")
        check_problem_features(new, source)
        check_problem_names(new, replace(self.model.domain, types=new.types), source)
        mine = {typed.name: typed for typed in self.problem.objects}
        for typed in new.objects:
            known_types = mine.setdefault(typed.name, typed).types
            if known_types != typed.types:
                raise _refuse_type(typed.name, known_types[0])
        values = {**self.problem.values}
        for name, given in new.values.items():
            values[name] = {**values.get(name, {}), **given}
        return self._with(
            objects=tuple(mine.values()),
            facts=_merge(self.problem.facts, new.facts),
            values=values,
            spelling={**new.spelling, **self.problem.spelling},
            types={**self.problem.types, **new.types},
            goal=new.goal,
            constraints=new.constraints,
            metric=new.metric,
        )

    def add_instance(self, name: str, type_: str) -> Knowledge:
        known = {typed.name: typed for typed in self.problem.objects}.get(name.lower())
        if known is not None:
            if known.types != (type_.lower(),):
                raise _refuse_type(name, known.types[0])
            return self
        for word in (name, type_):
            _check_name(word)
        added = _read(self.model, (f"{name} - {type_}",), ())
        new = next(typed for typed in added.objects if typed.name == name.lower())
        return self._with(
            objects=(*self.problem.objects, new),
            spelling={**self.problem.spelling, new.name: name},
        )

    def remove_instance(self, name: str) -> Knowledge:
        """Remove an object, with the facts, numbers and parts of the goal that name it."""
        gone = self.find_instance(name).name
        spelling = dict(self.problem.spelling)
        del spelling[gone]
        return self._with(
            objects=tuple(typed for typed in self.problem.objects if typed.name != gone),
            facts={
                predicate: frozenset(one for one in tuples if gone not in one)
                for predicate, tuples in self.problem.facts.items()
            },
            values={
                function: {one: value for one, value in given.items() if gone not in one}
                for function, given in self.problem.values.items()
            },
            goal=_leave_out(self.problem.goal, gone),
            constraints=_leave_out(self.problem.constraints, gone),
            spelling=spelling,
        )

    def add_fact(self, name: str, arguments: Sequence[str]) -> Knowledge:
        """Add a fact; one that holds already does no harm."""
        added = self._read_one(arguments, _write_fact(name, arguments))
        return self._with(facts=_merge(self.problem.facts, added.facts))

    def remove_fact(self, name: str, arguments: Sequence[str]) -> Knowledge:
        """Remove a fact; one that does not hold does no harm."""
        removed = self._read_one(arguments, _write_fact(name, arguments)).facts
        (predicate, tuples), facts = next(iter(removed.items())), dict(self.problem.facts)
        facts[predicate] = facts.get(predicate, frozenset()) - tuples
        return self._with(facts=facts)

    def set_value(self, name: str, arguments: Sequence[str], value: float) -> Knowledge:
        exact = Fraction(repr(value))
        self._read_one(arguments, f"(= {_write_fact(name, arguments)} {write_decimal(exact)})")
        return self._with_value(name, arguments, exact)

    def remove_value(self, name: str, arguments: Sequence[str]) -> Knowledge:
        """Take a function's value away; one that has none does no harm."""
        self._read_one(arguments, f"(= {_write_fact(name, arguments)} 0)")
        return self._with_value(name, arguments, None)

    def set_goal(self, text: str) -> Knowledge:
        return self._with(goal=self.read_goal(text))

    def clear_goal(self) -> Knowledge:
        return self._with(goal=TRUE, constraints=TRUE, metric=None)

    def _with_value(self, name: str, arguments: Sequence[str], value: Fraction | None) -> Knowledge:
        key, function = _lower(arguments), name.lower()
        given = {k: v for k, v in self.problem.values.get(function, {}).items() if k != key}
        if value is not None:
            given[key] = value
        return self._with(values={**self.problem.values, function: given})

    def _read_one(self, arguments: Sequence[str], init: str) -> ProblemText:
        constants = {constant.name for constant in self.model.domain.constants}
        own = (self.find_instance(one) for one in arguments if one.lower() not in constants)
        return _read(self.model, declare(dict.fromkeys(own)), [init])

    def _with(self, **changes: object) -> Knowledge:
        return replace(self, problem=replace(self.problem, **changes))  # type: ignore[arg-type]

    def _without_actions(self) -> DomainText:
        return replace(self.model.domain, actions=(), durative=(), constraints=TRUE)


def split_words(expression: str) -> list[str]:
    """Return the names in a text such as `(at r2 kitchen)` or `(= (battery r2) 90)`."""
    inner = _INNERMOST.search(expression)
    return _WORD.findall(expression if inner is None else inner.group(1))


def _read(model: ExpertDomain, objects: Iterable[str], init: Iterable[str]) -> ProblemText:
    domain = write_list(":domain", (model.domain.name,))
    parts = (
        "(define (problem problem)",
        domain,
        write_list(":objects", objects),
        write_list(":init", init),
        "(:goal (and)))",
    )
    try:
        return read_problem(Source(_REQUEST, "\n".join(parts)), model.domain, model.source)
    except PddlError as error:  # whose place is one in a text that nobody wrote
        found = error.diagnostics[0]
        raise InputError(f"{found.message}. Fix: {found.fix}.") from error


def _write_fact(name: str, arguments: Sequence[str]) -> str:
    for word in (name, *arguments):
        _check_name(word)
    return write_list(name, arguments)


def _check_name(word: str) -> None:
    if not _NAME.match(word):
        raise InputError(f"{word!r} is no name: write letters, digits, - and _.")


def _lower(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.lower() for word in words)


def _merge(
    facts: Mapping[str, frozenset[tuple[str, ...]]], more: Mapping[str, frozenset[tuple[str, ...]]]
) -> dict[str, frozenset[tuple[str, ...]]]:
    return {**facts, **{name: facts.get(name, frozenset()) | new for name, new in more.items()}}


def _leave_out(formula: Formula, gone: str) -> Formula:
    parts = (part for part in conjuncts(formula) if Constant(gone) not in terms_in(part))
    return Conjunction(tuple(parts))


def _refuse_type(name: str, type_: str) -> InputError:
    return InputError(f"{name} is known already, as a {type_}: remove it first.")
