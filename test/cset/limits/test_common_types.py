# SPDX-License-Identifier: Apache-2.0
"""Bounds in the order of types, by definition."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset import Relation, Schema
from fcp_ros.cset.limits.common_types import (
    find_greatest_common_subtype,
    find_least_common_ancestors,
)
from fcp_ros.cset.limits.diagrams import LimitError


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    """Up to six types, each below some earlier ones."""
    types: dict[str, tuple[str, ...]] = {}
    for name in "abcdef"[: draw(st.integers(1, 6))]:
        types[name] = tuple(draw(st.sets(st.sampled_from([*types]), max_size=3)) if types else ())
    return Schema("random", types, (), (Relation("r", (("leg", "a"),)),))


@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_the_greatest_common_subtype_is_above_all_common_ones(data: Any) -> None:
    schema = data.draw(schemas())
    types = data.draw(st.sets(st.sampled_from([*schema.types]), min_size=1, max_size=3))
    common = [t for t in schema.types if all(schema.is_subtype(t, other) for other in types)]
    greatest = [t for t in common if all(schema.is_subtype(other, t) for other in common)]
    assert find_greatest_common_subtype(schema, types) == (greatest[0] if greatest else None)
    assert find_greatest_common_subtype(schema, [*types, "r"]) is None
    assert find_greatest_common_subtype(schema, ["r"]) == "r"


@settings(deadline=None, max_examples=50)
@given(data=st.data())
def test_each_common_ancestor_is_above_exactly_one_of_the_least(data: Any) -> None:
    schema = data.draw(schemas())
    types = data.draw(st.sets(st.sampled_from([*schema.types]), max_size=3))
    common = [t for t in schema.types if all(schema.is_subtype(other, t) for other in types)]
    minimal = [t for t in common if not any(schema.is_subtype(o, t) for o in common if o != t)]
    unique = all(sum(schema.is_subtype(m, t) for m in minimal) == 1 for t in common)
    if not unique:
        with pytest.raises(LimitError, match="none is least"):
            find_least_common_ancestors(schema, types)
    else:
        assert list(find_least_common_ancestors(schema, types)) == minimal
    assert find_least_common_ancestors(schema, ["r", "r"]) == ("r",)
    assert find_least_common_ancestors(schema, ["r", "a"]) == ()
