# SPDX-License-Identifier: Apache-2.0
"""A task, its grounded goal and a plan for it in PDDL, checked by the domain files of the data.

The goal is grounded by what made it true: the facts of the plan's last state that its conditions
rest on. Constraints on the way and degrees are no PDDL of these domains and are left out. There are
three checkers: `ipc.validation` (no code of the package), the package's own PDDL reader with its
verifier, and VAL where its binary is given. VAL refuses one file of the data itself, since it does
not declare its derived predicate: all three see that predicate replaced by its definition.
"""

from __future__ import annotations

import itertools
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmark.context_matters.instances import DATA
from benchmark.ipc.validation import validate_plan
from fcp_ros.cset import Fact, Instance
from fcp_ros.cset.state_facts import facts
from fcp_ros.domain import Domain
from fcp_ros.domain.expressions.evaluation import evaluate
from fcp_ros.domain.expressions.resolution import open_goal
from fcp_ros.domain.expressions.syntax import (
    And,
    Atom,
    Bound,
    Constant,
    Count,
    Exists,
    Expression,
    Forall,
    Not,
    Or,
    TypedVariable,
    free_variables,
    substitute,
)
from fcp_ros.domain.model import IS_A
from fcp_ros.domain.pddl import parse_pddl
from fcp_ros.domain.pddl.source_text import PddlError
from fcp_ros.foundation.s_expressions import SList, SNode, read_s_expressions
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import PlanStep
from fcp_ros.planning.model.memberships import NoMemberships
from fcp_ros.planning.verification.ipc_plan import CannotReplay, plan_from_actions, read_ipc_plan
from fcp_ros.planning.verification.verify import verify

_TNORM = tnorm_by_name("goedel")


@dataclass(frozen=True, slots=True)
class PddlCheck:
    """The judgement about a plan in PDDL.

    Attributes:
        problems: a sentence for each refusal, and one if VAL gave no verdict.
        checkers: the names of those that judged.
    """

    problems: tuple[str, ...]
    checkers: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """True if no checker has a problem with the plan."""
        return not self.problems


def check_plan(
    split: str,
    domain: Domain,
    states: Sequence[Instance],
    steps: Sequence[PlanStep],
    goal: Expression,
    val: Path | None = None,
) -> PddlCheck:
    """Check a plan for the grounded goal by the original domain file.

    Args:
        split: the domain.
        domain: ours for the split.
        states: of the replay: the initial one first, the last one last.
        steps: of the plan.
        goal: what it is for, as checked.
        val: the binary of VAL.
    """
    file = DATA / f"{split.replace('_', '-')}-domain.pddl"
    problem = write_problem(split, domain, states[0], find_witness(goal, states[-1], domain))
    plan = "".join(f"{line}\n" for line in write_plan(steps))
    problems, checkers = [], ["own definition", "PDDL reader and verifier"]
    with tempfile.TemporaryDirectory() as folder:
        flat, problem_file, plan_file = (Path(folder) / name for name in ("d", "p", "plan"))
        # One file types a variable as any object where its predicate takes less.
        original = file.read_text(encoding="utf-8").replace("?x - object", "?x - grabbable")
        flat.write_text(inline_derived(original), encoding="utf-8")
        problem_file.write_text(problem, encoding="utf-8")
        plan_file.write_text(plan, encoding="utf-8")
        by_definition = validate_plan(flat, problem_file, plan_file)
        if by_definition.valid is None:
            checkers.remove("own definition")
        elif not by_definition.valid:
            problems.append(f"own definition: {by_definition.note}")
        refused = _verify_in_pddl(flat.read_text(encoding="utf-8"), problem, plan)
        if refused:
            problems.append(f"PDDL reader and verifier: {refused}")
        if val is not None:
            by_val = validate_plan(flat, problem_file, plan_file, val)
            if by_val.note == "VAL gave no verdict":
                problems.append("VAL gave no verdict")
            elif by_val.note.startswith("VAL refuses"):
                problems.append(by_val.note)
            checkers.append("VAL")
    return PddlCheck(tuple(problems), tuple(checkers))


def _verify_in_pddl(domain: str, problem: str, plan: str) -> str:
    """Return why the package's own reader or verifier refuses a plan; empty if it does not."""
    try:
        task = parse_pddl(domain, problem)
        found = plan_from_actions(task, read_ipc_plan(plan))
    except (PddlError, CannotReplay, ValueError) as error:
        return str(error)
    verdict = verify(task.domain, task.instance, found, task.goal, NoMemberships(), alpha=1.0)
    return "; ".join(verdict.problems)


# --- writing PDDL


def pddl_name(name: str) -> str:
    """Return an element's name as one word: "book into the shelf_23" has spaces."""
    return re.sub(r"[^a-z0-9_-]", "_", name.lower())


def write_plan(steps: Iterable[PlanStep]) -> list[str]:
    """Write each step as a line of a plan file."""
    return [
        f"({' '.join((step.rule, *(pddl_name(element) for _, element in step.arguments)))})"
        for step in steps
    ]


def write_problem(split: str, domain: Domain, initial: Instance, goal: Iterable[Fact]) -> str:
    """Write a problem: elements with PDDL types, facts that PDDL knows, and a goal of facts."""
    types, predicates = read_signature(split)
    objects = [
        f"{pddl_name(initial.name_of(e))} - {_pddl_type(domain, initial.type_of(e), types)}"
        for e in initial.all_elements()
    ]
    known = facts(initial)
    init = {_write_fact(fact) for fact in known if _word(fact.relation) in predicates}
    busy = {fact.arguments[0] for fact in known if fact.relation == "is_holding"}
    robots = [initial.name_of(e) for e in initial.elements("robot")]
    init.update(f"(is-free {pddl_name(name)})" for name in robots if name not in busy)
    wanted = {_write_fact(f) for f in map(_drop_bin, goal) if _word(f.relation) in predicates}
    name = f"{split.replace('_', '-')}-domain"
    return (
        f"(define (problem p) (:domain {name})\n (:objects {' '.join(objects)})\n"
        f" (:init {' '.join(sorted(init))})\n (:goal (and {' '.join(sorted(wanted))})))\n"
    )


def _drop_bin(fact: Fact) -> Fact:
    """PDDL does not know the bin: thrown into it is thrown away."""
    return Fact("thrashed", fact.arguments[:1]) if fact.relation == "thrown_into" else fact


def _word(relation: str) -> str:
    return relation.replace("_", "-")


def _write_fact(fact: Fact) -> str:
    return f"({' '.join((_word(fact.relation), *map(pddl_name, fact.arguments)))})"


def _pddl_type(domain: Domain, type_: str, known: frozenset[str]) -> str:
    """Return the lowest type of the PDDL file among a type and those above it."""
    above = [name for name in domain.schema.ancestors(type_) if _word(name) in known]
    lowest = max(above, key=lambda name: len(domain.schema.ancestors(name)), default="object")
    return _word(lowest)


@cache
def read_signature(split: str) -> tuple[frozenset[str], frozenset[str]]:
    """Read the names of types and of predicates of the domain file of a split."""
    file = DATA / f"{split.replace('_', '-')}-domain.pddl"
    tree = read_s_expressions(file.read_text(encoding="utf-8"))[0]
    sections = {part[0]: part for part in tree if isinstance(part, SList)}
    types = frozenset(word for word in sections[":types"][1:] if word != "-")
    return types, frozenset(atom[0] for atom in sections[":predicates"][1:])


def inline_derived(text: str) -> str:
    """Return a domain file in which derived predicates are replaced by their definitions."""
    tree = read_s_expressions(text)[0]
    defined = {
        part[1][0]: ([word for word in part[1][1:] if word.startswith("?")], part[2])
        for part in tree
        if isinstance(part, SList) and part[0] == ":derived"
    }
    if not defined:
        return text
    kept = [part for part in tree if not (isinstance(part, SList) and part[0] == ":derived")]
    written = " ".join(_write_tree(part, defined, {}) for part in kept)
    return f"({written.replace(':derived-predicates', ':adl')})\n"


def _write_tree(
    node: SNode, defined: Mapping[str, tuple[list[str], SNode]], names: Mapping[str, str]
) -> str:
    if isinstance(node, str):
        return names.get(node, node)
    if node and isinstance(node[0], str) and node[0] in defined:
        parameters, body = defined[node[0]]
        bound = {p: names.get(a, a) for p, a in zip(parameters, node[1:], strict=True)}
        return _write_tree(body, defined, bound)
    return f"({' '.join(_write_tree(part, defined, names) for part in node)})"


# --- the facts that a goal rests on


def find_witness(goal: Expression, state: Instance, domain: Domain) -> frozenset[Fact]:
    """Find facts of a state that make a goal true, as far as its conditions rest on facts.

    What does not hold, what holds because facts are absent, what is static, degrees, and
    constraints on the way add nothing.
    """
    body, types = open_goal(goal, domain)
    free = free_variables(body)
    ranges = [[state.name_of(e) for e in state.elements(types[name])] for name in free]
    for chosen in itertools.product(*ranges):
        terms = {n: Constant(c) for n, c in zip(free, chosen, strict=True)}
        bound = substitute(body, terms)
        if _holds(bound, state):
            return frozenset(_collect(bound, state))
    return frozenset(_collect_parts(body, state)) if not free else frozenset()


def _holds(expression: Expression, state: Instance) -> bool:
    """Evaluate with all degrees 1."""
    return evaluate(expression, state, lambda *_: 1.0, _TNORM, types={}, before=(state,)) >= 1.0


def _collect_parts(expression: Expression, state: Instance) -> Iterable[Fact]:
    """Collect the facts of those conjuncts that hold."""
    if isinstance(expression, And):
        for part in expression.parts:
            yield from _collect_parts(part, state)
    elif _holds(expression, state):
        yield from _collect(expression, state)


def _collect(expression: Expression, state: Instance) -> Iterable[Fact]:
    """Collect the facts that an expression without free variables, which holds, rests on."""
    if isinstance(expression, Atom):
        if expression.predicate != IS_A and state.schema.has_relation(expression.predicate):
            names = (t.name for t in expression.arguments if isinstance(t, Constant))
            yield Fact(expression.predicate, tuple(names))
    elif isinstance(expression, And):
        for part in expression.parts:
            yield from _collect(part, state)
    elif isinstance(expression, Or):
        yield from _collect(next(p for p in expression.parts if _holds(p, state)), state)
    elif isinstance(expression, (Exists, Forall, Count)):
        if isinstance(expression, Count) and expression.bound in (Bound.AT_MOST, Bound.MOST):
            return
        bodies = _list_bodies(expression.body, expression.variables, state)
        holding = (body for body in bodies if _holds(body, state))
        number = {Exists: 1, Forall: None}.get(type(expression), getattr(expression, "number", 0))
        for body in itertools.islice(holding, number):
            yield from _collect(body, state)
    elif isinstance(expression, Not) and isinstance(expression.body, Not):
        yield from _collect(expression.body.body, state)


def _list_bodies(
    body: Expression, variables: Sequence[TypedVariable], state: Instance
) -> Iterable[Expression]:
    ranges = [[state.name_of(e) for e in state.elements(v.type)] for v in variables]
    for chosen in itertools.product(*ranges):
        terms = {v.name: Constant(c) for v, c in zip(variables, chosen, strict=True)}
        yield substitute(body, terms)
