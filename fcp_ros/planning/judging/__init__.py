# SPDX-License-Identifier: Apache-2.0
"""Judging: the degrees worth asking for, as late as possible and in batches.

Unknown degrees count as 1, so everything computed from known ones is a lower bound of the loss.

ranking      the alternatives of an encoded goal by their bounds, the next questions about them, and
             the search for the best plan in the most promising ones first
prospects    the alternatives of a goal by the loss that no plan avoids, before instantiation
regression   the loss that no plan for a single fact avoids: regression through the rules
"""
