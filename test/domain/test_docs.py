# SPDX-License-Identifier: Apache-2.0
"""docs/domain.md stays true: every key is described, and its snippets are read."""

import re
from pathlib import Path

import pydantic

from fcp_ros.domain.yaml import entries as file_shape
from fcp_ros.foundation.yaml_text import parse_yaml

TEXT = (Path(__file__).parents[2] / "docs" / "domain.md").read_text(encoding="utf-8")
ENTRIES = [
    model
    for model in vars(file_shape).values()
    if isinstance(model, type) and issubclass(model, pydantic.BaseModel) and model.model_fields
]


def test_every_key_is_described():
    keys = {key for model in ENTRIES for key in model.model_fields}
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", TEXT)] == []


def test_snippets_have_the_shape_of_a_domain():
    snippets = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    assert snippets
    merged = {}
    for snippet in snippets:
        for section, entries in parse_yaml(snippet).data.items():
            if isinstance(entries, list):
                merged.setdefault(section, []).extend(entries)
            else:
                merged.setdefault(section, {}).update(entries)
    file = file_shape.DomainFile.model_validate({"domain": "d", "version": "1", **merged})
    assert file.rules["pick"].executor == "pick"
    assert file.rules["drive"].window.closes == 3600
    assert file.tasks["set_table"].additions[0].phrases == [
        "[and] (we'll|we will) have (soup|cereal)"
    ]
    assert file.chunks["fetch"].steps[0].startswith("pick(")
