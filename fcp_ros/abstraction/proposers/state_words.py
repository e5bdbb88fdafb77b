# SPDX-License-Identifier: Apache-2.0
"""States and their facts in words, for people and language models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fcp_ros.abstraction.states.state import RelationalState, list_bits

MOST_FACTS = 12
"""Facts of a state that are written, of those that rules change."""


def write_atom(name: str, arguments: Sequence[str]) -> str:
    """Write a fact, or a step."""
    return f"{name}({', '.join(arguments)})"


def list_facts(state: RelationalState) -> Iterator[tuple[str, str]]:
    """List the facts of a state: the name of the vocabulary, and the fact in words."""
    objects = state.objects
    for name, is_true in state.flags.items():
        if is_true:
            yield name, name
    for name, bits in state.concepts.items():
        yield from ((name, write_atom(name, (objects[i],))) for i in list_bits(bits))
    for name, rows in state.roles.items():
        for source, bits in enumerate(rows):
            pairs = ((objects[source], objects[target]) for target in list_bits(bits))
            yield from ((name, write_atom(name, pair)) for pair in pairs)


def describe_facts(state: RelationalState) -> str:
    """Describe a state by the facts that rules change, within a bounded length."""
    fluent = state.vocabulary.fluent
    facts = [fact for name, fact in list_facts(state) if name in fluent]
    more = [f"{len(facts) - MOST_FACTS} more facts"] if len(facts) > MOST_FACTS else []
    return ", ".join([*facts[:MOST_FACTS], *more]) or "none of the facts that actions change"
