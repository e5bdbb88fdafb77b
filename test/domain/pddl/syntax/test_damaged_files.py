# SPDX-License-Identifier: Apache-2.0
"""Damaged files: read, or refused with file, line, column and a sentence; never a traceback."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fcp_ros.domain.pddl import PddlError, read_pddl
from fcp_ros.domain.pddl.syntax.formulas import MAX_DEPTH

EXAMPLES = (
    "blocks",
    "briefcase",
    "courier",
    "ferry",
    "gripper",
    "logistics",
    "miconic",
    "workshop",
)
DOMAIN = """(define (domain d) (:types t) (:predicates (p ?x - t) (q))
  (:action a :parameters (?x - t) :precondition (q) :effect (p ?x)))"""
PROBLEM = "(define (problem p) (:domain d) (:objects o - t) (:init (q)) (:goal (p o)))"
DEEP = 10_000


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """Read two files, given as bytes; return None, or the sentence of the refusal."""
    folder = tmp_path_factory.mktemp("damaged")
    domain, problem = folder / "d.pddl", folder / "p.pddl"

    def read(*contents):
        for file, content in zip((domain, problem), contents, strict=True):
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            read_pddl(domain, problem)
        except PddlError as error:
            sentence = str(error).removeprefix(f"{folder}/")
            assert sentence.isprintable()
            assert len(sentence) < 1000
            place = r"[dp]\.pddl:\d+:\d+: ." if "UTF-8" not in sentence else r"[dp]\.pddl: is not"
            assert re.match(place, sentence), sentence
            assert re.search(r"\. Fix: .+\.$", sentence), sentence
            return sentence
        return None

    return read


@pytest.fixture(scope="module")
def examples(repository):
    folder = repository / "test" / "data" / "pddl"
    return [
        tuple((folder / name).read_bytes() for name in (f"{one}.pddl", f"{one}-1.pddl"))
        for one in EXAMPLES
    ]


@st.composite
def damages(draw):
    """Change a text of bytes in a few places, given as shares of its length."""
    place, byte = st.floats(0, 1, exclude_max=True), st.integers(0, 255)
    kinds = st.sampled_from(["cut", "byte", "repeat", "remove", "insert", "upper"])
    many = draw(st.lists(st.tuples(kinds, place, place, byte), min_size=1, max_size=4))
    bracket = st.sampled_from([b"(", b")", b"()", b")(", b";", b"?", b" - ", b"\xc3\xa9", b"\0"])
    return [(*one, draw(bracket)) for one in many]


def damage(text, changes):
    for kind, first, second, byte, inserted in changes:
        at, other = int(first * len(text)), int(second * len(text))
        if kind == "cut":
            text = text[:at]
        elif kind == "byte":
            text = text[:at] + bytes([byte]) + text[at + 1 :]
        elif kind == "repeat":
            text = text[: max(at, other)] + text[min(at, other) :]
        elif kind == "remove":
            text = text[: min(at, other)] + text[max(at, other) :]
        elif kind == "insert":
            text = text[:at] + inserted + text[at:]
        else:
            text = text.upper()
    return text


@given(which=st.integers(0, len(EXAMPLES) - 1), problem=st.booleans(), changes=damages())
def test_damaged_examples(read, examples, which, problem, changes):
    files = list(examples[which])
    files[problem] = damage(files[problem], changes)
    read(*files)


@pytest.mark.parametrize(
    "word",
    ["and", "or", "not", "imply (q)", "forall (?z - t)", "exists (?z - t)", "when (q)", "+ 1"],
)
def test_ten_thousand_levels(read, word):
    deep = f"{f'({word} ' * DEEP}(q){')' * DEEP}"
    for old in (":precondition (q)", ":effect (p ?x)"):
        key = old.split()[0]
        sentence = read(DOMAIN.replace(old, f"{key} {deep}"), PROBLEM)
        assert sentence is not None
    assert read(DOMAIN, PROBLEM.replace("(p o)", deep)) is not None
    assert MAX_DEPTH < DEEP


@pytest.mark.parametrize("old", ["domain d)", "(:types t", "(q)", "action a", "(p ?x)"])
def test_huge_names_in_domains(read, old):
    read(DOMAIN.replace(old, f"{old[:-1]}{'x' * 1_000_000}{old[-1]}", 1), PROBLEM)


@pytest.mark.parametrize("old", ["(:objects o", "(:init (q)", "(:goal (p o)", "(problem p)"])
def test_huge_names_in_problems(read, old):
    read(DOMAIN, PROBLEM.replace(old, f"{old[:-1]}{'x' * 1_000_000}{old[-1]}", 1))


@pytest.mark.parametrize("letter", ["é", "日", "\u202e", "\x1b[31m", "\0", "\u0131", "\U0001f600"])
def test_letters_that_names_do_not_have(read, letter):
    sentence = read(DOMAIN, PROBLEM.replace("objects o", f"objects o{letter}"))
    assert "can't stand among the objects" in sentence


@pytest.mark.parametrize("text", [b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xfe\xff\0("])
def test_bytes_that_are_no_utf_8(read, text):
    assert "not UTF-8" in read(DOMAIN.encode() + text, PROBLEM)


BAD_DOMAIN_SECTIONS = """
:types a - b b - a
:types a - a
:types - a
:types ?x
:types a - (either)
:predicates (q) (q)
:functions f
:requirements :x) (:requirements :y
"""
BAD_PROBLEM_SECTIONS = """
:objects x
:init
:goal (q)
:domain d
:metric
:metric minimize
:metric optimize (total-cost)
:metric minimize (f o)
:htn
:init)
:types t
:action a
"""


@pytest.mark.parametrize("section", BAD_DOMAIN_SECTIONS.strip().splitlines())
def test_wrong_sections_of_domains(read, section):
    name = section.split()[0]
    domain = re.sub(rf"\({name} [^()]*(\([^()]*\) ?)*\)", "", DOMAIN)
    assert read(domain.replace("(:action", f"({section}) (:action"), PROBLEM) is not None


@pytest.mark.parametrize("section", BAD_PROBLEM_SECTIONS.strip().splitlines())
def test_wrong_sections_of_problems(read, section):
    assert read(DOMAIN, f"{PROBLEM[:-1]} ({section}))") is not None
