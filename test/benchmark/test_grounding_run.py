# SPDX-License-Identifier: Apache-2.0
"""The benchmark of grounding as a command: its parts run, and missed goals are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from benchmark.grounding import __main__ as grounding
from benchmark.grounding.resources import measure_in_child
from benchmark.tables import Part, Verdict


def run(*arguments: str) -> tuple[int, str]:
    app = Typer()
    app.command()(grounding.main)
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.output


def test_the_labels_are_shown() -> None:
    code, output = run("labels")
    assert code == 0
    assert "A second author" in output
    assert "the second says" in output


@pytest.mark.parametrize(("met", "code"), [(True, 0), (None, 0), (False, 1)])
def test_it_fails_when_a_goal_is_missed(
    met: bool | None, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = Part("cache", (), (Verdict("a hit", "2 us", "at most 1 us", met),))
    parts = {**grounding.PARTS, grounding.Name.CACHE: lambda _console, _quick: found}
    monkeypatch.setattr(grounding, "PARTS", parts)
    ended, output = run("cache", "--quick", "--json", str(tmp_path / "figures.json"))
    assert ended == code
    assert "at most 1 us" in output
    (part,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["parts"]
    assert part["verdicts"][0]["met"] is met


def test_a_fresh_process_measures_the_default() -> None:
    cost = measure_in_child()
    assert 0.05 < cost.startup < 60.0
    assert 0.1 < cost.phrase < 1e3 * cost.startup
    assert cost.again < cost.thousand
    assert 50.0 < cost.memory < 4000.0
