# SPDX-License-Identifier: Apache-2.0
"""Domains amended by a language model: validated, told its faults, never trusted.

    repair.py       asks in words, validates, tells faults, for a bounded number of rounds
    addition.py     an addition in YAML, joined to the text of a domain, with the lines of faults
    rule_checks.py  what a generated rule has to have besides being valid
    rule_grammar.py the grammar of rules over the names of a domain, for constrained decoding

Nothing calls this by itself: a person asks for it (`fcp repair-domain`). A model only ever adds: it
can't change or remove what people wrote, least of all constraints. A plan in the amended domain is
verified on the C-set as any other; that its rules describe the world is not proven by that.
"""

from fcp_ros.language.domain_repair.repair import (
    MOST_ROUNDS,
    DomainProposal,
    RepairAttempt,
    RepairOptions,
    repair_domain,
)

__all__ = ["MOST_ROUNDS", "DomainProposal", "RepairAttempt", "RepairOptions", "repair_domain"]
