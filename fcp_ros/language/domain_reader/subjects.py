# SPDX-License-Identifier: Apache-2.0
"""Knowledge of a domain in a state, remembered from one instruction to the next."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity, TextSimilarity
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.weights_file import load_weights
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.parsing.instruments import add_instruments
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.pattern_building import build_patterns
from fcp_ros.language.parsing.synonymous_verbs import add_verbs
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.statements import StatementTable

_LOGGER = logging.getLogger(__name__)
_KEPT_STATES = 4
"""States whose nouns are remembered."""


@dataclass(frozen=True)
class Subject:
    """All that depends on a domain and a state only."""

    domain: Domain
    instance: Instance
    lexicon: Lexicon
    patterns: PatternTable
    places: PlaceChooser
    statements: StatementTable


class SubjectMemory:
    """Memory of the last domains and states, and of what was learned from people."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []
        self._model: DemandModel | None = None
        self._is_warned = False

    def find_subject(self, context: ReadingContext) -> Subject:
        """Return what is known of a domain and a state."""
        for number, known in enumerate(self._subjects):
            if known.instance is context.instance and known.domain is context.domain:
                self._subjects.insert(0, self._subjects.pop(number))
                return known
        same = [known for known in self._subjects if known.domain is context.domain]
        if same:
            patterns, places, statements = same[0].patterns, same[0].places, same[0].statements
        else:
            patterns = build_patterns(context.domain)
            add_verbs(patterns)
            add_instruments(patterns)
            places = PlaceChooser(context.domain, patterns)
            statements = StatementTable(context.domain)
        lexicon = Lexicon(context.domain, context.instance, patterns.vocabulary)
        subject = Subject(context.domain, context.instance, lexicon, patterns, places, statements)
        self._subjects = [subject, *self._subjects][:_KEPT_STATES]
        return subject

    def find_model(self, similarity: LabelSimilarity | None) -> DemandModel | None:
        """Return what was learned from people; None without a sentence encoder."""
        if not isinstance(similarity, TextSimilarity):
            return None
        try:
            if self._model is None:
                self._model = DemandModel(load_weights()[0], similarity.encode)
            similarity.encode(["something"])
        except (InputError, NoSimilarity) as error:
            if not self._is_warned:
                _LOGGER.warning("nothing learned from people is used: %s", error)
            self._is_warned = True
            return None
        return self._model
