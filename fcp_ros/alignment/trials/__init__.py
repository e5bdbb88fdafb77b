# SPDX-License-Identifier: Apache-2.0
"""Plans that are tried, and what follows for the synonyms.

simulator.py         where plans are tried
domain_simulator.py  a domain in a state as such a place: its rules rewrite the state
confirmation.py      failures that are seen again before they count
predictor.py         what a trial says for and against synonyms
conflicts.py         all that the trials said, and the likeliest ways to comply with it
"""
