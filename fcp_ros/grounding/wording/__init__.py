# SPDX-License-Identifier: Apache-2.0
"""The words that a model is asked about, read from the labels of a scene and the texts of a goal.

- `request_reading`: a request as a model is asked it, names of assets, plurals, other spellings.
- `label_cutting`: what is no part of a short noun phrase is cut off: sentences, orders, markup.
- `known_words`: the words that are known, from the judgements and a model's own words.
"""
