# SPDX-License-Identifier: Apache-2.0
"""The choices for goals of the small domain, from its declarations alone: an oracle for the engine.

Nothing of the engine is used: a conjunct is a small value, its choices are listed from the sections
`relaxable` and `relaxing` of the domain, and a combination of them is a goal without degrees, with
the degree of its changes beside it.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

WEAKER = 0.65
DROP = {"on": 0.25, "holding": 0.2}
SPLIT = 0.55
NAMED = 0.9
LABELS = {"mug_1": "mug", "cup_1": "cup", "plate_1": "plate", "book_1": "book"}
EPSILON = 1e-9


@dataclass(frozen=True)
class Wish:
    """A fact that is wanted: `on(item, surface)`, or `holding(robot_1, item)`."""

    relation: str
    item: str
    surface: str = ""

    @property
    def text(self):
        if self.relation == "on":
            return f"on({self.item}, {self.surface})"
        return f"holding(robot_1, {self.item})"

    def excludes(self, other):
        """Return True if no state has both, whatever else is in the world."""
        if self.relation != other.relation or self == other:
            return False
        return self.relation == "holding" or self.item == other.item

    def take(self, item):
        """Return the same of another item."""
        return Wish(self.relation, item, self.surface)


@dataclass(frozen=True)
class Order:
    """`A before B` or `first A then B`, of two wishes."""

    operator: str
    one: Wish
    other: Wish

    def write(self, one, other):
        if self.operator == "before":
            return f"({one}) before ({other})"
        return f"(first {one} then {other})"

    @property
    def text(self):
        return self.write(self.one.text, self.other.text)


@dataclass(frozen=True)
class Choice:
    """What takes the place of a conjunct.

    Attributes:
        goal: what has to hold; "" if it is given up.
        spoken: what an order says of it; "" leaves it out.
        losses: (share of the conjunct, degree) of each change; empty for the conjunct as wanted.
        used: the substitute; "" for none.
        brings: (relation, item, surface) of facts that serve it; "" stands for any surface.
    """

    goal: str
    spoken: str
    losses: tuple[tuple[float, float], ...] = ()
    used: str = ""
    brings: tuple[str, str, str] | None = None

    @property
    def is_dropped(self):
        return not self.goal


def list_wish_choices(wish, setting):
    """List the choices for a wish; number 0 is the wish itself."""
    fact = (wish.relation, wish.item, wish.surface)
    found = [Choice(wish.text, wish.text, (), "", fact)]
    if not setting.is_contradicted(wish):
        for used, degree in (("", 1.0), *setting.list_substitutes(wish)):
            other = wish.take(used or wish.item)
            lost = ((1.0, NAMED), (1.0, degree)) if used else ()
            brings = (other.relation, other.item, other.surface)
            if used:
                found.append(Choice(other.text, other.text, lost, used, brings))
            if wish.relation == "on" and setting.is_enough(WEAKER):
                near = write_near(other)
                any_surface = ("on", other.item, "")
                found.append(Choice(near, near, (*lost, (1.0, WEAKER)), used, any_surface))
    found.append(Choice("", "", ((1.0, DROP[wish.relation]),)))
    if wish.text not in setting.initial:
        text = f"sometime {wish.text}"
        found.append(Choice(text, wish.text, ((1.0, SPLIT),), "", fact))
    return found


def list_order_choices(order):
    """List the choices for `first A then B`: it is a part of the goal; `before` is hard."""
    found = [Choice(order.text, "")]
    if order.operator == "first":
        one, other = order.one, order.other
        whole = min(DROP[one.relation], DROP[other.relation])
        found.append(Choice(f"sometime {other.text}", "", ((0.5, DROP[one.relation]),)))
        found.append(Choice(f"sometime {one.text}", "", ((0.5, DROP[other.relation]),)))
        found.append(Choice("", "", ((1.0, whole),)))
    return found


def write_near(wish):
    return (
        f"exists ?other: surface, ?room: room (on({wish.item}, ?other) and in_room(?other, ?room)"
        f" and in_room({wish.surface}, ?room))"
    )


@dataclass(frozen=True)
class Setting:
    """What decides about the choices besides the conjunct itself.

    Attributes:
        wishes: all of the goal.
        order: of two of them; None without one.
        hard: texts that are never relaxed.
        initial: texts of the facts that hold initially.
        degree_of: (item, label) -> how well it does as a substitute.
        alpha: of the request.
        compose: the t-norm.
    """

    wishes: tuple[Wish, ...]
    order: Order | None
    hard: tuple[str, ...]
    initial: frozenset[str]
    degree_of: object
    alpha: float
    compose: object

    @property
    def parts(self):
        return len(self.wishes) + (self.order is not None and self.order.operator == "first")

    def is_enough(self, degree):
        return self.parts == 1 or degree >= self.alpha - EPSILON

    def is_contradicted(self, wish):
        negated = f"not {wish.text}" in self.hard
        return negated or any(wish.excludes(other) for other in self.wishes)

    def count_named(self, item):
        wished = sum(wish.item == item for wish in self.wishes)
        return wished + sum(item in text for text in self.hard)

    def list_substitutes(self, wish):
        """Yield the items that may take the place of the one that is named."""
        if self.count_named(wish.item) > 1:
            return
        for item in LABELS:
            degree = self.degree_of(item, LABELS[wish.item])
            both = self.compose([NAMED, degree])
            if not self.count_named(item) and both >= max(self.alpha - EPSILON, EPSILON):
                yield item, degree

    def find_degree(self, chosen):
        """Find the degree of a combination."""
        lost = (loss for choice in chosen for loss in choice.losses)
        return self.compose([1.0 - part / self.parts * (1.0 - degree) for part, degree in lost])

    def list_combinations(self):
        """Yield (numbers of the choices, choices, text of the goal) but for the goal as stated."""
        lists = [list_wish_choices(wish, self) for wish in self.wishes]
        lists += [list_order_choices(self.order)] if self.order is not None else []
        for node in itertools.product(*(range(len(choices)) for choices in lists)):
            chosen = [choices[number] for choices, number in zip(lists, node, strict=True)]
            used = [choice.used for choice in chosen if choice.used]
            if any(node) and len(set(used)) == len(used):
                yield node, chosen, self.write_goal(chosen)

    def write_goal(self, chosen):
        texts = [choice.goal for choice in chosen[: len(self.wishes)] if choice.goal]
        if self.order is not None:
            own = chosen[-1]
            texts += [own.goal if own.losses else self.adapt(chosen)]
        return " and ".join(f"({text})" for text in (*texts, *self.hard) if text)

    def adapt(self, chosen):
        """Write the order about what is left of the two wishes."""
        pairs = zip(self.wishes, chosen, strict=False)
        spoken = {wish: choice.spoken for wish, choice in pairs}
        order = self.order
        left = [spoken.get(wish, wish.text) for wish in (order.one, order.other)]
        if all(left):
            return order.write(*left)
        rest = next((text for text in left if text), "")
        return f"sometime {rest}" if rest and order.operator == "first" else ""
