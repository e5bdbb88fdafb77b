# SPDX-License-Identifier: Apache-2.0
"""The reader whose sentences and goals stand in a YAML file: fixed commands of a robot, and tests.

    readings:
      - say: ["go home", "(drive|go) back to [the] dock"]
        goal: at({you}, kitchen_1)
      - say: bring the mug
        ask: "Which mug is meant?"
        goals:
          - {goal: "holding({you}, mug_1)", degree: 0.5, choice: the blue one}
          - {goal: "holding({you}, mug_2)", degree: 0.5, choice: the one in the sink}

`say` holds phrases without slots; `{me}` is who speaks, `{you}` the robot. A sentence that is none
of them is not understood: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fcp_ros.domain.diagnostics import Diagnostics
from fcp_ros.domain.diagnostics import Path as Place
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import ExpressionError, quote_if_needed, to_text
from fcp_ros.domain.phrases import PhraseError, parse_phrase, split_words, write_variant
from fcp_ros.domain.yaml.domain_files import parse_lines, read_text
from fcp_ros.foundation.wording import find_similar, join_words, suggest_name
from fcp_ros.language.paraphrase import paraphrase_goal
from fcp_ros.language.reader import ReadingContext, find_excess, find_only
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus, WordRole, WordUse

READER = "file"
CLEAR_LEAD = 0.2
"""A reading is clearly the best one if the next is at least this much below it in degree."""

_SPOKEN = re.compile(r"\{(me|you)\}")
_WORD = re.compile(r"\S+")
_POLITE = frozenset(["please", "kindly"])
_KEYS = ("say", "goal", "goals", "ask")
_GOAL_KEYS = ("goal", "degree", "choice")


@dataclass(frozen=True, slots=True)
class FixedGoal:
    """A goal of a command."""

    goal: str  # a text of the goal language, with `{me}` and `{you}`
    degree: float = 1.0  # how sure it is that this is meant, in [0, 1]
    choice: str = ""  # the answer that chooses it; empty for its paraphrase


@dataclass(frozen=True, slots=True)
class FixedCommand:
    """A command of the file: what it may mean, best first, and the question which is meant."""

    goals: tuple[FixedGoal, ...]
    question: str = ""


class FileReader:
    """Reads the instructions that a file lists, and no others.

    Raises:
        DomainError: the file has faults; each has a line and a fix.
    """

    def __init__(self, file: Path) -> None:
        source = str(file)
        parsed = parse_lines(read_text(file), source)
        self._commands = _CommandBuilder(Diagnostics(source, parsed.lines)).build(parsed.data)

    @property
    def name(self) -> str:
        """The kind of reader."""
        return READER

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Look an instruction up; case, punctuation and "please" do not matter."""
        context.check()
        excess = find_excess(instruction)
        if excess:
            return _refuse(instruction, ReadingStatus.REFUSED, excess)
        words = " ".join(word for word in split_words(instruction) if word not in _POLITE)
        if not words:
            message = "The instruction is empty: say what is to be done."
            return _refuse(instruction, ReadingStatus.REFUSED, message)
        command = self._commands.get(words)
        if command is None:
            similar = find_similar(words, self._commands)
            hint = f'did you mean "{similar}"?' if similar else suggest_name(words, self._commands)
            message = f"This is not one of the {len(self._commands)} commands of the file: {hint}"
            end = "" if message.endswith("?") else "."
            return _refuse(instruction, ReadingStatus.NOT_UNDERSTOOD, message + end)
        return _interpret(instruction, command, context)


def _interpret(instruction: str, command: FixedCommand, context: ReadingContext) -> Interpretation:
    uses = _list_uses(instruction)
    readings = []
    for fixed in command.goals:
        try:
            goal = parse_expression(_insert_persons(fixed.goal, context))
            checked = check_goal(goal, context.domain, context.instance)
        except (ExpressionError, ValueError) as error:
            reason = getattr(error, "message", str(error)).rstrip(".")
            message = f"The goal of this command can't be used here: {reason}."
            return _refuse(instruction, ReadingStatus.FAILED, message)
        paraphrase = paraphrase_goal(checked, context.domain, context.instance)
        readings.append(Reading(to_text(goal), fixed.degree, paraphrase, uses))
    best = readings[0]
    close = [r for r in readings if best.degree - r.degree < CLEAR_LEAD]
    if len(close) == 1:
        return Interpretation(
            instruction, ReadingStatus.READ, best.paraphrase, tuple(readings), reader=READER
        )
    choices = tuple(
        fixed.choice or reading.paraphrase.rstrip(".")
        for fixed, reading in zip(command.goals, close, strict=False)
    )
    question = command.question or f"Which is meant: {join_words(choices, 'or')}?"
    return Interpretation(
        instruction, ReadingStatus.AMBIGUOUS, question, tuple(readings), question, choices, READER
    )


def _refuse(instruction: str, status: ReadingStatus, message: str) -> Interpretation:
    return Interpretation(instruction, status, message, reader=READER)


def _list_uses(instruction: str) -> tuple[WordUse, ...]:
    """List the words of an instruction: together they are the command; polite ones are fillers."""
    uses = []
    for match in _WORD.finditer(instruction):
        words = split_words(match[0])
        if words:
            polite = all(word in _POLITE for word in words)
            role = WordRole.FILLER if polite else WordRole.ACTION
            uses.append(WordUse(match.start(), match.end(), role))
    return tuple(uses)


def _insert_persons(goal: str, context: ReadingContext) -> str:
    """Write the names of the speaker and the robot into a goal.

    Raises:
        ValueError: one of them is needed and not known.
    """
    names = {
        "me": context.speaker or find_only(context.instance, "person"),
        "you": context.robot or find_only(context.instance, "robot"),
    }

    def write(match: re.Match[str]) -> str:
        name = names[match[1]]
        if not name:
            who = "who speaks" if match[1] == "me" else "which robot is meant"
            raise ValueError(f"it is not known {who}: say so with the request")
        return quote_if_needed(name)

    return _SPOKEN.sub(write, goal)


@dataclass
class _CommandBuilder:
    """Builds the commands from plain data, and reports every fault with its line.

    `commands`: the words of each sentence -> the command.
    """

    report: Diagnostics
    commands: dict[str, FixedCommand] = field(default_factory=dict)

    def build(self, data: Any) -> dict[str, FixedCommand]:
        """Build all commands.

        Raises:
            DomainError: there is a fault.
        """
        entries = data.get("readings") if isinstance(data, dict) else None
        if not isinstance(entries, list) or not entries:
            message = "the file has no list `readings`"
            self.report.add((), message, "write `readings:` and below it `- say: ...`, `goal: ...`")
        else:
            for key in data:
                if key != "readings":
                    self.report.add((key,), f"unknown key {key}", "use `readings:` only")
            for position, entry in enumerate(entries):
                self._build_command(entry, ("readings", position))
        self.report.raise_if_any()
        return self.commands

    def _build_command(self, entry: Any, path: Place) -> None:
        if not isinstance(entry, dict):
            self.report.add(path, "an item of readings is no mapping", "write `say:` and `goal:`")
            return
        self._check_keys(entry, _KEYS, path)
        goals = self._read_goals(entry, path)
        question = self._read_text(entry, "ask", path)
        if question and len(goals) < 2:
            message = "there is a question, but only one goal"
            self.report.add((*path, "ask"), message, "list two `goals:`, or take it out")
        said = entry.get("say")
        said = [said] if isinstance(said, str) else said
        if not isinstance(said, list) or not said:
            self.report.add(path, "nothing is said here", "write `say:` with a sentence")
            return
        command = FixedCommand(tuple(goals), question)
        for position, text in enumerate(said):
            here = (*path, "say", position) if isinstance(entry["say"], list) else (*path, "say")
            self._add_sentence(text, command, here)

    def _add_sentence(self, text: Any, command: FixedCommand, path: Place) -> None:
        if not isinstance(text, str):
            self.report.add(path, f"{text!r} is no sentence", "write words, or quote them")
            return
        try:
            phrase = parse_phrase(text)
        except PhraseError as error:
            self.report.add(path, f"`{text}`: {error.message}", error.fix)
            return
        if phrase.slots:
            message = f"`{text}` has the slot {{{min(phrase.slots)}}}"
            fix = "list the sentences, or give the domain a task (docs/domain.md)"
            self.report.add(path, message, fix)
            return
        for variant in phrase.variants:
            sentence = write_variant(variant)
            words = " ".join(word for word in sentence.split() if word not in _POLITE)
            if not words:
                self.report.add(path, f"`{sentence}` says nothing", "add words")
            elif self.commands.setdefault(words, command) != command:
                message = f"`{sentence}` stands for two different goals"
                self.report.add(path, message, "keep one, or list both under `goals:`")

    def _read_goals(self, entry: Mapping[str, Any], path: Place) -> list[FixedGoal]:
        if ("goal" in entry) == ("goals" in entry):
            fix = "write either `goal: TEXT`, or `goals:` with a list"
            self.report.add(path, "an item of readings needs `goal` or `goals`", fix)
            return []
        if "goal" in entry:
            goal = self._read_goal(entry, path)
            return [goal] if goal is not None else []
        listed = entry["goals"]
        if not isinstance(listed, list) or not listed:
            self.report.add((*path, "goals"), "`goals` is no list", "write `- {goal: TEXT}`")
            return []
        found = []
        for position, one in enumerate(listed):
            here = (*path, "goals", position)
            if not isinstance(one, dict):
                self.report.add(here, "an item of goals is no mapping", "write {goal: TEXT}")
                continue
            self._check_keys(one, _GOAL_KEYS, here)
            goal = self._read_goal(one, here)
            if goal is not None:
                found.append(goal)
        return sorted(found, key=lambda goal: -goal.degree)

    def _read_goal(self, entry: Mapping[str, Any], path: Place) -> FixedGoal | None:
        text = self._read_text(entry, "goal", path)
        if not text:
            if not isinstance(entry.get("goal", ""), str):
                return None
            self.report.add(path, "the goal is empty", "write one, such as on(mug_1, table_1)")
            return None
        degree = entry.get("degree", 1.0)
        is_number = isinstance(degree, (int, float)) and not isinstance(degree, bool)
        if not is_number or not 0.0 <= degree <= 1.0:
            self.report.add((*path, "degree"), f"a degree of {degree}", "give a number in [0, 1]")
            return None
        try:
            parse_expression(_SPOKEN.sub("someone", text))
        except ExpressionError as error:
            message = f"the goal `{text}`: {error.message}"
            self.report.add((*path, "goal"), message, "see docs/goals.md")
            return None
        return FixedGoal(text, float(degree), self._read_text(entry, "choice", path))

    def _read_text(self, entry: Mapping[str, Any], key: str, path: Place) -> str:
        value = entry.get(key, "")
        if not isinstance(value, str):
            self.report.add((*path, key), f"`{key}` is no text", "write words, or quote them")
            return ""
        return " ".join(value.split())

    def _check_keys(self, entry: Mapping[str, Any], known: tuple[str, ...], path: Place) -> None:
        for key in entry:
            if key not in known:
                self.report.add((*path, key), f"unknown key {key}", suggest_name(str(key), known))
