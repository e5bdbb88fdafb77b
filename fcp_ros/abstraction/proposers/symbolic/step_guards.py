# SPDX-License-Identifier: Apache-2.0
"""Concepts for the parameters of learned steps, so that a run need not try all bindings.

A guarded program comes in front of the one that it guards and never replaces it: a concept that
tells good objects from others in the sample is a guess elsewhere, and costs a few tries there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from fcp_ros.abstraction.features.enumeration import FeaturePool
from fcp_ros.abstraction.features.evaluation import FeatureEvaluator
from fcp_ros.abstraction.features.expressions import ConceptExpression
from fcp_ros.abstraction.policy.runner import encode_values
from fcp_ros.abstraction.proposers.symbolic.assembly import LearnedAbstraction
from fcp_ros.abstraction.proposers.symbolic.program_writers import order_concepts
from fcp_ros.abstraction.refinement.mapping import RefinementMapping
from fcp_ros.abstraction.refinement.programs import ConcreteStep, Program
from fcp_ros.abstraction.refinement.refining import has_effect
from fcp_ros.abstraction.sampling.sample import TransitionSample
from fcp_ros.abstraction.states.engine import RuleEngine


def guard_steps(
    learned: LearnedAbstraction, sample: TransitionSample, pool: FeaturePool, engine: RuleEngine
) -> LearnedAbstraction:
    """Put guarded programs in front of those of single steps, where the pool has concepts.

    Args:
        learned: a policy of single steps.
        sample: single steps.
        pool: of the states of the sample.
        engine: names the parameters.
    """
    guards = _StepGuards(learned, sample, pool)
    programs: dict[str, tuple[Program, ...]] = {}
    for action, known in learned.refinement.programs.items():
        guarded = (
            (ConcreteStep(step.rule, concepts),)
            for step in _list_single_steps(known)
            if (concepts := guards.find(action, step.rule, engine.parameters(step.rule)))
        )
        programs[action] = (*guarded, *known)
    features = learned.refinement.features
    return replace(learned, refinement=RefinementMapping(features, programs))


def _list_single_steps(programs: Sequence[Program]) -> Iterator[ConcreteStep]:
    for program in programs:
        if len(program) == 1 and isinstance(program[0], ConcreteStep):
            yield program[0]


class _StepGuards:
    """The steps of the sample with the policy's features before and after them."""

    def __init__(
        self, learned: LearnedAbstraction, sample: TransitionSample, pool: FeaturePool
    ) -> None:
        self._learned = learned
        self._sample = sample
        self._pool = pool
        self._order = order_concepts(pool.concepts)
        evaluator = FeatureEvaluator(learned.refinement.features.values())
        self._values = [evaluator.evaluate(state) for state in sample.states]
        self._effects = {
            action.name: tuple(action.effects.get(name) for name in learned.qnp.variables)
            for action in learned.qnp.actions
        }

    def find(
        self, action: str, rule: str, parameters: Sequence[str]
    ) -> Mapping[str, ConceptExpression]:
        """Find a concept for each parameter that decides about the effect of an action."""
        good, every = self._collect(action, rule, len(parameters))
        found: dict[str, ConceptExpression] = {}
        for place, parameter in enumerate(parameters):
            concept = self._tell_apart(
                list(good), [row[place] for row in good.values()], [every[s][place] for s in good]
            )
            if concept is not None:
                found[parameter] = concept
        return found

    def _collect(
        self, action: str, rule: str, width: int
    ) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Collect per state and parameter the objects (bitset) of good steps, and of all steps."""
        sample, policy = self._sample, self._learned.policy
        good: dict[int, list[int]] = {}
        every: dict[int, list[int]] = {}
        pairs = zip(sample.sources.tolist(), sample.targets.tolist(), strict=True)
        for (name, binding), (source, target) in zip(sample.steps, pairs, strict=True):
            before = self._values[source]
            if name != rule or action not in policy.get(encode_values(before), ()):
                continue
            tables = [every]
            if has_effect(self._effects[action], before, self._values[target]):
                tables.append(good)
            for table in tables:
                row = table.setdefault(source, [0] * width)
                for place, element in enumerate(binding):
                    row[place] |= 1 << element
        return good, every

    def _tell_apart(
        self, states: list[int], good: list[int], every: list[int]
    ) -> ConceptExpression | None:
        """Return the simplest concept with good objects in each state, and no other of a step."""
        if good == every or not self._order:
            return None
        members = self._pool.members[np.ix_(self._order, states)]
        pack = self._pool.batch.pack_sets
        wanted = members & pack(good)
        refused = members & pack([a & ~b for a, b in zip(every, good, strict=True)])
        telling = np.all(np.any(wanted, axis=2), axis=1) & ~np.any(refused, axis=(1, 2))
        places = np.flatnonzero(telling)
        return self._pool.concepts[self._order[int(places[0])]] if len(places) else None
