# SPDX-License-Identifier: Apache-2.0
"""Names for what rewriting makes."""

from fcp_ros.cset.instance.builder import InstanceBuilder


def free_name(builder: InstanceBuilder, wanted: str) -> str:
    """`wanted` where no element has it; else that with a number, found in logarithmic time."""
    if not builder.has(wanted):
        return wanted
    taken, free = 1, 2
    while builder.has(f"{wanted}_{free}"):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if builder.has(f"{wanted}_{middle}"):
            taken = middle
        else:
            free = middle
    return f"{wanted}_{free}"
