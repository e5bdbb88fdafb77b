# SPDX-License-Identifier: Apache-2.0
"""The reader of English instructions by the words of a domain, without a language model.

`reader.DomainReader` is the front door. The trees of a sentence (`fcp_ros.language.parsing`) go
through these files, lowest first:

- `framing`: what surrounds a request: politeness, asides, who is spoken to.
- `preparation`: the words that are left, their trees and nouns, once for all readers; what is
  remembered of a domain and a state.
- `terms`: noun phrases looked up in the state, or in what was said before.
- `statements`: formulas with variables that are not bound yet.
- `slot_filling`: the meanings of phrases, with things in their slots, to statements.
- `acts`: statements for acts such as bringing, which no domain has to declare.
- `composition`: clauses to statements, by the two before; qualities of things; distribution.
- `quantified`: "any" as all, plurals of bans and descriptions.
- `timing`: constraints on when and how often something is so, and conditions on the way.
- `contradictions`: which statements undo one another.
- `step_order`: which clauses hold at the end, and what comes before what.
- `ordering`: formulas joined to a goal, with constraints for their order.
- `removal`: places for what a goal takes off something.
- `answers`: status, question and message of the readings that were found.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.language.domain_reader.reader import DomainReader

__all__ = ["DomainReader"]
