# SPDX-License-Identifier: Apache-2.0
"""English as far as every domain shares it.

Tables of words, none of them about particular things but `nouns/` (domains say the rest,
`Domain.words`):

- `number_words`, `prepositions`, `verbs`, `states`, `nouns/`: words with a meaning.
- `polite_phrases`, `adverbials`, `times`, `connectives`: phrases around and between clauses.
- `turning_words`: what negates, excepts, restricts, conditions or warns, and is never left out.
- `function_words`: what may be left over, and what tells English from other languages.
- `word_lists`: how such tables are written.

What is done with words:

- `inflection`: singular and plural, verb forms, near spellings.
- `tokens`: a sentence as tokens with their places.
"""
