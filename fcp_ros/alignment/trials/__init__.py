# SPDX-License-Identifier: Apache-2.0
"""Plans that are tried, and what follows for the synonyms.

simulator.py  where plans are tried
predictor.py  what a trial says for and against synonyms
conflicts.py  all that the trials said, and the likeliest ways to comply with it
"""
