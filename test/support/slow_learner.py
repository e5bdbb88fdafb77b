# SPDX-License-Identifier: Apache-2.0
"""Stands in for `learning_child` where a test needs time: busy until it is told to stop.

Run as a file, like the program in whose place it is: it takes a request, tells one thing, keeps a
processor busy, and answers the word to stop with an outcome.
"""

import sys
from multiprocessing.connection import Connection


def main() -> None:
    """Find nothing, for as long as nobody minds."""
    connection = Connection(int(sys.argv[1]))
    sys.path[:] = connection.recv()
    connection.recv()
    from fcp_ros.abstraction.debugging.learning_child import DOING, FOUND
    from fcp_ros.abstraction.debugging.outcome import Generalization, GeneralizationProgress
    from fcp_ros.abstraction.proposers.status import GeneralizationStatus

    connection.send((DOING, GeneralizationProgress(1, "thinking")))
    while not connection.poll():
        sum(range(10_000))
    connection.send((FOUND, Generalization(GeneralizationStatus.CANCELLED, "stopped")))


if __name__ == "__main__":
    main()
