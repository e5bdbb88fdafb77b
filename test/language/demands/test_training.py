# SPDX-License-Identifier: Apache-2.0
"""Training on few rows with a tiny encoder: the same each time, and for domains never seen."""

from dataclasses import replace

import pytest
from tiny_demands import encode, make_clause

from fcp_ros.domain import parse_domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.demands.frames import OBJECT
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.names import LearnedNames, align_names
from fcp_ros.language.demands.parsed_clauses import split_clauses
from fcp_ros.language.demands.rows import read_rows
from fcp_ros.language.demands.training import leave_one_out, score_rows, train_demands
from fcp_ros.language.demands.weights_file import Datasheet, load_weights, save_weights

WORKSHOP = """
domain: workshop
version: "1.0"
types: {thing: [], robot: [thing], part: [thing], board: [thing]}
relations:
  soldered:
    legs: {part: part, board: board}
    phrases: ["solder {part} to {board}"]
  busy:
    legs: {robot: robot}
  polished:
    legs: {part: part}
    phrases: ["polish {part}"]
attributes: {category: {of: thing, kind: string}}
rules:
  solder:
    parameters: {robot: robot, part: part, board: board}
    when: ['not soldered(part, board)', 'not busy(robot)']
    add: ['soldered(part, board)']
    duration: 5
    executor: solder
scene: {layers: {agent: robot}, unknown: part}
"""


@pytest.fixture(scope="module")
def weights(training_rows):
    return train_demands(training_rows, encode, "tiny")


def test_rows_are_learned(weights, training_rows):
    rows = [row for row in training_rows.rows if row.domain == "home"]
    found = score_rows(weights, rows, training_rows.frames["home"], encode)
    assert (found.rows, found.demands, found.roles) == (6, 1.0, 1.0)


def test_equal_rows_give_equal_files(weights, training_rows, tmp_path):
    for name, one in (("a", weights), ("b", train_demands(training_rows, encode, "tiny"))):
        save_weights(one, Datasheet(training_rows.sources, {}), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_file_keeps_weights_and_datasheet(weights, tmp_path):
    file = tmp_path / "w.safetensors"
    sheet = Datasheet(("rows.yaml: 8 rows, test",), {"home, never seen": 0.5})
    save_weights(weights, sheet, file)
    read, again = load_weights(file)
    assert again == sheet
    assert (read.kind_names, read.encoder, read.names) == (
        weights.kind_names,
        "tiny",
        weights.names,
    )
    assert (read.features == weights.features).all()
    assert (read.kinds == weights.kinds).all()


def test_a_domain_never_seen_is_ranked_by_its_phrases(weights):
    domain = parse_domain(WORKSHOP)
    model = DemandModel(weights, encode)
    clause = make_clause("solder", (OBJECT, "wire"), ("prep:onto", "plate"))
    first, second = model.rank(clause, domain)
    assert (first.meaning.name, second.meaning.name) == ("soldered", "polished")
    assert dict(first.slots) == {"part": 0, "board": 1}
    assert 0.0 <= second.degree < first.degree <= 1.0


def test_leaving_a_domain_out_scores_each_by_the_others(training_rows):
    found = leave_one_out(training_rows, encode)
    assert set(found) == {"home", "garden"}
    assert found["garden"].rows == 2


def test_a_wrong_file_is_refused_with_a_sentence(weights, tmp_path):
    file = tmp_path / "w.safetensors"
    file.write_text("no weights at all")
    with pytest.raises(InputError, match=r"holds no weights .*train it again"):
        load_weights(file)
    save_weights(replace(weights, features=weights.features[:-1]), Datasheet((), {}), file)
    with pytest.raises(InputError, match="features has the shape"):
        load_weights(file)
    with pytest.raises(InputError, match="can't be read"):
        load_weights(tmp_path / "absent")
    with pytest.raises(InputError, match="can't be written"):
        save_weights(weights, Datasheet((), {}), tmp_path / "no folder" / "w.safetensors")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("domains: [", "is no file of rows"),
        ("domains: {a: {verses: []}}", "domains.a.verses"),
        (
            "domains: {a: {phrases: {p: ['take {x}']}, clauses: {q: ['take it']}}}",
            "no phrase for 'q'",
        ),
        ("domains: {a: {phrases: {p: ['take {']}}}", "a phrase of p in a"),
        ("domains: {a: {phrases: {p: ['take {x}']}, clauses: {p: [{verb: 1}]}}}", "is damaged"),
        ("licence: MIT", "no rows to train on"),
    ],
)
def test_a_wrong_file_of_rows_is_refused(text, message, tmp_path):
    file = tmp_path / "rows.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows([file], split_clauses)


def test_names_are_aligned_with_what_sentences_are_about():
    sentences = [
        (["keys", "desk"], ["key chain", "desk"]),
        (["keys", "sofa"], ["key chain", "sofa"]),
        (["pen", "desk"], ["pencil", "desk"]),
        (["pen", "sofa"], ["pencil", "sofa"]),
    ] * 3
    counts = align_names(sentences)
    assert max(counts["key chain"], key=counts["key chain"].get) == "keys"
    names = LearnedNames(counts, lambda a, b: 0.0)
    assert next(iter(names.rank(["keys"], ["desk", "pencil", "key chain"]))) == "key chain"


def test_verbs_that_are_held_out_are_only_scored(rows_file):
    other = rows_file.with_name("held.yaml")
    other.write_text("held_out: [stow, sprinkle]")
    data = read_rows([rows_file, other], split_clauses)
    assert [row.clause.verb for row in data.held_out] == ["stow", "sprinkle"]
    assert not {"stow", "sprinkle"} & {row.clause.verb for row in data.rows}


def test_a_domain_of_the_package_tells_which_nouns_fit(tmp_path):
    file = tmp_path / "rows.yaml"
    clauses = "closed: ['latch [the door]{openable}']"
    file.write_text(f"domains: {{house: {{file: household, clauses: {{{clauses}}}}}}}")
    fit = read_rows([file], split_clauses).fits["house"]
    assert fit("kitchen", "room") == 1.0
    assert fit("kitchen", "item") < fit("gizmo", "item") < fit("mug", "item") == 1.0
    assert fit("me", "person") == 1.0


def test_vectors_of_phrases_are_kept_for_the_next_process(weights, cache):
    asked = []

    def count(texts):
        asked.append(len(texts))
        return encode(texts)

    domain = parse_domain(WORKSHOP)
    clause = make_clause("solder", (OBJECT, "wire"), ("prep:onto", "plate"))
    first = DemandModel(weights, count).rank(clause, domain)
    new = sum(asked)
    asked.clear()
    assert DemandModel(weights, count).rank(clause, domain) == first
    assert sum(asked) < new
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:100])
    assert DemandModel(weights, count).rank(clause, domain) == first
    other = replace(weights, encoder="another")
    DemandModel(other, count).rank(clause, domain)
    assert len(list(cache.iterdir())) == 2


def test_a_noun_that_was_said_for_other_labels_is_compared_in_meaning():
    counts = {"counter top": {"counter": 900}, "drawer": {"drawer": 90}, "dresser": {"dresser": 90}}
    names = LearnedNames(counts, lambda a, b: 0.8 if {a, b} == {"dresser", "drawer"} else 0.3)
    assert next(iter(names.rank(["dresser"], ["counter top", "drawer"]))) == "drawer"


def test_a_noun_that_hardly_anybody_said_for_a_label_is_no_name_of_it():
    """Five of 410 sentences with a knife were about an apple; where no knife is, it is none."""
    counts = {"apple": {"apple": 95, "knife": 5}, "knife": {"knife": 400}}
    names = LearnedNames(counts, lambda a, b: 0.2)
    assert names.rank(["knife"], ["apple"])["apple"] < 0.1
    assert names.rank(["knife"], ["apple", "knife"])["knife"] > 0.9
