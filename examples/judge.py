# SPDX-License-Identifier: Apache-2.0
"""Asks to which degree things serve a purpose, several in one call. Needs nodes: `fcp up`."""

import sys

from fcp_ros.client import Element, FcpClient, predicate_query

THINGS = ["mug", "bowl", "vase", "fork"]
PURPOSE = "drinking"


def main() -> int:
    """Ask, print the degrees."""
    queries = [
        predicate_query("serves_as", item=Element(f"{thing}_1", thing), purpose=PURPOSE)
        for thing in THINGS
    ]
    with FcpClient() as fcp:
        response = fcp.judge(*queries)
    if not response.success:
        print(response.message)
        return 1
    for thing, membership in zip(THINGS, response.memberships, strict=True):
        print(f"{thing:6} {membership.degree:.2f}  ({membership.source}) {membership.note}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
