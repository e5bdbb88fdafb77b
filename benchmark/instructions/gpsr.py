# SPDX-License-Identifier: Apache-2.0
"""Crowd paraphrases of RoboCup@Home commands (Walker and others 2019): evaluation only.

Their licence file is empty, so nothing of them is trained on or kept here. The logical forms name
placeholders, so what is compared is the demand of a whole command and which arguments it has: a
place that a thing is taken from, and a person or place that it goes to. Commands that a household
robot can't plan (speech, questions, guiding and following) have to be refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fcp_ros.binding.label_types import type_of_label
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.cset import Instance, InstanceBuilder
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.syntax import Constant, Term, Variable, atoms
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.language.syntax import Word, parse_instruction
from fcp_ros.language.syntax.requests import is_person
from fcp_ros.package_files import find_domain

FILES = ("gpsr_para_val.txt", "gpsr_para_logical_val.txt")
DOMAIN_FILE = Path(__file__).with_name("gpsr.yaml")
PLANNED = frozenset(["bring", "put", "go", "find"])
REFUSED = "refused"
_HEAD = re.compile(r"\(?\s*(\w+)")


@dataclass(frozen=True, slots=True)
class GpsrCommand:
    """A paraphrase, and what it asks for: one of `PLANNED`, or `REFUSED`."""

    sentence: str
    demand: str


def read_commands(folder: Path) -> tuple[GpsrCommand, ...]:
    """Read the validation files, each sentence once.

    Raises:
        OSError: there is no such data.
    """
    found: dict[str, GpsrCommand] = {}
    for name in FILES:
        lines = (folder / name).read_text(encoding="utf-8").splitlines()
        said = [line.strip() for line in lines if line.strip()]
        for sentence, form in zip(said[::2], said[1::2], strict=True):
            head = _HEAD.match(form)
            if form == "UNKNOWN" or head is None:
                continue
            demand = head[1] if head[1] in PLANNED else REFUSED
            found.setdefault(sentence.lower(), GpsrCommand(sentence, demand))
    return tuple(found.values())


@cache
def gpsr_domain() -> Domain:
    """Read the domain of the commands."""
    return load_domain(DOMAIN_FILE)


ROBOT, SPEAKER = "robot_1", "speaker_1"
_KINDS = {"item": "item", "location": "fixture", "room": "room", "person": "agent"}
"""The types here, and those of the household domain whose labels are of these types."""
_SPOKEN = {"told", "followed", "guided", "counted"}
_PRONOUNS = frozenset(["me", "us", "i", "we", "you", "it", "them", "him", "her"])


@cache
def _household() -> Domain:
    return load_domain(find_domain("household"))


def find_type(noun: Word, label: str) -> str:
    """Find the type of what is named, by the labels of the household.

    What these lack is somebody if it is written with a capital letter within a sentence, or if
    WordNet says so.
    """
    schema, found = _household().schema, type_of_label(label, _household().mapping)
    for type_, kind in _KINDS.items():
        if found is not None and schema.is_subtype(found, kind):
            return type_
    named = noun.shown[:1].isupper() and noun.start > 0
    return "person" if named or is_person(noun) else "item"


def build_scene(sentence: str) -> Instance:
    """Build a scene with one of each thing, place and person that a sentence names."""
    builder = InstanceBuilder(gpsr_domain().schema)
    builder.add("robot", ROBOT, {"category": "robot"})
    builder.add("person", SPEAKER, {"category": "speaker"})
    named = {"robot", "speaker"}
    for segment in parse_instruction(sentence):
        tree = segment.tree
        for word in tree.words:
            if not word.is_noun or word.role == "compound" or word.text in _PRONOUNS:
                continue
            sorts = [one.text for one in tree.list_children(word.place, "compound")]
            label = " ".join([*sorts, word.lemma])
            if label not in named:
                named.add(label)
                name = f"{label.replace(' ', '_')}_1"
                builder.add(find_type(word, label), name, {"category": label})
    return builder.build()


def classify(sentence: str, reader: InstructionReader, similarity: LabelSimilarity) -> str:
    """Say what a command asks for, as the reader's first reading has it."""
    instance = build_scene(sentence)
    context = ReadingContext(gpsr_domain(), instance, SPEAKER, ROBOT, similarity)
    answer = reader.read(sentence, context)
    if not answer.readings:
        return REFUSED
    found = list(atoms(parse_expression(answer.readings[0].goal)))
    names = {atom.predicate for atom in found}
    if names & _SPOKEN:
        return REFUSED
    if "has" in names:
        return "bring"
    if "found" in names:
        return "find"
    moved = [atom.arguments[0] for atom in found if atom.predicate == "at"]
    if any(_is_item(one, instance) for one in moved):
        return "put"
    return "go" if Constant(ROBOT) in moved else REFUSED  # people aren't guided


def _is_item(term: Term, instance: Instance) -> bool:
    """Return True for an item, or a variable, whose type the goal doesn't always say."""
    if isinstance(term, Constant):
        return instance.type_of(instance.id_of(term.name)) == "item"
    return isinstance(term, Variable)


def score(
    commands: Sequence[GpsrCommand], reader: InstructionReader, similarity: LabelSimilarity
) -> list[tuple[GpsrCommand, str]]:
    """Classify all commands."""
    return [(command, classify(command.sentence, reader, similarity)) for command in commands]
