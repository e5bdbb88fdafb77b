# SPDX-License-Identifier: Apache-2.0
"""Translated tasks as flat tasks: what is read means what the translator wrote."""

import numpy as np
import pytest

from benchmark.rivals.sas_reader import MOST, loss_in_hundredths, read_sas, with_losses
from fcp_ros.planning.flat.semantics import find_applicable, initial_state, is_goal, successor

LAMP = """begin_version
3
end_version
begin_metric
0
end_metric
2
begin_variable
var0
-1
2
Atom off()
Atom on()
end_variable
begin_variable
var1
-1
3
Atom at(a)
Atom at(b)
Atom at(c)
end_variable
1
begin_mutex_group
2
1 0
1 1
end_mutex_group
begin_state
0
0
end_state
begin_goal
1
0 1
end_goal
3
begin_operator
go a b
0
1
0 1 0 1
1
end_operator
begin_operator
press b
1
1 1
1
0 0 -1 1
1
end_operator
begin_operator
leave
0
2
0 1 -1 2
1 0 1 0 -1 0
1
end_operator
0
"""


@pytest.fixture
def lamp(tmp_path):
    """A file with three operators; the last one switches the lamp off only where it is on."""
    path = tmp_path / "lamp.sas"
    path.write_text(LAMP, encoding="utf-8")
    return path


def test_operators_do_what_they_say(lamp):
    task = read_sas(lamp, 0.01)
    start = initial_state(task)
    assert find_applicable(task, start) == [0, 2]
    there = successor(task, start, 0)
    assert there == (0, 1)
    assert find_applicable(task, there) == [1, 2]
    lit = successor(task, there, 1)
    assert is_goal(task, lit)
    assert successor(task, lit, 2) == (0, 2)
    assert successor(task, there, 2) == (0, 2)
    assert np.allclose(task.loss, 0.01)
    assert not task.cost.any()


def test_losses_are_costs(lamp):
    text = with_losses(LAMP)
    assert text.count("end_operator\n") == LAMP.count("end_operator\n")
    lamp.write_text(text, encoding="utf-8")
    task = read_sas(lamp, 0.01)
    expected = [loss_in_hundredths(name) for name in ("go a b", "press b", "leave")]
    assert np.allclose(task.loss, np.array(expected) / 100.0)


def test_losses_are_small_and_often_none():
    losses = [loss_in_hundredths(f"operator {number}") for number in range(1_000)]
    assert max(losses) <= 100 * MOST
    assert 400 < losses.count(0) < 600


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("begin_version\n3", "begin_version\n4", "version"),
        ("end_operator\n0\n", "end_operator\n1\n", "axioms"),
        ("begin_goal", "begin_gaol", "section goal"),
        ("end_goal\n", "", "does not end"),
    ],
)
def test_what_is_not_understood_is_refused(lamp, old, new, message):
    lamp.write_text(LAMP.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_sas(lamp, 1.0)
