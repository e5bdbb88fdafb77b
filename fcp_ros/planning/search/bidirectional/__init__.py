# SPDX-License-Identifier: Apache-2.0
"""Search from both ends: forward memberships meet backward requirements."""

from fcp_ros.planning.search.bidirectional.lower_bounds import LowerBounds
from fcp_ros.planning.search.bidirectional.meeting import Meeting
from fcp_ros.planning.search.bidirectional.operators import unsuitable
from fcp_ros.planning.search.bidirectional.search import BidirectionalSearch

__all__ = ["BidirectionalSearch", "LowerBounds", "Meeting", "unsuitable"]
