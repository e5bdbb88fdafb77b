# SPDX-License-Identifier: Apache-2.0
"""Messages to values of the model and back; the only place where the two meet.

`scene`, `judgement`, `plan` and `planning` are one file a kind; `common` holds what they share.
Functions ``x_to_message`` never fail on a valid value; ``x_from_message`` check what came over the
network and raise `errors.ConversionError`.
"""
