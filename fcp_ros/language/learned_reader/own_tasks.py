# SPDX-License-Identifier: Apache-2.0
"""Tasks of a domain that are acts of English in general, too: the domain says what they mean."""

from __future__ import annotations

from dataclasses import replace

from fcp_ros.domain.model import Domain
from fcp_ros.language.demands.clause import OBJECT, RECEIVER, DemandClause, SpokenArgument
from fcp_ros.language.demands.model import Demand, DemandModel
from fcp_ros.language.meanings import MeaningSource
from fcp_ros.language.parsing.trees import (
    PERSON,
    PLACE,
    THEME,
    Act,
    NounPhrase,
    Predication,
    Reference,
    SpokenClause,
)

_BRINGING = DemandClause(
    "bring", arguments=(SpokenArgument(RECEIVER, "person"), SpokenArgument(OBJECT, "thing"))
)
_COMING = DemandClause("come")


class OwnTasks:
    """The tasks of a domain for bringing something and for coming."""

    def __init__(self, model: DemandModel, domain: Domain) -> None:
        self._model = model
        self._domain = domain

    def name(self, clause: SpokenClause) -> SpokenClause | None:
        """Put a clause as the task of the domain; None if it has none for it."""
        (said,) = clause.predications
        filling: tuple[str, ...] = ()
        if clause.act is Act.BRING:
            demand, filling = self._find(_BRINGING), (PERSON, THEME)
        elif clause.act is Act.GO and not clause.negated and _is_here(said):
            demand = self._find(_COMING)
        else:
            return None
        if demand is None:
            return None
        arguments = {
            slot: said.arguments[filling[position]] for slot, position in demand.slots.items()
        }
        one = replace(said, meaning=demand.meaning, arguments=arguments)
        return replace(clause, act=Act.ACHIEVE, predications=(one,))

    def _find(self, asked: DemandClause) -> Demand | None:
        """Find a task with the same verb, and a slot for each argument."""
        for demand in self._model.rank(asked, self._domain):
            same = demand.frame.verb == asked.verb and len(demand.slots) == len(asked.arguments)
            if same and demand.meaning.source is MeaningSource.TASK:
                return demand
        return None


def _is_here(said: Predication) -> bool:
    place = said.arguments.get(PLACE)
    return isinstance(place, NounPhrase) and place.head is Reference.HERE
