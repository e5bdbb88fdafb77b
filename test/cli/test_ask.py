# SPDX-License-Identifier: Apache-2.0
"""``fcp ask``: what is shown, asked and planned, and the exit codes."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from passing_time import let_time_pass
from scripted_reader import (
    BROKEN,
    CUP,
    CUP_GOAL,
    DOUBTED,
    MUG,
    NONSENSE,
    PARTLY,
    STRANGE,
    ScriptedReader,
)
from typer.testing import CliRunner

from fcp_ros.cli.exit_codes import BAD_INPUT, to_exit_code
from fcp_ros.cli.main import app
from fcp_ros.cli.plan.output import find_choice
from fcp_ros.language import cascade
from fcp_ros.planning import PlanStatus
from fcp_ros.planning import warm_up as warm_up_module

ASKED = to_exit_code(PlanStatus.NEEDS_CLARIFICATION)
SUPPORT = Path(__file__).parents[1] / "support"


@pytest.fixture
def fcp(monkeypatch):
    """Runs ``fcp ask`` with the scripted reader; returns exit code, output, errors."""
    rules = cascade.make_rules

    def run(*arguments, scripted=True):
        monkeypatch.setattr(cascade, "make_rules", ScriptedReader if scripted else rules)
        command = ["ask", *arguments, "--reader-model", ""]
        result = CliRunner().invoke(app, command, env={"COLUMNS": "200", "NO_COLOR": "1"})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return run


def test_a_sentence_is_shown_as_understood_and_planned(fcp):
    code, out, _ = fcp(CUP)
    assert code == 0
    for words in (
        "READ",
        "any mug",
        "A mug is on the counter.",
        f"goal: {CUP_GOAL}",
        "pick(robot_1",
    ):
        assert words in out
    assert out.index("A mug is on the counter.") < out.index("SOLVED")


def test_the_phrases_of_the_domain_are_read_by_default(fcp):
    code, out, _ = fcp("put the mug on the counter", scripted=False)
    assert code == 0
    assert "goal: on(mug_1, counter_1)" in out
    assert "place(robot_1, mug_1, counter_1" in out
    assert out.count("mug_1 is on counter_1") == 1, "a clear reading is paraphrased once"
    code, out, _ = fcp("blorp the frim", scripted=False)
    assert code == BAD_INPUT
    assert out.count("NOT_UNDERSTOOD") == 1
    assert "INVALID_REQUEST" not in out, "it is said once"


def test_reading_only_plans_nothing(fcp):
    code, out, _ = fcp(CUP, "--dry-run")
    assert code == 0
    assert CUP_GOAL in out
    assert "SOLVED" not in out


def test_json_has_interpretation_and_result(fcp):
    code, out, _ = fcp(CUP, "--json")
    assert code == 0
    answer = json.loads(out)
    reading = answer["interpretation"]["readings"][0]
    assert reading["goal"] == CUP_GOAL
    assert [word["role"] for word in reading["words"]] == ["ACTION", "THING", "FILLER", "THING"]
    assert answer["status"] == "SOLVED_OPTIMALLY"
    assert answer["plan"]["steps"]
    code, out, _ = fcp(CUP, "--json", "--reading-only")
    assert code == 0
    assert json.loads(out) == {"interpretation": answer["interpretation"]}


@pytest.mark.parametrize("more", [(), ("--reading-only",)])
def test_without_a_terminal_the_question_is_the_answer(fcp, more):
    code, out, _ = fcp(MUG, *more)
    assert code == ASKED
    for words in ("Where does the mug go?", "1  on the counter", "2  on the TV stand"):
        assert words in out
    assert "3  " not in out


@pytest.mark.parametrize("more", [(), ("--reading-only",)])
@pytest.mark.parametrize("instruction", [DOUBTED, PARTLY])
def test_what_is_not_plain_is_asked_about_and_not_planned(fcp, instruction, more):
    code, out, _ = fcp(instruction, *more)
    assert code == ASKED
    for words in ("Shall I see to this: mug_1 is on counter_1?", "1  yes", "2  no"):
        assert words in out
    assert "SOLVED" not in out
    assert "likely" in out or instruction != DOUBTED, "the level is shown"


@pytest.mark.parametrize(
    ("instruction", "status", "words"),
    [
        (NONSENSE, PlanStatus.INVALID_REQUEST, 'Not understood: "blorp", "frim".'),
        (STRANGE, PlanStatus.INVALID_REQUEST, "ask in English"),
        (BROKEN, PlanStatus.INTERNAL_ERROR, "The model did not answer"),
        ("", PlanStatus.INVALID_REQUEST, "Not in the script."),
    ],
)
def test_what_is_not_read_is_not_planned(fcp, instruction, status, words):
    for more in ((), ("--reading-only",)):
        code, out, _ = fcp(instruction, *more)
        assert code == to_exit_code(status)
        assert words in out


def test_bad_choices_are_refused_in_words(fcp):
    code, out, _ = fcp(CUP, "--speaker", "persn_1")
    assert code == BAD_INPUT
    assert "did you mean 'person_1'?" in out
    code, _, error = fcp(CUP, "--domain", "d.pddl")
    assert code == BAD_INPUT
    assert "no words to read" in error


def test_the_time_limit_holds_while_reading(fcp):
    code, out, _ = fcp(CUP, "--time-limit", "0.000001")
    assert code == to_exit_code(PlanStatus.TIMEOUT)
    assert "TIMEOUT" in out


@pytest.mark.parametrize(
    ("line", "choice"),
    [
        *[("1", 0), (" 2 \n", 1), ("3", None), ("0", None), ("no", 1), ("YES", 0), ("n", 1)],
        *[("", None), ("maybe", None), ("-1", None), ("²", None)],
    ],
)
def test_an_answer_is_a_number_or_the_beginning_of_a_choice(line, choice):
    assert find_choice(line, ("yes", "no")) == choice


def test_an_answer_that_fits_two_choices_is_none():
    assert find_choice("on the", ("on the counter", "on the TV stand")) is None
    assert find_choice("on the tv", ("on the counter", "on the TV stand")) == 1


CTRL_C = b"\x03"
PROGRAM = """
import sys
sys.path.insert(0, {support!r})
from scripted_reader import ScriptedReader
from fcp_ros.language import cascade
cascade.make_rules = ScriptedReader
from fcp_ros.cli.main import app
app({arguments!r})
"""


def converse(arguments, answers, timeout=100.0):
    """Run ``fcp ask`` on a terminal; give the answers as the questions come; return code, text."""
    master, slave = pty.openpty()
    program = PROGRAM.format(support=str(SUPPORT), arguments=["ask", *arguments])
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
    )
    os.close(slave)
    text, waiting, end = "", list(answers), time.monotonic() + timeout
    while time.monotonic() < end:
        if select.select([master], [], [], 0.1)[0]:
            try:
                text += os.read(master, 4096).decode(errors="replace")
            except OSError:  # the other side is closed: the process ended, and all is read
                break
        if waiting and waiting[0][0] in text:
            answer = waiting.pop(0)[1]
            if answer == CTRL_C:
                process.send_signal(signal.SIGINT)
            else:
                os.write(master, answer)
    code = process.wait(timeout)
    os.close(master)
    return code, text


def test_on_a_terminal_it_asks_and_plans_for_the_answer():
    answers = [("2  on the TV stand", b"9\n"), ("a number from 1 to 2", b"2\n")]
    code, text = converse([MUG, "--reader-model", ""], answers)
    assert code == 0, text
    assert "place(robot_1, mug_1, tv_stand_1" in text


def test_on_a_terminal_no_answer_counts_as_no():
    code, text = converse([MUG, "--reader-model", "", "--answer-timeout", "0.5"], [])
    assert code == ASKED, text
    assert "No answer." in text


def test_on_a_terminal_ctrl_c_ends_a_question():
    code, text = converse([MUG, "--reader-model", ""], [("2  on the TV stand", CTRL_C)])
    assert code == to_exit_code(PlanStatus.CANCELLED), text


def test_compiling_kernels_is_said_and_takes_no_time_of_the_request(fcp, monkeypatch):
    monkeypatch.setattr(warm_up_module, "are_kernels_compiled", lambda: False)
    monkeypatch.setattr(
        warm_up_module, "warm_up", lambda: let_time_pass(monkeypatch, 400.0) or 400.0
    )
    began = time.monotonic()
    code, out, err = fcp(CUP, "--time-limit", "30", "--json")
    assert time.monotonic() - began >= 400.0
    assert code == 0, (out, err)
    assert json.loads(out)["status"].startswith("SOLVED")
    assert "Compiling the search kernels" in err
    assert "compiled after 400 s" in err
    code, _, err = fcp(CUP, "--reading-only")
    assert code == 0
    assert "Compiling" not in err, "reading needs no kernels"
