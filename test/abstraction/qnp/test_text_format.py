# SPDX-License-Identifier: Apache-2.0
"""QNPs are read, written and refused: with the line, the fault and what to do."""

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qnp_problems import CLEAR_BLOCK, KNOWN, make_qnp, parse_condition
from qnp_text import read_qnp, write_qnp
from random_qnps import qnps

from fcp_ros.abstraction.qnp import (
    AbstractAction,
    Qnp,
    QnpError,
    QualitativeChange,
    decode_state,
    describe_condition,
    describe_state,
    encode_state,
)
from fcp_ros.foundation.input_error import InputError

TEXT = """two-rooms
2 left 1 holding 0
2 left 1 holding 0
1 left 0
2
take
2 left 1 holding 0
2 left 0 holding 1
drop
1 holding 1
1 holding 0
"""


def test_text_is_read():
    qnp = read_qnp(TEXT)
    assert qnp.name == "two-rooms"
    assert (qnp.booleans, qnp.numerics) == (("holding",), ("left",))
    assert qnp.initial == {"left": True, "holding": False}
    assert qnp.goal == {"left": False}
    assert [action.name for action in qnp.actions] == ["take", "drop"]
    assert qnp.action("take").effects == {
        "left": QualitativeChange.DECREASE,
        "holding": QualitativeChange.SET,
    }
    assert qnp.action("drop").effects == {"holding": QualitativeChange.CLEAR}


def test_booleans_are_written_first():
    assert write_qnp(read_qnp(TEXT)).splitlines()[1:4] == [
        "2 holding 0 left 1",
        "2 holding 0 left 1",
        "1 left 0",
    ]


def test_blank_lines_and_blanks_make_no_difference():
    spread = "\n\n".join(f"  {line.replace(' ', '   ')} " for line in TEXT.splitlines())
    assert read_qnp(spread.replace("\n", "\r\n")) == read_qnp(TEXT)


def test_decreased_number_is_required_to_be_greater_than_zero():
    short = TEXT.replace("take\n2 left 1 holding 0", "take\n1 holding 0")
    assert short != TEXT
    assert read_qnp(short) == read_qnp(TEXT)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.qnp.name)
def test_known_problems_are_written_and_read(known):
    assert read_qnp(write_qnp(known.qnp)) == known.qnp


@settings(max_examples=200)
@given(qnp=qnps())
def test_what_is_written_is_read_again(qnp):
    assert read_qnp(write_qnp(qnp)) == qnp
    assert hash(read_qnp(write_qnp(qnp))) == hash(qnp)
    assert pickle.loads(pickle.dumps(qnp)) == qnp


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (TEXT, "", "line 1: the text ends where the name of the QNP should follow"),
        ("two-rooms", "two rooms", "line 1: the QNP is called 'two rooms': .* no blanks"),
        ("rooms\n2 left 1 holding 0", "rooms\n3 left 1 holding 0",
            "line 2: the variables: 3 pairs .* should follow the 3, but 4 words do"),
        ("rooms\n2 left 1 holding 0", "rooms\ntwo left 1 holding 0",
            "line 2: the number of pairs of the variables should stand here, not 'two'"),
        ("rooms\n2 left 1 holding 0", "rooms\n2 left 1 left 0",
            "line 2: the variables: 'left' stands there twice"),
        ("2 left 1 holding 0\n1", "2 left 1 holding no\n1",
            "line 3: the initial condition: 'holding' is followed by 'no': write 0 or 1"),
        ("1 left 0\n2", "1 lfet 0\n2",
            "line 4: the goal names an unknown variable 'lfet': did you mean left"),
        ("\n2\ntake", "\ntake",
            "line 5: the number of actions should stand here, not 'take'"),
        ("\n2\ntake", "\n1 2\ntake", "line 5: one number, that of the actions.* not '1 2'"),
        ("\n2\ntake", "\n3\ntake",
            "line 11: the text ends where the name of action 3 of 3 should follow"),
        ("\n2\ntake", "\n1\ntake", "line 9: 'drop' follows the last action: correct the number"),
        ("\n2\ntake", "\n99999\ntake", "line 5: 99999 actions are too many: at most 10000"),
        ("\n1 holding 1\n", "\n1 hodling 1\n",
            "line 10: action 'drop' names .* did you mean holding"),
        ("drop", "take", "line 11: two actions are called 'take': rename one"),
        ("take\n2 left 1", "take\n2 left 0",
            "line 8: action 'take' decreases 'left', which may be zero then: require left>0"),
        ("\n1 holding 0\n", "\n1 holdnig 0\n",
            "line 11: action 'drop' changes an unknown variable 'holdnig': did you mean holding"),
    ],
)  # fmt: skip
def test_faults_are_told_with_their_line(old, new, sentence):
    assert TEXT.count(old) == 1
    with pytest.raises(QnpError, match=f"^{sentence}"):
        read_qnp(TEXT.replace(old, new))


def test_large_texts_are_refused():
    with pytest.raises(InputError, match="the text has 5000000 letters: at most 4000000"):
        read_qnp("x" * 5_000_000)
    variables = " ".join(f"v{number} 1" for number in range(61))
    with pytest.raises(QnpError, match="line 2: 61 variables are too many: at most 60"):
        read_qnp(f"large\n61 {variables}\n0\n0\n0\n")
    with pytest.raises(QnpError, match="a name of 1001 letters"):
        read_qnp("x" * 1001)


def find_fault(text):
    try:
        read_qnp(text)
    except QnpError as error:
        return str(error)
    return None


@settings(max_examples=300)
@given(data=st.data())
def test_damaged_texts_are_refused_or_read(data):
    lines = TEXT.splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        words = lines[place].split()
        words[data.draw(st.integers(0, len(words) - 1))] = data.draw(
            st.sampled_from(["", "0", "1", "-1", "9", "left", "\x00", "1.5", "²", "x" * 50])
        )
        lines[place] = " ".join(words) or "0"
    text = "\n".join(lines)
    if (sentence := find_fault(text)) is None:
        assert read_qnp(write_qnp(read_qnp(text))) == read_qnp(text)
    else:
        assert sentence.startswith("line ")


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


def test_later_changes_of_a_dict_do_not_reach_a_qnp():
    initial = {"b": True}
    qnp = make_qnp("q", "b", "", "", "b", {})
    frozen = Qnp("q", ("b",), (), initial, qnp.goal, ())
    initial["b"] = False
    assert frozen.initial == {"b": True}
