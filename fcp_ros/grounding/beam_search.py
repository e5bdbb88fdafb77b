# SPDX-License-Identifier: Apache-2.0
"""Beam search for the likeliest texts of a model that a grammar allows.

A text's probability is the model's own, with the end of the text included, not renormalised over
what the grammar allows: renormalised probabilities favour texts that begin well and have to go on
badly (Park et al., *Grammar-Aligned Decoding*, 2024). Nothing is drawn at random.

llguidance computes which tokens a grammar allows next. It was chosen over xgrammar because its
wheel (MIT licence, one for all Pythons from 3.9 on, 3 MB) depends on nothing; xgrammar brings
triton and apache-tvm-ffi.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fcp_ros.grounding.generation import Grammar, TextRequest, WrittenText
from fcp_ros.grounding.judgement import GroundingCode, GroundingError
from fcp_ros.grounding.language_model.causal_model import LanguageModel

CHUNK = 128
"""Tokens of a prompt that are read together, between two checks. What prompts share is reused in
whole chunks, so that an answer has the same digits whatever was asked before."""
HOPELESS = 12.0
"""Beams whose log-probability is that far below the best text found are given up (a factor of
160,000)."""

Bits = NDArray[np.bool_]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Beam:
    """The beginning of a text: its tokens, log-probability, and the state of the grammar."""

    tokens: tuple[int, ...]
    log_probability: float
    matcher: Any


@dataclass(slots=True)
class _Read:
    """Tokens that a model has read: caches of some kinds can't be used again, and are None."""

    tokens: list[int]
    cache: Any


class BeamSearch:
    """Searches with one model; used by one thread at a time."""

    def __init__(
        self,
        loaded: LanguageModel,
        vocabulary: Any,
        ends: Sequence[int],
        line_ends: Sequence[int],
        name: str,
    ) -> None:
        self.loaded = loaded
        self._vocabulary = vocabulary
        self._ends = np.asarray(ends, np.intp)
        self._line_ends = np.asarray([*ends, *line_ends], np.intp)
        self._name = name
        self._kept = _Read([], None)
        self._keeps_last = "logits_to_keep" in inspect.signature(loaded.model.forward).parameters

    def search(
        self, prompt: Sequence[int], request: TextRequest, stop: Callable[[], None]
    ) -> list[WrittenText]:
        """Search for the likeliest texts after a prompt of at least one token.

        `stop` is called before each pass and raises to stop.
        """
        if len(prompt) + request.most_tokens > self.loaded.window:
            raise GroundingError(
                GroundingCode.CONTEXT_TOO_LONG,
                f"the prompt has {len(prompt)} tokens, and the answer up to {request.most_tokens}, "
                f"but the language model {self._name} reads {self.loaded.window}; use one with a "
                "larger context",
            )
        beams = [_Beam((), 0.0, self._make_matcher(request.grammar))]
        found: dict[str, WrittenText] = {}
        import torch

        with torch.inference_mode():
            logs, cache = self._read_prompt(list(prompt), stop)
            for length in range(request.most_tokens + 1):
                ends = self._compute_ends(beams, logs, request)
                for beam, end in zip(beams, ends, strict=True):
                    self._note(found, beam, end)
                if length == request.most_tokens:
                    break
                parents, beams = self._extend(beams, logs, request, found)
                if not beams:
                    break
                stop()
                logs, cache = self._read_next(prompt, parents, beams, cache)
        if not found and beams:  # each text was cut
            for beam in beams:
                self._note(found, beam, 0.0, is_complete=False)
        return sorted(found.values(), key=lambda one: -one.log_probability)[: request.count]

    # --- what may follow

    def _make_matcher(self, grammar: Grammar | None) -> Any:
        if grammar is None:
            return None
        import llguidance

        text = llguidance.LLMatcher.grammar_from_lark(grammar.lark)
        matcher = llguidance.LLMatcher(self._vocabulary, text, log_level=0)
        if matcher.is_error():
            raise GroundingError(
                GroundingCode.MODEL_FAILED,
                f"the grammar for the answers can't be used ({matcher.get_error()[:200]}); use a "
                "smaller scene or domain, or another reader",
            )
        return matcher

    def _compute_ends(
        self, beams: Sequence[_Beam], logs: Floats, request: TextRequest
    ) -> list[float]:
        """Compute the log-probability that each beam's text ends; -inf where it must not."""
        tokens = self._ends if request.grammar is None else self._line_ends
        ends = np.logaddexp.reduce(logs[:, tokens], axis=1)
        if request.grammar is None:
            # Free text may end anywhere, so the likeliest text of all would be a very short one.
            others = logs.copy()
            others[:, tokens] = -np.inf
            ends[ends < others.max(axis=1)] = -np.inf
        return [
            float(end) if beam.matcher is None or beam.matcher.is_accepting() else -np.inf
            for beam, end in zip(beams, ends, strict=True)
        ]

    def _note(
        self, found: dict[str, WrittenText], beam: _Beam, end: float, *, is_complete: bool = True
    ) -> None:
        """Note the text of a beam that ends; several ways to write it add up."""
        if not np.isfinite(end):
            return
        text = self._decode(beam.tokens).strip()
        total = beam.log_probability + end
        if text in found:
            total = float(np.logaddexp(total, found[text].log_probability))
        found[text] = WrittenText(text, total, is_complete)

    def _extend(
        self,
        beams: Sequence[_Beam],
        logs: Floats,
        request: TextRequest,
        found: dict[str, WrittenText],
    ) -> tuple[list[int], list[_Beam]]:
        """Return the likeliest longer beams, and the index of the beam that each comes from."""
        best = sorted((one.log_probability for one in found.values()), reverse=True)
        least = best[0] - HOPELESS if best else -np.inf
        if len(best) >= request.count:
            least = max(least, best[request.count - 1])
        options: list[tuple[float, int, int]] = []
        for index, beam in enumerate(beams):
            row = logs[index].copy()
            row[~self._find_allowed(beam, row.shape[0])] = -np.inf
            row[self._ends] = -np.inf
            few = min(2 * request.count, row.shape[0])
            for token in np.argpartition(-row, few - 1)[:few].tolist():
                total = beam.log_probability + float(row[token])
                if np.isfinite(total) and total > least:
                    options.append((-total, index, token))
        parents: list[int] = []
        chosen: list[_Beam] = []
        texts: set[str] = set()
        for minus, index, token in sorted(options):
            tokens = (*beams[index].tokens, token)
            text = self._decode(tokens)
            if text in texts:
                continue  # another way to write the same: the likeliest one goes on
            texts.add(text)
            parents.append(index)
            chosen.append(_Beam(tokens, -minus, self._advance(beams[index].matcher, token)))
            if len(chosen) == request.count:
                break
        return parents, chosen

    def _find_allowed(self, beam: _Beam, size: int) -> Bits:
        """Find the tokens that the grammar allows next, shape (size,)."""
        if beam.matcher is None:
            return np.ones(size, np.bool_)
        from llguidance.numpy import allocate_token_bitmask, fill_next_token_bitmask

        mask = allocate_token_bitmask(1, max(size, self._vocabulary.vocab_size))
        fill_next_token_bitmask(beam.matcher, mask)
        if beam.matcher.is_error():
            return np.zeros(size, np.bool_)
        bits = np.unpackbits(mask[0].view(np.uint8), bitorder="little").astype(np.bool_)
        bits[self._vocabulary.vocab_size :] = False
        return bits[:size]

    @staticmethod
    def _advance(matcher: Any, token: int) -> Any:
        if matcher is None:
            return None
        advanced = matcher.deep_copy()
        advanced.consume_token(token)
        return advanced

    def _decode(self, tokens: Sequence[int]) -> str:
        raw: bytes = self._vocabulary.decode_bytes(list(tokens))
        # The end of a text in the middle of a character stays apart from others.
        return raw.decode("utf-8", "backslashreplace")

    # --- the model

    def _read_prompt(self, prompt: list[int], stop: Callable[[], None]) -> tuple[Floats, Any]:
        """Read a prompt; return the log-probabilities of what follows, shape (1, tokens)."""
        known, cache = self._reuse(prompt)
        logits = None
        for start in range(known, len(prompt), CHUNK):
            stop()
            logits, cache = self._run([prompt[start : start + CHUNK]], cache)
            if not _is_plain(cache) and len(prompt) > CHUNK:
                logits, cache = self._run([prompt], None)
                break
        is_plain = _is_plain(cache)
        again = is_plain and self.loaded.attention.sliding == 0
        self._kept = _Read(prompt, copy.deepcopy(cache)) if again else _Read([], None)
        return _to_logs(logits), cache if is_plain else None

    def _reuse(self, prompt: list[int]) -> tuple[int, Any]:
        """Return the part of the last prompt that this one shares: its length and cache."""
        kept = self._kept
        shared = 0
        for one, other in zip(kept.tokens, prompt[:-1], strict=False):
            if one != other:
                break
            shared += 1
        shared -= shared % CHUNK
        if not shared:
            return 0, None
        cache = copy.deepcopy(kept.cache)
        if shared < len(kept.tokens):
            cache.crop(shared - len(kept.tokens))  # minus the tokens to be dropped
        return shared, cache

    def _read_next(
        self, prompt: Sequence[int], parents: Sequence[int], beams: Sequence[_Beam], cache: Any
    ) -> tuple[Floats, Any]:
        """Read the last token of each beam; shape of the result: (beams, tokens)."""
        if cache is None:  # the model keeps a state that can't be copied: read all of it again
            logits, _ = self._run([[*prompt, *beam.tokens] for beam in beams], None)
            return _to_logs(logits), None
        import torch

        cache.batch_select_indices(torch.tensor(parents, device=self.loaded.device))
        logits, cache = self._run([[beam.tokens[-1]] for beam in beams], cache)
        return _to_logs(logits), cache

    def _run(self, rows: list[list[int]], cache: Any) -> tuple[Any, Any]:
        import torch

        keep = {"logits_to_keep": 1} if self._keeps_last else {}
        tokens = torch.tensor(rows, device=self.loaded.device)
        told = self.loaded.model(input_ids=tokens, past_key_values=cache, use_cache=True, **keep)
        return told.logits[:, -1], getattr(told, "past_key_values", None)


def prepare_search(loaded: LanguageModel, name: str) -> BeamSearch:
    """Prepare a model for searches; GroundingError for a tokenizer that can't be used."""
    try:
        from llguidance.hf import from_tokenizer
    except ImportError as error:
        raise GroundingError(
            GroundingCode.MISSING_LIBRARY,
            f"writing with a language model needs llguidance ({error}); pip install llguidance",
        ) from error
    config = loaded.model.config.get_text_config()
    size = max(len(loaded.tokenizer), getattr(config, "vocab_size", None) or 0)
    try:
        vocabulary = from_tokenizer(loaded.tokenizer, n_vocab=size)
    except ValueError as error:
        raise GroundingError(
            GroundingCode.NOT_A_MODEL,
            f"the tokenizer of {name} can't be used for constrained answers ({error}); use a "
            "model with a tokenizer.json",
        ) from error
    ends = _find_ends(loaded)
    breaks = [
        token for token in range(size) if vocabulary.decode_bytes([token])[:1] in (b"\n", b"\r")
    ]
    return BeamSearch(loaded, vocabulary, ends, [t for t in breaks if t not in ends], name)


def _find_ends(loaded: LanguageModel) -> list[int]:
    settings = getattr(loaded.model, "generation_config", None)
    told: list[Any] = [
        loaded.tokenizer.eos_token_id,
        getattr(settings, "eos_token_id", None),
        loaded.model.config.get_text_config().eos_token_id,
    ]
    flat = [token for one in told for token in (one if isinstance(one, list) else [one])]
    return sorted({token for token in flat if token is not None})


def _is_plain(cache: Any) -> bool:
    """Return True if a cache can be copied, cut and reordered: attention alone, no other state."""
    layers = getattr(cache, "layers", None) or ()
    kinds = ("DynamicLayer", "DynamicSlidingWindowLayer")
    return bool(layers) and all(type(layer).__name__ in kinds for layer in layers)


def _to_logs(logits: Any) -> Floats:
    logs: Floats = logits.float().log_softmax(dim=-1).cpu().numpy()
    return logs
