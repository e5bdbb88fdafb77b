# SPDX-License-Identifier: Apache-2.0
"""The benchmark of grounding as a command: its parts run, and missed goals are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from benchmark.grounding import __main__ as grounding
from benchmark.grounding import quality
from benchmark.tables import Part, Verdict


@pytest.mark.parametrize(("met", "code"), [(True, 0), (None, 0), (False, 1)])
def test_it_fails_when_a_goal_is_missed(
    met: bool | None, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = Part("quality", (), (Verdict("a judgement", "2 us", "at most 1 us", met),))
    monkeypatch.setattr(quality, "measure", lambda _quick, _judges: found)
    app = Typer()
    app.command()(grounding.main)
    words = ["quality", "--quick", "--json", str(tmp_path / "figures.json")]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code
    assert "at most 1 us" in result.output
    (part,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["parts"]
    assert part["verdicts"][0]["met"] is met
