# SPDX-License-Identifier: Apache-2.0
"""The trie of all ways in which a vocabulary's tokens can write a score from 0 to 100.

*Reading rule*, the same for exact and for sampled answers. An answer is read token by token as
long as its text is the beginning of a score: a whole number from 0 to 100 without leading zeros,
behind at most one space.

- A number that no score goes on from, 11 to 100, ends the reading; what follows is not looked at.
- A smaller number, 0 to 10, is looked past. It ends the reading, unless the next token begins with
  a digit that makes no score of it ("05", "101"), or with one of ". , /": such answers are on
  another scale ("0.7", "8/10") and are no score.
- Every other answer is no score.

Looking past all numbers would cost a hundred more nodes, to tell "57" from "570".

Tokens are told apart by their text only, so vocabularies that write numbers digit by digit, as
whole numbers, or both, with the space as a token or as a part of one, all work, and the
probabilities of all ways to write one score are added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fcp_ros.grounding.language_model.token_texts import SIGNS
from fcp_ros.grounding.protocol.judgement import SCORE_COUNT

TRIE_VERSION = "trie1"
"""Part of the cache key; change it with the reading rule."""

SCORES = {str(score): score for score in range(SCORE_COUNT)}
LOOKED_PAST = 10
"""The largest number whose next token is looked at."""

BEGINNINGS = frozenset({"", " "}) | {
    space + text[:length]
    for space in ("", " ")
    for text in SCORES
    for length in range(1, len(text) + 1)
}
LONGEST = max(map(len, BEGINNINGS))


@dataclass(frozen=True, slots=True)
class Node:
    """A place in an answer where the next token matters; one row of the model's logits.

    Args:
        parent: index of the node before it, -1 for the root (the end of the prompt).
        token: the token that leads here, -1 for the root.
        depth: tokens between the prompt and this node, this one's included.
        score: the score if the answer ends here; None where it can't.
    """

    parent: int
    token: int
    depth: int
    score: int | None


@dataclass(frozen=True, slots=True)
class Edge:
    """A token that goes on from a node: to another node, or to a score that needs no look past it.

    Args:
        node: index of the node.
        token: the token.
        child: index of the node that it leads to, -1 where it completes a score.
        score: the score that it completes; -1 where it leads to a node.
    """

    node: int
    token: int
    child: int
    score: int


@dataclass(frozen=True, slots=True)
class ScoreTrie:
    """All ways to write a score.

    Args:
        nodes: parents before their children; the first is the root.
        edges: in the order of their nodes.
        spoiling: ids of the tokens that begin with a digit or a sign: behind a number they go on
            to another score, or make it no score.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    spoiling: tuple[int, ...]

    @property
    def depth(self) -> int:
        """Tokens of the longest path from the root to a node."""
        return max(node.depth for node in self.nodes)

    def missing_scores(self) -> tuple[int, ...]:
        """Scores that the vocabulary can't write."""
        found = {edge.score for edge in self.edges} | {node.score for node in self.nodes}
        return tuple(score for score in SCORES.values() if score not in found)

    def path(self, node: int) -> tuple[int, ...]:
        """The tokens from the root to a node."""
        if self.nodes[node].parent < 0:
            return ()
        return (*self.path(self.nodes[node].parent), self.nodes[node].token)

    def last_nodes(self) -> tuple[int, ...]:
        """The nodes without a node behind them; their paths together visit every node."""
        parents = {node.parent for node in self.nodes}
        return tuple(index for index in range(len(self.nodes)) if index not in parents)

    def chain(self, node: int) -> tuple[ScoreTrie, tuple[int, ...]]:
        """The part of the trie on the way to one node: small enough to be checked often.

        Returns:
            The root, the nodes on the way and their edges, as a trie of one path; and the index of
            each of its edges in this trie.
        """
        way = [node]
        while self.nodes[way[0]].parent >= 0:
            way.insert(0, self.nodes[way[0]].parent)
        nodes = tuple(replace(self.nodes[n], parent=place - 1) for place, n in enumerate(way))
        kept = tuple(index for index, edge in enumerate(self.edges) if edge.node in way)
        edges = tuple(
            replace(
                self.edges[index],
                node=way.index(self.edges[index].node),
                child=way.index(child) if (child := self.edges[index].child) in way else -1,
            )
            for index in kept
        )
        return ScoreTrie(nodes, edges, self.spoiling), kept


def build_trie(texts: Mapping[int, str]) -> ScoreTrie:
    """The trie over the pieces of score texts among the tokens.

    Args:
        texts: what each token that can stand in a number writes (`number_token_texts`).
    """
    pieces = sorted((token, text) for token, text in texts.items() if 0 < len(text) <= LONGEST)
    nodes = [Node(-1, -1, 0, None)]
    written = [""]
    edges: list[Edge] = []
    index = 0
    while index < len(nodes):  # breadth first: nodes are added while they are visited
        for token, text in pieces:
            whole = written[index] + text
            if whole not in BEGINNINGS:
                continue
            score = SCORES.get(whole.strip(), -1)
            if score > LOOKED_PAST:
                edges.append(Edge(index, token, -1, score))
                continue
            edges.append(Edge(index, token, len(nodes), -1))
            nodes.append(Node(index, token, nodes[index].depth + 1, None if score < 0 else score))
            written.append(whole)
        index += 1
    spoiling = tuple(sorted(t for t, text in texts.items() if text[:1] in SIGNS + "0123456789"))
    return ScoreTrie(tuple(nodes), tuple(edges), spoiling)
