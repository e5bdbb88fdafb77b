# SPDX-License-Identifier: Apache-2.0
"""docs/grounding.md stays true: its example prints what it says, its tables list what there is."""

import re
from dataclasses import fields, is_dataclass

import pytest

from fcp_ros.grounding import ORACLES, GroundingOptions


@pytest.fixture(scope="module")
def page(repository):
    return (repository / "docs" / "grounding.md").read_text(encoding="utf-8")


def rows(page, heading):
    """The table that begins with this heading: the words in code of each of its cells."""
    table = page[page.index(heading) :].split("\n\n")[0].splitlines()[2:]
    return [[re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:-1]] for line in table]


def test_every_oracle_is_in_the_table(page):
    assert {row[0][0] for row in rows(page, "| oracle | set by")} == set(ORACLES)


def test_every_field_of_the_options_is_in_the_table(page):
    known = {name for row in rows(page, "| what | parameter") for name in row[2]}
    options = GroundingOptions()
    for field in fields(options):
        nested = is_dataclass(getattr(options, field.name))
        assert field.name in {name.split(".")[0] for name in known}, field.name
        assert not nested or any(name.startswith(f"{field.name}.") for name in known)


def test_every_parameter_of_the_node_is_in_the_table(page, repository):
    table = rows(page, "| what | parameter")
    known = {name for row in table for name in row[1]} | {"domain", "autostart", "bond_period"}
    text = (repository / "config" / "params.yaml").read_text(encoding="utf-8")
    section = text.split("/**/grounder:")[1].split("/**/")[0]
    assert known == set(re.findall(r"^    (\w+):", section, re.M))
