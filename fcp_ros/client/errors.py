# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between a client and the nodes. Refusals by a node are results, not errors."""


class FcpError(RuntimeError):
    """A request that got no answer; one sentence what was asked, and what to do."""


class FcpUnavailable(FcpError):
    """No node offers what was asked for."""


class FcpTimeout(FcpError):
    """The answer did not come in time. A goal that was sent is cancelled before this is raised."""
