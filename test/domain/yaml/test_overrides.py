# SPDX-License-Identifier: Apache-2.0
"""Overrides: read from a file and from a domain, written, and refused with line and correction."""

from __future__ import annotations

from pathlib import Path

import pytest

from fcp_ros.domain import Domain, DomainError, load_domain, load_overrides, parse_domain
from fcp_ros.domain.scene_names import AttributeReading, RelationReading
from fcp_ros.domain.yaml.overrides import write_overrides
from fcp_ros.package_files import find_domain

TEXT = """overrides:
  labels: {Prep_Surface: counter, glorp: openable_container, "yes": Dining Table}
  relations:
    supports: on(2, 1)
    holds: ["inside(2, 1)", "in_room(2,1)"]
    links: connected(2, 3)
  attributes: {shut: not is_open, lit: is_on}
"""


@pytest.fixture(scope="module")
def household() -> Domain:
    return load_domain(find_domain("household"))


def test_file_is_read_and_written_again(household: Domain, tmp_path: Path) -> None:
    file = tmp_path / "names.yaml"
    file.write_text(TEXT)
    names = load_overrides(file, household).mapping.names
    assert names.labels["prep surface"] == "counter"
    assert names.labels["yes"] == "dining table"
    assert names.relations["supports"] == (RelationReading("on", (1, 0)),)
    assert [str(one) for one in names.relations["holds"]] == ["inside(2, 1)", "in_room(2, 1)"]
    assert names.attributes["shut"] == AttributeReading("is_open", negated=True)
    assert not household.mapping.names
    file.write_text(write_overrides(names, "about: this"))
    assert file.read_text().startswith("# about: this\noverrides:\n  labels:\n")
    assert load_overrides(file, household).mapping.names == names


def test_domain_may_have_them_itself(household: Domain) -> None:
    text = find_domain("household").read_text()
    section = TEXT.replace("\n", "\n  ").rstrip()
    domain = parse_domain(text.replace("scene:\n  layers", f"scene:\n  {section}\n  layers"))
    assert domain.mapping.names.labels["glorp"] == "openable_container"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("labels: {a: countr}", "countr is neither a label nor a type. Fix: did you mean counter?"),
        ("relations: {a: onn(2, 1)}", "unknown relation onn. Fix: did you mean on?"),
        ("relations: {a: 'on(1, 1)'}", "on(1, 1) is no reading of the relation a"),
        ("relations: {a: 'on(0, 1)'}", "number its arguments from 1 on"),
        ("relations: {a: 'on(1)'}", "on has 2 arguments, not 1"),
        ("relations: {a: []}", "no reading of the relation a"),
        ("attributes: {a: no is_open}", "write is_open or not is_open"),
        ("label: {a: counter}", "unknown key overrides.label. Fix: did you mean labels?"),
    ],
)
def test_faults_have_line_and_correction(
    household: Domain, tmp_path: Path, entry: str, message: str
) -> None:
    file = tmp_path / "names.yaml"
    entry = entry.replace("onn(2, 1)", "'onn(2, 1)'")
    file.write_text(f"overrides:\n  {entry}\n")
    with pytest.raises(DomainError) as caught:
        load_overrides(file, household)
    assert f"{file}:2: " in str(caught.value)
    assert message in str(caught.value)
