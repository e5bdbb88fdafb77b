# SPDX-License-Identifier: Apache-2.0
"""Tables of English about nouns.

- `noun_synonyms`: nouns with the same meaning, the only words here about particular things.
- `wholes`: words between the parts of something and the whole.
"""
