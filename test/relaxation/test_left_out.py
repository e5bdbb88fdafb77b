# SPDX-License-Identifier: Apache-2.0
"""What is left out as one of too many has a bound, and nothing is claimed to be proven of it."""

import itertools
from importlib import import_module

import pytest
from small_house import DOMAIN, Words, ask, build

from fcp_ros.domain import parse_domain
from fcp_ros.fuzzy import tnorm_by_name
from fcp_ros.planning import PlanningOptions, PlanningRequest, PlanningResult, PlanStatus
from fcp_ros.relaxation.engine import LEAST_MISSING
from fcp_ros.relaxation.plan_goal import plan_goal
from fcp_ros.relaxation.weakening import list_best

PLATES = "at least 2 ?p: plate (on(?p, {}))"


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("most", [1, 4, 9, 10, 100])
def test_combinations_come_best_first_and_the_rest_has_its_bound(ascending, most):
    tnorm = tnorm_by_name("product")
    lists = [[1.0, 0.9, 0.5, 0.4, 0.2]] * 2 if ascending else [[1.0, 0.9, 0.5], [0.8, 0.7, 0.1]]
    combined = itertools.combinations(lists[0], 2) if ascending else itertools.product(*lists)
    degrees = sorted((a * b for a, b in combined), reverse=True)
    left_out = []
    found = [
        lists[0][a] * lists[1][b]
        for a, b in list_best(lists, tnorm, ascending, left_out.append, most)
    ]
    assert found == pytest.approx(degrees[:most])
    assert left_out == pytest.approx(degrees[most : most + 1])


def ask_for_plates(place, best=0.6):
    """Ask for two plates where there is one, and three cups that pass for plates."""
    domain = DOMAIN.replace("  split: 0.55", "  shift: [{of: cup, to: plate, by: passes_for}]")
    for rule in ("  fewer: share\n", "  is_a: {cup: 0.4}\n", "  drop: {on: 0.25, holding: 0.2}\n"):
        domain = domain.replace(rule, "")
    domain = domain.replace("  substitute: [{of: item, by: suitable_substitute, named: 0.9}]\n", "")
    parsed = parse_domain(domain.replace("suitable_substitute", "passes_for"))
    cups = {f"cup_{number}": ("cup", "cup") for number in range(3)}
    state = build(parsed, ["table_1"] * 4, {"plate_1": ("plate", "plate"), **cups})
    degrees = {**dict.fromkeys(((name, "plate") for name in cups), 0.6), ("cup_2", "plate"): best}
    return plan_goal(
        PlanningRequest(parsed, state, PLATES.format(place), PlanningOptions(), Words(degrees))
    )


@pytest.mark.parametrize(
    ("most", "status"), [(200, "UNSOLVABLE_PROVEN"), (1, "UNSOLVABLE_INCOMPLETELY")]
)
def test_without_all_worlds_nothing_is_proven_to_have_no_plan(monkeypatch, most, status):
    monkeypatch.setattr("fcp_ros.relaxation.worlds.MOST_WORLDS", most)
    result = ask_for_plates("safe_1")
    assert result.status is PlanStatus[status], result.message
    assert ("not settled" in result.message) == (most == 1)


@pytest.mark.parametrize("best", [0.9, 0.6])
def test_what_is_left_out_but_no_better_leaves_the_proof(monkeypatch, best):
    monkeypatch.setattr("fcp_ros.relaxation.worlds.MOST_WORLDS", 1)
    result = ask_for_plates("shelf_1", best)
    assert result.best_membership == pytest.approx(best)
    assert result.status is PlanStatus.SOLVED_OPTIMALLY, result.message


def test_what_is_missing_is_not_looked_for_until_all_time_is_up(monkeypatch):
    limits = []

    def plan(request):
        if any(name.startswith("missing") for name in request.instance.names()):
            limits.append(request.options.time_limit)
            return PlanningResult(PlanStatus.TIMEOUT, "Time is up.")
        return original(request)

    module = import_module("fcp_ros.relaxation.plan_goal")
    original = module.plan
    monkeypatch.setattr(module, "plan", plan)
    result = ask("at least 2 ?b: book (on(?b, shelf_1))", places=("table_1",) * 4, alpha=0.9)
    assert result.status is PlanStatus.UNSOLVABLE_AT_ALPHA, "the answer itself is settled"
    assert result.would_take == ""
    assert result.message.endswith("s it was not found whether things are missing for it.")
    (limit,) = limits
    assert limit <= max(2.0 * result.timings["total"], result.timings["total"] + LEAST_MISSING)
