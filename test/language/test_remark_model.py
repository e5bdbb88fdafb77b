# SPDX-License-Identifier: Apache-2.0
"""Parts that ask for nothing as far as people's words taught: left out, named, and asked about."""

import numpy as np
import pytest

from fcp_ros.cli.session import open_session
from fcp_ros.foundation.input_error import InputError
from fcp_ros.grounding.models.label_similarity import EmbeddingLabelSimilarity
from fcp_ros.language.confidence import Confidence
from fcp_ros.language.confirmation import confirm_doubtful, list_unread
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.reading import ReadingStatus
from fcp_ros.language.registry import ReaderOptions, make_reader
from fcp_ros.language.remarks.remark_model import RemarkModel, load_weights, save_weights
from fcp_ros.language.remarks.training import (
    PACKAGED_ROWS,
    read_remarks,
    score_remarks,
    train_remarks,
)

LEFT_OUT = {
    "Same old story, close the door.": "closed(door_1)",
    "Nothin' but rain these days, close the door.": None,  # "but" may turn round what follows
    "ugh my poor feet, put the mug on the couch": "on(mug_1, couch_1)",
    "Wipe the table, totally disgusting that thing.": "not dirty(table_1)",
}
KEPT = [
    "Close the door, glimp it well.",
    "Close the door, no draught.",
    "Close the door, whistle a tune.",
    "Dance, then close the door.",
    "Grandma wants a song. Close the door.",
    "Tell me a joke, close the door.",
    "Close the door, the squeaky one.",
    "Put the mug on the couch, careful people about.",
    "Put the mug with the handle on the couch.",
    "Bring me something for my drawing class.",
    "Put the mug on the couch, not the frumpet.",
    "Put the mug on the couch unless something beeps.",
]
ENCODED = 8


@pytest.fixture(scope="module")
def house():
    session = open_session("household", "twin_house_furnished")
    instance = session.state.instance
    return ReadingContext(
        session.domain, instance, "person_1", similarity=EmbeddingLabelSimilarity()
    )


@pytest.fixture(scope="module")
def reader():
    return make_reader(ReaderOptions(model=""))


def encode(texts):
    """Make a unit vector of each text, by its letters."""
    rows = [np.bincount([ord(c) % ENCODED for c in text], minlength=ENCODED) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


@pytest.mark.parametrize("sentence", LEFT_OUT)
def test_what_asks_for_nothing_is_left_out_named_and_asked_about(sentence, house, reader):
    found = reader.read(sentence, house)
    if LEFT_OUT[sentence] is None:
        assert found.best is None
        return
    assert found.best is not None, found.message
    assert found.best.goal == LEFT_OUT[sentence]
    assert found.best.level < Confidence.PLAIN
    missing = list_unread(sentence, found.best)
    assert missing
    asked = confirm_doubtful(found)
    assert asked.status is ReadingStatus.AMBIGUOUS
    assert all(part in asked.question for part in missing)


@pytest.mark.parametrize("sentence", KEPT)
def test_what_may_matter_is_never_left_out(sentence, house, reader):
    found = reader.read(sentence, house)
    assert found.best is None or not found.best.unread, found.message


def test_training_learns_and_its_file_says_what_it_was(tmp_path):
    file = tmp_path / "rows.yaml"
    idle = "".join(f'  - "[I am tired of it {n}]. Close the door."\n' for n in range(20))
    matters = "".join(f'  - "Close the door [and shelf {n}]."\n' for n in range(20))
    file.write_text(f"licence: mine\nidle:\n{idle}matters:\n{matters}")
    data = read_remarks([file])
    weights = train_remarks(data, encode, "e")
    rated = RemarkModel(weights, encode).rate([row.part for row in data.rows])
    assert min(rated[:20]) > 0.5 > max(rated[20:])
    datasheet = score_remarks(data, encode)
    save_weights(weights, datasheet, tmp_path / "w.safetensors")
    again, read = load_weights(tmp_path / "w.safetensors")
    assert read == datasheet
    assert read.sources == ("rows.yaml: 40 parts, mine",)
    assert np.allclose(again.features, weights.features, atol=1e-6)


def test_packaged_weights_are_those_of_the_packaged_rows():
    _, datasheet = load_weights()
    data = read_remarks([PACKAGED_ROWS])
    assert datasheet.sources == data.sources
    assert min(datasheet.scores.values()) > 0.8


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("licence: mine\nidle: ['Close the door.']\nmatters: ['[x] y']\n", "brackets"),
        ("licence: mine\nidle: ['[a] [b]']\n", "brackets"),
        ("idle: []\n", "licence"),
        ("licence: mine\nidle: ['[I am tired], go.']\n", "both"),
    ],
)
def test_faults_of_rows_are_said(tmp_path, content, said):
    file = tmp_path / "rows.yaml"
    file.write_text(content)
    with pytest.raises(InputError, match=said):
        read_remarks([file])


def test_other_files_are_no_weights(tmp_path):
    file = tmp_path / "w.safetensors"
    file.write_bytes(b"12345678{}")
    with pytest.raises(InputError, match="train-remarks"):
        load_weights(file)
