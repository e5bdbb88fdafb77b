# SPDX-License-Identifier: Apache-2.0
"""Synonyms: two predicates that may be one, and the mapping of names that several make together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

Places = tuple[int, ...]


@dataclass(frozen=True, order=True, slots=True)
class Synonym:
    """The statement that `source(x0, x1, ...)` is `target(x[places[0]], x[places[1]], ...)`.

    Attributes:
        source: a predicate.
        target: another one with the same number of arguments.
        places: for each argument of the target the argument of the source that it is.
    """

    source: str
    target: str
    places: Places = ()

    def invert(self) -> Synonym:
        """Return the same statement with source and target exchanged."""
        return Synonym(self.target, self.source, invert_places(self.places))

    @property
    def names(self) -> frozenset[str]:
        """The two predicates."""
        return frozenset((self.source, self.target))

    def __str__(self) -> str:
        names = [f"?{number + 1}" for number in range(len(self.places))]
        shuffled = [names[place] for place in self.places]
        return f"({' '.join((self.source, *names))}) = ({' '.join((self.target, *shuffled))})"


def invert_places(places: Sequence[int]) -> Places:
    """Return the inverse of a permutation."""
    found = [0] * len(places)
    for position, place in enumerate(places):
        found[place] = position
    return tuple(found)


class ContradictorySynonyms(ValueError):
    """Synonyms that make a predicate its own mirror image, such as on(x, y) = on(y, x).

    Attributes:
        names: the predicates that they connect.
    """

    def __init__(self, names: frozenset[str]) -> None:
        super().__init__(f"contradictory synonyms of {', '.join(sorted(names))}")
        self.names = names


@dataclass(frozen=True)
class NameMapping:
    """The surjection of names that synonyms make together: each predicate goes to one that stays.

    Attributes:
        synonyms: any number of them.
        rank: a number for a predicate; of predicates that are one, the one with the least stays.
    """

    synonyms: frozenset[Synonym]
    rank: Callable[[str], int] = lambda _name: 0

    @cached_property
    def images(self) -> Mapping[str, tuple[str, Places]]:
        """The name that stays, and its places, for each predicate of a synonym.

        `p(x0, x1, ...)` is `name(x[places[0]], x[places[1]], ...)`.

        Raises:
            ContradictorySynonyms: two ways lead from a name to itself, with different places.
        """
        edges: dict[str, list[Synonym]] = {}
        for synonym in sorted(self.synonyms):
            edges.setdefault(synonym.source, []).append(synonym)
            edges.setdefault(synonym.target, []).append(synonym.invert())
        found: dict[str, tuple[str, Places]] = {}
        for root in sorted(edges, key=lambda name: (self.rank(name), name)):
            if root not in found:
                self._spread(root, edges, found)
        return found

    def _spread(
        self,
        root: str,
        edges: Mapping[str, Sequence[Synonym]],
        found: dict[str, tuple[str, Places]],
    ) -> None:
        """Give all names that are one with `root` their images."""
        found[root] = (root, tuple(range(len(edges[root][0].places))))
        reached, waiting, is_sound = {root}, deque([root]), True
        while waiting:
            name = waiting.popleft()
            places = found[name][1]
            for edge in edges[name]:
                back = invert_places(edge.places)
                image = (root, tuple(back[place] for place in places))
                if edge.target not in found:
                    found[edge.target] = image
                    reached.add(edge.target)
                    waiting.append(edge.target)
                elif found[edge.target] != image:
                    is_sound = False
        if not is_sound:
            raise ContradictorySynonyms(frozenset(reached))

    def find_image(self, name: str, arity: int) -> tuple[str, Places]:
        """Return the image of any predicate; one without synonyms stays as it is."""
        return self.images.get(name, (name, tuple(range(arity))))

    def implies(self, synonym: Synonym) -> bool:
        """Return True if a synonym follows from these."""
        if synonym in self.synonyms or synonym.invert() in self.synonyms:
            return True
        source, target = self.images.get(synonym.source), self.images.get(synonym.target)
        if source is None or target is None or source[0] != target[0]:
            return False
        back = invert_places(synonym.places)
        return target[1] == tuple(back[place] for place in source[1])

    def find_connected(self, names: Iterable[str]) -> frozenset[str]:
        """Return the names that are one with any of some names, these included."""
        wanted = frozenset(names)
        roots = {self.images[name][0] for name in wanted if name in self.images}
        return wanted | {name for name, (root, _) in self.images.items() if root in roots}
