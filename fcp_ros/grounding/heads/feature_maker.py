# SPDX-License-Identifier: Apache-2.0
"""The interface between a training and the encoder that it trains heads for."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.heads.head import PairFeatures
from fcp_ros.grounding.heads.hidden_states import StatePlaces
from fcp_ros.grounding.heads.pair_features import (
    SentenceFeatures,
    encode_words,
    fit_basis,
    fit_scaling,
    list_phrases,
)
from fcp_ros.grounding.heads.state_features import (
    QuestionForm,
    StateEncoder,
    StateFeatures,
    StateReduction,
)
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.models.model_store import locate_models
from fcp_ros.grounding.models.sentence_encoder import Encode

Array = NDArray[np.float32]
KEY_BYTES = 16


def locate_features() -> Path:
    return locate_models() / ".features"


class FeatureStore:
    """Features of texts in one file, for one process at a time (STORE_FAILED); to be closed.

    `source` names all that they depend on beside the text: model, layers, precision; `is_halved`
    keeps them in half precision.
    """

    def __init__(self, folder: Path, source: str, width: int, *, is_halved: bool = False) -> None:
        name = hashlib.sha256(f"{source}|{width}|{is_halved}".encode()).hexdigest()[:24]
        self._file = folder / f"{name}.features"
        self._kind = np.dtype(
            [("key", f"V{KEY_BYTES}"), ("row", "<f2" if is_halved else "<f4", (width,))]
        )
        self._rows: dict[bytes, int] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / f"{name}.lock").open("w")
        except OSError as error:
            raise self._build_unwritable(error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.close()
            raise GroundingError(
                GroundingCode.STORE_FAILED,
                f"another process computes the same features in {folder}; wait until it has ended",
            ) from error
        try:
            self._open()
        except OSError as error:
            self.close()
            raise self._build_unwritable(error) from error

    def __len__(self) -> int:
        return len(self._rows)

    def close(self) -> None:
        """Let other processes use the file."""
        self._lock.close()  # which lets go of it, as the end of the process does

    def find_missing(self, texts: Sequence[str]) -> list[str]:
        """Find the texts without features, each once, in order."""
        return [text for text in dict.fromkeys(texts) if hash_text(text) not in self._rows]

    def fill(
        self,
        texts: Sequence[str],
        compute: Callable[[Sequence[str]], Array],
        batch: int,
        report: Callable[[int, int], None],
    ) -> None:
        """Compute the features of the texts that have none, and keep each batch at once.

        `report` takes the number of texts that are done, and of all.
        """
        every = len(dict.fromkeys(texts))
        missing = self.find_missing(texts)
        done = every - len(missing)
        report(done, every)
        for start in range(0, len(missing), batch):
            chosen = missing[start : start + batch]
            self._append(chosen, compute(chosen))
            done += len(chosen)
            report(done, every)

    def read(self, texts: Sequence[str]) -> Array:
        """Read the features of texts, shape (len(texts), width); all must be there."""
        width = self._kind["row"].shape[0]
        if not texts:
            return np.zeros((0, width), np.float32)
        mapped = np.memmap(self._file, self._kind, mode="r")
        places = np.array([self._rows[hash_text(text)] for text in texts], np.intp)
        return np.asarray(mapped["row"][places], np.float32)

    def _open(self) -> None:
        size = self._file.stat().st_size if self._file.exists() else 0
        count = size // self._kind.itemsize
        if size != count * self._kind.itemsize:
            os.truncate(self._file, count * self._kind.itemsize)
        if count:
            mapped = np.memmap(self._file, self._kind, mode="r")
            keys = np.array(mapped["key"]).tobytes()
            for row in range(count):
                self._rows[keys[row * KEY_BYTES : (row + 1) * KEY_BYTES]] = row

    def _append(self, texts: Sequence[str], features: Array) -> None:
        keys = [hash_text(text) for text in texts]
        records = np.empty(len(texts), self._kind)
        records["key"] = np.frombuffer(b"".join(keys), f"V{KEY_BYTES}")
        records["row"] = features
        try:
            with self._file.open("ab", buffering=0) as stream:
                written = stream.write(records.tobytes())
                if written != records.nbytes:
                    raise OSError(f"only {written} of {records.nbytes} bytes were written")
        except OSError as error:
            with suppress(OSError):  # else the next records would stand beside their places
                os.truncate(self._file, len(self._rows) * self._kind.itemsize)
            raise self._build_unwritable(error) from error
        known = len(self._rows)
        self._rows.update({key: known + place for place, key in enumerate(keys)})

    def _build_unwritable(self, error: OSError) -> GroundingError:
        return GroundingError(
            GroundingCode.STORE_FAILED,
            f"features can't be kept in {self._file.parent} ({error.strerror or error}); make "
            "room, or set FCP_MODELS to a folder on another disk; what was computed is kept",
        )


def hash_text(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=KEY_BYTES).digest()


# --- the features of a training by a sentence model ---

BATCH = 512
AT_A_TIME = 4000  # Pairs whose features are in memory together, while the scaling is fitted


class PhraseEncoder(Protocol):
    """A sentence model."""

    @property
    def model(self) -> str: ...

    @property
    def weights(self) -> str: ...

    def encode(self, phrases: Sequence[str]) -> Array:
        """Encode phrases to unit vectors."""
        ...


class SentenceMaker:
    """Makes the features of pairs by a sentence model, with its vectors in a folder."""

    places = None

    def __init__(self, encoder: PhraseEncoder, folder: Path, report: Report) -> None:
        self.model = encoder.model
        self.weights = encoder.weights
        self._encoder = encoder
        self._report = report
        width = encoder.encode(["a mug"]).shape[1]
        self._store = FeatureStore(folder, f"phrases|{encoder.weights}", width)

    @property
    def encode(self) -> Encode:
        """The vectors of phrases from the disk; new ones are computed and kept."""
        return self._encode

    def prepare(self, training: Mapping[str, Pairs], others: Mapping[str, Pairs]) -> None:
        pairs_of_all = [pair for pairs in (*training.values(), *others.values()) for pair in pairs]
        words = sorted({word for pair in pairs_of_all for word in pair})
        phrases = [*list_phrases(words), *words]
        self._fill(phrases, lambda done, every: self._report("phrases", done, every))

    def make(self, name: str, training: Pairs) -> SentenceFeatures:
        """Fit basis and scaling on the training part of a set."""
        words = list(dict.fromkeys(word for pair in training for word in pair))
        basis = fit_basis(encode_words(words, self._encode)[0])
        plain = SentenceFeatures(self._encode, basis)
        sample = training[:: max(1, len(training) // AT_A_TIME)]
        return SentenceFeatures(self._encode, basis, fit_scaling(plain.compute(sample)))

    def close(self) -> None:
        self._store.close()

    def _encode(self, phrases: Sequence[str]) -> Array:
        self._fill(phrases, lambda _done, _all: None)
        return self._store.read(phrases)

    def _fill(self, phrases: Sequence[str], report: Callable[[int, int], None]) -> None:
        self._store.fill(phrases, self._encoder.encode, BATCH, report)


# --- the interface between a training and the encoder that it trains heads for ---

Pairs = Sequence[tuple[str, str]]
Report = Callable[[str, int, int], None]
"""Takes what is being done, how much of it is done, and how much there is."""


class FeatureMaker(Protocol):
    """Makes the features of the pairs of all sets of a training."""

    @property
    def model(self) -> str: ...

    @property
    def weights(self) -> str:
        """Fingerprint of the model's weights."""
        ...

    @property
    def places(self) -> StatePlaces | None:
        """The hidden states that are read; None for a sentence model."""
        ...

    @property
    def encode(self) -> Encode | None:
        """Vectors of phrases; None for a causal model."""
        ...

    def prepare(self, training: Mapping[str, Pairs], others: Mapping[str, Pairs]) -> None:
        """Compute all that needs the model, and keep it on disk; `others` will be scored only."""
        ...

    def make(self, name: str, training: Pairs) -> PairFeatures:
        """Make the features of a set, fitted on its training part."""
        ...

    def close(self) -> None: ...


# --- the features of a training by a causal model ---


STATES_BATCH = 64
MOST_SAMPLED = 6000  # Questions whose states the reduction is fitted on
POWER_STEPS = 6
MARGIN = 32  # Directions beyond the wanted ones, which make the wanted ones exact sooner


class StateMaker:
    """Makes the features of pairs by a causal model. `report`: is told how it goes."""

    encode = None

    def __init__(
        self,
        encoder: StateEncoder,
        forms: Mapping[str, QuestionForm],
        places: StatePlaces,
        components: int,
        folder: Path,
        report: Report,
    ) -> None:
        self.model = encoder.model
        self.weights = encoder.weights
        self.places = places
        self._forms = forms
        self._components = components
        self._report = report
        self._reading = encoder.make_reading(places)
        self._reduction: StateReduction | None = None
        width = places.count_features(encoder.width)
        self._stores = {
            name: FeatureStore(
                folder, f"{encoder.weights}|{places.layers}|{form}", width, is_halved=True
            )
            for name, form in forms.items()
        }

    def prepare(self, training: Mapping[str, Pairs], others: Mapping[str, Pairs]) -> None:
        """Read the states of all questions, and fit the reduction on those of the training."""
        counts = {name: len(dict.fromkeys([*training[name], *others[name]])) for name in training}
        before = 0
        for name in training:
            pairs = list(dict.fromkeys([*training[name], *others[name]]))
            self._fill(name, pairs, before, sum(counts.values()))
            before += counts[name]
        self._report("reducing", before, before)
        self._reduction = fit_reduction(self._sample(training), self._components)

    def make(self, name: str, training: Pairs) -> StateFeatures:
        """Return the features of a set; the reduction is that of all sets."""
        assert self._reduction is not None

        def read(_form: QuestionForm, pairs: Pairs) -> Array:
            self._fill(name, pairs, 0, 0)
            return self._stores[name].read([join_pair(pair) for pair in pairs])

        return StateFeatures(read, self._forms[name], self._reduction)

    def close(self) -> None:
        for store in self._stores.values():
            store.close()

    def _fill(self, name: str, pairs: Pairs, before: int, every: int) -> None:
        by_text = {join_pair(pair): pair for pair in pairs}
        # Questions of equal length share passes without waste, and passes are checked less often.
        texts = sorted(by_text, key=len)

        def compute(batch: Sequence[str]) -> Array:
            return self._reading(self._forms[name], [by_text[text] for text in batch])

        def report(done: int, _all: int) -> None:
            if every:
                self._report(f"{name}: hidden states", before + done, every)

        self._stores[name].fill(texts, compute, STATES_BATCH, report)

    def _sample(self, training: Mapping[str, Pairs]) -> Array:
        total = sum(map(len, training.values()))
        step = max(1.0, total / MOST_SAMPLED)
        parts = []
        for name, pairs in training.items():
            chosen = [pairs[int(place)] for place in np.arange(0, len(pairs), step)]
            parts.append(self._stores[name].read([join_pair(pair) for pair in chosen]))
        return np.concatenate(parts)


def join_pair(pair: tuple[str, str]) -> str:
    """Write both sides as one text, by which the states are kept."""
    return "\n".join(pair)


def fit_reduction(states: Array, components: int) -> StateReduction:
    """Fit shift, scale and principal directions (`components` at most) of standardised states.

    The directions come from subspace iteration (Halko, Martinsson and Tropp 2011, algorithm 4.4),
    which needs products with a narrow matrix only.
    """
    mean = states.mean(axis=0)
    deviation = np.maximum(states.std(axis=0), 1e-3)
    standard = (states - mean) / deviation
    count = min(components, *standard.shape)
    width = min(count + MARGIN, *standard.shape)
    start = np.random.default_rng(0).normal(size=(standard.shape[1], width))
    basis = np.linalg.qr(standard @ start.astype(np.float32))[0]
    for _ in range(POWER_STEPS):
        basis = np.linalg.qr(standard @ np.linalg.qr(standard.T @ basis)[0])[0]
    _, _, directions = np.linalg.svd(basis.T @ standard, full_matrices=False)
    # In the half precision of the file, so that heads are trained on what they will see.
    projection = directions[:count].T.astype(np.float16).astype(np.float32)
    length = np.sqrt(((standard @ projection) ** 2).sum(axis=1).mean())
    factor = 1.0 / (deviation * max(float(length), 1e-9))
    return StateReduction(np.asarray(mean, np.float32), np.asarray(factor, np.float32), projection)
