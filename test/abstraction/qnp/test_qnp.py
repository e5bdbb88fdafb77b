# SPDX-License-Identifier: Apache-2.0
"""QNPs are plain values, what does not fit is refused, and qstates are written and read."""

import pickle

import pytest
from hypothesis import given
from qnp_problems import CLEAR_BLOCK, parse_condition
from random_qnps import qnps

from fcp_ros.abstraction.qnp.problem import (
    AbstractAction,
    FrozenMapping,
    Qnp,
    QnpError,
    QualitativeChange,
    decode_state,
    describe_condition,
    describe_state,
    encode_state,
)


@given(qnp=qnps())
def test_qnps_are_values(qnp):
    twin = pickle.loads(pickle.dumps(qnp))
    assert twin == qnp
    assert hash(twin) == hash(qnp)


@pytest.mark.parametrize(
    ("booleans", "numerics", "effects", "sentence"),
    [
        (("b",), ("b",), {}, "two variables are called 'b'"),
        (("b b",), (), {}, "a variable is called 'b b'"),
        (("b",), (), {"b": QualitativeChange.INCREASE}, "can't increase 'b', which is a boolean"),
        ((), ("n",), {"n": QualitativeChange.SET}, "can't set 'n', which is a number"),
        ((), ("n",), {"n": QualitativeChange.DECREASE}, "decreases 'n', which may be zero"),
        ((), (), {"n": QualitativeChange.SET}, "unknown variable 'n': there is none"),
    ],
)
def test_qnps_that_do_not_fit_are_refused(booleans, numerics, effects, sentence):
    with pytest.raises(QnpError, match=sentence):
        Qnp("q", booleans, numerics, {}, {}, (AbstractAction("a", {}, effects),))


def test_two_actions_of_one_name_are_refused():
    action = AbstractAction("a", {}, {})
    with pytest.raises(QnpError, match="two actions are called 'a'"):
        Qnp("q", (), (), {}, {}, (action, action))


def test_qstates_are_written_and_read():
    values = {"holding": False, "above": True}
    state = encode_state(CLEAR_BLOCK, values)
    assert state == 0b10
    assert decode_state(CLEAR_BLOCK, state) == values
    assert describe_state(CLEAR_BLOCK, state) == "not holding, above>0"
    assert describe_condition(CLEAR_BLOCK, {}) == "anything"
    assert parse_condition(describe_state(CLEAR_BLOCK, 1)) == {"holding": True, "above": False}


def test_incomplete_qstates_are_refused():
    with pytest.raises(QnpError, match="the qstate gives no value of above"):
        encode_state(CLEAR_BLOCK, {"holding": True})
    with pytest.raises(QnpError, match="unknown variable 'abvoe': did you mean above"):
        encode_state(CLEAR_BLOCK, {"holding": True, "abvoe": True})


# --- A frozen mapping has the entries it was made from, in their order, and never changes


def test_entries_keep_their_order_and_never_change():
    entries = {"b": 1, "a": 2}
    frozen = FrozenMapping(entries)
    entries["c"] = 3
    assert list(frozen) == ["b", "a"]
    assert len(frozen) == 2
    with pytest.raises(TypeError):
        frozen["a"] = 4  # type: ignore[index]
    assert repr(frozen) == "FrozenMapping({'b': 1, 'a': 2})"


def test_equal_whatever_the_order():
    one, other = FrozenMapping({"b": 1, "a": 2}), FrozenMapping({"a": 2, "b": 1})
    assert one == other == {"a": 2, "b": 1}
    assert hash(one) == hash(other)
    assert one != FrozenMapping({"a": 2})
    assert pickle.loads(pickle.dumps(one)) == one
