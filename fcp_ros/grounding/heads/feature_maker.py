# SPDX-License-Identifier: Apache-2.0
"""The interface between a training and the encoder that it trains heads for."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from fcp_ros.foundation.sqlite_file import DatabaseFileError, open_database
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
_TABLES = ("CREATE TABLE IF NOT EXISTS features (text TEXT PRIMARY KEY, row BLOB NOT NULL)",)


def locate_features() -> Path:
    return locate_models() / ".features"


class FeatureStore:
    """Features of texts in a database: each batch is on the disk once it is computed.

    `source` names all that they depend on beside the text: model, layers, precision; `is_halved`
    keeps them in half precision. Raises GroundingError (STORE_FAILED): the folder can't be used.
    """

    def __init__(self, folder: Path, source: str, width: int, *, is_halved: bool = False) -> None:
        name = hashlib.sha256(f"{source}|{width}|{is_halved}".encode()).hexdigest()[:24]
        self._file = folder / f"{name}.sqlite"
        self._kind = np.dtype("<f2" if is_halved else "<f4")
        self._width = width
        try:
            self._rows, _ = open_database(self._file, _TABLES, synchronous="NORMAL")
        except DatabaseFileError as error:
            raise self._build_unwritable(error) from error

    def close(self) -> None:
        self._rows.close()

    def find_missing(self, texts: Sequence[str]) -> list[str]:
        """Find the texts without features, each once, in order."""
        known = {text for (text,) in self._rows.execute("SELECT text FROM features")}
        return [text for text in dict.fromkeys(texts) if text not in known]

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
            self._keep(chosen, compute(chosen))
            done += len(chosen)
            report(done, every)

    def read(self, texts: Sequence[str]) -> Array:
        """Read the features of texts, shape (len(texts), width); all must be there."""
        query = "SELECT row FROM features WHERE text = ?"
        content = b"".join(self._rows.execute(query, (text,)).fetchone()[0] for text in texts)
        return np.frombuffer(content, self._kind).reshape(-1, self._width).astype(np.float32)

    def _keep(self, texts: Sequence[str], features: Array) -> None:
        rows = [row.tobytes() for row in features.astype(self._kind)]
        try:
            self._rows.execute("BEGIN IMMEDIATE")
            insert = "INSERT OR REPLACE INTO features VALUES (?, ?)"
            self._rows.executemany(insert, zip(texts, rows, strict=True))
            self._rows.execute("COMMIT")
        except sqlite3.Error as error:
            if self._rows.in_transaction:
                self._rows.execute("ROLLBACK")
            raise self._build_unwritable(error) from error

    def _build_unwritable(self, error: Exception) -> GroundingError:
        return GroundingError(
            GroundingCode.STORE_FAILED,
            f"features can't be kept in {self._file.parent} ({error}); make room, or set "
            "FCP_MODELS to a folder on another disk; what was computed is kept",
        )


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
