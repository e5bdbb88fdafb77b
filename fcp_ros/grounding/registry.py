# SPDX-License-Identifier: Apache-2.0
"""The table of oracles by name, and the oracles that the predicates of a domain need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from fcp_ros.domain.model import Combination, GradedPredicate
from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding.asking.cached_oracle import UnavailableOracle
from fcp_ros.grounding.asking.router import choose_oracles
from fcp_ros.grounding.embedding_oracle import EmbeddingOracle
from fcp_ros.grounding.endpoint.oracle import EndpointOracle
from fcp_ros.grounding.heads.features.pair_features import make_encoder
from fcp_ros.grounding.heads.head_file import choose_model, find_source
from fcp_ros.grounding.heads.head_judge import HeadOracle
from fcp_ros.grounding.judged.known_answers import KnownAnswers
from fcp_ros.grounding.language_model.oracle import CausalLmOracle
from fcp_ros.grounding.model_files.store import ModelAbsentError
from fcp_ros.grounding.models.sentence_encoder import SentenceEncoder, suggest_better_model
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device, GroundingOptions, Precision
from fcp_ros.grounding.protocol.oracle import MembershipOracle
from fcp_ros.grounding.stated import RuleOracle, TableOracle


def make_embedding(options: GroundingOptions) -> MembershipOracle:
    """Make the embedding oracle, or the head oracle if the model is no sentence model.

    The option `model` counts if this is the default oracle.
    """
    given = str(options.model) if options.oracle == EmbeddingOracle.name else ""
    encoder = make_encoder(choose_model(given, _find_heads(options)), Device(options.device))
    if not isinstance(encoder, SentenceEncoder):
        return make_head(options)
    return EmbeddingOracle(encoder, _find_heads(options))


def make_head(options: GroundingOptions) -> MembershipOracle:
    """Make the oracle of trained heads; `model` counts if it is the default oracle."""
    own = options.oracle in (HeadOracle.name, EmbeddingOracle.name)
    source = find_source(
        str(options.model) if own else "",
        _find_heads(options),
        Device(options.device),
        Precision(options.language_model.precision),
    )
    return HeadOracle(source)


def _find_heads(options: GroundingOptions) -> Path | None:
    return Path(options.heads) if str(options.heads) else None


def suggest_model(options: GroundingOptions) -> str:
    """Return a sentence about a better model that can be fetched for the default oracle, or ""."""
    is_open = options.oracle in (HeadOracle.name, EmbeddingOracle.name) and not str(options.model)
    return suggest_better_model() if is_open and not str(options.heads) else ""


def make_causal_lm(options: GroundingOptions) -> MembershipOracle:
    """Make the language-model oracle; its folder is `language_model.folder` or `model`."""
    own = options.model if options.oracle not in (EmbeddingOracle.name, HeadOracle.name) else ""
    folder = str(options.language_model.folder) or str(own)
    if not folder:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            "the causal_lm oracle needs a model: set language_model to the folder of a Hugging "
            "Face language model, or oracle to causal_lm and model to the folder",
        )
    return CausalLmOracle(Path(folder), options.language_model, Device(options.device))


def make_endpoint(options: GroundingOptions) -> MembershipOracle:
    """Make the endpoint oracle for the URL of a server, which is not asked yet."""
    return EndpointOracle(options.endpoint, options.language_model)


ORACLES: Mapping[str, Callable[[GroundingOptions], MembershipOracle]] = {
    EmbeddingOracle.name: make_embedding,
    HeadOracle.name: make_head,
    CausalLmOracle.name: make_causal_lm,
    EndpointOracle.name: make_endpoint,
    TableOracle.name: lambda options: TableOracle(),
    RuleOracle.name: lambda options: RuleOracle(),
}
"""The maker of every oracle by its name in options and domain files."""


def make_oracle(name: str, options: GroundingOptions) -> MembershipOracle:
    """Make the oracle of that name; checks its model's folder, loads nothing heavy."""
    if name not in ORACLES:
        hint = suggest_name(name, ORACLES)
        raise GroundingError(
            GroundingCode.UNKNOWN_ORACLE, f"there is no oracle called {name!r}; {hint}"
        )
    return ORACLES[name](options)


def make_oracles(
    predicates: Iterable[GradedPredicate],
    options: GroundingOptions,
    known: KnownAnswers | None = None,
) -> dict[str, MembershipOracle]:
    """Make the oracles of the predicates, the default and the fallback, by name.

    What is `known` precedes a table's entries for kinds. Without substitute, an oracle that can't
    be made is an error; but one whose model was only not fetched yet leaves the other predicates
    their answers.
    """
    needed = {options.fallback} if options.fallback else set()
    optional = set()
    if not options.fallback:
        needed.add(options.oracle)
    else:
        optional.add(options.oracle)
    for predicate in predicates:
        choice = choose_oracles(predicate, options.oracle)
        first_of_several = choice.combination is Combination.FIRST_OF and len(choice.names) > 1
        can_fail = bool(options.fallback) or first_of_several
        (optional if can_fail else needed).update(choice.names)
    # Sorted, so that the same one of two wrong settings is always reported.
    made = {
        name: _make_if_possible(name, options, is_needed=name in needed)
        for name in sorted(needed | optional)
    }
    return made | {TableOracle.name: TableOracle(known)} if TableOracle.name in made else made


def _make_if_possible(name: str, options: GroundingOptions, *, is_needed: bool) -> MembershipOracle:
    make = partial(make_oracle, name, options)
    try:
        return make()
    except GroundingError as error:
        is_lasting = is_needed and not isinstance(error, ModelAbsentError)
        if is_lasting or error.code is GroundingCode.UNKNOWN_ORACLE:
            raise
        return UnavailableOracle(name, error, make)
