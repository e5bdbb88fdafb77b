# SPDX-License-Identifier: Apache-2.0
"""A language model as proposer: the two steps, repairs after faults, rubbish, real transports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from carried_parcels import ABSTRACTION, FEATURES, REST, read_tasks
from chat_server import ChatServer, ScriptedModel
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_texts import ScriptedTexts
from tiny_language_models import make_model, make_tokenizer

from fcp_ros.abstraction.debugging.loop import GeneralizationOptions, generalize
from fcp_ros.abstraction.proposers.abstraction_text import (
    LONGEST,
    parse_abstraction,
    take_off_frame,
)
from fcp_ros.abstraction.proposers.faults import (
    AbstractionFault,
    RejectedProposal,
)
from fcp_ros.abstraction.proposers.model_proposer import (
    EXAMPLE_ABSTRACTION,
    EXAMPLE_FEATURES,
    LanguageModelProposer,
    ModelProposerOptions,
    PromptStep,
    write_transcript,
)
from fcp_ros.abstraction.proposers.proposer import TrainingTask
from fcp_ros.abstraction.proposers.status import GeneralizationStatus
from fcp_ros.grounding import EndpointOptions, GroundingCode, GroundingError
from fcp_ros.grounding.generators import ServerGenerator, make_model_generator

Training = tuple[TrainingTask, ...]

WRONG_REST = REST.replace("[not holding, left decreases]", "[left decreases]")


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Training:
    return read_tasks(tmp_path_factory.mktemp("parcels"))


def ask(training: Training, *answers: str | GroundingError, rounds: int = 4):
    generator = ScriptedTexts(answers)
    proposer = LanguageModelProposer(generator)
    return generalize(training, proposer, GeneralizationOptions(rounds=rounds)), generator, proposer


def test_features_come_first_then_the_rest(training: Training) -> None:
    found, generator, proposer = ask(training, f"Sure!\n```yaml\n{FEATURES}```\nDone.", REST)
    assert found.status is GeneralizationStatus.FOUND, found.sentence
    assert [one.step for one in proposer.exchanges] == [PromptStep.FEATURES, PromptStep.ABSTRACTION]
    first, second = generator.requests
    assert first.task == second.task
    assert "keys `initial`, `goal` and `actions`" in second.question
    assert "left: count(" in second.question
    assert found.policy is not None
    assert found.policy.provenance.proposer == "language model scripted"


def test_the_prompt_names_what_features_may_use(training: Training) -> None:
    _, generator, _ = ask(training, "rubbish", rounds=1)
    request = generator.requests[0]
    for words in (
        "robot-in*", "held*", "goal.in", "count(C)", "in(p, r)",
        "- take(p: parcel, r: room); needs robot-in(r), in(p, r)",
    ):  # fmt: skip
        assert words in request.task, words
    assert "world" not in request.task  # PDDL's element for facts without arguments
    assert (
        "Initially: robot-in(a); in(p, b); room(a), room(b), room(c); parcel(p)."
        in request.question
    )
    assert "Goal: in(p, c)." in request.question


def test_the_example_of_the_prompt_is_a_right_abstraction() -> None:
    text = f"{EXAMPLE_FEATURES}\n{EXAMPLE_ABSTRACTION}"
    from fcp_ros.abstraction.policy.abstraction_data import read_abstraction
    from fcp_ros.abstraction.qnp.solver import QnpStatus, solve_qnp
    from fcp_ros.domain.diagnostics import Diagnostics
    from fcp_ros.domain.yaml.domain_files import parse_lines

    parsed = parse_lines(text, "example")
    qnp, _ = read_abstraction(parsed.data, Diagnostics("example", parsed.lines), "example")
    assert solve_qnp(qnp).status is QnpStatus.SOLVED


def test_faults_of_the_checks_are_told_and_repaired(training: Training) -> None:
    found, generator, proposer = ask(training, FEATURES, WRONG_REST, ABSTRACTION)
    assert found.status is GeneralizationStatus.FOUND
    assert len(found.rounds) == 2
    repair = generator.requests[2].question
    assert proposer.exchanges[2].step is PromptStep.REPAIR
    assert "holding goes from 1 to 0" in repair  # the fault
    assert "[left decreases]" in repair  # the last answer, whole
    assert "left: count(" in repair
    assert "State: holding, left=1 (held(p), robot-in(b))" in repair


def test_faults_of_features_are_told_before_the_second_step(training: Training) -> None:
    broken = FEATURES.replace("any(held)", "any(hold)")
    found, generator, proposer = ask(training, broken, FEATURES, REST)
    assert found.status is GeneralizationStatus.FOUND
    steps = [one.step for one in proposer.exchanges]
    assert steps == [PromptStep.FEATURES, PromptStep.FEATURES, PromptStep.ABSTRACTION]
    assert "line 2" in generator.requests[1].question
    assert found.rounds[0].errors[0].kind is AbstractionFault.SYNTAX


def test_a_model_may_write_all_at_once(training: Training) -> None:
    found, generator, _ = ask(training, ABSTRACTION)
    assert found.status is GeneralizationStatus.FOUND
    assert len(generator.requests) == 1


def test_rubbish_ends_with_a_code_and_a_sentence(training: Training) -> None:
    rubbish = ["I can't.", "features: []", "[1, 2", "features: {x: '!!'}"]
    found, _, proposer = ask(training, *rubbish)
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert [len(one.errors) > 0 for one in found.rounds] == [True] * 4
    assert "none of 4 proposals" in found.sentence
    transcript = write_transcript("scripted", proposer.exchanges)
    assert all(text in transcript for text in rubbish)


def test_a_model_that_repeats_itself_is_not_asked_again(training: Training) -> None:
    found, generator, _ = ask(training, "nothing", "nothing")
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert "repeats an answer" in found.sentence
    assert found.errors  # what is wrong with it
    assert len(generator.requests) == 2


def test_a_model_that_fails_is_told(training: Training) -> None:
    error = GroundingError(GroundingCode.NO_ANSWER, "the server sleeps; wake it")
    found, _, _ = ask(training, error)
    assert found.status is GeneralizationStatus.MODEL_FAILED
    assert found.sentence == "the server sleeps; wake it"


HOSTILE = {
    "long": "x" * (LONGEST + 1),
    "tags": "features: !!python/object/apply:os.system ['true']",
    "anchors": "features: &a {x: any(held)}\ngoal: *a\nactions: {}",
    "deep": "features: " + "[" * 5000,
    "many features": "features:\n" + "".join(f"  f{i}: any(held)\n" for i in range(100)),
    "many programs": "features: {h: any(held)}\ngoal: [h]\nactions:\n  a:\n    programs: ["
    + ", ".join(["leave()"] * 100)
    + "]",
    "other keys": f"{ABSTRACTION}exec: rm\n",
    "deep feature": "features: {h: 'any(" + "not(" * 500 + "held" + ")" * 500 + ")'}",
    "no mapping": "- features",
    "control characters": "features: {h: any(\x1b[31mheld)}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_are_refused_with_a_sentence(name: str, training: Training) -> None:
    with pytest.raises(RejectedProposal) as told:
        parse_abstraction(HOSTILE[name], "answer", training)
    for error in told.value.errors:
        assert error.kind is AbstractionFault.SYNTAX
        assert "Fix: " in error.sentence
        assert len(error.sentence) < 1000


def test_frames_are_taken_off() -> None:
    assert take_off_frame("So:\n```yaml\na: 1\n```\nand\n```\nb\n```") == "a: 1\n"
    assert take_off_frame("```yaml\na: 1") == "a: 1\n"
    assert take_off_frame("  a: 1") == "a: 1\n"


def test_transcripts_show_control_characters(training: Training) -> None:
    _, _, proposer = ask(training, "\x1b[2J gone", rounds=1)
    assert "\x1b" not in write_transcript("m", proposer.exchanges)


WORDS = (
    *[
        "held",
        "in",
        "goal.in",
        "not",
        "top",
        "left",
        "holding",
        "and(",
        "some(",
        ")",
        "(",
        ",",
        ";",
        "go(",
        "take(",
        "leave()",
        "{",
        "}",
        "[",
        "]",
    ],
    *[
        "decreases",
        "difference(",
        "any(",
        "distance(",
        "-",
        "programs",
        "world",
        "object",
        "robot-in",
    ],
    '"',
    "\n",
    "",
)


@given(st.lists(st.tuples(st.integers(0, 120), st.sampled_from(WORDS)), max_size=3))
@settings(max_examples=60)
def test_any_answer_ends_with_a_status(training: Training, changes: list[tuple[int, str]]) -> None:
    tokens = re.findall(r"\s+|[\w.\-]+|[^\w\s]", ABSTRACTION)
    for place, word in changes:
        tokens[place % len(tokens)] = word
    found, _, _ = ask(training, "".join(tokens), rounds=1)
    assert (found.policy is not None) == (found.status is GeneralizationStatus.FOUND)
    assert found.policy is not None or found.errors


# --- real transports


@pytest.fixture
def serve(monkeypatch: Any) -> Iterator[Callable[..., tuple[ChatServer, ServerGenerator]]]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    opened: list[Any] = []

    def start(answer: Callable[[str], str]) -> tuple[ChatServer, ServerGenerator]:
        def tokens(text: str) -> list[str]:
            return [text, "<|end|>"]

        server = ChatServer(ScriptedModel(lambda prompt: {answer(prompt): 1.0}, tokens))
        options = EndpointOptions(url=server.url, timeout=5.0, retries=0)
        generator = ServerGenerator(options)
        opened.extend((generator, server))
        return server, generator

    yield start
    for one in opened:
        one.close()


def test_a_model_on_a_server_repairs_its_abstraction(training: Training, serve: Any) -> None:
    def answer(prompt: str) -> str:
        if "What is wrong with it:" in prompt:
            assert "holding goes from 1 to 0" in prompt
            return ABSTRACTION
        return WRONG_REST if "These are the features:" in prompt else FEATURES

    server, generator = serve(answer)
    found = generalize(training, LanguageModelProposer(generator))
    assert found.status is GeneralizationStatus.FOUND, found.sentence
    assert len(found.rounds) == 2
    questions = [body for body in server.bodies if "messages" in body]
    assert len(questions) == 3
    assert all(body["temperature"] == 0.0 for body in questions)


def test_a_server_that_is_gone_is_told(training: Training, serve: Any) -> None:
    server, generator = serve(lambda prompt: FEATURES)
    server.close()
    found = generalize(training, LanguageModelProposer(generator))
    assert found.status is GeneralizationStatus.MODEL_FAILED
    assert found.sentence


def test_a_model_with_random_weights_writes_rubbish(training: Training, tmp_path: Path) -> None:
    tokenizer = make_tokenizer([ABSTRACTION], "digits")
    folder = tmp_path / "tiny"
    model = make_model("llama", tokenizer, max_position_embeddings=8192)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    proposer = LanguageModelProposer(
        make_model_generator(folder), ModelProposerOptions(most_tokens=20)
    )
    found = generalize(training, proposer, GeneralizationOptions(rounds=2))
    assert found.status is GeneralizationStatus.UNREPAIRED
    assert found.policy is None
    assert found.sentence
    assert proposer.exchanges
