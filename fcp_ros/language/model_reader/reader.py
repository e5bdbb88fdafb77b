# SPDX-License-Identifier: Apache-2.0
"""Instructions read by a language model: asked, checked, told its faults, ranked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from fcp_ros.domain.expressions.syntax import to_text
from fcp_ros.foundation.wording import to_printable
from fcp_ros.grounding.generation import TextGenerator, TextRequest
from fcp_ros.grounding.generators import ServerGenerator, make_model_generator
from fcp_ros.grounding.judgement import GroundingError
from fcp_ros.grounding.options import Device, EndpointOptions, Precision
from fcp_ros.language.model_reader.candidates import CheckedTexts, GoalCandidate, check_texts
from fcp_ros.language.model_reader.examples import make_examples
from fcp_ros.language.model_reader.goal_grammar import build_goal_grammar
from fcp_ros.language.model_reader.names import offer_names, split_words
from fcp_ros.language.model_reader.prompt import write_question, write_task
from fcp_ros.language.model_reader.word_uses import align_words
from fcp_ros.language.paraphrase import paraphrase_goal
from fcp_ros.language.reader import ReadingContext, find_excess, find_only
from fcp_ros.language.reading import Interpretation, Reading, ReadingStatus

MOST_WORDS = 200
"""Longest instruction in words."""


@dataclass(frozen=True, slots=True)
class ModelReaderOptions:
    """Settings of the readers that ask a language model."""

    candidates: int = 4  # goals that the model is asked for at once
    rounds: int = 3  # times that it is asked, with the faults of its last answers
    most_tokens: int = 120
    seconds: float = 120.0
    seed: int = 0  # of a server that draws at random
    # shares are taken to the power of 1 / softening before they are compared: models are surer of
    # themselves than they are right (docs/language_models.md)
    softening: float = 2.0
    # the least lead of the best reading's degree; with less the answer is AMBIGUOUS
    margin: float = 0.2


class GeneratorReader:
    """Reads instructions with anything that writes texts."""

    def __init__(
        self, name: str, generator: TextGenerator, options: ModelReaderOptions | None = None
    ) -> None:
        self._name = name
        self._generator = generator
        self._options = options or ModelReaderOptions()

    @property
    def name(self) -> str:
        """The kind of reader."""
        return self._name

    def read(self, instruction: str, context: ReadingContext) -> Interpretation:
        """Read an instruction; every failure is a status with a sentence, only `check` raises."""
        excess = find_excess(instruction)
        if excess:
            return self._fail(instruction, ReadingStatus.REFUSED, excess)
        count = len(split_words(instruction))
        if not count:
            return self._fail(instruction, ReadingStatus.REFUSED, "There is no word to be read.")
        if count > MOST_WORDS:
            message = (
                f"The instruction has {count} words, more than {MOST_WORDS}: say it in several "
                "shorter ones."
            )
            return self._fail(instruction, ReadingStatus.REFUSED, message)
        try:
            checked, readings = self._ask(instruction, _complete(context))
        except GroundingError as error:
            return self._fail(instruction, ReadingStatus.FAILED, _end(error.sentence))
        return self._decide(instruction, checked, readings)

    def _ask(
        self, instruction: str, context: ReadingContext
    ) -> tuple[CheckedTexts, tuple[Reading, ...]]:
        """Ask the model until one of its texts is a goal, or all rounds are over."""
        options = self._options
        until = min(monotonic() + options.seconds, context.until)
        names = offer_names(instruction, context)
        examples = make_examples(instruction, names, context)
        grammar = build_goal_grammar(names, context.domain.schema)
        task = write_task(context.domain, names)
        faults: tuple[str, ...] = ()
        checked = CheckedTexts((), 0.0, ())
        for turn in range(options.rounds):
            request = TextRequest(
                task,
                write_question(instruction, context, names, examples, faults),
                grammar,
                options.candidates,
                options.most_tokens,
                max(0.1, until - monotonic()),
                options.seed + turn * options.candidates,
            )
            texts = self._generator.write(request, context.check)
            checked = check_texts(texts, names, context)
            if checked.candidates or checked.unclear or monotonic() >= until:
                break
            faults = checked.faults
        return checked, _rank(instruction, checked, context, options.softening)

    def _decide(
        self, instruction: str, checked: CheckedTexts, readings: tuple[Reading, ...]
    ) -> Interpretation:
        """Decide how the reading ended."""
        status = ReadingStatus.NOT_UNDERSTOOD
        if not readings:
            message = "The language model finds no goal in this."
            if checked.faults:
                message = _end(f"the language model wrote no valid goal: {checked.faults[0]}")
            return self._fail(instruction, status, message)
        best = readings[0]
        if checked.unclear > checked.candidates[0].share:
            message = "The language model thinks that this can't be said with what is known here."
        elif best.unread:
            words = dict.fromkeys(instruction[use.start : use.end] for use in best.unread)
            listed = ", ".join(f'"{word}"' for word in words)
            message = f"Not understood: {listed}. Without that: {best.paraphrase}"
        elif len(readings) > 1 and best.degree - readings[1].degree < self._options.margin:
            close = [r for r in readings if best.degree - r.degree < self._options.margin]
            choices = _write_choices(close)
            question = f"Which is meant: {' or '.join(choices)}?"
            return Interpretation(
                instruction,
                ReadingStatus.AMBIGUOUS,
                question,
                readings,
                question,
                choices,
                self._name,
            )
        else:
            status, message = ReadingStatus.READ, best.paraphrase
        return Interpretation(instruction, status, message, readings, reader=self._name)

    def _fail(self, instruction: str, status: ReadingStatus, message: str) -> Interpretation:
        return Interpretation(instruction, status, message, reader=self._name)


class ModelReader(GeneratorReader):
    """Reads with a causal language model in a folder; it is loaded at the first instruction.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """

    def __init__(
        self,
        folder: Path,  # as `save_pretrained` writes it, with safetensors
        device: str = "auto",  # "auto", "cpu" or "cuda"
        options: ModelReaderOptions | None = None,
        precision: Precision = Precision.AUTO,
    ) -> None:
        super().__init__("model", open_folder(folder, device, precision), options)


class EndpointReader(GeneratorReader):
    """Reads with a language model on a server with the OpenAI protocol.

    Raises:
        GroundingError: the url is none.
    """

    def __init__(
        self,
        url: str = "",  # of the server, such as "http://localhost:8000/v1"
        model: str = "",  # the server's name of the model; "" takes the first that it lists
        options: ModelReaderOptions | None = None,
        # all settings of the server, in place of the first two
        endpoint: EndpointOptions | None = None,
    ) -> None:
        generator = ServerGenerator(endpoint) if endpoint else open_server(url, model)
        super().__init__("endpoint", generator, options)


def open_folder(
    folder: Path, device: str = "auto", precision: Precision = Precision.AUTO
) -> TextGenerator:
    """Open the language model in a folder; it is loaded at the first request.

    Raises:
        GroundingError: the folder holds no language model that may be loaded.
    """
    return make_model_generator(folder, Device(device), precision)


def open_server(url: str, model: str = "") -> TextGenerator:
    """Open a language model of a server, which is not asked yet.

    Raises:
        GroundingError: the url is none.
    """
    return ServerGenerator(EndpointOptions(url=url, model=model, timeout=60.0, retries=1))


def _complete(context: ReadingContext) -> ReadingContext:
    """Fill in the speaker and the robot where there is only one that it can be."""
    speaker = context.speaker or find_only(context.instance, "person")
    robot = context.robot or find_only(context.instance, "robot")
    return replace(context, speaker=speaker, robot=robot)


def _rank(
    instruction: str, checked: CheckedTexts, context: ReadingContext, softening: float
) -> tuple[Reading, ...]:
    """Make readings of the candidates, best first.

    The degree is the softened share among the candidates and "unclear", times the shares of the
    words that are read and of the names that are asked for.
    """
    weights = [candidate.share ** (1.0 / softening) for candidate in checked.candidates]
    total = math.fsum(weights) + checked.unclear ** (1.0 / softening)
    found = [
        _make_reading(instruction, candidate, weight / total, context)
        for candidate, weight in zip(checked.candidates, weights, strict=True)
    ]
    return tuple(sorted(found, key=lambda reading: -reading.degree))


def _make_reading(
    instruction: str, candidate: GoalCandidate, share: float, context: ReadingContext
) -> Reading:
    """Make the reading of a candidate, from the way to write it that fits the words best."""
    aligned = [(align_words(instruction, goal, context), goal) for goal in candidate.goals]
    best, goal = max(aligned, key=lambda one: one[0].read * one[0].asked)
    said = paraphrase_goal(goal, context.domain, context.instance)
    return Reading(to_text(goal), share * best.read * best.asked, said, best.words)


def _write_choices(readings: Sequence[Reading]) -> tuple[str, ...]:
    said = [reading.paraphrase.rstrip(".") for reading in readings]
    is_plain = len(set(said)) == len(said)
    return tuple(said if is_plain else [reading.goal for reading in readings])


def _end(sentence: str) -> str:
    said = to_printable(sentence.strip())
    return f"{said[:1].upper()}{said[1:]}" + ("" if said.endswith((".", "?", "!")) else ".")
