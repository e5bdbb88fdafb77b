# SPDX-License-Identifier: Apache-2.0
"""The relaxation of one goal that cannot be met as stated: relaxed goals, the best one first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from fcp_ros.domain.expressions.resolution import infer_types
from fcp_ros.domain.expressions.syntax import (
    Constant,
    Expression,
    Weighted,
    atoms,
    children,
    conjoin,
    free_variables,
    to_text,
)
from fcp_ros.domain.model import TEXT, Domain
from fcp_ros.domain.shifting import Shifts
from fcp_ros.domain.vocabulary import Vocabulary
from fcp_ros.foundation.wording import join_words
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.language.nouns import add_article, pluralise, write_label, write_number
from fcp_ros.planning.model.request import Optimise, PlanningOptions
from fcp_ros.planning.model.result import PlanningResult, PlanStatus, RelaxationOutcome
from fcp_ros.planning.model.watch import Interrupted
from fcp_ros.relaxation.acceptance import (
    MOST_EXPANDED,
    describe_length,
    describe_weakness,
    is_only_long,
    serves_purpose,
)
from fcp_ros.relaxation.interactions import GoalOrder, find_contradictions, fix_losses
from fcp_ros.relaxation.lattice import Attempt, Found, Node, Pairs, RelaxationLattice
from fcp_ros.relaxation.requirements import (
    AS_WANTED,
    Form,
    Requirement,
    RequirementChoice,
    list_requirements,
)
from fcp_ros.relaxation.stream import ChoiceStream
from fcp_ros.relaxation.substitution import RelaxationSetting, exclude_elements
from fcp_ros.relaxation.wording import ChangeWords, RequirementChange
from fcp_ros.relaxation.worlds import MakeProofs, PlanningWorld, WorldStream, add_elements

PlanGoal = Callable[[Expression, PlanningOptions, PlanningWorld], PlanningResult]
"""Plans a goal, within the limits of the request; conflicts are not looked for."""

MOST_LACKING = 100
"""Elements that are added to look if the goal could be met with them."""
LEAST_MISSING = 2.0
"""Seconds to look if the goal could be met with what is missing; as many as before, if more."""
MOST_ALONE = 30
"""Requirements that are planned alone, to see which of them keep a goal below alpha."""

_TRIVIAL = "Its plan does nothing of what was wanted."
_STOPPED = (PlanStatus.TIMEOUT, PlanStatus.MEMOUT, PlanStatus.CANCELLED)


class GoalRelaxation:
    """Relaxes one goal."""

    def __init__(
        self,
        # the domain with the rules that ask a person; it says how goals may be relaxed
        whole: Domain,
        here: PlanningWorld,
        goal: Expression,
        options: PlanningOptions,
        make_proofs: MakeProofs,  # makes the proofs of another world
        plan: PlanGoal,
        purpose: str = "",
    ) -> None:
        self._here = here
        self._options = options
        self._proofs = here.proofs
        self._plan = plan
        self._strict_goal = goal
        self._tnorm = tnorm_by_name(options.tnorm)
        domain, instance = here.domain, here.instance
        self._goal = list_requirements(goal, infer_types(goal, domain), instance, domain)
        self._order = GoalOrder(self._goal, domain.graded)
        self.words = ChangeWords(domain, instance, self._goal)
        named = Counter(name for names in self._list_named() for name in names)
        worlds = WorldStream(whole, here, self._tnorm, make_proofs, here.proofs.judge)
        self._worlds = worlds if worlds.find(1) is not None else None
        alone = self._worlds is None
        self._contradictions = find_contradictions(self._goal.items, domain.schema)
        contradicted = {number for pair in self._contradictions for number in pair}
        setting = RelaxationSetting(
            domain,
            instance,
            self._tnorm,
            here.proofs,
            named,
            self._goal.types,
            alone,
            options.cut().alpha,
            purpose,
        )
        self.streams: list[ChoiceStream | WorldStream] = [
            ChoiceStream(
                one, setting, number in contradicted, bool(self._order.mentioned.get(number))
            )
            for number, one in enumerate(self._goal.items)
        ]
        if self._worlds is not None:
            self.streams.append(self._worlds)
        self._checked: dict[tuple[int, int, int], bool] = {}
        self._first_solved = math.inf
        self._expanded_below = -1
        self.expansions = 0  # states expanded for relaxed goals
        self.timings: dict[str, float] = {}  # stage -> seconds for relaxed goals

    def _list_named(self) -> Iterator[frozenset[str]]:
        """Yield the elements that each requirement names.

        An order constraint follows the requirements of which it speaks: it names what is its own.
        """
        domain = self._here.domain
        for number, item in enumerate(self._goal.items):
            if number not in self._order.mentioned:
                yield _find_named(item.closed, domain)
                continue
            own = (_find_named(condition, domain) for condition in self._order.list_own(number))
            yield frozenset().union(*own)

    @property
    def requirements(self) -> Sequence[Requirement]:
        return self._goal.items

    def search(self, strict: PlanningResult) -> Found:
        """Find the best relaxation of the goal, of which `strict` is the failure as stated."""
        options = self._options
        lattice = RelaxationLattice(
            self.streams,
            self._tnorm,
            strict.alpha,
            self._attempt,
            by_membership=options.optimise is Optimise.MEMBERSHIP,
            enough=self._is_enough,
            name=self.words.name,
        )
        try:
            first = self._judge_strict(strict)
        except Interrupted as reason:
            failed = Attempt(RelaxationOutcome.UNKNOWN, strict)
            return Found(None, failed, 1.0, False, (), reason)
        return lattice.search(first)

    def _is_enough(self) -> bool:
        return self._proofs.elapsed - self._first_solved >= self._options.improve_time

    def find_shifts(self, node: Node) -> Shifts:
        """Find the elements that are taken for another type in a node."""
        return self._find_world(node).shifts

    def _find_world(self, node: Node) -> PlanningWorld:
        return self._here if self._worlds is None else self._worlds.make(node[-1])

    def find_missing(self) -> tuple[str, str]:
        """Find what is missing for the goal as stated, in no more time than the answer itself took.

        Returns:
            What is missing, in a sentence, or "", and a sentence if there was no time to know.
        """
        lacking: dict[str, tuple[str, int]] = {}
        for stream in self.streams:
            if isinstance(stream, ChoiceStream):
                for label, type_, number in stream.list_lacking():
                    lacking[label] = (type_, max(number, lacking.get(label, ("", 0))[1]))
        if not 0 < sum(number for _, number in lacking.values()) <= MOST_LACKING:
            return "", ""
        instance = add_elements(self._here.domain, self._here.instance, lacking)
        if instance is None:
            return "", ""
        world = replace(self._here, instance=instance)
        seconds = max(LEAST_MISSING, self._proofs.elapsed)
        most = min(self._options.time_limit, self._proofs.elapsed + seconds)
        options = replace(self._options.with_alpha(0.0), time_limit=most)
        result = self._plan_goal(self._strict_goal, options, world)
        if result.status is PlanStatus.TIMEOUT:
            return "", f"In {seconds:.0f} s it was not found whether things are missing for it."
        if not result.status.solved:
            return "", ""
        words = join_words(
            [
                add_article(write_label(label))
                if number == 1
                else f"{write_number(number)} {pluralise(write_label(label))}"
                for label, (_, number) in lacking.items()
            ]
        )
        several = len(lacking) > 1 or any(number > 1 for _, number in lacking.values())
        verb, them = ("are", "them") if several else ("is", "one")
        words = words[:1].upper() + words[1:]
        return f"{words} {verb} missing: with {them}, {result.best_membership:.2f}.", ""

    def _judge_strict(self, strict: PlanningResult) -> Attempt:
        root: Node = (0,) * len(self.streams)
        if strict.status is PlanStatus.UNSOLVABLE_AT_ALPHA:
            weak = tuple(self._find_weak(strict.alpha, root))
            return Attempt(RelaxationOutcome.BELOW_ALPHA, strict, reason=strict.message, weak=weak)
        wanted = [AS_WANTED] * len(root)
        conflict = self._find_unreachable(root, wanted)
        if not conflict and self._contradictions and not self._options.budgets:
            conflict = frozenset((number, 0) for number in self._contradictions[0])
        if not conflict:
            conflict = self._read_conflict(strict, root)
        if not conflict:
            conflict = self._find_conflict(root, wanted)
        return Attempt(RelaxationOutcome.IMPOSSIBLE, strict, conflict, strict.message)

    def _find_weak(self, alpha: float, root: Node) -> Iterator[Pairs]:
        """Yield the requirements that keep the goal as stated below alpha, each by itself.

        Otherwise they would be found one change at a time, among all combinations of changes.
        """
        options = self._options
        alone = [
            (number, item)
            for number, item in enumerate(self.requirements)
            if number not in self._order.mentioned and item.form is not Form.HARD
        ]
        # An adaptive alpha is another one for a shorter plan.
        if options.budgets or options.policy is not None or not 1 < len(alone) <= MOST_ALONE:
            return
        options = replace(options, max_expansions=min(MOST_EXPANDED, options.max_expansions))
        quick = replace(options, improve_time=0.0)
        for number, item in alone:
            self._proofs.check()
            if free_variables(item.closed):
                continue
            result = self._plan_goal(item.closed, quick, self._here)
            if result.status is not PlanStatus.UNSOLVABLE_AT_ALPHA:
                continue
            best = self._plan_goal(item.closed, options.with_alpha(0.0), self._here)
            if best.plan is not None:
                self.words.weak[number] = describe_weakness(
                    best.plan, alpha, self._here.domain, self._here.instance
                )
            yield self._complete(frozenset({(number, 0)}), root)

    def _read_conflict(self, strict: PlanningResult, root: Node) -> Pairs:
        """Read the requirements of a conflict that is known; none unless all of it is found."""
        if strict.conflict is None or not strict.conflict.minimal or self._options.budgets:
            return frozenset()
        owners = {
            to_text(part): number
            for number, item in enumerate(self.requirements)
            if item.every < 0
            for part in (*item.parts, item.wanted)
        }
        numbers = [owners.get(text) for text in strict.conflict.parts]
        found = frozenset((number, 0) for number in numbers if number is not None)
        return self._complete(found, root) if None not in numbers else frozenset()

    # --- one node

    def _attempt(self, node: Node, choices: Sequence[RequirementChoice]) -> Attempt:
        """Plan a relaxed goal, unless a part of it is out of reach."""
        self._proofs.check()
        options = self._limit_effort()
        unreachable = self._find_unreachable(node, choices)
        if unreachable:
            position = min(position for position, _ in unreachable)
            reason = f"No sequence of actions leads to this: {self._tell(position, choices)}."
            return Attempt(RelaxationOutcome.IMPOSSIBLE, None, unreachable, reason)
        world = self._find_world(node)
        if self._leaves_nothing(choices):
            return Attempt(RelaxationOutcome.TRIVIAL, None, reason="Nothing wanted is left of it.")
        goal = self.assemble(choices)
        result = self._plan_goal(goal, options, world)
        if result.status.solved:
            if not self.serves(result, choices, world):
                return Attempt(RelaxationOutcome.TRIVIAL, None, reason=_TRIVIAL)
            self._first_solved = min(self._first_solved, self._proofs.elapsed)
            exact = result.status is PlanStatus.SOLVED_OPTIMALLY
            return Attempt(RelaxationOutcome.SOLVED, result, reason=result.message, exact=exact)
        if result.status in _STOPPED:
            raise Interrupted(result.status, result.message)
        if result.status is PlanStatus.UNSOLVABLE_AT_ALPHA:
            self._expanded_below = max(0, self._expanded_below)
            best = self._plan_goal(goal, self._options.with_alpha(0.0), world)
            if best.status.solved and not self.serves(best, choices, world):
                return Attempt(RelaxationOutcome.TRIVIAL, None, reason=_TRIVIAL)
            if self._options.confirm_below and is_only_long(best, result.alpha):
                assert best.plan is not None, "it is solved"
                reason = describe_length(best.plan, result.alpha)
                long = replace(best, alpha=result.alpha, message=reason)
                return Attempt(RelaxationOutcome.SOLVED, long, reason=reason, exact=False)
            return Attempt(RelaxationOutcome.BELOW_ALPHA, result, reason=result.message)
        if result.status is PlanStatus.UNSOLVABLE_PROVEN:
            conflict = self._find_conflict(node, choices)
            reason = result.message
            return Attempt(RelaxationOutcome.IMPOSSIBLE, result, conflict, reason)
        if options is not self._options:
            sentence = "Other ways to relax it were not searched to the end."
            raise Interrupted(PlanStatus.UNSOLVABLE_INCOMPLETELY, sentence)
        return Attempt(RelaxationOutcome.UNKNOWN, result, reason=result.message, exact=False)

    def _limit_effort(self) -> PlanningOptions:
        """Limit the search for a relaxed goal, once another is executable, but below alpha.

        Then it is the steps that lose too much, and a long plan would have to lose them one by one.
        """
        if self._expanded_below < 0 or self._first_solved < math.inf:
            return self._options
        left = max(1, MOST_EXPANDED - self._expanded_below)
        return replace(self._options, max_expansions=min(left, self._options.max_expansions))

    def _leaves_nothing(self, choices: Sequence[RequirementChoice]) -> bool:
        """Return True if all that may be relaxed is given up, or left again in the end."""
        kept = zip(self.requirements, choices, strict=False)
        return all(
            choice.is_dropped or choice.is_split or item.form is Form.HARD for item, choice in kept
        )

    def _tell(self, position: int, choices: Sequence[RequirementChoice]) -> str:
        changes = [RequirementChange(position, change) for change in choices[position].changes]
        with_ = f" with {join_words([*map(self.words.name, changes)])}" if changes else ""
        return f"{self.words.tell(position)}{with_}"

    def _plan_goal(
        self, goal: Expression, options: PlanningOptions, world: PlanningWorld
    ) -> PlanningResult:
        result = self._plan(goal, options, world)
        self.expansions += result.expansions
        if self._expanded_below >= 0:
            self._expanded_below += result.expansions
        for stage, seconds in result.timings.items():
            self.timings[stage] = self.timings.get(stage, 0.0) + seconds
        return result

    def assemble(self, choices: Sequence[RequirementChoice]) -> Expression:
        goal = self._goal.assemble({**self._express_changed(choices), **self._order.adapt(choices)})
        own = choices[len(self.requirements) :]
        return conjoin(
            [goal, *(choice.expression for choice in own if choice.expression is not None)]
        )

    def _express_changed(self, choices: Sequence[RequirementChoice]) -> dict[int, Expression]:
        """Express the requirements that are relaxed, or that must leave substitutes alone."""
        used = frozenset().union(*(choice.uses for choice in choices))
        changed: dict[int, Expression] = {}
        for position, (item, choice) in enumerate(zip(self.requirements, choices, strict=False)):
            wanted = choice.expression
            if wanted is None:
                if not used or item.form is Form.HARD or item.every >= 0:
                    continue
                wanted = item.wanted
            if position in self._order.ordered and choice.changes:
                wanted = fix_losses(wanted, self._here.domain, self._here.instance)
            excluded = exclude_elements(wanted, used, self._here.instance, self._goal.types)
            if choice.expression is not None or excluded != wanted:
                changed[position] = excluded
        return changed

    def _express(self, choices: Sequence[RequirementChoice]) -> list[Expression]:
        changed = self._express_changed(choices)
        parts = [changed.get(number, item.wanted) for number, item in enumerate(self.requirements)]
        for number, constraint in self._order.adapt(choices).items():
            # Conflicts are by position: a constraint that is no more demands nothing.
            parts[number] = constraint or Weighted(0.0, children(parts[number])[0])
        return parts

    def serves(
        self,
        result: PlanningResult,
        choices: Sequence[RequirementChoice],
        world: PlanningWorld | None = None,
    ) -> bool:
        """Return True if the plan for a relaxed goal does something that was wanted."""
        verdict = result.verification
        if self._leaves_nothing(choices):
            return False
        if result.plan is None or verdict is None or verdict.final is None:
            return False
        wanted = [
            choice.expression or item.closed
            for item, choice in zip(self.requirements, choices, strict=False)
            if not choice.is_dropped
        ]
        world = world or self._here
        final = verdict.final
        return serves_purpose(result.plan, world.instance, final, wanted, world.domain)

    # --- conflicts

    def _find_unreachable(self, node: Node, choices: Sequence[RequirementChoice]) -> Pairs:
        """Find a requirement that is out of reach by itself, with its choice."""
        if self._options.budgets:  # parts of a goal may be left out: then nothing follows from one
            return frozenset()
        world, number = self._find_world(node), 0 if self._worlds is None else node[-1]
        pairs = list(enumerate(node[: len(self.requirements)]))
        fresh = [
            (position, choice)
            for position, choice in pairs
            if (position, choice, number) not in self._checked
            and position not in self._order.mentioned
            and not choices[position].is_dropped
        ]
        if fresh:
            conditions = [
                choices[position].expression or self.requirements[position].closed
                for position, _ in fresh
            ]
            never = world.proofs.find_unreachable(conditions, self._goal.types)
            for place, (position, choice) in enumerate(fresh):
                self._checked[position, choice, number] = place in never
        found = [pair for pair in pairs if self._checked.get((*pair, number))]
        return self._complete(frozenset(found[:1]), node)

    def _complete(self, conflict: Pairs, node: Node) -> Pairs:
        """Add to a conflict what it depends on besides: without that there may be none.

        Order constraints follow the requirements of which they speak, and the world is chosen, too.
        """
        spoken = (self._order.mentioned.get(position, ()) for position, _ in conflict)
        conflict |= {(other, node[other]) for others in spoken for other in others}
        if not conflict or self._worlds is None:
            return conflict
        return conflict | {(len(node) - 1, node[-1])}

    def _find_conflict(self, node: Node, choices: Sequence[RequirementChoice]) -> Pairs:
        if self._options.budgets:
            return frozenset()
        parts = self._express(choices)
        proofs = self._find_world(node).proofs
        positions, _ = proofs.find_conflict(parts, self._goal.types)
        if any(self._is_restricted(position, choices, parts) for position in positions):
            users = (n for n, choice in enumerate(choices) if choice.uses)
            positions = (*positions, *users)
        return self._complete(frozenset((n, node[n]) for n in positions), node)

    def _is_restricted(
        self, position: int, choices: Sequence[RequirementChoice], parts: Sequence[Expression]
    ) -> bool:
        """Return True if a requirement has to leave substitutes of others alone."""
        item, own = self.requirements[position], choices[position].expression
        wanted = own or item.wanted
        return wanted != parts[position]


def _find_named(condition: Expression, domain: Domain) -> frozenset[str]:
    vocabulary = Vocabulary.of(domain)
    found = set()
    for atom in atoms(condition):
        signature = vocabulary.signature(atom.predicate) or ()
        for position, term in enumerate(atom.arguments):
            words = position < len(signature) and signature[position].type == TEXT
            if isinstance(term, Constant) and not words:
                found.add(term.name)
    return frozenset(found)


def describe_effort(
    before: PlanningResult, expansions: int, timings: Mapping[str, float], elapsed: float
) -> PlanningResult:
    """Add the effort of further goals to a result; `elapsed`: seconds of the whole request."""
    total = dict(before.timings)
    for stage, seconds in timings.items():
        total[stage] = total.get(stage, 0.0) + seconds
    total["total"] = elapsed
    return replace(before, expansions=before.expansions + expansions, timings=total)
