# SPDX-License-Identifier: Apache-2.0
"""``fcp cook``: a recipe with something missing, rewritten so that it can be cooked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from fcp_ros.cli.exit_codes import BAD_INPUT
from fcp_ros.cli.options import JsonOption, JudgeChoice, expand_options, open_grounder
from fcp_ros.cli.terminal import check_outputs, escape_lines, explain_errors, fail, open_console
from fcp_ros.domain import load_domain
from fcp_ros.foundation.garbage import collect_garbage_seldom
from fcp_ros.package_files import find_domain
from fcp_ros.recipes.cooking import ALPHA, CookingOptions, Kitchen
from fcp_ros.recipes.recipe import RecipeCode, RecipeError
from fcp_ros.recipes.recipe_files import read_recipe_file
from fcp_ros.recipes.wishes import Wishes

app = typer.Typer(add_completion=False)

_EXIT_CODES = {
    RecipeCode.NOTHING_LEFT: 10,
    RecipeCode.BELOW_ALPHA: 11,
    RecipeCode.NO_TIME: 13,
    RecipeCode.PLANNING_FAILED: 17,
    RecipeCode.NO_JUDGEMENT: 21,
}
"""Those of the planning statuses that mean the same (`exit_codes`)."""


@dataclass(frozen=True)
class WishChoice:
    """Options for what is missing or ruled out; a command takes them with `expand_options`."""

    # Ingredients that are not there
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", "-m", help="An ingredient that is not there (repeatable)."),
    ] = None
    # Foods, kinds of food, allergens or tools that must not be used
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            "-w",
            help="A food, kind of food, allergen or tool that must not be used (repeatable).",
        ),
    ] = None
    # Diets of the knowledge file
    diet: Annotated[
        list[str] | None,
        typer.Option("--diet", help="A diet, such as vegan or gluten-free (repeatable)."),
    ] = None
    # Minutes that the dish may take; None for any
    minutes: Annotated[
        float | None, typer.Option(help="The most minutes that the dish may take.")
    ] = None

    def to_wishes(self) -> Wishes:
        missing, without, diets = (
            tuple(one or ()) for one in (self.missing, self.without, self.diet)
        )
        return Wishes(missing, without, diets, (), self.minutes)


@app.command()
@expand_options
def cook(
    *,
    recipe: Annotated[
        Path,
        typer.Argument(
            help="A recipe: JSON (schema.org/Recipe, or title, ingredients, directions), or text "
            'with the headings "Ingredients" and "Directions".'
        ),
    ],
    choice: WishChoice,
    alpha: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Degree that the substitutes reach on average."),
    ] = ALPHA,
    fixed: Annotated[
        bool,
        typer.Option("--fixed", help="The plan as a whole reaches alpha, however much is missing."),
    ] = False,
    t_norm: Annotated[
        str,
        typer.Option(help="Composition of degrees: product, lukasiewicz, goedel or hamacher."),
    ] = "product",
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the recipe to this file, as an HTML page.")
    ] = None,
    judges: JudgeChoice,
    as_json: JsonOption = False,
) -> None:
    """Rewrite a recipe so that it can be cooked without what is missing or ruled out.

    Exits with 10 if nothing is left to cook, with 11 if no substitutes are good enough.
    """
    check_outputs((page,), (recipe, judges.calibration))
    options = CookingOptions(alpha=alpha, adaptive=not fixed, tnorm=t_norm)
    with explain_errors(), collect_garbage_seldom():
        try:
            lines = read_recipe_file(recipe)
            domain = load_domain(find_domain("kitchen"))
            kitchen = Kitchen(memberships=open_grounder(domain, judges), domain=domain)
            cooked = kitchen.cook(lines, choice.to_wishes(), options)
        except RecipeError as error:
            fail(str(error), _EXIT_CODES.get(error.code, BAD_INPUT))
        if page is not None:
            from fcp_ros.report.recipe_page import write_recipe_page

            write_recipe_page(cooked, page)
    if as_json:
        typer.echo(json.dumps(cooked.to_json(), indent=1, ensure_ascii=False))
    else:
        open_console().print(escape_lines(cooked.to_text()), soft_wrap=True, end="")
