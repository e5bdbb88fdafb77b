# SPDX-License-Identifier: Apache-2.0
"""Naturality: the quick test against the one that gives reasons."""

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fcp_ros.cset.morphisms import find_naturality_violations, is_natural


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_the_quick_test_agrees_with_the_reasons(
    data: st.DataObject, instances: Callable[..., Any]
) -> None:
    source = data.draw(instances(2, numbers=True))
    target = source if data.draw(st.booleans()) else data.draw(instances(2, numbers=True))
    ids = [*source.all_elements(), *(r for n in ("on", "near", "closed") for r in source.tuples(n))]
    images = st.sampled_from([*ids, 1, 2, 3, 999])
    mapping = {id_: id_ for id_ in ids}
    mapping.update(data.draw(st.dictionaries(st.sampled_from(ids), images, max_size=2)))
    for id_ in data.draw(st.lists(st.sampled_from(ids), max_size=1)):
        del mapping[id_]
    parts = (source, target, mapping)
    assert is_natural(*parts) == (not list(find_naturality_violations(*parts)))
