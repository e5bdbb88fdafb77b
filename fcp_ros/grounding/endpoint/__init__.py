# SPDX-License-Identifier: Apache-2.0
"""The oracle of a language model on a server with the OpenAI protocol.

- `oracle`: batches of questions, several in flight at a time.
- `judge`: one question, by log-probabilities or by samples.
- `chat_requests`: requests to a server that may lack a part of the protocol.
- `model_server`: HTTP with bounds, retries and errors that say what to do.
- `completion`: the checked content of a server's answer.
- `score_alternatives`: probabilities of the scores from the tokens' alternatives.
"""
