# SPDX-License-Identifier: Apache-2.0
"""The sections of a domain file that are about goals: their words, and how they may be relaxed.

words.py       phrases, tasks, kinds of things, things that belong together
phrase_builder.py  phrases, each with one meaning
task_goals.py  the goals of tasks, checked against the finished domain
relaxing.py    weaker forms, substitutes, what is hard
"""
