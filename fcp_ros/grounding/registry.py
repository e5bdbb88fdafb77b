# SPDX-License-Identifier: Apache-2.0
"""The oracles by name: one explicit table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from fcp_ros.foundation.wording import suggest_name
from fcp_ros.grounding.embedding.oracle import EmbeddingOracle
from fcp_ros.grounding.embedding.sentence_encoder import SentenceEncoder
from fcp_ros.grounding.endpoint.oracle import EndpointOracle
from fcp_ros.grounding.language_model.oracle import CausalLmOracle
from fcp_ros.grounding.protocol.errors import GroundingCode, GroundingError
from fcp_ros.grounding.protocol.options import Device, GroundingOptions
from fcp_ros.grounding.protocol.oracle import MembershipOracle
from fcp_ros.grounding.stated.rule import RuleOracle
from fcp_ros.grounding.stated.table import TableOracle


def make_embedding(options: GroundingOptions) -> MembershipOracle:
    """The embedding oracle; the model of the options counts where it is the default oracle."""
    given = options.model if options.oracle == EmbeddingOracle.name else ""
    folder = Path(given) if str(given) else None
    heads = Path(options.heads) if str(options.heads) else None
    return EmbeddingOracle(SentenceEncoder(folder, Device(options.device)), heads)


def make_causal_lm(options: GroundingOptions) -> MembershipOracle:
    """The language-model oracle; needs a folder of its own, or as the default oracle.

    Raises:
        GroundingError: there is no model for it, or it can't be used.
    """
    own = options.model if options.oracle != EmbeddingOracle.name else ""
    folder = str(options.language_model.folder) or str(own)
    if not folder:
        raise GroundingError(
            GroundingCode.MODEL_NOT_FOUND,
            "the causal_lm oracle needs a model: set language_model to the folder of a Hugging "
            "Face language model, or oracle to causal_lm and model to the folder",
        )
    return CausalLmOracle(Path(folder), options.language_model, Device(options.device))


def make_endpoint(options: GroundingOptions) -> MembershipOracle:
    """The endpoint oracle; needs the URL of a server, which is not asked yet."""
    return EndpointOracle(options.endpoint, options.language_model)


def make_table(options: GroundingOptions) -> MembershipOracle:
    """The table oracle; it has no settings."""
    return TableOracle()


def make_rule(options: GroundingOptions) -> MembershipOracle:
    """The rule oracle; it has no settings."""
    return RuleOracle()


ORACLES: Mapping[str, Callable[[GroundingOptions], MembershipOracle]] = {
    EmbeddingOracle.name: make_embedding,
    CausalLmOracle.name: make_causal_lm,
    EndpointOracle.name: make_endpoint,
    TableOracle.name: make_table,
    RuleOracle.name: make_rule,
}
"""Every oracle: its name in options and domain files, and how it is made from options."""


def make_oracle(name: str, options: GroundingOptions) -> MembershipOracle:
    """The oracle of that name; checks its model's folder, loads nothing heavy.

    Raises:
        GroundingError: no oracle has this name, or its model can't be used.
    """
    if name not in ORACLES:
        hint = suggest_name(name, ORACLES)
        raise GroundingError(
            GroundingCode.UNKNOWN_ORACLE, f"there is no oracle called {name!r}; {hint}"
        )
    return ORACLES[name](options)
