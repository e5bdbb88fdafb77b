# SPDX-License-Identifier: Apache-2.0
"""Random domains over a fixed schema, with states and goals: what all of planning is tested with.

Negated conditions (existential ones too), functional legs, constraints and a resource.
"""

import itertools

from hypothesis import assume
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder
from fcp_ros.domain import DomainError, parse_domain

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
