# SPDX-License-Identifier: Apache-2.0
"""docs/language.md stays true: every example is read, paraphrased, loaded or run."""

import re
from pathlib import Path

import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.domain.expressions.parser import parse_expression
from fcp_ros.domain.expressions.resolution import check_goal
from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.language.cascade import ReaderOptions, make_reader
from fcp_ros.language.confirmation import confirm_doubtful
from fcp_ros.language.paraphrase import paraphrase_goal
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


def find_blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


def find_pairs(kind):
    lines = [line for block in find_blocks(kind) for line in block.splitlines()]
    return list(zip(lines[::2], (line.strip() for line in lines[1::2]), strict=True))


ROWS = re.findall(r"^\| `([^`]*)` \| ([A-Z_]+) \| `([^`]*)` \|$", TEXT, re.MULTILINE)


@pytest.fixture(scope="module")
def context():
    session = open_session("household", "twin_house_furnished")
    return ReadingContext(session.domain, session.state.instance, speaker="person_1")


@pytest.fixture(scope="module")
def reader():
    return make_reader(ReaderOptions())


def normalise(goal, context):
    """Write a goal with its variables numbered in the order of their first use."""
    text = to_text(check_goal(parse_expression(goal), context.domain, context.instance))
    names = dict.fromkeys(re.findall(r"\?\w+", text))
    numbers = {name: f"?v{number}" for number, name in enumerate(names)}
    return re.sub(r"\?\w+", lambda match: numbers[match[0]], text)


@pytest.mark.parametrize(("said", "goal"), find_pairs("instruction"))
def test_instructions_are_read_as_the_page_says(said, goal, context, reader):
    answer = confirm_doubtful(reader.read(said, context))
    assert answer.status is ReadingStatus.READ, answer.message
    assert normalise(answer.best.goal, context) == normalise(goal, context)


@pytest.mark.parametrize(("said", "status", "message"), ROWS)
def test_other_instructions_get_the_status_of_the_page(said, status, message, context, reader):
    answer = confirm_doubtful(reader.read(said, context))
    assert answer.status is ReadingStatus[status], answer.message
    assert message in f"{answer.message} {answer.question}"


@pytest.mark.parametrize(("goal", "sentence"), find_pairs("paraphrase"))
def test_paraphrases(goal, sentence, context):
    checked = check_goal(parse_expression(goal), context.domain, context.instance, goal)
    assert paraphrase_goal(checked, context.domain, context.instance) == sentence


def test_the_task_can_be_added_to_the_household():
    (snippet,) = find_blocks("yaml")
    text = (ROOT / "config" / "domains" / "household.yaml").read_text(encoding="utf-8")
    assert text.count("\ntasks:\n") == 1
    domain = parse_domain(text.replace("\ntasks:\n", f"\n{snippet}\n", 1))
    assert "pack_picnic" in domain.words.tasks


@pytest.mark.parametrize("code", find_blocks("python"))
def test_the_python_runs(code):
    exec(compile(code, "docs/language.md", "exec"), {})


def test_every_status_is_described():
    for status in ReadingStatus:
        assert f"| `{status.name}` |" in TEXT
    assert len(ROWS) >= 4
    assert len(find_pairs("instruction")) >= 10
