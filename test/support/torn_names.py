# SPDX-License-Identifier: Apache-2.0
"""Models whose names are torn apart: one predicate of the true model has several names in them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from fcp_ros.alignment.simulator import ModelSimulator
from fcp_ros.alignment.synonyms import NameMapping, Synonym
from fcp_ros.domain.expressions.syntax import Atom
from fcp_ros.domain.pddl.source_text import Source, read_source
from fcp_ros.domain.pddl.task_reader import PddlTexts, read_texts, work_out

BLOCKS = {"stack": {"handempty": "not-holding"}}
GRIPPER = {"drop": {"at": "in", "free": "not-holding"}}


def tear(texts: PddlTexts, torn: Mapping[str, Mapping[str, str]]) -> PddlTexts:
    """Give add effects of some actions new names: action -> predicate -> new name."""
    domain = texts.domain
    predicates = dict(domain.predicates)
    actions = []
    for action in domain.actions:
        names = torn.get(action.name, {})
        effects = tuple(
            replace(
                effect,
                add=tuple(
                    Atom(names.get(a.predicate, a.predicate), a.arguments) for a in effect.add
                ),
            )
            for effect in action.effects
        )
        for old, new in names.items():
            predicates.setdefault(new, domain.predicates[old])
        actions.append(replace(action, effects=effects))
    return replace(texts, domain=replace(domain, actions=tuple(actions), predicates=predicates))


def read_files(domain: Path, problem: Path) -> PddlTexts:
    """Read a domain and a problem file."""
    return read_texts(read_source(domain), read_source(problem))


def parse(domain: str, problem: str) -> PddlTexts:
    """Read a domain and a problem from texts."""
    return read_texts(Source("domain", domain), Source("problem", problem))


def simulate(texts: PddlTexts) -> ModelSimulator:
    """Make the simulator of a true model."""
    return ModelSimulator(work_out(texts))


def draw_tears(true: PddlTexts, draw: random.Random) -> dict[str, dict[str, str]]:
    """Give up to three effects new names, some of them the same predicate several."""
    effects = sorted(
        {
            (action.name, atom.predicate)
            for action in true.domain.actions
            for effect in action.effects
            for atom in effect.add
        }
    )
    torn: dict[str, dict[str, str]] = {}
    for number, (action, name) in enumerate(
        draw.sample(effects, min(len(effects), draw.randint(1, 3)))
    ):
        torn.setdefault(action, {})[name] = f"{name}-new{draw.choice([0, number])}"
    return torn


def find_truth(true: PddlTexts, torn: Mapping[str, Mapping[str, str]]) -> NameMapping:
    """Return the mapping that undoes the tears."""
    return NameMapping(
        frozenset(
            Synonym(new, old, tuple(range(len(true.domain.predicates[old]))))
            for names in torn.values()
            for old, new in names.items()
        )
    )
