# SPDX-License-Identifier: Apache-2.0
"""Constructions of clauses beside the plain imperative.

- `hedges`: "if you don't mind", "hello", "no matter which": set aside before; former places.
- `verb_phrases`: auxiliaries and verbs of being and placing: "should not be", "has to stand".
- `timing_parser`: lengths of time, exceptions, and when and how often something is asked.
- `ellipsis`: what is left out behind another clause: "and the book on the shelf".
- `fronting`: the place before the rest: "on the table I need ...", "the table needs ...",
  and companions: "with the door closed", "(come to me) with it".
- `remarks`: sentences in which nothing is asked for.
"""
