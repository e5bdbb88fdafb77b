# SPDX-License-Identifier: Apache-2.0
"""Replaying the steps of a sequence in another order, without some of them, or on another state.

A match is carried over element by element: what was there at the start goes by name, what a step
created goes by that step. So a sequence can be replayed although ids and names come out otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.rewriting.rewrite import rewrite
from fcp_ros.cset.rewriting.rule import Rule
from fcp_ros.cset.sequences.applied_step import AppliedStep, StepError, check_sequence
from fcp_ros.cset.sequences.relabel import relabelled


@dataclass(frozen=True)
class Replay:
    """What came of replaying steps.

    Attributes:
        steps: those that were applicable, as they were applied now, in the order of the replay.
        instance: the state after them.
        images: for ids of the original sequence, the ids of the same elements now. Only what a
            replayed step matched or created is in it.
        failed: index, in the original sequence, of the step that was not applicable; None where all
            were.
        violations: why it was not.
    """

    steps: tuple[AppliedStep, ...]
    instance: Instance
    images: Mapping[int, int]
    failed: int | None = None
    violations: tuple[Violation, ...] = ()


def replay(
    state: Instance, steps: Sequence[AppliedStep], order: Sequence[int] | None = None
) -> Replay:
    """Apply the steps of a sequence once more.

    What a step creates is named as in the original sequence where that name is free.

    Args:
        state: where to start: the state at which the sequence started, or another one in which the
            elements that the steps match go by the same names.
        steps: the original sequence.
        order: which steps, by index, in which order; all of them as they were by default.

    Raises:
        StepError: the steps are no sequence, or `order` has an index twice or out of range.
    """
    check_sequence(steps)
    chosen = range(len(steps)) if order is None else order
    if len(set(chosen)) != len(chosen) or not set(chosen) <= set(range(len(steps))):
        raise StepError(f"the order {tuple(chosen)} is not one of the steps 0 .. {len(steps) - 1}")
    created = {element for step in steps for element in step.rewrite.change.created}
    images: dict[int, int] = {}
    done: list[AppliedStep] = []
    for index in chosen:
        outcome = _again(steps[index], state, images, created)
        if not isinstance(outcome, AppliedStep):
            return Replay(tuple(done), state, images, index, outcome)
        done.append(outcome)
        state = outcome.after
    return Replay(tuple(done), state, images)


def _again(
    step: AppliedStep, state: Instance, images: dict[int, int], created: set[int]
) -> AppliedStep | tuple[Violation, ...]:
    """The step applied to another state, or why it cannot be; notes the new ids in `images`."""
    elements = {}
    lacking = []
    for element in step.rule.L.all_elements():
        original = step.match.mapping[element]
        name = step.before.name_of(original)
        if original not in images and original not in created and state.has(name):
            images[original] = state.id_of(name)
        image = images.get(original)
        if image is None or not state.contains(image):
            lacking.append(_lacking(repr(name), name))
        else:
            elements[element] = image
    if lacking:
        return tuple(lacking)
    mapping, lacking = _with_tuples(step.rule.L, state, elements)
    if lacking:
        return tuple(lacking)
    rule, copied = _named_as_before(step)
    match = Morphism(rule.L, state, mapping)
    outcome = rewrite(rule, match)
    if outcome.comatch is None:
        return outcome.violations
    for element in step.rule.R.all_elements():
        # SPO may lose elements of R.
        if element in step.comatch.mapping and copied[element] in outcome.comatch.mapping:
            images[step.comatch.mapping[element]] = outcome.comatch.mapping[copied[element]]
    return AppliedStep(rule, match, outcome)


def _with_tuples(
    left: Instance, state: Instance, elements: dict[int, int]
) -> tuple[dict[int, int], list[Violation]]:
    """The mapping of elements with the images of the tuples, and which of these there are not."""
    mapping = dict(elements)
    lacking = []
    for relation in left.schema.relations:
        for row, legs in left.tuples(relation.name).items():
            images = tuple([elements[leg] for leg in legs])
            found = state.find_tuple(relation.name, images)
            if found is None:
                names = ", ".join(state.name_of(image) for image in images)
                lacking.append(_lacking(f"{relation.name}({names})", f"{relation.name}({names})"))
            else:
                mapping[row] = found
    return mapping, lacking


def _named_as_before(step: AppliedStep) -> tuple[Rule, Mapping[int, int]]:
    """The rule with what it creates named as in the step, and the ids of its R by the old ones."""
    rule = step.rule
    names = {
        id_: step.after.name_of(step.comatch.mapping[id_])
        for id_ in rule.created
        if rule.R.schema.has_type(rule.R.type_of(id_)) and id_ in step.comatch.mapping
    }
    if all(rule.R.name_of(id_) == name for id_, name in names.items()):
        return rule, {id_: id_ for id_ in step.comatch.mapping}
    taken = set(names.values())
    for id_ in rule.R.all_elements():
        if id_ not in names:
            # Names of what is there already do not matter, but must differ from the others.
            name = rule.R.name_of(id_)
            while name in taken:
                name += "'"
            names[id_] = name
            taken.add(name)
    copy = relabelled(rule.R, names)
    return replace(rule, right=rule.right.compose(copy)), copy.mapping


def _lacking(shown: str, name: str) -> Violation:
    return Violation(ViolationKind.NATURALITY, f"{shown} is not there", (name,))
