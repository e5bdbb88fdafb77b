# SPDX-License-Identifier: Apache-2.0
"""Constructions of clauses beside the plain imperative.

- `hedges`: "if you don't mind", "hello", "no matter which": set aside before.
- `verb_phrases`: auxiliaries and verbs of being and placing: "should not be", "has to stand".
- `timing_parser`: lengths of time, and when and how often something is asked.
- `exception_parser`: what is left out: "all mugs except the red one".
- `ellipsis`: what is left out behind another clause: "and the book on the shelf".
- `fronting`: the place before the rest: "on the table I need ...", "the table needs ...".
- `companions`: "with the door closed", "(come to me) with it".
- `swaps`: "swap the mug and the bowl".
- `former_places`: the place where something was before.
- `remarks`: sentences in which nothing is asked for.
"""
