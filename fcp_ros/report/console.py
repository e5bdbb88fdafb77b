# SPDX-License-Identifier: Apache-2.0
"""Planning results as rich text for a terminal."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from fcp_ros.planning import Candidate, Explanation, Judged, Plan, PlanningResult, PlanStep
from fcp_ros.planning.model.plan import PolicyTrace
from fcp_ros.planning.model.result import GivenUp, KeptPreference
from fcp_ros.report.explored_goals import render_relaxations

BINS = 10
BLOCKS = "▁▂▃▄▅▆▇█"


@dataclass(frozen=True)
class DegreeOrigin:
    """The origin of one degree."""

    degree: str  # The predicate and its degree: ``can_grasp 0.54``
    origin: str  # The source of the judgement, and the outcomes that have moved it
    remark: str  # The oracle's note and its uncertainty; may be empty
    fallback: str  # The reason why a fallback oracle answered; "" if none did
    model: str  # The model or table that answered

    def __str__(self) -> str:
        """Format as ``can_grasp 0.54 (table 0.97, then 3 outcomes; entry 2 of the table)``."""
        details = "; ".join(part for part in (self.origin, self.remark) if part)
        warning = f" FALLBACK: {self.fallback}" if self.fallback else ""
        return f"{self.degree} ({details}){warning}"


def describe_origin(judged: Judged) -> DegreeOrigin:
    """Say where the degree of a judgement comes from."""
    membership = judged.membership
    origin = membership.source
    if membership.evidence_count:
        many = "s" if membership.evidence_count > 1 else ""
        origin += f" {membership.prior:.2f}, then {membership.evidence_count} outcome{many}"
    remarks = [membership.note]
    if membership.spread > 0.0:
        remarks.insert(0, f"spread {membership.spread:.2f}")
    if membership.distribution:
        remarks.insert(0, f"0 {to_sparkline(membership.distribution)} 1")
    return DegreeOrigin(
        f"{judged.request.predicate} {membership.degree:.2f}",
        origin,
        "; ".join(remark for remark in remarks if remark),
        membership.fallback,
        membership.model,
    )


def to_sparkline(distribution: tuple[float, ...]) -> str:
    """Draw a distribution over the scores 0 to 100 as `BINS` blocks, the highest for the mode."""
    sums = [0.0] * BINS
    for score, probability in enumerate(distribution):
        sums[min(score * BINS // (len(distribution) - 1), BINS - 1)] += probability
    top = max(sums) or 1.0
    return "".join(BLOCKS[round(value / top * (len(BLOCKS) - 1))] for value in sums)


# --- the steps of a plan that a policy made, by its abstract actions ---


@dataclass(frozen=True)
class FeatureChange:
    """The value of a feature before and after some steps, in words."""

    name: str
    before: str
    after: str

    @property
    def is_change(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class StepGroup:
    """The steps of one abstract action."""

    number: int  # of the abstract action, from 1
    action: str
    steps: int
    changes: tuple[FeatureChange, ...]

    @property
    def condition(self) -> str:
        """All features before it: "loaded, left = 3"."""
        return ", ".join(_write_value(one.name, one.before) for one in self.changes)


def group_steps(trace: PolicyTrace) -> dict[int, StepGroup]:
    """Return the abstract actions by the number of steps that come before them."""
    groups, done = {}, 0
    visited = itertools.pairwise((*(move.values for move in trace.moves), trace.final))
    for place, (move, (before, after)) in enumerate(zip(trace.moves, visited, strict=True)):
        changes = tuple(
            FeatureChange(feature.name, *map(feature.write_value, pair))
            for feature, *pair in zip(trace.features, before, after, strict=True)
        )
        groups[done] = StepGroup(place + 1, move.action, move.steps - done, changes)
        done = move.steps
    return groups


def _write_value(name: str, value: str) -> str:
    return {"yes": name, "no": f"not {name}"}.get(value, f"{name} = {value}")


# --- planning results as rich text for a terminal ---

BAR_WIDTH = 12
LONG_PLAN = 300
"""A plan with more steps is printed without a table, whose layout takes 1 ms for each step."""
CANDIDATES_SHOWN = 6
"""Only the best candidates are shown; the JSON and the HTML page have all of them."""
PREFERENCES_SHOWN = 8  # More preferences are shown with an explanation only


def render_result(result: PlanningResult, *, explain: bool = False) -> RenderableType:
    """Render the answer to a planning request; explained, with candidates, sources and timings."""
    parts: list[RenderableType] = [_build_headline(result)]
    if result.conflict is not None:
        parts.extend(Text(f"conflict: {part}", style="yellow") for part in result.conflict.parts)
    parts.extend(Text(f"note: {note}", style="yellow") for note in result.notes)
    parts.append(render_relaxations(result, explain=explain))
    if result.plan is not None:
        parts.append(render_plan(result.plan, explain=explain, trace=result.policy_trace))
    if result.given_up or result.kept_preferences:
        parts.append(render_preferences(result, explain=explain))
    if explain and result.candidates:
        parts.append(render_candidates(result.candidates))
    if explain and result.explanation is not None:
        parts.append(render_explanation(result.explanation))
    if explain and result.alpha_reason:
        parts.append(Text(result.alpha_reason))
    if explain:
        parts.append(_build_statistics(result))
    return Group(*parts)


def render_plan(
    plan: Plan, *, explain: bool = False, trace: PolicyTrace | None = None
) -> RenderableType:
    """Render a plan as a table with a row for each step and the membership after it.

    With a schedule, the time of a step is its start and end, and the last row has the makespan. The
    abstract actions of a policy's `trace` stand above their steps.
    """
    if len(plan.steps) > LONG_PLAN:
        return _render_long(plan, explain)
    columns = ("#", "step", "time", "degree", "membership")
    table = _make_table(columns, right=("#", "time", "degree"))
    groups = {} if trace is None else group_steps(trace)
    for number, step in enumerate(plan.steps, start=1):
        if number - 1 in groups:
            group = groups[number - 1]
            name = Text.assemble((group.action, "bold"), (f" in ({group.condition})", "dim"))
            table.add_row("", name)
        table.add_row(
            str(number),
            _build_step_text(step, explain),
            _format_time(plan, number - 1),
            _format_degree(step.degree),
            _build_bar(step.membership_after, plan.alpha),
        )
    table.add_row(
        "",
        _add_sources("goal", plan.goal_judgements, explain),
        "" if plan.schedule is None else f"{plan.schedule.makespan:.1f} s",
        _format_degree(plan.goal_degree),
        _build_bar(plan.membership, plan.alpha),
    )
    return table


def _render_long(plan: Plan, explain: bool) -> Text:
    """Render a plan as plain lines, without columns that depend on all steps."""
    lines = [
        f"{number}  {_build_step_text(step, explain).plain}  {_format_time(plan, number - 1)}  "
        f"{_format_degree(step.degree)}  {step.membership_after:.2f}"
        for number, step in enumerate(plan.steps, start=1)
    ]
    goal = _add_sources("goal", plan.goal_judgements, explain).plain
    lines.append(f"{goal}  {_format_degree(plan.goal_degree)}  {plan.membership:.2f}")
    return Text("\n".join(lines), no_wrap=True, overflow="ignore")


def _format_degree(degree: float) -> str:
    return "crisp" if degree >= 1.0 else f"{degree:.2f}"


def _format_time(plan: Plan, index: int) -> str:
    if plan.schedule is None:
        return f"{plan.steps[index].duration:.1f} s"
    return f"{plan.schedule.starts[index]:.1f} - {plan.schedule.ends[index]:.1f} s"


def render_candidates(candidates: Sequence[Candidate]) -> RenderableType:
    """Render the bindings that were considered, each with its degree and the reason."""
    table = _make_table(("", "binding", "goal", "membership", "why"), title="candidates")
    for candidate in candidates[:CANDIDATES_SHOWN]:
        binding = ", ".join(f"{name}={element}" for name, element in candidate.binding)
        table.add_row(
            "[green]*[/]" if candidate.chosen else "",
            escape(binding or "(none)"),
            f"{candidate.goal_degree:.2f}",
            f"{candidate.membership:.2f}",
            _add_sources(candidate.reason, candidate.judgements, True),
        )
    if len(candidates) > CANDIDATES_SHOWN:
        table.add_row("", f"... {len(candidates) - CANDIDATES_SHOWN} more", "", "", "")
    return table


def render_preferences(result: PlanningResult, *, explain: bool = False) -> RenderableType:
    """Render what became of each preference, those given up first, and of parts left out."""
    priced = any(one.price is not None for one in result.given_up)
    first = "part" if any(one.is_part for one in result.given_up) else "preference"
    columns = (first, "weight", "cost", "", *(["keeping it would have cost"] * priced))
    table = _make_table(columns, right=("weight", "cost"))
    shown: list[GivenUp | KeptPreference] = [*result.given_up, *result.kept_preferences]
    for one in shown[: len(shown) if explain else PREFERENCES_SHOWN]:
        table.add_row(
            escape(f"{one.name}: {one.text}" if one.name else one.text),
            f"{one.weight:.3g}" if one.weight else "",
            f"{one.cost:g}" if one.cost else "",
            *_tell_outcome(one, priced),
        )
    if not explain and len(shown) > PREFERENCES_SHOWN:
        table.add_row(f"... {len(shown) - PREFERENCES_SHOWN} more (--explain lists them)")
    return table


def _tell_outcome(one: GivenUp | KeptPreference, priced: bool) -> tuple[str | Text, ...]:
    if isinstance(one, KeptPreference):
        degree = "" if one.degree >= 1.0 else f" {one.degree:.2f}"
        return (Text(f"kept{degree}", style="green"),)
    given_up = Text("left out" if one.is_part else "given up", style="yellow")
    return (given_up, escape(str(one.price))) if priced else (given_up,)


def render_explanation(explanation: Explanation) -> RenderableType:
    """Render the loss of each step, what binds at alpha, and the extent of the search."""
    table = _make_table(("part", "degree", "of the loss"), title="what it costs")
    for share in explanation.shares:
        table.add_row(escape(share.what), f"{share.degree:.2f}", f"{share.share:.0%}")
    words = [Text(explanation.binding)] if explanation.binding else []
    shares = [table] if explanation.shares else []
    return Group(*shares, *words, Text(explanation.looked, style="dim"))


def _make_table(
    columns: Sequence[str], *, right: Sequence[str] = (), title: str | None = None
) -> Table:
    table = Table(
        box=None,
        pad_edge=False,
        header_style="dim",
        title=title,
        title_justify="left",
        title_style="bold",
    )
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def _build_headline(result: PlanningResult) -> Text:
    colour = "green" if result.status.solved else "yellow"
    return Text.from_markup(f"[bold {colour}]{result.status.name}[/] {escape(result.message)}")


def _build_step_text(step: PlanStep, explain: bool) -> Text:
    text = _add_sources(str(step), step.judgements, explain)
    if step.chunk:
        text.append(f"  [{step.chunk}]", style="cyan")
    return text


def _add_sources(text: str, judgements: Sequence[Judged], explain: bool) -> Text:
    result = Text(text)
    if explain:
        for judged in judgements:
            origin = describe_origin(judged)
            result.append(f"\n  {origin}", style="yellow" if origin.fallback else "dim")
    return result


def _build_bar(value: float, alpha: float) -> Text:
    filled = round(value * BAR_WIDTH)
    colour = "blue" if value >= alpha else "red"
    bar = Text("━" * filled, style=colour)
    bar.append("━" * (BAR_WIDTH - filled), style="bright_black")
    bar.append(f" {value:.2f}")
    return bar


def _build_statistics(result: PlanningResult) -> Text:
    stages = ", ".join(
        f"{stage} {1000 * seconds:.0f} ms" for stage, seconds in result.timings.items()
    )
    verified = "replayed and verified" if result.verification and result.verification.ok else ""
    parts = [part for part in (stages, f"{result.expansions} expansions", verified) if part]
    return Text("; ".join(parts), style="dim")
