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
from fcp_ros.domain import Domain, load_domain
from fcp_ros.language.demands.frames import DemandClause
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.demands.parsed_clauses import read_parts
from fcp_ros.language.syntax import Mood, parse_clauses
from fcp_ros.package_files import find_domain

FILES = ("gpsr_para_val.txt", "gpsr_para_logical_val.txt")
DOMAIN_FILE = Path(__file__).with_name("gpsr.yaml")
PLANNED = frozenset(["bring", "put", "go", "find"])
REFUSED = "refused"
_HEAD = re.compile(r"\(?\s*(\w+)")
_FIRST_STEPS = frozenset(["go", "found", "find_at"])
"""What is done on the way to what a command is about."""


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


_POLITE = ("please", "can", "could", "may", "will", "would")
_LEAST = 0.1
"""A clause whose best meaning has a lower degree asks for nothing that the domain has."""
_QUESTIONS = ("who", "what", "how", "where", "which", "when")
_PERSONS = frozenset(["me", "us", "him", "her", "i", "we", "he", "she", "you"])


@cache
def _household() -> Domain:
    return load_domain(find_domain("household"))


def fit(noun: str, type_: str) -> float:
    """Say how well a noun fits a type, by the labels of the household domain.

    What it doesn't know, such as the names of people, may be anything.
    """
    if type_ in ("thing", "") or noun == "them":
        return 1.0
    if noun in _PERSONS:
        return 1.0 if type_ == "person" else 0.02
    schema, found = _household().schema, type_of_label(noun, _household().mapping)
    if noun in ("object", "item", "thing", "stuff"):
        found = "item"
    if found is None:
        return {"item": 0.5, "location": 0.3, "room": 0.2, "person": 0.3}.get(type_, 0.5)
    kinds = {"item": ("item",), "location": ("fixture", "room", "support"), "room": ("room",)}
    fits = any(schema.is_subtype(found, kind) for kind in kinds.get(type_, ("agent",)))
    return 1.0 if fits else 0.05


def classify(sentence: str, model: DemandModel) -> tuple[str, float]:
    """Say what a command asks for, and how sure that is."""
    demands: list[Demand] = []
    asked = sentence.lower().startswith(_QUESTIONS)
    polite = sentence.lower().startswith(_POLITE)
    for parsed in parse_clauses(sentence):
        if asked or (parsed.mood is Mood.QUESTION and not polite):
            return REFUSED, 1.0
        if parsed.relation in ("relcl", "acl"):
            continue
        parts = read_parts(parsed)
        if parsed.tree.find_child(parsed.verb, "xcomp") and not parts.clause.arguments:
            continue  # "try | to find it"
        ranked = model.rank(parts.clause, gpsr_domain(), fit)
        if ranked and ranked[0].degree >= _LEAST and _is_demand(parts.clause):
            earlier = parsed.mark == "after" or parsed.relation == "prep:after"
            demands.insert(0 if earlier else len(demands), ranked[0])
    main = [d for d in demands if d.meaning.name not in _FIRST_STEPS] or demands[-1:]
    if not main:
        return REFUSED, 1.0
    names = [_name(demand) for demand in main]
    if any(name == REFUSED for name in names):
        return REFUSED, min(demand.degree for demand in main)
    return names[-1], main[-1].degree


def _is_demand(clause: DemandClause) -> bool:
    return clause.verb != "be" or bool(clause.arguments)


def _name(demand: Demand) -> str:
    name = {
        "found": "find",
        "find_at": "find",
        "has": "bring",
        "bring_from": "bring",
        "at": "put",
        "put_from": "put",
    }.get(demand.meaning.name)
    name = name or demand.meaning.name
    return name if name in PLANNED else REFUSED


def score(commands: Sequence[GpsrCommand], model: DemandModel) -> list[tuple[GpsrCommand, str]]:
    """Classify all commands."""
    return [(command, classify(command.sentence, model)[0]) for command in commands]
