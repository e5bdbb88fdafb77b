# SPDX-License-Identifier: Apache-2.0
"""The planner against slow obvious twins: every state that DPO rewriting can reach.

Random domains over a fixed schema, with negated conditions (existential ones too), functional legs,
constraints and a resource. The twin knows nothing of the compiled task: it finds matches with
`cset.find_matches`, rewrites, checks constraints with `find_homs`, and evaluates the goal in each
state by definition.
"""

import heapq
import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder, facts, find_homs, find_matches, rewrite
from fcp_ros.domain import (
    DomainError,
    ExpressionError,
    check_goal,
    constraint_pattern,
    evaluate,
    infer_types,
    parse_domain,
    parse_expression,
    span_of,
)
from fcp_ros.fuzzy import EPSILON, TNORMS, reaches
from fcp_ros.planning import PlanningOptions, PlanStatus, plan
from fcp_ros.planning.compile.conditions import Conditions
from fcp_ros.planning.compile.forward_compile import compile_task
from fcp_ros.planning.compile.goal_alternatives import goal_alternatives
from fcp_ros.planning.compile.goal_grounding import ground_goal
from fcp_ros.planning.compile.relevance import Relevance
from fcp_ros.planning.forward.solution import Replay
from fcp_ros.planning.model.watch import Watch

HEAD = """
domain: random
version: "1"
types: {thing: [], a: [thing], b: [thing], c: [a]}
relations:
  p: {legs: {one: a}}
  q: {legs: {one: a, two: b}, functional: [one]}
  r: {legs: {one: a, two: b}, functional: [one, two]}
  s: {legs: {one: b}}
  t: {legs: {one: a, two: b}, static: true}
attributes:
  category: {of: thing, kind: string}
graded:
  g:
    parameters: {one: a}
    context: {one: [name]}
    oracle: table
    default_degree: 1.0
  h:
    parameters: {one: a, two: b}
    context: {one: [name], two: [name]}
    oracle: table
    default_degree: 1.0
resources:
  fuel: {initial: 5, minimum: 0, maximum: 6}
scene: {layers: {room: b}, unknown: a}
"""
SHAPES = {"p": "a", "q": "ab", "r": "ab", "s": "b", "t": "ab", "g": "a", "h": "ab"}
ELEMENTS = {"a1": "a", "a2": "c", "b1": "b", "b2": "b"}
DEGREES = st.sampled_from([0.3, 0.5, 0.8, 0.9, 0.95, 1.0])
ALPHAS = st.sampled_from([0.0, 0.4, 0.85])
MAX_STATES = 400


def atom(predicate, names):
    return f"{predicate}({', '.join(names)})"


@st.composite
def rules(draw, number):
    parameters = {"x": draw(st.sampled_from("ac")), "y": "b"}
    if draw(st.booleans()):
        parameters["z"] = draw(st.sampled_from(["a", "b"]))

    def any_atom(predicates, wild=False):
        predicate = draw(st.sampled_from(predicates))
        names = []
        for kind in SHAPES[predicate]:
            fitting = [n for n, t in parameters.items() if t == kind or (t, kind) == ("c", "a")]
            names.append(draw(st.sampled_from(fitting + (["?w" + kind] if wild else []))))
        return atom(predicate, names)

    positive = draw(st.integers(0, 2))
    when = list(dict.fromkeys(any_atom("pqrst") for _ in range(positive)))
    changeable = [w for w in when if not w.startswith("t")]
    delete = [w for w in changeable if draw(st.booleans())]
    absent = [
        f"not {any_atom('pqrs', wild=True)}" for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2])))
    ]
    add = [any_atom("pqrs") for _ in range(draw(st.sampled_from([0 if delete else 1, 1, 1, 2])))]
    graded = [any_atom("gh") for _ in range(draw(st.sampled_from([0, 1, 1])))]
    uses = draw(st.sampled_from([0, 0, 0, 1, 1, 2, -1]))
    # A parameter that nothing speaks of is refused: tie it down with something static.
    text = " ".join([*when, *absent, *add, *graded])
    for name, type_ in parameters.items():
        if f"{name})" not in text and f"{name}," not in text:
            graded.append(atom("g", [name]) if type_ in "ac" else atom("h", ["x", name]))

    def quoted(atoms):
        return "[" + ", ".join(f"'{a}'" for a in dict.fromkeys(atoms)) + "]"

    return "\n".join(
        [
            f"  act{number}:",
            "    parameters: {" + ", ".join(f"{n}: {t}" for n, t in parameters.items()) + "}",
            f"    when: {quoted([*when, *absent])}",
            f"    delete: {quoted(delete)}",
            f"    add: {quoted(add)}",
            f"    graded: {quoted(graded)}",
            "    duration: 1",
            f"    uses: {{fuel: {uses}}}",
            "    executor: act",
        ]
    )


@st.composite
def constraints(draw):
    if draw(st.booleans()):
        return ""
    atoms = draw(
        st.lists(
            st.sampled_from(["p(x)", "q(x, y)", "s(y)", "t(x, y)"]),
            min_size=1,
            max_size=2,
            unique=True,
        )
    )
    variables = {n: t for n, t in (("x", "a"), ("y", "b")) if any(n in a[1:] for a in atoms)}
    return (
        "constraints:\n  never:\n    variables: {"
        + ", ".join(f"{n}: {t}" for n, t in variables.items())
        + "}\n    never: ["
        + ", ".join(f"'{a}'" for a in atoms)
        + "]\n    because: it is so\n"
    )


@st.composite
def worlds(draw):
    """(domain, instance): or the example is given up where the random text makes no sense."""
    bodies = [draw(rules(i)) for i in range(draw(st.integers(2, 4)))]
    text = HEAD + "rules:\n" + "\n".join(bodies) + "\n" + draw(constraints())
    try:
        domain = parse_domain(text)
    except DomainError:
        assume(False)
    builder = InstanceBuilder(domain.schema)
    for name, type_ in ELEMENTS.items():
        builder.add(type_, name)
    for predicate in "pqrst":
        kinds = [
            [n for n, t in ELEMENTS.items() if t == k or (t, k) == ("c", "a")]
            for k in SHAPES[predicate]
        ]
        for names in itertools.product(*kinds):
            if draw(st.integers(0, 9)) < (7 if predicate == "t" else 2):
                builder.relate(predicate, *map(builder.id_of, names))
    return domain, builder.build(allow_conflicts=True)


LEAVES = st.sampled_from(
    [
        "p(a1)", "p(a2)", "q(a1, b1)", "q(a2, b2)", "r(a1, b2)", "s(b1)", "s(b2)", "p(?x)",
        "q(?x, b1)", "r(?x, ?y)", "s(?y)", "g(?x)", "h(?x, b1)", "t(?x, ?y)", 'is_a(?x, "c")',
        "g(a1)", "h(a2, b2)",
    ]
)  # fmt: skip
CRISP = st.sampled_from(["p(a1)", "q(a2, b1)", "s(?y)", "r(a1, b1)", "p(a2)", "q(?x, b2)"])
SOFT = st.recursive(
    st.one_of(LEAVES, CRISP.map("not {}".format)),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda t: f"({t[0]}) and ({t[1]})"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]}) or ({t[1]})"),
        st.tuples(st.sampled_from([0.3, 0.8, 1.0]), inner).map(lambda t: f"{t[0]} * ({t[1]})"),
        st.just("forall ?u: a (q(?u, b1) or p(?u))"),
        st.just("exists ?u: b (s(?u) and h(a1, ?u))"),
        st.just("not (p(a1) and s(b1))"),
    ),
    max_leaves=3,
)


class Twin:
    """Best membership of any plan, by trying everything; None in `best` if no plan is executable.

    Executable: the goal's crisp part holds; that is, the goal is worth something if every degree is
    1 and shortfalls don't add up. (So the goals here do not negate graded atoms.)
    """

    def __init__(self, domain, instance, goal, source, tnorm):
        self.domain, self.source, self.tnorm = domain, source, tnorm
        self.goal = goal
        self.types = infer_types(goal, domain)
        self.spans = [(rule, span_of(rule, domain.schema)) for rule in domain.rules.values()]
        self.patterns = [constraint_pattern(c, domain.schema) for c in domain.constraints]
        self.best = None
        self.complete = True

    def degree(self, predicate, arguments):
        return self.source.given.get(atom(predicate, arguments), self.source.default)

    def run(self, instance):
        start = {name: resource.initial for name, resource in self.domain.resources.items()}
        counter = itertools.count()
        queue = [(-1.0, next(counter), instance, start)]
        reached = {(instance, *start.values()): 1.0}
        while queue:
            negative, _, state, left = heapq.heappop(queue)
            membership = -negative
            if membership < reached[(state, *left.values())]:
                continue
            self.consider(state, membership)
            for after, degree, rest in self.successors(state, left):
                value = self.tnorm.compose(membership, degree)
                if value > reached.get((after, *rest.values()), -1.0):
                    reached[(after, *rest.values())] = value
                    heapq.heappush(queue, (-value, next(counter), after, rest))
            if len(reached) > MAX_STATES:
                self.complete = False
                return

    def consider(self, state, membership):
        if evaluate(self.goal, state, lambda *_: 1.0, TNORMS["goedel"], types=self.types) > 0.0:
            worth = evaluate(self.goal, state, self.degree, self.tnorm, types=self.types)
            value = self.tnorm.compose(membership, worth)
            self.best = value if self.best is None else max(self.best, value)

    def successors(self, state, left):
        for rule, span in self.spans:
            rest = {name: left[name] - rule.uses.get(name, 0.0) for name in left}
            bounds = {n: self.domain.resources[n] for n, use in rule.uses.items() if use}
            if not all(
                r.minimum <= rest[n] + EPSILON and rest[n] <= r.maximum + EPSILON
                for n, r in bounds.items()
            ):
                continue
            for match in find_matches(span.rule, state):
                after = rewrite(span.rule, match).instance
                if after is None or self.breaks(state, after):
                    continue
                bound = {n: state.name_of(match.mapping[i]) for n, i in span.parameters.items()}
                degrees = [
                    self.degree(a.predicate, tuple(bound[t.name] for t in a.arguments))
                    for a in rule.graded
                ]
                yield after, self.tnorm.compose_all(degrees), rest

    def breaks(self, before, after):
        def matches(pattern, target):
            elements = pattern.all_elements()
            return {tuple(m.mapping[e] for e in elements) for m in find_homs(pattern, target)}

        return any(matches(p, after) - matches(p, before) for p in self.patterns)


def wandered(domain, instance, source, tnorm, rng, length):
    """A goal that some plan reaches: what a random walk changed."""
    fact = next(iter(facts(instance)))
    twin = Twin(domain, instance, parse_expression(str(fact)), source, tnorm)
    state, left = instance, {name: r.initial for name, r in domain.resources.items()}
    for _ in range(length):
        choices = [(after, rest) for after, _, rest in twin.successors(state, left)]
        if not choices:
            break
        state, left = rng.choice(choices)
    gained = sorted(map(str, facts(state) - facts(instance)))
    lost = sorted(f"not {fact}" for fact in facts(instance) - facts(state))
    return rng.sample(gained + lost, min(3, len(gained + lost)))


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[
        HealthCheck.filter_too_much,
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
    ],
)
@given(world=worlds(), soft=SOFT, data=st.data(), rng=st.randoms(use_true_random=False))
def test_the_optimum_equals_exhaustive_enumeration(degrees, tnorm, world, soft, data, rng):
    domain, instance = world
    names = [atom("g", [a]) for a in ("a1", "a2")]
    names += [atom("h", [a, b]) for a in ("a1", "a2") for b in ("b1", "b2")]
    source = degrees({name: data.draw(DEGREES) for name in names})
    parts = wandered(domain, instance, source, TNORMS[tnorm], rng, data.draw(st.integers(0, 7)))
    if not parts or data.draw(st.integers(0, 2)) == 0:
        parts.append(f"({soft})")
    text = " and ".join(parts)
    try:
        goal = check_goal(parse_expression(text), domain, instance, text)
    except ExpressionError:
        assume(False)
    compare(domain, instance, goal, source, tnorm, data.draw(ALPHAS))


@pytest.mark.parametrize("tnorm", sorted(TNORMS))
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data(), rng=st.randoms(use_true_random=False))
def test_the_optimum_in_small_houses(degrees, house, state, tnorm, data, rng):
    domain = house
    if data.draw(st.booleans()):
        rules = {name: replace(rule, uses={}) for name, rule in house.rules.items()}
        domain = replace(house, rules=rules, resources={})
    else:
        battery = replace(house.resources["battery"], initial=data.draw(st.integers(3, 9)))
        domain = replace(house, resources={"battery": battery})
    places = ["table", "shelf", "tray"]
    elements = {
        "kitchen": "room",
        "hall": "room",
        "bot": "robot",
        "door": "door",
        "tv": "electronics",
        "table": "support",
        "shelf": "support",
        "tray": "tray",
        "mug": "cup",
        "milk": "liquid",
    }
    known = [
        "at(bot, kitchen)",
        "connected(kitchen, hall, door)",
        "connected(hall, kitchen, door)",
        "in_room(door, kitchen)",
        "in_room(tray, kitchen)",
        "in_room(table, kitchen)",
        "in_room(shelf, hall)",
        "in_room(tv, hall)",
        f"on(tray, {data.draw(st.sampled_from(places[:2]))})",
        f"on(mug, {data.draw(st.sampled_from(places))})",
        f"on(milk, {data.draw(st.sampled_from(places))})",
    ]
    if data.draw(st.booleans()):
        known.append("closed(door)")
    instance = state(domain, elements, known)
    items = ["mug", "milk", "tray"]
    source = degrees(
        {f"can_grasp(bot, {i})": data.draw(DEGREES) for i in items}
        | {f"stable({s}, {i})": data.draw(DEGREES) for s in [*places, "tv"] for i in items}
        | {f"serves_as({i}, drinking)": data.draw(DEGREES) for i in items}
    )
    parts = wandered(domain, instance, source, TNORMS[tnorm], rng, data.draw(st.integers(2, 14)))
    if not parts or data.draw(st.integers(0, 2)) == 0:
        parts.append('on(?x, {}) and serves_as(?x, "drinking")'.format(rng.choice([*places, "tv"])))
    text = " and ".join(parts)
    goal = check_goal(parse_expression(text), domain, instance, text)
    compare(domain, instance, goal, source, tnorm, data.draw(ALPHAS))


def compare(domain, instance, goal, source, tnorm, alpha):
    """The planner's answer against the twin's."""
    twin = Twin(domain, instance, goal, source, TNORMS[tnorm])
    twin.run(instance)
    assume(twin.complete)
    result = plan(domain, instance, goal, PlanningOptions(alpha=alpha, tnorm=tnorm), source)
    if twin.best is None:
        assert result.status is PlanStatus.UNSOLVABLE_PROVEN, result.message
    else:
        expected = (
            PlanStatus.SOLVED_OPTIMALLY
            if reaches(twin.best, alpha)
            else PlanStatus.UNSOLVABLE_AT_ALPHA
        )
        assert result.status is expected, result.message
        assert result.best_membership == pytest.approx(twin.best, abs=1e-8)


def walk(domain, instance, rng, length):
    """States along a random walk, with what is left of the resources."""
    twin = Twin(domain, instance, parse_expression(str(next(iter(facts(instance))))), None, None)
    twin.degree = lambda *_: 1.0
    twin.tnorm = TNORMS["goedel"]
    state, left = instance, {name: r.initial for name, r in domain.resources.items()}
    yield twin, state, left
    for _ in range(length):
        choices = [(after, rest) for after, _, rest in twin.successors(state, left)]
        if not choices:
            return
        state, left = rng.choice(choices)
        yield twin, state, left


def fluents_of(task, state):
    """The changing facts of a state by their ids; KeyError if one was thought unreachable."""
    return frozenset(task.fact_ids[f] for f in facts(state) if task.is_fluent(f.relation))


PROPERTY = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


@PROPERTY
@given(world=worlds(), rng=st.randoms(use_true_random=False))
def test_compiled_successors_equal_those_of_rewriting(world, rng):
    domain, instance = world
    assume(facts(instance))
    task = compile_task(domain, instance, Watch(PlanningOptions()))
    conditions = Conditions(task)
    fuel = (domain.resources["fuel"].initial,)
    replay = Replay(task, conditions, [1.0] * len(task.operators), TNORMS["goedel"], fuel)
    for twin, state, left in walk(domain, instance, rng, 4):
        expected = sorted(
            (sorted(fluents_of(task, after)), rest["fuel"])
            for after, _, rest in twin.successors(state, left)
        )
        compiled = sorted(
            (sorted(step[0]), step[1][0])
            for index in range(len(task.operators))
            if (step := replay.successor(index, fluents_of(task, state), (left["fuel"],)))
        )
        assert compiled == expected


@PROPERTY
@given(
    world=worlds(),
    text=st.one_of(SOFT, SOFT.map("not ({})".format), st.tuples(SOFT, SOFT).map(" and not ".join)),
    tnorm=st.sampled_from(sorted(TNORMS)),
    rng=st.randoms(use_true_random=False),
)
def test_alternatives_are_worth_what_evaluate_says(degrees, world, text, tnorm, rng):
    domain, instance = world
    assume(facts(instance))
    try:
        goal = check_goal(parse_expression(text), domain, instance, text)
    except ExpressionError:
        assume(False)
    watch = Watch(PlanningOptions())
    task = compile_task(domain, instance, watch)
    types = infer_types(goal, domain)
    given_degrees = {}

    def degree_of(predicate, arguments):
        return given_degrees.setdefault((predicate, arguments), rng.choice([0.0, 0.25, 0.6, 1.0]))

    formula = ground_goal(goal, types, domain, instance, watch)
    alternatives = goal_alternatives(formula, lambda a: degree_of(*a), TNORMS[tnorm], task, watch)
    for _, state, _ in walk(domain, instance, rng, 4):
        holding = [a.degree for a in alternatives if a.holds(fluents_of(task, state))]
        expected = evaluate(goal, state, degree_of, TNORMS[tnorm], types=types)
        assert max(holding, default=0.0) == pytest.approx(expected, abs=1e-9)


def everything(task, conditions, alternatives, watch):
    """What `relevant` returns if nothing is left out."""
    possible = [i for i in range(len(task.operators)) if conditions.absences(i) is not None]
    known = frozenset(range(len(task.facts)))
    return Relevance(tuple(possible), known, known)


@PROPERTY
@given(world=worlds(), parts=st.lists(CRISP, min_size=1, max_size=2))
def test_leaving_out_what_is_irrelevant_changes_nothing(degrees, world, parts):
    domain, instance = world
    text = " and ".join(parts)
    goal = check_goal(parse_expression(text), domain, instance, text)
    source = degrees({"g(a1)": 0.9, "g(a2)": 0.8, "h(a1, b1)": 0.95, "h(a2, b2)": 0.7})
    options = PlanningOptions(alpha=0.0, max_expansions=300)
    with_relevance = plan(domain, instance, goal, options, source)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fcp_ros.planning.forward.local_task.relevant", everything)
        without = plan(domain, instance, goal, options, source)
    assume(without.status is not PlanStatus.UNSOLVABLE_INCOMPLETELY)
    assert with_relevance.status is without.status
    assert with_relevance.best_membership == pytest.approx(without.best_membership)
