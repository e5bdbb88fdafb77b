# SPDX-License-Identifier: Apache-2.0
"""Hidden states of a causal language model: what it makes of a question, before it answers.

    prefix (read once) | question 1 | question 2 | ...        one packed pass, layers 1 to L

Only the layers up to the last wanted one are loaded and run; there is no final norm and no output
matrix. Each token's state is divided by its root mean square, because a few tokens of the first
layers have states that are a thousand times as long as all others. A question is then, for each
wanted layer, the state of its last token and the mean over its own tokens.

Not every architecture honours the mask of a packed pass, so the last question of a pass is compared
with a pass of its own, again whenever a pass is twice as long as the longest one that was checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import (
    SAFE,
    UNBOUNDED,
    Attention,
    ScoreTrie,
    TrieNode,
    check_architecture,
    explain_loading,
    read_attention,
)
from fcp_ros.grounding.language_model.packed_forward import (
    PackedForward,
    TokenBudget,
    Tokens,
    pack,
    plan_passes,
    refuse_architecture,
    refuse_failing,
)
from fcp_ros.grounding.models.torch_device import (
    choose_device,
    choose_precision,
)
from fcp_ros.grounding.options import Device, Precision

Array = NDArray[np.float32]

QUESTION_ENDS = ScoreTrie((TrieNode(-1, -1, 0, None),), (), ())
"""A trie with only its root: nothing is appended to a question."""
GPU_TOKENS = 8192
TOLERANCES = {Precision.FLOAT32: 1e-3}
LOOSE_TOLERANCE = 0.1
"""Most difference of a packed question from one of its own, as a share of its length."""


@dataclass(frozen=True, slots=True)
class StatePlaces:
    """The states that are read."""

    # numbers of layers, from 1, increasing; the state is that after the layer
    layers: tuple[int, ...]

    def count_features(self, width: int) -> int:
        """Count the numbers of a question in a model of this width."""
        return 2 * len(self.layers) * width


class StateReader:
    """Reads the states of one model, cut after the last wanted layer; for one thread at a time.

    `attention`: the reach of its layers; `window`: the most tokens that it reads.
    """

    def __init__(
        self,
        model: Any,
        attention: Attention,
        device: str,
        precision: Precision,
        places: StatePlaces,
        window: int = UNBOUNDED,
    ) -> None:
        self._model = model.eval()
        self._attention = attention
        self._device = device
        self._tolerance = TOLERANCES.get(precision, LOOSE_TOLERANCE)
        self._places = places
        self._window = window
        self._forward = PackedForward(model, attention, device)
        self._budget = TokenBudget(GPU_TOKENS, device, self._forward.prefixes.clear)
        self._checked = 0
        self._states: dict[int, Any] = {}
        layers = find_layers(model)
        for number in places.layers:
            layers[number - 1].register_forward_hook(self._make_hook(number))

    def read(self, prefix: Tokens, questions: Sequence[Sequence[int]]) -> Array:
        """Read the features of questions (one own token at least), shape (questions, features)."""
        longest = max(map(len, questions), default=0) + len(prefix)
        if longest > min(self._window, self._attention.chunk):
            raise GroundingError(
                GroundingCode.CONTEXT_TOO_LONG,
                f"a question is {longest} tokens long and the model reads {self._window}; shorten "
                "the words of its arguments",
            )
        rows: dict[int, Array] = {}
        while len(rows) < len(questions):
            waiting = [index for index in range(len(questions)) if index not in rows]
            chosen = self._choose_next([len(questions[index]) for index in waiting])
            places = [waiting[index] for index in chosen]
            chosen_ones = [questions[index] for index in places]
            found = self._budget.run(
                partial(self._read_checked, prefix, chosen_ones), len(places) > 1
            )
            if found is not None:
                rows.update(zip(places, found, strict=True))
        return np.stack([rows[index] for index in range(len(questions))]) if rows else _NOTHING

    def _choose_next(self, lengths: Sequence[int]) -> list[int]:
        return plan_passes(lengths, 1, self._budget.tokens, UNBOUNDED)[0]

    def _read_checked(self, prefix: Tokens, questions: Sequence[Sequence[int]]) -> Array:
        """Read one pass; NOT_A_MODEL if the model turns out not to honour the mask."""
        length = len(prefix) + sum(map(len, questions))
        if length < 2 * self._checked:
            return self._run(prefix, questions)
        expected = self._read_alone(prefix, questions[-1])[0]
        with refuse_failing(self._model):
            found = self._run(prefix, questions)
        difference = float(np.linalg.norm(found[-1] - expected) / np.linalg.norm(expected))
        if not difference <= self._tolerance:
            raise refuse_architecture(self._model, f"a question is off by {difference:.2g}")
        self._checked = length
        return found

    def _run(self, prefix: Tokens, questions: Sequence[Sequence[int]]) -> Array:
        """Read questions in one packed pass."""
        import torch

        packed = pack(questions, QUESTION_ENDS, len(prefix))
        with torch.inference_mode():
            self._forward.run(prefix, packed)
            return self._collect([len(question) for question in questions])

    def _read_alone(self, prefix: Tokens, question: Sequence[int]) -> Array:
        """Read one question in a plain pass with its prefix."""
        import torch

        tokens = torch.tensor([[*prefix, *question]], device=self._device)
        with torch.inference_mode():
            self._model(input_ids=tokens, use_cache=False)
            self._states = {n: state[:, len(prefix) :] for n, state in self._states.items()}
            return self._collect([len(question)])

    def _collect(self, lengths: Sequence[int]) -> Array:
        """Collect the features from the states that the hooks kept."""
        import torch

        ends = np.cumsum(lengths)
        columns = []
        for number in self._places.layers:
            states = self._states.pop(number)[0].float()
            states = states / states.pow(2).mean(-1, keepdim=True).sqrt().clamp_min(1e-6)
            parts = torch.split(states, list(lengths))
            columns.append(states[torch.from_numpy(ends - 1).to(states.device)])
            columns.append(torch.stack([part.mean(0) for part in parts]))
        found = torch.cat(columns, dim=1).cpu().numpy()
        if not np.isfinite(found).all():
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                "the language model's hidden states are not numbers; its weights are damaged or "
                "its precision is too low: copy it again, or use precision 'float32'",
            )
        return np.asarray(found, np.float32)

    def _make_hook(self, number: int) -> Any:
        def keep(_module: Any, _inputs: Any, output: Any) -> None:
            self._states[number] = output[0] if isinstance(output, tuple) else output

        return keep


_NOTHING: Array = np.zeros((0, 0), np.float32)


def find_layers(model: Any) -> Any:
    """Find the list of a model's layers, whatever the architecture calls it."""
    import torch

    count = model.config.get_text_config().num_hidden_layers
    for module in model.modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count:
            return module
    raise GroundingError(
        GroundingCode.NOT_A_MODEL,
        f"no list of {count} layers is found in a {type(model).__name__}; use another model",
    )


def load_state_reader(
    folder: Path, device: Device, precision: Precision, places: StatePlaces
) -> StateReader:
    """Load the first layers of a causal language model from its checked folder."""
    check_architecture(folder)
    where = choose_device(device)
    chosen = choose_precision(precision, where)
    with explain_loading(folder, where):
        from transformers import AutoModel

        config = _load_config(folder)
        window = _cut_config(config, places, folder)
        model = AutoModel.from_pretrained(
            str(folder),
            config=config,
            use_safetensors=True,
            dtype=chosen.value,
            **SAFE,
        )
        model = model.to(where)
    attention = read_attention(model.config.get_text_config())
    return StateReader(model, attention, where, chosen, places, window)


def load_tokenizer(folder: Path) -> Any:
    with explain_loading(folder):
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(str(folder), **SAFE)


def read_width(folder: Path) -> int:
    """Read from a model's configuration how many numbers a token's state has."""
    return int(_load_config(folder).get_text_config().hidden_size)


def count_layers(folder: Path) -> int:
    """Read from a model's configuration how many layers it has."""
    return int(_load_config(folder).get_text_config().num_hidden_layers)


def _load_config(folder: Path) -> Any:
    with explain_loading(folder):
        from transformers import AutoConfig

        return AutoConfig.from_pretrained(str(folder), **SAFE)


def _cut_config(config: Any, places: StatePlaces, folder: Path) -> int:
    """Cut a configuration after the last wanted layer; return the tokens that the model reads."""
    text = config.get_text_config()
    last = max(places.layers)
    if last > text.num_hidden_layers:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"layer {last} is wanted, but the model in {folder} has {text.num_hidden_layers} "
            "layers",
        )
    if vars(text).get("layer_types"):  # in some configurations computed from the number
        text.layer_types = list(text.layer_types)[:last]
    text.num_hidden_layers = last
    return int(getattr(text, "max_position_embeddings", None) or UNBOUNDED)
