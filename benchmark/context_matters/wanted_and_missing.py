# SPDX-License-Identifier: Apache-2.0
"""Answers where what is wanted isn't there.

Run ``python -m benchmark.context_matters.wanted_and_missing``.

Each case of wanted_and_missing.yaml is a shipped scene, with things added or taken out, and what
somebody says. The answer is right if a person would accept it: the file says what that is. Exits
with 1 unless all are.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from fcp_ros.cli.session import Session, open_session
from fcp_ros.domain import load_domain
from fcp_ros.grounding import Grounder, make_grounder
from fcp_ros.grounding.options import GroundingOptions
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.package_files import config_folder, find_domain
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, PlanStatus
from fcp_ros.relaxation.plan_instruction import plan_instruction

CASES = Path(__file__).with_name("wanted_and_missing.yaml")
SCENE = "twin_house_furnished"
HEIGHT = 0.1
"""Of a thing that is added (m)."""


@dataclass(frozen=True)
class Case:
    """What is there, what somebody says, and the answers that are right."""

    say: str
    right: Sequence[str | Mapping[str, Sequence[str]]]
    scene: str = SCENE
    add: Mapping[str, Sequence[str]] = field(default_factory=dict)
    remove: Sequence[str] = ()
    says: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The sentence, and what is there or not."""
        changes = [f"+{name}" for name in self.add] + [f"-{name}" for name in self.remove]
        return " ".join([self.say, *changes])


def read_cases() -> list[Case]:
    """Read the cases of the file."""
    return [Case(**entry) for entry in yaml.safe_load(CASES.read_text(encoding="utf-8"))["cases"]]


def open_case(case: Case, folder: Path) -> Session:
    """Open the scene of a case."""
    path = config_folder() / "scenes" / f"{case.scene}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    nodes = {node["id"]: node for node in document["nodes"] if node["id"] not in case.remove}
    for name, (label, place) in case.add.items():
        below = nodes[place]
        x, y, z = below["position"]
        top = z + below["size"][2] / 2.0 + HEIGHT / 2.0
        nodes[name] = {
            "id": name,
            "layer": "object",
            "category": label,
            "position": [x, y, top],
            "size": [HEIGHT] * 3,
            "parents": below["parents"],
        }
        document["relations"].append(["on", name, place])
    document["nodes"] = list(nodes.values())
    document["relations"] = [
        relation for relation in document["relations"] if not {*relation} & {*case.remove}
    ]
    file = folder / "scene.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return open_session("household", str(file))


def open_grounder() -> Grounder:
    """Open the judges of all cases."""
    return make_grounder(load_domain(find_domain("household")), GroundingOptions())


def answer_case(case: Case, reader: InstructionReader, grounder: Grounder) -> PlanningResult:
    """Plan what is said, with the options that a client has who sets none."""
    with tempfile.TemporaryDirectory() as folder:
        session = open_case(case, Path(folder))
    context = ReadingContext(session.domain, session.state.instance, speaker="person_1")
    request = PlanningRequest(context.domain, context.instance, "", PlanningOptions(), grounder)
    return plan_instruction(request, case.say, reader, context).result


def judge_case(case: Case, result: PlanningResult) -> str:
    """Return the reason why an answer is wrong; "" if it is right."""
    taken = _list_taken(result)
    lacking = [word for word in case.says if word not in result.message]
    if lacking:
        return f"doesn't say {', '.join(lacking)}"
    if any(_fits(right, taken, result) for right in case.right):
        return ""
    unasked = "" if result.status is PlanStatus.NEEDS_CLARIFICATION else " unasked"
    return f"takes {', '.join(sorted(taken))}{unasked}" if taken else "takes nothing"


def _list_taken(result: PlanningResult) -> frozenset[str]:
    """List what the plan picks up; nothing without a plan."""
    steps = result.plan.steps if result.plan is not None else ()
    return frozenset(dict(step.arguments)["item"] for step in steps if step.rule == "pick")


def _fits(
    right: str | Mapping[str, Sequence[str]], taken: frozenset[str], result: PlanningResult
) -> bool:
    if isinstance(right, str):
        return result.plan is None and not result.confirmation
    ((kind, things),) = right.items()
    asks = result.status is PlanStatus.NEEDS_CLARIFICATION
    if not (result.status.solved or asks) or (kind == "ask" and not asks):
        return False
    return taken == set(things) if kind == "all" else bool(taken) and taken <= set(things)


def main(
    only: Annotated[str, typer.Option(help="Cases whose name has this.")] = "",
    show: Annotated[bool, typer.Option("--show", help="Show all messages.")] = False,
) -> None:
    """Answer the cases, and list those that are wrong."""
    reader = make_reader(ReaderOptions())
    grounder = open_grounder()
    cases = [case for case in read_cases() if only in case.name]
    wrong, longest = 0, 0.0
    for case in cases:
        begin = time.perf_counter()
        result: Any = answer_case(case, reader, grounder)
        seconds = time.perf_counter() - begin
        longest = max(longest, seconds)
        reason = judge_case(case, result)
        wrong += bool(reason)
        if reason or show:
            mark = "wrong" if reason else "right"
            typer.echo(f"{mark}: {case.name}: {reason} [{seconds:.1f} s]")
            typer.echo(f"    {result.status.name} {result.message[:400]}")
    typer.echo(f"{len(cases) - wrong} of {len(cases)} right; the longest took {longest:.1f} s")
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
