# SPDX-License-Identifier: Apache-2.0
"""Shows what was learned from outcomes; with `reset` as argument, sets it aside. Needs nodes."""

import sys

from fcp_ros.client import FcpClient


def main() -> int:
    """Print one line for each predicate and context that outcomes are known of."""
    with FcpClient() as fcp:
        response = fcp.reset_calibration() if "reset" in sys.argv[1:] else fcp.calibration()
    print(response.message)
    for entry in response.entries:
        learned = f"{entry.prior:.2f} -> {entry.degree:.2f} after {entry.evidence_count} outcomes"
        print(f"  {learned}: {entry.context}")
    return 0 if response.success else 1


if __name__ == "__main__":
    sys.exit(main())
