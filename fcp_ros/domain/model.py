# SPDX-License-Identifier: Apache-2.0
"""The domain as values: a user's YAML file or PDDL task, checked and resolved (docs/design.md).

Inside rules and constraints a parameter is written bare in YAML and stored as
`Variable(parameter)`. A `Variable` in a negated literal that is not a parameter is existential
inside that negation. So atoms of rules and constraints hold only `Variable` and (in graded atoms)
`Text`.

Degrees of the ways to relax a goal say how content somebody remains: 1 for no loss at all, 0 for
not at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction

from fcp_ros.cset import Schema
from fcp_ros.domain.expressions.arithmetic import Arithmetic
from fcp_ros.domain.expressions.syntax import Atom, Expression, TypedVariable
from fcp_ros.domain.phrases import DomainWords
from fcp_ros.domain.scene_names import SceneMapping
from fcp_ros.fuzzy.fuzzy_sets import FuzzySet

ANY = "any"
"""The key of `drop` for relations that are not listed."""


@dataclass(frozen=True, slots=True)
class WeakerForm:
    """A condition that may take the place of an atom."""

    formula: Expression  # the condition; its free variables are legs of the relation
    degree: float  # of the condition in place of the atom, in [0, 1]
    because: str = ""  # a clause for the person who asked; may be empty


@dataclass(frozen=True, slots=True)
class SubstituteRule:
    """Elements that may take the place of what was asked for."""

    of: str
    by: str  # the graded predicate (element, wanted: text) that judges a substitute
    # the degree, in [0, 1], to be composed with that one where an element was asked for by its own
    # name; None: such an element has no substitute
    named: float | None = None
    # the graded predicate (element, purpose: text) that judges a substitute for what somebody says
    # that it is for; "" for none
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class ShiftRule:
    """Elements that the rules may take for elements of another type."""

    of: str
    to: str
    degree: float = 1.0  # of that, in [0, 1]; the graded predicate decides if there is one
    # a graded predicate (element, wanted: text) of the element and the name of the type; "" for
    # none
    by: str = ""
    because: str = ""  # a clause for the person who asked; may be empty


@dataclass(frozen=True)
class Relaxing:
    """All that a domain says about relaxing goals."""

    weaker: Mapping[str, tuple[WeakerForm, ...]] = field(default_factory=dict)
    # rules for substitutes; the first that fits counts
    substitutes: tuple[SubstituteRule, ...] = ()
    fewer: bool = False  # True if a count may be missed, by the degree `k / n` for k of n
    fewer_some: float = 0.0  # the degree of having some at all; the rest is by `k / n`
    # the degree for each one that is missing, composed, in place of that
    fewer_each: float | None = None
    # the least degree of a count that is missed; None leaves that to alpha
    fewer_least: float | None = None
    # kind of thing -> the degree of any of that kind in place of one that was asked for: kinds
    # whose members do for one another
    broader: Mapping[str, float] = field(default_factory=dict)
    # relation, or ANY -> the degree that is left without a condition on it
    drop: Mapping[str, float] = field(default_factory=dict)
    # the degree of a condition that is reached on the way only; None: it may not be
    split: float | None = None
    shifts: tuple[ShiftRule, ...] = ()  # rules for elements that are taken for another type
    # rule that asks a person -> its degree; such rules serve relaxed goals only
    ask: Mapping[str, float] = field(default_factory=dict)
    # relations, labels and graded predicates that are never relaxed
    hard: frozenset[str] = frozenset()

    @property
    def allows_nothing(self) -> bool:
        """True if no goal can be relaxed."""
        others = (self.weaker, self.substitutes, self.fewer, self.broader, self.drop, self.shifts)
        return not any((*others, self.ask)) and self.split is None


TEXT = "text"
"""The type of a parameter that takes words instead of an element."""

IS_A = "is_a"
"""Name of the built-in crisp predicate is_a(element, "label")."""

SAME = "same"
"""Name of the built-in crisp predicate same(element, element): both are one and the same."""

BUILT_IN = (IS_A, SAME)
"""The predicates that every YAML domain has; no action changes them."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a rule or predicate; `type` is a type of the schema or "text"."""

    name: str
    type: str

    @property
    def is_text(self) -> bool:
        return self.type == TEXT


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom of a rule's `when`, or its absence; `line` is that of the YAML file."""

    atom: Atom
    negated: bool = False
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Duration:
    """Expected duration base + per_metre * distance, in seconds.

    The distance (m) is the straight line between the elements bound to the two parameters
    `between`; it is 0 if a position is unknown or `between` is None.
    """

    base: float
    per_metre: float = 0.0
    between: tuple[str, str] | None = None


def to_exact(cost: float) -> Fraction:
    """Return the decimal that a cost was read from: of a float the shortest that gives it."""
    # Decimals of up to 15 digits and whole numbers come back as they were written.
    return Fraction(cost) if isinstance(cost, int) else Fraction(repr(cost))


@dataclass(frozen=True, slots=True)
class CostTerm:
    """A part of an action's cost that depends on what some of its parameters are bound to.

    `table` gives it for each tuple of element names; a tuple that is not listed costs 0.
    """

    parameters: tuple[str, ...]
    table: Mapping[tuple[str, ...], Fraction]


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of an action, exactly: `base` plus the sum of the terms; never negative."""

    base: Fraction = Fraction(1)
    terms: tuple[CostTerm, ...] = ()


@dataclass(frozen=True, slots=True)
class Effect:
    """A further effect of an action, once for every match of its conditions in the state before.

    `variables` range over the elements of their types and may bind any of them, parameters' too
    (matches are not monic here); atoms hold them and the rule's parameters. Without variables it is
    a plain conditional effect. In graph rewriting: a multi-rule of an amalgamated rule (Ehrig et
    al., Fundamentals of Algebraic Graph Transformation). Additions win over deletions, also of
    another effect. All of `when` and all of `formulas` must hold (see `ActionRule`).
    """

    variables: tuple[Parameter, ...]
    when: tuple[Literal, ...]
    add: tuple[Atom, ...] = ()
    delete: tuple[Atom, ...] = ()
    formulas: tuple[Expression, ...] = ()

    def positive(self) -> tuple[Atom, ...]:
        """The atoms that must hold, in the order written."""
        return tuple(literal.atom for literal in self.when if not literal.negated)

    def negative(self) -> tuple[Atom, ...]:
        """The atoms that must not hold, in the order written."""
        return tuple(literal.atom for literal in self.when if literal.negated)


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which an action may run, in seconds from the start of the plan."""

    opens: float = 0.0
    closes: float = math.inf


@dataclass(frozen=True, slots=True)
class ActionRule:
    """One action schema; spans/ turns it into a DPO rule.

    `when` (conditions), `delete` (among the positive conditions) and `add` are atoms of relations.
    `graded` are atoms of graded predicates, whose degrees compose into the step's degree. `uses` is
    what one step takes from each resource; `executor` is the relative name of an ExecuteStep
    action.

    `formulas` are further conditions, as expressions over relations; all of them must hold. Their
    free variables are parameters. Quantified variables range over a type of the schema and may be
    the same element as any other variable.

    `effects` are further effects (conditional, universal). `cost` is what the objective "least
    cost" adds up.
    """

    name: str
    parameters: tuple[Parameter, ...]
    when: tuple[Literal, ...]
    add: tuple[Atom, ...]
    delete: tuple[Atom, ...]
    graded: tuple[Atom, ...]
    duration: Duration
    uses: Mapping[str, float]
    executor: str
    effects: tuple[Effect, ...] = ()
    cost: Cost = Cost()
    window: Window = Window()
    formulas: tuple[Expression, ...] = ()

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters)

    def positive(self) -> tuple[Atom, ...]:
        """The atoms that must hold, in the order written."""
        return tuple(literal.atom for literal in self.when if not literal.negated)

    def negative(self) -> tuple[Atom, ...]:
        """The atoms that must not hold, in the order written."""
        return tuple(literal.atom for literal in self.when if literal.negated)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Derived relations: no action changes them, their facts follow from those of others.

    The rules ask nothing and delete nothing. All of their effects that can happen do, again and
    again, until nothing is added: the least facts that the rules allow (stratified Datalog: Apt,
    Blair, Walker, Towards a Theory of Declarative Knowledge, 1988; PDDL's axioms: Thiebaux,
    Hoffmann, Nebel, In Defense of PDDL Axioms, 2005).
    """

    relations: tuple[str, ...]  # the relations, which are derived nowhere else
    # negated, they speak only of relations of earlier strata, or of plain ones
    rules: tuple[ActionRule, ...]


DEFAULT_ORACLE = "default"
TABLE = "table"
RULE = "rule"
STATED = (TABLE, RULE)
"""Oracles that look up or compute what the domain's author states."""
MODELS = ("embedding", "head", "causal_lm", "endpoint")
"""Oracles that ask a model; it reads the predicate's rubric."""
ORACLES = (DEFAULT_ORACLE, *MODELS, *STATED)

DEFAULT_T_NORM = "goedel"
"""The least of several degrees of one thing: judges that agree do not lower each other's."""


class Combination(str, Enum):
    """The way in which several oracles answer together: the first that can, or all of them."""

    FIRST_OF = "first_of"
    ALL_OF = "all_of"


@dataclass(frozen=True, slots=True)
class OracleChoice:
    """Several oracles that answer for one predicate."""

    names: tuple[str, ...]  # two or more of `ORACLES`, in order
    combination: Combination  # first answer, or all composed
    t_norm: str = DEFAULT_T_NORM  # name of the t-norm that composes their degrees; used by ALL_OF


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A value and its fuzzy set; `text` is the value as written, for messages."""

    text: str
    value: Arithmetic
    fits: FuzzySet


@dataclass(frozen=True, slots=True)
class FuzzyRule:
    """Lines whose degrees compose by the t-norm of that name."""

    lines: tuple[RuleLine, ...]
    t_norm: str = DEFAULT_T_NORM


def oracle_names(oracle: str | OracleChoice) -> tuple[str, ...]:
    """Return the oracles of a predicate: one, or those of a choice."""
    return oracle.names if isinstance(oracle, OracleChoice) else (oracle,)


@dataclass(frozen=True, slots=True)
class Anchor:
    """The meaning of a score of the rubric (0, 50 or 100), in words and by example.

    Each example is one tuple of words, one a parameter: ("mug", "drinking").
    """

    score: int
    text: str
    examples: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Rubric:
    """The question put to an oracle, its anchors (0, 50, 100) and what to weigh."""

    question: str
    anchors: tuple[Anchor, ...]
    factors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A degree for the arguments that fit every label of `when` (parameter -> label).

    The first entry that fits decides. A label fits an element by its category, and a text by its
    words, both normalised: whole, by the last words, or as a kind of what they name. `kinds` has
    the domain's labels of the types among the labels, by parameter.
    """

    when: Mapping[str, str]
    degree: float
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GradedPredicate:
    """A predicate with a degree in [0, 1] that an oracle judges.

    `context` lists what the oracle is shown of an element in addition to its category: names of
    attributes, or "name" for the element's own name (each element is then judged by itself).
    `oracle` is one of `ORACLES` or a choice of several. `default_degree` answers if neither table
    nor rule does, and as the last resort; if it is None, a table asks the default oracle.
    `judged_like` names the set of judgements ("substitution") whose trained head the embedding
    oracle uses for this predicate; "": none, the rubric's examples alone. `hazard`: somebody or
    something comes to harm where it doesn't hold, so that what can't be judged counts as 0; None:
    the domain doesn't say. `guides`: it only says which of several ways to do something is meant,
    so that it is left out of an instruction's conditions and prohibitions.
    """

    name: str
    parameters: tuple[Parameter, ...]
    rubric: Rubric | None
    context: Mapping[str, tuple[str, ...]]
    oracle: str | OracleChoice = DEFAULT_ORACLE
    table: tuple[TableEntry, ...] = ()
    default_degree: float | None = None
    calibrated: bool = True
    judged_like: str = ""
    rule: FuzzyRule | None = None
    hazard: bool | None = None
    guides: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """A pattern that no action may newly bring about; variables bind distinct elements."""

    name: str
    variables: tuple[TypedVariable, ...]
    never: tuple[Atom, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Resource:
    """A bounded number that actions use up; `unit` serves messages only."""

    name: str
    initial: float
    minimum: float
    maximum: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A declared sequence of actions that belong together ("fetch": pick, then navigate)."""

    name: str  # of the chunk, shown in plans
    parameters: tuple[Parameter, ...]
    # rule name and, for each of its parameters, the chunk's parameter that it takes
    steps: tuple[tuple[str, tuple[str, ...]], ...]
    # graded predicates that judge the chunk as a whole; empty: its steps' degrees count
    graded: tuple[Atom, ...] = ()


@dataclass(frozen=True)
class Domain:
    """Everything a domain file says. `source`: its path; `content_hash`: SHA-256 of its text.

    `timed` is False if nobody has said how long actions take; each then counts as a second, and
    constraints with times are refused. `words`: what people say about it; `relaxing`: how goals may
    be relaxed. `identity`: of a PDDL file, see `identity.py`; empty if the parts say it.
    `strata`: the derived relations, each stratum after those that it speaks of. States hold the
    facts that follow, too (`derived_facts.py`). `restore`: relation -> steps that it is worth to
    put right again what a plan changes of it on the way.
    """

    name: str
    version: str
    schema: Schema
    rules: Mapping[str, ActionRule]
    graded: Mapping[str, GradedPredicate]
    constraints: tuple[Constraint, ...]
    resources: Mapping[str, Resource]
    mapping: SceneMapping
    source: str = ""
    content_hash: str = ""
    chunks: Mapping[str, Chunk] = field(default_factory=dict)
    timed: bool = True
    words: DomainWords = field(default_factory=DomainWords)
    relaxing: Relaxing = field(default_factory=Relaxing)
    identity: str = ""
    strata: tuple[Stratum, ...] = ()
    restore: Mapping[str, int] = field(default_factory=dict)

    @property
    def derived(self) -> frozenset[str]:
        return frozenset(name for stratum in self.strata for name in stratum.relations)


def make_crisp(domain: Domain) -> Domain:
    """Return a domain whose actions have no degrees and use nothing up: what can be done at all."""
    rules = {name: replace(rule, graded=(), uses={}) for name, rule in domain.rules.items()}
    return replace(domain, rules=rules, chunks={}, resources={})
