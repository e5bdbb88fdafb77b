# SPDX-License-Identifier: Apache-2.0
"""A causal language model in memory, loaded from a checked folder, and its possible answers.

These are the scores, as a trie of their tokens, with their degrees.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.judgement import SCORE_COUNT, GroundingCode, GroundingError
from fcp_ros.grounding.models.model_folder import CONFIG
from fcp_ros.grounding.models.model_store import suggest_repair
from fcp_ros.grounding.models.torch_device import (
    choose_device,
    choose_precision,
    is_out_of_memory,
    suppress_progress_bars,
)
from fcp_ros.grounding.options import Device, Precision

TRIE_VERSION = "trie1"  # Part of the cache key; change it with the reading rule

SCORES = {str(score): score for score in range(SCORE_COUNT)}
LOOKED_PAST = 10  # The largest number whose next token is looked at

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
SIGNS = ".,/"  # Signs that mean another scale after a small number: "0.7", "8,5", "8/10"


@dataclass(frozen=True, slots=True)
class TrieNode:
    """A place in an answer whose next token matters; one row of the model's logits."""

    parent: int  # index of the preceding node, -1 for the root (the end of the prompt)
    token: int  # the token that leads here, -1 for the root
    depth: int  # number of tokens after the prompt up to and including this node's
    score: int | None  # the score if the answer ends here; None if it can't


@dataclass(frozen=True, slots=True)
class TrieEdge:
    """A token after a node: it leads to another node, or completes a score."""

    node: int  # index of the node
    token: int
    child: int  # index of the node that it leads to, -1 if it completes a score
    score: int  # the score that it completes, -1 if it leads to a node


@dataclass(frozen=True, slots=True)
class ScoreTrie:
    """All ways to write a score."""

    nodes: tuple[TrieNode, ...]  # parents before their children; the first is the root
    edges: tuple[TrieEdge, ...]  # in the order of their nodes
    # ids of the tokens that begin with a digit or a sign: after a number they continue to another
    # score, or make it no score
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
        if self.nodes[node].parent < 0:
            return ()
        return (*self.find_path(self.nodes[node].parent), self.nodes[node].token)

    def extract_chain(self, node: int) -> tuple[ScoreTrie, tuple[int, ...]]:
        """Extract the way to one node as a trie of one path, and the index of each of its edges."""
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
    """Build the trie over the tokens (`find_number_tokens`) that are pieces of score texts."""
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
    """Find tokens that are a space, or begin a number after one or not: "5", " 57" or ".5".

    Left out are tokens with a digit after other characters, and byte tokens of characters that have
    a token of their own: no tokenizer writes those, so no model learns to, and they would make the
    trie three times as large.
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


# --- score probabilities from a model's logits at the nodes of a score trie ---

Floats = NDArray[np.float64]

NO_SCORE = -1


@dataclass(frozen=True, slots=True)
class NextTokens:
    """Next-token probabilities at the nodes of a trie, for several prompts."""

    edges: Floats  # probability of each edge's token at its node; shape (prompts, edges)
    spoiled: Floats  # probability that a spoiling token follows; shape (prompts, nodes)


def sum_scores(trie: ScoreTrie, next_tokens: NextTokens) -> Floats:
    """Compute the probability of each score, shape (prompts, 101); the remainder is "no score"."""
    count = len(next_tokens.edges)
    reached = np.zeros((count, len(trie.nodes)))
    reached[:, 0] = 1.0
    scores = np.zeros((count, SCORE_COUNT))
    # Invariant: edges are in the order of their nodes and parents precede their children, so
    # `reached` of a node is final before its edges are visited.
    for index, edge in enumerate(trie.edges):
        chance = reached[:, edge.node] * next_tokens.edges[:, index]
        if edge.child >= 0:
            reached[:, edge.child] = chance
        else:
            scores[:, edge.score] += chance
    for index, node in enumerate(trie.nodes):
        if node.score is not None:
            ends = np.maximum(0.0, 1.0 - next_tokens.spoiled[:, index])
            scores[:, node.score] += reached[:, index] * ends
    return scores


def draw_scores(probabilities: Floats, count: int, seed: int, context_key: str) -> list[int]:
    """Draw scores (or NO_SCORE) with the distribution of free sampling of an answer's tokens.

    `probabilities`, shape (101,), at the sampling temperature; each question has draws of its own.
    """
    digest = hashlib.sha256(f"{seed}:{context_key}".encode()).digest()
    generator = np.random.default_rng(int.from_bytes(digest[:8], "big"))
    places = np.searchsorted(np.cumsum(probabilities), generator.random(count), side="right")
    return [int(place) if place < SCORE_COUNT else NO_SCORE for place in places]


AT_A_TIME = 1 << 25  # Most logits that are converted to float32 at a time


class TrieLogits:
    """Reads rows of logits for one trie."""

    def __init__(self, trie: ScoreTrie, device: str) -> None:
        import torch

        def on_device(numbers: list[int]) -> Any:
            return torch.tensor(numbers, dtype=torch.long, device=device)

        self._nodes = on_device([edge.node for edge in trie.edges])
        self._tokens = on_device([edge.token for edge in trie.edges])
        self._spoiling = on_device(list(trie.spoiling))
        self._looked_past = [n for n, node in enumerate(trie.nodes) if node.score is not None]
        self._rows = on_device(self._looked_past)

    def read(self, logits: Any, temperature: float) -> NextTokens:
        """Compute next-token probabilities of logits (prompts, nodes, vocabulary)."""
        import torch

        prompts, nodes, vocabulary = logits.shape
        step = max(1, AT_A_TIME // (nodes * vocabulary))
        edges = np.empty((prompts, len(self._tokens)))
        spoiled = np.zeros((prompts, nodes))
        for start in range(0, prompts, step):
            part = logits[start : start + step].float()
            if temperature != 1.0:
                part = part / temperature
            whole = torch.logsumexp(part, dim=-1)
            chosen = part[:, self._nodes, self._tokens] - whole[:, self._nodes]
            edges[start : start + step] = chosen.exp().double().cpu().numpy()
            if self._looked_past:
                past = part[:, self._rows].index_select(-1, self._spoiling)
                chance = (torch.logsumexp(past, dim=-1) - whole[:, self._rows]).exp()
                spoiled[start : start + step, self._looked_past] = chance.double().cpu().numpy()
        return NextTokens(edges, spoiled)


LEAST_PROBABILITY = 1e-30
WHOLE_PRECISION_TOLERANCE = 2e-3
HALF_PRECISION_TOLERANCE = 0.1
"""In units of the standard deviation of the log-probabilities of a row. Measured on tiny models of
up to 16 layers: rounding makes 2e-6 in float32 and 2e-2 in bfloat16, a wrong mask 0.2 to 1."""


def choose_tolerance(precision: Precision) -> float:
    """Return the largest difference that rounding explains."""
    exact = precision is Precision.FLOAT32
    return WHOLE_PRECISION_TOLERANCE if exact else HALF_PRECISION_TOLERANCE


def measure_difference(a: Floats, b: Floats) -> float:
    """Compute the root mean square difference of log-probabilities, relative to their variation.

    0 for NaN: that is reported with the answers, and must not be mistaken for a wrong mask.
    """
    logs = [np.log(np.maximum(values, LEAST_PROBABILITY)) for values in (a, b)]
    variation = float(np.std(logs[1])) or 1.0
    difference = float(np.sqrt(np.mean((logs[0] - logs[1]) ** 2))) / variation
    return 0.0 if np.isnan(difference) else difference


UNBOUNDED = 1 << 30
SAFE = {"local_files_only": True, "trust_remote_code": False}
"""Arguments of every ``from_pretrained``: nothing is fetched, no code of a model runs."""


@dataclass(frozen=True, slots=True)
class Attention:
    """The reach of the attention of a model's layers."""

    sliding: int = 0  # tokens that sliding layers see, including the token itself; 0 if none slides
    mixed: bool = False  # True if other layers see everything
    # tokens of a chunk, which see nothing before it; UNBOUNDED without chunks
    chunk: int = UNBOUNDED


@dataclass(frozen=True)
class LanguageModel:
    """A model in memory."""

    model: Any  # of transformers, in evaluation mode
    tokenizer: Any
    device: str  # "cpu" or "cuda"
    precision: Precision
    trie: ScoreTrie  # the ways in which its tokens write a score
    window: int  # the most tokens that it reads
    attention: Attention  # the reach of its layers


def check_architecture(folder: Path) -> None:
    """Refuse (NOT_A_MODEL) what is clearly no language model, such as a sentence model."""
    names = read_architectures(folder)
    generative = ("CausalLM", "LMHeadModel", "ForConditionalGeneration")
    if names and not any(name.endswith(generative) for name in names):
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the model in {folder} is a {', '.join(names)}, not a causal language model; "
            "give it to the embedding oracle, or give the folder of a causal language model",
        )


def read_architectures(folder: Path) -> list[str]:
    """Read the names of a checked folder's architectures, such as "LlamaForCausalLM"."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    return [str(name) for name in config.get("architectures") or ()]


def load_language_model(folder: Path, device: Device, precision: Precision) -> LanguageModel:
    where = choose_device(device)
    chosen = choose_precision(precision, where)
    with explain_loading(folder, where):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(str(folder), **SAFE)
        model, found = AutoModelForCausalLM.from_pretrained(
            str(folder),
            use_safetensors=True,
            output_loading_info=True,
            dtype=chosen.value,
            **SAFE,
        )
        # transformers would only warn, and draw the missing weights at random.
        if missing := sorted(found["missing_keys"]):
            raise ValueError(f"its files lack {len(missing)} weights, such as {missing[0]}")
        model = model.to(where)
    return make_language_model(model, tokenizer, where, chosen, str(folder))


def make_language_model(
    model: Any, tokenizer: Any, device: str, precision: Precision, name: str
) -> LanguageModel:
    """Prepare a transformers model, on its device, for scoring; NOT_A_MODEL without digits."""
    config = model.config.get_text_config()
    size = getattr(config, "vocab_size", None) or UNBOUNDED
    texts = find_number_tokens(tokenizer)
    # The model can't produce a token that was added to the tokenizer alone.
    trie = build_trie({token: text for token, text in texts.items() if token < size})
    if missing := trie.find_missing_scores():
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the tokenizer of {name} can't write {len(missing)} of the scores 0 to 100, "
            f"such as {missing[0]}: it lacks digits; use another language model",
        )
    window = getattr(config, "max_position_embeddings", None) or UNBOUNDED
    attention = read_attention(config)
    window = min(int(window), attention.chunk)
    return LanguageModel(model.eval(), tokenizer, device, precision, trie, window, attention)


def read_attention(config: Any) -> Attention:
    """Read the reach of the attention from a configuration of transformers."""
    kinds = getattr(config, "layer_types", None)
    slides = [kinds is None or "sliding" in str(kind) for kind in kinds or (None,)]
    used = any(slides) and getattr(config, "use_sliding_window", True) is not False
    return Attention(
        (getattr(config, "sliding_window", None) or 0) if used else 0,
        not all(slides),
        getattr(config, "attention_chunk_size", None) or UNBOUNDED,
    )


@contextmanager
def explain_loading(folder: Path, device: str = "cpu") -> Iterator[None]:
    """Turn what libraries raise while they load a model into errors that say what to do."""
    try:
        with suppress_progress_bars(), _suppress_warnings():  # about layers that are left out
            yield
    except GroundingError:
        raise
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"a language model needs transformers ({error}); pip install transformers",
        ) from error
    except Exception as error:  # a damaged file makes libraries raise anything
        if is_out_of_memory(error):
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the language model in {folder} is too large for the memory of the device "
                f"{device!r} ({error}); use a smaller model, a lower precision, or a model server "
                "(endpoint)",
            ) from error
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the language model in {folder} can't be loaded ({type(error).__name__}: {error}); "
            f"{suggest_repair(folder)}",
        ) from error


@contextmanager
def _suppress_warnings() -> Iterator[None]:
    from transformers.utils import logging as transformers_logging

    before = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()
    try:
        yield
    finally:
        transformers_logging.set_verbosity(before)
