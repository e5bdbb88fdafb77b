# SPDX-License-Identifier: Apache-2.0
"""The prologue: the house as another perception names it, and what its names mean."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from fcp_ros.alignment.ontology.claims import ClaimStanding
from fcp_ros.alignment.ontology.scene_alignment import align_scene
from fcp_ros.alignment.ontology.scene_answer import SceneAlignment
from fcp_ros.alignment.trials.domain_simulator import DomainSimulator
from fcp_ros.binding import load_scene_for, scene_to_instance
from fcp_ros.domain import load_domain
from fcp_ros.grounding.models.sentence_encoder import EmbeddingLabelSimilarity
from fcp_ros.package_files import find_domain, find_scene
from fcp_ros.scene import read_scene

DOMAIN, PERCEIVED, TRUE = "household", "twin_house_perceived", "twin_house_furnished"
"""The domain, the house in other words, and the same house in the domain's words."""


def show_names(console: Console, width: int) -> None:
    """Align the house in other words with the domain, and print what was found.

    Args:
        console: of the demonstration.
        width: of the title (columns).
    """
    console.print()
    console.print(Rule("[bold]Another perception, other names", align="left"), width=width)
    result = align_house()
    console.print(f"[dim]fcp align {PERCEIVED} --world {TRUE} --out names.yaml[/]")
    console.print(f"[green]{result.status.value}[/] {escape(result.message)}", soft_wrap=True)
    for kept in result.list_standing(ClaimStanding.KEPT):
        console.print(f"  {kept.kind.value} {escape(str(kept))}", soft_wrap=True)
    console.print(f"[dim]fcp plan --scene {PERCEIVED} --overrides names.yaml[/] needs no more.")


def align_house() -> SceneAlignment:
    """Align the house in other words with the domain; plans are tried in the house as it is."""
    domain = load_domain(find_domain(DOMAIN))
    true = load_scene_for(find_scene(TRUE), domain.schema, domain.mapping)
    world = DomainSimulator(domain, scene_to_instance(true, domain.schema, domain.mapping).instance)
    perceived = read_scene(find_scene(PERCEIVED))
    return align_scene(perceived, domain, world, EmbeddingLabelSimilarity())
