# SPDX-License-Identifier: Apache-2.0
"""The trie of all ways in which a vocabulary's tokens can write a score from 0 to 100.

*Reading rule*, the same for exact and for sampled answers. An answer is read token by token as
long as its text is the beginning of a score: a whole number from 0 to 100 without leading zeros,
after at most one space.

- A number that no score continues, 11 to 100, ends the reading; the following token is ignored.
- After a smaller number, 0 to 10, the next token counts too. The number is the score, unless that
  token begins with a digit that makes it no score ("05", "101"), or with one of ". , /": such
  answers are on another scale ("0.7", "8/10") and are no score.
- Every other answer is no score.

Looking past all numbers would cost a hundred more nodes, to tell "57" from "570".

Tokens are distinguished by their text only. So vocabularies that write numbers digit by digit, as
whole numbers, or both, with the space as a token or as a part of one, all work; the probabilities
of all ways to write a score are added up.

*Texts of tokens* are found by decoding. A token is decoded after an *anchor* token, and the
anchor's own text is removed. This reveals the space of a SentencePiece token, joins a word-piece
continuation to its word, and turns byte tokens into their character. Vocabularies store texts in
dozens of forms; this asks the tokenizer itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

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

ANCHORS = ("a", ":", "Score", "x", ".")
SPACES = "\u0120\u2581 "  # how byte-level and SentencePiece vocabularies store a space
BYTE = re.compile("<0x[0-9A-F]{2}>")
SIGNS = ".,/"
"""Signs that mean another scale after a small number: "0.7", "8,5", "8/10"."""


@dataclass(frozen=True, slots=True)
class TrieNode:
    """A place in an answer whose next token matters; one row of the model's logits.

    Args:
        parent: index of the preceding node, -1 for the root (the end of the prompt).
        token: the token that leads here, -1 for the root.
        depth: number of tokens after the prompt up to and including this node's.
        score: the score if the answer ends here; None if it can't.
    """

    parent: int
    token: int
    depth: int
    score: int | None


@dataclass(frozen=True, slots=True)
class TrieEdge:
    """A token after a node: it leads to another node, or completes a score.

    Args:
        node: index of the node.
        token: the token.
        child: index of the node that it leads to, -1 if it completes a score.
        score: the score that it completes, -1 if it leads to a node.
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
        spoiling: ids of the tokens that begin with a digit or a sign: after a number they continue
            to another score, or make it no score.
    """

    nodes: tuple[TrieNode, ...]
    edges: tuple[TrieEdge, ...]
    spoiling: tuple[int, ...]

    @property
    def depth(self) -> int:
        """Tokens of the longest path from the root to a node."""
        return max(node.depth for node in self.nodes)

    def find_missing_scores(self) -> tuple[int, ...]:
        """Find the scores that the vocabulary can't write."""
        found = {edge.score for edge in self.edges} | {node.score for node in self.nodes}
        return tuple(score for score in SCORES.values() if score not in found)

    def find_path(self, node: int) -> tuple[int, ...]:
        """Return the tokens from the root to a node."""
        if self.nodes[node].parent < 0:
            return ()
        return (*self.find_path(self.nodes[node].parent), self.nodes[node].token)

    def find_leaves(self) -> tuple[int, ...]:
        """Find the nodes without children; their paths together visit every node."""
        parents = {node.parent for node in self.nodes}
        return tuple(index for index in range(len(self.nodes)) if index not in parents)

    def extract_chain(self, node: int) -> tuple[ScoreTrie, tuple[int, ...]]:
        """Extract the part of the trie on the way to one node, which is cheap to check often.

        Returns:
            The root, the nodes on the way and their edges, as a trie of one path; and the index in
            this trie of each of its edges.
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
    """Build the trie over the tokens that are pieces of score texts.

    Args:
        texts: the text of each token that can be part of a number (`find_number_tokens`).
    """
    pieces = sorted((token, text) for token, text in texts.items() if 0 < len(text) <= LONGEST)
    nodes = [TrieNode(-1, -1, 0, None)]
    written = [""]
    edges: list[TrieEdge] = []
    index = 0
    while index < len(nodes):  # breadth first: nodes are added while they are visited
        for token, text in pieces:
            whole = written[index] + text
            if whole not in BEGINNINGS:
                continue
            score = SCORES.get(whole.strip(), -1)
            if score > LOOKED_PAST:
                edges.append(TrieEdge(index, token, -1, score))
                continue
            edges.append(TrieEdge(index, token, len(nodes), -1))
            nodes.append(
                TrieNode(index, token, nodes[index].depth + 1, None if score < 0 else score)
            )
            written.append(whole)
        index += 1
    spoiling = tuple(sorted(t for t, text in texts.items() if text[:1] in SIGNS + "0123456789"))
    return ScoreTrie(tuple(nodes), tuple(edges), spoiling)


def find_number_tokens(tokenizer: Any) -> dict[int, str]:
    """Find the tokens that are a single space, or that begin a number, after a space or not.

    Args:
        tokenizer: of Hugging Face's transformers.

    Returns:
        The text of each such token by its id, such as "5", " 57" or ".5". Left out are tokens with
        a digit after other characters, and byte tokens of characters that have a token of their
        own: no tokenizer writes those, so no model learns to, and they would make the trie three
        times as large.
    """
    anchor = _find_anchor(tokenizer)
    if anchor is None:
        return {}
    lead = _decode(tokenizer, [anchor])
    texts: dict[int, str] = {}
    of_bytes: dict[int, str] = {}
    for token, number in tokenizer.get_vocab().items():
        if not _can_matter(token):
            continue
        whole = _decode(tokenizer, [anchor, number])
        text = whole[len(lead) :]
        if whole.startswith(lead) and (text == " " or _begins_number(text)):
            (of_bytes if BYTE.fullmatch(token) else texts)[number] = text
    known = set(texts.values())
    return texts | {number: text for number, text in of_bytes.items() if text not in known}


def _find_anchor(tokenizer: Any) -> int | None:
    """Find a token that writes the same text alone and before another one."""
    for text in ANCHORS:
        tokens = tokenizer(text, add_special_tokens=False)["input_ids"]
        if tokens and _decode(tokenizer, tokens[-1:]).strip():
            return int(tokens[-1])
    return None


def _decode(tokenizer: Any, tokens: list[int]) -> str:
    return str(
        tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False)
    )


def _can_matter(token: str) -> bool:
    """Return False only if a token's stored form can't be a space, digit or sign (cheap)."""
    return (
        any(letter.isdigit() for letter in token)  # "5", "##5", "<0x2E>"
        or token.lstrip(SPACES + "#").startswith(tuple(SIGNS))
        or not token.strip(SPACES)
    )


def _begins_number(text: str) -> bool:
    first = text.removeprefix(" ")[:1]
    return first in SIGNS + "0123456789" if first else False
