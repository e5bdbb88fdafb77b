# SPDX-License-Identifier: Apache-2.0
"""Search from both ends, in plain Python: forward memberships meet backward requirements.

search         the engine: expands halves of plans on both sides until they prove the best plan
sides          the labels of each direction: made, kept, dominated
halves         the labels themselves, and the frontier of those still to be expanded
meeting        the distance of two halves, their meeting, and its replay
partial_state  sets of states as conjunctions of clauses over bit masks, and their indexes
regression     the partial states from which an operator leads into a partial state
operators      the operators of a flat task as values
resources      amounts forward, intervals of amounts backward
scale          losses and costs as whole numbers; dominance and bounds
"""

from fcp_ros.planning.search.bidirectional.meeting import Meeting
from fcp_ros.planning.search.bidirectional.operators import explain_unsuitable
from fcp_ros.planning.search.bidirectional.search import BidirectionalSearch, LowerBounds

__all__ = ["BidirectionalSearch", "LowerBounds", "Meeting", "explain_unsuitable"]
