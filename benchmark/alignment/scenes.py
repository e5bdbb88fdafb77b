# SPDX-License-Identifier: Apache-2.0
"""Names of scenes: a part of ``python -m benchmark.alignment``.

40 % of the names of the furnished twin house (labels of things, relations, attributes) change:
to words that were written down before anything was aligned (test/support/renamed_scenes.py), or to
syllables that mean nothing. Half of the relations are turned around, half of the attributes denied,
and ids say nothing. Then the names are read in the household domain, without a trial, and after
trials in a simulation of the house as it is.

A label is right if it gets its type, and right but wide if it gets a type above it: plans come out
the same as far as its actions go, but a goal that names the narrow type does not see the thing.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from renamed_scenes import RenamedScene, rename_at_random

from benchmark.tables import Verdict
from fcp_ros.alignment.ontology.scene_alignment import SceneAlignment, align_scene
from fcp_ros.alignment.simulator import DomainSimulator
from fcp_ros.binding.label_types import type_of_label
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.domain import Domain, load_domain
from fcp_ros.domain.scene_names import SceneNames
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import complete_relations, read_scene

SHARE = 0.4
LEAST_RIGHT = 0.95


class _Encoded:
    """Encodes each label once for all scenes, as a node does that runs on."""

    def __init__(self) -> None:
        self._similarity = EmbeddingLabelSimilarity()
        self._tables: dict[tuple[str, ...], dict[str, NDArray[np.float32]]] = {}

    def similarities(self, labels: Sequence[str], known: Sequence[str]) -> NDArray[np.float32]:
        """Return cosines, from memory where they were asked for before."""
        rows = self._tables.setdefault(tuple(known), {})
        new = [label for label in dict.fromkeys(labels) if label not in rows]
        if new:
            table = self._similarity.similarities(new, known)
            rows.update(zip(new, table, strict=True))
        return np.array([rows[label] for label in labels])


@dataclass
class _Tally:
    """What became of the names that were changed, over all seeds."""

    counted: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    plans: list[int] = field(default_factory=list)
    failed: list[int] = field(default_factory=list)

    def add(self, renamed: RenamedScene, result: SceneAlignment, domain: Domain) -> None:
        """Count the names of one scene."""
        names = result.names
        for label, own in renamed.labels.items():
            self._count_label(label, own, names, domain)
        for name, reading in renamed.relations.items():
            self._count(name, str(reading), [str(one) for one in names.relations.get(name, ())])
        for name, attribute in renamed.attributes.items():
            given = names.attributes.get(name)
            self._count(name, str(attribute), [str(given)] if given else [])
        changed = {*renamed.labels, *renamed.relations, *renamed.attributes}
        for name in {*names.labels, *names.relations, *names.attributes} - changed:
            self.counted["wrong"] += 1
            self.wrong.append(f"{name} was right as it was")
        self.seconds.append(result.seconds)
        self.plans.append(len(result.trials))
        self.failed.append(sum(seen.done < len(tried.actions) for tried, seen in result.trials))

    def _count_label(self, label: str, own: str, names: SceneNames, domain: Domain) -> None:
        meaning = names.labels.get(label)
        right = type_of_label(own, domain.mapping)
        if meaning is None or right is None:
            self.counted["none"] += 1
            return
        type_ = domain.mapping.labels.get(meaning, meaning)
        if type_ == right:
            self.counted["right"] += 1
        elif domain.schema.is_subtype(right, type_):
            self.counted["wide"] += 1
        else:
            self.counted["wrong"] += 1
            self.wrong.append(f"{label} ({own}): {meaning}")

    def _count(self, name: str, right: str, given: Sequence[str]) -> None:
        said = "none" if not given else "right" if list(given) == [right] else "wrong"
        self.counted[said] += 1
        if said == "wrong":
            self.wrong.append(f"{name} ({right}): {', '.join(given)}")

    def judge(self, what: str) -> Verdict:
        """Return the row of the table; the goal is one for names that were tried."""
        changed = sum(self.counted.values())
        right = self.counted["right"] + self.counted["wide"]
        parts = [f"{self.counted['right']} right"]
        parts += [f"{self.counted['wide']} right but wide"] if self.counted["wide"] else []
        parts += [f"{self.counted['none']} left open, {self.counted['wrong']} wrong"]
        if any(self.plans):
            each = (
                f"{statistics.mean(self.plans):.1f} plans tried, {statistics.mean(self.failed):.1f}"
            )
            parts.append(f"{each} of them failed")
        listed = f" ({'; '.join(sorted(set(self.wrong)))})" if self.wrong else ""
        measured = (
            f"of {changed} names {', '.join(parts)}{listed}, "
            f"{statistics.median(self.seconds):.1f} s"
        )
        if not any(self.plans):
            return Verdict(what, measured)
        return Verdict(
            what,
            measured,
            f"{LEAST_RIGHT:.0%} right, 0 wrong",
            right >= LEAST_RIGHT * changed and not self.counted["wrong"],
        )


def measure_scenes(seeds: int) -> Iterator[Verdict]:
    """Align the house in other words.

    Args:
        seeds: houses of each kind.
    """
    domain = load_domain(find_domain("household"))
    house = read_scene(find_scene("twin_house_furnished"))
    similarity = _Encoded()
    for nonsense in (False, True):
        for places in (True, False):
            tallies = {kind: _Tally() for kind in ("proposed", "after trials")}
            for seed in range(seeds):
                renamed = rename_at_random(house, seed, SHARE, nonsense, places)
                state = scene_to_instance(
                    complete_relations(renamed.world), domain.schema, domain.mapping
                )
                world = DomainSimulator(domain, state.instance)
                for kind, tally in tallies.items():
                    trying = world if kind == "after trials" else None
                    result = align_scene(renamed.graph, domain, trying, similarity)
                    tally.add(renamed, result, domain)
            words = "syllables" if nonsense else "words"
            where = "positions" if places else "no positions"
            for kind, tally in tallies.items():
                yield tally.judge(f"house in other {words}, {where}, {seeds} seeds: {kind}")
