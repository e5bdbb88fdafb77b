# SPDX-License-Identifier: Apache-2.0
"""How the atoms of rules relate: what an absence covers, and which two can't both be true."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from fcp_ros.domain.expression import Atom, Variable, term_text
from fcp_ros.domain.yaml_schema import RelationEntry


def bare(atom: Atom) -> str:
    """The atom as it stands in a domain file, parameters without question marks."""
    words = (t.name if isinstance(t, Variable) else term_text(t) for t in atom.arguments)
    return f"{atom.predicate}({', '.join(words)})"


def covers(absent: Atom, atom: Atom, parameters: Collection[str]) -> bool:
    """Whether `atom` is an instance of the absent pattern, whose other names are existential."""
    if absent.predicate != atom.predicate:
        return False
    bound: dict[str, object] = {}
    for pattern, term in zip(absent.arguments, atom.arguments, strict=True):
        if isinstance(pattern, Variable) and pattern.name not in parameters:
            if bound.setdefault(pattern.name, term) != term:
                return False
        elif pattern != term:
            return False
    return True


def functional_conflict(
    atoms: Iterable[Atom], relations: Mapping[str, RelationEntry]
) -> tuple[Atom, Atom, str] | None:
    """Two different atoms that share a functional leg, and that leg."""
    seen: dict[tuple[str, str, object], Atom] = {}
    for atom in atoms:
        entry = relations[atom.predicate]
        for leg, term in zip(entry.legs, atom.arguments, strict=True):
            if leg in entry.functional:
                other = seen.setdefault((atom.predicate, leg, term), atom)
                if other != atom:
                    return other, atom, leg
    return None
