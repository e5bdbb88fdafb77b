# SPDX-License-Identifier: Apache-2.0
"""Lists the names of perception that may be names of the domain, and asks about each open one.

Needs running nodes: `fcp up`. The executive proposes such a pair when the effect of a step has
arrived under a name that the domain does not have.
"""

import sys

from fcp_ros.client import FcpClient
from fcp_ros.msg import Synonym
from fcp_ros.srv import SettleName

STANDINGS = {Synonym.OPEN: "open", Synonym.KEPT: "kept", Synonym.REFUTED: "refused"}
ANSWERS = {
    "y": SettleName.Request.KEEP,
    "n": SettleName.Request.REFUSE,
    "f": SettleName.Request.FORGET,
}


def main() -> int:
    """Show all pairs, and settle the open ones."""
    with FcpClient() as fcp:
        pairs = fcp.name_proposals(timeout=10.0)
        if not pairs:
            print("No names are proposed.")
        for pair in pairs:
            print(f"{pair.text}  {STANDINGS[pair.standing]}, confidence {pair.confidence:.2f}")
            for reason in pair.reasons:
                print(f"  {reason}")
            if pair.standing == Synonym.OPEN:
                answer = ANSWERS.get(input("  the same? y, n, f (forget it): ").strip().lower())
                if answer is not None:
                    print(f"  {fcp.settle_name(pair, answer).message}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
