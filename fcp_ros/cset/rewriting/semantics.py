# SPDX-License-Identifier: Apache-2.0
"""The three ways to take a rule ``L <- K -> R`` at a match ``m: L -> G``, and what each admits.

All of them first turn G into a context D, from which ``L - K`` is gone, and then glue R to D along
K: the result is a pushout of ``D <- K -> R``. They differ in what D is. They work on elements and
on tuples alike, for a tuple is an element with its legs as functions; relations being sets, tuples
that end up with equal legs then become one.
"""

from enum import Enum


class Semantics(str, Enum):
    """What applying a rule means."""

    DPO = "dpo"
    """Double pushout (Ehrig, Ehrig, Prange, Taentzer, *Fundamentals of Algebraic Graph
    Transformation*, 2006, section 3.2): the cautious one. A match is admitted where G is a pushout
    of L and D along K, that is, where nothing that stays refers to what is deleted (dangling), and
    where nothing that is deleted shares its image with anything else of L (identification).
    A rule's left leg must be monic, for otherwise D is not determined."""

    SPO = "spo"
    """Single pushout (Loewe, *Algebraic approach to single-pushout graph transformation*, 1993):
    a pushout of partial morphisms, which exists at every match. What refers to a deleted element is
    deleted with it; where a match identifies something that is deleted with something that is
    preserved, deletion wins, and what R would have glued there is not in the result either (the
    comatch is then defined on the rest of R only). A rule's left leg must be monic."""

    SQPO = "sqpo"
    """Sesqui-pushout (Corradini, Heindel, Hermann, Koenig, *Sesqui-pushout rewriting*, 2006): D is
    the final pullback complement of ``K -> L`` and the match, the largest one in which L leaves
    exactly K. What refers to a deleted element is deleted with it. The left leg may send several
    elements of K to one of L: then that element is cloned, with everything that refers to it.
    A match is admitted where such a D exists: every monic one; one that is not must identify only
    what is all deleted, or all preserved and not cloned; and no clone may need infinitely many
    others (only in schemas whose functions run in cycles)."""
