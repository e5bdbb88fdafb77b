# SPDX-License-Identifier: Apache-2.0
"""Knowledge of a domain in a state, remembered from one instruction to the next."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace

from fcp_ros.binding.similar_labels import LabelSimilarity, NoSimilarity, TextSimilarity
from fcp_ros.cset import Instance
from fcp_ros.domain.model import Domain
from fcp_ros.foundation.input_error import InputError
from fcp_ros.language.demands.model import DemandModel
from fcp_ros.language.demands.weights_file import load_weights
from fcp_ros.language.domain_reader.terms.places import PlaceChooser
from fcp_ros.language.meanings import list_phrase_words
from fcp_ros.language.parsing.lexicon import Lexicon
from fcp_ros.language.parsing.meanings import PatternTable
from fcp_ros.language.parsing.pattern_building import add_instruments, add_verbs, build_patterns
from fcp_ros.language.reader import ReadingContext
from fcp_ros.language.remarks.remark_model import RemarkModel
from fcp_ros.language.remarks.remark_model import load_weights as load_remark_weights
from fcp_ros.language.statement_table import StatementTable

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
    # the words of all phrases of each meaning, by its key
    phrase_words: Mapping[tuple[str, bool], frozenset[str]]


def _make_subject(domain: Domain, instance: Instance) -> Subject:
    patterns = build_patterns(domain)
    add_verbs(patterns)
    add_instruments(patterns)
    return Subject(
        domain,
        instance,
        Lexicon(domain, instance, patterns.vocabulary),
        patterns,
        PlaceChooser(domain, patterns),
        StatementTable(domain),
        list_phrase_words(domain),
    )


class SubjectMemory:
    """Memory of the last domains and states, and of what was learned from people."""

    def __init__(self) -> None:
        self._subjects: list[Subject] = []
        self._model: DemandModel | None = None
        self._remarks: RemarkModel | None = None
        self._is_warned = False

    def find_subject(self, context: ReadingContext) -> Subject:
        """Return what is known of a domain and a state."""
        for number, known in enumerate(self._subjects):
            if known.instance is context.instance and known.domain is context.domain:
                self._subjects.insert(0, self._subjects.pop(number))
                return known
        domain, instance = context.domain, context.instance
        same = next((known for known in self._subjects if known.domain is domain), None)
        if same is None:
            subject = _make_subject(domain, instance)
        else:
            lexicon = Lexicon(domain, instance, same.patterns.vocabulary)
            subject = replace(same, instance=instance, lexicon=lexicon)
        self._subjects = [subject, *self._subjects][:_KEPT_STATES]
        return subject

    def find_remarks(self, similarity: LabelSimilarity | None) -> RemarkModel | None:
        """Return what was learned of remarks; None without a sentence encoder."""
        return None if self.find_model(similarity) is None else self._remarks

    def find_model(self, similarity: LabelSimilarity | None) -> DemandModel | None:
        """Return what was learned from people; None without a sentence encoder."""
        if not isinstance(similarity, TextSimilarity):
            return None
        try:
            if self._model is None:
                self._remarks = RemarkModel(load_remark_weights()[0], similarity.encode)
                self._model = DemandModel(load_weights()[0], similarity.encode)
            similarity.encode(["something"])
        except (InputError, NoSimilarity) as error:
            if not self._is_warned:
                _LOGGER.warning("nothing learned from people is used: %s", error)
            self._is_warned = True
            return None
        return self._model
