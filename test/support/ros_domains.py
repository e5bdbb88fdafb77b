# SPDX-License-Identifier: Apache-2.0
"""ROS domains that no other test process on this machine uses at the same time."""

from __future__ import annotations

import fcntl
import os
import random
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

DOMAINS = range(1, 102)
"""Domain 0 is everybody's default; from 102 on, Linux gives the ports to outgoing connections."""


@contextmanager
def claim_domain() -> Iterator[int]:
    """Hold a ROS domain that no other process of this machine holds through this function.

    A lock on a file in the temporary folder stands for the domain. The system gives it back when
    the process ends, however it ends, and child processes do not inherit it. The search starts at
    FCP_TEST_DOMAIN_BASE, or at a random domain, since containers that share a network need not
    share the folder.

    Yields:
        The domain's number.

    Raises:
        RuntimeError: All domains are taken.
    """
    first = int(os.environ.get("FCP_TEST_DOMAIN_BASE") or random.SystemRandom().choice(DOMAINS))
    for step in range(len(DOMAINS)):
        domain = DOMAINS[(first - DOMAINS.start + step) % len(DOMAINS)]
        file = _lock(Path(tempfile.gettempdir()) / f"fcp_ros_test_domain_{domain}.lock")
        if file is not None:
            try:
                yield domain
            finally:
                os.close(file)
            return
    raise RuntimeError("all ROS domains of this machine are taken by running tests")


def _lock(path: Path) -> int | None:
    """Lock a file until it is closed; None if another process holds it, or owns it for itself."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        return None
    with suppress(PermissionError):
        os.chmod(path, 0o666)  # for other users, whatever the umask
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return None
    return file
