# SPDX-License-Identifier: Apache-2.0
"""What is said of all states that can be reached, against all states that can be reached."""

import itertools

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fcp_ros.cset import InstanceBuilder, find_matches
from fcp_ros.domain import DomainError, build_span, parse_domain
from fcp_ros.domain.rule_spans import apply_rule
from fcp_ros.planning.task.invariants import InvariantFinder
from fcp_ros.planning.task.lifted import lift_domain
from fcp_ros.planning.task.mutex_pairs import (
    AT_ONCE,
    InductionHypothesis,
    MutexProof,
    find_disjoint_relations,
    find_initially_broken,
    make_at_once_pair,
)

HEAD = """
domain: random
version: "1"
types: {thing: [], item: [thing], box: [thing], spot: [thing]}
relations:
  held: {legs: {item: item}}
  in: {legs: {item: item, box: box}}
  lies: {legs: {item: item, spot: spot}}
  packed: {legs: {item: item}}
  of: {legs: {box: box, spot: spot}, static: true}
  kept: {legs: {item: item, box: box}}
  small: {legs: {item: item}, static: true}
  large: {legs: {item: item}, static: true}
attributes:
  category: {of: thing, kind: string}
scene: {layers: {}, unknown: item}
rules:
"""
DONE = "duration: 1, executor: do"
PARAMETERS = {"x": "item", "y": "box", "z": "spot", "v": "box", "w": "spot"}
CHANGING = ["held(x)", "packed(x)", "in(x, y)", "lies(x, z)", "in(x, v)", "lies(x, w)"]
ABSENCES = ["held(x)", "packed(x)", "in(x, ?b)", "lies(x, ?s)", "in(?i, y)", "held(?i)"]
ELEMENTS = {"item": ["i1", "i2"], "box": ["b1", "b2"], "spot": ["s1", "s2"]}
TAKE = "when: ['lies(x, z)', 'in(x, y)', 'not held(?i)'], delete: ['lies(x, z)', 'in(x, y)'], "
KNOWN = [
    TAKE + "add: ['held(x)']",
    "when: ['lies(x, z)', 'not packed(x)'], delete: ['lies(x, z)'], add: ['held(x)']",
    "when: ['held(x)', 'of(y, z)'], delete: ['held(x)'], add: ['in(x, y)', 'lies(x, z)']",
    "when: ['held(x)', 'of(y, z)'], delete: ['held(x)'], "
    "add: ['in(x, y)', 'lies(x, z)', 'packed(x)']",
    "when: ['held(x)', 'small(x)', 'not kept(?i, y)'], delete: ['held(x)'], add: ['kept(x, y)']",
    "when: ['held(x)', 'large(x)'], delete: ['held(x)'], add: ['kept(x, y)', 'kept(x, v)']",
    "when: ['kept(x, y)', 'small(x)', 'not held(?i)'], delete: ['kept(x, y)'], add: ['held(x)']",
    "when: ['kept(x, y)', 'kept(x, v)', 'large(x)'], delete: ['kept(x, y)', 'kept(x, v)'], "
    "add: ['held(x)']",
    TAKE + "add: ['held(x)'], effects: [{when: ['packed(x)'], delete: ['packed(x)']}]",
]


PUT = "when: ['held(x)', 'of(y, z)'], delete: ['held(x)'], "
SPOILERS = [
    "when: ['held(x)'], delete: ['held(x)'], add: ['in(x, y)', 'lies(x, z)', 'packed(x)']",
    "when: ['held(x)', 'of(y, z)'], delete: ['held(x)'], add: ['in(x, v)', 'lies(x, z)']",
    "when: ['lies(x, z)', 'of(y, w)'], delete: ['lies(x, z)'], add: ['lies(x, w)']",
    "when: ['in(x, y)', 'of(v, z)'], delete: ['in(x, y)'], add: ['in(x, v)']",
    "when: ['packed(x)', 'in(x, y)'], delete: ['packed(x)']",
    "when: ['packed(x)', 'held(x)'], delete: ['packed(x)']",
    "when: ['held(x)', 'of(y, z)', 'packed(x)'], delete: ['held(x)', 'packed(x)'], "
    "add: ['in(x, y)', 'lies(x, z)']",
    PUT + "add: ['lies(x, z)'], effects: [{variables: {e: box}, when: ['of(e, z)'], "
    "add: ['in(x, e)']}]",
    PUT + "add: ['in(x, y)'], effects: [{when: ['packed(x)'], add: ['lies(x, z)']}]",
    "when: ['in(x, y)'], add: ['packed(x)']",
    "when: ['kept(x, y)'], delete: ['kept(x, y)'], add: ['held(x)']",
    "when: ['held(x)'], delete: ['held(x)'], add: ['kept(x, y)', 'kept(x, v)']",
    "when: ['held(x)'], add: ['kept(x, y)']",
    "when: ['kept(x, y)', 'large(x)'], add: ['kept(x, v)']",
    "when: ['held(x)', 'small(x)'], delete: ['held(x)'], add: ['kept(x, y)'], "
    "effects: [{when: ['packed(x)'], add: ['kept(x, v)']}]",
]


@st.composite
def rules(draw):
    """A rule that may keep things in order, or not."""
    if draw(st.integers(0, 2)):
        return draw(st.sampled_from(SPOILERS))
    when = draw(st.lists(st.sampled_from(CHANGING), max_size=2, unique=True))
    delete = [atom for atom in when if draw(st.booleans())]
    add = draw(st.lists(st.sampled_from(CHANGING), min_size=1, max_size=2, unique=True))
    absent = draw(st.lists(st.sampled_from(ABSENCES), max_size=1))
    static = draw(st.sampled_from([[], ["of(y, z)"], ["of(y, z)"], ["of(v, w)"]]))
    effect = draw(st.sampled_from(["", "", "in(x, ?e)", "packed(x)"]))
    text = (
        f"when: {[*when, *static, *(f'not {atom}' for atom in absent)]}, "
        f"delete: {delete}, add: {add}"
    )
    if effect == "in(x, ?e)":
        when = ["of(e, z)", "not in(x, e)"]
        text += f", effects: [{{variables: {{e: box}}, when: {when}, add: ['in(x, e)']}}]"
    elif effect and effect not in delete:
        text += f", effects: [{{when: ['{effect}'], delete: ['{effect}']}}]"
    return text


@st.composite
def worlds(draw):
    """A domain and a state."""
    lines = []
    chosen = draw(st.lists(st.sampled_from(KNOWN), unique=True, min_size=2))
    for number, text in enumerate([*chosen, *draw(st.lists(rules(), max_size=2))]):
        used = [n for n in PARAMETERS if f"{n})" in text or f"({n}" in text or f" {n}," in text]
        parameters = ", ".join(f"{n}: {PARAMETERS[n]}" for n in used if n != "e")
        lines.append(
            f"  r{number}: {{parameters: {{{parameters}}}, {text}, duration: 1, executor: do}}"
        )
    try:
        domain = parse_domain(HEAD + "\n".join(lines))
    except DomainError:
        assume(False)
    builder = InstanceBuilder(domain.schema)
    ids = {name: builder.add(t, name) for t, names in ELEMENTS.items() for name in names}
    pairs = itertools.product(ELEMENTS["box"], ELEMENTS["spot"])
    for box, spot in draw(st.sets(st.sampled_from(list(pairs)))):
        builder.relate("of", ids[box], ids[spot])
    there = set()
    for item in ELEMENTS["item"]:
        for size in draw(st.sampled_from([["small"], ["large"], [], ["small", "large"]])):
            builder.relate(size, ids[item])
        layout = draw(
            st.sampled_from(["", "held", "lies", "in", "lies in", "lies in packed", "kept"])
        )
        for name in layout.split():
            others = {"in": "box", "kept": "box", "lies": "spot"}.get(name)
            rest = [] if others is None else [ids[draw(st.sampled_from(ELEMENTS[others]))]]
            if (name, item, *rest) not in there:
                builder.relate(name, ids[item], *rest)
                there.add((name, item, *rest))
    return domain, builder.build()


def reached(domain, instance):
    """States that DPO rewriting can reach, up to a limit, with the steps possible there."""
    spans = [(rule, build_span(rule, domain.schema)) for rule in domain.rules.values()]
    seen, queue = {instance}, [instance]
    for state in queue:
        steps = []
        for number, (rule, span) in enumerate(spans):
            for match in find_matches(span.rule, state):
                result = apply_rule(rule, span, match)
                if result.instance is None:
                    continue
                bound = [match.mapping[span.parameters[name]] for name in rule.parameter_names]
                steps.append((number, bound))
                if result.instance not in seen and len(seen) < 60:
                    seen.add(result.instance)
                    queue.append(result.instance)
        yield state, steps


def is_there(state, atom, bound):
    relation, slots = atom
    return state.find_tuple(relation.name, tuple(bound[slot] for slot in slots)) is not None


@settings(max_examples=120, deadline=None)
@given(world=worlds())
def test_invariants_hold_wherever_one_can_get(world):
    domain, instance = world
    lifted = lift_domain(domain)
    proof = MutexProof(lifted.rules, lifted.relations)
    disjoint = frozenset(find_disjoint_relations(["small", "large"], instance))
    hopeful = proof.find_pairs((), [frozenset(("small", "large"))])
    pairs = proof.find_pairs(frozenset(find_initially_broken(hopeful, instance)), disjoint)
    pairs = [pair for pair in pairs if all(leg > AT_ONCE for _, leg in pair)]
    invariants = InvariantFinder(lifted).find(instance)
    for state, steps in reached(domain, instance):
        assert not list(find_initially_broken(pairs, state))
        for number, bound in steps:
            for check in invariants[number]:
                known = [is_there(instance, a, bound) for a in (check.one, check.other)]
                assert is_there(state, check.static, bound) or all(known)


@settings(max_examples=60, deadline=None)
@given(world=worlds())
def test_pairs_are_those_of_a_proof_that_asks_for_all_of_them_again(world):
    domain, instance = world
    lifted = lift_domain(domain)
    proof = MutexProof(lifted.rules, lifted.relations)
    disjoint = frozenset(find_disjoint_relations(["small", "large"], instance))
    broken = frozenset(find_initially_broken(proof.find_pairs((), disjoint), instance))
    found = proof.find_pairs(broken, disjoint)
    pairs = set(proof._candidates - broken)
    hypothesis = InductionHypothesis(pairs, disjoint)
    while wrong := [pair for pair in pairs if not proof._is_kept(pair, hypothesis)]:
        pairs.difference_update(wrong)
    assert found == pairs
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fcp_ros.planning.task.mutex_pairs.MOST_PAIRS", 12)
        few = MutexProof(lifted.rules, lifted.relations).find_pairs(broken, disjoint)
    assert few <= pairs


def interrupt(number, act):
    """A check that acts when it is called for the given time."""
    left = itertools.count(number, -1)

    def check():
        if next(left) == 0:
            act()

    return check


def test_proofs_that_interleave_find_what_they_find_alone():
    """Two threads share the proof of a domain: neither may see what the other one assumes."""
    one, two = "parameters: {x: item, y: box}", "parameters: {x: item, y: box, v: box}"
    rules = [(one, KNOWN[4]), (two, KNOWN[5]), (one, KNOWN[6]), (two, KNOWN[7])]
    text = HEAD + "\n".join(
        f"  r{n}: {{{parameters}, {line}, {DONE}}}" for n, (parameters, line) in enumerate(rules)
    )
    lifted = lift_domain(parse_domain(text))
    proof = MutexProof(lifted.rules, lifted.relations)
    disjoint = [frozenset(("small", "large"))]
    cases = [(disjoint, ()), ((), disjoint)]
    alone = [proof.find_pairs((), one) for one, _ in cases]
    assert alone[1] < alone[0]
    calls = []
    proof.find_pairs((), (), lambda: calls.append(None))
    for number in range(len(calls)):
        for (one, other), expected in zip(cases, alone, strict=True):
            found = proof.find_pairs(
                (), one, interrupt(number, lambda other=other: proof.find_pairs((), other))
            )
            assert found == expected, number


def make_chain(count, moves=True):
    """Make rules that take a thing from each of many relations to the next one, and its place."""
    relations = "\n".join(f"  s{n}: {{legs: {{thing: thing}}}}" for n in range(count))
    rules = "\n".join(
        f"  go{n}: {{parameters: {{x: thing}}, when: ['s{n}(x)'], delete: ['s{n}(x)'], "
        f"add: ['s{n + 1}(x)'], {DONE}}}"
        for n in range(count - 1)
    )
    text = f"domain: steps\nversion: '1'\ntypes: {{thing: []}}\nrelations:\n{relations}\n"
    if moves:
        text += "  near: {legs: {one: thing, other: thing}}\n"
        rules += "\n  move: {parameters: {x: thing, y: thing, z: thing}, when: ['near(x, y)'], "
        rules += f"delete: ['near(x, y)'], add: ['near(x, z)'], {DONE}}}"
    text += "attributes:\n  category: {of: thing, kind: string}\n"
    text += f"scene: {{layers: {{}}, unknown: thing}}\nrules:\n{rules}\n"
    return lift_domain(parse_domain(text))


def test_of_many_relations_those_are_paired_that_a_rule_mentions_together():
    lifted = make_chain(400)
    proof = MutexProof(lifted.rules, lifted.relations)
    assert frozenset([("s3", 0), ("s4", 0)]) in proof._candidates
    assert frozenset([("s3", 0), ("s5", 0)]) not in proof._candidates
    assert len(proof._candidates) < 5000
    assert frozenset([("s3", 0), ("s5", 0)]) in MutexProof(*make_parts(40))._candidates


def make_parts(count):
    lifted = make_chain(count)
    return lifted.rules, lifted.relations


def test_a_proof_can_be_stopped_in_each_of_its_loops():
    lifted = make_chain(12)
    calls = 0

    def count_calls():
        nonlocal calls
        calls += 1

    InvariantFinder(lifted, count_calls)
    assert calls > 12 * 12, "at least once for each pair"
    for most in (10, calls // 2, calls - 1):
        left = most

        def stop():
            nonlocal left
            left -= 1
            if left < 0:
                raise TimeoutError

        with pytest.raises(TimeoutError):
            InvariantFinder(lifted, stop)


def test_what_the_reader_of_pddl_cannot_find():
    """An item lies at one spot and is in one box at a time, since it is held in between."""
    lines = [
        "  take: {parameters: {x: item, y: box, z: spot}, " + KNOWN[8] + ", " + DONE + "}",
        "  lift: {parameters: {x: item, z: spot}, " + KNOWN[1] + ", " + DONE + "}",
        "  put: {parameters: {x: item, y: box, z: spot}, " + KNOWN[3] + ", " + DONE + "}",
    ]
    domain = parse_domain(HEAD + "\n".join(lines))
    builder = InstanceBuilder(domain.schema)
    item, box, spot = (builder.add(t, t) for t in ("item", "box", "spot"))
    for name, legs in (("in", (item, box)), ("lies", (item, spot)), ("packed", (item,))):
        builder.relate(name, *legs)
    finder = InvariantFinder(lift_domain(domain))
    found = finder.find(builder.build())
    (check,) = found[0]
    assert (check.static[0].name, check.static[1]) == ("of", (1, 2))
    builder.add("item", "other")
    builder.relate("held", item)
    assert not any(finder.find(builder.build()).values())


def test_an_effect_may_add_several_facts_at_once():
    fill = "  fill: {parameters: {x: item, y: box, z: spot}, " + SPOILERS[7] + ", " + DONE + "}"
    lifted = lift_domain(parse_domain(HEAD + fill))
    assert frozenset([("lies", 0)]) in MutexProof(lifted.rules, lifted.relations).find_pairs((), ())
    assert frozenset([("in", 0)]) not in MutexProof(lifted.rules, lifted.relations).find_pairs(
        (), ()
    )


def test_what_is_added_to_is_not_filled_at_once():
    """A thing of which a second part is put in later is not out when one part is taken out."""
    kept = make_at_once_pair(("kept", 0))
    apart = frozenset([("held", 0), ("kept", 0)])
    stow = "  stow: {parameters: {x: item, y: box}, " + KNOWN[4].replace(
        ", 'small(x)', 'not kept(?i, y)'", ""
    )
    take = "  take: {parameters: {x: item, y: box}, " + SPOILERS[10]
    more = "  more: {parameters: {x: item, y: box, v: box}, " + SPOILERS[13]
    for lines, expected in (((stow, take), True), ((stow, take, more), False)):
        text = HEAD + "\n".join(f"{line}, {DONE}}}" for line in lines)
        lifted = lift_domain(parse_domain(text))
        pairs = MutexProof(lifted.rules, lifted.relations).find_pairs((), ())
        assert (kept in pairs) == (apart in pairs) == expected
    builder = InstanceBuilder(lifted.domain.schema)
    item, *boxes = (builder.add(t, n) for t, n in (("item", "i"), ("box", "b"), ("box", "c")))
    for box in boxes:
        builder.relate("kept", item, box)
    assert set(find_initially_broken([kept, apart], builder.build())) == {kept}


def test_facts_without_elements_are_not_paired():
    """A grounded domain has thousands, all of one element: no group or link needs a pair."""
    lifted = make_chain(60, moves=False)
    assert not MutexProof(lifted.rules, lifted.relations).find_pairs((), ())
