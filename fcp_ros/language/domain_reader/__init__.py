# SPDX-License-Identifier: Apache-2.0
"""The reader of English instructions by the words of a domain, without a language model.

`reader.DomainReader` is the front door. The trees of a sentence (`fcp_ros.language.parsing`) go
through these files, lowest first:

- `preparation`: a sentence without the frames around its requests, its trees and nouns, once for
  all readers; what is remembered of a domain and a state.
- `terms`: noun phrases looked up in the state, or in what was said before.
- `statements`: formulas with variables that are not bound yet.
- `slot_filling`: the meanings of phrases, with things in their slots, to statements.
- `acts`: statements for acts such as bringing, which no domain has to declare.
- `composition`: clauses to statements, by the two before; qualities of things; distribution.
- `timing`: constraints on when and how often something is so, and conditions on the way.
- `removal`: places for what is taken off something; which statements undo one another.
- `step_order`: which clauses hold at the end, and what comes before what.
- `ordering`: formulas joined to a goal, with constraints for their order.
- `answers`: status, question and message of the readings that were found; which one is meant.
"""

from fcp_ros.foundation.imports import defer_imports

with defer_imports(__name__):
    from fcp_ros.language.domain_reader.reader import DomainReader

__all__ = ["DomainReader"]
