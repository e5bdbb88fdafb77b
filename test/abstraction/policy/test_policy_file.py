# SPDX-License-Identifier: Apache-2.0
"""The file of a policy: read and written, refused with a code and a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from damaged_files import COPIES, damaged

from fcp_ros.abstraction.policy.abstraction_data import (
    KnownNames,
    list_signatures,
    read_abstraction,
)
from fcp_ros.abstraction.policy.general_policy import PolicyError, PolicyFault, check_fit
from fcp_ros.abstraction.policy.policy_file import (
    list_policy_files,
    parse_policy,
    read_policy,
    write_policy,
)
from fcp_ros.abstraction.qnp.problem import decode_state
from fcp_ros.abstraction.states.state import read_vocabulary
from fcp_ros.domain import DomainError
from fcp_ros.domain.diagnostics import Diagnostics
from fcp_ros.domain.identity import identify_domain
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.domain.yaml.domain_files import parse_lines
from fcp_ros.foundation.yaml_text import dump_yaml, load_yaml

FOLDER = Path(__file__).parents[3] / "benchmark/abstraction/policies"
FILES = sorted(FOLDER.glob("*.yaml"))
GRIPPER = (FOLDER / "gripper.yaml").read_text()

BALLS = """(define (domain balls) (:requirements :strips)
  (:predicates (at ?b ?r) (here ?r) (held ?b) (flag ?b))
  (:action wave :parameters (?b) :precondition (flag ?b) :effect (held ?b))
  (:action move :parameters (?from ?to) :precondition (here ?from)
    :effect (and (here ?to) (not (here ?from))))
  (:action pick :parameters (?b ?r) :precondition (and (at ?b ?r) (here ?r))
    :effect (and (held ?b) (not (at ?b ?r)))))
"""
PROBLEM = """(define (problem p) (:domain balls) (:objects b r s)
  (:init (at b r) (here s)) (:goal (held b)))"""
POLICY = """format: fcp_ros general policy
version: 1
name: balls
domain: {{name: balls, hash: "{hash}"}}
goals: [held]
features:
  near: "any(and(here, some(inverse(at), top)))"
  left: "count(and(goal.held, not(held)))"
goal: [left = 0]
actions:
  take:
    when: [left > 0]
    effects: [left decreases, not near]
    programs: ["pick(b: goal.held)"]
policy:
  - {{when: [left > 0], do: [take]}}
"""


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_what_is_written_is_read_back(file: Path) -> None:
    policy = read_policy(file)
    assert policy.policy
    assert parse_policy(write_policy(policy)) == policy


def test_rows_stand_for_all_states_that_fit_and_the_first_one_decides() -> None:
    text = GRIPPER.replace("policy:\n", "policy:\n  - {when: [left = 0], do: []}\n")
    policy = parse_policy(text).policy
    assert dict(policy) == {0b00: (), 0b01: (), 0b10: ("fetch",), 0b11: ("bring",)}


def test_rows_name_only_actions_that_apply() -> None:
    row = "policy:\n- {when: [], do: [%s]}\n"
    head = GRIPPER[: GRIPPER.index("policy:\n")]
    whole = parse_policy(GRIPPER)
    names = [action.name for action in whole.qnp.actions]
    policy = parse_policy(head + row % ", ".join(names))
    for state, actions in policy.policy.items():
        values = decode_state(policy.qnp, state)
        for name in names:
            when = policy.qnp.action(name).when
            assert (name in actions) == all(values[v] == value for v, value in when.items())
    assert policy.policy


@pytest.mark.parametrize(
    ("before", "after", "fault", "words"),
    [
        ("format: fcp_ros general policy", "format: cake", PolicyFault.OTHER_FORMAT, "`format`"),
        ("version: 1", "version: 2", PolicyFault.OTHER_FORMAT, "this program reads version 1"),
        ("name: gripper", "name: [", PolicyFault.MALFORMED, "not valid YAML"),
        ("name: gripper", "name: !!python/none x", PolicyFault.MALFORMED, "tag"),
        ("goal: [left = 0]", "gaol: [left = 0]", PolicyFault.MALFORMED, "did you mean goal?"),
        ("goal: [left = 0]", "goal: left = 0", PolicyFault.MALFORMED, "goal: input should be"),
        ("goal: [left = 0]", "goal: [left]", PolicyFault.MALFORMED, "left is a number"),
        ("goal: [left = 0]", "goal: [left = 1]", PolicyFault.MALFORMED, "can't be read"),
        ("goal: [left = 0]", "goal: [left = 0, left > 0]", PolicyFault.MALFORMED, "named twice"),
        ("effects: [carrying]", "effects: [held]", PolicyFault.MALFORMED, "no feature held"),
        (
            "when: [carrying, left > 0]\n    effects",
            "when: [carrying]\n    effects",
            PolicyFault.MALFORMED,
            "require left>0",
        ),
        ("do: [fetch]", "do: [fetsh]", PolicyFault.MALFORMED, "did you mean fetch?"),
        ('any(some(carry, top))"', 'any(carry, top)"', PolicyFault.MALFORMED, "`any` is written"),
        ("left = 0]\nactions", "left = 0]\nfeatures: {}\nactions", PolicyFault.MALFORMED, "twice"),
    ],
)
def test_faults_have_a_code_and_a_sentence(
    before: str, after: str, fault: PolicyFault, words: str
) -> None:
    assert before in GRIPPER
    with pytest.raises(PolicyError) as caught:
        parse_policy(GRIPPER.replace(before, after, 1), "file.yaml")
    assert caught.value.fault is fault
    assert words in caught.value.sentence
    assert "file.yaml" in caught.value.sentence


def test_all_faults_are_named_with_their_lines() -> None:
    text = GRIPPER.replace("left = 0", "lift = 0").replace("do: [fetch]", "do: [fetsh]")
    text = text.replace("effects: [carrying]", "effects: [cake]")
    with pytest.raises(PolicyError) as caught:
        parse_policy(text)
    lines = [line.split(": ")[0] for line in caught.value.sentence.splitlines()]
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if "lift" in line or "cake" in line]
    assert lines == [f"policy:{number}" for number in numbers]


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "no_text.yaml").write_bytes(b"\xff\xfe")
    for name in ("no_text.yaml", "missing.yaml"):
        with pytest.raises(PolicyError) as caught:
            read_policy(tmp_path / name)
        assert caught.value.fault is PolicyFault.UNREADABLE
    with pytest.raises(PolicyError, match="give a folder"):
        list_policy_files(tmp_path / "missing")
    assert [file.name for file in list_policy_files(tmp_path)] == ["no_text.yaml"]


def test_rows_that_stand_for_too_many_states_are_refused() -> None:
    features = "".join(f'  b{n}: "any(b{n})"\n' for n in range(16))
    with pytest.raises(PolicyError, match="name the values of more features"):
        parse_policy(GRIPPER.replace("features:\n", f"features:\n{features}"))


def test_a_policy_of_another_version_of_the_domain_is_refused() -> None:
    domain = parse_pddl(BALLS, PROBLEM).domain
    policy = parse_policy(POLICY.format(hash=identify_domain(domain)))
    check_fit(policy, domain)
    other = parse_pddl(
        BALLS.replace("(here ?r))\n", "(here ?r) (not (held ?b)))\n"), PROBLEM
    ).domain
    with pytest.raises(PolicyError, match="another version of domain balls") as caught:
        check_fit(policy, other)
    assert caught.value.fault is PolicyFault.OTHER_VERSION
    with pytest.raises(PolicyError, match="is for domain gripper-strips") as caught:
        check_fit(parse_policy(GRIPPER), domain)
    assert caught.value.fault is PolicyFault.OTHER_DOMAIN


def test_a_policy_that_looks_at_unknown_names_is_refused() -> None:
    domain = parse_pddl(BALLS, PROBLEM).domain
    text = POLICY.format(hash=identify_domain(domain))
    with pytest.raises(PolicyError, match="looks at hold") as caught:
        check_fit(parse_policy(text.replace("not(held)", "not(hold)")), domain)
    assert caught.value.fault is PolicyFault.UNKNOWN_NAMES
    with pytest.raises(PolicyError, match="constrains ball of pick"):
        check_fit(parse_policy(text.replace("pick(b:", "pick(ball:")), domain)


def test_a_rule_that_can_never_apply_in_a_problem_does_no_harm() -> None:
    domain = parse_pddl(BALLS, PROBLEM).domain
    assert "wave" not in domain.rules
    text = POLICY.format(hash=identify_domain(domain))
    check_fit(parse_policy(text.replace("pick(b: goal.held)", "wave(b: here)")), domain)


def test_names_of_an_abstraction_are_checked_where_the_domain_is_known() -> None:
    domain = parse_pddl(BALLS, PROBLEM).domain
    known = KnownNames(read_vocabulary(domain, ["held"]), list_signatures(domain))
    text = POLICY.format(hash="")
    text = "features:" + text.partition("features:")[2].partition("policy:")[0]

    def read(changed: str) -> None:
        parsed = parse_lines(changed, "file")
        read_abstraction(parsed.data, Diagnostics("file", parsed.lines), "balls", known)

    read(text)
    with pytest.raises(DomainError) as caught:
        read(text.replace("pick(b", "pik(b").replace("some(inverse(at)", "some(inverse(in)"))
    assert [fault.line for fault in caught.value.diagnostics] == [2, 9]
    assert "no rule `pik`" in caught.value.diagnostics[1].message
    assert caught.value.diagnostics[1].fix == "did you mean pick?"


def find_fault(text: str) -> str:
    """Return the sentence of the refusal; empty if the policy is read, and its copy reads alike."""
    try:
        policy = parse_policy(text)
    except PolicyError as error:
        return error.sentence or "a refusal without a sentence"
    assert parse_policy(write_policy(policy)).policy == policy.policy
    return ""


def test_a_damaged_file_is_read_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    for name in ("gripper", "spanner", "miconic"):
        content = (FOLDER / f"{name}.yaml").read_bytes()
        faults = []
        for _, copy in damaged(content, COPIES // 2):
            file.write_bytes(copy)
            try:
                faults.append(find_fault(file.read_text(encoding="utf-8")))
            except UnicodeDecodeError:
                with pytest.raises(PolicyError, match="UTF-8") as caught:
                    read_policy(file)
                faults.append(caught.value.sentence)
        assert len(list(filter(None, faults))) > COPIES // 8
        assert "a refusal without a sentence" not in faults


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [[]], {"a": 1}, [1], True, 1e400, -0.5])
def test_any_value_of_any_key_is_read_or_refused(value: object) -> None:
    whole = load_yaml(GRIPPER)
    without = [{k: v for k, v in whole.items() if k != key} for key in whole]
    action = whole["actions"]["fetch"]
    changed = [{**whole, "actions": {"fetch": {**action, key: value}}} for key in action]
    changed += [{**whole, key: value} for key in whole]
    faults = [find_fault(dump_yaml(data)) for data in (*without, *changed)]
    assert any(faults)
    assert "a refusal without a sentence" not in faults
