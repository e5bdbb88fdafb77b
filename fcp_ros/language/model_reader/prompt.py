# SPDX-License-Identifier: Apache-2.0
"""The question to a language model: which goal does an instruction stand for?

What all instructions in a domain share comes first, then the scene, then the instruction, so that a
model reads again only what is new. Names and words from outside are quoted data on one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcp_ros.cset import Instance
from fcp_ros.domain.expressions.syntax import quote_if_needed
from fcp_ros.domain.model import Domain, Parameter
from fcp_ros.grounding.generation import quote_data
from fcp_ros.language.model_reader.examples import Example
from fcp_ros.language.model_reader.goal_grammar import UNCLEAR
from fcp_ros.language.model_reader.names import OfferedElement, OfferedNames
from fcp_ros.language.reader import ReadingContext

MOST_FACTS = 60
"""Facts that the prompt shows."""
MOST_KINDS_SHOWN = 24
CUE = "Goal:"


def write_task(domain: Domain, names: OfferedNames) -> str:
    """Write the part that all instructions in a domain share."""
    relations = [
        f"{_write_signature(name, parameters)}"
        for name, parameters in names.vocabulary.relations.items()
    ]
    graded = [_describe_graded(domain, name) for name in names.vocabulary.graded]
    return "\n".join(
        [
            "Translate what a person says to a robot into a goal: a condition that shall hold when "
            "the robot is done. Write one goal on one line, and nothing else.",
            f"Relations: {'; '.join(relations)}.",
            *(["How well something fits:", *graded] if graded else []),
            "Forms: A and B; not A; exists ?x: kind (A) is some kind; forall ?x: kind (A) is every "
            "kind; at least 2 ?x: kind (A); never A; first A then B; (A or B).",
            f"What has no such goal is: {UNCLEAR}",
        ]
    )


def write_question(
    instruction: str,
    context: ReadingContext,  # domain, state, speaker
    names: OfferedNames,
    examples: Sequence[Example],  # made from the same names
    faults: Sequence[str] = (),  # of earlier answers, as sentences
) -> str:
    """Write the scene, the examples and the instruction."""
    things = ", ".join(_describe(element) for element in names.shown)
    facts = "; ".join(_list_facts(context.instance, names.shown))
    persons = [
        f"{words} {_find_shown(name, names)}."
        for words, name in (("I am", context.speaker), ("You are", context.robot))
        if name
    ]
    kinds = ", ".join(quote_if_needed(kind) for kind in names.kinds[:MOST_KINDS_SHOWN])
    lines = [
        f"Here: {things}.",
        f"Now: {facts}." if facts else "",
        " ".join(persons),
        *(f'Instruction: "{one.sentence}"\n{CUE} {one.goal}' for one in examples),
        f"Kinds: {kinds}.",
        *(f"Not so: {quote_data(fault, 300)}" for fault in faults),
        f'Instruction: "{quote_data(instruction)}"',
        CUE,
    ]
    return "\n".join(line for line in lines if line)


def _write_signature(name: str, parameters: Sequence[Parameter]) -> str:
    shown = (
        parameter.name
        if parameter.name == parameter.type
        else f"{parameter.name}: {parameter.type}"
        for parameter in parameters
    )
    return f"{name}({', '.join(shown)})"


def _describe_graded(domain: Domain, name: str) -> str:
    predicate = domain.graded[name]
    shown = ", ".join(
        f'"{parameter.name}"' if parameter.is_text else parameter.name
        for parameter in predicate.parameters
    )
    question = predicate.rubric.question if predicate.rubric is not None else ""
    return f"{name}({shown}): {' '.join(question.split())}" if question else f"{name}({shown})"


def _describe(element: OfferedElement) -> str:
    is_said = element.label.replace(" ", "_") in element.shown
    remarks = [] if is_said else [element.label]
    if element.description:
        remarks.append(f'said to be "{element.description}"')
    return f"{element.shown} ({'; '.join(remarks)})" if remarks else element.shown


def _find_shown(name: str, names: OfferedNames) -> str:
    return next((e.shown for e in names.elements if e.name == name), "")


def _list_facts(instance: Instance, shown: Sequence[OfferedElement]) -> Iterator[str]:
    """List facts of the state about what is shown, as atoms."""
    by_id = {instance.id_of(element.name): element.shown for element in shown}
    left = MOST_FACTS
    for relation in instance.schema.relations:
        for legs in instance.tuples(relation.name).values():
            if left and all(leg in by_id for leg in legs):
                left -= 1
                yield f"{relation.name}({', '.join(by_id[leg] for leg in legs)})"
