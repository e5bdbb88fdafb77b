# SPDX-License-Identifier: Apache-2.0
"""An oracle behind its levels: asked known questions once, refused, warned of, or mapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fcp_ros.domain.model import Anchor, GradedPredicate, Rubric
from fcp_ros.grounding import (
    CalibrationStore,
    Grounder,
    GroundingCode,
    GroundingError,
    GroundingOptions,
    JudgementCache,
    JudgementRequest,
    LanguageModelOptions,
    LevelSource,
    Membership,
)
from fcp_ros.grounding.judged.known_answers import KnownAnswers
from fcp_ros.grounding.language_model.oracle import CausalLmOracle
from fcp_ros.grounding.levels.oracle import JUDGEMENTS, LevelledOracle
from fcp_ros.grounding.protocol.oracle import Answer
from fcp_ros.grounding.registry import make_oracle

Score = Callable[[str, str], float | GroundingError]
OPTIONS = LanguageModelOptions(levels=LevelSource.JUDGEMENTS)
LOW, HIGH = ("stone", "cloud", "fork", "song", "shoe"), ("cup", "glass", "bowl", "can", "pot")


def squeeze(item: str, _purpose: str) -> float:
    """A model that knows everything and puts it between 0.5 and 0.85."""
    return 0.5 + 0.35 * know(item)


def know(item: str) -> float:
    """What the judgements below say: the number in the name, in percent."""
    digits = "".join(filter(str.isdigit, item))
    return int(digits) / 100 if digits else float(item in HIGH)


class Scorer:
    """Scores questions by a function, and remembers them."""

    name = "causal_lm"
    model = "a model@1"
    mode = "exact"
    is_loaded = True
    notes = ("a remark",)

    def __init__(self, score: Score) -> None:
        self._score = score
        self.asked: list[str] = []
        self.closed = False

    def judge_each(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Answer]:
        answers: list[Answer] = []
        for request in requests:
            item, purpose = (argument.words for argument in request.arguments)
            self.asked.append(item)
            score = self._score(item, purpose)
            answers.append(
                Membership(score, score, source=self.name, model=self.model, note="plain")
                if isinstance(score, float)
                else score
            )
        return answers

    def judge(
        self, predicate: GradedPredicate, requests: Sequence[JudgementRequest]
    ) -> list[Membership]:
        raise AssertionError("one error costs the whole batch")

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def predicate(make_predicate: Any) -> GradedPredicate:
    anchors = (
        Anchor(0, "Useless.", tuple((word, "drinking") for word in LOW)),
        Anchor(100, "Made for it.", tuple((word, "drinking") for word in HIGH)),
    )
    rubric = Rubric(question="How well does {item} serve for {purpose}?", anchors=anchors)
    made: GradedPredicate = make_predicate(rubric=rubric, judged_like="function")
    return made


@pytest.fixture(scope="module")
def judgements(tmp_path_factory: Any) -> Path:
    """250 judgements of as many kinds of thing; the degree is in the name."""
    folder: Path = tmp_path_factory.mktemp("judgements")
    rows = [f"thing {n % 101} k{'abcdefghij'[n % 10]}{'lmnopqrstuvwxyz'[n // 17 % 15]}x,drinking,"
            f"{n % 101 / 100}" for n in range(250)]  # fmt: skip
    unique = dict.fromkeys(rows)
    (folder / "function.csv").write_text("\n".join(["item,purpose,degree", *unique]) + "\n")
    return folder


def ask(
    oracle: LevelledOracle, predicate: GradedPredicate, request: Any, *items: str
) -> list[Answer]:
    return oracle.judge_each(predicate, [request(item, "drinking") for item in items])


def test_answers_are_mapped_and_say_so(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    scorer = Scorer(squeeze)
    oracle = LevelledOracle(scorer, OPTIONS, judgements)
    low, high = ask(oracle, predicate, request_of, "thing 10 new", "thing 90 new")
    assert isinstance(low, Membership)
    assert isinstance(high, Membership)
    assert low.degree == low.prior == pytest.approx(0.1, abs=0.1)
    assert high.degree == pytest.approx(0.9, abs=0.1)
    assert "plain; level 0.54 -> " in low.note
    assert f"learned from {JUDGEMENTS} judgements" in low.note
    assert f"; {JUDGEMENTS + 10} known questions were asked first, which took" in low.note
    (again,) = ask(oracle, predicate, request_of, "thing 10 new")
    assert isinstance(again, Membership)
    assert "known questions were" not in again.note
    assert again.degree == low.degree
    assert low.uncertainty == pytest.approx(0.0, abs=0.1)
    assert (oracle.name, oracle.model, oracle.is_loaded) == ("causal_lm", "a model@1", True)
    assert oracle.notes == ("a remark",)
    oracle.close()
    assert scorer.closed


def test_examples_alone_where_no_judgements_are_wanted(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    options = replace(OPTIONS, levels=LevelSource.EXAMPLES)
    for asked, chosen in ((predicate, options), (replace(predicate, judged_like=""), OPTIONS)):
        scorer = Scorer(squeeze)
        (answer,) = ask(LevelledOracle(scorer, chosen, judgements), asked, request_of, "cup")
        assert isinstance(answer, Membership)
        assert scorer.asked[:-1] == [*LOW[::2], *HIGH[::2], *LOW[1::2], *HIGH[1::2]]
        assert "10 examples" in answer.note
        assert answer.uncertainty is None


def test_a_set_that_nobody_judged_leaves_the_examples(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    scorer = Scorer(squeeze)
    other = replace(predicate, judged_like="taste")
    ask(LevelledOracle(scorer, OPTIONS, judgements), other, request_of, "cup")
    assert len(scorer.asked) == 11


def test_known_questions_are_asked_once_and_kept_in_the_cache(
    predicate: GradedPredicate, judgements: Path, request_of: Any, tmp_path: Path
) -> None:
    def open_cache() -> JudgementCache:
        return JudgementCache(tmp_path / "cache.sqlite")

    known = JUDGEMENTS + len(LOW + HIGH)
    scorer = Scorer(squeeze)
    oracle = LevelledOracle(scorer, OPTIONS, judgements, open_cache)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda n: ask(oracle, predicate, request_of, "cup"), range(8)))
    assert len(scorer.asked) == known + 8
    plain = [[replace(answer, note="") for answer in found] for found in answers]
    assert all(found == plain[0] for found in plain)
    oracle.close()
    scorer = Scorer(squeeze)
    again = LevelledOracle(scorer, OPTIONS, judgements, open_cache)
    assert [replace(a, note="") for a in ask(again, predicate, request_of, "cup")] == plain[0]
    assert scorer.asked == ["cup"]
    changed = replace(predicate, rubric=replace(predicate.rubric, factors=("size",)))
    ask(again, changed, request_of, "cup")
    assert len(scorer.asked) == 1 + known + 1, "another rubric, other levels"
    again.close()


def test_a_model_that_can_not_tell_0_from_100_is_refused_with_the_figure(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    oracle = LevelledOracle(Scorer(lambda *_: 0.4), OPTIONS, judgements)
    for answer in ask(oracle, predicate, request_of, "cup", "fork"):
        assert isinstance(answer, GroundingError)
        assert answer.code is GroundingCode.NO_ANSWER
        for words in ("can't tell", "calls 100 from what it calls 0", "50% of such pairs", "use a"):
            assert words in answer.sentence
    assert "can't tell" in oracle.notes[-1]
    easy = replace(OPTIONS, least_area=0.0)
    allowed = LevelledOracle(Scorer(lambda *_: 0.4), easy, judgements)
    (answer,) = ask(allowed, predicate, request_of, "cup")
    assert isinstance(answer, Membership)
    assert "hardly tells" in allowed.notes[-1]


def test_a_model_that_hardly_tells_is_warned_of(
    predicate: GradedPredicate, judgements: Path, request_of: Any, caplog: Any
) -> None:
    scores = dict(
        zip((*LOW, *HIGH), (0.1, 0.1, 0.7, 0.1, 0.7, 0.5, 0.5, 0.5, 0.6, 0.8), strict=True)
    )
    oracle = LevelledOracle(Scorer(lambda item, _: scores.get(item, 0.5)), OPTIONS, judgements)
    (answer,) = ask(oracle, predicate, request_of, "lid")
    assert isinstance(answer, Membership)
    assert "hardly tells" in oracle.notes[-1]
    assert "68% of such pairs" in caplog.text


def test_known_questions_without_a_score_are_left_out(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    silent = GroundingError(GroundingCode.NO_ANSWER, "no score")
    oracle = LevelledOracle(Scorer(lambda *_: silent), OPTIONS, judgements)
    assert ask(oracle, predicate, request_of, "cup") == [silent]
    assert oracle.notes == ("a remark",)


def test_a_failure_while_known_questions_are_asked_is_no_verdict(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    down: list[GroundingError] = [GroundingError(GroundingCode.MODEL_FAILED, "no memory")]
    scorer = Scorer(lambda item, purpose: down[0] if down else squeeze(item, purpose))
    oracle = LevelledOracle(scorer, OPTIONS, judgements)
    with pytest.raises(GroundingError, match="no memory"):
        ask(oracle, predicate, request_of, "cup")
    down.clear()
    (answer,) = ask(oracle, predicate, request_of, "cup")
    assert isinstance(answer, Membership)
    assert "learned from" in answer.note


def test_the_mode_says_all_that_changes_an_answer(judgements: Path, tmp_path: Path) -> None:
    (tmp_path / "function.csv").write_text("item,purpose,degree\ncup,drinking,1\n")
    examples = replace(OPTIONS, levels=LevelSource.EXAMPLES)
    modes = [
        LevelledOracle(Scorer(squeeze), options, folder).mode
        for options, folder in (
            (OPTIONS, judgements),
            (OPTIONS, tmp_path),
            (examples, judgements),
            (replace(OPTIONS, least_area=0.7), judgements),
        )
    ]
    assert len({"exact", *modes}) == 5
    assert LevelledOracle(Scorer(squeeze), examples, tmp_path).mode == modes[2]


def test_behind_a_grounder_that_looks_examples_up_the_model_is_asked_about_them(
    predicate: GradedPredicate, judgements: Path, request_of: Any
) -> None:
    scorer = Scorer(lambda *_: 0.4)
    options = replace(OPTIONS, levels=LevelSource.EXAMPLES)
    grounder = Grounder(
        {predicate.name: predicate},
        {"causal_lm": LevelledOracle(scorer, options, judgements)},
        "causal_lm",
        JudgementCache(),
        CalibrationStore(":memory:"),
        known=KnownAnswers(),
    )
    (fork,) = grounder.judge([request_of("fork", "drinking")])
    assert (fork.source, fork.degree, scorer.asked) == ("judged", 0.0, [])
    with pytest.raises(GroundingError, match="can't tell"):
        grounder.judge([request_of("zeppelin", "drinking")])
    assert sorted(scorer.asked) == sorted(LOW + HIGH)
    assert any("can't tell" in note for note in grounder.notes)
    grounder.close()


@pytest.mark.parametrize("levels", list(LevelSource))
def test_the_registry_makes_levels_where_they_are_wanted(levels: LevelSource, lm: Path) -> None:
    asked = LanguageModelOptions(levels=levels)
    options = GroundingOptions(oracle="causal_lm", model=lm, language_model=asked)
    made = make_oracle("causal_lm", options)
    assert isinstance(made, CausalLmOracle) == (levels is LevelSource.NONE)
    assert made.name == "causal_lm"
    assert made.model.startswith("tiny@")
