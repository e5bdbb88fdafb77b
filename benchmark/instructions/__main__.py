# SPDX-License-Identifier: Apache-2.0
"""People's instructions: how many are understood, flagged or wrong; one table.

    python -m benchmark.instructions [--quick] [--model FILE] [--json FILE]

The language model behind the reader is the package's own one, if it was fetched, or a file of `fcp
language train-writer`; "" for none. Exit status 1 if a goal is missed. To add rows, write a
function that returns `Verdict`s, and list it in `PARTS`.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmark.instructions.alfred import (
    DATA,
    AlfredTask,
    Facts,
    FloorPlans,
    alfred_domain,
    is_development,
    is_same_goal,
    is_wider_goal,
    list_facts,
    read_tasks,
)
from benchmark.instructions.gpsr import REFUSED, GpsrCommand, read_commands, score
from benchmark.tables import Line, Part, Verdict, limit, share, show_part, show_verdicts, write_json
from fcp_ros.cset import Instance
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.cascade import TUNED, ReaderOptions, make_reader
from fcp_ros.language.reader import InstructionReader, ReadingContext
from fcp_ros.language.reading import ReadingStatus

QUICK_TASKS = 60
READER = "domain"
RIGHT, WRONG, READ = 0.76, 0.03, 0.030
"""Goals: share of sentences right, of sentences wrong without a flag, and the median time in s."""
GPSR_RIGHT = 0.87
MEMORY = 350
"""Goal for the memory of the process, MiB."""
PLAIN = 0.7
"""A reading of a lower degree is a question, not a plan."""


@dataclass(frozen=True)
class Setting:
    """The choices of a run: the language model behind the reader, and True for few tasks."""

    model: str
    quick: bool


@dataclass(frozen=True)
class Answer:
    """A reading of a sentence as facts; `flagged` for a question, a doubt or a refusal."""

    facts: Facts
    flagged: bool


Read = Callable[[str], Answer]


def make_read(
    reader: InstructionReader, instance: Instance, similarity: EmbeddingLabelSimilarity
) -> Read:
    """Make a function that reads sentences in a state of ALFRED's domain."""
    context = ReadingContext(alfred_domain(), instance, similarity=similarity)

    def read(sentence: str) -> Answer:
        answer = reader.read(sentence, context)
        found = [list_facts(one.goal, instance) for one in answer.readings]
        first = found[0] if found else frozenset()
        sure = bool(found) and answer.readings[0].degree >= PLAIN
        # which of several equal things is meant is no question that ALFRED's goals answer; what a
        # model made of the words is always asked about
        same = answer.status is ReadingStatus.AMBIGUOUS and len(set(found)) == 1
        sure = sure and answer.reader == READER
        return Answer(first, not (sure and (same or answer.best is not None)))

    return read


def measure_alfred(setting: Setting) -> Part:
    """Measure goals read from the sentences of ALFRED's development floor plans."""
    tasks = read_tasks()
    plans = FloorPlans(tasks)
    chosen: Sequence[AlfredTask] = [t for t in tasks if is_development(t.floor_plan)]
    if setting.quick:
        chosen = random.Random(0).sample(chosen, QUICK_TASKS)
    reader = make_reader(ReaderOptions(model=setting.model))
    similarity = EmbeddingLabelSimilarity()  # one for all: each has an encoder of its own
    counts: dict[str, Counter[str]] = {}
    seconds = []
    wider = 0
    for task in chosen:
        read = make_read(reader, plans.build(task), similarity)
        for sentence in task.sentences:
            start = time.process_time()
            answer = read(sentence)
            seconds.append(time.process_time() - start)
            right = is_same_goal(task.goal, answer.facts)
            kind = ("right" if right else "wrong") + (", flagged" if answer.flagged else "")
            counts.setdefault(task.kind, Counter())[kind] += 1
            wider += kind == "wrong" and is_wider_goal(task.goal, answer.facts)
    lines = [
        Line(name, READER, {"sentences": c.total(), **dict(sorted(c.items()))})
        for name, c in sorted(counts.items())
    ]
    every = sum(counts.values(), Counter[str]())
    right = (every["right"] + every["right, flagged"]) / every.total()
    plain = every["right"] / every.total()
    wrong = every["wrong"] / every.total()
    median = statistics.median(seconds)
    return Part(
        "ALFRED, development floor plans",
        lines,
        [
            _reach("ALFRED: goal of the first reading right", right, RIGHT),
            Verdict("ALFRED: right and not flagged", f"{plain:.1%}", "told only", None),
            _stay_below("ALFRED: wrong and not flagged", wrong, WRONG),
            Verdict(
                'of these, wider than ALFRED\'s ("a table" for one of several kinds)',
                f"{wider / every.total():.1%}",
                "told only",
                None,
            ),
            limit("reading, median of CPU time", 1000 * median, 1000 * READ, "ms"),
        ],
        [f"{len(chosen)} tasks, {every.total()} sentences"],
    )


def measure_gpsr(setting: Setting) -> Part:
    """Measure what GPSR's paraphrases are taken for; no row of theirs was trained on."""
    commands: Sequence[GpsrCommand] = read_commands(DATA)
    if setting.quick:
        commands = random.Random(0).sample(commands, QUICK_TASKS)
    reader = make_reader(ReaderOptions(model=setting.model))
    found = score(commands, reader, EmbeddingLabelSimilarity())
    planned = [got == command.demand for command, got in found if command.demand != REFUSED]
    refused = [got == REFUSED for command, got in found if command.demand == REFUSED]
    wrong = Counter(f"{c.demand} taken for {got}" for c, got in found if got != c.demand)
    return Part(
        "GPSR paraphrases",
        [Line(name, READER, {"sentences": n}) for name, n in wrong.most_common()],
        [
            share("GPSR: demand right, commands that can be planned", planned, GPSR_RIGHT),
            share("GPSR: the rest refused", refused, GPSR_RIGHT),
        ],
    )


def measure_memory(setting: Setting) -> Part:
    """Measure the memory of a process that reads one sentence and has no other data."""
    code = _ONE_SENTENCE.format(model=setting.model)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    peak = int(done.stdout.split()[-1]) / 1024
    return Part("resources", [], [limit("memory, peak of a reader", peak, MEMORY, "MiB")])


_ONE_SENTENCE = """
from pathlib import Path
from benchmark.instructions.__main__ import make_read
from benchmark.instructions.alfred import AlfredTask, FloorPlans
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.cascade import TUNED, ReaderOptions, make_reader
task = AlfredTask("t", "", 1, (), frozenset(), {{"apple": 1}}, (), ("fridge",), (), ())
reader = make_reader(ReaderOptions(model={model!r}))
read = make_read(reader, FloorPlans([task]).build(task), EmbeddingLabelSimilarity())
read("Put an apple into the fridge.")
lines = Path("/proc/self/status").read_text().splitlines()  # ru_maxrss counts the parent, too
print(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


def _reach(what: str, value: float, goal: float) -> Verdict:
    return Verdict(what, f"{value:.1%}", f"at least {goal:.0%}", value >= goal)


def _stay_below(what: str, value: float, goal: float) -> Verdict:
    return Verdict(what, f"{value:.1%}", f"below {goal:.0%}", value < goal)


PARTS: tuple[Callable[[Setting], Part], ...] = (measure_alfred, measure_gpsr, measure_memory)


def main() -> int:
    """Measure all parts, and print one table of the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=TUNED)
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_TASKS} tasks of ALFRED and commands of GPSR"
    )
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    setting = Setting(arguments.model, arguments.quick)
    console = Console()
    parts = [measure(setting) for measure in PARTS]
    for part in parts:
        show_part(part, console)
    show_verdicts(parts, console)
    if arguments.json:
        write_json(parts, {"model": arguments.model}, arguments.json)
    missed = [v for part in parts for v in part.verdicts if v.met is False]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
