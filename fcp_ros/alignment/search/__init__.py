# SPDX-License-Identifier: Apache-2.0
"""The plans that are worth a trial.

options.py        limits and seed
replace_rules.py  a model in which a fact may change its name, at a penalty
plan_finder.py    a plan that complies with all trials so far
"""
