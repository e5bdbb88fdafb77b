# SPDX-License-Identifier: Apache-2.0
"""The one table of planning options, and everything that is made from it or says the same."""

import re
from dataclasses import fields

import pytest
from option_docs import FILE, replace_table
from typer.main import get_command

from fcp_ros.cli.main import import_command
from fcp_ros.cli.plan.options import Optimisation
from fcp_ros.fuzzy import AlphaPolicy
from fcp_ros.planning import PlanningOptions, SearchOptions, Switches
from fcp_ros.planning.model.option_table import OPTION, OPTIONS, find_problems, make_options

PARTS = {"policy": AlphaPolicy, "search": SearchOptions}
"""Fields of `PlanningOptions` that have fields of their own in the table."""


NOT_ABOUT_PLANNING = {
    "goal", "domain", "scene", "types", "similar", "why", "out", "as_json", "oracle", "model",
    "endpoint", "calibration", "assets", "overrides", "policies", "page", "help",
    "behaviour_tree", "tuned",
}  # fmt: skip
"""Options of `fcp plan` that say what is asked of whom, not how it is planned."""


def test_every_field_of_the_options_is_in_the_table():
    known = {option.field for option in OPTIONS}
    assert {field.split(".")[0] for field in known} == {f.name for f in fields(PlanningOptions)}
    for field in known:
        part, _, rest = field.partition(".")
        assert not rest or rest in {f.name for f in fields(PARTS[part])}


@pytest.mark.parametrize(
    ("name", "bad", "words"),
    [
        ("alpha", 1.5, "alpha is 1.5: give a number from 0 to 1."),
        ("time_limit", 0.0, "time_limit is 0.0: give a number of seconds above 0."),
        ("improve_time", -1.0, "improve_time is -1.0: give a number of seconds, 0 or more."),
        ("deadline", float("nan"), "deadline is nan: give a number of seconds, 0 or more."),
        ("budgets", {"battery": -1.0}, "budgets is {'battery': -1.0}: give a finite number"),
        ("budgets", {"cost": float("inf")}, "budgets is {'cost': inf}: give a finite number"),
        ("budgets", {"cost": "5"}, "budgets is {'cost': '5'}: give a finite number"),
        ("memory_limit", 0, "memory_limit is 0: give a number of MiB above 0."),
        ("max_expansions", 2.5, "max_expansions is 2.5: give a whole number above 0."),
        ("max_expansions", True, "max_expansions is True: give a whole number above 0."),
        ("weight", 0.5, "search.weight is 0.5: give a number of 1 or more."),
        ("tnorm", "maximum", "tnorm: "),
        ("tnorm", 3, "tnorm: "),
    ],
)
def test_a_bad_value_is_named_with_what_to_give(name, bad, words):
    (problem,) = find_problems(make_options({name: bad}))
    assert problem.startswith(words)


@pytest.mark.parametrize("name", ["optimise", "algorithm", "heuristic"])
def test_unknown_words_are_refused(name):
    with pytest.raises(ValueError, match="'worst'"):
        make_options({name: "worst"})


def test_alpha_may_be_a_word():
    assert make_options({"alpha": "critical"}).alpha == 0.95
    with pytest.raises(ValueError, match="alpha is 'high'"):
        make_options({"alpha": "high"})


def test_the_command_line_has_the_options_of_the_table_with_their_defaults():
    given = {p.name: p for p in get_command(import_command("plan")).params}
    ours = [parameter for name, parameter in given.items() if name not in NOT_ABOUT_PLANNING]
    flags = {flag for parameter in ours for flag in (*parameter.opts, *parameter.secondary_opts)}
    assert flags == {flag for option in OPTIONS for flag in option.flags}
    by_flag = {option.flags[0]: option for option in OPTIONS if option.flags}
    for parameter in ours:
        option = by_flag[parameter.opts[0]]
        if parameter.name not in ("deadline", "without", "budget", "confirm_below"):  # left out
            assert parameter.default == option.default, parameter.name


def test_optimisations_are_said_alike():
    assert [one.value for one in Optimisation] == [field.name for field in fields(Switches)]
    assert list(OPTION["without"].choices) == [field.name for field in fields(Switches)]


def test_the_message_has_the_fields_of_the_table(repository):
    text = (repository / "msg" / "PlanRequest.msg").read_text(encoding="utf-8")
    comments = dict(re.findall(r"^\S+ (\w+) +# (.*)$", text, re.MULTILINE))
    named = {option.message_field: option for option in OPTIONS if option.message_field}
    assert set(comments) == {"goal", "instruction", "speaker", "underway", *named}
    for field, option in named.items():
        if option.left_open:
            assert f"{option.left_open} takes the parameter {option.name}" in comments[field]
        for choice in option.choices:
            assert f'"{choice}"' in comments[field]


def test_the_table_in_the_documents_is_this_one():
    """Made by ``python test/support/option_docs.py``."""
    text = FILE.read_text(encoding="utf-8")
    assert replace_table(text) == text
