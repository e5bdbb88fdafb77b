# SPDX-License-Identifier: Apache-2.0
"""Training of a small language model's change that makes it write plain English.

Narrow matrices beside the linear maps of the upper layers (Hu et al. 2021, "LoRA", section 4.1) are
trained on the plain words alone, behind what was heard. A training that was killed goes on where it
was: chance depends on the seed and the number of the step.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fcp_ros.foundation.array_file import Arrays
from fcp_ros.foundation.input_error import InputError
from fcp_ros.grounding.heads.feature_maker import locate_features
from fcp_ros.grounding.judgement_set import read_judgements
from fcp_ros.grounding.language_model.causal_model import load_language_model
from fcp_ros.grounding.models.model_folder import compute_weights_fingerprint
from fcp_ros.grounding.models.model_store import find_ready_folder
from fcp_ros.grounding.options import Device, Precision
from fcp_ros.grounding.tuning.training_state import (
    KEEP,
    compute_rate,
    keep_state,
    restore_state,
)
from fcp_ros.language.datasheet import Datasheet
from fcp_ros.language.model_reader.heard_rows import HeardRow, HeardRows, RowChanger
from fcp_ros.language.model_reader.plain_adapter import (
    PROMPT,
    SIDES,
    PlainAdapter,
    save_adapter,
)
from fcp_ros.package_files import config_folder

SCALE = 2.0  # Of a change, as it is added
IGNORED = -100  # A token whose prediction isn't trained: of what was heard, and of no row
_THING = re.compile(r"[a-z]{3,}( [a-z]+)?")
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class AdapterOptions:
    """Settings of a training."""

    steps: int = 850
    batch: int = 16  # rows
    rank: int = 16
    first_layer: int = 10  # lower ones stay as they are, which saves a third of the time
    rate: float = 1.2e-3
    warm_up: float = 0.06  # share of the steps
    weight_decay: float = 0.01
    largest_gradient: float = 1.0
    seed: int = 1


def train_adapter(
    base: str,
    rows: HeardRows,
    options: AdapterOptions,
    out: Path,
    report: Report,
    start: PlainAdapter | None = None,
) -> Datasheet:
    """Train a change of a model of the registry, or train one further, and write its file.

    Raises:
        GroundingError: the model was not fetched, or can't be trained.
        InputError: the judgements of the package, the file, or the change to start with can't be
            used.
    """
    folder = find_ready_folder(base)
    things = list_things()
    trainer = AdapterTrainer(folder, rows, things, options, start)
    state = locate_features() / f"plain-{trainer.identity}.safetensors"
    trainer.run(state, report)
    sheet = Datasheet(rows.sources, {"a token of rows kept apart": trainer.measure()})
    adapter = PlainAdapter(base, trainer.weights, trainer.extract())
    save_adapter(adapter, sheet, out)
    state.unlink(missing_ok=True)  # six times as large as the file
    return sheet


def list_things() -> list[str]:
    """List the things of the package's judgements, such as "hair dryer"."""
    sets = read_judgements([config_folder() / "judgements"])
    items = (judgement.pair[0] for kind in sets.values() for judgement in kind.judgements)
    return sorted({item for item in items if _THING.fullmatch(item)})


@dataclass(frozen=True, slots=True)
class _Batch:
    tokens: Tensor  # int64[rows, longest]
    wanted: Tensor  # int64[rows, longest]: the tokens to be learnt, else IGNORED
    is_there: Tensor  # int64[rows, longest]: 0 behind the end of a row


class AdaptedMap(nn.Module):  # type: ignore[misc]
    """A linear map and its change, of which only the change is trained."""

    def __init__(self, own: nn.Linear, rank: int) -> None:
        super().__init__()
        self.own = own
        draw = torch.randn(rank, own.in_features) / math.sqrt(own.in_features)
        self.right = nn.Parameter(draw)
        self.left = nn.Parameter(torch.zeros(own.out_features, rank))

    def forward(self, values: Tensor) -> Tensor:
        changed: Tensor = self.own(values) + SCALE * (values @ self.right.T) @ self.left.T
        return changed


class AdapterTrainer:
    """The training of one change, with its state in a file."""

    def __init__(
        self,
        folder: Path,
        rows: HeardRows,
        things: Sequence[str],
        options: AdapterOptions,
        start: PlainAdapter | None = None,
    ) -> None:
        loaded = load_language_model(folder, Device.CPU, Precision.FLOAT32)
        torch.manual_seed(options.seed)
        self._model, self._tokenizer = loaded.model, loaded.tokenizer
        self.weights = compute_weights_fingerprint(folder)
        self.maps = adapt_maps(self._model, options)
        if start is not None:
            self._start_with(start)
        self._rows, self._options = rows, options
        self._changer = RowChanger(rows.training, things)
        self._optimizer = torch.optim.AdamW(
            list(self._name_trained().values()),
            betas=(0.9, 0.98),
            weight_decay=options.weight_decay,
        )
        self.done = 0
        self.identity = _identify(self.weights, rows, things, options, start)

    def _start_with(self, start: PlainAdapter) -> None:
        trained = self._name_trained()
        shapes = {name: tuple(values.shape) for name, values in trained.items()}
        given = {name: array.shape for name, array in start.arrays.items()}
        if start.weights != self.weights or given != shapes:
            raise InputError(
                "the weights to start with were trained on another model, on other layers or with "
                "another rank; train without them"
            )
        with torch.no_grad():
            for name, values in trained.items():
                scale = SCALE if name.endswith(SIDES[0]) else 1.0
                values.copy_(torch.from_numpy(start.arrays[name]).float() / scale)

    def run(self, state: Path, report: Report, until: int | None = None) -> None:
        """Train to the end (or to a step), from where the state in the file was."""
        trained = self._name_trained()
        self.done = restore_state(state, self.identity, trained, self._optimizer)
        end = self._options.steps if until is None else until
        self._model.train()
        for rows in islice(self._draw(), self.done, end):
            report("training", self.done, self._options.steps)
            self._step(rows)
            if self.done % KEEP == 0 or self.done == end:
                keep_state(state, self.identity, trained, self._optimizer, self.done)
        self._model.eval()
        report("training", self.done, self._options.steps)

    def extract(self) -> Arrays:
        """Return the change, as `PlainAdapter` has it."""
        arrays: Arrays = {}
        for name, changed in self.maps.items():
            sides = (SCALE * changed.left, changed.right)
            for side, values in zip(SIDES, sides, strict=True):
                arrays[f"{name}.{side}"] = values.detach().numpy().astype(np.float16)
        return arrays

    def measure(self) -> float:
        """Measure the mean probability (geometric, in [0, 1]) of a token of the rows kept apart."""
        lost, count = 0.0, 0
        with torch.inference_mode():
            for start in range(0, len(self._rows.apart), self._options.batch):
                batch = self._pack(self._rows.apart[start : start + self._options.batch])
                found, tokens = self._compute_loss(batch)
                lost, count = lost + float(found) * tokens, count + tokens
        return math.exp(-lost / count) if count else 0.0

    def _name_trained(self) -> dict[str, Tensor]:
        return {
            f"{name}.{side}": getattr(changed, side)
            for name, changed in self.maps.items()
            for side in SIDES
        }

    def _draw(self) -> Iterator[list[HeardRow]]:
        """Draw batches of rows of about one length, pass after pass."""
        size = self._options.batch
        number = 0
        while True:
            random = Random(f"{self._options.seed} {number}")
            changed = [self._changer.change(row, random) for row in self._rows.training]
            changed.sort(key=lambda row: len(row.heard) + len(row.plain) + 30.0 * random.random())
            starts = list(range(0, len(changed), size))
            random.shuffle(starts)
            yield from (changed[start : start + size] for start in starts)
            number += 1

    def _step(self, rows: Sequence[HeardRow]) -> None:
        options = self._options
        rate = options.rate * compute_rate(self.done, options.steps, options.warm_up)
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        loss, _ = self._compute_loss(self._pack(rows))
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        trained = self._name_trained().values()
        nn.utils.clip_grad_norm_(trained, options.largest_gradient)
        self._optimizer.step()
        self.done += 1

    def _pack(self, rows: Sequence[HeardRow]) -> _Batch:
        end_token = self._tokenizer.eos_token_id
        heard = self._tokenize([PROMPT.format(row.heard) for row in rows])
        plain_words = self._tokenize([row.plain for row in rows])
        pairs = [
            (said, [*plain, end_token]) for said, plain in zip(heard, plain_words, strict=True)
        ]
        longest = max(len(said) + len(plain) for said, plain in pairs)
        tokens = torch.full((len(rows), longest), end_token)
        wanted, is_there = torch.full_like(tokens, IGNORED), torch.zeros_like(tokens)
        for number, (said, plain) in enumerate(pairs):
            end = len(said) + len(plain)
            tokens[number, :end] = torch.tensor([*said, *plain])
            wanted[number, len(said) : end] = torch.tensor(plain)
            is_there[number, :end] = 1
        return _Batch(tokens, wanted, is_there)

    def _tokenize(self, texts: list[str]) -> list[list[int]]:
        found: list[list[int]] = self._tokenizer(texts, add_special_tokens=False)["input_ids"]
        return found

    def _compute_loss(self, batch: _Batch) -> tuple[Tensor, int]:
        """Compute the mean loss of the wanted tokens, and their number."""
        hidden = self._model.model(
            input_ids=batch.tokens, attention_mask=batch.is_there
        ).last_hidden_state
        wanted = batch.wanted[:, 1:]
        chosen = wanted != IGNORED  # logits of 49,152 words are computed for these alone
        logits = self._model.lm_head(hidden[:, :-1][chosen])
        return functional.cross_entropy(logits, wanted[chosen]), int(chosen.sum())


def adapt_maps(model: Any, options: AdapterOptions) -> dict[str, AdaptedMap]:
    """Put a change beside each linear map of the upper layers; nothing else is trained any more."""
    model.requires_grad_(False)
    maps = {}
    for number, layer in enumerate(model.model.layers):
        if number < options.first_layer:
            continue
        for name, module in list(layer.named_modules()):
            if isinstance(module, nn.Linear):
                owner, _, own_name = name.rpartition(".")
                made = AdaptedMap(module, options.rank)
                setattr(layer.get_submodule(owner), own_name, made)
                maps[f"model.layers.{number}.{name}"] = made
    return maps


def _identify(
    weights: str,
    rows: HeardRows,
    things: Sequence[str],
    options: AdapterOptions,
    start: PlainAdapter | None,
) -> str:
    """Hash all that the outcome depends on, so that no state of another training is used."""
    digest = hashlib.sha256(repr((asdict(options), rows.training, sorted(set(things)))).encode())
    digest.update(weights.encode())
    for name, array in sorted(start.arrays.items()) if start else ():
        digest.update(name.encode() + array.tobytes())
    return digest.hexdigest()[:24]
