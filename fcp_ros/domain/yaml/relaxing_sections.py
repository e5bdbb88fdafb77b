# SPDX-License-Identifier: Apache-2.0
"""The sections `relaxable`, `relaxing` and `hard` of a domain file: how goals may be relaxed."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import Atom, Constant, Expression, ExpressionError, Variable
from fcp_ros.domain.model import (
    ANY,
    IS_A,
    TEXT,
    ActionRule,
    Domain,
    Literal,
    Relaxing,
    ShiftRule,
    SubstituteRule,
    WeakerForm,
)
from fcp_ros.domain.phrase_goals import SlotValue, fill_goal
from fcp_ros.domain.phrases import ADDRESSEE, NUMBER, SPEAKER, Addition, TaskTemplate
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.atoms import AtomReader
from fcp_ros.domain.yaml.entries import (
    DomainFile,
    RelaxingEntry,
    ShiftEntry,
    SubstituteEntry,
    WeakerEntry,
)
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.wording import suggest_name


def check_task_goals(domain: Domain, report: Diagnostics) -> None:
    """Report goals of tasks that can't be read or do not fit the domain."""
    for name, removed in domain.words.removed.items():
        own: Path = ("relations", name, "removed")
        _check_goal(removed, None, domain, own, f"the absence of {name}", report)
    for name, task in domain.words.tasks.items():
        path: Path = ("tasks", name)
        faults = len(report.diagnostics)
        _check_goal(task, None, domain, (*path, "goal"), f"task {name}", report)
        _check_default_labels(task, domain, (*path, "defaults"), report)
        for key, other in (("several", task.several), ("left", task.left)):
            if other:
                owner = f"{key} of task {name}"
                _check_goal(task.with_goal(other), None, domain, (*path, key), owner, report)
        if len(report.diagnostics) > faults:
            continue
        for position, addition in enumerate(task.additions):
            if not addition.goal:
                continue
            here = (*path, "additions", position, "goal")
            owner = f"addition {position + 1} of {name}"
            _check_goal(task, addition, domain, here, owner, report)


def _check_goal(
    task: TaskTemplate,
    addition: Addition | None,
    domain: Domain,
    path: Path,
    owner: str,
    report: Diagnostics,
) -> None:
    additions = () if addition is None else (addition,)
    parameters = dict(task.parameters)
    parameters.update({} if addition is None else addition.parameters)
    builder = InstanceBuilder(domain.schema)
    values: dict[str, SlotValue] = {}
    for slot, type_ in parameters.items():
        if type_ in (NUMBER, TEXT):
            values[slot] = 1 if type_ == NUMBER else slot
        else:
            builder.add(type_, slot)
            values[slot] = Constant(slot)
    instance = builder.build()
    elements = {slot: v for slot, v in values.items() if isinstance(v, Constant)}
    spoken = {slot: v for slot, v in values.items() if slot not in elements}
    try:
        check_goal(fill_goal(task, values, additions), domain, instance)
        free = [slot for slot in elements if _may_be_left_out(task, slot)]
        if free:  # the same with the elements that need not be said
            spoken.update((s, v) for s, v in elements.items() if s not in free)
            check_goal(fill_goal(task, spoken, additions), domain, instance)
    except ExpressionError as error:
        fix = "write it in the language of docs/goals.md, with {slots} for the parameters"
        message = str(error.message).rstrip(".")
        shown = f" (in `{error.text}`)" if error.text else ""
        report.add(path, f"the goal of {owner}: {message}{shown}", fix)


def _may_be_left_out(task: TaskTemplate, slot: str) -> bool:
    return task.defaults.get(slot) not in (SPEAKER, ADDRESSEE) and any(
        slot not in {getattr(part, "name", "") for part in variant}
        for phrase in task.phrases
        for variant in phrase.variants
    )


def _check_default_labels(
    task: TaskTemplate, domain: Domain, path: Path, report: Diagnostics
) -> None:
    labels = domain.mapping.labels
    types = {normalise_label(type_): type_ for type_ in domain.schema.types}
    for slot, value in task.defaults.items():
        if task.parameters.get(slot) in (NUMBER, TEXT) or value in (SPEAKER, ADDRESSEE):
            continue
        label = normalise_label(value)
        if label in types or label in domain.words.kinds or match_label(value, labels) is not None:
            continue
        message = f"the default {value} of {slot} in task {task.name} is no label, type or kind"
        known = {**labels, **types, **dict.fromkeys((SPEAKER, ADDRESSEE), IS_A)}
        report.add((*path, slot), message, suggest_name(label, known))


SUBSTITUTE = "suitable_substitute"
"""The graded predicate (element, wanted: text) that judges substitutes where nothing is said."""
SHARE = "share"
"""The word for the degree k / n of k elements of n."""
SOME, HALF = "some", 0.5
"""The word for half of the degree for some at all, and the other half by k / n."""

_SHORT = re.compile(r"\s*(?P<relation>\S+)\s+(?P<degree>[0-9.]+)\s*\Z")
_SECTION = "relaxing"


def build_relaxing(
    file: DomainFile, rules: Mapping[str, ActionRule], vocabulary: Vocabulary, report: Diagnostics
) -> Relaxing:
    """Build what the file says about relaxing goals; report its faults."""
    return _RelaxingReader(file, rules, vocabulary, report).build()


class _RelaxingReader:
    def __init__(
        self,
        file: DomainFile,
        rules: Mapping[str, ActionRule],
        vocabulary: Vocabulary,
        report: Diagnostics,
    ) -> None:
        self._file = file
        self._rules = rules
        self._vocabulary = vocabulary
        self._report = report

    def build(self) -> Relaxing:
        entry = self._file.relaxing or RelaxingEntry()
        fewer, each = self._read_fewer(entry)
        some = HALF if entry.fewer == SOME else 0.0
        self._check_names(entry.drop, (*self._vocabulary.relations, ANY), "drop", "relation")
        self._check_names(entry.ask, self._rules, "ask", "rule")
        hard = {*self._vocabulary.relations, *self._vocabulary.graded, *self._file.types}
        labels = {label for listed in self._file.labels.values() for label in listed}
        for position, name in enumerate(self._file.hard):
            self._check_known(name, (*hard, *labels), ("hard", position), "name")
        return Relaxing(
            weaker=self._read_weaker(),
            substitutes=self._read_substitutes(entry),
            fewer=fewer,
            fewer_some=some,
            fewer_each=each,
            fewer_least=entry.fewer_least,
            broader=self._read_broader(entry),
            drop=dict(entry.drop),
            split=entry.split,
            shifts=tuple(self._read_shift(*one) for one in enumerate(entry.shift)),
            ask=dict(entry.ask),
            hard=frozenset(self._file.hard),
        )

    def _check_names(
        self,
        given: Mapping[str, float],
        known: Mapping[str, object] | tuple[str, ...],
        key: str,
        kind: str,
    ) -> None:
        for name in given:
            self._check_known(name, tuple(known), (_SECTION, key, name), kind)

    def _check_known(self, name: str, known: tuple[str, ...], path: Path, kind: str) -> bool:
        if name in known:
            return True
        self._report.add(path, f"unknown {kind} {name}", suggest_name(name, known))
        return False

    def _read_fewer(self, entry: RelaxingEntry) -> tuple[bool, float | None]:
        given = entry.fewer
        if given is None:
            return False, None
        if given in (SHARE, SOME):
            return True, None
        if isinstance(given, float) and math.isfinite(given) and 0.0 <= given <= 1.0:
            return True, given
        message = f"fewer is {given!r}"
        self._report.add((_SECTION, "fewer"), message, "write share, some, or a degree from 0 to 1")
        return False, None

    def _read_broader(self, entry: RelaxingEntry) -> dict[str, float]:
        if isinstance(entry.is_a, float):
            message = f"is_a is {entry.is_a:g}, for all kinds: a book would do for a tissue"
            fix = "list the kinds whose members do for one another, such as is_a: {table: 0.7}"
            self._report.add((_SECTION, "is_a"), message, fix)
            return {}
        self._check_names(entry.is_a, tuple(self._vocabulary.parents), "is_a", "type")
        return dict(entry.is_a)

    # --- weaker forms

    def _read_weaker(self) -> dict[str, tuple[WeakerForm, ...]]:
        found: dict[str, tuple[WeakerForm, ...]] = {}
        relations = self._vocabulary.relations
        for relation, entries in self._file.relaxable.items():
            path: Path = ("relaxable", relation)
            if not self._check_known(relation, tuple(relations), path, "relation"):
                continue
            if relation in self._file.hard:
                message = f"{relation} is both relaxable and hard"
                self._report.add(path, message, "take it out of one of them")
            read = [
                self._read_form(relation, entry, (*path, position))
                for position, entry in enumerate(entries)
            ]
            found[relation] = tuple(form for form in read if form is not None)
        return found

    def _read_form(self, relation: str, entry: WeakerEntry | str, path: Path) -> WeakerForm | None:
        legs = self._vocabulary.relations[relation]
        if isinstance(entry, WeakerEntry):
            formula = self._read_formula(relation, entry.to, (*path, "to"))
            return None if formula is None else WeakerForm(formula, entry.degree, entry.because)
        short = _SHORT.match(entry)
        degree = _read_degree(short["degree"]) if short else None
        if short is None or degree is None:
            message = f"`{entry}` is no weaker form of {relation}"
            self._report.add(path, message, "write a relation and a degree, such as near 0.6")
            return None
        weaker = short["relation"]
        if not self._check_known(weaker, tuple(self._vocabulary.relations), path, "relation"):
            return None
        if len(self._vocabulary.relations[weaker]) != len(legs):
            message = f"{weaker} has other legs than {relation}"
            self._report.add(path, message, "write {to: a formula over the legs, degree: ...}")
            return None
        return WeakerForm(Atom(weaker, tuple(Variable(leg.name) for leg in legs)), degree)

    def _read_formula(self, relation: str, text: str, path: Path) -> Expression | None:
        """Read a formula over the legs of a relation, which may be written bare."""
        legs = {leg.name: leg.type for leg in self._vocabulary.relations[relation]}
        owner = f"relaxable {relation}"
        reader = AtomReader(self._vocabulary, self._report, legs, owner)
        read = reader.read_condition(text, path)
        if not isinstance(read, Literal):
            return read
        if read.negated:
            message = f"`{text}` in {owner} is a negation"
            self._report.add(path, message, "write what holds in place of the relation")
            return None
        return read.atom

    # --- substitutes and shifts

    def _read_substitutes(self, entry: RelaxingEntry) -> tuple[SubstituteRule, ...]:
        if entry.substitute is not None:
            listed = enumerate(entry.substitute)
            read = [self._read_substitute(one, (_SECTION, "substitute", n)) for n, one in listed]
            return tuple(one for one in read if one is not None)
        signature = self._vocabulary.graded.get(SUBSTITUTE, ())
        if len(signature) == 2 and signature[1].is_text and not signature[0].is_text:
            return (SubstituteRule(signature[0].type, SUBSTITUTE),)
        return ()

    def _read_substitute(self, entry: SubstituteEntry, path: Path) -> SubstituteRule | None:
        types = tuple(self._vocabulary.parents)
        if not self._check_known(entry.of, types, (*path, "of"), "type"):
            return None
        if not self._check_judge(entry.by, entry.of, (*path, "by")):
            return None
        if entry.purpose and not self._check_judge(entry.purpose, entry.of, (*path, "purpose")):
            return None
        return SubstituteRule(entry.of, entry.by, entry.named, entry.purpose)

    def _check_judge(self, name: str, of: str, path: Path) -> bool:
        """Check that a graded predicate takes an element of a type and a text."""
        if not self._check_known(name, tuple(self._vocabulary.graded), path, "graded predicate"):
            return False
        signature = self._vocabulary.graded[name]
        if (
            len(signature) == 2
            and signature[1].is_text
            and self._vocabulary.is_subtype(of, signature[0].type)
        ):
            return True
        message = f"{name} does not take ({of}, text)"
        fix = f"declare it with parameters {{element: {of}, wanted: text}}"
        self._report.add(path, message, fix)
        return False

    def _read_shift(self, position: int, entry: ShiftEntry) -> ShiftRule:
        path: Path = (_SECTION, "shift", position)
        for key in ("of", "to"):
            name = getattr(entry, key)
            self._check_known(name, tuple(self._vocabulary.parents), (*path, key), "type")
        if (entry.degree is None) == (not entry.by):
            message = f"the shift from {entry.of} to {entry.to} needs a degree or a predicate"
            self._report.add(path, message, "give one of `degree` and `by`")
        if entry.by:
            self._check_judge(entry.by, entry.of, (*path, "by"))
        degree = 1.0 if entry.degree is None else entry.degree
        return ShiftRule(entry.of, entry.to, degree, entry.by, entry.because)


def _read_degree(text: str) -> float | None:
    try:
        degree = float(text)
    except ValueError:
        return None
    return degree if 0.0 <= degree <= 1.0 else None
