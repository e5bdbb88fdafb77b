# SPDX-License-Identifier: Apache-2.0
"""Plans that are worth a trial: they comply with all that earlier trials said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from fcp_ros.alignment.answer import AlignmentOptions
from fcp_ros.alignment.merging import drop_unused, erase_leg_types, merge_texts
from fcp_ros.alignment.pairing import AlignmentTask
from fcp_ros.alignment.predicate_use import PredicateUse, is_positive
from fcp_ros.alignment.predictor import (
    ConflictSet,
    ConflictSets,
    Predictor,
    SynonymChoice,
    SynonymSet,
)
from fcp_ros.alignment.proposals import Proposals
from fcp_ros.alignment.simulator import GroundAction
from fcp_ros.alignment.synonyms import ANY, ContradictorySynonyms, Proposal, Synonym
from fcp_ros.domain.expressions.syntax import Atom, Constant, Variable
from fcp_ros.domain.pddl import syntax_tree as pddl
from fcp_ros.domain.pddl.task_reader import PddlTexts, work_out
from fcp_ros.planning import Optimise, PlanningOptions, PlanningRequest, PlanStatus, Switches, plan
from fcp_ros.planning.model.request import CancelCallback
from fcp_ros.planning.model.watch import Watch

_COST = pddl.FunctionValue(pddl.TOTAL_COST)


@dataclass(frozen=True)
class ModelWithRules:
    """A model with replace rules."""

    texts: PddlTexts
    rules: Mapping[str, Synonym]  # the synonym of each replace rule, by the name of its action


def add_replace_rules(
    texts: PddlTexts,
    # the synonyms to be used, each in both directions where that can be of use
    proposals: Iterable[Proposal],
    uses: Mapping[str, PredicateUse],
    *,
    # a fact keeps its first name as well. Where all conditions are positive, no plan then means
    # that there is none under any of the synonyms.
    keep: bool = False,
) -> ModelWithRules:
    """Return a model with replace rules, whose plans minimise actions and penalties."""
    domain, problem = texts.domain, texts.problem
    taken = {action.name for action in domain.actions}
    actions = list(domain.actions)
    if not problem.minimises_cost:
        actions = [_with_cost(action, 1) for action in actions]
    rules: dict[str, Synonym] = {}
    for proposal in proposals:
        for rule in _list_rules(proposal, uses, keep):
            number = len(rules)
            while (name := f"replace-{number}") in taken:
                number += 1
            taken.add(name)
            rules[name] = proposal.synonym
            actions.append(replace(rule, name=name, spelling=name))
    return ModelWithRules(
        replace(
            texts,
            domain=replace(
                domain, actions=tuple(actions), functions={**domain.functions, pddl.TOTAL_COST: ()}
            ),
            problem=replace(
                problem,
                metric=pddl.Metric(True, _COST),
                values={**problem.values, pddl.TOTAL_COST: {(): Fraction(0)}},
            ),
        ),
        rules,
    )


def _list_rules(
    proposal: Proposal, uses: Mapping[str, PredicateUse], keep: bool
) -> Iterator[pddl.PddlAction]:
    """Build the rules of a synonym, one for each direction that can be of use."""
    # A projection from any object gives the name with fewer arguments only. Its other name is true
    # as well, where it holds.
    synonym = proposal.synonym
    names = [f"x{number}" for number in range(synonym.arity)]
    extended: list[pddl.PddlTerm] = list(map(Variable, names))
    source = Atom(synonym.source, tuple(extended))
    for number, filler in enumerate(synonym.fillers):
        if filler == ANY:
            names.append(f"any{number}")
        extended.append(Variable(names[-1]) if filler == ANY else Constant(filler))
    target = Atom(synonym.target, tuple(extended[place] for place in synonym.places))
    ways = [(source, target)] if ANY not in synonym.fillers else []
    for before, after in (*ways, (target, source)):
        if uses[before.predicate].can_hold and uses[after.predicate].is_needed:
            effect = pddl.ActionEffect(add=(after,), delete=() if keep else (before,))
            rule = pddl.PddlAction("", tuple(map(pddl.Typed, names)), before, (effect,))
            yield _with_cost(rule, proposal.penalty)


def _with_cost(action: pddl.PddlAction, cost: int) -> pddl.PddlAction:
    without = (
        replace(effect, numeric=tuple(one for one in effect.numeric if one.target != _COST))
        for effect in action.effects
    )
    change = pddl.NumericChange("increase", _COST, Fraction(cost))
    return replace(action, effects=(*without, pddl.ActionEffect(numeric=(change,))))


MOST_CHOICES = 50
"""Ways to comply with the trials that are planned with before more candidates are admitted."""
_IMPROVE_SECONDS = 0.1
"""Seconds for a shorter plan after the first one: it is only tried, and not carried out."""


class NotFound(Enum):
    """The outcome of planning that gave no plan."""

    NO_PLAN = 1
    UNSETTLED = 2


@dataclass(frozen=True)
class TrialPlan:
    """A plan that is worth a trial, and the synonyms behind it."""

    actions: tuple[GroundAction, ...]
    synonyms: frozenset[Synonym]


class PlanFinder:
    """Finds plans with replace rules, and in models in which synonyms are one predicate."""

    def __init__(
        self,
        task: AlignmentTask,
        predictor: Predictor,  # of trials of the task
        options: AlignmentOptions,
        watch: Watch,
        cancelled: CancelCallback,  # asked every few milliseconds while a plan is sought
    ) -> None:
        self._model = erase_leg_types(task.model)
        self._uses = task.uses
        self._predictor = predictor
        self._options = options
        self._watch = watch
        self._cancelled = cancelled

    def find_attempt(
        self, proposals: Proposals, conflicts: ConflictSets, tier: int
    ) -> TrialPlan | None:
        """Find a plan that complies with all trials; None if there is none in a tier.

        `conflicts`: what the trials said; synonyms that exclude one another are added. `tier`: the
        last group of candidates.
        """
        hopeless: list[SynonymChoice] = []
        known = len(conflicts.sets)
        usable = proposals.list_tier(tier)
        for _, choice in zip(
            range(MOST_CHOICES), _list_choices(proposals, conflicts), strict=False
        ):
            self._watch.check()
            if any(
                choice.adopted == other.adopted and choice.forbidden >= other.forbidden
                for other in hopeless
            ):
                continue
            found = self._plan_under(choice, usable, conflicts)
            if isinstance(found, TrialPlan):
                return found
            if found is NotFound.NO_PLAN:
                hopeless.append(choice)
            elif len(conflicts.sets) > known:
                return self.find_attempt(proposals, conflicts, tier)  # the choices have changed
        return None

    def plan_merged(self, synonyms: SynonymSet) -> TrialPlan | NotFound:
        """Plan in the model in which synonyms are one predicate.

        Raises ContradictorySynonyms if there is no such model.
        """
        merged = merge_texts(self._model, self._predictor.make_mapping(synonyms))
        found = self._plan(add_replace_rules(merged, (), self._uses))
        return replace(found, synonyms=synonyms) if isinstance(found, TrialPlan) else found

    def is_hopeless(self, proposals: Proposals) -> bool:
        """Prove that no plan exists under any of the candidates; False if that is not proven."""
        if proposals.left_out or not is_positive(self._model):
            return False
        model = add_replace_rules(self._model, proposals.all.values(), self._uses, keep=True)
        return self._plan(model) is NotFound.NO_PLAN

    def _plan_under(
        self, choice: SynonymChoice, usable: list[Proposal], conflicts: ConflictSets
    ) -> TrialPlan | NotFound:
        """Plan with replace rules, then make sure of it in the model without them."""
        left = [
            one
            for one in usable
            if one.synonym not in choice.forbidden and one.synonym not in choice.adopted
        ]
        model = add_replace_rules(self._model, left, self._uses)
        try:
            mapping = self._predictor.make_mapping(choice.adopted)
            model = replace(model, texts=merge_texts(model.texts, mapping))
        except ContradictorySynonyms:
            return NotFound.NO_PLAN
        found = self._plan(model)
        if not isinstance(found, TrialPlan):
            return found
        return self._make_sure(found.actions, found.synonyms | choice.adopted, conflicts)

    def _make_sure(
        self, actions: tuple[GroundAction, ...], synonyms: SynonymSet, conflicts: ConflictSets
    ) -> TrialPlan | NotFound:
        """Return a plan that works where the synonyms are one name each; the given one if it can.

        A replace rule may have used a name that was out of date.
        """
        try:
            if self._predictor.predict(synonyms, actions).reached:
                return TrialPlan(actions, synonyms)
            found = self.plan_merged(synonyms)
        except ContradictorySynonyms as error:
            wrong = frozenset(one for one in synonyms if one.names <= error.names)
            conflicts.add(ConflictSet(wrong))
            return NotFound.UNSETTLED
        return found if isinstance(found, TrialPlan) else NotFound.UNSETTLED

    def _plan(self, model: ModelWithRules) -> TrialPlan | NotFound:
        self._watch.check()
        task = work_out(drop_unused(model.texts), self._watch.check)
        left = max(0.01, self._options.time_limit - self._watch.elapsed)
        result = plan(
            PlanningRequest(
                task.domain,
                task.instance,
                task.goal,
                PlanningOptions(
                    optimise=Optimise.COST,
                    time_limit=min(left, self._options.plan_time),
                    improve_time=_IMPROVE_SECONDS,
                    seed=self._options.seed,
                    switches=Switches(chunks=False),
                ),
                cancelled=self._cancelled,
                explain_conflict=False,
            ),
        )
        self._watch.check()
        if result.plan is None:
            proven = result.status is PlanStatus.UNSOLVABLE_PROVEN
            return NotFound.NO_PLAN if proven else NotFound.UNSETTLED
        actions: list[GroundAction] = []
        used: set[Synonym] = set()
        for step in result.plan.steps:
            form, arguments = task.forms[step.rule], dict(step.arguments)
            if form.action in model.rules:
                used.add(model.rules[form.action])
            else:
                actions.append((form.action, tuple(arguments[one] for one in form.parameters)))
        return TrialPlan(tuple(actions), frozenset(used))


def _list_choices(proposals: Proposals, conflicts: ConflictSets) -> Iterator[SynonymChoice]:
    return conflicts.list_choices({synonym: one.prior for synonym, one in proposals.all.items()})
