# SPDX-License-Identifier: Apache-2.0
"""WordNet's nouns, and the names in captions, with the real files where they are installed."""

from pathlib import Path

import pytest

from fcp_ros.foundation import labels
from fcp_ros.foundation.labels import find_name, label_forms
from fcp_ros.foundation.wordnet import FOLDER_VARIABLE, PACKAGE, WordNet, find_wordnet


@pytest.fixture(scope="module")
def nouns() -> WordNet:
    found = find_wordnet()
    if found is None:
        pytest.skip(f"WordNet isn't installed: apt install {PACKAGE}")
    return found


@pytest.mark.parametrize(
    ("phrase", "kind", "is_one"),
    [
        ("toddler", "child", True),
        ("gun", "weapon", True),
        ("old hunting rifle", "weapon", True),
        ("scalpels", "knife", True),
        ("knives", "edge tool", True),
        ("pillow", "weapon", False),
        ("guest", "child", False),
        ("xyzzy", "child", False),
        ("", "child", False),
    ],
)
def test_kinds_of_things(nouns: WordNet, phrase: str, kind: str, is_one: bool) -> None:
    assert nouns.is_kind(phrase, frozenset((kind,))) is is_one


def test_a_rarer_meaning_counts_where_it_is_asked_for(nouns: WordNet) -> None:
    weapon = frozenset(("weapon",))
    assert not nouns.is_kind("knife", weapon)
    assert nouns.is_kind("knife", weapon, most_meanings=2)


def test_every_noun_of_a_sample_is_found(nouns: WordNet) -> None:
    folder = next(p for p in (Path("/usr/share/wordnet"),) if p.is_dir())
    lines = (folder / "index.noun").read_text("ascii").splitlines()
    words = [line.split()[0] for line in lines if not line.startswith(" ")]
    for word in (words[0], words[-1], *words[:: len(words) // 500]):
        senses = nouns.find_senses(word.replace("_", " "))
        assert any(word.replace("_", " ") in sense.words for sense in senses), word


def test_without_its_files_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    find_wordnet.cache_clear()
    try:
        assert find_wordnet() is None
        (tmp_path / "index.noun").touch()
        find_wordnet.cache_clear()
        assert find_wordnet() is None
    finally:
        monkeypatch.undo()
        find_wordnet.cache_clear()


CAPTIONS = [
    ("rock which is ideal for drinking", "rock"),
    ("brick next to the milk", "brick"),
    ("sock used as a mug", "sock"),
    ("wedding ring on a finger", "wedding ring"),
    ("painting of a mug", "painting"),
    ("pull out couch", "pull out couch"),
    ("becher beside a mug", "becher"),
    ("not a mug", None),
    ("it is not a mug", None),
    ("mug", "mug"),
]


@pytest.mark.parametrize(("caption", "name"), CAPTIONS)
def test_the_name_in_a_caption(nouns: WordNet, caption: str, name: str | None) -> None:
    words = caption.split()
    found = find_name(words)
    assert found.is_denied is (name is None)
    assert " ".join(words[found.begin : found.end]) == (name or "")


def test_without_wordnet_most_captions_are_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "find_wordnet", lambda: None)
    wrong = []
    for caption, name in CAPTIONS:
        words = caption.split()
        found = find_name(words)
        if " ".join(words[found.begin : found.end]) != (name or ""):
            wrong.append(caption)
    assert len(wrong) <= 2, wrong


@pytest.mark.parametrize(
    ("label", "forms", "others"),
    [
        ("brick next to the milk", ["brick"], ["milk"]),
        ("rock used as a mug", ["rock"], ["mug"]),
        ("not a mug", [], ["mug"]),
        ("painting of a mug", ["painting"], ["mug"]),
        ("rock with a mug", ["rock"], ["mug"]),
        ("trash can small", ["trash can"], []),
        ("old dining tables", ["dining table", "table"], []),
        ("bottle of water", ["water"], []),
    ],
)
def test_the_last_words_of_a_caption_are_those_of_its_name(
    label: str, forms: list[str], others: list[str]
) -> None:
    found = list(label_forms(label))
    assert set(forms) <= set(found)
    assert not set(others) & set(found)
