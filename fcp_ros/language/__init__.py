# SPDX-License-Identifier: Apache-2.0
"""Language: instructions in words become goals, with degrees.

    reading.py  readings as values: goal, degree, paraphrase, words, what was not understood
    reader.py   the protocol of readers and what they are given
    confidence.py  four levels of confidence in a reading
    confirmation.py  the gate before planning: what is not plain is a question
    paraphrase.py  a goal as an English sentence: statement_table.py writes its atoms,
        task_statements.py finds tasks of the domain in it, nouns.py names its variables
    questions.py  descriptions that tell elements apart, and the question which is meant
    english/  words and inflection that every domain shares; WordNet's nouns, spelling
    parsing/  trees of a sentence, by the phrases of a domain and the things of a state
    domain_reader/  the reader by the words of the domain: trees become goals
    cascade.py  the reader in use: rules, and a language model behind them
    datasheet.py  the files of what was learned
    syntax/  English clauses by spaCy
    model_reader/  what a language model, ours or on a server, makes of an instruction

A reader never plans. `fcp_ros.relaxation` takes its readings on to a plan.
"""
