# SPDX-License-Identifier: Apache-2.0
"""Application conditions: what must not, or must, surround a match.

A condition extends the left side L of a rule to a larger pattern P along L -> P. A negative one
(NAC) holds at a match L -> G when no P -> G extends the match, a positive one (PAC) when some does.
"""

from dataclasses import dataclass
from enum import Enum

from fcp_ros.cset.instance.instance import Instance
from fcp_ros.cset.instance.morphism import Morphism
from fcp_ros.cset.instance.violation import Violation, ViolationKind
from fcp_ros.cset.search.homs import find_hom


class ConditionKind(str, Enum):
    """Whether the extension must be absent or present."""

    NAC = "nac"
    PAC = "pac"


@dataclass(frozen=True)
class ApplicationCondition:
    """One condition of a rule.

    Attributes:
        kind: negative or positive.
        name: for messages: what it says, in words of the domain.
        inclusion: from the rule's left side to the larger pattern.
        monic: whether only monic extensions count. By default they need not be: what is existential
            in ``not holding(robot, ?any)`` may be any element, matched already or not.
    """

    kind: ConditionKind
    name: str
    inclusion: Morphism
    monic: bool = False

    @property
    def pattern(self) -> Instance:
        """The larger pattern."""
        return self.inclusion.target

    def extension(self, match: Morphism) -> Morphism | None:
        """A morphism from the larger pattern that extends the match, None where there is none."""
        initial: dict[int, int] = {}
        for id_, image in self.inclusion.mapping.items():
            # L -> P may identify two elements; then only matches that do so too extend.
            if initial.setdefault(image, match.mapping[id_]) != match.mapping[id_]:
                return None
        return find_hom(self.pattern, match.target, monic=self.monic, initial=initial)

    def violation(self, match: Morphism) -> Violation | None:
        """Why the condition does not hold at the match, None where it holds."""
        found = self.extension(match)
        if self.kind is ConditionKind.NAC and found is not None:
            names = tuple(found.target.name_of(found.mapping[id_]) for id_ in self._extra())
            text = f"{self.name!r} must not match, but it does: {', '.join(names) or 'always'}"
            return Violation(ViolationKind.NEGATIVE_CONDITION, text, names)
        if self.kind is ConditionKind.PAC and found is None:
            lacking = tuple(self.pattern.name_of(id_) for id_ in self._extra())
            text = f"{self.name!r} must match, but nothing is like {', '.join(lacking) or 'it'}"
            around = tuple(sorted(set(match.by_name().values())))
            return Violation(ViolationKind.POSITIVE_CONDITION, text, around)
        return None

    def _extra(self) -> list[int]:
        """What the larger pattern has beyond the left side; tuples where there are any."""
        image = self.inclusion.image()
        rows = [
            row
            for relation in self.pattern.schema.relations
            for row in self.pattern.tuples(relation.name)
            if row not in image
        ]
        return rows or [e for e in self.pattern.all_elements() if e not in image]
