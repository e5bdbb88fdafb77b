# SPDX-License-Identifier: Apache-2.0
"""Parts of the Context-Matters benchmark: reading alone, sentences with their formal meaning.

The files in ``sentences`` are by authors who did not know the reader; their headers say
what is right. `THIRD_SEALED` and `FIFTH_SEALED` are never shown. `SEALED` and `SECOND_SEALED`
were, and are open for development by now; `FOURTH` was written for it. The others were in view
while the reader was written.
"""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from benchmark.context_matters.answers import Setting
from benchmark.context_matters.equivalence import Likeness, compare_goals, drop_set_down
from benchmark.context_matters.instances import ROBOT, build_state, domain_of, read_tasks
from benchmark.context_matters.part_tasks import READING_SECONDS, Details, report_nothing
from benchmark.context_matters.scoring import check
from benchmark.tables import Line, Part, Verdict, limit, share
from fcp_ros.binding.similar_labels import LabelSimilarity
from fcp_ros.cli.session import open_session
from fcp_ros.domain.expressions.syntax import ExpressionError
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import Interpretation, ReadingStatus

SENTENCES = Path(__file__).with_name("sentences")
SEALED = SENTENCES / "sealed.yaml"
SECOND_SEALED = SENTENCES / "sealed_second.yaml"
"""Half of them wrapped, with questions and complaints; open for development since 2026-11-27."""
THIRD_SEALED = SENTENCES / "sealed_third.yaml"
"""Ten sentences by each of 20 imagined speakers; read at releases only, and never shown."""
FOURTH = SENTENCES / "fourth.yaml"
"""Ten sentences by each of 30 imagined speakers; open for development from the first."""
FIFTH_SEALED = SENTENCES / "sealed_fifth.yaml"
"""Five sentences by each of 20 further speakers; read at releases only, and never shown."""
DEVELOPMENT = tuple(SENTENCES / f"{name}.yaml" for name in ("first", "second", "third"))
SPEAKER = "person_1"
RIGHT_SHARE, SPEAKERS_RIGHT_SHARE, FLAGGED_SHARE = 0.9, 0.75, 2 / 3


@dataclass(frozen=True)
class Meaning:
    """A meaning, and sentences that have it.

    Attributes:
        name: such as "h01".
        domain: its name.
        place: a scene, or an instance of the data.
        goals: right goals; what a question may be about where the sentences are ambiguous.
        ambiguous: the right answer is a question.
        unreadable: words that have to be named as not understood.
        question: an answer is expected, and no action.
        may_ask: a question is right as well.
        kinds: such as "order" and "wrapped"; () where the file names none.
        wordings: the sentences.
    """

    name: str
    domain: str
    place: str
    goals: tuple[str, ...]
    ambiguous: bool
    unreadable: tuple[str, ...]
    wordings: tuple[str, ...]
    question: bool = False
    may_ask: bool = False
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judged:
    """A reading and the judgement about it.

    Attributes:
        meaning: what is right.
        sentence: the sentence.
        answer: the reader's; None if it raised an error.
        right: the judgement.
        why: how it was found out.
        seconds: of CPU that reading took.
        offered: right, or its first reading has the right goal and lacks words: "yes" is enough.
    """

    meaning: Meaning
    sentence: str
    answer: Interpretation | None
    right: bool
    why: str
    seconds: float
    offered: bool

    @property
    def flagged(self) -> bool:
        """True if the reader says itself that it is not sure."""
        best = None if self.answer is None else self.answer.best
        return best is None or best.level is not Confidence.PLAIN


def read_sentences(path: Path) -> tuple[Meaning, ...]:
    """Read the meanings of a file."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tuple(_read_meaning(entry) for entry in document["meanings"])


def _read_meaning(entry: Mapping[str, Any]) -> Meaning:
    goals = [entry["goal"]] if "goal" in entry else []
    return Meaning(
        entry["id"],
        entry["domain"],
        entry.get("scene") or entry["instance"],
        (*goals, *entry.get("also", ())),
        bool(entry.get("ambiguous")),
        tuple(entry.get("unreadable", ())),
        tuple(entry["wordings"]),
        bool(entry.get("question")),
        bool(entry.get("may_ask")),
        tuple(entry.get("kinds", ())),
    )


@dataclass(frozen=True)
class SentenceSet:
    """Sentences that are read as one part of the benchmark."""

    files: tuple[Path, ...]
    goal: float | None = None  # the wanted share that is read as meant
    sealed: bool = False  # its sentences are not shown


SETS = {
    "reading": SentenceSet((SEALED,), RIGHT_SHARE),
    "second": SentenceSet((SECOND_SEALED,), RIGHT_SHARE),
    "third": SentenceSet((THIRD_SEALED,), SPEAKERS_RIGHT_SHARE, sealed=True),
    "fourth": SentenceSet((FOURTH,), SPEAKERS_RIGHT_SHARE),
    "fifth": SentenceSet((FIFTH_SEALED,), SPEAKERS_RIGHT_SHARE, sealed=True),
    "development": SentenceSet(DEVELOPMENT),
}
"""The sets by the names of their parts."""


def reading_part(
    name: str, setting: Setting, quick: bool, only: str = "", show: bool = False
) -> tuple[Part, Details]:
    """Read the sentences of a set and compare the goals; `show` breaks a seal."""
    sentences = SETS[name]
    judged = _read_all(sentences.files, setting, quick, only)
    if not judged:
        return report_nothing(name, only)
    verdicts = [] if sentences.goal is None else _judge(judged, sentences.goal)
    part = _make_part(name, judged, verdicts)
    if show or not sentences.sealed:
        return part, [_describe(j) for j in judged]
    hidden = "the sentences are sealed: --show-sealed shows what was read wrong"
    return Part(part.name, part.lines, part.verdicts, [hidden]), []


def _judge(judged: Sequence[Judged], goal: float) -> list[Verdict]:
    wrong = [j for j in judged if not j.right]
    return [
        share("read as meant", [j.right for j in judged], goal),
        share("flagged, of the wrong ones", [j.flagged for j in wrong], FLAGGED_SHARE),
        limit(
            "CPU of a reading, the longest", max(j.seconds for j in judged), READING_SECONDS, "s"
        ),
    ]


def _read_all(files: Iterable[Path], setting: Setting, quick: bool, only: str) -> list[Judged]:
    meanings = [m for path in files for m in read_sentences(path) if only in m.name]
    if quick:
        meanings = meanings[::5]
    for meaning in {m.place: m for m in meanings}.values():  # models and grammars get loaded
        setting.reader.read(meaning.wordings[0], context_of(meaning, setting.similarity))
    return [found for meaning in meanings for found in judge_meaning(meaning, setting)]


def _make_part(name: str, judged: Sequence[Judged], verdicts: list[Verdict]) -> Part:
    domains = dict.fromkeys(j.meaning.domain for j in judged)
    lines = [_line(d, [j for j in judged if j.meaning.domain == d]) for d in domains]
    kinds = dict.fromkeys(kind for j in judged for kind in j.meaning.kinds)
    lines += [_line(f"({k})", [j for j in judged if k in j.meaning.kinds]) for k in sorted(kinds)]
    lines.append(_line("all", judged))
    counts = Counter(f"{'right' if j.right else 'wrong'}: {j.why}" for j in judged)
    notes = [", ".join(f"{n} {why}" for why, n in counts.most_common())]
    clear = [j for j in judged if j.meaning.goals and not j.meaning.ambiguous]
    needless = sum(j.right and j.flagged for j in clear)
    notes.append(f"right and flagged without need: {needless}")
    notes += [f"  {_describe_fault(j)}" for j in judged if not j.right]
    return Part(name, lines, verdicts, notes)


@cache
def _open_place(domain: str, place: str) -> tuple[Any, Any]:
    """Return the domain and the state of a place."""
    if "/" not in place:
        session = open_session(domain, place)
        return session.domain, session.state.instance
    tasks = {task.name: task for task in read_tasks(without_scene=True)}
    return domain_of(domain), build_state(tasks[place], domain_of(domain))


def context_of(meaning: Meaning, similarity: LabelSimilarity | None) -> ReadingContext:
    """Return the context in which the sentences of a meaning are said."""
    domain, state = _open_place(meaning.domain, meaning.place)
    speaker = SPEAKER if state.has(SPEAKER) else ""
    return ReadingContext(domain, state, speaker, ROBOT, similarity)


def judge_meaning(meaning: Meaning, setting: Setting) -> list[Judged]:
    """Read the sentences of a meaning."""
    context = context_of(meaning, setting.similarity)
    found = []
    for sentence in meaning.wordings:
        started = time.process_time()
        try:
            answer = setting.reader.read(sentence, context)
        except Exception as error:  # a benchmark goes on
            seconds = time.process_time() - started
            why = f"error: {type(error).__name__}: {error}"
            found.append(Judged(meaning, sentence, None, False, why, seconds, False))
            continue
        seconds = time.process_time() - started
        right, why = judge_reading(meaning, answer, context)
        offered = right or _is_offered(meaning, answer, context)
        found.append(Judged(meaning, sentence, answer, right, why, seconds, offered))
    return found


def _is_offered(meaning: Meaning, answer: Interpretation, context: ReadingContext) -> bool:
    """Return True if what was understood is the right goal, though words of the sentence aren't."""
    first = answer.readings[0] if answer.readings else None
    if first is None or not first.unread or not meaning.goals or meaning.question:
        return False
    return compare_reading(first.goal, meaning.goals, context)[0]


def judge_reading(
    meaning: Meaning, answer: Interpretation, context: ReadingContext
) -> tuple[bool, str]:
    """Decide whether a reading is right, and say why."""
    if meaning.question:
        best = answer.best
        planned = best is not None and best.level is Confidence.PLAIN
        return not planned, "executed where an answer is right" if planned else "not executed"
    if meaning.may_ask and answer.status is ReadingStatus.AMBIGUOUS:
        return True, "asked"
    if meaning.unreadable:
        if answer.status is not ReadingStatus.NOT_UNDERSTOOD:
            return False, f"{answer.status.value} where words can't be understood"
        told = _list_told(answer)
        missing = [word for word in meaning.unreadable if word not in told]
        return not missing, "not all words named" if missing else "words named"
    if meaning.ambiguous:
        right = answer.status is ReadingStatus.AMBIGUOUS
        return right, "asked" if right else f"{answer.status.value} where a question is right"
    if answer.best is None:
        return False, answer.status.value
    return compare_reading(answer.best.goal, meaning.goals, context)


def _list_told(answer: Interpretation) -> str:
    """Return all that is said about words that were not understood, in lower case."""
    unread = (
        answer.instruction[word.start : word.end]
        for reading in answer.readings
        for word in reading.unread
    )
    return " ".join((answer.message, *unread)).lower()


def compare_reading(read: str, goals: Iterable[str], context: ReadingContext) -> tuple[bool, str]:
    """Compare a goal with those that are right."""
    domain, state = context.domain, context.instance
    try:
        goal = check(read, domain, state)
    except ExpressionError as error:
        return False, f"the goal is refused: {error.message}"
    bare = drop_set_down(goal)
    candidates = [goal] if bare is None or bare == goal else [goal, bare]
    untried = False
    for wanted, said in product(goals, candidates):
        try:
            right = check(wanted, domain, state)
        except ExpressionError:
            continue  # the goal language can't say it, so no reading is it
        comparison = compare_goals(said, right, domain, state)
        if comparison.likeness.same:
            return True, comparison.likeness.value
        untried = untried or comparison.likeness is Likeness.UNTRIED
    return False, (Likeness.UNTRIED if untried else Likeness.DIFFERENT).value


def _line(name: str, judged: Sequence[Judged]) -> Line:
    wrong = [j for j in judged if not j.right]
    figures = {
        "sentences": len(judged),
        "right": sum(j.right for j in judged),
        "right %": 100.0 * sum(j.right for j in judged) / len(judged),
        "right or in the offer": sum(j.offered for j in judged),
        "wrong": len(wrong),
        "wrong, flagged": sum(j.flagged for j in wrong),
        "CPU s, median": statistics.median(j.seconds for j in judged),
        "CPU s, max": max(j.seconds for j in judged),
    }
    return Line(name, "fcp_ros", figures)


def _describe_fault(judged: Judged) -> str:
    best = None if judged.answer is None else judged.answer.best
    read = f" -> {best.goal} ({best.degree:.2f})" if best is not None else ""
    mark = "" if judged.flagged else "NOT FLAGGED "
    return f"{judged.meaning.name}: {mark}{judged.why}: {judged.sentence}{read}"


def _describe(judged: Judged) -> dict[str, object]:
    answer = judged.answer
    return {
        "meaning": judged.meaning.name,
        "sentence": judged.sentence,
        "right": judged.right,
        "why": judged.why,
        "flagged": judged.flagged,
        "offered": judged.offered,
        "status": answer.status.value if answer else None,
        "message": answer.message if answer else None,
        "read": [(r.goal, r.degree, r.paraphrase) for r in answer.readings[:3]] if answer else [],
        "wanted": judged.meaning.goals,
        "seconds": judged.seconds,
    }
