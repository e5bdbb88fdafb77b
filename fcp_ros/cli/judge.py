# SPDX-License-Identifier: Apache-2.0
"""``fcp judge``: judge one degree by the oracle that the options choose."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.options import (
    DEFAULT_DOMAIN,
    DEFAULT_ORACLE,
    AssetsOption,
    DomainOption,
    JsonOption,
    JudgeChoice,
    SceneOption,
    expand_options,
    open_grounder,
)
from fcp_ros.cli.session import SceneChoice, open_session
from fcp_ros.cli.terminal import escape_lines, explain_errors, fail, open_console
from fcp_ros.domain import GradedPredicate, load_domain
from fcp_ros.foundation.labels import normalise_label
from fcp_ros.foundation.wording import shorten_words
from fcp_ros.grounding import ArgumentContext, JudgementRequest, Membership, build_request
from fcp_ros.package_files import find_domain
from fcp_ros.report.console import to_sparkline
from fcp_ros.report.plain_json import to_plain
from fcp_ros.scene import SceneLimits

app = typer.Typer(add_completion=False)


@app.command()
@expand_options
def judge(
    *,
    predicate: Annotated[
        str, typer.Argument(help="A graded predicate of the domain, such as serves_as.")
    ],
    arguments: Annotated[
        list[str],
        typer.Argument(
            help="Its arguments in words: the category of a thing, or a text, such as: mug "
            "drinking. With --scene: the names of the scene's things."
        ),
    ],
    domain: DomainOption = DEFAULT_DOMAIN,
    scene: SceneOption = "",
    assets: AssetsOption = None,
    judges: JudgeChoice,
    as_json: JsonOption = False,
) -> None:
    """Judge to which degree a graded predicate holds of things in words or in a scene."""
    with explain_errors():
        loaded = load_domain(find_domain(domain))
        if predicate not in loaded.graded:
            fail(
                f"{predicate} is not a graded predicate of domain {loaded.name}: "
                f"use one of {', '.join(sorted(loaded.graded))}"
            )
        asked = loaded.graded[predicate]
        request = (
            _request_in_scene(asked, arguments, domain, scene, assets or ())
            if scene
            else _request_in_words(asked, arguments)
        )
        with closing(open_grounder(loaded, judges)) as grounder:
            grounder.confirm([request])
            membership = grounder.judge([request])[0]
    if as_json:
        typer.echo(json.dumps(to_plain(membership), indent=1))
    else:
        console = open_console()
        console.print(escape_lines(_format_answer(request, membership)), soft_wrap=True)
        hint = _suggest_model(judges, membership)
        if hint:
            console.print(hint, soft_wrap=True)


def _suggest_model(judges: JudgeChoice, membership: Membership) -> str:
    """Return a sentence about a better model for what a model answered, or ""."""
    from fcp_ros.grounding.grounder import suggest_model

    by_model = membership.source in (DEFAULT_ORACLE, "head", "tuned") and not membership.fallback
    return suggest_model(judges.to_options()) if by_model else ""


def _request_in_scene(
    predicate: GradedPredicate, names: list[str], domain: str, scene: str, assets: Sequence[Path]
) -> JudgementRequest:
    """Build a request about things of a scene, with the context that the predicate declares."""
    choice = SceneChoice(limits=SceneLimits(asset_folders=tuple(assets)))
    session = open_session(domain, scene, choice)
    return build_request(predicate, tuple(names), session.state.instance)


def _request_in_words(predicate: GradedPredicate, words: list[str]) -> JudgementRequest:
    """Build a request about things outside any scene, each known by its category alone."""
    names = [parameter.name for parameter in predicate.parameters]
    if len(words) != len(names):
        fail(
            f"{predicate.name} takes {len(names)} arguments ({', '.join(names)}), "
            f"but {len(words)} were given: quote an argument of several words"
        )
    return JudgementRequest(
        predicate.name,
        tuple(
            ArgumentContext(parameter.name, word)
            if parameter.is_text
            else ArgumentContext(parameter.name, word, normalise_label(word))
            for parameter, word in zip(predicate.parameters, words, strict=True)
        ),
    )


def _format_answer(request: JudgementRequest, membership: Membership) -> str:
    asked = shorten_words(str(request))
    text = f"{membership.degree:.2f}  {asked}  [{membership.source}, {membership.model}]"
    if membership.evidence_count:
        text += f"  judged {membership.prior:.2f}, then {membership.evidence_count} outcomes"
    if membership.distribution:
        text += f"  0 {to_sparkline(membership.distribution)} 1"
    if membership.fallback:
        text += f"  FALLBACK: {membership.fallback}"
    return f"{text}  {membership.note}".rstrip()
