# SPDX-License-Identifier: Apache-2.0
"""T-norms by the names under which domains, parameters and messages refer to them."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from fcp_ros.fuzzy.hamacher import Hamacher
from fcp_ros.fuzzy.tnorm import Goedel, Lukasiewicz, Product, TNorm

TNORMS: Mapping[str, TNorm] = MappingProxyType(
    {tnorm.name: tnorm for tnorm in (Lukasiewicz(), Product(), Goedel(), Hamacher())}
)
"""The t-norms without a parameter; "hamacher" is the Hamacher product."""

TNORM_CHOICES = f"{', '.join(sorted(TNORMS))}, or hamacher(p) with a number p >= 0"
"""What a user may name, in words."""

_HAMACHER = re.compile(r"hamacher\((?P<parameter>[0-9.]+(?:[eE][+-]?[0-9]+)?)\)")


def tnorm_by_name(name: str) -> TNorm:
    """The t-norm called `name`: one of `TNORMS`, or "hamacher(p)" with a number p >= 0.

    Raises:
        ValueError: there is none; the message lists those there are.
    """
    found = TNORMS.get(name)
    if found is not None:
        return found
    family = _HAMACHER.fullmatch(name)
    if family is not None:
        try:
            return Hamacher(float(family["parameter"]))
        except ValueError:
            pass
    raise ValueError(f"unknown t-norm {name!r}; choose one of: {TNORM_CHOICES}")
