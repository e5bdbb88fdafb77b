# SPDX-License-Identifier: Apache-2.0
"""Claims and hypotheses: what the names of a scene mean in the domain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from fcp_ros.alignment.ontology.vocabulary import SceneVocabulary
from fcp_ros.binding.renaming import ReadingChoice, relation_options_for, rename_scene
from fcp_ros.binding.scene_to_state import scene_to_instance
from fcp_ros.cset import Fact, Instance
from fcp_ros.domain.expressions.syntax import Variable
from fcp_ros.domain.model import ActionRule, Domain
from fcp_ros.domain.scene_names import DOORLESS, AttributeReading, RelationReading, SceneNames
from fcp_ros.scene.relations.complete import complete_relations

Meaning = str | RelationReading | AttributeReading
"""A label or type of the domain, or a reading of a relation or attribute."""


class NameKind(str, Enum):
    """The kind of a name of a scene."""

    LABEL = "label"
    RELATION = "relation"
    ATTRIBUTE = "attribute"


class ClaimStanding(str, Enum):
    """The state of knowledge about a claim."""

    KNOWN = "known"
    """The domain has the name, and nothing speaks against it."""
    KEPT = "kept"
    """A plan that rests on it succeeded."""
    PROPOSED = "proposed"
    """Likely enough to be written, but not tried."""
    DOUBTFUL = "doubtful"
    """Too unlikely to be written, not decided by trials, or too wide for what the scene shows."""
    REFUTED = "refuted"
    """A plan failed for which nothing else is to blame."""
    UNKNOWN = "unknown"
    """The name means nothing in the domain, as far as can be told."""

    @property
    def is_written(self) -> bool:
        return self in (ClaimStanding.KEPT, ClaimStanding.PROPOSED)


@dataclass(frozen=True)
class NameClaim:
    """The meaning of a name of a scene in the domain, or that it has none."""

    kind: NameKind
    name: str
    meaning: Meaning | None  # in the domain; None if it means nothing there
    # of the meaning, in [0, 1): before any trial a judgement, which counts like two trials
    # afterwards
    probability: float
    standing: ClaimStanding
    count: int = 0  # how many elements or tuples of the scene have the name
    reasons: tuple[str, ...] = ()
    # other meanings with their probabilities, the most likely first
    rivals: tuple[tuple[Meaning, float], ...] = ()
    succeeded: int = 0  # number of trials in which an action succeeded that rests on it
    failed: int = 0  # number of trials in which the action that failed rests on it
    is_layer: bool = False  # True for a label that says no more than the layer of its things
    namesake: str = ""  # the type of this name in the domain, if the scene means another

    def __str__(self) -> str:
        meaning = "nothing in the domain" if self.meaning is None else str(self.meaning)
        return f"{self.name} = {meaning}"

    def to_plain(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "name": self.name,
            "meaning": None if self.meaning is None else str(self.meaning),
            "probability": round(self.probability, 3),
            "standing": self.standing.value,
            "count": self.count,
            "reasons": list(self.reasons),
            "rivals": [
                {"meaning": str(meaning), "probability": round(probability, 3)}
                for meaning, probability in self.rivals
            ],
            "succeeded": self.succeeded,
            "failed": self.failed,
        }


# --- A hypothesis about the names of a scene: the state that the scene is in if it is right


@dataclass(frozen=True, slots=True)
class NameUse:
    """A meaning that an action rests on."""

    kind: NameKind
    name: str
    # a type that things with the label are, or a reading; "" without one
    meaning: str | RelationReading | AttributeReading

    def put_into(self, names: SceneNames) -> SceneNames:
        """Return names with this meaning instead of any other of the same name."""
        if isinstance(self.meaning, RelationReading):
            return replace(names, relations={**names.relations, self.name: (self.meaning,)})
        if isinstance(self.meaning, AttributeReading):
            return replace(names, attributes={**names.attributes, self.name: self.meaning})
        return replace(names, labels={**names.labels, self.name: self.meaning})


class NameHypothesis:
    """The state of a scene whose names mean what a hypothesis says.

    Raises SceneError if read so, something would lie on or in itself.
    """

    def __init__(self, vocabulary: SceneVocabulary, domain: Domain, names: SceneNames) -> None:
        self.names = names
        self._vocabulary = vocabulary
        self._domain = domain
        mapping = domain.mapping.with_names(names)
        schema = domain.schema
        renamed = rename_scene(vocabulary.graph, schema, mapping)
        graph = complete_relations(renamed, relation_options_for(schema))
        self.instance: Instance = scene_to_instance(graph, schema, mapping).instance
        self._origins: dict[Fact, NameUse] = {}
        self._choice = ReadingChoice(renamed.nodes, schema, mapping)
        for fact, use in self._find_origins(self._choice):
            self._origins.setdefault(fact, use)

    def _find_origins(self, choice: ReadingChoice) -> Iterator[tuple[Fact, NameUse]]:
        """Yield the facts that relations of the source state, with the reading behind each."""
        names = self.names
        for name, tuples in self._vocabulary.relations.items():
            for elements in tuples:
                plain = RelationReading(name, tuple(range(len(elements))))
                reading = choice.choose(names.relations.get(name, (plain,)), elements) or plain
                read = reading.read(elements)
                use = NameUse(NameKind.RELATION, name, reading)
                yield Fact(reading.name, read), use
                if reading.name == DOORLESS:
                    yield Fact(reading.name, (read[1], read[0], *read[2:])), use
        for name, values in self._vocabulary.attributes.items():
            reading_of = names.attributes.get(name, AttributeReading(name))
            use = NameUse(NameKind.ATTRIBUTE, name, reading_of)
            for fact in self._domain.mapping.attribute_facts:
                if fact.attribute == reading_of.name:
                    for id_ in values:  # that it does not hold is read from it, too
                        yield Fact(fact.relation, (id_,)), use

    def list_facts(self, name: str) -> list[tuple[Fact, NameUse]]:
        """List the facts that hold by what a name of the scene is taken for."""
        return [
            (fact, use)
            for fact, use in self._origins.items()
            if use.name == name and self.holds(fact)
        ]

    def list_denied(self, name: str) -> list[tuple[Fact, NameUse]]:
        """List the facts that don't hold by what a name of the scene is taken for."""
        return [
            (fact, use)
            for fact, use in self._origins.items()
            if use.name == name and not self.holds(fact)
        ]

    def holds(self, fact: Fact) -> bool:
        if not all(self.instance.has(name) for name in fact.arguments):
            return False
        if not self.instance.schema.has_relation(fact.relation):
            return False
        ids = tuple(self.instance.id_of(name) for name in fact.arguments)
        return self.instance.find_tuple(fact.relation, ids) is not None

    def find_uses(
        self, rule: ActionRule, bound: Mapping[str, str], changed: set[Fact]
    ) -> frozenset[NameUse]:
        """Find the meanings that an action rests on.

        `bound`: the element for each parameter. `changed`: facts that earlier actions made true or
        false; they rest on no name.
        """
        uses: set[NameUse] = set()
        label_of = self._vocabulary.label_of
        schema = self._domain.schema
        for parameter in rule.parameters:
            label = label_of.get(bound[parameter.name])
            if label is not None and schema.types[parameter.type]:  # all things are of the root
                uses.add(NameUse(NameKind.LABEL, label, parameter.type))
        for literal in rule.when:
            arguments = literal.atom.arguments
            names = [bound.get(one.name) for one in arguments if isinstance(one, Variable)]
            if None in names:
                continue
            fact = Fact(literal.atom.predicate, tuple(name for name in names if name is not None))
            use = self._origins.get(fact)
            if use is not None and fact not in changed:
                uses.add(use)
        return frozenset(uses)

    def find_doubts(self, rule: ActionRule, bound: Mapping[str, str]) -> frozenset[NameUse]:
        """Find the names that may state what an action needs to be false.

        Under the hypothesis it is false. But a name without a meaning may mean just that, and so
        may a name whose meaning is wrong. `bound`: the element for each parameter.
        """
        found: set[NameUse] = set()
        for literal in rule.when:
            if literal.negated:
                terms = literal.atom.arguments
                names = [one.name for one in terms if isinstance(one, Variable)]
                elements = {bound[name] for name in names if name in bound}
                found |= set(self._find_unsure(elements, len(terms)))
        return frozenset(found)

    def _find_unsure(self, elements: set[str], arity: int) -> Iterator[NameUse]:
        """Yield the names of the scene, other than those of the domain, that tell of elements."""
        has = self.instance.schema.has_relation
        choice = self._choice
        for name, tuples in self._vocabulary.relations.items():
            for one in tuples:
                if len(one) == arity and elements <= set(one) and not has(name):
                    reading = choice.choose(self.names.relations.get(name, ()), one)
                    yield NameUse(NameKind.RELATION, name, reading or "")
        if arity > 1:
            return
        known = {fact.attribute for fact in self._domain.mapping.attribute_facts}
        for name, values in self._vocabulary.attributes.items():
            if name not in known and elements <= values.keys():
                yield NameUse(NameKind.ATTRIBUTE, name, self.names.attributes.get(name, ""))
