# SPDX-License-Identifier: Apache-2.0
"""Known QNPs in our own words, and a short notation for them.

A condition is written "n>0, m=0, p, not q"; effects are written "n-, m+, p, not q". The problems
themselves are in test/data/qnps.yaml.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import yaml

from fcp_ros.abstraction.qnp.problem import AbstractAction, Qnp, QualitativeChange


def parse_condition(text: str) -> dict[str, bool]:
    """Read a condition."""
    condition = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part.endswith((">0", "=0")):
            condition[part[:-2]] = part[-2] == ">"
        else:
            condition[part.removeprefix("not ")] = not part.startswith("not ")
    return condition


def parse_effects(text: str) -> dict[str, QualitativeChange]:
    """Read effects."""
    effects = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        if part.endswith("+"):
            effects[part[:-1]] = QualitativeChange.INCREASE
        elif part.endswith("-"):
            effects[part[:-1]] = QualitativeChange.DECREASE
        elif part.startswith("not "):
            effects[part[4:]] = QualitativeChange.CLEAR
        else:
            effects[part] = QualitativeChange.SET
    return effects


def make_qnp(
    name: str,
    booleans: str,
    numerics: str,
    initial: str,
    goal: str,
    actions: dict[str, tuple[str, str]],
) -> Qnp:
    """Make a QNP from the short notation; actions give condition and effects by name."""
    return Qnp(
        name,
        tuple(booleans.split()),
        tuple(numerics.split()),
        parse_condition(initial),
        parse_condition(goal),
        tuple(
            AbstractAction(one, parse_condition(when), parse_effects(effects))
            for one, (when, effects) in actions.items()
        ),
    )


def make_nest(depth: int, endless: bool = False) -> Qnp:
    """Make loops in loops: to decrease a number, all behind it must be zero, and become greater.

    Args:
        depth: number of loops.
        endless: let the innermost loop increase the outermost number.
    """
    names = [f"x{number}" for number in range(1, depth + 1)]
    actions = {}
    for place, name in enumerate(names):
        inner = names[place + 1 :]
        raised = inner or (names[:1] if endless else [])
        actions[f"step{place + 1}"] = (
            ", ".join([f"{name}>0", *(f"{one}=0" for one in inner)]),
            ", ".join([f"{name}-", *(f"{one}+" for one in raised)]),
        )
    return make_qnp(
        f"nest{depth}",
        "",
        " ".join(names),
        ", ".join(f"{name}>0" for name in names),
        ", ".join(f"{name}=0" for name in names),
        actions,
    )


def make_tangle(seed: int, size: int = 6, count: int = 16, initial: str = "") -> Qnp:
    """Make a QNP whose actions undo one another in many ways.

    Args:
        seed: of the random choices.
        size: number of numeric variables, n0 and so on.
        count: number of actions.
        initial: the initial condition.
    """
    rng = random.Random(seed)
    names = [f"n{number}" for number in range(size)]
    actions = {}
    for number in range(count):
        when = {name: rng.choice(("=0", ">0")) for name in rng.sample(names, rng.randint(0, 3))}
        changes = {
            name: rng.choice("+-") for name in rng.sample(names, rng.randint(1, min(4, size)))
        }
        when.update({name: ">0" for name, sign in changes.items() if sign == "-"})
        actions[f"a{number}"] = tuple(
            ", ".join(name + word for name, word in words.items()) for words in (when, changes)
        )
    goal = ", ".join(f"{name}{rng.choice(('=0', '>0'))}" for name in names)
    return make_qnp("tangle", "", " ".join(names), initial, goal, actions)


@dataclass(frozen=True)
class KnownQnp:
    """A QNP with its verdict and the number of reachable qstates."""

    qnp: Qnp
    solvable: bool
    reachable: int


def _read_qnps() -> tuple[dict[str, Qnp], list[KnownQnp]]:
    """Read all problems by name, and those with a verdict."""
    file = Path(__file__).parents[1] / "data" / "qnps.yaml"
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))
    qnps = {
        name: make_qnp(name, *(one[key] for key in ("booleans", "numerics", "initial", "goal")),
                       {action: tuple(texts) for action, texts in one["actions"].items()})
        for name, one in entries.items()
    }  # fmt: skip
    known = [KnownQnp(qnps[n], **one["verdict"]) for n, one in entries.items() if "verdict" in one]
    return qnps, known


QNPS, _known = _read_qnps()
CLEAR_BLOCK, GRIPPER, SWITCH_IN_VAIN = (
    QNPS[name] for name in ("clear-block", "gripper", "switch-in-vain")
)
ENDLESS = TOGGLE, GROW, WAIT, TOGGLE_AFTER_WORK = tuple(
    QNPS[name] for name in ("toggle", "grow", "wait", "toggle-after-work")
)
"""Unsolvable: what can be done goes on for ever."""
KNOWN = (
    *_known,
    KnownQnp(make_nest(2), True, 4),
    KnownQnp(make_nest(3), True, 8),
    KnownQnp(make_nest(3, endless=True), False, 5),
    KnownQnp(make_nest(10), True, 1024),
    KnownQnp(make_nest(10, endless=True), False, 513),
)
