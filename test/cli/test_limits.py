# SPDX-License-Identifier: Apache-2.0
"""Limits of ``fcp plan`` in a process of its own: Ctrl-C, time and memory, in every phase."""

import itertools
import json
import math
import os
import pty
import resource
import signal
import subprocess
import sys
import time

import pytest

from fcp_ros.cli.plan.output import describe_progress, make_display
from fcp_ros.cli.terminal import show_line
from fcp_ros.planning import BestPlan, Phase, Progress

DELIVERY = """(define (domain delivery) (:requirements :typing :action-costs)
 (:types van parcel place)
 (:predicates (road ?a ?b - place) (at ?v - van ?a - place) (lies ?p - parcel ?a - place)
  (inside ?p - parcel ?v - van))
 (:functions (length ?a ?b - place) - number (total-cost) - number)
 (:action drive :parameters (?v - van ?a ?b - place)
  :precondition (and (at ?v ?a) (road ?a ?b))
  :effect (and (not (at ?v ?a)) (at ?v ?b) (increase (total-cost) (length ?a ?b))))
 (:action load :parameters (?v - van ?p - parcel ?a - place)
  :precondition (and (at ?v ?a) (lies ?p ?a))
  :effect (and (not (lies ?p ?a)) (inside ?p ?v) (increase (total-cost) 1)))
 (:action unload :parameters (?v - van ?p - parcel ?a - place)
  :precondition (and (at ?v ?a) (inside ?p ?v))
  :effect (and (not (inside ?p ?v)) (lies ?p ?a) (increase (total-cost) 1))))"""


def delivery(parcels, places=12):
    """A plan is found at once, and the proof that it is the best one takes for ever."""
    roads = [(a, (a + step) % places) for a in range(places) for step in (1, 5, places - 1)]
    facts = [f"(road p{a} p{b}) (= (length p{a} p{b}) {1 + (a * b) % 7})" for a, b in roads]
    facts += [f"(at v{v} p{v})" for v in range(3)]
    facts += [f"(lies c{c} p{c * 7 % places})" for c in range(parcels)]
    goal = [f"(lies c{c} p{(c * 5 + 3) % places})" for c in range(min(parcels, 40))]
    names = {"van": "v", "parcel": "c", "place": "p"}
    sizes = {"van": 3, "parcel": parcels, "place": places}
    objects = [
        f"{' '.join(f'{letter}{n}' for n in range(sizes[kind]))} - {kind}"
        for kind, letter in names.items()
    ]
    return (
        f"(define (problem p) (:domain delivery) (:objects {' '.join(objects)})\n"
        f"(:init (= (total-cost) 0) {' '.join(facts)})\n"
        f"(:goal (and {' '.join(goal)})) (:metric minimize (total-cost)))"
    )


WALK = """(define (domain walk) (:requirements :typing) (:types place)
 (:predicates (at ?a - place) (next ?a ?b - place))
 (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (next ?a ?b))
  :effect (and (not (at ?a)) (at ?b))))"""


def corridor(length):
    """The only plan has as many steps as the corridor has places."""
    places = [f"p{n}" for n in range(length + 1)]
    facts = [f"(next {a} {b})" for a, b in itertools.pairwise(places)]
    return (
        f"(define (problem c) (:domain walk) (:objects {' '.join(places)} - place)\n"
        f"(:init (at p0) {' '.join(facts)}) (:goal (at p{length})))"
    )


@pytest.fixture
def start(tmp_path):
    """Starts ``fcp plan`` on a delivery."""
    running = []

    def start(problem, *arguments, domain=DELIVERY, stderr=subprocess.PIPE):
        (tmp_path / "d.pddl").write_text(domain)
        (tmp_path / "p.pddl").write_text(problem)
        files = ("--domain", str(tmp_path / "d.pddl"), "--scene", str(tmp_path / "p.pddl"))
        command = (sys.executable, "-m", "fcp_ros.cli.main", "plan", *files, *arguments)
        # Without a buffer, Python 3.11 loses what a signal keeps from a full pipe.
        left_out = {"PYTHONUNBUFFERED", "COLUMNS", "LINES"}
        env = {name: text for name, text in os.environ.items() if name not in left_out}
        env["TERM"] = "xterm"  # a dumb terminal, as that of some servers, has no live line
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.communicate()


def wait_for_command(process):
    """Wait until the command handles signals: its imports are done then."""
    end = time.monotonic() + 60.0
    while time.monotonic() < end:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            caught = next(line for line in status if line.startswith("SigCgt"))
        if int(caught.split()[1], 16) >> (signal.SIGALRM - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("the command did not start")


PROMPT = 2.0
"""CPU time (s) for the end of a command; some 0.1 s where nothing else runs."""


def used_seconds(process):
    """CPU time of a process so far: the machine may be busy with other work."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def press_ctrl_c(process):
    """Send SIGINT; return exit code, output and the CPU time (s) that it took to end."""
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = used_seconds(process)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60.0)
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole = now.ru_utime + now.ru_stime - others.ru_utime - others.ru_stime
    return process.returncode, output, whole - used


def test_ctrl_c_while_files_are_read(start):
    process = start(delivery(3000, 200), "--json")
    wait_for_command(process)
    code, output, took = press_ctrl_c(process)
    assert code == 15
    assert json.loads(output)["status"] == "CANCELLED"
    assert took < PROMPT


def test_ctrl_c_prints_the_best_plan_so_far(start):
    process = start(delivery(9), "--improve-time", "500", "--time-limit", "500")
    for line in process.stderr:
        if "best so far" in line:
            break
    code, output, took = press_ctrl_c(process)
    assert code == 15
    assert "CANCELLED" in output
    assert "unload" in output
    assert took < PROMPT
    for word in ("search", " s, ", "expansions", "steps", "membership"):
        assert word in line


def test_ctrl_c_while_a_plan_is_verified(start):
    terminal, end = pty.openpty()  # there progress is shown at once
    process = start(corridor(1500), "--time-limit", "500", domain=WALK, stderr=end)
    os.close(end)
    shown = ""
    while "verify" not in shown or "best so far" not in shown.rpartition("verify")[2]:
        shown = (shown + os.read(terminal, 4096).decode(errors="replace"))[-8192:]
    code, output, took = press_ctrl_c(process)
    os.close(terminal)
    assert code == 15
    assert "CANCELLED Cancelled by the caller during verify." in output
    assert took < PROMPT


def test_ctrl_c_while_the_answer_is_printed(start):
    process = start(corridor(400), "--json", domain=WALK)
    # The answer is longer than what a pipe takes, so the process waits for its reader.
    first = os.read(process.stdout.fileno(), 1).decode()
    code, output, took = press_ctrl_c(process)
    assert code == 15
    assert len(json.loads(first + output)["plan"]["steps"]) == 400
    assert took < PROMPT


def test_the_time_limit_begins_with_the_first_byte(start):
    process = start(delivery(40_000, 400), "--json", "--time-limit", "0.2")
    output, errors = process.communicate(timeout=100.0)
    assert process.returncode == 13, output
    answer = json.loads(output)
    assert answer["status"] == "TIMEOUT"
    assert "0.2 s" in answer["message"]
    assert "parse" in answer["message"]
    assert errors == ""


@pytest.mark.parametrize(
    ("parcels", "limit", "phase"), [(12, 150, "search"), (40_000, 20, "parse")]
)
def test_the_memory_limit_is_one_of_the_process(start, parcels, limit, phase):
    """Growth is measured by what the kernel reports; libraries that are loaded count, too."""
    limits = ("--memory-limit", str(limit), "--time-limit", "500", "--algorithm", "astar")
    process = start(delivery(parcels, 40), "--json", "--heuristic", "blind", *limits)
    wait_for_command(process)
    base, peak = read_memory(process, "VmRSS"), 0.0
    while process.poll() is None:
        peak = max(peak, read_memory(process, "VmHWM"))
        time.sleep(0.005)
    output, errors = process.communicate()
    assert errors == ""
    answer = json.loads(output)
    if answer["plan"] is None:
        assert process.returncode == 14
        assert answer["status"] == "MEMOUT"
    assert f"{limit} MiB was reached during {phase}" in answer["message"]
    assert peak - base < limit + 15


def test_a_terminal_that_can_not_overwrite_gets_lines_now_and_then(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes any stream for a terminal
    monkeypatch.setenv("TERM", "dumb")
    with show_line(quiet=False) as line:
        for elapsed in (1.0, 6.0, 7.0):
            make_display(line)(Progress(Phase.SEARCH, 5, elapsed))
    assert capsys.readouterr().err.splitlines() == ["search 6.0 s, 5 expansions, no plan yet"]


def test_progress_is_one_line():
    first = Progress(Phase.COMPILE, 0, 0.25)
    assert describe_progress(first) == "compile 0.2 s, no plan yet"
    cheap = Progress(Phase.SEARCH, 12_034, 3.14, BestPlan(1.0, 23, 120.0), 1.0, 90.0)
    assert describe_progress(cheap) == (
        "search 3.1 s, 12,034 expansions, best so far 23 steps, cost 120, membership 1.00, "
        "cost at least 90 (gap 25%)"
    )
    graded = Progress(Phase.SEARCH, 5, 1.0, BestPlan(0.7, 1, 1.0), 0.9)
    assert describe_progress(graded) == (
        "search 1.0 s, 5 expansions, best so far 1 step, membership 0.70, "
        "membership at most 0.90 (gap 0.20)"
    )
    part = Progress(Phase.SEARCH, 5, 1.0, BestPlan(1.0, 3, 3.0, 4), left_out_bound=2)
    assert describe_progress(part) == (
        "search 1.0 s, 5 expansions, best so far 3 steps, 4 parts left out, membership 1.00, "
        "at least 2 left out (gap 2)"
    )


def test_gaps_are_those_between_plan_and_bound():
    none = Progress(Phase.SEARCH)
    assert math.isnan(none.membership_gap)
    assert math.isnan(none.cost_gap)
    some = Progress(Phase.SEARCH, best=BestPlan(0.7, 3, 8.0), membership_bound=0.9, cost_bound=6.0)
    assert some.membership_gap == pytest.approx(0.2)
    assert some.cost_gap == 0.25
    free = Progress(Phase.SEARCH, best=BestPlan(1.0, 0, 0.0), cost_bound=1.0)
    assert (free.membership_gap, free.cost_gap) == (0.0, 0.0)


def read_memory(process, field):
    """Read a figure about the memory of a process (MiB); 0 if it has ended."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
            return next((int(x.split()[1]) / 1024 for x in status if x.startswith(field)), 0.0)
    except OSError:
        return 0.0
