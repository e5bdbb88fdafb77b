# SPDX-License-Identifier: Apache-2.0
"""Random small PDDL tasks, as texts: all that the translation has to work out, mixed."""

from __future__ import annotations

import itertools

from hypothesis import strategies as st

TYPES = {
    "a": ("a", "sub", "both"),
    "b": ("b", "both"),
    "sub": ("sub",),
    "both": ("both",),
    "object": ("a", "b", "sub", "both"),
}
PREDICATES = {
    "p": ("object",),
    "q": ("a", "object"),
    "r": (),
    "one": ("a",),
    "fixed": ("object", "a"),
}
OBJECTS = {"k": "a", "x1": "both", "x2": "sub", "y1": "b"}
"""The type of each object; `x2` is of `b`, too, as the problem declares it twice."""
VARIABLE_TYPES = ("a", "b", "sub", "both", "object", "(either b sub)")


def below(type_: str, wanted: str) -> bool:
    """Whether whatever is of the first type is of the second."""
    kinds = ("b", "both", "sub") if type_.startswith("(") else TYPES[type_]
    return set(kinds) <= set(TYPES[wanted])


def terms(scope: dict[str, str], wanted: str) -> list[str]:
    """The variables in scope and the constant, where they fit a type."""
    fitting = [f"?{name}" for name, type_ in scope.items() if below(type_, wanted)]
    return fitting * 3 + (["k"] if wanted in ("a", "object") else [])


@st.composite
def atoms(draw, scope, predicates=tuple(PREDICATES)):
    possible = [p for p in predicates if all(terms(scope, leg) for leg in PREDICATES[p])]
    predicate = draw(st.sampled_from(possible))
    chosen = [draw(st.sampled_from(terms(scope, leg))) for leg in PREDICATES[predicate]]
    return f"({' '.join((predicate, *chosen))})"


@st.composite
def typed(draw, prefix, largest):
    count = draw(st.integers(1, largest))
    return {f"{prefix}{n}": draw(st.sampled_from(VARIABLE_TYPES)) for n in range(count)}


def declared(variables: dict[str, str]) -> str:
    return " ".join(f"?{name} - {type_}" for name, type_ in variables.items())


@st.composite
def formulas(draw, scope, depth=2):
    kinds = ["atom", "not", "equal", "unequal"]
    if depth > 0:
        kinds += ["and", "or", "or", "imply", "exists", "exists", "forall", "forall", "not-deep"]
    kind = draw(st.sampled_from(kinds))
    if kind == "atom":
        return draw(atoms(scope))
    if kind == "not":
        return f"(not {draw(atoms(scope))})"
    if kind in ("equal", "unequal"):
        both = st.sampled_from(terms(scope, "object"))
        same = f"(= {draw(both)} {draw(both)})"
        return same if kind == "equal" else f"(not {same})"
    if kind == "not-deep":
        return f"(not {draw(formulas(scope, depth - 1))})"
    if kind in ("and", "or"):
        parts = draw(st.lists(formulas(scope, depth - 1), min_size=2, max_size=3))
        return f"({kind} {' '.join(parts)})"
    if kind == "imply":
        return f"(imply {draw(formulas(scope, depth - 1))} {draw(formulas(scope, depth - 1))})"
    # The same name may be bound again inside, which hides the outer one.
    variables = draw(typed(draw(st.sampled_from(["u", "v", "p"])), 1))
    body = draw(formulas({**scope, **variables}, depth - 1))
    return f"({kind} ({declared(variables)}) {body})"


CHANGING = ("p", "q", "r", "one")


@st.composite
def literals(draw, scope):
    atom = draw(atoms(scope, CHANGING))
    return f"(not {atom})" if draw(st.booleans()) else atom


@st.composite
def effects(draw, scope, depth=1):
    """The parts of a conjunction."""
    kind = draw(st.sampled_from(["literal", "move", "when", *(["forall"] * 2 * depth)]))
    if kind == "literal":
        return draw(literals(scope))
    if kind == "move":
        # What may become an invariant: one atom goes where a similar one comes.
        first = draw(atoms(scope, ("one", "q")))
        return f"(not {first}) {draw(atoms(scope, (first[1:].split(' ')[0],)))}"
    if kind == "when":
        inner = " ".join(draw(st.lists(literals(scope), min_size=1, max_size=2)))
        return f"(when {draw(formulas(scope, 1))} (and {inner}))"
    variables = draw(typed(draw(st.sampled_from(["w", "p"])), 1))
    body = draw(effects({**scope, **variables}, depth - 1))
    return f"(forall ({declared(variables)}) (and {body}))"


@st.composite
def actions(draw, name):
    scope = draw(typed("p", 3)) if draw(st.integers(0, 4)) else {}
    condition = draw(st.lists(formulas(scope), max_size=2))
    effect = " ".join(draw(st.lists(effects(scope), min_size=1, max_size=3)))
    if draw(st.booleans()):
        first = draw(atoms(scope, ("one", "q")))
        condition.append(first)
        effect += f" (not {first}) {draw(atoms(scope, (first[1:].split(' ')[0],)))}"
    return (
        f"(:action {name} :parameters ({declared(scope)}) "
        f":precondition (and {' '.join(condition)}) :effect (and {effect}))"
    )


@st.composite
def tasks(draw):
    """A domain's and a problem's text."""
    predicates = " ".join(
        f"({' '.join((name, *(f'?v{n} - {leg}' for n, leg in enumerate(legs))))})"
        for name, legs in PREDICATES.items()
    )
    many = draw(st.integers(1, 2))
    domain = (
        "(define (domain random) (:requirements :adl) (:types a b - object sub - a"
        " both - (either a b))\n"
        f"(:constants k - a)\n(:predicates {predicates})\n"
        + "\n".join(draw(actions(f"act{n}")) for n in range(many))
        + ")"
    )
    possible = [
        f"({' '.join((name, *chosen))})"
        for name, legs in PREDICATES.items()
        for chosen in itertools.product(
            *([o for o, type_ in OBJECTS.items() if below(type_, leg)] for leg in legs)
        )
    ]
    initial = draw(st.lists(st.sampled_from(possible), unique=True, min_size=5, max_size=14))
    objects = " ".join(f"{name} - {type_}" for name, type_ in OBJECTS.items() if name != "k")
    problem = (
        f"(define (problem one) (:domain random) (:objects {objects} x2 - b)\n"
        f"(:init {' '.join(initial)})\n(:goal {draw(formulas({}))}))"
    )
    return domain, problem
