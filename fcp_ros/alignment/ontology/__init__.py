# SPDX-License-Identifier: Apache-2.0
"""The names of a scene in the words of a domain: labels, relations and attributes.

    vocabulary.py       the names that a scene uses, and of what
    target.py           the domain that they are read in
    claims.py           what a name means, with the evidence
    label_beliefs, attribute_beliefs, relation_beliefs
                        probabilities of meanings, by words, structure and geometry
    scene_comparison, trial_weights
                        evidence from other scenes and from trials; proposal.py weighs all together
    hypothesis, questions, experiments, trial_log
                        plans that tell if a doubtful meaning is right, and what their trial says
    reasons.py          claims made of beliefs and trials
    scene_alignment.py  propose, try what is doubtful, propose again
    scene_answer.py     the settings, and the answer: status, claims, overrides

docs/alignment.md explains it.
"""
