# SPDX-License-Identifier: Apache-2.0
"""Frames: what the conditions of one step of a run are about, and what they are translated to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fcp_ros.cset.instance.expressions import Expression
from fcp_ros.cset.sequences.pattern_draft import Key, Legs, PatternDraft, Place
from fcp_ros.cset.sequences.symbolic_run import RunStep, SymbolicRun


@dataclass(frozen=True)
class Frame:
    """A pattern at the start of a run, and what it has become before one of its steps.

    Attributes:
        before: the pattern at the start, with attributes.
        after: what it has become; its attributes are in `written`, or in `before`.
        created: keys of `after` that `before` lacks.
        deleted: keys of `before` that `after` lacks.
        removed: tuples that cannot be in `after` unless it has them, since they were removed.
        written: values assigned in between; None where they were unset.
    """

    before: PatternDraft
    after: PatternDraft
    created: frozenset[Key]
    deleted: frozenset[Key]
    removed: frozenset[tuple[str, Legs]]
    written: Mapping[Place, Expression | None]

    @property
    def is_trivial(self) -> bool:
        """Whether nothing has changed."""
        return not (self.created or self.deleted or self.written)

    def value(self, place: Place) -> Expression | None:
        """The value of an attribute in `after`; None where it is not set, or not known."""
        return self.written[place] if place in self.written else self.before.values.get(place)

    def is_open(self, place: Place) -> bool:
        """Whether nothing is known of an attribute in `after`."""
        known = place in self.written or place in self.before.values
        return not known and place[0] not in self.created

    def knows(self, key: Key) -> bool:
        """Whether an element or tuple is in `after`."""
        return key in self.after.types or key in self.after.tuples

    def changed(self, attributes: Iterable[str]) -> frozenset[Key]:
        """What is in `after` and is not as it was: created, or written to in these attributes."""
        names = set(attributes)
        written = {key for key, name in self.written if name in names and self.knows(key)}
        return self.created | written

    def extended(self, pattern: PatternDraft) -> "Frame":
        """The frame of a larger pattern at the start, whose additions stay as they are."""
        after = self.after.copy()
        old = self.before.types.keys() | self.before.tuples.keys()
        after.add_all(pattern, [k for k in (*pattern.types, *pattern.tuples) if k not in old])
        for key in after.types:
            if key in pattern.types:
                after.types[key] = pattern.types[key]
        for argument, value in pattern.functions.items():
            if argument[1] in after.types:
                after.functions[argument] = value
        return replace(self, before=pattern, after=after)


def frame_of(run: SymbolicRun, step: RunStep) -> Frame:
    """The frame of a step, with all that later steps turned out to need."""
    start, now = run.known.start, run.known.start.copy()
    for key in sorted(step.deleted, key=lambda key: key in now.types):
        now.remove(key)
    now.add_all(step.before, step.created)
    now.values.clear()
    return Frame(start, now, step.created, step.deleted, step.removed, step.written)
