# SPDX-License-Identifier: Apache-2.0
"""The words that a model is asked about, read from the labels of a scene and the texts of a goal.

- `request_reading`: a request as a model is asked it, and what was read otherwise.
- `label_cutting`: what is no part of a short noun phrase is cut off: sentences, orders, markup.
- `phrase_ends`: where the name of a thing ends within a run of words.
- `thing_names`: names of assets, plurals and other spellings as the words that people use.
- `known_words`: the words that are known, from the judgements and a model's own words.
- `more_words`: rare English words for things, and words of other languages.
- `tables`: words of orders and praise, and other words for the same thing.
"""
