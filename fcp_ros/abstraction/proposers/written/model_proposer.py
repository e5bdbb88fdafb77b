# SPDX-License-Identifier: Apache-2.0
"""The proposer that asks a language model: features first, then the abstraction, then repairs.

The model's answers are data from somebody unknown: parsed strictly, bounded in size, never run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic

from fcp_ros.abstraction.proposers.faults import (
    AbstractionError,
    GeneralizationStatus,
    ProposerStopped,
)
from fcp_ros.abstraction.proposers.proposer import AbstractionProposal
from fcp_ros.abstraction.proposers.written.abstraction_text import (
    check_features,
    has_actions,
    has_features,
    parse_abstraction,
    take_off_frame,
)
from fcp_ros.abstraction.proposers.written.prompt import PromptStep, write_question, write_task
from fcp_ros.abstraction.sampling.training_task import TrainingTask
from fcp_ros.foundation.wording import to_printable
from fcp_ros.grounding.generation.generator import TextGenerator, TextRequest
from fcp_ros.grounding.protocol.errors import GroundingError


@dataclass(frozen=True, slots=True)
class ModelExchange:
    """A question to a model, and its answer."""

    step: PromptStep
    task: str  # the part of the prompt that is the same for all questions
    question: str  # the rest of the prompt
    answer: str
    seconds: float


def write_transcript(model: str, exchanges: Iterable[ModelExchange]) -> str:
    """Write all questions and answers; control characters are shown, not sent to a terminal."""
    parts = [f"# Transcript of {to_printable(model)}"]
    last_task = ""
    for number, one in enumerate(exchanges, 1):
        parts.append(f"\n## {number}. {one.step.value} ({one.seconds:.1f} s)")
        if one.task != last_task:
            parts.append(f"\n### Task\n\n{_clean(one.task)}")
            last_task = one.task
        parts.append(f"\n### Question\n\n{_clean(one.question)}")
        parts.append(f"\n### Answer\n\n{_clean(one.answer)}")
    return "\n".join(parts) + "\n"


def _clean(text: str) -> str:
    return "\n".join(to_printable(line) for line in text.splitlines())


SOURCE = "answer"
"""The name of an answer in messages."""


@dataclass(frozen=True, slots=True)
class ModelProposerOptions:
    """Settings of the questions to a language model."""

    most_tokens: int = 800
    seconds: float = 300.0
    seed: int = 0  # of a server that draws at random


class LanguageModelProposer:
    """Asks a language model."""

    def __init__(
        self, generator: TextGenerator, options: ModelProposerOptions | None = None
    ) -> None:
        self.exchanges: list[ModelExchange] = []  # all questions and answers so far
        self._generator = generator
        self._options = options or ModelProposerOptions()
        self._has_features = False
        self._last = ""

    @property
    def name(self) -> str:
        """The model."""
        return f"language model {self._generator.model}"

    def propose(
        self,
        training: tuple[TrainingTask, ...],
        feedback: tuple[AbstractionError, ...],
        check: Callable[[], None],
    ) -> AbstractionProposal:
        """Ask for an abstraction, or for a better one.

        Raises RejectedProposal if the answer is no abstraction; it can be asked again. Raises
        ProposerStopped if the model can't be asked, or repeats an answer with faults.
        """
        if self._has_features:
            self._last = self._ask(PromptStep.REPAIR, training, self._last, feedback, check)
        else:
            self._last = self._ask(PromptStep.FEATURES, training, self._last, feedback, check)
            if not has_actions(self._last):  # some models write all at once
                check_features(self._last, SOURCE, training)
                rest = self._ask(PromptStep.ABSTRACTION, training, self._last, (), check)
                self._last = rest if has_features(rest) else f"{self._last.rstrip()}\n{rest}"
            self._has_features = True
        return parse_abstraction(self._last, SOURCE, training)

    def _ask(
        self,
        step: PromptStep,
        training: Sequence[TrainingTask],
        last: str,
        faults: tuple[AbstractionError, ...],
        check: Callable[[], None],
    ) -> str:
        """Ask once; return the answer without the frame that chat models like to put around."""
        task, question = write_task(training), write_question(step, training, last, faults)
        options = self._options
        seed = options.seed + len(self.exchanges)
        request = TextRequest(task, question, None, 1, options.most_tokens, options.seconds, seed)
        began = monotonic()
        try:
            written = self._generator.write(request, check)
        except GroundingError as error:
            raise ProposerStopped(GeneralizationStatus.MODEL_FAILED, error.sentence) from error
        answer = written[0].text if written else ""
        self.exchanges.append(ModelExchange(step, task, question, answer, monotonic() - began))
        text = take_off_frame(answer)
        if text == last and faults:
            sentence = f"the {self.name} repeats an answer whose faults it was told"
            raise ProposerStopped(GeneralizationStatus.UNREPAIRED, sentence, faults)
        return text
