# SPDX-License-Identifier: Apache-2.0
"""Probing: plans that succeed only if a name means what a hypothesis says.

hypothesis.py   the state of a scene under a hypothesis, and what each action rests on
questions.py    the meanings that are worth a trial
experiments.py  the plans
trial_log.py    what their trials say, and who is to blame for a failure
"""
