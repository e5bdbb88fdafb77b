# SPDX-License-Identifier: Apache-2.0
"""Rules over numbers and choices of oracles, as a domain file states them."""

import math
import re
import sys
from pathlib import Path
from types import FrameType

import pytest

from fcp_ros.cset.schema import closure
from fcp_ros.domain.diagnostics import DomainError
from fcp_ros.domain.expressions.arithmetic import ArithmeticOperation, Distance, ElementAttribute
from fcp_ros.domain.model import (
    MODELS,
    ORACLES,
    STATED,
    Combination,
    FuzzyRule,
    OracleChoice,
    RuleLine,
)
from fcp_ros.domain.yaml.domain_files import parse_domain
from fcp_ros.fuzzy.fuzzy_sets import Sigmoid, Trapezoid

BASE = """\
domain: base
version: "1"
types: {thing: [], robot: [thing], item: [thing]}
relations:
  at: {legs: {robot: robot, item: item}, functional: [robot]}
attributes:
  x: {of: thing, kind: float}
  y: {of: thing, kind: float}
  z: {of: thing, kind: float}
  width: {of: item, kind: int}
  colour: {of: thing, kind: string}
rules:
  go:
    parameters: {robot: robot, item: item}
    when: ['not at(robot, item)']
    add: ['at(robot, item)']
    duration: 1
    executor: go
graded:
  fits:
    parameters: {item: item, robot: robot, words: text}
    context:
      item: [x, y, width, colour, name]
      robot: [x, y]
    oracle: rule
    rule:
      - {value: 'distance(item,  robot)', trapezoid: [-.inf, -.inf, 1.5, 4]}
      - {value: 2 * item.width, sigmoid: {middle: 1.2, width: 1, falling: true}}
    t_norm: product
  several:
    parameters: {item: item}
    oracle: {first_of: [table, default]}
    table:
      - {when: {item: mug}, degree: 0.5}
    rubric:
      question: How well does {item} do?
      anchors:
        0: {means: No.}
        50: {means: Somehow.}
        100: {means: Yes.}
scene: {layers: {agent: robot}, unknown: thing}
"""


def test_rules_and_choices_become_values() -> None:
    graded = parse_domain(BASE).graded
    width = ElementAttribute("item", "width")
    doubled = graded["fits"].rule.lines[1].value
    assert graded["fits"].rule == FuzzyRule(
        (
            RuleLine(
                "distance(item, robot)",
                Distance("item", "robot", ("x", "y")),
                Trapezoid(-math.inf, -math.inf, 1.5, 4.0),
            ),
            RuleLine("2 * item.width", doubled, Sigmoid(1.2, 1.0, True)),
        ),
        "product",
    )
    assert isinstance(doubled, ArithmeticOperation)
    assert doubled.operands[1] == width
    assert graded["several"].oracle == OracleChoice(
        ("table", "default"), Combination.FIRST_OF, "goedel"
    )
    all_of = BASE.replace("first_of: [table, default]", "all_of: [table, default], t_norm: product")
    assert parse_domain(all_of).graded["several"].oracle == OracleChoice(
        ("table", "default"), Combination.ALL_OF, "product"
    )


def test_every_oracle_is_stated_a_model_or_the_default() -> None:
    assert set(ORACLES) == {"default", *MODELS, *STATED}


CHOICE = "oracle: {first_of: [table, default]}"
FAULTS = [
    ("2 * item.width", "2 * itm.width", "itm.width", "unknown parameter itm", "did you mean item"),
    ("2 * item.width", "item.z", "item.z", "not in its context", "add z to `context"),
    ("2 * item.width", "item.colour", "item.colour", "kind string", "kind int or float"),
    ("2 * item.width", "words.x", "words.x", "asks the text words", "element"),
    ("2 * item.width", "2 ** item.width", "2 **", "can't be read", "write numbers"),
    ("robot: [x, y]", "robot: [x]", "distance(", "same coordinates", "[x, y]"),
    ("[-.inf, -.inf, 1.5, 4]", "[1, 0, 2, 3]", "[1, 0", "must not decrease", "0, 1, 1, 0"),
    ("width: 1, falling", "width: 0, falling", "width: 0", "width must be above", "above 0"),
    (", trapezoid: [-.inf, -.inf, 1.5, 4]", "", "distance(", "either a trapezoid", "sigmoid"),
    ("t_norm: product", "t_norm: prodct", "t_norm: prodct", "unknown t-norm prodct", "product"),
    (CHOICE, "oracle: {first_of: [table, embeding]}", "embeding", "embeding", "embedding"),
    (CHOICE, "oracle: {first_of: [table]}", "[table]", "nothing to choose", "oracle: table"),
    (CHOICE, "oracle: {first_of: [table, table]}", "[table, table]", "twice", "once"),
    (CHOICE, "oracle: {}", "oracle: {}", "either first_of or all_of", "first_of"),
    (CHOICE, "oracle: {first_of: [table, rule]}", "several:", "has none", "rule:"),
    (CHOICE, "oracle: {all_of: [causal_lm, default]}", "table:", "does not read", "drop"),
    (
        CHOICE,
        CHOICE[:-1] + ", t_norm: product}",
        "t_norm: product}",
        "nothing is composed",
        "all_of",
    ),
    (CHOICE, CHOICE + "\n    t_norm: goedel", "t_norm: goedel", "no rule whose lines", "all_of"),
]


@pytest.mark.parametrize(("old", "new", "place", "words", "fix"), FAULTS)
def test_each_fault_is_reported_at_its_line(
    old: str, new: str, place: str, words: str, fix: str
) -> None:
    text = BASE.replace(old, new, 1)
    assert text != BASE
    with pytest.raises(DomainError) as caught:
        parse_domain(text)
    told = [problem for problem in caught.value.diagnostics if words in problem.message]
    assert told, caught.value
    assert any(fix in problem.fix for problem in told)
    line = next(n for n, line in enumerate(text.splitlines(), 1) if place in line)
    assert told[0].line == line


def test_the_examples_of_the_documentation_are_sound(repository: Path) -> None:
    text = (repository / "docs" / "domain.md").read_text(encoding="utf-8")
    part = text.split("### Rules over numbers")[1].split("\n## ")[0]
    snippets = re.findall(r"```yaml\ngraded:\n(.*?)```", part, re.DOTALL)
    base = BASE.replace("width: {of: item", "height: {of: thing, kind: float}\n  width: {of: thing")
    base = base.replace("item: [thing]}", "item: [thing], support: [thing]}")
    domain = parse_domain(base.replace("scene:", "".join(snippets) + "scene:"))
    assert domain.graded["near_enough"].rule is not None
    assert domain.graded["safe_near"].oracle == OracleChoice(
        ("rule", "default"), Combination.ALL_OF, "product"
    )


def test_parts_without_what_they_read() -> None:
    start = BASE.index("    table:\n")
    no_table = BASE[:start] + BASE[BASE.index("    rubric:") :]
    with pytest.raises(DomainError, match="judged by a table among others and has no entries"):
        parse_domain(no_table)
    end = BASE.index("scene:")
    with pytest.raises(DomainError, match="judged by a model and has no rubric"):
        parse_domain(BASE[: BASE.index("    rubric:")] + BASE[end:])
    stated = BASE[: BASE.index("    rubric:")].replace("[table, default]", "[rule, table]")
    with pytest.raises(DomainError, match="judged by a rule and has none") as caught:
        parse_domain(stated + BASE[end:])
    assert "rubric" not in str(caught.value)


def test_labels_of_a_table_cost_no_more_with_more_rows(repository: Path) -> None:
    """Each row once asked of every label whether its type is below that of the row."""
    text = (repository / "config" / "domains" / "household.yaml").read_text(encoding="utf-8")
    seen = 0

    def note(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal seen
        seen += event == "call" and frame.f_code is closure.__code__

    sys.setprofile(note)
    try:
        domain = parse_domain(text)
    finally:
        sys.setprofile(None)
    assert seen < 10 * len(domain.schema.types)
