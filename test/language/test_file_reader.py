# SPDX-License-Identifier: Apache-2.0
"""The reader from a file: its commands, its questions, and every fault of a file."""

import random
from pathlib import Path

import pytest
from random_goals import build_small_home

from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.yaml.domain_files import load_domain
from fcp_ros.language.file_reader import FileReader
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus, WordRole
from fcp_ros.language.registry import ReaderOptions, make_reader

HOUSEHOLD = load_domain(Path(__file__).parents[2] / "config" / "domains" / "household.yaml")
CONTEXT = ReadingContext(HOUSEHOLD, build_small_home(HOUSEHOLD.schema, random.Random(1)))
FILE = """\
readings:
  - say: [put the mug away, "(clear|tidy) [up] the mug"]
    goal: on(mug_1, counter_1)
  - say: Take the mug!
    ask: Which mug shall I take?
    goals:
      - {goal: "holding({you}, mug_2)", degree: 0.5, choice: the coffee mug}
      - {goal: "holding({you}, mug_1)", degree: 0.6, choice: the mug}
      - {goal: "holding({you}, plate_1)", degree: 0.1}
  - say: clean the table
    goals:
      - goal: not dirty(table_1)
      - {goal: not dirty(counter_1), degree: 0.3}
  - say: come here
    goal: "exists ?r: room (at({me}, ?r) and at({you}, ?r))"
  - say: bring the pot
    goal: holding(robot_1, pot_1)
"""
FILE = FILE.replace("Take the mug!", "Take the mug")


def write(folder, text):
    file = folder / "commands.yaml"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def reader(tmp_path):
    return FileReader(write(tmp_path, FILE))


@pytest.mark.parametrize(
    "said", ["put the mug away", "Put the MUG away, please!", "tidy the mug", "Clear up the mug"]
)
def test_a_command_is_read(reader, said):
    answer = reader.read(said, CONTEXT)
    assert answer.status is ReadingStatus.READ
    assert answer.best.goal == "on(mug_1, counter_1)"
    assert answer.best.degree == 1.0
    assert answer.message == answer.best.paraphrase == "mug_1 is on counter_1."
    assert [said[use.start : use.end] for use in answer.best.words] == said.split()
    assert {use.role for use in answer.best.words} <= {WordRole.ACTION, WordRole.FILLER}
    assert answer.reader == reader.name == "file"
    assert reader.read(said, CONTEXT) == answer


def test_commands_of_several_goals_ask_if_none_is_clearly_meant(reader):
    answer = reader.read("take the mug", CONTEXT)
    assert answer.status is ReadingStatus.AMBIGUOUS
    assert answer.question == answer.message == "Which mug shall I take?"
    assert answer.choices == ("the mug", "the coffee mug")
    assert [reading.goal for reading in answer.readings] == [
        f"holding(robot_1, {item})" for item in ("mug_1", "mug_2", "plate_1")
    ]
    assert answer.best is None
    clear = reader.read("clean the table", CONTEXT)
    assert clear.status is ReadingStatus.READ
    assert clear.best.goal == "not dirty(table_1)"
    assert len(clear.readings) == 2


@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ("", ReadingStatus.REFUSED, "empty"),
        ("please!", ReadingStatus.REFUSED, "empty"),
        ("a" * 5000, ReadingStatus.REFUSED, "5000 characters"),
        ("put the mugs away", ReadingStatus.NOT_UNDERSTOOD, 'did you mean "put the mug away"?'),
        ("bonjour", ReadingStatus.NOT_UNDERSTOOD, "not one of the 9 commands"),
        ("come here", ReadingStatus.FAILED, "it is not known who speaks"),
        ("bring the pot", ReadingStatus.FAILED, "no element called pot_1"),
    ],
)
def test_other_instructions_get_a_sentence(reader, said, status, reason):
    answer = reader.read(said, CONTEXT)
    assert answer.status is status
    assert reason in answer.message
    assert answer.message[-1] in ".?"
    assert answer.readings == ()


def test_the_registry_makes_it(tmp_path):
    options = ReaderOptions(reader="file", file=str(write(tmp_path, FILE)))
    answer = make_reader(options).read("tidy the mug", CONTEXT)
    assert answer.best is not None


@pytest.mark.parametrize(
    ("old", "new", "line", "fault"),
    [
        ("readings:", "reading:", 1, "no list `readings`"),
        (FILE, "", 0, "empty"),
        (FILE, "- 1", 1, "no list `readings`"),
        ("readings:\n", "readings:\n  - 3\n", 2, "no mapping"),
        ("    goal: on(mug_1, counter_1)\n", "", 2, "needs `goal` or `goals`"),
        ("goal: on(mug_1, counter_1)", "goal: on(mug_1 counter_1)", 3, "Unexpected"),
        ("goal: on(mug_1, counter_1)", "goal: ''", 2, "empty"),
        ("goal: on(mug_1, counter_1)", "goal: 4", 3, "no text"),
        ("goal: on(mug_1, counter_1)", "gaol: on(mug_1, counter_1)", 3, "did you mean goal?"),
        ("degree: 0.6", "degree: 6", 8, "in [0, 1]"),
        ("degree: 0.6", "degree: high", 8, "in [0, 1]"),
        ("degree: 0.6", "degre: 0.6", 8, "did you mean degree?"),
        ("say: come here", "say: 7", 14, "nothing is said"),
        ("say: come here", 'say: "come, {x}"', 14, "unexpected `,`"),
        ("say: come here", 'say: "come to {x}"', 14, "has the slot {x}"),
        ("say: come here", "say: tidy up the mug", 14, "two different goals"),
        ("say: come here", "say: please", 14, "says nothing"),
        ("say: come here", "say: come here\n    ask: Where?", 15, "only one goal"),
        ("say: come here", "say: [come here, [1]]", 14, "no sentence"),
        ("    goals:\n      - goal: not dirty(table_1)\n      - {goal: not dirty(counter_1), "
         "degree: 0.3}", "    goals: 3", 11, "no list"),
    ],
)  # fmt: skip
def test_faults_of_a_file_have_line_and_fix(tmp_path, old, new, line, fault):
    assert old in FILE
    with pytest.raises(DomainError) as caught:
        FileReader(write(tmp_path, FILE.replace(old, new, 1)))
    (first, *_) = [d for d in caught.value.diagnostics if fault in str(d)]
    assert first.line == line
    assert first.fix


def test_a_file_may_be_missing_or_no_yaml(tmp_path):
    with pytest.raises(DomainError, match="can't be read"):
        FileReader(tmp_path / "none.yaml")
    with pytest.raises(DomainError, match="tag"):
        FileReader(write(tmp_path, "readings: !!python/object/apply:os.system [ls]"))
