# SPDX-License-Identifier: Apache-2.0
"""English as far as every domain shares it.

Tables of words, next to none of them about particular things (domains say the rest,
`Domain.words`):

- `number_words`, `verbs`, `states`: words with a meaning.
- `wholes`: words between the parts of something and the whole.
- `adverbials`: phrases around clauses; `remark_words`: politeness and other remarks.
- `turning_words`: what negates, excepts, restricts, conditions or warns, and is never left out.
- `function_words`: what may be left over, prepositions, words between clauses, what tells English
  from other languages.
- `word_lists`: how such tables are written.

What is done with words:

- `inflection`: singular and plural, verb forms, near spellings.
- `tokens`: a sentence as tokens with their places.
- `wordnet_nouns`: synonyms of nouns, and kinds of things, that no domain lists.
"""
