# SPDX-License-Identifier: Apache-2.0
"""Plans that are tried, and what follows for the synonyms.

simulator.py         where plans are tried
domain_simulator.py  a domain in a state as such a place: its rules rewrite the state
confirmation.py      outcomes that are seen again before they count
reliability.py       the odds that chance does not decide alone
predictor.py         what a trial says for and against synonyms
conflicts.py         all that the trials said, and the likeliest ways to comply with it
"""
