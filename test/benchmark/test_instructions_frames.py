# SPDX-License-Identifier: Apache-2.0
"""The commands in polite frames are whole, and mean what the command means."""

from __future__ import annotations

import pytest

from benchmark.context_matters.answers import Setting
from benchmark.context_matters.part_reading import context_of
from benchmark.context_matters.scoring import check
from benchmark.instructions.frames import frames_part, read_frames
from fcp_ros.language.registry import ReaderOptions, make_reader

FRAMES, COMMANDS = read_frames()


def test_there_are_ten_commands_in_twenty_five_frames():
    assert len(set(FRAMES)) == 25
    assert len({one.command for one in COMMANDS}) == 10
    sentences = [said for one in COMMANDS for said in one.meaning.wordings]
    assert len(set(sentences)) == 250
    assert not [said for said in sentences if "{" in said]


@pytest.mark.parametrize("framed", COMMANDS, ids=lambda one: one.meaning.name)
def test_the_goals_are_goals(framed):
    context = context_of(framed.meaning, None)
    (goal,) = framed.meaning.goals
    check(goal, context.domain, context.instance)


def test_the_part_counts_every_sentence_once():
    part, judged = frames_part(Setting(make_reader(ReaderOptions())), False, "frame02")
    assert len(judged) == 25
    line = part.lines[-1].figures
    assert line["sentences"] == 25
    assert line["right"] == sum(one.right for one in judged)
    plain = next(one for one in judged if one.sentence.startswith("When you get a minute"))
    assert plain.right
