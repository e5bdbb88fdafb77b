# SPDX-License-Identifier: Apache-2.0
"""Beliefs: the probabilities of what a scene's names mean.

label_beliefs.py      types of labels, by words, size and parts in relations
relation_beliefs.py   relations, by types of their ends, geometry, shape and words
attribute_beliefs.py  truth values and their opposites
trial_weights.py      evidence from outside of the scene
proposal.py           all of them weighed together
counterparts.py       the same things in another scene of the place
scene_comparison.py   what the names are in that scene
"""
