# SPDX-License-Identifier: Apache-2.0
"""The phrases of a domain file: keys `phrases`, sections `tasks`, `kinds`, `sets` and `ignorable`.

`relaxing_sections` checks the goals of the tasks, which takes a sound domain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from fcp_ros.domain.diagnostics import Diagnostics, Path
from fcp_ros.domain.expressions.syntax import free_variables
from fcp_ros.domain.model import TEXT, ActionRule
from fcp_ros.domain.phrase_goals import SLOT, state_effects
from fcp_ros.domain.phrases import (
    NUMBER,
    Addition,
    DomainWords,
    Phrase,
    PhraseError,
    PhraseSlot,
    SetExtension,
    TaskTemplate,
    ThingSet,
    list_slots,
    parse_phrase,
    split_words,
    write_variant,
)
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.domain.yaml.entries import (
    AdditionEntry,
    DomainFile,
    RelationEntry,
    SetEntry,
    TaskEntry,
)
from fcp_ros.domain.yaml.types import check_name, check_type
from fcp_ros.foundation.labels import match_label, normalise_label
from fcp_ros.foundation.wording import suggest_name


@dataclass
class PhraseBuilder:
    """Reads phrases, and remembers what each way to say one means.

    `meanings`: words and types of slots -> the owner (rule, relation ...) and the slots in order.
    """

    report: Diagnostics
    meanings: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = field(default_factory=dict)

    def build(
        self, texts: Iterable[str], path: Path, types: Mapping[str, str], owner: str
    ) -> tuple[Phrase, ...]:
        """Read phrases over parameters of some types, of which each names at least one."""
        phrases = self.read(texts, path, types, owner)
        for phrase in phrases:
            bare = next((v for v in phrase.variants if not list_slots(v)), None)
            if bare is not None:
                message = f"`{write_variant(bare)}` of {owner} has no slot"
                fix = f"name one of {', '.join(types)} in braces, or describe a task"
                self.report.add_at(phrase.line, message, fix)
        return phrases

    def read(
        self, texts: Iterable[str], path: Path, types: Mapping[str, str], owner: str
    ) -> tuple[Phrase, ...]:
        """Read phrases; those with faults are reported and left out."""
        found = []
        for position, text in enumerate(texts):
            here = (*path, position)
            phrase = self._read_phrase(text, here, types, owner)
            if phrase is not None:
                found.append(phrase)
                self._check_new(phrase, types, owner, here)
        return tuple(found)

    def _read_phrase(
        self, text: str, path: Path, types: Mapping[str, str], owner: str
    ) -> Phrase | None:
        try:
            phrase = parse_phrase(text, self.report.line(path))
        except PhraseError as error:
            self.report.add(path, f"`{text}` of {owner}: {error.message}", error.fix)
            return None
        unknown = sorted(phrase.slots - types.keys())
        for slot in unknown:
            message = f"`{text}` of {owner} has the unknown slot {{{slot}}}"
            self.report.add(path, message, suggest_name(slot, types))
        return None if unknown else phrase

    def _check_new(self, phrase: Phrase, types: Mapping[str, str], owner: str, path: Path) -> None:
        for variant in phrase.variants:
            key = tuple(
                f"{{{types[part.name]}}}" if isinstance(part, PhraseSlot) else part.text
                for part in variant
            )
            meaning = (owner, list_slots(variant))
            other = self.meanings.setdefault(key, meaning)
            if other != meaning:
                message = f"`{write_variant(variant)}` stands for {other[0]} and for {owner}"
                if other[0] == owner:
                    message = f"`{write_variant(variant)}` of {owner} can be read in two ways"
                self.report.add(path, message, "keep it in one place, or give it other words")
                return


def build_sets(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, ThingSet]:
    """Build the sets of a domain; report their faults."""
    builder = _SetBuilder(file, vocabulary, report)
    return {name: builder.build(name, entry) for name, entry in file.sets.items()}


class _SetBuilder:
    def __init__(self, file: DomainFile, vocabulary: Vocabulary, report: Diagnostics) -> None:
        self._report = report
        self._labels = {
            normalise_label(word): type_ for type_, some in file.labels.items() for word in some
        }
        self._types = {normalise_label(type_): type_ for type_ in vocabulary.parents}
        self._kinds = {normalise_label(word) for word in file.kinds}
        self._owners: dict[str, str] = {}

    def build(self, name: str, entry: SetEntry) -> ThingSet:
        path: Path = ("sets", name)
        check_name(name, "set", path, self._report)
        words = self._read_words(entry.words, (*path, "words"), name)
        if not words:
            self._report.add((*path, "words"), f"set {name} has no word", "write what it is called")
        parts = tuple(normalise_label(word) for word in entry.parts)
        members = self._read_members(entry.members, (*path, "members"), f"set {name}")
        return ThingSet(name, words, parts, members, self._build_more(name, entry, path))

    def _build_more(self, name: str, entry: SetEntry, path: Path) -> tuple[SetExtension, ...]:
        builder, more = PhraseBuilder(self._report), []
        for position, given in enumerate(entry.more):
            here = (*path, "more", position)
            owner = f"extension {position + 1} of set {name}"
            phrases = builder.read(given.phrases, (*here, "phrases"), {}, owner)
            if not given.phrases:
                self._report.add((*here, "phrases"), f"{owner} has no phrase", "write what is said")
            more.append(
                SetExtension(phrases, self._read_members(given.members, (*here, "members"), owner))
            )
        return tuple(more)

    def _read_words(self, words: Iterable[str], path: Path, name: str) -> tuple[str, ...]:
        found = []
        for position, word in enumerate(words):
            known = normalise_label(word)
            other = self._owners.setdefault(known, name)
            fault = ""
            if not known:
                fault = f"set {name} has an empty word"
            elif known in self._types or known in self._kinds or known in self._labels:
                fault = f"{word} of set {name} is a type, a kind or a label already"
            elif other != name:
                fault = f"{word} stands for the set {other} and for {name}"
            if fault:
                self._report.add((*path, position), fault, "use another word")
            else:
                found.append(known)
        return tuple(dict.fromkeys(found))

    def _read_members(self, members: Iterable[str], path: Path, owner: str) -> tuple[str, ...]:
        found = [normalise_label(member) for member in members]
        if not found:
            self._report.add(path, f"{owner} has no members", "list labels or types")
        for position, member in enumerate(found):
            if member in self._types or member in self._kinds:
                continue
            if match_label(member, self._labels) is None:
                message = f"{member} in {owner} is neither a label, a type nor a kind"
                known = {**self._labels, **self._types}
                self._report.add((*path, position), message, suggest_name(member, known))
        return tuple(dict.fromkeys(found))


def build_words(
    file: DomainFile, rules: Mapping[str, ActionRule], vocabulary: Vocabulary, report: Diagnostics
) -> DomainWords:
    """Build the words of a domain; report their faults, those of goals of tasks excepted."""
    builder = PhraseBuilder(report)
    relations, negated = {}, {}
    for name, relation in file.relations.items():
        path: Path = ("relations", name)
        relations[name] = builder.build(
            relation.phrases, (*path, "phrases"), relation.legs, f"relation {name}"
        )
        negated[name] = builder.build(
            relation.negated_phrases,
            (*path, "negated_phrases"),
            relation.legs,
            f"the absence of {name}",
        )
    graded = {
        name: builder.build(
            entry.phrases, ("graded", name, "phrases"), entry.parameters, f"predicate {name}"
        )
        for name, entry in file.graded.items()
    }
    doing = {}
    for name, rule in file.rules.items():
        path = ("rules", name, "phrases")
        doing[name] = builder.build(rule.phrases, path, rule.parameters, f"rule {name}")
        _check_effects(rules[name], doing[name], report)
    tasks = {
        name: _build_task(name, entry, builder, vocabulary, report)
        for name, entry in file.tasks.items()
    }
    return DomainWords(
        relations=_keep_filled(relations),
        negated=_keep_filled(negated),
        removed={
            name: _build_removed(name, relation, report)
            for name, relation in file.relations.items()
            if relation.removed
        },
        rules=_keep_filled(doing),
        graded=_keep_filled(graded),
        tasks=tasks,
        kinds=_build_kinds(file, vocabulary, report),
        sets=build_sets(file, vocabulary, report),
        ignorable=_build_ignorable(file, report),
    )


def _build_removed(name: str, entry: RelationEntry, report: Diagnostics) -> TaskTemplate:
    _check_slots(name, entry.removed, entry.legs, ("relations", name, "removed"), report)
    return TaskTemplate(name, (), dict(entry.legs), " ".join(entry.removed.split()))


def _keep_filled(phrases: Mapping[str, tuple[Phrase, ...]]) -> dict[str, tuple[Phrase, ...]]:
    return {name: some for name, some in phrases.items() if some}


def _check_effects(rule: ActionRule, phrases: Iterable[Phrase], report: Diagnostics) -> None:
    """Report phrases of a rule of which something would not be heard."""
    for phrase in phrases:
        for variant in phrase.variants:
            slots = list_slots(variant)
            goal = state_effects(rule, slots)
            heard = () if goal is None else free_variables(goal)
            lost = [slot for slot in slots if slot not in heard]
            if lost:
                message = (
                    f"`{write_variant(variant)}` asks for nothing about {lost[0]}: "
                    f"no effect of rule {rule.name} that counts here has it"
                )
                fix = "leave the slot out, or describe a task with a goal"
                report.add_at(phrase.line, message, fix)
                break


def _build_task(
    name: str, entry: TaskEntry, builder: PhraseBuilder, vocabulary: Vocabulary, report: Diagnostics
) -> TaskTemplate:
    path: Path = ("tasks", name)
    check_name(name, "task", path, report)
    _check_parameters(entry.parameters, (*path, "parameters"), name, vocabulary, report)
    phrases = builder.read(entry.phrases, (*path, "phrases"), entry.parameters, f"task {name}")
    if not entry.phrases:
        report.add((*path, "phrases"), f"task {name} has no phrase", "write what people say")
    used: set[str] = set()
    for key, goal in (("goal", entry.goal), ("several", entry.several), ("left", entry.left)):
        used |= _list_goal_slots(goal)
        _check_slots(name, goal, entry.parameters, (*path, key), report)
    additions = tuple(
        _build_addition(name, entry, position, builder, vocabulary, report)
        for position in range(len(entry.additions))
    )
    for addition in additions:
        used |= _list_goal_slots(addition.goal)
    _check_use(name, entry.parameters, used, (*path, "parameters"), report)
    defaults = {slot: str(value) for slot, value in entry.defaults.items()}
    _check_defaults(name, defaults, entry.parameters, (*path, "defaults"), report)
    _check_given(name, phrases, entry.parameters, defaults, used, report)
    return TaskTemplate(
        name=name,
        phrases=phrases,
        parameters=dict(entry.parameters),
        goal=" ".join(entry.goal.split()),
        description=entry.description,
        defaults=defaults,
        additions=additions,
        several=" ".join(entry.several.split()),
        left=" ".join(entry.left.split()),
    )


def _build_addition(
    task: str,
    entry: TaskEntry,
    position: int,
    builder: PhraseBuilder,
    vocabulary: Vocabulary,
    report: Diagnostics,
) -> Addition:
    given: AdditionEntry = entry.additions[position]
    path: Path = ("tasks", task, "additions", position)
    owner = f"addition {position + 1} of {task}"
    here = (*path, "parameters")
    _check_parameters(given.parameters, here, owner, vocabulary, report)
    for slot in sorted(given.parameters.keys() & entry.parameters.keys()):
        message = f"{slot} of {owner} is a parameter of the task already"
        report.add((*here, slot), message, "take it out here: the task's may be used")
    types = {**entry.parameters, **given.parameters}
    # An addition is only looked for beside its task, so other tasks may use the same words.
    phrases = PhraseBuilder(report).read(given.phrases, (*path, "phrases"), types, owner)
    if not given.phrases:
        report.add((*path, "phrases"), f"{owner} has no phrase", "write what people say")
    if not given.goal:
        _check_remark(owner, phrases, given, path, report)
        return Addition(phrases, dict(given.parameters), "")
    _check_slots(owner, given.goal, types, (*path, "goal"), report)
    used = _list_goal_slots(given.goal)
    _check_use(owner, given.parameters, used, here, report)
    _check_given(owner, phrases, given.parameters, {}, used, report)
    return Addition(phrases, dict(given.parameters), " ".join(given.goal.split()))


def _check_remark(
    owner: str, phrases: Iterable[Phrase], entry: AdditionEntry, path: Path, report: Diagnostics
) -> None:
    """Report a remark without a goal that does not give a parameter of the task its value."""
    if entry.parameters:
        message = f"{owner} has parameters of its own and no goal"
        report.add((*path, "parameters"), message, "write a goal with them")
    for phrase in phrases:
        if any(not list_slots(variant) for variant in phrase.variants):
            message = f"`{phrase.text}` of {owner} asks for nothing"
            report.add_at(phrase.line, message, "write `goal:`, or name a parameter of the task")


def _check_parameters(
    parameters: Mapping[str, str],
    path: Path,
    owner: str,
    vocabulary: Vocabulary,
    report: Diagnostics,
) -> None:
    for name, type_ in parameters.items():
        here = (*path, name)
        check_name(name, "parameter", here, report)
        if type_ not in (TEXT, NUMBER):
            check_type(type_, vocabulary, here, report, f"parameter {name} of {owner}")


def _list_goal_slots(goal: str) -> set[str]:
    return {match[2].strip() for match in SLOT.finditer(goal)}


def _check_slots(
    owner: str, goal: str, parameters: Mapping[str, str], path: Path, report: Diagnostics
) -> None:
    for match in SLOT.finditer(goal):
        slot = match[2].strip()
        if slot not in parameters:
            message = f"the goal of {owner} has the slot {match[0]} without a parameter"
            fix = suggest_name(slot, parameters) if parameters else "declare it under parameters"
            report.add(path, message, fix)
        elif match[1] and parameters[slot] != NUMBER:
            message = f"the goal of {owner} multiplies {slot}, which is no number"
            report.add(path, message, f"write {{{slot}}}, or give it the type number")


def _check_use(
    owner: str, parameters: Iterable[str], used: Collection[str], path: Path, report: Diagnostics
) -> None:
    for slot in parameters:
        if slot not in used:
            message = f"the parameter {slot} of {owner} is not in its goal"
            fix = f"use {{{slot}}} in the goal: what is said must mean something"
            report.add((*path, slot), message, fix)


def _check_defaults(
    owner: str,
    defaults: Mapping[str, str],
    parameters: Mapping[str, str],
    path: Path,
    report: Diagnostics,
) -> None:
    for slot, value in defaults.items():
        type_ = parameters.get(slot)
        if type_ is None:
            message = f"a default of {owner} names the unknown parameter {slot}"
            report.add((*path, slot), message, suggest_name(slot, parameters))
        elif type_ == NUMBER and not (value.isdecimal() and len(value) < 10):
            message = f"the default {value} of {slot} in {owner} is no whole number"
            report.add((*path, slot), message, "give a number, such as 1")
        elif type_ != NUMBER and not value.strip():
            message = f"the default of {slot} in {owner} is empty"
            report.add((*path, slot), message, "give a label, such as table")


def _check_given(
    owner: str,
    phrases: Iterable[Phrase],
    parameters: Mapping[str, str],
    defaults: Mapping[str, str],
    used: Collection[str],
    report: Diagnostics,
) -> None:
    """Report phrases that leave out a number or words that the goal needs."""
    needed = [
        slot
        for slot, type_ in parameters.items()
        if type_ in (NUMBER, TEXT) and slot in used and slot not in defaults
    ]
    for phrase in phrases:
        missing = [
            (slot, variant)
            for variant in phrase.variants
            for slot in needed
            if slot not in list_slots(variant)
        ]
        if missing:
            slot, variant = missing[0]
            message = f"`{write_variant(variant)}` of {owner} says nothing about {slot}"
            fix = f"write {{{slot}}} into it, or give it a value under defaults"
            report.add_at(phrase.line, message, fix)


def _build_kinds(
    file: DomainFile, vocabulary: Vocabulary, report: Diagnostics
) -> dict[str, tuple[str, ...]]:
    labels = {normalise_label(word): type_ for type_, some in file.labels.items() for word in some}
    types = {normalise_label(type_): type_ for type_ in vocabulary.parents}
    kinds: dict[str, tuple[str, ...]] = {}
    for word, members in file.kinds.items():
        path: Path = ("kinds", word)
        kind = normalise_label(word)
        if not kind:
            report.add(path, "an empty kind", "write a word")
        elif kind in types:
            message = f"{word} is a type already, which stands for all that is below it"
            report.add(path, message, "give the labels that type, or use another word")
        elif kind in kinds:
            report.add(path, f"{word} stands in kinds twice", "keep one of them")
        if not members:
            report.add(path, f"the kind {word} stands for nothing", "list labels or types")
        for position, member in enumerate(members):
            known = normalise_label(member)
            if known not in types and match_label(member, labels) is None:
                message = f"{member} in the kind {word} is neither a label nor a type"
                report.add((*path, position), message, suggest_name(known, {**labels, **types}))
        kinds.setdefault(kind, tuple(dict.fromkeys(map(normalise_label, members))))
    return kinds


def _build_ignorable(file: DomainFile, report: Diagnostics) -> frozenset[str]:
    found = set()
    for position, text in enumerate(file.ignorable):
        words = " ".join(split_words(text))
        if words:
            found.add(words)
        else:
            report.add(("ignorable", position), f"`{text}` has no word", "write a word")
    return frozenset(found)
