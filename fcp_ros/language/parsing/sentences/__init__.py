# SPDX-License-Identifier: Apache-2.0
"""Parts of sentences besides clauses.

- `partial_sentences`: readings of the first tokens.
- `announced_lists`: lists behind a colon.
- `asides`: remarks, companions and things named first.
- `carried_things`: what is carried somewhere and not put down.
- `proviso_parser`: conditions on the way, before or behind a clause.
"""
